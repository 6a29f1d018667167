//! A glob and a path, with the slow matcher that shares nothing with the one of the program.

use ttsr::glob::PathGlob;
use ttsr::text::JsString;

use crate::globs::reference::matches;

/// The slow matcher tries every way: it takes small inputs only.
const COMPARED: usize = 24;

/// Two lines: the glob and the path.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (source, path) = text.split_once('\n').unwrap_or((&text, "src/a.ts"));
    // Paths of calls have no other separator when they come to a glob.
    let path = &path.replace('\\', "/");
    let (glob, named) = (PathGlob::new(&source.into()), JsString::from(path.as_str()));
    let (takes, matched) = (glob.takes(&named), glob.matches(&named));
    assert!(takes || !matched, "{source:?} matches but does not take {path:?}");
    if let Some((at, _)) = glob.unpaired_bracket() {
        assert!(at < source.encode_utf16().count(), "a bracket outside of {source:?}");
    }
    if source.len() <= COMPARED && path.len() <= COMPARED {
        assert_eq!(matched, matches(source, path), "{source:?} on {path:?}");
    }
}
