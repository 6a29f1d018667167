//! `{"handoff": {…}}` in a script of `ttsr replay`: the command between prompts, in the run's own process.

use ttsr::text::json::{self, Value};

use super::{DOCUMENT, Desk, SOURCE, at};
use crate::support::program::{Outcome, ttsr};

const RULE: &str = "---\ndescription: d\ncondition: 'foo'\nttsr_trigger: 'foo'\ninterruptMode: always\n---\nNo foo.\n";

/// A script run with the prompts `One` and `Two`, the rule above and a full trace; it writes `out.jsonl`.
fn play(desk: &Desk, script: &str, arguments: &[&str]) -> (Outcome, Vec<Value>) {
    let (script, rule) = (desk.write("script.json", script), desk.write("no-foo.md", RULE));
    let out = desk.path("out.jsonl").to_string_lossy().into_owned();
    let fixed = ["replay", "--script", &script, "--prompt", "One", "--prompt", "Two", "--rules", &rule];
    let forms = ["--write-session", &out, "--trace", "full", "--format", "jsonl", "--cwd", "/srv/app"];
    let outcome = ttsr([&fixed[..], &forms, arguments].concat());
    let lines = outcome.out.lines().map(|line| json::parse(line).expect("a line")).collect();
    (outcome, lines)
}

fn states(lines: &[Value]) -> String {
    let lines = lines.iter().filter(|line| at(line, "kind") == "state");
    lines.map(|line| at(line, "to")).collect::<Vec<_>>().join(" ")
}

/// What the entries of a session say, in short.
fn said(desk: &Desk, name: &str) -> Vec<String> {
    let short = |record: &Value| match at(record, "type").as_str() {
        "message" => format!("{}: {}", at(record, "message.role"), at(record, "message.content.0.text")),
        "custom_message" => format!("custom: {}", at(record, "customType")),
        other => other.to_owned(),
    };
    let said = desk.records(name).iter().map(short).collect::<Vec<_>>();
    said.into_iter().map(|line| line.lines().next().unwrap_or_default().to_owned()).collect()
}

/// A written session loads without findings, and replays as it says.
fn sound(desk: &Desk, name: &str) {
    let path = desk.path(name).to_string_lossy().into_owned();
    let rule = desk.path("no-foo.md").to_string_lossy().into_owned();
    let inspected = ttsr(["inspect-session", &path, "--fail-on", "warning"]);
    assert_eq!(inspected.status, 0, "{name}: {inspected:?}");
    let verified = ttsr(["replay", &path, "--rules", &rule, "--verify"]);
    assert_eq!(verified.status, 0, "{name}: {verified:?}");
}

const REQUEST: &str = "user: Write a handoff document about this session: everything that is needed to continue the work elsewhere without this transcript. Do not call tools. Answer with the document alone: no greeting, no remark before or behind it, no fence around it.";

