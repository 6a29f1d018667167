//! Lists of any length are read and linted in time that grows as they do.

use std::fs;
use std::time::{Duration, Instant};

use crate::support::program::ttsr;

/// What an item of a key is: one that gives a finding, where there is such a one.
const ITEMS: [(&str, &str); 9] = [
    ("condition", "src/*#.ts"),
    ("condition", "foo#)"),
    ("scope", "tool:bash(a#.ts)"),
    ("scope", "tool: x#"),
    ("scope", "tool:edit(src/a#.ts)"),
    ("globs", "src/a#.ts"),
    ("globs", "!a#.ts"),
    ("globs", "5#"),
    ("agents", "a#"),
];

/// A list as YAML has it: in quotes on one line, one a line, in one text, in a block.
fn list(form: usize, items: &[String]) -> String {
    match form {
        0 => format!("['{}']", items.join("', '")),
        1 => items.iter().map(|item| format!("\n  - '{item}'")).collect(),
        2 => format!("'{}'", items.join(", ")),
        3 => format!("[{}]", items.join(", ")),
        _ => format!(">-\n{}", items.iter().map(|item| format!("  {item},\n")).collect::<String>()),
    }
}

/// The time of a run over a list of this many items.
fn time(key: &str, item: &str, form: usize, count: usize) -> Duration {
    let items: Vec<String> = (0..count).map(|number| item.replace('#', &number.to_string())).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("r.md");
    let other = if key == "condition" { "note: x" } else { "condition: foo" };
    fs::write(&path, format!("---\n{other}\n{key}: {}\n---\nB\n", list(form, &items))).expect("written");
    let start = Instant::now();
    let outcome = ttsr(["check-rules", path.to_str().expect("UTF-8"), "--format", "json"]);
    assert!(outcome.out.starts_with("{\"schema\":\"ttsr.check/1\""), "{}", outcome.err);
    start.elapsed()
}

#[test]
fn the_time_for_a_list_grows_as_the_list_does() {
    const SMALL: usize = 250;
    const TIMES: usize = 4;
    for (key, item) in ITEMS {
        for form in 0..5 {
            // Four times the items take four times as long, or sixteen times where each looks at all the others. The
            // machine may be busy.
            let is_linear = (0..4).any(|_| {
                let small = time(key, item, form, SMALL);
                let large = time(key, item, form, SMALL * TIMES);
                large.as_secs_f64() <= 9.0 * small.as_secs_f64().max(0.004)
            });
            assert!(is_linear, "{key}: {item} in form {form}");
        }
    }
}
