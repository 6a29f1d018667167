//! `--trace full --format jsonl`: the lines of the host and the states of the handoff (cli.md section 5, handoff.md H6).

use ttsr::text::json::{self, Value};

use super::{DOCUMENT, Desk, SOURCE, at, report, says};
use crate::support::program::ttsr;

/// The trace of `ttsr handoff` and its exit status; the lines are numbered and name the session.
fn trace(desk: &Desk, script: &str, arguments: &[&str]) -> (Vec<Value>, u8) {
    let script = desk.write("script.json", script);
    let (old, new) = (desk.path("old.jsonl"), desk.path("new.jsonl"));
    let (old, new) = (old.to_string_lossy().into_owned(), new.to_string_lossy().into_owned());
    let fixed = ["handoff", &old, "--output", &new, "--script", &script, "--format", "jsonl", "--seed", "7"];
    let outcome = ttsr([&fixed[..], &["--now", "2026-03-14T10:00:00.000Z"], arguments].concat());
    let lines: Vec<Value> = outcome.out.lines().map(|line| json::parse(line).expect("a trace line")).collect();
    for (seq, line) in lines.iter().enumerate() {
        assert_eq!((at(line, "schema").as_str(), at(line, "seq")), ("ttsr.trace/1", seq.to_string()));
        assert_eq!(at(line, "at.input"), old);
    }
    assert_eq!(lines.first().map(|line| at(line, "kind")).as_deref(), Some("run"));
    assert_eq!(lines.last().map(|line| at(line, "kind")).as_deref(), Some("summary"));
    (lines, outcome.status)
}

/// The path of states; each line goes on where the one before ended.
fn states(lines: &[Value]) -> Vec<String> {
    let lines: Vec<&Value> = lines.iter().filter(|line| at(line, "kind") == "state").collect();
    for pair in lines.windows(2) {
        assert_eq!(at(pair[0], "to"), at(pair[1], "from"));
    }
    let first = lines.first().map(|line| at(line, "from"));
    first.into_iter().chain(lines.iter().map(|line| at(line, "to"))).collect()
}

fn kinds(lines: &[Value]) -> Vec<String> {
    lines.iter().map(|line| at(line, "kind")).collect()
}

#[test]
fn every_transition_is_told() {
    let early = "IDLE GUARD GENERATING FLUSH_OLD NEW_SESSION RESET_AGENT REBIND_SESSION CLEAR_QUEUES RESET_REMINDERS INJECT REBUILD DONE";
    for (pipeline, path) in [
        ("g1", early),
        ("g2", early),
        ("g3", early),
        (
            "g4",
            "IDLE GUARD GENERATING FLUSH_OLD NEW_SESSION RESET_AGENT REBIND_SESSION RESET_REMINDERS INJECT REBUILD DONE",
        ),
        ("g5", "IDLE GUARD GENERATING COMMIT_COMPACTION REBUILD DONE"),
    ] {
        let desk = Desk::new(SOURCE);
        let (lines, status) = trace(&desk, &says(DOCUMENT), &["--pipeline", pipeline, "--trace", "full"]);
        assert_eq!((status, states(&lines).join(" ").as_str()), (0, path), "{pipeline}");
        assert!(desk.path("new.jsonl").exists());
    }
}

