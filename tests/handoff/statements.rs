//! The statements C… of the user's document 004, each by its number (`seed-statements.md`), with `--pipeline g1`.

use std::fs;

use ttsr::audit::{AuditOptions, audit};
use ttsr::generation::{Lifecycle, Pipeline};
use ttsr::handoff::{Event, Machine, State, Step, required_headings};
use ttsr::session::{ReadMode, Session};
use ttsr::settings::Settings;

use super::{DOCUMENT, Desk, SOURCE, SUCCESS, at, context, report, says};
use crate::support::program::ttsr;

/// What the first generation made of a script: folder, report, exit status.
struct Done {
    desk: Desk,
    report: ttsr::text::json::Value,
    status: u8,
    err: String,
}

fn g1(script: &str, arguments: &[&str]) -> Done {
    let desk = Desk::new(SOURCE);
    let copy = desk.path("copy.jsonl").to_string_lossy().into_owned();
    let all = [&["--pipeline", "g1", "--write-source", &copy], arguments].concat();
    let outcome = desk.scripted(script, &all);
    Done { report: report(&outcome), status: outcome.status, err: outcome.err, desk }
}

impl Done {
    fn is(&self, status: &str, reason: &str) {
        assert_eq!((at(&self.report, "status").as_str(), at(&self.report, "reason").as_str()), (status, reason));
        assert_eq!(self.status, if status == "done" { 0 } else { 3 });
        assert_eq!(self.desk.path("new.jsonl").exists(), status == "done");
    }
}

/// Lines of a session of which `messages` are messages on the branch.
fn short(messages: usize) -> String {
    SOURCE.lines().take(1 + messages).map(|line| format!("{line}\n")).collect()
}

#[test]
fn c1_1_the_command_takes_an_optional_focus() {
    g1(&says(DOCUMENT), &[]).is("done", "null");
    g1(&says(DOCUMENT), &["--focus", "the parser"]).is("done", "null");
}

#[test]
fn c1_2_the_first_guard_warns_below_two_messages() {
    for messages in [0, 1] {
        let desk = Desk::new(&short(messages));
        let shown = report(&desk.scripted(&says(DOCUMENT), &[]));
        assert_eq!(at(&shown, "reference"), "Nothing to hand off (no messages yet)");
        assert_eq!(at(&shown, "status"), "refused");
    }
    let mut machine = Machine::new(Pipeline::G1, false);
    assert_eq!(machine.apply(Event::TooFewInFile), Ok(State::Warned));
}

#[test]
fn c1_3_the_second_guard_throws_the_same() {
    let elsewhere = r#"{"type":"model_change","id":"a0000009","parentId":null,"timestamp":"2026-03-14T09:00:03.000Z"}"#;
    let desk = Desk::new(&format!("{SOURCE}{elsewhere}\n"));
    let shown = report(&desk.scripted(&says(DOCUMENT), &[]));
    assert_eq!(at(&shown, "reference"), "Handoff failed: Nothing to hand off (no messages yet)");
}

#[test]
fn c1_4_no_session_is_made_of_an_empty_context() {
    let desk = Desk::new(&short(1));
    assert_eq!(desk.scripted(&says(DOCUMENT), &["--faithful"]).status, 3);
    assert_eq!(desk.files(), ["old.jsonl", "script.json"]);
}

#[test]
fn c2_1_it_works_on_the_current_branch() {
    // The leaf hangs on the first message: one message, whatever else the file holds.
    let side =
        r#"{"type":"model_change","id":"a0000009","parentId":"a0000001","timestamp":"2026-03-14T09:00:03.000Z"}"#;
    let desk = Desk::new(&format!("{SOURCE}{side}\n"));
    let shown = report(&desk.scripted(&says(DOCUMENT), &[]));
    assert_eq!((at(&shown, "status").as_str(), at(&shown, "source.messages").as_str()), ("refused", "1"));
    assert_eq!(at(&shown, "source.leaf"), "a0000009");
}

