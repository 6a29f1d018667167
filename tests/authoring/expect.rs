//! `--expect`: a stored trace, compared and written.

use std::fs;

use super::{path, rules};
use crate::support::program::{Outcome, ttsr};

fn run(folder: &std::path::Path, text: &str, golden: &std::path::Path, more: &[&str]) -> Outcome {
    let fixed = ["replay", "--text", text, "--rules", path(folder), "--expect", path(golden)];
    ttsr(fixed.iter().chain(more))
}

#[test]
fn a_stored_trace_is_written_compared_and_kept() {
    let folder = rules(&[("r", "condition: foo"), ("s", "condition: bar")]);
    let golden = folder.path().join("golden.jsonl");
    let missing = run(folder.path(), "foo", &golden, &[]);
    assert_eq!(missing.status, 3);
    assert!(
        missing.err.contains("there is no stored trace") && missing.err.contains("--update writes it"),
        "{}",
        missing.err
    );
    let written = run(folder.path(), "foo", &golden, &["--update"]);
    assert_eq!((written.status, written.out.as_str()), (0, ""), "{}", written.err);
    let stored = fs::read_to_string(&golden).expect("a golden");
    assert!(stored.contains("\"kind\":\"trigger\"") && !stored.contains("\"seq\""), "{stored}");
    // Nothing in it names this machine.
    assert!(!stored.contains(path(folder.path())), "{stored}");
    let same = run(folder.path(), "foo", &golden, &[]);
    assert_eq!(same.status, 0, "{}{}", same.out, same.err);
    assert!(same.out.contains(": as expected, "), "{}", same.out);
    let differs = run(folder.path(), "bar", &golden, &[]);
    assert_eq!(differs.status, 1);
    let removed = |line: &str| line.starts_with('-') && line.contains("\"rules\":[\"r\"]");
    let added = |line: &str| line.starts_with('+') && line.contains("\"rules\":[\"s\"]");
    assert!(differs.out.lines().any(removed) && differs.out.lines().any(added), "{}", differs.out);
    assert!(differs.out.lines().any(|line| line.starts_with("@@ ")), "{}", differs.out);
    // The lines around stay as they are, though each has another number.
    assert_eq!(fs::read_to_string(&golden).expect("a golden"), stored, "a comparison writes nothing");
    let replaced = run(folder.path(), "bar", &golden, &["--update"]);
    assert_eq!(replaced.status, 0, "{}", replaced.err);
    assert_ne!(fs::read_to_string(&golden).expect("a golden"), stored);
    assert_eq!(run(folder.path(), "bar", &golden, &[]).status, 0);
    let left = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 3, "no temporary file stays");
}

#[test]
fn a_printed_trace_can_be_expected_and_forms_keep_their_report() {
    let folder = rules(&[("r", "condition: foo")]);
    let golden = folder.path().join("golden.jsonl");
    let fixed = ["replay", "--text", "foo", "--rules", path(folder.path()), "--format", "jsonl"];
    let printed = ttsr(fixed);
    fs::write(&golden, &printed.out).expect("written");
    let same = run(folder.path(), "foo", &golden, &["--format", "jsonl"]);
    assert_eq!((same.status, &same.out), (0, &printed.out), "{}", same.err);
    let differs = run(folder.path(), "fo", &golden, &["--format", "json"]);
    assert_eq!(differs.status, 1);
    assert!(differs.out.starts_with("{\"schema\":\"ttsr.replay/1\""), "{}", differs.out);
    assert!(differs.err.contains("\n-{"), "{}", differs.err);
    let coloured = run(folder.path(), "fo", &golden, &["--color", "always"]);
    assert!(coloured.out.contains("\u{1b}[31;1m-{"), "{:?}", coloured.out);
}

#[test]
fn what_could_not_be_run_is_no_golden() {
    let folder = rules(&[("r", "condition: foo")]);
    let golden = folder.path().join("golden.jsonl");
    let fixed = ["replay", "missing.jsonl", "--rules", path(folder.path()), "--expect", path(&golden), "--update"];
    let outcome = ttsr(fixed);
    assert_eq!(outcome.status, 3);
    assert!(
        !golden.exists() && outcome.err.contains("not written, since not everything could be run"),
        "{}",
        outcome.err
    );
    assert_eq!(ttsr(["replay", "--text", "a", "--update"]).status, 2);
}
