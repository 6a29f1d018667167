//! `--all-branches`: every branch of a session is a run that names its last entry.

use std::fs;

use super::{of_kind, path, rules, text};
use crate::support::program::ttsr;

/// A session whose second branch hangs on the prompt.
const SESSION: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/project"}
{"type":"message","id":"u1","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"go"}],"timestamp":1}}
{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"a foo"}],"stopReason":"stop","timestamp":2}}
{"type":"message","id":"a2","parentId":"u1","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"assistant","content":[{"type":"text","text":"a bar"}],"stopReason":"stop","timestamp":3}}
"#;

#[test]
fn each_branch_is_a_run_and_named() {
    let folder = rules(&[("foo", "condition: foo"), ("bar", "condition: bar")]);
    let file = folder.path().join("s.jsonl");
    fs::write(&file, SESSION).expect("written");
    let run = |more: &[&str]| {
        let fixed = ["replay", path(&file), "--rules", path(folder.path()), "--format", "jsonl"];
        ttsr(fixed.iter().chain(more))
    };
    let own = run(&[]);
    assert_eq!(of_kind(&own, "run").len(), 1);
    let all = run(&["--all-branches"]);
    assert_eq!(all.status, 0, "{}", all.err);
    let names: Vec<String> = of_kind(&all, "run").iter().map(|line| text(line, "input")).collect();
    let name = path(&file);
    assert_eq!(names, [format!("{name} (branch a1)"), format!("{name} (branch a2, the leaf)")]);
    let fired: Vec<String> = of_kind(&all, "trigger").iter().map(|line| text(line, "at.input")).collect();
    assert_eq!(fired, names);
    assert_eq!(run(&["--all-branches", "--jobs", "2"]).out, all.out);
    // A session without branches is what it is.
    let straight = SESSION.lines().take(3).collect::<Vec<_>>().join("\n") + "\n";
    fs::write(&file, straight).expect("written");
    assert_eq!(run(&["--all-branches"]).out, run(&[]).out);
    for more in [&["--leaf", "a1"][..], &["--write-session", "x.jsonl"]] {
        let fixed = ["replay", name, "--all-branches"];
        assert_eq!(ttsr(fixed.iter().chain(more)).status, 2, "{more:?}");
    }
    assert_eq!(ttsr(["replay", "-", "--all-branches"]).status, 2);
}
