//! What the tests share: reading vectors, counting verdicts.

pub mod forms;
pub mod program;

use std::any::Any;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use ttsr::text::JsString;
use ttsr::text::json::{self, Value};

/// The folder of reference verdicts: `TTSR_VECTORS`, else the copies in `testdata`.
pub fn vectors_dir() -> PathBuf {
    std::env::var_os("TTSR_VECTORS").map_or_else(|| project("testdata/vectors"), PathBuf::from)
}

/// The vector file of this name: in the folder that `TTSR_VECTORS` names, else in the copy of either generation.
fn vector_file(name: &str) -> PathBuf {
    let file = format!("{name}.jsonl");
    let newer = project("testdata/vectors-v4").join(&file);
    if std::env::var_os("TTSR_VECTORS").is_none() && newer.exists() { newer } else { vectors_dir().join(file) }
}

/// A path in the project.
pub fn project(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The kinds of vectors that the runners know. `vectors_are_known` refuses a folder with a file of another kind.
const KINDS: [&str; 22] = [
    "ast",
    "buckets",
    "digest",
    "frontmatter",
    "frontmatter-question",
    "glob",
    "handoff-prompt",
    "judged-candidates",
    "judged-outputs",
    "judged-verdicts",
    "lifecycle",
    "lifecycle-judged",
    "lifecycle-repeat",
    "partial-json",
    "regex",
    "regex-lookahead",
    "reminder",
    "reminder-warning",
    "scope",
    "session",
    "settings",
    "stream",
];

/// A folder of verdicts must hold some, in files that some runner reads: else nothing was tested.
#[test]
fn vectors_are_known() {
    let mut found = Vec::new();
    for entry in fs::read_dir(vectors_dir()).expect("a folder of vectors") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.push(path.file_stem().unwrap_or_default().to_string_lossy().into_owned());
        }
    }
    assert!(found.iter().any(|name| KINDS.contains(&name.as_str())), "no vectors in {}", vectors_dir().display());
    let unknown: Vec<&String> = found.iter().filter(|name| !KINDS.contains(&name.as_str())).collect();
    assert!(unknown.is_empty(), "no runner reads these vectors: {unknown:?}");
}

/// The cases of the vector file `NAME.jsonl`, one a line. A file that the folder does not have is reported and has
/// none; one without cases is a failure.
pub fn vector_lines(name: &str) -> Vec<String> {
    assert!(KINDS.contains(&name), "{name} is missing in the list of kinds");
    let path = vector_file(name);
    if !path.exists() {
        println!("{name}: no such file in {}", vectors_dir().display());
        return Vec::new();
    }
    let text = fs::read_to_string(&path).expect("vectors in UTF-8");
    let lines: Vec<String> = text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
    assert!(!lines.is_empty(), "{} holds no case", path.display());
    lines
}

/// Runs every case of the vector file `NAME.jsonl`, prints `NAME: N passed, M failed` and the first failing ids,
/// and fails when any case failed. A case that panics, or is no JSON, has failed like any other.
pub fn run_vectors(name: &str, mut check: impl FnMut(&Value) -> Result<(), String>) {
    let (mut passed, mut failures) = (0_usize, Vec::new());
    let lines = vector_lines(name);
    for (at, line) in lines.iter().enumerate() {
        let case = match json::parse(line) {
            Ok(case) => case,
            Err(error) => {
                failures.push(format!("line {}: no JSON: {error}", at + 1));
                continue;
            }
        };
        let id = case.get("id").and_then(Value::as_string).map(JsString::to_string_lossy).unwrap_or_default();
        let verdict = catch_unwind(AssertUnwindSafe(|| check(&case)));
        match verdict.unwrap_or_else(|payload| Err(format!("panicked: {}", panic_text(payload.as_ref())))) {
            Ok(()) => passed += 1,
            Err(why) => failures.push(format!("{id}: {why}")),
        }
    }
    if lines.is_empty() {
        return;
    }
    println!("{name}: {passed} passed, {} failed", failures.len());
    for failure in failures.iter().take(20) {
        println!("  {failure}");
    }
    assert!(failures.is_empty(), "{name}: {} cases failed", failures.len());
}

/// The message of a panic.
pub fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("no message").to_owned()
}

/// A string in any of the three forms of the vectors: `NAME`, `NAME_units`, `NAME_parts`.
pub fn js_string(case: &Value, name: &str) -> Option<JsString> {
    if let Some(text) = case.get(name).and_then(Value::as_string) {
        return Some(text.clone());
    }
    if let Some(units) = case.get(&format!("{name}_units")).and_then(Value::as_array) {
        let units: Vec<u16> = units.iter().filter_map(Value::as_f64).map(|unit| unit as u16).collect();
        return Some(JsString::from_units(units));
    }
    let parts = case.get(&format!("{name}_parts"))?.as_array()?;
    let mut text = JsString::new();
    for part in parts.iter().filter_map(Value::as_array) {
        let count = part[1].as_f64().unwrap_or(0.0) as usize;
        for _ in 0..count {
            text.push_units(part[0].as_string().map(JsString::units).unwrap_or_default());
        }
    }
    Some(text)
}

/// A list of strings under `name`, if there is a list.
pub fn strings(case: &Value, name: &str) -> Option<Vec<JsString>> {
    Some(case.get(name)?.as_array()?.iter().filter_map(Value::as_string).cloned().collect())
}
