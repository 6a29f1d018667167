//! What an edit call that offers no entry shows in the generation that takes it for an empty text and not for raw text
//! (engine.md E11 G11, G12).

use super::lines::is_added;
use crate::text::JsString;
use crate::tool::edit_mode::EditMode;

const LINE_FEED: u16 = 0x0A;

/// Nothing or, for a patch that only adds files, all its added lines. `input` is that of the call, `mode` the edit mode
/// where it is known.
pub(crate) fn digest(input: &JsString, mode: Option<EditMode>) -> Option<JsString> {
    if matches!(mode, Some(EditMode::Replace | EditMode::Patch | EditMode::Sloppy)) {
        return None;
    }
    let is_patch = match mode {
        Some(mode) => mode == EditMode::ApplyPatch,
        None => input.trim().starts_with("*** Begin Patch"),
    };
    if is_patch && !input.contains("*** Update File:") {
        return Some(added_lines(input));
    }
    (is_patch || !input.contains("<SM:")).then(JsString::new)
}

fn added_lines(input: &JsString) -> JsString {
    let lines = input.units().split(|&unit| unit == LINE_FEED).filter(|line| is_added(line)).map(|line| &line[1..]);
    JsString::from_units(lines.collect::<Vec<_>>().join(&LINE_FEED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_that_only_adds_files_shows_its_added_lines() {
        let shown = |input: &str, mode| digest(&input.into(), mode).map(|text| text.to_string_lossy());
        let add = "*** Begin Patch\n*** Add File: a.ts\n+x\n+++ b\n++y";
        assert_eq!(shown(add, None).as_deref(), Some("x\n+y"));
        assert_eq!(shown(add, Some(EditMode::Hashline)).as_deref(), Some(""));
        assert_eq!(shown(add, Some(EditMode::Patch)), None);
        assert_eq!(shown(&format!("{add}\n*** Update File: b.ts"), None).as_deref(), Some(""));
        assert_eq!(shown("[a.ts]\n+", None).as_deref(), Some(""));
        assert_eq!(shown("<SM:EDIT", None), None);
    }
}
