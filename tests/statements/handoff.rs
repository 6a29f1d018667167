//! The statements C… of document 004, by `ttsr handoff --pipeline g1`.

use std::fs;

use ttsr::text::json::{self, Value};

use super::{at, entry};
use crate::handoff::{DOCUMENT, Desk, SOURCE, report, says};
use crate::support::program::ttsr;

const CANCELLED: &str = "Handoff cancelled";
const NOTHING: &str = "Nothing to hand off (no messages yet)";

/// What the pipeline made of a script.
struct Done {
    desk: Desk,
    report: Value,
    status: u8,
}

impl Done {
    fn at(&self, path: &str) -> String {
        at(&self.report, path)
    }

    /// Status, reason and what the agent would have shown; a new session is there only when it is done.
    fn ends(&self, status: &str, reason: &str, shown: &str) {
        let found = ["status", "reason", "reference"].map(|key| self.at(key));
        assert_eq!(found.each_ref().map(String::as_str), [status, reason, shown]);
        assert_eq!(self.status, if status == "done" { 0 } else { 3 });
        assert_eq!(self.desk.path("new.jsonl").exists(), status == "done");
    }

    fn is_done(&self) {
        self.ends("done", "null", "New session started with handoff context");
    }

    /// The entries of the old session with what the pipeline adds to it.
    fn old(&self) -> Vec<Value> {
        self.desk.records("copy.jsonl").into_iter().skip(1).collect()
    }

    /// The request to the model.
    fn request(&self) -> String {
        at(&self.old()[2], "message.content.0.text")
    }
}

fn handoff_of(source: &str, script: &str, arguments: &[&str]) -> Done {
    let desk = Desk::new(source);
    let copy = desk.path("copy.jsonl").to_string_lossy().into_owned();
    let outcome = desk.scripted(script, &[&["--pipeline", "g1", "--write-source", &copy], arguments].concat());
    Done { report: report(&outcome), status: outcome.status, desk }
}

fn handoff(script: &str) -> Done {
    handoff_of(SOURCE, script, &[])
}

fn focused(focus: &str) -> Done {
    handoff_of(SOURCE, &says(DOCUMENT), &["--focus", focus])
}

/// The first `count` entries of the source.
fn short(count: usize) -> String {
    SOURCE.lines().take(1 + count).map(|line| format!("{line}\n")).collect()
}

/// The source and a side branch that hangs on its first message.
fn branched() -> String {
    let side =
        r#"{"type":"model_change","id":"a0000009","parentId":"a0000001","timestamp":"2026-03-14T09:00:03.000Z"}"#;
    format!("{SOURCE}{side}\n")
}

