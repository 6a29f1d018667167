//! What a handoff refuses, and what it does with odd replies (handoff.md H7.9).

use std::fs;

use super::{DOCUMENT, Desk, SOURCE, SUCCESS, at, report, says};
use crate::support::program::ttsr;

const NOTHING: &str = "Nothing to hand off (no messages yet)";

/// Runs a script in a pipeline and gives status, reason, reference, exit status and whether a file was written.
fn outcome(script: &str, arguments: &[&str]) -> (String, String, String, u8, bool) {
    let desk = Desk::new(SOURCE);
    let run = desk.scripted(script, arguments);
    let shown = report(&run);
    assert_eq!(fs::read_to_string(desk.path("old.jsonl")).expect("the source"), SOURCE);
    (at(&shown, "status"), at(&shown, "reason"), at(&shown, "reference"), run.status, desk.path("new.jsonl").exists())
}

fn is(got: (String, String, String, u8, bool), status: &str, reason: &str, reference: &str) {
    let done = status == "done";
    let expected = (status.to_owned(), reason.to_owned(), reference.to_owned(), if done { 0 } else { 3 }, done);
    assert_eq!(got, expected);
}

const FAILED: &str = "Handoff failed: Handoff generation produced no content";
const CANCELLED: &str = "Handoff cancelled";

#[test]
fn a_branch_with_one_message_is_refused() {
    let one: String = SOURCE.lines().take(2).map(|line| format!("{line}\n")).collect();
    for pipeline in ["g1", "g2", "g3", "g4", "g5"] {
        let desk = Desk::new(&one);
        let run = desk.scripted(&says(DOCUMENT), &["--pipeline", pipeline]);
        let shown = report(&run);
        assert_eq!(
            (run.status, at(&shown, "status").as_str(), at(&shown, "message").as_str()),
            (3, "refused", NOTHING)
        );
        assert_eq!(at(&shown, "reference"), NOTHING, "the first guard only warns");
        assert_eq!(desk.files(), ["old.jsonl", "script.json"]);
    }
}

#[test]
fn messages_elsewhere_pass_the_first_guard_only() {
    let other = r#"{"type":"model_change","id":"a0000009","parentId":null,"timestamp":"2026-03-14T09:00:03.000Z","model":"m/2"}"#;
    let desk = Desk::new(&format!("{SOURCE}{other}\n"));
    let run = desk.scripted(&says(DOCUMENT), &[]);
    let shown = report(&run);
    assert_eq!((run.status, at(&shown, "status").as_str(), at(&shown, "message").as_str()), (3, "refused", NOTHING));
    assert_eq!(at(&shown, "reference"), format!("Handoff failed: {NOTHING}"));
    assert_eq!(at(&shown, "source.messages"), "0");
}

#[test]
fn a_reply_of_thinking_only_has_no_text() {
    let script = r#"[[{"thinking":"t"}]]"#;
    is(outcome(script, &["--pipeline", "g1"]), "cancelled", "no-text", CANCELLED);
    // These two go on backwards to the older answer.
    for pipeline in ["g2", "g3"] {
        is(outcome(script, &["--pipeline", pipeline]), "cancelled", "no-text", SUCCESS);
        is(outcome(script, &["--pipeline", pipeline, "--faithful"]), "done", "older-answer", SUCCESS);
    }
    is(outcome(script, &["--pipeline", "g4"]), "failed", "no-text", FAILED);
    is(outcome(script, &["--pipeline", "g5"]), "failed", "no-text", FAILED);
}

#[test]
fn an_empty_text_block_is_no_text() {
    let script = r#"{"content":[{"type":"text","text":""}],"stopReason":"stop"}"#;
    for pipeline in ["g1", "g2", "g3"] {
        is(outcome(script, &["--pipeline", pipeline]), "cancelled", "no-text", CANCELLED);
        is(outcome(script, &["--pipeline", pipeline, "--faithful"]), "cancelled", "no-text", CANCELLED);
    }
    for pipeline in ["g4", "g5"] {
        is(outcome(script, &["--pipeline", pipeline, "--faithful"]), "failed", "no-text", FAILED);
    }
}

#[test]
fn blanks_are_a_document_for_the_early_generations() {
    let script = says("  \n ");
    for pipeline in ["g1", "g2", "g3"] {
        is(outcome(&script, &["--pipeline", pipeline]), "refused", "blank-document", SUCCESS);
        is(outcome(&script, &["--pipeline", pipeline, "--faithful"]), "done", "blank-document", SUCCESS);
    }
    for pipeline in ["g4", "g5"] {
        is(outcome(&script, &["--pipeline", pipeline, "--faithful"]), "failed", "no-text", FAILED);
    }
}

