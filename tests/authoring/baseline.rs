//! `--baseline`, `--baseline-set`: what an edit of rules or settings changes.

use std::fs;

use ttsr::text::json::{self, Value};

use super::{path, rules, text};
use crate::support::program::{Outcome, ttsr};
use crate::support::project;

/// A stream of one prompt with these answers.
fn stream(answers: &[&str]) -> String {
    let mut lines = vec![
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/project"}"#.to_owned(),
    ];
    let mut parent = "null".to_owned();
    let mut add = |id: String, message: String| {
        lines.push(format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-01-01T00:00:01.000Z","message":{message}}}"#
        ));
        parent = format!("\"{id}\"");
    };
    for (at, answer) in answers.iter().enumerate() {
        let user = r#"{"role":"user","content":[{"type":"text","text":"go"}],"timestamp":1}"#;
        add(format!("u{at}"), user.to_owned());
        let answer = Value::from(*answer).to_json().to_string();
        add(
            format!("a{at}"),
            format!(
                r#"{{"role":"assistant","content":[{{"type":"text","text":{answer}}}],"stopReason":"stop","timestamp":2}}"#
            ),
        );
    }
    lines.join("\n") + "\n"
}

fn compare(old: &[(&str, &str)], new: &[(&str, &str)], answers: &[&str], more: &[&str]) -> Outcome {
    let (old, new) = (rules(old), rules(new));
    let file = new.path().join("session.jsonl");
    fs::write(&file, stream(answers)).expect("written");
    let fixed = ["replay", path(&file), "--rules", path(new.path()), "--baseline", path(old.path())];
    ttsr(fixed.iter().chain(more))
}

#[test]
fn decisions_are_gained_lost_and_moved() {
    let old = [("a", "condition: foo"), ("b", "condition: bar"), ("same", "condition: same")];
    let new = [("a", "condition: 'foo\\w'"), ("c", "condition: baz"), ("same", "condition: same")];
    let answers = ["a foo here and foot", "a bar", "a baz", "same"];
    let outcome = compare(&old, &new, &answers, &["--on-trigger", "observe", "--format", "json"]);
    assert_eq!(outcome.status, 1, "{}", outcome.err);
    let document = json::parse(&outcome.out).expect("JSON");
    assert_eq!(text(&document, "schema"), "ttsr.change/1");
    let input = &document.get("inputs").and_then(Value::as_array).expect("inputs")[0];
    let changes = input.get("changes").and_then(Value::as_array).expect("changes");
    let words: Vec<String> = changes
        .iter()
        .map(|change| format!("{} {} {}", text(change, "change"), text(change, "rule"), text(change, "after.excerpt")))
        .collect();
    assert_eq!(words, ["moved a a foo here and foot", "lost b ", "gained c a baz"], "{}", outcome.out);
    let summary = document.get("summary").expect("a summary");
    assert_eq!(summary.get("unchanged").and_then(Value::as_f64), Some(1.0));
    let human = compare(&old, &new, &answers, &["--on-trigger", "observe"]);
    assert_eq!(human.status, 1);
    assert!(human.out.contains("1 gained, 1 lost, 1 moved, 1 unchanged; 1 of 1 input changed"), "{}", human.out);
    let lines = compare(&old, &new, &answers, &["--on-trigger", "observe", "--format", "jsonl"]);
    let kinds: Vec<String> = lines.out.lines().map(|line| text(&json::parse(line).expect("JSON"), "kind")).collect();
    assert_eq!(kinds, ["change", "change", "change", "summary"]);
}

#[test]
fn where_nothing_changes_that_is_said() {
    let same = [("a", "condition: foo")];
    let outcome = compare(&same, &same, &["foo", "foo"], &[]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert_eq!(outcome.out, "Nothing changes in 1 input: the same 1 decision.\n");
    let silent = compare(&same, &same, &["bar"], &[]);
    assert_eq!(silent.out, "Nothing changes in 1 input: no rule fires before or now.\n");
}

#[test]
fn settings_are_compared_too() {
    let folder = rules(&[("a", "condition: foo")]);
    let file = folder.path().join("session.jsonl");
    fs::write(&file, stream(&["foo", "foo", "foo"])).expect("written");
    let fixed = ["replay", path(&file), "--rules", path(folder.path()), "--baseline-set", "ttsr.enabled=false"];
    let outcome = ttsr(fixed.iter().chain(&["--on-trigger", "observe"]));
    assert_eq!(outcome.status, 1, "{}", outcome.err);
    assert!(outcome.out.contains("1 gained, 0 lost, 0 moved"), "{}", outcome.out);
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let old = rules(&[("no-unwrap", "condition: zzz")]);
    let input = project("testdata/demo/session.jsonl");
    let run = |jobs: &str| {
        let rules = project("testdata/demo/rules");
        let fixed = [
            "replay",
            path(&input),
            path(&input),
            "--rules",
            path(&rules),
            "--baseline",
            path(old.path()),
            "--jobs",
            jobs,
        ];
        ttsr(fixed)
    };
    let (one, two) = (run("1"), run("2"));
    assert_eq!(one.status, 1, "{}", one.err);
    assert_eq!((one.out, one.err), (two.out, two.err));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    for more in [
        &["--baseline", "a", "--verify"][..],
        &["--baseline", "a", "--explain"],
        &["--baseline-set", "x=1", "--write-session", "out.jsonl"],
        &["--baseline", "a", "--lifecycle", "v2,v3"],
    ] {
        let fixed = ["replay", "--text", "a"];
        assert_eq!(ttsr(fixed.iter().chain(more)).status, 2, "{more:?}");
    }
    assert_eq!(ttsr(["replay", "-", "--baseline-set", "ttsr.enabled=false"]).status, 2);
}
