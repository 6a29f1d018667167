//! The `sloppy` edit format: `<SM:EDIT>` blocks of texts to find and to put.
//!
//! The agent shows rules an internal rendering that quotes the searched text too (engine.md E6.2). It is reproduced
//! here as far as recorded calls show it: one operation is a line `«` (`«*` when the block says `all`), the searched
//! lines, a line `»` and the lines to put; an insertion has a line of U+0000, `AFTER` and the text as a JSON string
//! instead. Blank lines at the edges of either text are left out.

use std::sync::Arc;

use super::lines::{LineFormat, after, is, to_string, trimmed};
use super::sections::{Section, Sections};
use crate::text::json::write_string;

const LINE_FEED: u16 = 0x0A;

/// Where the reading stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Sloppy {
    /// The file that operations go to.
    section: Option<Section>,
    all: bool,
    stage: Stage,
    /// Whether the operation's first line was written.
    begun: bool,
    /// Whether its searched text has a line that is not blank.
    found: bool,
    /// Whether the text of the present stage has such a line.
    filled: bool,
    /// Blank lines that count only when another line follows: each ends with a line feed.
    blanks: Arc<Vec<u16>>,
    unknown_tag: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Stage {
    /// Between operations.
    #[default]
    Outside,
    /// In the searched text, or after it: stray lines there belong to it.
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

impl Sloppy {
    /// Whether a line looked like a tag but is none that is known.
    pub(super) fn unknown_tag(&self) -> bool {
        self.unknown_tag
    }

    fn tag(&mut self, tag: Tag, out: &mut Sections) {
        if self.stage == Stage::After {
            self.write("\"", out);
            self.stage = Stage::Outside;
        }
        match tag {
            Tag::Edit { path, all } => {
                self.leave();
                self.all = all;
                if let Some(path) = path {
                    let path = to_string(&path);
                    out.header(path.clone());
                    self.section = Some(Section::new(Arc::new(path)));
                }
            }
            Tag::EditEnd | Tag::PutEnd | Tag::AfterEnd => self.leave(),
            Tag::Find => {
                self.leave();
                self.stage = Stage::Find;
            }
            Tag::FindEnd => {}
            Tag::Put => self.begin_put(out),
            Tag::EmptyPut => {
                self.begin_put(out);
                self.leave();
            }
            Tag::After => {
                self.begin(out);
                self.row("\0AFTER \"", out);
                self.enter(Stage::After);
            }
        }
    }

    /// The operation is over.
    fn leave(&mut self) {
        self.enter(Stage::Outside);
        (self.begun, self.found) = (false, false);
    }

    fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.filled = false;
        self.blanks = Arc::default();
    }

    fn begin_put(&mut self, out: &mut Sections) {
        if self.found {
            self.row("»", out);
        }
        self.enter(Stage::Put);
    }

    fn begin(&mut self, out: &mut Sections) {
        if !std::mem::replace(&mut self.begun, true) {
            self.row(if self.all { "«*" } else { "«" }, out);
        }
    }

    fn row(&mut self, text: &str, out: &mut Sections) {
        if let Some(section) = &mut self.section {
            out.row(section);
        }
        self.write(text, out);
    }

    fn write(&mut self, text: &str, out: &mut Sections) {
        if let Some(section) = &mut self.section {
            out.units(section, &text.encode_utf16().collect::<Vec<_>>());
        }
    }

    /// One line of a text to insert, as part of a JSON string.
    fn quoted(&mut self, line: &[u16], out: &mut Sections) {
        let mut json = String::new();
        write_string(&mut json, &to_string(&[line, &[LINE_FEED]].concat()));
        let inner = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or_default();
        self.write(inner, out);
    }
}

impl LineFormat for Sloppy {
    const STRIPS_RETURN: bool = false;

    fn line(&mut self, line: &[u16], out: &mut Sections) {
        let text = trimmed(line);
        if let Some(tag) = read_tag(text) {
            return self.tag(tag, out);
        }
        self.unknown_tag |= after(text, "<SM:").is_some() || after(text, "</SM:").is_some();
        if self.stage == Stage::After {
            self.quoted(line, out);
        } else if !text.is_empty() {
            self.begin_row(out);
            self.add_to_row(line, out);
        } else if self.filled {
            Arc::make_mut(&mut self.blanks).extend(line.iter().chain(&[LINE_FEED]));
        }
    }

    fn row_at(&self, line: &[u16]) -> Option<usize> {
        let start = line.iter().position(|unit| !crate::text::is_js_white_space(*unit))?;
        let text = &line[start..];
        let may_be_tag =
            ["<SM:", "</SM:"].into_iter().any(|tag| tag.encode_utf16().zip(text).all(|(tag, &unit)| tag == unit));
        (self.stage != Stage::After && self.section.is_some() && !may_be_tag).then_some(0)
    }

    fn begin_row(&mut self, out: &mut Sections) {
        if self.stage == Stage::Outside {
            self.stage = Stage::Find;
        }
        self.begin(out);
        self.found |= self.stage == Stage::Find;
        self.filled = true;
        if let Some(section) = &mut self.section {
            let blanks = std::mem::take(&mut self.blanks);
            for blank in blanks.split_inclusive(|&unit| unit == LINE_FEED) {
                out.row(section);
                out.units(section, &blank[..blank.len() - 1]);
            }
            out.row(section);
        }
    }

    fn add_to_row(&mut self, units: &[u16], out: &mut Sections) {
        if let Some(section) = &mut self.section {
            out.units(section, units);
        }
    }

    fn cut(&mut self, out: &mut Sections) {
        if self.stage == Stage::After {
            self.write("\"", out);
        }
    }
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
    let (&end, attributes) = attributes.split_last()?;
    (end == u16::from(b'>')).then(|| read_attributes(attributes))
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
            path = path.or_else(|| Some(value[..end].to_vec()));
            rest = value.get(end + 1..).unwrap_or_default();
            continue;
        }
        let end = rest.iter().position(|unit| crate::text::is_js_white_space(*unit)).unwrap_or(rest.len());
        if end == 0 {
            return Tag::Edit { path: path.filter(|path| !path.is_empty()), all };
        }
        all |= is(&rest[..end], "all");
        rest = &rest[end..];
    }
}
