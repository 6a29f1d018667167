//! The `apply_patch` edit format (engine.md E6.2): added lines of updated files; of added files only lines that begin
//! with a plus after the marker, as the agent has it.
//!
//! White space around the whole input does not count. `⌴` is one blank:
//!
//! ```text
//! input    = [ here ] begin { file } [ end ] [ word ]
//! here     = [ "cat" ] "<<" word           the word may be quoted; the last line of the input must then be that word
//! begin    = "*** Begin Patch"
//! file     = update | add | delete         blank lines may come first
//! update   = "*** Update File:⌴" path { line }     up to a line that begins with one of the three headers
//! add      = "*** Add File:⌴" path { "+" line }    up to a line without a plus
//! delete   = "*** Delete File:⌴" path
//! end      = "*** End Patch"
//! ```
//!
//! White space around a line that opens a file does not count, so a path keeps white space in front only. The first
//! line that fits nowhere ends the reading, and what came before it counts: a second `*** Begin Patch`, a row before the
//! first header, a header without a path, `*** End Patch` before others. Inside of an update, on the other hand, no
//! line is wrong.
//!
//! Paths without entries are found by looking at each line alone, wherever it is: any header, indented or not, names
//! the rest of its line or, when that is blank, the next line that is not.

use std::sync::Arc;

use super::lines::{Begins, LineFormat, after, begins_row, first_solid, is, is_added, to_string, trimmed};
use super::sections::{Section, Sections};

/// Where the reading stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct ApplyPatch {
    place: Place,
    /// The word that ends the here-document around the patch.
    here: Option<Arc<[u16]>>,
    /// Whether the last line is that word.
    closed: bool,
    /// Whether a header waits for its path, so that the next line is one.
    awaits_path: bool,
}

#[derive(Clone, Debug, Default)]
enum Place {
    /// Before the first line of the patch.
    #[default]
    Before,
    /// Where a file comes.
    Files,
    Update(Section),
    Add(Section),
    /// Something did not fit, or the patch is over.
    Over,
}

const UPDATE: &str = "*** Update File: ";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const STAR: u16 = b'*' as u16;
const PLUS: u16 = b'+' as u16;

impl ApplyPatch {
    /// A line where a file comes.
    fn open_file(&mut self, text: &[u16]) {
        let section = |path: &[u16]| Section::new(Arc::new(to_string(path)));
        self.place = if text.is_empty() || after(text, DELETE).is_some() {
            Place::Files
        } else if let Some(path) = after(text, UPDATE) {
            Place::Update(section(path))
        } else if let Some(path) = after(text, ADD) {
            Place::Add(section(path))
        } else {
            Place::Over
        };
    }

    fn begin(&mut self, text: &[u16]) {
        if is(text, "*** Begin Patch") {
            self.place = Place::Files;
        } else if let Some(word) = here_document(text).filter(|_| self.here.is_none()) {
            self.here = Some(word.into());
        } else if !text.is_empty() {
            self.place = Place::Over;
        }
    }

    /// Takes a path where this line alone names one.
    fn find_path(&mut self, text: &[u16], out: &mut Sections) {
        if self.awaits_path {
            if !text.is_empty() {
                self.awaits_path = false;
                out.header(to_string(text));
            }
            return;
        }
        let rest = [UPDATE, ADD, DELETE].into_iter().find_map(|mark| after(text, mark.trim_end()));
        match rest.map(trimmed) {
            None => {}
            Some([]) => self.awaits_path = true,
            Some(path) => out.header(to_string(path)),
        }
    }
}

impl LineFormat for ApplyPatch {
    const STRIPS_RETURN: bool = false;
    const TRIMS_END: bool = true;

    fn line(&mut self, line: &[u16], out: &mut Sections) {
        let text = trimmed(line);
        self.find_path(text, out);
        self.closed = self.here.as_deref().is_some_and(|word| word == text);
        match &mut self.place {
            Place::Before => self.begin(text),
            Place::Files => self.open_file(text),
            Place::Update(section) => {
                if [UPDATE, ADD, DELETE].into_iter().any(|mark| after(line, mark).is_some()) {
                    self.open_file(text);
                } else if is_added(line) {
                    out.row(section);
                    out.units(section, &line[1..]);
                }
            }
            Place::Add(section) => match line {
                [PLUS, row @ ..] if is_added(row) => {
                    out.row(section);
                    out.units(section, &row[1..]);
                }
                [PLUS, ..] => {}
                _ => self.open_file(text),
            },
            Place::Over => {}
        }
    }

    fn begins(&self, line: &[u16]) -> Begins {
        // The next line may be a path, any may close the here-document, and headers begin with a star.
        if self.awaits_path || line.is_empty() || matches!(first_solid(line), None | Some(STAR)) {
            return Begins::Open;
        }
        let begins = match (&self.place, line) {
            (Place::Update(_), _) => begins_row(line),
            (Place::Add(_), [PLUS]) => Begins::Open,
            (Place::Add(_), [PLUS, row @ ..]) => match begins_row(row) {
                Begins::Row(start) => Begins::Row(start + 1),
                other => other,
            },
            (Place::Over, _) => Begins::Nothing,
            _ => Begins::Open,
        };
        if begins == Begins::Nothing && self.here.is_some() { Begins::Open } else { begins }
    }

    fn begin_row(&mut self, out: &mut Sections) {
        self.closed = false;
        if let Place::Update(section) | Place::Add(section) = &mut self.place {
            out.row(section);
        }
    }

    fn add_to_row(&mut self, units: &[u16], out: &mut Sections) {
        if let Place::Update(section) | Place::Add(section) = &mut self.place {
            out.units(section, units);
        }
    }

    fn shows(&self) -> bool {
        self.here.is_none() || self.closed
    }
}

/// The word of a line that opens a here-document: `<<EOF`, `cat <<'EOF'`.
fn here_document(text: &[u16]) -> Option<&[u16]> {
    let text = after(text, "cat").map_or(text, trimmed);
    let word = after(text, "<<")?;
    let word = after(word, "-").unwrap_or(word);
    let is_quote = |unit: u16| unit == u16::from(b'\'') || unit == u16::from(b'"');
    let word = match word {
        [open, word @ .., close] if open == close && is_quote(*open) => word,
        word => word,
    };
    let is_word = |unit: &u16| u8::try_from(*unit).is_ok_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (!word.is_empty() && word.iter().all(is_word)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn here_documents_are_told_from_prose() {
        let read = |line: &str| {
            let units: Vec<u16> = line.encode_utf16().collect();
            here_document(&units).map(String::from_utf16_lossy)
        };
        for (line, word) in [("<<EOF", "EOF"), ("cat <<'EOF'", "EOF"), ("<<\"PATCH\"", "PATCH"), ("<<-E_1", "E_1")] {
            assert_eq!(read(line).as_deref(), Some(word), "{line}");
        }
        for line in ["```diff", "cat", "<<", "<<''", "<<'EOF\"", "Here is a patch:", "<< a b"] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