#[test]
fn c2_2_the_controller_exists_from_the_guard_on() {
    let mut machine = Machine::new(Pipeline::G1, false);
    machine.apply(Event::Begin).expect("begun");
    assert!(!machine.is_generating());
    machine.apply(Event::Passed).expect("passed");
    assert!(machine.is_generating());
}

/// The request in the old session.
fn request(done: &Done) -> String {
    at(&done.desk.records("copy.jsonl")[3], "message.content.0.text")
}

#[test]
fn c2_3_the_request_asks_for_six_sections() {
    let request = request(&g1(&says(DOCUMENT), &[]));
    let sections: Vec<&str> = request.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(
        sections,
        [
            "## Goal",
            "## Constraints & Preferences",
            "## Progress",
            "## Key Decisions",
            "## Critical Context",
            "## Next Steps"
        ]
    );
}

#[test]
fn c2_4_the_focus_is_added() {
    assert!(request(&g1(&says(DOCUMENT), &["--focus", "the parser"])).ends_with("\nAdditional focus: the parser"));
    assert!(!request(&g1(&says(DOCUMENT), &[])).contains("Additional focus"));
}

#[test]
fn c2_5_the_request_goes_out_unexpanded() {
    for focus in ["/new", "{{name}} $1 $ARGUMENTS", "@src/main.rs", "!ls"] {
        assert!(request(&g1(&says(DOCUMENT), &["--focus", focus])).ends_with(&format!("Additional focus: {focus}")));
    }
}

#[test]
fn c3_1_it_waits_for_the_end_of_the_run() {
    // A tool call keeps the agent going; only the last reply is the document.
    let script = r#"[[{"text":"first"},{"tool":"read","args":{"path":"a"}}],[{"text":"the document"}]]"#;
    let done = g1(script, &[]);
    done.is("done", "null");
    assert_eq!(at(&done.report, "document.text"), "the document");
    let roles: Vec<String> =
        done.desk.records("copy.jsonl").iter().skip(3).map(|record| at(record, "message.role")).collect();
    assert_eq!(roles, ["user", "assistant", "toolResult", "assistant"]);
}