#[test]
fn every_other_end_is_told() {
    let silent = r#"[[{"thinking":"t"}]]"#;
    let stopped = r#"[{"parts":[{"text":"abcdefghi","chunk":2}],"delayMs":10,"userInterruptAfterMs":15}]"#;
    let cancelled = stopped.replace("userInterruptAfterMs", "abortHandoffAfterMs");
    let failed = r#"[{"error":"no such model"}]"#;
    let path = |end: &str| format!("IDLE GUARD GENERATING {end}");
    for (pipeline, script, end) in [
        ("g1", silent, "CANCELLED"),
        ("g3", silent, "CANCELLED"),
        ("g4", silent, "FAILED"),
        ("g1", failed, "FAILED"),
        ("g5", failed, "FAILED"),
        ("g1", stopped, "CANCELLED"),
        ("g4", stopped, "CANCELLED"),
        ("g2", &cancelled, "CANCELLED"),
        ("g5", &cancelled, "CANCELLED"),
    ] {
        let desk = Desk::new(SOURCE);
        let (lines, status) = trace(&desk, script, &["--pipeline", pipeline, "--trace", "full"]);
        assert_eq!((status, states(&lines).join(" ")), (3, path(end)), "{pipeline} {script}");
        assert_eq!(desk.files(), ["old.jsonl", "script.json"]);
    }
    let one: String = SOURCE.lines().take(2).map(|line| format!("{line}\n")).collect();
    let (lines, _) = trace(&Desk::new(&one), &says(DOCUMENT), &["--trace", "full"]);
    assert_eq!(states(&lines), ["IDLE", "WARNED"]);
    let elsewhere = r#"{"type":"model_change","id":"a0000009","parentId":null,"timestamp":"2026-03-14T09:00:03.000Z"}"#;
    let (lines, _) = trace(&Desk::new(&format!("{SOURCE}{elsewhere}\n")), &says(DOCUMENT), &["--trace", "full"]);
    assert_eq!(states(&lines), ["IDLE", "GUARD", "FAILED"]);
}

const RULE: &str = "---\ndescription: d\ncondition: 'foo'\ninterruptMode: always\n---\nNo foo.\n";

#[test]
fn what_the_rules_do_to_the_reply_stands_between_the_states() {
    let script = r#"[[{"text":"this is foo and more"}],[{"text":"the document"}]]"#;
    let desk = Desk::new(SOURCE);
    let rule = desk.write("no-foo.md", RULE);
    let (lines, status) = trace(&desk, script, &["--rules", &rule, "--trace", "full"]);
    assert_eq!(status, 0);
    let kinds = kinds(&lines);
    let place = |kind: &str| kinds.iter().position(|one| one == kind).unwrap_or_else(|| panic!("{kind}: {kinds:?}"));
    let order = ["run", "rule", "state", "trigger", "abort", "discard", "inject", "persist", "continue", "context"];
    assert!(order.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{kinds:?}");
    for kind in ["emit", "resume-gate"] {
        place(kind);
    }
    let states: Vec<(usize, String)> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| at(line, "kind") == "state")
        .map(|(i, l)| (i, at(l, "to")))
        .collect();
    let at_state = |name: &str| states.iter().find(|(_, to)| to == name).map(|(index, _)| *index).expect("a state");
    assert!(at_state("GENERATING") < place("trigger") && place("context") < at_state("FLUSH_OLD"));
    let summary = lines.last().expect("a summary");
    assert_eq!((at(summary, "triggers").as_str(), at(summary, "persisted").as_str()), ("1", "1"));
    assert_eq!(at(summary, "per_rule.no-foo.triggers"), "1");
    assert_eq!(at(summary, "messages.ended"), "2");
    // What was interrupted is no part of what the retry is given: the session's exchange, the request, the reminder.
    let context = lines.iter().find(|line| at(line, "kind") == "context").expect("a context");
    let roles: Vec<String> = (0..4).map(|index| at(context, &format!("entries.{index}.role"))).collect();
    assert_eq!(roles, ["user", "assistant", "user", "custom"]);
    assert_eq!(at(context, "entries.4"), "(none)");
}

#[test]
fn other_forms_and_the_decisions_alone_show_no_states() {
    let desk = Desk::new(SOURCE);
    let (lines, _) = trace(&desk, &says(DOCUMENT), &[]);
    assert_eq!(kinds(&lines), ["run", "summary"]);
    let of = |arguments: &[&str]| report(&Desk::new(SOURCE).scripted(&says(DOCUMENT), arguments));
    let (plain, full) = (of(&[]), of(&["--trace", "full"]));
    assert_eq!(at(&plain, "document.text"), DOCUMENT);
    assert_eq!(at(&plain, "entry"), at(&full, "entry"));
    assert_eq!(plain.get("warnings"), full.get("warnings"));
}
