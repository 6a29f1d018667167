//! A handoff with a model of one's own: what is printed to be pasted, and what is brought back; several sessions at once;
//! what a new session cannot read.

use std::fs;

use super::{DOCUMENT, Desk, SOURCE, at, report};
use crate::support::program::ttsr;

/// The transcript says what was said, with the request behind it, and nothing that drives a terminal.
#[test]
fn the_transcript_is_printed_with_the_request_behind_it() {
    let desk = Desk::new(SOURCE);
    let source = desk.path("source.jsonl");
    fs::write(&source, SOURCE).expect("a session");
    let outcome = ttsr(["handoff", &source.to_string_lossy(), "--print-transcript", "--focus", "the tests"]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    let prompt = ttsr(["handoff", "--print-prompt", "--focus", "the tests"]).out;
    let transcript = outcome.out.strip_suffix(&prompt).expect("the request stands last").to_owned();
    let mut said = 0;
    for line in SOURCE.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).expect("an entry");
        let content = &entry["message"]["content"];
        let texts = content.as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
        for text in texts.chain(content.as_str()) {
            assert!(transcript.contains(text), "{text} missing in {transcript}");
            said += 1;
        }
    }
    assert!(said >= 2 && transcript.contains("[user]") && transcript.contains("[assistant]"), "{transcript}");
    assert_eq!(fs::read_to_string(&source).expect("the session"), SOURCE);
}

/// Field reports, row 143: the new session cannot read the old one's own files.
#[test]
fn report_143_files_of_the_old_session_are_warned_of() {
    for (pipeline, warned) in [("g1", true), ("g2", true), ("g4", true), ("g5", false)] {
        let desk = Desk::new(SOURCE);
        let document = desk.path("d.md");
        fs::write(&document, format!("{DOCUMENT}\nRead local://plan.md, then artifact://3.\n")).expect("a document");
        let source = desk.path("source.jsonl");
        fs::write(&source, SOURCE).expect("a session");
        let outcome = ttsr([
            "handoff",
            &source.to_string_lossy(),
            "--document",
            &document.to_string_lossy(),
            "--pipeline",
            pipeline,
            "--output",
            &desk.path("out.jsonl").to_string_lossy(),
            "--format",
            "json",
        ]);
        let found = report(&outcome);
        let warnings = at(&found, "warnings");
        if pipeline == "g5" && at(&found, "status") != "done" {
            continue;
        }
        assert_eq!(warnings.contains("TTSR410"), warned, "{pipeline}: {warnings}");
        assert_eq!(warnings.contains("local://plan.md`, `artifact://3`"), warned, "{pipeline}: {warnings}");
    }
}

/// Field reports, row 144: done, with a warning that says what was open.
#[test]
fn report_144_what_was_open_at_the_end_is_warned_of() {
    let answer = |rest: &str| {
        format!(r#"{{"type":"message","id":"ffff0001","parentId":"PARENT","message":{{"role":"assistant",{rest}}}}}"#)
    };
    for (end, said) in [
        (
            answer(r#""content":[{"type":"toolCall","id":"c9","name":"bash","arguments":{}}],"stopReason":"toolUse""#),
            "c9 of `bash`",
        ),
        (answer(r#""content":[{"type":"text","text":"x"}],"stopReason":"aborted""#), "aborted answer"),
        (answer(r#""content":[{"type":"text","text":"x"}],"stopReason":"error""#), "failed answer"),
    ] {
        let last = SOURCE.lines().last().expect("a line");
        let entry: serde_json::Value = serde_json::from_str(last).expect("an entry");
        let end = end.replace("PARENT", entry["id"].as_str().expect("an id"));
        let desk = Desk::new(SOURCE);
        let (source, document) = (desk.path("source.jsonl"), desk.path("d.md"));
        fs::write(&source, format!("{}\n{end}\n", SOURCE.trim_end())).expect("a session");
        fs::write(&document, DOCUMENT).expect("a document");
        let outcome = ttsr([
            "handoff",
            &source.to_string_lossy(),
            "--document",
            &document.to_string_lossy(),
            "--output",
            &desk.path("out.jsonl").to_string_lossy(),
            "--format",
            "json",
        ]);
        let found = report(&outcome);
        assert_eq!((at(&found, "status").as_str(), outcome.status), ("done", 0));
        assert!(at(&found, "warnings").contains(said), "{said}: {}", at(&found, "warnings"));
    }
}

/// Each of several sessions is handed off by itself; one that cannot be does not keep the others.
#[test]
fn several_sessions_are_handed_off_at_once() {
    let desk = Desk::new(SOURCE);
    let folder = desk.path("new");
    fs::create_dir(&folder).expect("a folder");
    let names = ["a.jsonl", "b.jsonl"].map(|name| desk.path(name));
    for name in &names {
        fs::write(name, SOURCE).expect("a session");
    }
    let script = desk.path("replies.json");
    fs::write(&script, r#"[[{"text":"One for all."}]]"#).expect("a script");
    let (first, second) = (names[0].to_string_lossy(), names[1].to_string_lossy());
    let (script, folder_name) = (script.to_string_lossy(), folder.to_string_lossy());
    let common = [
        "--script",
        &script,
        "--output-dir",
        &folder_name,
        "--format",
        "json",
        "--now",
        "2026-01-01T00:00:00.000Z",
        "--seed",
        "1",
    ];
    let outcome = ttsr(["handoff", &first, "nowhere.jsonl", &second].into_iter().chain(common));
    assert_eq!(outcome.status, 3);
    assert!(outcome.err.contains("nowhere.jsonl"), "{}", outcome.err);
    let reports: Vec<serde_json::Value> =
        outcome.out.lines().map(|line| serde_json::from_str(line).expect("a report")).collect();
    assert_eq!(reports.iter().map(|one| one["status"].as_str()).collect::<Vec<_>>(), [Some("done"); 2]);
    assert_ne!(reports[0]["session"]["id"], reports[1]["session"]["id"]);
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 2);
    for option in [["--output", "x.jsonl"], ["--document", "x.md"], ["--write-source", "y.jsonl"]] {
        assert_eq!(ttsr(["handoff", &first, &second].into_iter().chain(option)).status, 2);
    }
}

/// The headings of the user's document are its six sections; later generations name the parts of one of them too.
#[test]
fn a_document_is_judged_by_the_headings_of_its_generation() {
    let six =
        "## Goal\n## Constraints & Preferences\n## Progress\n## Key Decisions\n## Critical Context\n## Next Steps\n";
    for (pipeline, missing) in [("g1", 0), ("g2", 3), ("g3", 3), ("g4", 3)] {
        let desk = Desk::new(SOURCE);
        let (source, document) = (desk.path("source.jsonl"), desk.path("d.md"));
        fs::write(&source, SOURCE).expect("a session");
        fs::write(&document, six).expect("a document");
        let outcome = ttsr([
            "handoff",
            &source.to_string_lossy(),
            "--document",
            &document.to_string_lossy(),
            "--pipeline",
            pipeline,
            "--output",
            &desk.path("out.jsonl").to_string_lossy(),
            "--format",
            "json",
        ]);
        let found = report(&outcome);
        let list = found.get("headings_missing").and_then(|list| list.as_array()).map(<[_]>::len);
        assert_eq!(list, Some(missing), "{pipeline}");
    }
}