/// A reply of 40 letters, four at a time every 5 ms, with what happens meanwhile.
fn slow(happening: &str) -> String {
    format!(r#"[{{"parts":[{{"text":"{}"}}],"delayMs":5,{happening}}}]"#, "x".repeat(40))
}

/// `ttsr inspect-session --context` on the new session.
fn inspected(done: &Done) -> Value {
    let new = done.desk.path("new.jsonl").to_string_lossy().into_owned();
    let outcome = ttsr(["inspect-session", &new, "--context", "--format", "json"]);
    json::parse(&outcome.out).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

#[test]
fn c1_1_the_command_takes_an_optional_focus_before_any_prompt() {
    let (plain, focused) = (handoff(&says(DOCUMENT)), focused("the parser"));
    plain.is_done();
    focused.is_done();
    assert_ne!(plain.request(), focused.request());
    // It is no prompt: the session holds the request instead of the command.
    assert!(focused.old().iter().all(|record| !record.to_json().contains("/handoff")));
    assert_eq!(focused.old().len(), 4);
}

#[test]
fn c1_2_below_two_messages_it_warns_and_returns() {
    for count in [0, 1] {
        let done = handoff_of(&short(count), &says(DOCUMENT), &[]);
        done.ends("refused", "too-few-messages", NOTHING);
        assert_eq!(done.at("source.messages"), count.to_string());
    }
    handoff_of(&short(2), &says(DOCUMENT), &[]).is_done();
}

#[test]
fn c1_3_the_guard_of_the_session_throws_the_same() {
    // The file has two messages, the branch one: the first guard lets it pass, the second does not.
    handoff_of(&branched(), &says(DOCUMENT), &[]).ends(
        "refused",
        "too-few-messages",
        &format!("Handoff failed: {NOTHING}"),
    );
}

#[test]
fn c1_4_no_session_is_made_of_an_empty_context() {
    for source in [short(0), short(1), branched()] {
        let desk = Desk::new(&source);
        assert_eq!(desk.scripted(&says(DOCUMENT), &["--pipeline", "g1", "--faithful"]).status, 3);
        assert_eq!(desk.files(), ["old.jsonl", "script.json"]);
    }
}

#[test]
fn c2_1_it_works_on_the_current_branch() {
    // A third message elsewhere counts for nothing; two on the branch of the leaf do.
    let two = r#"{"type":"message","id":"a0000009","parentId":"a0000001","timestamp":"2026-03-14T09:00:03.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Other."}],"api":"wire","provider":"local","model":"m1","stopReason":"stop","timestamp":3}}"#;
    let done = handoff_of(&format!("{SOURCE}{two}\n"), &says(DOCUMENT), &[]);
    done.is_done();
    assert_eq!((done.at("source.leaf"), done.at("source.messages")), ("a0000009".to_owned(), "2".to_owned()));
    assert_eq!(at(&done.old()[3], "parentId"), "a0000009", "the exchange hangs on the leaf");
}

#[test]
fn c2_2_it_can_be_aborted_from_the_guard_on() {
    let script = slow(r#""abortHandoffAfterMs":0"#);
    handoff(&script).ends("cancelled", "user", CANCELLED);
    // Before that there is nothing to abort.
    handoff_of(&short(1), &script, &[]).ends("refused", "too-few-messages", NOTHING);
}

#[test]
fn c2_3_the_fixed_request_asks_for_six_sections() {
    let request = handoff(&says(DOCUMENT)).request();
    let sections: Vec<&str> = request.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let expected = ["Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Critical Context", "Next Steps"];
    assert_eq!(sections, expected);
    assert_eq!(handoff_of(&SOURCE.replace("loader", "parser"), &says("x"), &[]).request(), request, "fixed");
}

#[test]
fn c2_4_a_given_focus_is_added() {
    assert!(focused("the parser").request().ends_with("\nAdditional focus: the parser"));
    assert!(!handoff(&says(DOCUMENT)).request().contains("Additional focus"));
}

#[test]
fn c2_5_the_request_goes_out_unexpanded() {
    for focus in ["/new", "{{name}} $1 $ARGUMENTS", "@src/main.rs", "!ls"] {
        assert!(focused(focus).request().ends_with(&format!("Additional focus: {focus}")));
    }
}

/// A tool call keeps the agent going before the document.
const WITH_CALL: &str = r#"[[{"text":"first"},{"tool":"read","args":{"path":"a"}}],[{"text":"the document"}]]"#;

#[test]
fn c3_1_it_waits_for_the_end_of_the_agents_run() {
    let done = handoff(WITH_CALL);
    done.is_done();
    assert_eq!(done.at("document.text"), "the document");
    let entries: Vec<String> = done.old().iter().skip(2).map(entry).collect();
    assert_eq!(entries, ["user", "assistant toolUse", "toolResult", "assistant stop"]);
}

#[test]
fn c3_2_the_text_blocks_of_the_last_message_are_joined_by_a_line_feed() {
    let script = r#"[[{"text":"a"},{"thinking":"t"},{"text":"b"},{"text":"c"}]]"#;
    assert_eq!(handoff(script).at("document.text"), "a\nb\nc");
    assert!(!handoff(WITH_CALL).at("document.text").contains("first"));
}

#[test]
fn c3_3_that_message_is_taken_to_be_the_handoff() {
    let done = handoff(&says("I would rather not."));
    done.is_done();
    assert_eq!(done.at("document.text"), "I would rather not.");
}

#[test]
fn c3_4_sections_are_not_checked() {
    for text in ["## Goal\nonly this", "## Next Steps\n## Goal", "no section"] {
        let done = handoff(&says(text));
        done.is_done();
        assert_eq!(done.at("document.text"), text);
    }
}

/// A reply without text.
const NO_TEXT: &str = r#"[[{"thinking":"t"}]]"#;

#[test]
fn c3_5_without_a_text_block_the_document_is_missing() {
    let done = handoff(NO_TEXT);
    assert_eq!((done.at("reason"), done.at("document")), ("no-text".to_owned(), "null".to_owned()));
    assert!(!done.desk.path("new.jsonl").exists());
}

#[test]
fn c3_6_a_missing_document_is_cancelled_not_failed() {
    handoff(NO_TEXT).ends("cancelled", "no-text", CANCELLED);
}

#[test]
fn c3_7_an_aborted_signal_is_cancelled() {
    let done = handoff(&slow(r#""abortHandoffAfterMs":12"#));
    done.ends("cancelled", "user", CANCELLED);
    // Behind the end of the reply it comes too late.
    handoff(&slow(r#""abortHandoffAfterMs":5000"#)).is_done();
}

#[test]
fn c4_1_the_old_session_is_flushed_and_a_new_one_begun() {
    let done = handoff(&says(DOCUMENT));
    assert_eq!(at(&done.old()[3], "message.content.0.text"), DOCUMENT, "all of the old one is written");
    let header = done.desk.records("new.jsonl").remove(0);
    assert_ne!(at(&header, "id"), done.at("source.id"));
    assert_eq!(at(&header, "id"), done.at("session.id"), "the agent goes by the new id");
}

#[test]
fn c4_3_the_new_session_has_a_header_and_no_entry_before_the_handoff() {
    let records = handoff(&says(DOCUMENT)).desk.records("new.jsonl");
    assert_eq!(records.len(), 2);
    assert_eq!((at(&records[0], "type").as_str(), at(&records[0], "parentSession").as_str()), ("session", "(none)"));
    assert_eq!((at(&records[1], "type").as_str(), at(&records[1], "parentId").as_str()), ("custom_message", "null"));
    // With a parent it would be there: later pipelines write it, or the option does.
    let parent = handoff_of(SOURCE, &says(DOCUMENT), &["--lineage"]).desk.records("new.jsonl").remove(0);
    assert_ne!(at(&parent, "parentSession"), "(none)");
}

#[test]
fn c5_1_the_document_is_wrapped_and_a_sentence_follows() {
    let content = at(&handoff(&says(" a\n")).desk.records("new.jsonl")[1], "content");
    let sentence =
        "The above is a handoff document from a previous session. Use this context to continue the work seamlessly.";
    assert_eq!(content, format!("<handoff-context>\n a\n\n</handoff-context>\n\n{sentence}"));
}

#[test]
fn c5_2_it_is_a_shown_custom_message_in_the_models_context() {
    let done = handoff(&says(DOCUMENT));
    let record = done.desk.records("new.jsonl").remove(1);
    let fields = ["type", "customType", "display"].map(|key| at(&record, key));
    assert_eq!(fields, ["custom_message", "handoff", "true"]);
    assert_eq!(at(&inspected(&done), "context.0.entry"), at(&record, "id"));
}

#[test]
fn c6_1_the_context_is_rebuilt_at_the_leaf_and_the_document_returned() {
    let done = handoff(&says(DOCUMENT));
    assert_eq!(done.at("document.text"), DOCUMENT);
    let report = inspected(&done);
    assert_eq!(at(&report, "leaf"), at(&report, "context.0.entry"));
    assert_eq!(at(&report, "leaf"), done.at("entry"));
}

#[test]
fn c6_2_the_new_context_holds_the_handoff_and_not_the_old_transcript() {
    let report = inspected(&handoff(&says(DOCUMENT)));
    let context = report.get("context").and_then(Value::as_array).expect("a context");
    assert_eq!(context.len(), 1);
    assert!(at(&context[0], "message.content").contains(DOCUMENT));
    assert!(!report.to_json().contains("Loader added"));
}

#[test]
fn c7_1_the_old_session_keeps_the_exchange_as_ordinary_messages() {
    let done = handoff(&says(DOCUMENT));
    let old = done.old();
    assert_eq!(old.iter().map(entry).collect::<Vec<_>>(), ["user", "assistant stop", "user", "assistant stop"]);
    assert!(old[2..].iter().all(|record| at(record, "type") == "message"));
    assert_eq!(at(&old[3], "message.content.0.text"), DOCUMENT);
    assert_eq!(fs::read_to_string(done.desk.path("old.jsonl")).expect("the source"), SOURCE, "the input itself stays");
}

#[test]
fn c7_2_the_entry_reaches_the_model_as_a_custom_message() {
    let done = handoff(&says(DOCUMENT));
    assert_eq!(at(&inspected(&done), "context.0.message.role"), "custom");
    assert_eq!(at(&inspected(&done), "context.0.message.customType"), "handoff");
    // A run that resumes the new session asks the model with it in front.
    let bench = super::Bench::new("v2", &[("r", "condition: foo")]);
    let new = done.desk.path("new.jsonl").to_string_lossy().into_owned();
    let run = bench.play_with(r#"[[{"text":"ok"}]]"#, &["--resume", &new]);
    assert_eq!(run.entries(), ["custom_message", "user", "assistant stop"]);
}

#[test]
fn c8_1_success_failure_and_cancellation_are_told() {
    let desk = Desk::new(SOURCE);
    let (old, new) = (desk.path("old.jsonl"), desk.path("new.jsonl"));
    let (old, new) = (old.to_string_lossy(), new.to_string_lossy());
    let run = |script: &str| {
        let script = desk.write("script.json", script);
        ttsr(["handoff", &old, "--pipeline", "g1", "--output", &new, "--script", &script])
    };
    let failed = run(r#"[{"error":"no such model"}]"#);
    assert!(failed.status == 3 && failed.err.contains("Handoff failed: no such model"), "{failed:?}");
    let cancelled = run(NO_TEXT);
    assert!(cancelled.status == 3 && cancelled.err.contains("Handoff cancelled"), "{cancelled:?}");
    assert!(failed.out.is_empty() && cancelled.out.is_empty());
    let done = run(&says(DOCUMENT));
    assert!(done.status == 0 && done.out.starts_with("New session started with handoff context\n"), "{done:?}");
}

#[test]
fn c8_2_an_abort_error_counts_as_cancelled() {
    let named = |name: &str| handoff(&format!(r#"[{{"error":{{"name":"{name}","message":"stopped"}}}}]"#));
    named("AbortError").ends("cancelled", "abort-error", CANCELLED);
    named("TypeError").ends("failed", "provider-error", "Handoff failed: stopped");
    handoff(r#"[{"error":"Handoff cancelled"}]"#).ends("cancelled", "abort-error", CANCELLED);
}

#[test]
fn c9_1_the_abort_of_the_handoff_says_that_it_is_cancelled() {
    let done = handoff(&slow(r#""abortHandoffAfterMs":7"#));
    assert_eq!([done.at("reason"), done.at("message"), done.at("reference")], ["user", CANCELLED, CANCELLED]);
    // It aborts a generation only: a document that is given needs none.
    let given = Desk::new(SOURCE);
    let document = given.write("document.md", DOCUMENT);
    assert_eq!(given.handoff(&["--pipeline", "g1", "--document", &document]).status, 0);
}

#[test]
fn c9_2_a_plain_abort_of_the_agent_is_another_channel() {
    let plain = handoff(&slow(r#""userInterruptAfterMs":7"#));
    assert_eq!([plain.at("status"), plain.at("reason")], ["cancelled", "aborted-reply"]);
    assert_ne!(plain.at("reference"), CANCELLED, "the agent would take the partial text");
    assert_eq!(handoff(&slow(r#""abortHandoffAfterMs":7"#)).at("reason"), "user");
}

#[test]
fn c9_3_no_key_is_bound_to_the_abort_of_the_handoff() {
    // What the keys can do, a prompt and the plain interruption, never ends as the explicit cancellation does.
    handoff(&slow(r#""newPromptAfterMs":7"#)).is_done();
    assert_ne!(handoff(&slow(r#""userInterruptAfterMs":7"#)).at("reason"), "user");
}

#[test]
fn c9_4_every_other_error_is_failed_with_its_message() {
    for script in [r#"[{"status":401,"error":"no key"}]"#, r#"[{"error":{"name":"RangeError","message":"no key"}}]"#] {
        let done = handoff(script);
        assert_eq!([done.at("status"), done.at("reason")], ["failed", "provider-error"]);
        let message = done.at("message");
        assert!(message.starts_with("Handoff failed: ") && message.ends_with("no key"), "{message}");
        assert!(!done.desk.path("new.jsonl").exists());
    }
}

#[test]
fn c10_1_the_path_from_the_check_to_the_announcement() {
    // Refused at the check: the model is not asked, so that its failure does not come.
    let failing = r#"[{"error":"no such model"}]"#;
    handoff_of(&short(1), failing, &[]).ends("refused", "too-few-messages", NOTHING);
    // Asked: a failure or a missing text ends it before the switch.
    handoff(failing).ends("failed", "provider-error", "Handoff failed: no such model");
    handoff(NO_TEXT).ends("cancelled", "no-text", CANCELLED);
    // With text the old session is written, the new one begun with the document, and success announced.
    let done = handoff(&says(DOCUMENT));
    assert_eq!((done.old().len(), done.desk.records("new.jsonl").len()), (4, 2));
    done.is_done();
}
