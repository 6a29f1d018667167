//! The request runs under the host of every run: what rules leave in the old session is what a replay of the same
//! replies leaves (engine.md E7, session.md S5.6).

use ttsr::text::json::{self, Object, Value};

use super::{Desk, SOURCE, at};
use crate::support::program::ttsr;

const INTERRUPTS: &str = "---\ndescription: d\ncondition: 'foo'\ninterruptMode: always\n---\nNo foo.\n";
const DEFERS: &str = "---\ndescription: d\ncondition: 'bar'\ninterruptMode: never\n---\nNo bar.\n";

/// An interrupt behind a call that is complete, then a reply with a deferred reminder, then the document.
const SCRIPT: &str = r#"[
  [{"text":"first"},{"tool":"read","args":{"path":"a"}},{"text":"then foo comes"}],
  [{"text":"some bar here"}],
  [{"text":"the document"}]
]"#;

/// The entries behind the prompt. Ids and times only by presence; which model answered is the session's own.
fn behind_prompt(records: &[Value]) -> Vec<String> {
    let prompt = records.iter().rposition(|one| at(one, "message.role") == "user").expect("a prompt");
    records[prompt + 1..].iter().map(|one| plain(one).to_json()).collect()
}

fn plain(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut plain = Object::new();
            for (key, value) in object.iter() {
                let value = match key.to_string_lossy().as_str() {
                    "id" | "parentId" | "timestamp" | "completedAt" | "api" | "provider" | "model" | "toolCallId" => {
                        "(set)".into()
                    }
                    _ => plain_member(value),
                };
                plain.insert(key.clone(), value);
            }
            Value::Object(plain)
        }
        other => other.clone(),
    }
}

fn plain_member(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        other => plain(other),
    }
}

/// The old session after the handoff, and the trace.
fn handoff(settings: &[&str]) -> (Vec<Value>, Vec<Value>) {
    let desk = Desk::new(SOURCE);
    let files =
        [desk.write("script.json", SCRIPT), desk.write("no-foo.md", INTERRUPTS), desk.write("no-bar.md", DEFERS)];
    let path = |name: &str| desk.path(name).to_string_lossy().into_owned();
    let (old, new, copy) = (path("old.jsonl"), path("new.jsonl"), path("copy.jsonl"));
    let mut arguments = vec!["handoff", &old, "--output", &new, "--write-source", &copy, "--script", &files[0]];
    arguments.extend(["--rules", &files[1], "--rules", &files[2], "--trace", "full", "--format", "jsonl"]);
    arguments.extend(settings);
    let outcome = ttsr(arguments);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let lines = outcome.out.lines().map(|line| json::parse(line).expect("a line")).collect();
    (desk.records("copy.jsonl"), lines)
}

#[test]
fn reminders_and_placeholders_are_those_of_a_replay() {
    let (copy, _) = handoff(&[]);
    let desk = Desk::new(SOURCE);
    let files =
        [desk.write("script.json", SCRIPT), desk.write("no-foo.md", INTERRUPTS), desk.write("no-bar.md", DEFERS)];
    let written = desk.path("written.jsonl").to_string_lossy().into_owned();
    let replayed = ttsr([
        "replay",
        "--script",
        &files[0],
        "--prompt",
        "Go",
        "--rules",
        &files[1],
        "--rules",
        &files[2],
        "--write-session",
        &written,
        "--cwd",
        "/srv/app",
    ]);
    assert_eq!(replayed.status, 0, "{replayed:?}");
    let entries = behind_prompt(&copy);
    assert_eq!(entries, behind_prompt(&desk.records("written.jsonl")));
    let find = |kind: &'static str| {
        copy.iter().filter(move |one| at(one, "customType") == kind || at(one, "message.role") == kind)
    };
    let placeholder = find("toolResult").next().expect("a placeholder");
    assert_eq!(at(placeholder, "message.details.source"), "assistant_stop_aborted");
    assert_ne!(at(placeholder, "message.timestamp"), "(none)");
    let reminders: Vec<[String; 2]> =
        find("ttsr-injection").map(|one| ["attribution", "details.deliveryId"].map(|key| at(one, key))).collect();
    assert_eq!(reminders, [["agent", "(none)"], ["agent", "1"]].map(|pair| pair.map(str::to_owned)));
}

#[test]
fn an_aborted_message_leaves_the_memory_unless_it_is_kept() {
    for (mode, expected) in
        [("discard", "user assistant user custom"), ("keep", "user assistant user assistant toolResult custom")]
    {
        let (copy, lines) = handoff(&["--set", &format!("ttsr.contextMode={mode}")]);
        let context = lines.iter().find(|line| at(line, "kind") == "context").expect("a context");
        let entries = context.get("entries").and_then(Value::as_array).expect("entries");
        let roles: Vec<String> = entries.iter().map(|entry| at(entry, "role")).collect();
        assert_eq!(roles.join(" "), expected, "{mode}");
        assert!(lines.iter().any(|line| at(line, "kind") == mode));
        // The file keeps it in both.
        assert!(copy.iter().any(|one| at(one, "message.stopReason") == "aborted"));
    }
}
