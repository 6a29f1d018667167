//! What the tests share: reading vectors, counting verdicts.

pub mod program;

use std::fs;
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

/// Runs every case of the vector file `NAME.jsonl`, prints `NAME: N passed, M failed` and the first failing ids,
/// and fails when any case failed. A file that is not in the folder is reported and skipped.
pub fn run_vectors(name: &str, mut check: impl FnMut(&Value) -> Result<(), String>) {
    let path = vector_file(name);
    let Ok(text) = fs::read_to_string(&path) else {
        println!("{name}: no such file in {}", vectors_dir().display());
        return;
    };
    let (mut passed, mut failures) = (0_usize, Vec::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case = json::parse(line).unwrap_or_else(|error| panic!("{name}: a case is no JSON: {error}"));
        let id = case.get("id").and_then(Value::as_string).map(JsString::to_string_lossy).unwrap_or_default();
        match check(&case) {
            Ok(()) => passed += 1,
            Err(why) => failures.push(format!("{id}: {why}")),
        }
    }
    println!("{name}: {passed} passed, {} failed", failures.len());
    for failure in failures.iter().take(20) {
        println!("  {failure}");
    }
    assert!(failures.is_empty(), "{name}: {} cases failed", failures.len());
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
