//! Path globs against the verdicts of the reference, and against a slow matcher of our own.

#![expect(clippy::print_stdout, reason = "the runs say how much they compared")]

mod properties;
pub mod reference;

use ttsr::glob::{GlobGate, PathGlob};
use ttsr::text::json::Value;

use crate::support::{js_string, run_vectors, strings};

#[test]
fn glob_vectors() {
    run_vectors("glob", |case| {
        let expected = case.get("match").and_then(Value::as_bool).ok_or("no verdict")?;
        if let (None, Some(glob), Some(path)) = (strings(case, "globs"), utf8(case, "glob"), utf8(case, "path"))
            && reference::matches(&glob, &path) != expected
        {
            return Err(format!("the slow matcher says {}: {}", !expected, case.to_json()));
        }
        let actual = match strings(case, "globs") {
            Some(globs) => GlobGate::new(&globs).allows(&strings(case, "paths").ok_or("no paths")?),
            None => {
                let glob = js_string(case, "glob").ok_or("no glob")?;
                PathGlob::new(&glob).matches(&js_string(case, "path").ok_or("no path")?)
            }
        };
        if actual == expected { Ok(()) } else { Err(format!("said {actual}: {}", case.to_json())) }
    });
}

/// A string without lone surrogates.
fn utf8(case: &Value, name: &str) -> Option<String> {
    js_string(case, name)?.to_utf8()
}
