//! Paths of a call's context (engine.md E6.4, E6.5).

use crate::text::JsString;
use crate::text::json::Value;

const SLASH: u16 = b'/' as u16;
const BACKSLASH: u16 = b'\\' as u16;

/// The candidates of one path, in order: as written (trimmed, backslashes as slashes), without a leading `./`,
/// absolute, relative to `cwd` (engine.md E6.5). Repeats are left out; a blank path has none.
pub fn candidates(path: &JsString, cwd: &JsString) -> Vec<JsString> {
    let mut units = path.trim().into_units();
    if units.is_empty() {
        return Vec::new();
    }
    for unit in &mut units {
        if *unit == BACKSLASH {
            *unit = SLASH;
        }
    }
    let written = JsString::from_units(units);
    let mut found = vec![written.clone()];
    let mut add = |candidate: JsString| {
        if !candidate.is_empty() && !found.contains(&candidate) {
            found.push(candidate);
        }
    };
    if written.starts_with("./") {
        add(JsString::from_units(&written.units()[2..]));
    }
    let base = segments(cwd.units());
    let target = if written.starts_with("/") {
        segments(written.units())
    } else {
        fold(base.iter().copied().chain(written.units().split(|unit| *unit == SLASH)))
    };
    add(absolute(&target));
    if let Some(relative) = target.strip_prefix(base.as_slice()) {
        add(JsString::from_units(relative.join(&SLASH)));
    }
    found
}

/// The path-like arguments in key order (engine.md E6.4): strings under a key that is or ends with `path`, strings in
/// lists under a key that is or ends with `paths`; letter case of keys does not count.
pub fn of_argument(key: &JsString, value: &Value) -> Vec<JsString> {
    match value {
        Value::String(text) if ends_with(key, "path") => vec![text.clone()],
        Value::Array(items) if ends_with(key, "paths") => items.iter().filter_map(Value::as_string).cloned().collect(),
        _ => Vec::new(),
    }
}

/// Whether the value of this key can hold paths.
pub(super) fn is_path_key(key: &JsString) -> bool {
    ends_with(key, "path") || ends_with(key, "paths")
}

fn ends_with(key: &JsString, ending: &str) -> bool {
    let Some(from) = key.len().checked_sub(ending.len()) else { return false };
    let lower = |unit: u16| u8::try_from(unit).ok().map(|byte| byte.to_ascii_lowercase());
    key.units()[from..].iter().zip(ending.bytes()).all(|(&unit, byte)| lower(unit) == Some(byte))
}

/// The segments of an absolute path with `.`, `..` and empty ones folded.
fn segments(path: &[u16]) -> Vec<&[u16]> {
    fold(path.split(|unit| *unit == SLASH))
}

fn fold<'a>(parts: impl Iterator<Item = &'a [u16]>) -> Vec<&'a [u16]> {
    const DOT: u16 = b'.' as u16;
    let mut folded: Vec<&[u16]> = Vec::new();
    for part in parts {
        match part {
            [] | [DOT] => {}
            [DOT, DOT] => {
                folded.pop();
            }
            _ => folded.push(part),
        }
    }
    folded
}

fn absolute(segments: &[&[u16]]) -> JsString {
    let mut path = Vec::new();
    for segment in segments {
        path.push(SLASH);
        path.extend_from_slice(segment);
    }
    if path.is_empty() {
        path.push(SLASH);
    }
    JsString::from_units(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: &[&str]) {
        let found = candidates(&path.into(), &"/proj".into());
        assert_eq!(found, expected.iter().map(|&path| JsString::from(path)).collect::<Vec<_>>(), "{path}");
    }

    #[test]
    fn candidates_are_as_written_short_absolute_and_relative() {
        check("./src/a.ts", &["./src/a.ts", "src/a.ts", "/proj/src/a.ts"]);
        check("/proj/src/a.ts", &["/proj/src/a.ts", "src/a.ts"]);
        check("../x.ts", &["../x.ts", "/x.ts"]);
        check("a/../b.ts", &["a/../b.ts", "/proj/b.ts", "b.ts"]);
        check(".", &[".", "/proj"]);
        check(" a.ts ", &["a.ts", "/proj/a.ts"]);
        check("src\\a.ts", &["src/a.ts", "/proj/src/a.ts"]);
        check("~/a.ts", &["~/a.ts", "/proj/~/a.ts"]);
        check("/", &["/"]);
        check("  ", &[]);
    }

    #[test]
    fn only_path_like_arguments_count() {
        let list = Value::Array(vec!["d".into(), Value::from(1_u32)]);
        assert_eq!(of_argument(&"file_path".into(), &"b".into()), [JsString::from("b")]);
        assert_eq!(of_argument(&"Xpath".into(), &"c".into()), [JsString::from("c")]);
        assert_eq!(of_argument(&"paths".into(), &list), [JsString::from("d")]);
        assert!(of_argument(&"filepaths".into(), &"no".into()).is_empty());
        assert!(of_argument(&"path".into(), &list).is_empty());
    }
}