#[test]
fn c3_2_text_blocks_are_joined_and_the_rest_ignored() {
    let done = g1(r#"[[{"thinking":"t"},{"text":"a"},{"text":"b"}]]"#, &[]);
    assert_eq!(at(&done.report, "document.text"), "a\nb");
}

#[test]
fn c3_3_the_last_assistant_message_is_taken_for_the_handoff() {
    let done = g1(&says("I would rather not."), &[]);
    done.is("done", "null");
    assert_eq!(at(&done.report, "document.text"), "I would rather not.");
}

#[test]
fn c3_4_sections_are_not_checked() {
    let done = g1(&says("## Goal\nonly this"), &[]);
    done.is("done", "null");
    let missing = required_headings(Pipeline::G1).count() - 1;
    assert_eq!(done.report.get("headings_missing").and_then(|list| list.as_array()).map(<[_]>::len), Some(missing));
}

#[test]
fn c3_5_without_text_blocks_the_document_is_missing() {
    g1(r#"[[{"thinking":"t"}]]"#, &[]).is("cancelled", "no-text");
}

#[test]
fn c3_6_no_text_is_shown_as_cancelled_not_failed() {
    let done = g1(r#"[[{"thinking":"t"}]]"#, &[]);
    assert_eq!(at(&done.report, "reference"), "Handoff cancelled");
    assert!(done.err.contains("Handoff cancelled"));
}

#[test]
fn c3_7_an_aborted_signal_is_cancelled() {
    let script = format!(r#"[{{"parts":[{{"text":"{}"}}],"delayMs":5,"abortHandoffAfterMs":7}}]"#, "x".repeat(40));
    g1(&script, &[]).is("cancelled", "user");
}

#[test]
fn c3_8_the_controller_is_cleared_at_every_end() {
    for ends in [vec![Event::Abort], vec![Event::Error], vec![Event::NoText], vec![Event::Text, Event::Error]] {
        let mut machine = Machine::new(Pipeline::G1, false);
        for event in [Event::Begin, Event::Passed].into_iter().chain(ends) {
            machine.apply(event).expect("an arrow");
        }
        assert!(!machine.is_generating());
    }
}

#[test]
fn c4_1_flush_new_session_reset_rebind() {
    let first = Step::first(Pipeline::G1);
    let steps: Vec<Step> = std::iter::successors(Some(first), |step| step.next(Pipeline::G1)).take(4).collect();
    assert_eq!(steps, [Step::FlushOld, Step::NewSession, Step::ResetAgent, Step::RebindSession]);
}

#[test]
fn c4_2_queues_and_counter_are_cleared() {
    assert_eq!(Step::RebindSession.next(Pipeline::G1), Some(Step::ClearQueues));
    assert_eq!(Step::ClearQueues.next(Pipeline::G1), Some(Step::ResetReminders));
}

#[test]
fn c4_3_a_new_header_without_parent_and_a_root_entry() {
    let done = g1(&says(DOCUMENT), &[]);
    let records = done.desk.records("new.jsonl");
    assert_eq!(records.len(), 2);
    assert_eq!((at(&records[0], "type").as_str(), at(&records[0], "parentSession").as_str()), ("session", "(none)"));
    assert_eq!(at(&records[0], "cwd"), "/srv/app");
    assert_ne!(at(&records[0], "id"), at(&done.desk.records("old.jsonl")[0], "id"));
    assert_eq!(at(&records[1], "parentId"), "null");
}

#[test]
fn c5_1_wrapper_and_closing_sentence() {
    let done = g1(&says(" a\n"), &[]);
    assert_eq!(
        at(&done.desk.records("new.jsonl")[1], "content"),
        "<handoff-context>\n a\n\n</handoff-context>\n\nThe above is a handoff document from a previous session. Use this context to continue the work seamlessly."
    );
}

#[test]
fn c5_2_a_shown_custom_message_of_type_handoff() {
    let entry = g1(&says(DOCUMENT), &[]).desk.records("new.jsonl").remove(1);
    assert_eq!(
        ["type", "customType", "display"].map(|key| at(&entry, key)),
        ["custom_message", "handoff", "true"].map(str::to_owned)
    );
}

#[test]
fn c6_1_the_context_is_rebuilt_and_the_document_returned() {
    let done = g1(&says(DOCUMENT), &[]);
    assert_eq!(at(&done.report, "document.text"), DOCUMENT);
    assert_eq!(Step::Inject.next(Pipeline::G1), Some(Step::Rebuild));
    assert_eq!(Step::Rebuild.next(Pipeline::G1), None);
}

#[test]
fn c6_2_the_new_context_is_the_handoff_alone() {
    let done = g1(&says(DOCUMENT), &[]);
    let path = done.desk.path("new.jsonl");
    let context = context(&path);
    assert_eq!(context.messages.len(), 1);
    assert_eq!(context.messages[0].message.string("customType"), Some("handoff".into()));
    // Nothing is to be found in the file either.
    let session = Session::open(&path, "new.jsonl", ReadMode::Tolerant).expect("a session");
    let (settings, semantics) = (Settings::default(), Lifecycle::V3.semantics());
    let audited = audit(&session, &AuditOptions::new(&settings, &semantics)).expect("a report");
    assert!(audited.findings.is_empty(), "{:?}", audited.findings);
}

#[test]
fn c7_1_the_old_session_keeps_the_exchange_as_messages() {
    let done = g1(&says(DOCUMENT), &[]);
    let records = done.desk.records("copy.jsonl");
    let roles: Vec<String> = records.iter().skip(1).map(|record| at(record, "message.role")).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant"]);
    assert_eq!(at(&records[4], "message.content.0.text"), DOCUMENT);
    assert_eq!(fs::read_to_string(done.desk.path("old.jsonl")).expect("the source"), SOURCE);
}

#[test]
fn c7_2_the_entry_reaches_the_model_as_a_custom_message() {
    let done = g1(&says(DOCUMENT), &[]);
    assert_eq!(context(&done.desk.path("new.jsonl")).messages[0].message.role(), "custom");
}

#[test]
fn c8_1_what_is_shown_of_each_end() {
    let desk = Desk::new(SOURCE);
    let old = desk.path("old.jsonl").to_string_lossy().into_owned();
    let run = |script: &str| {
        let script = desk.write("script.json", script);
        ttsr(["handoff", &old, "--script", &script])
    };
    let done = run(&says(DOCUMENT));
    assert!(done.status == 0 && done.out.starts_with(&format!("{SUCCESS}\n")), "{done:?}");
    let failed = run(r#"[{"error":"no such model"}]"#);
    assert!(failed.status == 3 && failed.err.contains("Handoff failed: no such model"), "{failed:?}");
    let cancelled = run(r#"[[{"thinking":"t"}]]"#);
    assert!(cancelled.status == 3 && cancelled.err.contains("Handoff cancelled"), "{cancelled:?}");
}

#[test]
fn c8_2_an_abort_error_counts_as_cancelled() {
    g1(r#"[{"error":{"name":"AbortError","message":"stopped"}}]"#, &[]).is("cancelled", "abort-error");
    g1(r#"[{"error":"Handoff cancelled"}]"#, &[]).is("cancelled", "abort-error");
}

#[test]
fn c8_3_the_rebuild_comes_before_success() {
    let mut machine = Machine::new(Pipeline::G1, false);
    let (mut state, mut last) = (State::Idle, None);
    for event in [Event::Begin, Event::Passed, Event::Text].into_iter().chain(std::iter::repeat(Event::StepDone)) {
        state = machine.apply(event).expect("an arrow");
        match state {
            State::At(step) => last = Some(step),
            State::Done => break,
            _ => {}
        }
    }
    assert_eq!((state, last), (State::Done, Some(Step::Rebuild)));
}

#[test]
fn c9_1_the_abort_says_handoff_cancelled() {
    let error = ttsr::handoff::GenerationError::Cancelled { reason: None };
    assert_eq!(error.message(), "Handoff cancelled");
}

#[test]
fn c9_2_a_plain_abort_is_another_channel() {
    let script = format!(r#"[{{"parts":[{{"text":"{}"}}],"delayMs":5,"userInterruptAfterMs":7}}]"#, "x".repeat(40));
    let done = g1(&script, &[]);
    done.is("cancelled", "aborted-reply");
    assert_eq!(at(&done.report, "reference"), SUCCESS, "the agent takes the partial text");
}

#[test]
fn c9_3_no_key_cancels_a_handoff() {
    // A later prompt does not either: the reply streams on.
    let script = format!(r#"[{{"parts":[{{"text":"{}"}}],"delayMs":5,"newPromptAfterMs":7}}]"#, "x".repeat(40));
    g1(&script, &[]).is("done", "null");
}

#[test]
fn c9_4_every_other_error_is_failed_with_its_message() {
    for script in [r#"[{"status":401,"error":"no key"}]"#, r#"[{"parts":[{"text":"half"}],"error":"no key"}]"#] {
        let done = g1(script, &["--faithful"]);
        done.is("failed", "provider-error");
        assert!(at(&done.report, "message").starts_with("Handoff failed: "), "{:?}", done.report);
        assert!(at(&done.report, "message").ends_with("no key"));
    }
}

#[test]
fn c10_1_the_path_of_states() {
    let mut machine = Machine::new(Pipeline::G1, false);
    let mut path = vec![machine.state()];
    for event in [Event::Begin, Event::Passed, Event::Text] {
        path.push(machine.apply(event).expect("an arrow"));
    }
    assert_eq!(path, [State::Idle, State::Guard, State::Generating, State::At(Step::FlushOld)]);
    let rest = std::iter::from_fn(|| machine.apply(Event::StepDone).ok()).last();
    assert_eq!(rest, Some(State::Done));
    assert!(!machine.is_generating());
}
