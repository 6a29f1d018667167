//! The `sloppy` edit format: `<SM:EDIT>` blocks of texts to find and to put.
//!
//! The agent shows rules an internal rendering that quotes the searched text too (engine.md E6.2). It is reproduced
//! here as far as recorded calls show it. A line that is a tag but for white space around it is one; the lines between
//! tags are text.
//!
//! ```text
//! input     = block { block }             blank lines may come first, nothing else, and the first block has a path
//! block     = edit { operation } [ "</SM:EDIT>" ]
//! edit      = "<SM:EDIT" { ( "path=" | "file=" ) quoted | "all" } ">"     without ">" inside; `all` counts up to the
//!             end of the block, the path (white space around it left out) up to the next one that is not empty
//! operation = [ "<SM:FIND>" ] text [ "</SM:FIND>" ] { ( "<SM:PUT>" | "<SM:AFTER>" ) text } [ end ]
//! end       = "</SM:PUT>" | "</SM:AFTER>" | "<SM:PUT></SM:PUT>"
//! ```
//!
//! Of several texts to put, or to insert, the last one counts. An operation also ends where the next one begins. It is
//! shown as a line `«` (`«*` for `all`), the searched lines, a line `»` when there are any and something replaces them,
//! and the lines to put; or, for an insertion, a line of U+0000, `AFTER` and the text as a JSON string. Blank lines at
//! the edges of the texts to find and to put are left out, and an operation without any line is not shown.
//!
//! Lines of another format that models mix in are taken out, except between `<SM:AFTER>` and `</SM:AFTER>` (only that
//! tag ends it here): `*** Begin Patch` and headers of files go, `*** End Patch` and `*** End of File` end the block,
//! up to the next `<SM:EDIT>`.

use std::sync::Arc;

use super::lines::{Begins, LineFormat, after, agrees, is, is_blank, to_string, trimmed};
use super::sections::{Mark, Section, Sections};
use crate::text::json::write_string;

const LINE_FEED: u16 = 0x0A;

/// Where the reading stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sloppy {
    place: Place,
    all: bool,
    operation: Operation,
    /// Whether the rest of the block counts for nothing.
    stopped: bool,
    /// Whether lines of another format are text like any other.
    verbatim: bool,
    unknown_tag: bool,
}

#[derive(Clone, Debug, Default)]
enum Place {
    /// Before the first block.
    #[default]
    Before,
    /// In a block of this file, or behind it.
    Block(Section),
    /// Something else came first: nothing counts.
    Nowhere,
}

/// One operation as far as it was read.
#[derive(Clone, Debug, Default)]
struct Operation {
    kind: Kind,
    /// Whether its first line was written.
    begun: bool,
    /// Whether its searched text has a line that is not blank.
    found: bool,
    /// Whether the text of the present kind has such a line; one to insert, any line.
    filled: bool,
    /// Blank lines that count only when another line follows: each ends with a line feed.
    blanks: Arc<Vec<u16>>,
    /// Where the searched text ends, once something replaces it or goes behind it.
    end_of_find: Option<Mark>,
}

/// Which text of an operation the lines belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Kind {
    #[default]
    Find,
    Put,
    After,
}

enum Tag {
    Edit { path: Option<Vec<u16>>, all: bool },
    EditEnd,
    Find,
    FindEnd,
    Put,
    PutEnd,
    EmptyPut,
    After,
    AfterEnd,
}

/// A line of the `apply_patch` format.
#[derive(Clone, Copy, PartialEq)]
enum Foreign {
    /// It goes.
    Dropped,
    /// It ends the block.
    Stop,
}

impl Sloppy {
    /// Whether a line looked like a tag but is none that is known.
    pub(crate) fn unknown_tag(&self) -> bool {
        self.unknown_tag
    }

    /// Whether this line counts, which the first one decides for all.
    fn counts(&mut self, text: &[u16]) -> bool {
        match self.place {
            Place::Block(_) => true,
            Place::Nowhere => false,
            Place::Before => {
                let opens = matches!(read_tag(text), Some(Tag::Edit { path: Some(_), .. }));
                if !opens && !text.is_empty() {
                    self.place = Place::Nowhere;
                }
                opens
            }
        }
    }

