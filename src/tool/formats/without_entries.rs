//! What an edit call that offers no entry shows in the generation that takes it for an empty text and not for raw text
//! (engine.md E11 G11, G12).

use std::sync::Arc;

use super::growing::Growing;
use super::lines::{Begins, LineDriver, LineFormat, after, begins_row, is_added};
use super::sections::{Section, Sections};
use crate::text::{JsString, is_js_white_space};
use crate::tool::edit_mode::EditMode;
use crate::tool::inspection::Digest;

const BEGIN_PATCH: &str = "*** Begin Patch";
const UPDATE_FILE: &str = "*** Update File:";
const SLOPPY: &str = "<SM:";

/// Reads what such a call shows while its input grows: nothing or, for a patch that only adds files, all its added
/// lines.
#[derive(Debug)]
pub(crate) struct WithoutEntries {
    driver: LineDriver<AddedLines>,
    out: Sections,
    /// How far was looked for the two texts that decide.
    looked: usize,
    updates: bool,
    is_sloppy: bool,
    /// Whether the added lines were shown last.
    showed_lines: bool,
}

impl Default for WithoutEntries {
    fn default() -> Self {
        Self {
            driver: LineDriver::new(AddedLines::default()),
            out: Sections::default(),
            looked: 0,
            updates: false,
            is_sloppy: false,
            showed_lines: false,
        }
    }
}

impl WithoutEntries {
    /// The input is read anew; what is shown is still compared with what was.
    pub(crate) fn restart(&mut self) {
        self.driver = LineDriver::new(AddedLines::default());
        self.out.restart();
        (self.looked, self.updates, self.is_sloppy) = (0, false, false);
    }

    /// What the input shows: `stable` has only grown since the last restart, `tail` is the rest of an escape that is not
    /// complete. `mode` is the edit mode where it is known.
    pub(crate) fn read(&mut self, stable: &[u16], tail: &[u16], mode: Option<EditMode>) -> Option<Digest<'_>> {
        if matches!(mode, Some(EditMode::Replace | EditMode::Patch | EditMode::Sloppy)) {
            return None;
        }
        if stable.len() < self.looked {
            self.restart();
        }
        // An escape begins with a backslash, so it has no part in any of the texts that are looked for.
        let from = |text: &str| stable.get(self.looked.saturating_sub(text.len() - 1)..).unwrap_or_default();
        self.updates |= contains(from(UPDATE_FILE), UPDATE_FILE);
        self.is_sloppy |= contains(from(SLOPPY), SLOPPY);
        self.looked = stable.len();
        let is_patch = match mode {
            Some(mode) => mode == EditMode::ApplyPatch,
            None => {
                let start = stable.iter().position(|&unit| !is_js_white_space(unit)).unwrap_or(stable.len());
                after(&stable[start..], BEGIN_PATCH).is_some()
            }
        };
        let shows_lines = is_patch && !self.updates;
        let showed_lines = std::mem::replace(&mut self.showed_lines, shows_lines);
        if shows_lines {
            self.out.begin();
            self.driver.read(stable, tail, false, &mut self.out);
            self.out.end();
            let lines = self.out.files().next().map(|file| &file.text);
            let (text, unchanged) = lines.map_or((&[][..], 0), |text| (text.text(), Growing::unchanged(text)));
            return Some(Digest { text, unchanged: if showed_lines { unchanged } else { 0 } });
        }
        (is_patch || !self.is_sloppy).then_some(Digest { text: &[], unchanged: 0 })
    }
}

fn contains(units: &[u16], text: &str) -> bool {
    let Some(&first) = text.as_bytes().first() else { return true };
    let mut places = units.iter().enumerate().filter(|(_, unit)| **unit == u16::from(first));
    places.any(|(at, _)| after(&units[at..], text).is_some())
}

/// The lines that begin with a plus, without it.
#[derive(Clone, Debug)]
struct AddedLines(Section);