#[test]
fn the_exchange_stays_and_the_new_session_follows() {
    let script = r#"[[{"text":"one"}],{"handoff":{"focus":"the parser"}},[{"text":"the document"}],[{"text":"two"}]]"#;
    let desk = Desk::new(SOURCE);
    let (outcome, lines) = play(&desk, script, &[]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    assert_eq!(
        states(&lines),
        "GUARD GENERATING FLUSH_OLD NEW_SESSION RESET_AGENT REBIND_SESSION CLEAR_QUEUES RESET_REMINDERS INJECT REBUILD DONE"
    );
    let old = ["session", "user: One", "assistant: one", REQUEST, "assistant: the document"];
    assert_eq!(said(&desk, "out.1.jsonl"), old);
    assert_eq!(said(&desk, "out.jsonl"), ["session", "custom: handoff", "user: Two", "assistant: two"]);
    let request = at(&desk.records("out.1.jsonl")[3], "message.content.0.text");
    assert!(request.ends_with("\nAdditional focus: the parser"), "{request}");
    let new = desk.records("out.jsonl");
    assert!(at(&new[1], "content").starts_with("<handoff-context>\nthe document\n</handoff-context>\n"));
    assert_eq!((at(&new[0], "cwd").as_str(), at(&new[1], "parentId").as_str()), ("/srv/app", "null"));
    assert_eq!(at(&new[2], "parentId"), at(&new[1], "id"));
    assert_eq!(at(lines.last().expect("a summary"), "messages.ended"), "3");
    sound(&desk, "out.jsonl");
    sound(&desk, "out.1.jsonl");
}

#[test]
fn every_pipeline_takes_a_document_or_the_next_reply() {
    let document = Value::from(DOCUMENT).to_json();
    let given = format!(r#"{{"handoff":{{"pipeline":"PIPELINE","document":{document}}}}}"#);
    let asked = format!(r#"{{"handoff":{{"pipeline":"PIPELINE"}}}},[{{"text":{document}}}]"#);
    for pipeline in ["g1", "g2", "g3", "g4", "g5"] {
        for form in [&given, &asked] {
            let handoff = form.replace("PIPELINE", pipeline);
            let script = format!(
                r#"[[{{"tool":"read","args":{{"path":"a"}}}}],[{{"text":"one"}}],{handoff},[{{"text":"two"}}]]"#
            );
            let desk = Desk::new(SOURCE);
            let (outcome, lines) = play(&desk, &script, &[]);
            assert_eq!(outcome.status, 0, "{pipeline}: {outcome:?}");
            assert!(!outcome.err.contains("TTSR3") && !outcome.err.contains("TTSR409"), "{pipeline}: {outcome:?}");
            assert!(states(&lines).starts_with("GUARD GENERATING ") && states(&lines).ends_with(" DONE"), "{pipeline}");
            let after = said(&desk, "out.jsonl");
            assert_eq!(after[after.len() - 2..], ["user: Two", "assistant: two"]);
            let handed_off = said(&desk, "out.1.jsonl");
            let exchange = handed_off.iter().filter(|line| line.ends_with(": ## Goal")).count();
            match pipeline {
                "g5" => {
                    assert!(after.contains(&"compaction".to_owned()) && handed_off.is_empty(), "{after:?}");
                    assert_eq!(after[1], "user: One");
                }
                "g4" => assert_eq!((after[2].as_str(), exchange), ("custom: handoff", 0), "{after:?}"),
                _ => assert_eq!((after[1].as_str(), exchange), ("custom: handoff", 1), "{after:?}"),
            }
            sound(&desk, "out.jsonl");
        }
    }
}

#[test]
fn rules_act_on_the_answer_and_stay_spent_in_the_process() {
    let script = r#"[[{"text":"one"}],{"handoff":{}},[{"text":"a foo "},{"text":"and more"}],[{"text":"the document"}],[{"text":"more foo"}]]"#;
    let desk = Desk::new(SOURCE);
    let events = desk.path("events.jsonl").to_string_lossy().into_owned();
    let (outcome, lines) = play(&desk, script, &["--emit-events", &events]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let old = said(&desk, "out.1.jsonl");
    assert_eq!(
        old[4..],
        ["assistant: a foo ", "custom: ttsr-injection", "ttsr_injection", "assistant: the document"],
        "{old:?}"
    );
    assert!(at(&desk.records("out.jsonl")[1], "content").starts_with("<handoff-context>\nthe document\n"));
    let triggers = |lines: &[Value]| lines.iter().filter(|line| at(line, "kind") == "trigger").count();
    assert_eq!(triggers(&lines), 1, "the rule is spent");
    // The stream tells the same story.
    let rule = desk.path("no-foo.md").to_string_lossy().into_owned();
    let replayed = ttsr(["replay", &events, "--rules", &rule, "--format", "jsonl", "--verify"]);
    assert_eq!(replayed.status, 0, "{replayed:?}");
    let again: Vec<Value> = replayed.out.lines().map(|line| json::parse(line).expect("a line")).collect();
    assert_eq!(triggers(&again), 1);
    sound(&desk, "out.1.jsonl");
}

#[test]
fn what_is_not_done_leaves_the_session_open() {
    for (script, why, path) in [
        (r#"[{"handoff":{}},[{"text":"one"}],[{"text":"two"}]]"#, "Nothing to hand off", "WARNED"),
        (r#"[{"handoff":{"document":"d"}},[{"text":"one"}],[{"text":"two"}]]"#, "Nothing to hand off", "WARNED"),
        (
            r#"[[{"text":"one"}],{"handoff":{}},{"parts":[{"text":"abcdefgh","chunk":2}],"delayMs":10,"abortHandoffAfterMs":15},[{"text":"two"}]]"#,
            "Handoff cancelled",
            "GUARD GENERATING CANCELLED",
        ),
        (
            r#"[[{"text":"one"}],{"handoff":{"pipeline":"g4"}},{"parts":[{"text":"abcdefgh","chunk":2}],"delayMs":10,"userInterruptAfterMs":15},[{"text":"two"}]]"#,
            "Handoff aborted by session",
            "GUARD GENERATING CANCELLED",
        ),
        (
            r#"[[{"text":"one"}],{"handoff":{"pipeline":"g4"}},{"status":400,"error":"no"},[{"text":"two"}]]"#,
            "Handoff failed: Handoff generation failed: 400 no",
            "GUARD GENERATING FAILED",
        ),
        (
            r#"[[{"text":"one"}],{"handoff":{}},{"error":{"name":"AbortError","message":"stopped"}},[{"text":"two"}]]"#,
            "Handoff cancelled",
            "GUARD GENERATING CANCELLED",
        ),
        (
            r#"[[{"text":"one"}],{"handoff":{"pipeline":"g2"}},[{"thinking":"t"}],[{"text":"two"}]]"#,
            "Handoff cancelled",
            "GUARD GENERATING CANCELLED",
        ),
    ] {
        let desk = Desk::new(SOURCE);
        let (outcome, lines) = play(&desk, script, &[]);
        assert_eq!(outcome.status, 0, "{outcome:?}");
        // On standard error lines are broken to fit.
        let err = outcome.err.replace('│', "").split_whitespace().collect::<Vec<_>>().join(" ");
        let told = format!("handoff not done: {why}");
        assert!(err.contains("TTSR409") && err.contains(&told), "{script}: {outcome:?}");
        assert_eq!(states(&lines), path, "{script}");
        assert!(!desk.path("out.1.jsonl").exists());
        let kept = said(&desk, "out.jsonl");
        assert_eq!(kept[..2], ["session", "user: One"]);
        assert_eq!(kept[2], "assistant: one");
        assert_eq!(kept[kept.len() - 2..], ["user: Two", "assistant: two"]);
    }
}

#[test]
fn tries_of_a_side_request_take_a_reply_each() {
    let script = r#"[[{"text":"one"}],{"handoff":{"pipeline":"g4"}},{"status":529,"error":"overloaded"},[{"text":"the document"}],[{"text":"two"}]]"#;
    let desk = Desk::new(SOURCE);
    let (outcome, lines) = play(&desk, script, &[]);
    assert!(outcome.status == 0 && states(&lines).ends_with(" DONE"), "{outcome:?}");
    let after = said(&desk, "out.jsonl");
    assert_eq!(after[after.len() - 3..], ["custom: handoff", "user: Two", "assistant: two"]);
}

#[test]
fn several_handoffs_make_a_file_each_and_none_needs_one() {
    let script =
        r#"[[{"text":"one"}],{"handoff":{"document":"first"}},[{"text":"two"}],{"handoff":{"document":"second"}}]"#;
    let desk = Desk::new(SOURCE);
    let (outcome, _) = play(&desk, script, &[]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    assert_eq!(said(&desk, "out.2.jsonl")[..3], ["session", "custom: handoff", "user: Two"]);
    assert_eq!(said(&desk, "out.jsonl"), ["session", "custom: handoff"]);
    assert!(at(&desk.records("out.jsonl")[1], "content").contains("\nsecond\n"));
    // Without a file to write, and on a session that is gone on with.
    let (old, script) = (desk.path("old.jsonl"), r#"[{"handoff":{"document":"first"}},[{"text":"two"}]]"#);
    let script = desk.write("resumed.json", script);
    let old = old.to_string_lossy().into_owned();
    let rule = desk.path("no-foo.md").to_string_lossy().into_owned();
    let before = desk.files();
    let resumed = ttsr([
        "replay", "--script", &script, "--prompt", "Two", "--rules", &rule, "--resume", &old, "--trace", "full",
        "--format", "jsonl",
    ]);
    assert_eq!(resumed.status, 0, "{resumed:?}");
    assert!(resumed.out.contains(r#""to":"DONE""#), "{resumed:?}");
    assert_eq!(desk.files(), before);
}

#[test]
fn a_handoff_that_cannot_be_is_said() {
    for (script, why) in [
        (r#"[{"handoff":{"pipeline":"g9"}}]"#, "`pipeline` is one of"),
        (r#"[{"handoff":{},"parts":[{"text":"a"}]}]"#, "`handoff` stands alone"),
        (r#"[{"handoff":1}]"#, "an object should stand here"),
        (r#"[{"handoff":{"document":1}}]"#, "`document` is a text"),
    ] {
        let (outcome, _) = play(&Desk::new(SOURCE), script, &[]);
        assert!(outcome.status == 3 && outcome.err.contains(why), "{script}: {outcome:?}");
    }
    // In the middle of a turn the agent is not idle: the turn ends there, and that is said.
    let script = r#"[[{"tool":"read","args":{"path":"a"}}],{"handoff":{"document":"d"}},[{"text":"two"}]]"#;
    let (outcome, lines) = play(&Desk::new(SOURCE), script, &[]);
    assert!(outcome.err.contains("TTSR304") && states(&lines).ends_with(" DONE"), "{outcome:?}");
    let desk = Desk::new(SOURCE);
    let refused = desk.scripted(r#"[{"handoff":{"document":"d"}}]"#, &[]);
    assert!(refused.status == 3 && refused.err.contains("within this one"), "{refused:?}");
}

#[test]
fn the_new_session_is_what_a_retry_is_given() {
    let script = r#"[[{"text":"one"}],HANDOFF,[{"text":"a foo "},{"text":"and more"}],[{"text":"two"}]]"#;
    for (mode, pipeline, expected) in [
        ("discard", "g1", "custom user custom"),
        ("keep", "g1", "custom user assistant custom"),
        ("discard", "g4", "custom user custom"),
        ("keep", "g4", "custom user assistant custom"),
    ] {
        let handoff = format!(r#"{{"handoff":{{"pipeline":"{pipeline}","document":"d"}}}}"#);
        let desk = Desk::new(SOURCE);
        let setting = format!("ttsr.contextMode={mode}");
        let (outcome, lines) = play(&desk, &script.replace("HANDOFF", &handoff), &["--set", &setting]);
        assert_eq!(outcome.status, 0, "{outcome:?}");
        let context = lines.iter().rfind(|line| at(line, "kind") == "context").expect("a context");
        let entries = context.get("entries").and_then(Value::as_array).expect("entries");
        let roles: Vec<String> = entries.iter().map(|entry| at(entry, "role")).collect();
        assert_eq!(roles.join(" "), expected, "{mode} {pipeline}");
        let records = desk.records("out.jsonl");
        let document = records.iter().find(|one| at(one, "customType") == "handoff").expect("the document");
        assert_eq!(at(&entries[0], "entry"), at(document, "id"));
        sound(&desk, "out.jsonl");
    }
}

#[test]
fn every_generation_of_the_rules_can_be_handed_off() {
    let script =
        r#"[[{"text":"a foo "},{"text":"and more"}],[{"text":"one"}],{"handoff":{"document":"d"}},[{"text":"two"}]]"#;
    for lifecycle in ["v1", "v2", "v3", "v4"] {
        let desk = Desk::new(SOURCE);
        let (outcome, lines) = play(&desk, script, &["--lifecycle", lifecycle]);
        assert!(outcome.status == 0 && states(&lines).ends_with(" DONE"), "{lifecycle}: {outcome:?}");
        assert_eq!(lines.iter().filter(|line| at(line, "kind") == "trigger").count(), 1, "{lifecycle}");
        assert_eq!(said(&desk, "out.jsonl"), ["session", "custom: handoff", "user: Two", "assistant: two"]);
    }
}
