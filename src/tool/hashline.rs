//! The `hashline` edit format: `[PATH#TAG]` sections whose `+` rows are new text (engine.md E6.2).

use std::sync::Arc;

use super::lines::{LineFormat, after, is_added, surely_added, to_string, trimmed};
use super::sections::{Section, Sections};
use crate::text::JsString;

/// The section that the lines belong to.
#[derive(Clone, Debug, Default)]
pub(super) struct Hashline {
    section: Option<Section>,
}

impl LineFormat for Hashline {
    const STRIPS_RETURN: bool = true;

    fn line(&mut self, line: &[u16], out: &mut Sections) {
        if let Some(path) = header(line) {
            out.header(path.clone());
            self.section = Some(Section::new(Arc::new(path)));
        } else if let Some(section) = self.section.as_mut().filter(|_| is_added(line)) {
            out.row(section);
            out.units(section, &line[1..]);
        }
    }

    fn row_at(&self, line: &[u16]) -> Option<usize> {
        (self.section.is_some() && surely_added(line)).then_some(1)
    }

    fn begin_row(&mut self, out: &mut Sections) {
        if let Some(section) = &mut self.section {
            out.row(section);
        }
    }

    fn add_to_row(&mut self, units: &[u16], out: &mut Sections) {
        if let Some(section) = &mut self.section {
            out.units(section, units);
        }
    }
}

/// The path of a header line. A tag that is not four hexadecimal digits belongs to the path.
pub(super) fn header(line: &[u16]) -> Option<JsString> {
    const OPEN: u16 = b'[' as u16;
    const CLOSE: u16 = b']' as u16;
    const HASH: u16 = b'#' as u16;
    let inner = match trimmed(line) {
        [OPEN, inner @ .., CLOSE] => inner,
        _ => return None,
    };
    let is_hex = |unit: &u16| u8::try_from(*unit).is_ok_and(|byte| byte.is_ascii_hexdigit());
    let path = match inner {
        [path @ .., HASH, a, b, c, d] if [a, b, c, d].into_iter().all(is_hex) => path,
        _ => inner,
    };
    let path = after(path, "*** Update File:").map_or(path, trimmed);
    (!trimmed(path).is_empty()).then(|| to_string(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_lose_their_tag() {
        let read = |line: &str| header(&line.encode_utf16().collect::<Vec<_>>()).map(|path| path.to_string_lossy());
        assert_eq!(read("  [a.ts#A1b2]  ").as_deref(), Some("a.ts"));
        assert_eq!(read("[a.ts#A1B]").as_deref(), Some("a.ts#A1B"));
        assert_eq!(read("[app/[id]/x.ts]").as_deref(), Some("app/[id]/x.ts"));
        assert_eq!(read("[*** Update File: a.ts#A1B2]").as_deref(), Some("a.ts"));
        for line in ["[a.ts#A1B2", "[]", "[#A1B2]", "+[a]", "x [a]"] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
