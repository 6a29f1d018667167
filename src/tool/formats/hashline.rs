//! The `hashline` edit format: `[PATH#TAG]` sections whose `+` rows are new text (engine.md E6.2).
//!
//! ```text
//! input   = { line }              lines end with LF or CR LF
//! header  = "[" path [ "#" hex hex hex hex ] "]"       white space around it and around the path does not count
//! path    = without "[" and "]", not empty; a leading "*** Update File:" is no part of it
//! row     = "+" text, but not "+++ "
//! ```
//!
//! Rows belong to the last header. Any other line means nothing, a bracketed line that is no header included: the
//! rows behind `[app/[id]/page.tsx#A1B2]` go to the file before it, and to none when there is no such file.

use std::sync::Arc;

use super::lines::{Begins, LineFormat, after, begins_row, first_solid, is_added, to_string, trimmed};
use super::sections::{Section, Sections};
use crate::text::JsString;

/// The section that the lines belong to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hashline {
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

    fn begins(&self, line: &[u16]) -> Begins {
        match first_solid(line) {
            None | Some(OPEN) => Begins::Open,
            Some(_) if self.section.is_some() => begins_row(line),
            Some(_) => Begins::Nothing,
        }
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

const OPEN: u16 = b'[' as u16;
const CLOSE: u16 = b']' as u16;
const HASH: u16 = b'#' as u16;

/// The path of a header line. A tag that is not four hexadecimal digits belongs to the path.
fn header(line: &[u16]) -> Option<JsString> {
    let inner = match trimmed(line) {
        [OPEN, inner @ .., CLOSE] if !inner.contains(&OPEN) && !inner.contains(&CLOSE) => inner,
        _ => return None,
    };
    let is_hex = |unit: &u16| u8::try_from(*unit).is_ok_and(|byte| byte.is_ascii_hexdigit());
    let path = match inner {
        [path @ .., HASH, a, b, c, d] if [a, b, c, d].into_iter().all(is_hex) => path,
        _ => inner,
    };
    let path = trimmed(path);
    let path = after(path, "*** Update File:").map_or(path, trimmed);
    (!path.is_empty()).then(|| to_string(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_lose_their_tag() {
        let read = |line: &str| header(&line.encode_utf16().collect::<Vec<_>>()).map(|path| path.to_string_lossy());
        assert_eq!(read("  [a.ts#A1b2]  ").as_deref(), Some("a.ts"));
        assert_eq!(read("[a.ts#A1B]").as_deref(), Some("a.ts#A1B"));
        assert_eq!(read("[ a.ts #A1B2]").as_deref(), Some("a.ts"));
        assert_eq!(read("[*** Update File: a.ts#A1B2]").as_deref(), Some("a.ts"));
        for line in
            ["[a.ts#A1B2", "[]", "[ ]", "[#A1B2]", "+[a]", "x [a]", "[a/[id]/x.ts#A1B2]", "[a]b.ts]", "[[x].ts]"]
        {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