    fn tag(&mut self, tag: Tag, out: &mut Sections) {
        match tag {
            Tag::Edit { path, all } => {
                self.leave(out);
                self.stopped = false;
                self.all = all;
                if let Some(path) = path {
                    self.place = Place::Block(Section::new(Arc::new(to_string(&path))));
                }
            }
            Tag::EditEnd => {
                self.leave(out);
                self.all = false;
            }
            Tag::PutEnd | Tag::Find => self.leave(out),
            Tag::AfterEnd => {
                self.leave(out);
                self.verbatim = false;
            }
            Tag::FindEnd => {}
            Tag::Put => self.begin_put(out),
            Tag::EmptyPut => {
                self.begin_put(out);
                self.leave(out);
            }
            Tag::After => {
                self.turn(Kind::After, out);
                self.begin(out);
                self.row("\0AFTER \"", out);
                self.verbatim = true;
            }
        }
    }

    /// The operation is over.
    fn leave(&mut self, out: &mut Sections) {
        self.cut(out);
        self.operation = Operation::default();
    }

    fn begin_put(&mut self, out: &mut Sections) {
        self.turn(Kind::Put, out);
        if self.operation.found {
            self.row("»", out);
        }
    }

    /// From here on come the lines that replace or follow the searched text, in place of such lines before.
    fn turn(&mut self, kind: Kind, out: &mut Sections) {
        let operation = &mut self.operation;
        if let Place::Block(section) = &mut self.place {
            match &operation.end_of_find {
                Some(mark) => out.rewind(section, mark),
                None => operation.end_of_find = Some(out.mark(section)),
            }
        }
        operation.begun = operation.found;
        operation.kind = kind;
        operation.filled = false;
        operation.blanks = Arc::default();
    }

    fn begin(&mut self, out: &mut Sections) {
        if !std::mem::replace(&mut self.operation.begun, true) {
            self.row(if self.all { "«*" } else { "«" }, out);
        }
    }

    fn row(&mut self, text: &str, out: &mut Sections) {
        if let Place::Block(section) = &mut self.place {
            out.row(section);
        }
        self.write(text, out);
    }

    fn write(&mut self, text: &str, out: &mut Sections) {
        if let Place::Block(section) = &mut self.place {
            out.units(section, &text.encode_utf16().collect::<Vec<_>>());
        }
    }

    /// Writes units as part of a JSON string.
    fn quote(&mut self, units: &[u16], out: &mut Sections) {
        let mut json = String::new();
        write_string(&mut json, &to_string(units));
        let inner = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or_default();
        self.write(inner, out);
    }

    /// Ends the line of a text to insert, when there is one.
    fn end_quoted(&mut self, out: &mut Sections) {
        if self.operation.filled {
            self.quote(&[LINE_FEED], out);
        }
    }
}

impl LineFormat for Sloppy {
    const STRIPS_RETURN: bool = false;

    fn line(&mut self, line: &[u16], out: &mut Sections) {
        let text = trimmed(line);
        if !self.counts(text) {
            return;
        }
        let tag = read_tag(text);
        if self.stopped && !matches!(tag, Some(Tag::Edit { .. })) {
            return;
        }
        if let Some(tag) = tag {
            return self.tag(tag, out);
        }
        if let Some(meaning) = foreign(text).filter(|_| !self.verbatim) {
            self.stopped = meaning == Foreign::Stop;
            return;
        }
        self.unknown_tag |= after(text, "<SM:").is_some() || after(text, "</SM:").is_some();
        if self.operation.kind == Kind::After || !text.is_empty() {
            self.begin_row(out);
            self.add_to_row(line, out);
        } else if self.operation.filled {
            Arc::make_mut(&mut self.operation.blanks).extend(line.iter().chain(&[LINE_FEED]));
        }
    }

