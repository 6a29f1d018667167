//! The `apply_patch` edit format (engine.md E6.2): added lines of updated files; of added files only lines that begin
//! with a plus after the marker, as the agent has it.

use std::sync::Arc;

use super::lines::{LineFormat, after, is, is_added, surely_added, to_string, trimmed};
use super::sections::{Section, Sections};
use crate::text::JsString;

/// Where the reading stands.
#[derive(Clone, Debug, Default)]
pub(super) struct ApplyPatch {
    preamble: Preamble,
    /// The section and the number of leading units that are no part of its lines: the marker of an added file.
    section: Option<(Section, usize)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Preamble {
    #[default]
    Awaited,
    Seen,
    /// Something else comes first: paths still count, rows do not.
    Missing,
}

impl LineFormat for ApplyPatch {
    const STRIPS_RETURN: bool = false;
    const TRIMS_END: bool = true;

    fn line(&mut self, line: &[u16], out: &mut Sections) {
        let text = trimmed(line);
        if self.preamble == Preamble::Awaited && !text.is_empty() && !is_here_document(text) {
            self.preamble = if is(text, "*** Begin Patch") { Preamble::Seen } else { Preamble::Missing };
        }
        if let Some((path, marker)) = header(line) {
            let section = Section::new(Arc::new(path.clone()));
            out.header(path);
            self.section = marker.filter(|_| self.preamble == Preamble::Seen).map(|marker| (section, marker));
        } else if is(text, "*** End Patch") {
            self.section = None;
        } else if let Some((section, marker)) = &mut self.section
            && let Some(row) = unmarked(line, *marker).filter(|row| is_added(row))
        {
            out.row(section);
            out.units(section, &row[1..]);
        }
    }

    fn row_at(&self, line: &[u16]) -> Option<usize> {
        let (_, marker) = self.section.as_ref()?;
        unmarked(line, *marker).filter(|row| surely_added(row)).map(|_| marker + 1)
    }

    fn begin_row(&mut self, out: &mut Sections) {
        if let Some((section, _)) = &mut self.section {
            out.row(section);
        }
    }

    fn add_to_row(&mut self, units: &[u16], out: &mut Sections) {
        if let Some((section, _)) = &mut self.section {
            out.units(section, units);
        }
    }
}

/// The line without the plus that each line of an added file carries.
fn unmarked(line: &[u16], marker: usize) -> Option<&[u16]> {
    if marker == 0 { Some(line) } else { after(line, "+") }
}

/// The path of a file header, and how many marker units its lines carry; none for deleted files.
fn header(line: &[u16]) -> Option<(JsString, Option<usize>)> {
    let headers = [("*** Update File:", Some(0)), ("*** Add File:", Some(1)), ("*** Delete File:", None)];
    let (path, marker) = headers.into_iter().find_map(|(mark, kind)| Some((after(line, mark)?, kind)))?;
    let path = trimmed(path);
    (!path.is_empty()).then(|| (to_string(path), marker))
}

/// Whether the line opens a here-document: `<<EOF`, `cat <<'EOF'`.
fn is_here_document(text: &[u16]) -> bool {
    let text = after(text, "cat").map_or(text, trimmed);
    let Some(word) = after(text, "<<") else {
        return false;
    };
    let is_quote = |unit: &&u16| [b'\'', b'"', b'-'].map(u16::from).contains(*unit);
    let word: Vec<u16> = word.iter().filter(|unit| !is_quote(unit)).copied().collect();
    let is_word = |unit: &u16| u8::try_from(*unit).is_ok_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    !word.is_empty() && trimmed(&word).iter().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn here_documents_are_told_from_prose() {
        let read = |line: &str| is_here_document(&line.encode_utf16().collect::<Vec<_>>());
        for line in ["<<EOF", "cat <<'EOF'", "<<\"PATCH\"", "<<-EOF"] {
            assert!(read(line), "{line}");
        }
        for line in ["```diff", "cat", "<<", "Here is a patch:", "<< a b"] {
            assert!(!read(line), "{line}");
        }
    }
}