impl Default for AddedLines {
    fn default() -> Self {
        Self(Section::new(Arc::new(JsString::new())))
    }
}

impl LineFormat for AddedLines {
    const STRIPS_RETURN: bool = false;

    fn line(&mut self, line: &[u16], out: &mut Sections) {
        if is_added(line) {
            self.begin_row(out);
            self.add_to_row(&line[1..], out);
        }
    }

    fn begins(&self, line: &[u16]) -> Begins {
        begins_row(line)
    }

    fn begin_row(&mut self, out: &mut Sections) {
        out.row(&mut self.0);
    }

    fn add_to_row(&mut self, units: &[u16], out: &mut Sections) {
        out.units(&mut self.0, units);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same in the plainest way.
    fn model(input: &JsString, mode: Option<EditMode>) -> Option<JsString> {
        if matches!(mode, Some(EditMode::Replace | EditMode::Patch | EditMode::Sloppy)) {
            return None;
        }
        let is_patch = match mode {
            Some(mode) => mode == EditMode::ApplyPatch,
            None => input.trim().starts_with(BEGIN_PATCH),
        };
        if is_patch && !input.contains(UPDATE_FILE) {
            let lines = input.units().split(|&unit| unit == 0x0A).filter(|line| is_added(line)).map(|line| &line[1..]);
            return Some(JsString::from_units(lines.collect::<Vec<_>>().join(&0x0A)));
        }
        (is_patch || !input.contains(SLOPPY)).then(JsString::new)
    }

    #[test]
    fn a_patch_that_only_adds_files_shows_its_added_lines() {
        let shown = |input: &str, mode| {
            let input = JsString::from(input);
            let mut reader = WithoutEntries::default();
            let digest = reader.read(input.units(), &[], mode);
            digest.map(|digest| JsString::from_units(digest.text).to_string_lossy())
        };
        let add = "*** Begin Patch\n*** Add File: a.ts\n+x\n+++ b\n++y";
        assert_eq!(shown(add, None).as_deref(), Some("x\n+y"));
        assert_eq!(shown(add, Some(EditMode::Hashline)).as_deref(), Some(""));
        assert_eq!(shown(add, Some(EditMode::Patch)), None);
        assert_eq!(shown(&format!("{add}\n*** Update File: b.ts"), None).as_deref(), Some(""));
        assert_eq!(shown("[a.ts]\n+", None).as_deref(), Some(""));
        assert_eq!(shown("<SM:EDIT", None), None);
    }

    proptest! {
        #[test]
        fn reading_on_equals_reading_at_once(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "*** Begin Patch", "*** Update", " File:", "*** Add File: a", "+", "++", "+++ ", "\n", "\n", "\r", " ",
                "<SM", ":EDIT", "x", "long text", "\u{FEFF}", "*",
            ]), 0..30),
            begins in any::<bool>(),
            tails in prop::collection::vec(prop::sample::select(vec!["", "\\", "\\u00"]), 30),
            mode in prop::sample::select(vec![None, Some(EditMode::ApplyPatch), Some(EditMode::Hashline)]),
        ) {
            let mut reader = WithoutEntries::default();
            let mut stable = JsString::from(if begins { "*** Begin Patch\n" } else { "" });
            let mut before: Vec<u16> = Vec::new();
            for (piece, tail) in pieces.into_iter().zip(tails) {
                stable.push_str(piece);
                let mut whole = stable.clone();
                whole.push_str(tail);
                let tail: Vec<u16> = tail.encode_utf16().collect();
                let digest = reader.read(stable.units(), &tail, mode);
                prop_assert_eq!(digest.map(|digest| JsString::from_units(digest.text)), model(&whole, mode));
                if let Some(Digest { text, unchanged }) = digest {
                    prop_assert!(before.get(..unchanged) == text.get(..unchanged) && unchanged <= text.len());
                    before = text.to_vec();
                }
            }
        }
    }
}
