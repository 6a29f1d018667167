//! `ttsr inspect-session` through the command line.

mod course;
mod forms;
mod made;
mod truth;

use std::fs;

use ttsr::text::json::{self, Value};

use crate::support::program::{surroundings, ttsr, ttsr_with};

const SESSIONS: &str = "testdata/samples/sessions";

fn document(arguments: &[&str]) -> Value {
    let outcome = ttsr(["inspect-session", "--format", "json"].into_iter().chain(arguments.iter().copied()));
    json::parse(outcome.out.trim_end()).unwrap_or_else(|error| panic!("{error}: {}", outcome.err))
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).unwrap_or_default();
    items.iter().filter_map(|item| item.as_string().map(ToString::to_string)).collect()
}

/// cli.md section 4: the documented members.
#[test]
fn the_document_has_the_documented_members() {
    let document = document(&[&format!("{SESSIONS}/v3-ttsr-resumed.jsonl"), "--context"]);
    let members = [
        "schema",
        "file",
        "header",
        "version",
        "migrated",
        "entries",
        "leaf",
        "branch",
        "injected_rules",
        "injections",
        "context",
        "findings",
    ];
    for member in members {
        assert!(document.get(member).is_some(), "no {member}");
    }
    assert_eq!(texts(document.get("injected_rules")), ["no-force-push", "no-any-type"]);
    let injections = document.get("injections").and_then(Value::as_array).expect("a list");
    let kinds: Vec<String> =
        injections.iter().filter_map(|one| Some(one.get("evidence")?.get("kind")?.as_string()?.to_string())).collect();
    assert_eq!(kinds, ["interrupt", "tool-reminder"]);
}

#[test]
fn the_branch_and_the_generation_are_chosen() {
    let file = format!("{SESSIONS}/v3-branched-compaction.jsonl");
    assert_eq!(texts(document(&[&file]).get("injected_rules")), ["show-test-run"]);
    assert_eq!(texts(document(&[&file, "--leaf", "d4000008"]).get("injected_rules")), ["no-force-push"]);
    let early = document(&[&file, "--lifecycle", "v1"]);
    assert_eq!(texts(early.get("injected_rules")), Vec::<String>::new());
    assert_eq!(texts(early.get("recorded_rules")), ["show-test-run"]);
    assert_eq!(ttsr(["inspect-session", &file, "--leaf", "nowhere"]).status, 3);
}

#[test]
fn several_files_are_summed_up_and_bad_ones_do_not_stop_the_rest() {
    let outcome = ttsr(["inspect-session", SESSIONS, "testdata/demo/replies.json", "no-such.jsonl", "--each"]);
    assert_eq!(outcome.status, 3, "{}", outcome.err);
    assert!(outcome.out.contains("Refused files") && outcome.out.contains("pi-style.jsonl"));
    for name in ["replies.json", "no-such.jsonl"] {
        assert!(outcome.err.contains(name), "{name} missing in {}", outcome.err);
    }
}

#[test]
fn the_status_follows_the_failing_level() {
    let file = format!("{SESSIONS}/damaged.jsonl");
    let before = fs::read(&file).expect("the sample");
    assert_eq!(ttsr(["inspect-session", &file, "--fail-on", "warning"]).status, 1);
    assert_eq!(ttsr(["inspect-session", &file, "--fail-on", "warning", "--exit-zero"]).status, 0);
    let sarif = ttsr(["inspect-session", &file, "--format", "sarif"]);
    assert!(sarif.out.contains("\"version\":\"2.1.0\"") && sarif.out.contains("TTSR101"), "{}", sarif.out);
    assert_eq!(fs::read(&file).expect("the sample"), before);
}

#[test]
fn tree_context_and_replay_are_shown() {
    let demo = "testdata/demo/session.jsonl";
    let outcome = ttsr([
        "inspect-session",
        demo,
        "--tree",
        "--context",
        "--replay",
        "--rules",
        "testdata/demo/rules",
        "--lifecycle",
        "v3",
    ]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    for part in ["Tree", "← leaf", "Context of the leaf", "2 of 2 recorded decisions are decided again"] {
        assert!(outcome.out.contains(part), "{part} missing in\n{}", outcome.out);
    }
}

#[test]
fn a_rule_that_changed_since_is_shown_as_a_diff() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("no-flake.md"), "---\ncondition: x\n---\nFix it another way.\n").expect("a rule");
    let rules = folder.path().to_str().expect("a path");
    let outcome = ttsr(["inspect-session", "testdata/demo/session.jsonl", "--rules", rules]);
    assert!(
        outcome.out.contains("+Fix it another way.") && outcome.out.contains("-Fix the failure now"),
        "{}",
        outcome.out
    );
}

#[test]
fn standard_input_is_inspected() {
    let bytes = fs::read("testdata/demo/session.jsonl").expect("the demo");
    let outcome = ttsr_with(["inspect-session", "-", "--injections", "--lifecycle", "v3"], &bytes, &surroundings());
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert!(outcome.out.contains("Persisted injections"));
}