    fn begins(&self, line: &[u16]) -> Begins {
        let Some(start) = line.iter().position(|&unit| !is_blank(unit)) else {
            return Begins::Open;
        };
        if let Place::Nowhere = self.place {
            return Begins::Nothing;
        }
        let text = &line[start..];
        let may_be_tag = ["<SM:", "</SM:"].into_iter().any(|tag| agrees(text, tag));
        let may_be_foreign = !self.verbatim && FOREIGN.into_iter().any(|(mark, _)| agrees(text, mark));
        if may_be_tag || may_be_foreign || matches!(self.place, Place::Before) {
            Begins::Open
        } else if self.stopped {
            Begins::Nothing
        } else {
            Begins::Row(0)
        }
    }

    fn begin_row(&mut self, out: &mut Sections) {
        if self.operation.kind == Kind::After {
            self.end_quoted(out);
            self.operation.filled = true;
            return;
        }
        self.begin(out);
        let operation = &mut self.operation;
        operation.found |= operation.kind == Kind::Find;
        operation.filled = true;
        if let Place::Block(section) = &mut self.place {
            let blanks = std::mem::take(&mut operation.blanks);
            for blank in blanks.split_inclusive(|&unit| unit == LINE_FEED) {
                out.row(section);
                out.units(section, &blank[..blank.len() - 1]);
            }
            out.row(section);
        }
    }

    fn add_to_row(&mut self, units: &[u16], out: &mut Sections) {
        if self.operation.kind == Kind::After {
            self.quote(units, out);
        } else if let Place::Block(section) = &mut self.place {
            out.units(section, units);
        }
    }

    fn cut(&mut self, out: &mut Sections) {
        if self.operation.kind == Kind::After {
            self.end_quoted(out);
            self.write("\"", out);
        }
    }
}

/// Headers count as soon as their colon is there, the other lines as a whole.
const FOREIGN: [(&str, Foreign); 6] = [
    ("*** Begin Patch", Foreign::Dropped),
    ("*** Add File:", Foreign::Dropped),
    ("*** Update File:", Foreign::Dropped),
    ("*** Delete File:", Foreign::Dropped),
    ("*** End Patch", Foreign::Stop),
    ("*** End of File", Foreign::Stop),
];

fn foreign(text: &[u16]) -> Option<Foreign> {
    let fits = |mark: &str| after(text, mark).is_some_and(|rest| rest.is_empty() || mark.ends_with(':'));
    FOREIGN.into_iter().find_map(|(mark, meaning)| fits(mark).then_some(meaning))
}

fn read_tag(text: &[u16]) -> Option<Tag> {
    let fixed = [
        ("</SM:EDIT>", Tag::EditEnd),
        ("<SM:FIND>", Tag::Find),
        ("</SM:FIND>", Tag::FindEnd),
        ("<SM:PUT>", Tag::Put),
        ("</SM:PUT>", Tag::PutEnd),
        ("<SM:PUT></SM:PUT>", Tag::EmptyPut),
        ("<SM:AFTER>", Tag::After),
        ("</SM:AFTER>", Tag::AfterEnd),
    ];
    if let Some(tag) = fixed.into_iter().find_map(|(name, tag)| is(text, name).then_some(tag)) {
        return Some(tag);
    }
    let attributes = after(text, "<SM:EDIT")?;
    let end = attributes.iter().position(|&unit| unit == u16::from(b'>'))?;
    (end + 1 == attributes.len()).then(|| read_attributes(&attributes[..end]))
}

/// `path="…"` or `file="…"`, and `all`.
fn read_attributes(mut rest: &[u16]) -> Tag {
    const DOUBLE: u16 = b'"' as u16;
    const SINGLE: u16 = b'\'' as u16;
    let (mut path, mut all) = (None, false);
    loop {
        rest = trimmed(rest);
        let named = after(rest, "path=").or_else(|| after(rest, "file="));
        if let Some([quote @ (DOUBLE | SINGLE), value @ ..]) = named {
            let end = value.iter().position(|unit| unit == quote).unwrap_or(value.len());
            path = path.or_else(|| Some(trimmed(&value[..end]).to_vec()));
            rest = value.get(end + 1..).unwrap_or_default();
            continue;
        }
        let end = rest.iter().position(|&unit| is_blank(unit)).unwrap_or(rest.len());
        if end == 0 {
            return Tag::Edit { path: path.filter(|path| !path.is_empty()), all };
        }
        all |= is(&rest[..end], "all");
        rest = &rest[end..];
    }
}
