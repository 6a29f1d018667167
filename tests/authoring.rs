//! `replay` as the instrument of rule authors.

mod as_write;
mod baseline;
mod branches;
mod expect;
mod explain;
mod retries;
mod texts;

use std::fs;
use std::path::Path;

use ttsr::text::json::{self, Value};

use crate::support::program::Outcome;

/// A folder of rule files with these names and frontmatters.
fn rules(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, frontmatter) in files {
        let text = format!("---\n{frontmatter}\n---\nBODY\n");
        fs::write(folder.path().join(format!("{name}.md")), text).expect("written");
    }
    folder
}

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The trace lines of a kind that a run printed.
fn of_kind(outcome: &Outcome, kind: &str) -> Vec<Value> {
    let lines = outcome.out.lines().map(|line| json::parse(line).unwrap_or_else(|error| panic!("{line}: {error}")));
    lines.filter(|line| text(line, "kind") == kind).collect()
}

/// The text at a path of keys; empty where there is none.
fn text(value: &Value, keys: &str) -> String {
    let found = keys.split('.').try_fold(value, |value, key| value.get(key));
    found.and_then(Value::as_string).map(|text| text.to_string_lossy()).unwrap_or_default()
}
