//! Path globs against the verdicts of the reference.

use ttsr::glob::{GlobGate, PathGlob};
use ttsr::text::json::Value;

use crate::support::{js_string, run_vectors, strings};

#[test]
fn glob_vectors() {
    run_vectors("glob", |case| {
        let expected = case.get("match").and_then(Value::as_bool).ok_or("no verdict")?;
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