#[test]
fn an_aborted_reply_is_no_document() {
    let script = r###"[{"parts":[{"text":"## Goal","chunk":2}],"delayMs":10,"userInterruptAfterMs":25}]"###;
    for pipeline in ["g1", "g2", "g3"] {
        is(outcome(script, &["--pipeline", pipeline]), "cancelled", "aborted-reply", SUCCESS);
        is(outcome(script, &["--pipeline", pipeline, "--faithful"]), "done", "aborted-reply", SUCCESS);
    }
    // A request that says itself that it was aborted is answered: its text counts, without any there is none.
    let said = r###"[{"parts":[{"text":"## Goal"}],"finish":"aborted"}]"###;
    let silent = r#"[{"parts":[{"thinking":"t"}],"finish":"aborted"}]"#;
    for (pipeline, shown) in [("g4", SUCCESS), ("g5", "Handoff context compacted")] {
        is(outcome(said, &["--pipeline", pipeline]), "cancelled", "aborted-reply", shown);
        is(outcome(said, &["--pipeline", pipeline, "--faithful"]), "done", "aborted-reply", shown);
        is(outcome(silent, &["--pipeline", pipeline, "--faithful"]), "cancelled", "aborted-reply", FAILED);
    }
}

#[test]
fn an_abort_of_the_agent_stops_a_side_request() {
    for pipeline in ["g4", "g5"] {
        for after in [0, 5, 25] {
            let script = format!(
                r###"[{{"parts":[{{"text":"## Goal","chunk":2}}],"delayMs":10,"userInterruptAfterMs":{after}}}]"###
            );
            for faithful in [&[][..], &["--faithful"]] {
                let arguments = [&["--pipeline", pipeline], faithful].concat();
                is(outcome(&script, &arguments), "cancelled", "aborted-reply", "Handoff aborted by session");
            }
            // The explicit cancellation is another one.
            let script = script.replace("userInterruptAfterMs", "abortHandoffAfterMs");
            is(outcome(&script, &["--pipeline", pipeline]), "cancelled", "user", CANCELLED);
        }
    }
    let desk = Desk::new(SOURCE);
    let script =
        desk.write("script.json", r###"[{"parts":[{"text":"## Goal"}],"delayMs":5,"userInterruptAfterMs":1}]"###);
    let old = desk.path("old.jsonl").to_string_lossy().into_owned();
    let human = ttsr(["handoff", &old, "--script", &script, "--pipeline", "g5"]);
    assert_eq!((human.status, human.out.as_str()), (3, ""));
    assert!(human.err.contains("Handoff aborted by session"), "{human:?}");
}

#[test]
fn a_blank_document_lists_no_headings() {
    let desk = Desk::new(SOURCE);
    for faithful in [&[][..], &["--faithful"]] {
        let shown = report(&desk.scripted(&says(" \n "), faithful));
        assert_eq!(at(&shown, "reason"), "blank-document");
        assert_eq!((at(&shown, "headings_missing").as_str(), at(&shown, "document.headings").as_str()), ("[]", "[]"));
        assert!(!at(&shown, "warnings").contains("headings-missing"), "{shown:?}");
    }
}

/// The warnings about the branch that a handoff of `SOURCE` with these further messages gives.
fn unfinished(messages: &[&str], arguments: &[&str]) -> Vec<String> {
    let mut source = SOURCE.to_owned();
    for (index, message) in messages.iter().enumerate() {
        let parent = if index == 0 { "a0000002".to_owned() } else { format!("b000000{}", index - 1) };
        source.push_str(&format!(
            r#"{{"type":"message","id":"b000000{index}","parentId":"{parent}","timestamp":"2026-03-14T09:00:03.000Z","message":{message}}}"#
        ));
        source.push('\n');
    }
    let desk = Desk::new(&source);
    let run = desk.scripted(&says(DOCUMENT), arguments);
    let shown = report(&run);
    assert_eq!((run.status, at(&shown, "status").as_str()), (0, "done"), "{run:?}");
    let warnings = shown.get("warnings").and_then(|list| list.as_array()).unwrap_or_default().iter();
    warnings.filter(|one| at(one, "name") == "unfinished-branch").map(|one| at(one, "message")).collect()
}

#[test]
fn an_open_end_of_the_branch_is_said() {
    let user = r#"{"role":"user","content":"More","timestamp":3}"#;
    let answer = |rest: &str, blocks: &str| {
        format!(
            r#"{{"role":"assistant","content":[{blocks}],"api":"a","provider":"p","model":"m",{rest},"timestamp":4}}"#
        )
    };
    let text = r#"{"type":"text","text":"so"}"#;
    let call = |id: &str| format!(r#"{{"type":"toolCall","id":"{id}","name":"read","arguments":{{}}}}"#);
    let result = |id: &str| {
        format!(
            r#"{{"role":"toolResult","toolCallId":"{id}","toolName":"read","content":[],"isError":false,"timestamp":5}}"#
        )
    };
    let complete = answer(r#""stopReason":"stop""#, text);
    let aborted = answer(r#""stopReason":"aborted","errorMessage":"Request was aborted""#, text);
    let by_rules = answer(r#""stopReason":"aborted","errorMessage":"TTSR matched rule: r""#, text);
    let failed = answer(r#""stopReason":"error","errorMessage":"500 oops""#, text);
    let calls = answer(r#""stopReason":"toolUse""#, &format!("{},{}", call("c1"), call("c2")));
    let (one, two) = (result("c1"), result("c2"));
    let bash = r#"{"role":"bashExecution","command":"ls","output":"","timestamp":6}"#;
    let cases: [(&[&str], &[&str]); 11] = [
        (&[], &[]),
        (&[user, &complete], &[]),
        (&[user, &calls, &one, &two, &complete], &[]),
        (&[user, &aborted, user, &complete], &[]),
        (&[user], &["the branch ends in a prompt that has no answer yet"]),
        (&[user, &aborted], &["the branch ends in an aborted answer"]),
        (&[user, &by_rules], &["the branch ends in an answer that rules interrupted"]),
        (&[user, &failed, bash], &["the branch ends in a failed answer"]),
        (&[user, &calls], &["tool calls have no result: c1 of `read`, c2 of `read`"]),
        (&[user, &calls, &two], &["tool calls have no result: c1 of `read`"]),
        (&[user, &calls, &one, &two], &["the branch ends in tool results: the answer was still open"]),
    ];
    for (messages, expected) in cases {
        for pipeline in ["g1", "g3", "g4", "g5"] {
            if pipeline == "g5" && messages.is_empty() {
                continue;
            }
            assert_eq!(unfinished(messages, &["--pipeline", pipeline]), expected, "{pipeline} {messages:?}");
        }
    }
}

#[test]
fn a_failed_request_is_told_with_its_message() {
    let script = r#"[{"error":"no such model"}]"#;
    let told = "Handoff failed: no such model";
    is(outcome(script, &["--pipeline", "g1"]), "failed", "provider-error", told);
    is(outcome(script, &["--pipeline", "g1", "--faithful"]), "failed", "provider-error", told);
    is(outcome(script, &["--pipeline", "g3"]), "failed", "provider-error", SUCCESS);
    let told = "Handoff failed: Handoff generation failed: no such model";
    is(outcome(script, &["--pipeline", "g4"]), "failed", "provider-error", told);
    is(outcome(script, &["--pipeline", "g5", "--faithful"]), "failed", "provider-error", told);
}

#[test]
fn two_text_blocks_are_joined_by_one_line_feed() {
    let desk = Desk::new(SOURCE);
    let run = desk.scripted(r#"[[{"text":"a"},{"thinking":"t"},{"text":"b"}]]"#, &[]);
    assert_eq!(at(&report(&run), "document.text"), "a\nb");
    for pipeline in ["g1", "g3", "g4"] {
        let desk = Desk::new(SOURCE);
        let script = r#"{"content":[{"type":"text","text":""},{"type":"text","text":"a"}],"stopReason":"stop"}"#;
        let run = desk.scripted(script, &["--pipeline", pipeline]);
        assert_eq!(at(&report(&run), "document.text"), "\na", "an empty block is joined too");
    }
}

#[test]
fn a_blank_focus_gives_the_bare_label_and_two_lines_stay_two() {
    for (focus, end) in [("  ", "\n\nAdditional focus:"), ("a\n b", "\n\nAdditional focus: a\n b")] {
        let desk = Desk::new(SOURCE);
        let copy = desk.path("copy.jsonl").to_string_lossy().into_owned();
        let run = desk.scripted(&says(DOCUMENT), &["--focus", focus, "--write-source", &copy]);
        assert_eq!(run.status, 0, "{run:?}");
        let prompt = at(&desk.records("copy.jsonl")[3], "message.content.0.text");
        assert!(prompt.ends_with(end), "{prompt:?}");
    }
}

#[test]
fn an_existing_target_is_left_alone() {
    for option in ["--output", "--write-source"] {
        let desk = Desk::new(SOURCE);
        let kept = desk.write("kept.jsonl", "mine");
        let script = desk.write("script.json", &says(DOCUMENT));
        let old = desk.path("old.jsonl").to_string_lossy().into_owned();
        let run = ttsr(["handoff", &old, "--script", &script, option, &kept]);
        assert_eq!(run.status, 3, "{run:?}");
        assert!(run.err.contains("exists already"), "{run:?}");
        assert_eq!(fs::read_to_string(desk.path("kept.jsonl")).expect("the file"), "mine");
        assert_eq!(desk.files(), ["kept.jsonl", "old.jsonl", "script.json"]);
    }
}

#[test]
fn a_torn_source_is_read_as_far_as_it_goes_and_copied_as_it_is() {
    let torn = format!("{SOURCE}{{\"type\":\"message\",\"id\":\"a000");
    let desk = Desk::new(&torn);
    let copy = desk.path("copy.jsonl").to_string_lossy().into_owned();
    let run = desk.scripted(&says(DOCUMENT), &["--write-source", &copy]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(fs::read_to_string(&copy).expect("the copy").starts_with(&torn));
    assert_eq!(at(&report(&run), "source.messages"), "2");
}

#[test]
fn a_source_of_version_one_is_counted_after_migration() {
    let v1 = "{\"type\":\"session\",\"id\":\"s1\",\"timestamp\":\"2026-03-14T09:00:00.000Z\",\"cwd\":\"/srv/app\"}\n\
        {\"type\":\"message\",\"timestamp\":\"2026-03-14T09:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":\"a\"}}\n\
        {\"type\":\"message\",\"timestamp\":\"2026-03-14T09:00:02.000Z\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"b\"}],\"stopReason\":\"stop\"}}\n";
    let desk = Desk::new(v1);
    let run = desk.scripted(&says(DOCUMENT), &[]);
    assert_eq!((run.status, at(&report(&run), "source.messages").as_str()), (0, "2"), "{run:?}");
    assert_eq!(fs::read_to_string(desk.path("old.jsonl")).expect("the source"), v1);
}

#[test]
fn a_source_that_ends_in_a_compaction_has_nothing_for_the_fifth_generation() {
    let compaction = r#"{"type":"compaction","id":"a0000003","parentId":"a0000002","timestamp":"2026-03-14T09:00:03.000Z","summary":"s","firstKeptEntryId":"a0000002","tokensBefore":9}"#;
    let desk = Desk::new(&format!("{SOURCE}{compaction}\n"));
    let run = desk.scripted(&says(DOCUMENT), &["--pipeline", "g5"]);
    let shown = report(&run);
    assert_eq!((run.status, at(&shown, "reason").as_str()), (3, "already-compacted"));
    assert_eq!(at(&shown, "message"), "Nothing to hand off (already compacted)");
    // The same right after a handoff of its own.
    let desk = Desk::new(SOURCE);
    assert_eq!(desk.scripted(&says(DOCUMENT), &["--pipeline", "g5"]).status, 0);
    let (new, again) = (desk.path("new.jsonl"), desk.path("again.jsonl"));
    let script = desk.path("script.json");
    let arguments =
        ["handoff".into(), new, "--script".into(), script, "--pipeline".into(), "g5".into(), "--output".into(), again];
    let second = ttsr(arguments);
    assert_eq!(second.status, 3);
    assert!(second.err.contains("Nothing to hand off (already compacted)"), "{second:?}");
}

#[test]
fn a_document_with_the_closing_tag_is_written_with_a_warning() {
    let desk = Desk::new(SOURCE);
    let run = desk.scripted(&says("a </handoff-context> b"), &[]);
    assert_eq!(run.status, 0);
    let warnings = at(&report(&run), "warnings");
    assert!(warnings.contains("closing-tag-in-document") && warnings.contains("headings-missing"), "{warnings}");
    let content = at(&desk.records("new.jsonl")[1], "content");
    assert!(content.starts_with("<handoff-context>\na </handoff-context> b\n</handoff-context>\n\n"), "{content}");
}

#[test]
fn the_last_reply_of_a_script_counts() {
    let script = "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"first\"}],\"stopReason\":\"stop\"}\n\
        {\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"last\"}],\"stopReason\":\"stop\",\"usage\":{}}\n";
    for pipeline in ["g1", "g3", "g4", "g5"] {
        let desk = Desk::new(SOURCE);
        let run = desk.scripted(script, &["--pipeline", pipeline]);
        assert_eq!(at(&report(&run), "document.text"), "last", "{pipeline}: {run:?}");
    }
}

#[test]
fn a_given_text_and_a_recorded_exchange_serve_too() {
    let desk = Desk::new(SOURCE);
    let copy = desk.path("copy.jsonl").to_string_lossy().into_owned();
    let given = desk.write("doc.md", "## Goal\ngiven\n");
    let run = desk.handoff(&["--document", &given, "--write-source", &copy]);
    assert_eq!(at(&report(&run), "document.text"), "## Goal\ngiven\n", "as given");
    // The copy now ends with the exchange.
    let next = desk.path("next.jsonl").to_string_lossy().into_owned();
    let again = ttsr(["handoff", &copy, "--output", &next, "--format", "json"]);
    let shown = report(&again);
    assert_eq!(
        (at(&shown, "document.origin").as_str(), at(&shown, "document.text").as_str()),
        ("session", "## Goal\ngiven\n")
    );
    assert_eq!(at(&shown, "source.messages"), "2");
    // And where it does not, there is no document.
    let refused = desk.path("no.jsonl").to_string_lossy().into_owned();
    let old = desk.path("old.jsonl").to_string_lossy().into_owned();
    let run = ttsr(["handoff", &old, "--output", &refused, "--format", "json"]);
    assert_eq!((run.status, at(&report(&run), "reason").as_str()), (3, "no-document"));
}

#[test]
fn lineage_and_names_are_as_asked() {
    let desk = Desk::new(SOURCE);
    let old = desk.path("old.jsonl").to_string_lossy().into_owned();
    let shown = report(&desk.scripted(&says(DOCUMENT), &["--lineage"]));
    assert_eq!(at(&shown, "lineage"), old);
    let desk = Desk::new(SOURCE);
    let shown = report(&desk.scripted(&says(DOCUMENT), &["--pipeline", "g4", "--no-lineage"]));
    assert_eq!(at(&shown, "lineage"), "null");
    let desk = Desk::new(SOURCE);
    let old = desk.path("old.jsonl").to_string_lossy().into_owned();
    let script = desk.write("script.json", &says(DOCUMENT));
    let now = "2026-03-14T10:00:00.000Z";
    let run = ttsr(["handoff", &old, "--script", &script, "--seed", "1", "--now", now]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.out.starts_with(SUCCESS), "{run:?}");
    let files = desk.files();
    assert!(files[0].starts_with("2026-03-14T10-00-00-000Z_") && files[0].ends_with(".jsonl"), "{files:?}");
    let again = ttsr(["handoff", &old, "--script", &script, "--seed", "1", "--now", now]);
    assert_eq!(again.status, 3, "the same seed gives the same name: {again:?}");
}

#[test]
fn an_open_call_in_the_recorded_answer_is_said() {
    let request: String =
        ["Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Critical Context", "Next Steps"]
            .map(|section| format!("## {section} "))
            .concat();
    let entry = |id: &str, parent: &str, message: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-03-14T09:00:03.000Z","message":{message}}}"#
        )
    };
    let user = format!(r#"{{"role":"user","content":[{{"type":"text","text":"{request}"}}],"timestamp":3}}"#);
    let call = r#",{"type":"toolCall","id":"c1","name":"read","arguments":{}}"#;
    for (open, expected) in [(call, 1), ("", 0)] {
        let answer = format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":"d"}}{open}],"api":"a","provider":"p","model":"m","stopReason":"stop","timestamp":4}}"#
        );
        let source =
            format!("{SOURCE}{}\n{}\n", entry("b0000001", "a0000002", &user), entry("b0000002", "b0000001", &answer));
        let desk = Desk::new(&source);
        let run = desk.handoff(&[]);
        let shown = report(&run);
        assert_eq!((run.status, at(&shown, "document.text").as_str()), (0, "d"), "{run:?}");
        assert_eq!(at(&shown, "warnings").matches("unfinished-branch").count(), expected, "{run:?}");
        assert_eq!(run.err.contains("c1 of `read`"), expected == 1, "{run:?}");
    }
    // A request that nobody answered is no exchange, and the open end is said.
    let desk = Desk::new(&format!("{SOURCE}{}\n", entry("b0000001", "a0000002", &user)));
    let run = desk.handoff(&[]);
    let shown = report(&run);
    assert_eq!((run.status, at(&shown, "reason").as_str()), (3, "no-document"), "{run:?}");
    assert!(at(&shown, "warnings").contains("the branch ends in a prompt that has no answer yet"), "{run:?}");
}
