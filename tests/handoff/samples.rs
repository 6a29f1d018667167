//! The files of `samples/handoff` (handoff.md H7.8): each pipeline gives its own, ids and times aside.

use std::fs;

use ttsr::text::json::Value;

use super::{DOCUMENT, Desk, SUCCESS, at, context, records, report};
use crate::support::program::ttsr;
use crate::support::project;

fn sample(name: &str) -> String {
    fs::read_to_string(project("testdata/samples/handoff").join(name)).expect("a sample")
}

/// A record without what is drawn anew: sorted members, the id of the session and of the last entry, and times.
fn aside(records: &[Value], varies: &[&str]) -> Vec<String> {
    let strip = |record: &Value| {
        let Value::Object(object) = record else { return record.to_json() };
        let mut members: Vec<String> = object
            .iter()
            .filter(|(key, _)| !varies.iter().any(|name| **key == **name))
            .map(|(key, value)| format!("{key}={}", value.to_json()))
            .collect();
        members.sort();
        members.join(" ")
    };
    records.iter().map(strip).collect()
}

const DRAWN: [&str; 4] = ["id", "timestamp", "updatedAt", "parentSession"];

#[test]
fn new_sessions_are_those_of_the_samples() {
    let cases = [
        ("g1", "new-session-no-parent.jsonl", false),
        ("g2", "new-session-no-parent.jsonl", false),
        ("g3", "new-session-with-parent.jsonl", true),
        ("g4", "new-session-with-parent.jsonl", true),
    ];
    for (pipeline, file, has_parent) in cases {
        let desk = Desk::new(&sample("source.jsonl"));
        let outcome = desk.scripted(&sample("scripted-reply.json"), &["--pipeline", pipeline]);
        assert_eq!(outcome.status, 0, "{pipeline}: {outcome:?}");
        let shown = report(&outcome);
        assert_eq!((at(&shown, "status").as_str(), at(&shown, "reference").as_str()), ("done", SUCCESS));
        assert_eq!(at(&shown, "document.text"), sample("document.md").trim_end_matches('\n'));
        assert_eq!(at(&shown, "headings_missing"), "[]");
        assert_eq!(at(&shown, "source.messages"), "4");
        let mut expected = records(&project("testdata/samples/handoff").join(file));
        if pipeline == "g3" {
            // The same without the slot line.
            expected.remove(0);
        }
        assert_eq!(aside(&desk.records("new.jsonl"), &DRAWN), aside(&expected, &DRAWN), "{pipeline}");
        let parent = if has_parent { desk.path("old.jsonl").to_string_lossy().into_owned() } else { "null".to_owned() };
        assert_eq!(at(&shown, "lineage"), parent, "{pipeline}");
        let context = context(&desk.path("new.jsonl"));
        assert_eq!(context.messages.len(), 1);
        assert!(context.injected_rules.is_empty());
        let new = desk.path("new.jsonl");
        let inspected = ttsr(["inspect-session".as_ref(), new.as_os_str(), "--format".as_ref(), "json".as_ref()]);
        assert_eq!(inspected.status, 0, "{inspected:?}");
        assert_eq!(
            (at(&report(&inspected), "findings"), at(&report(&inspected), "injected_rules")),
            ("[]".into(), "[]".into())
        );
        assert_eq!(at(&shown, "entry"), at(desk.records("new.jsonl").last().expect("an entry"), "id"));
    }
}

#[test]
fn session_ids_have_the_form_of_the_generation() {
    for (pipeline, length) in [("g1", 36), ("g2", 16), ("g3", 36), ("g4", 36)] {
        let desk = Desk::new(&sample("source.jsonl"));
        let shown = report(&desk.scripted(&super::says(DOCUMENT), &["--pipeline", pipeline]));
        assert_eq!(at(&shown, "session.id").len(), length, "{pipeline}");
    }
}

#[test]
fn the_old_session_afterwards_is_that_of_the_sample() {
    for (pipeline, role) in [("g1", "user"), ("g2", "developer"), ("g3", "developer")] {
        let desk = Desk::new(&sample("source.jsonl"));
        let copy = desk.path("copy.jsonl").to_string_lossy().into_owned();
        let outcome = desk.scripted(&sample("scripted-reply.json"), &["--pipeline", pipeline, "--write-source", &copy]);
        assert_eq!(outcome.status, 0, "{outcome:?}");
        let text = fs::read_to_string(&copy).expect("the copy");
        assert!(text.starts_with(&sample("source.jsonl")), "the old lines stay as they are");
        let (got, expected) =
            (desk.records("copy.jsonl"), records(&project("testdata/samples/handoff/source-after-g2.jsonl")));
        assert_eq!(got.len(), expected.len());
        let (prompt, reply) = (&got[got.len() - 2], &got[got.len() - 1]);
        assert_eq!(at(prompt, "message.role"), role);
        assert_eq!(at(prompt, "parentId"), "7a000005");
        assert_eq!(at(reply, "parentId"), at(prompt, "id"));
        assert_eq!(at(reply, "message.model"), "coder-large");
        let sampled = expected.last().expect("the reply");
        let texts = |record: &Value| {
            let blocks = record.get("message").and_then(|message| message.get("content")).and_then(Value::as_array);
            blocks
                .unwrap_or_default()
                .iter()
                .filter(|block| at(block, "type") == "text")
                .map(|block| at(block, "text"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(texts(reply), texts(sampled));
        assert_eq!(sample("source.jsonl"), fs::read_to_string(desk.path("old.jsonl")).expect("the source"));
    }
    let desk = Desk::new(&sample("source.jsonl"));
    let copy = desk.path("copy.jsonl").to_string_lossy().into_owned();
    desk.scripted(&sample("scripted-reply.json"), &["--pipeline", "g4", "--write-source", &copy]);
    assert_eq!(fs::read_to_string(&copy).expect("the copy"), sample("source.jsonl"), "g4 adds nothing");
}

#[test]
fn the_fifth_generation_compacts_a_copy() {
    let desk = Desk::new(&sample("source.jsonl"));
    let outcome = desk.scripted(&sample("scripted-reply.json"), &["--pipeline", "g5"]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let expected = records(&project("testdata/samples/handoff/in-place-compaction.jsonl"));
    let got = desk.records("new.jsonl");
    assert_eq!(got[..got.len() - 1], expected[..expected.len() - 1]);
    let varies = ["id", "timestamp", "tokensBefore", "tokensAfter"];
    let (last, sampled) = (&got[got.len() - 1..], &expected[expected.len() - 1..]);
    assert_eq!(aside(last, &varies), aside(sampled, &varies));
    let roles: Vec<String> =
        context(&desk.path("new.jsonl")).messages.iter().map(|shown| shown.message.role().to_string_lossy()).collect();
    assert_eq!(roles, ["compactionSummary", "assistant"]);
    let shown = report(&outcome);
    assert_eq!((at(&shown, "lineage").as_str(), at(&shown, "rules_rearmed").as_str()), ("null", "[]"));
}
