//! `--script` beside an input: scripted replies answer the retries of messages that rules interrupt.

use std::fs;
use std::path::Path;

use crate::support::program::{Outcome, ttsr};

/// A session of two turns, the first of which says `foo`, and a rule against that.
fn desk() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}"#;
    let entry = |id: u32, parent: &str, role: &str, text: &str| {
        format!(
            r#"{{"type":"message","id":"aaaaaaa{id}","parentId":{parent},"message":{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let lines = [
        header.to_owned(),
        entry(1, "null", "user", "one"),
        entry(2, "\"aaaaaaa1\"", "assistant", "a foo here"),
        entry(3, "\"aaaaaaa2\"", "user", "two"),
        entry(4, "\"aaaaaaa3\"", "assistant", "later"),
    ];
    fs::write(folder.path().join("s.jsonl"), lines.join("\n") + "\n").expect("a session");
    let rule = "---\ndescription: x\ncondition: 'foo'\nscope: text\n---\nno\n";
    fs::write(folder.path().join("foo.md"), rule).expect("a rule");
    folder
}

fn replay(folder: &Path, script: &str, more: &[&str]) -> Outcome {
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    fs::write(at("script.json"), script).expect("a script");
    let (session, rule, script) = (at("s.jsonl"), at("foo.md"), at("script.json"));
    ttsr(["replay", &session, "--rules", &rule, "--script", &script].into_iter().chain(more.iter().copied()))
}

/// The texts of the assistant's messages in the session that was written.
fn said(folder: &Path, script: &str, more: &[&str]) -> Vec<String> {
    let written = folder.join("w.jsonl");
    let outcome = replay(folder, script, &[&["--write-session", &written.to_string_lossy()], more].concat());
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    let text = fs::read_to_string(&written).expect("a written session");
    fs::remove_file(&written).expect("removed");
    let entries = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let messages = entries.filter(|entry| entry["message"]["role"] == "assistant");
    messages.map(|entry| entry["message"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_reply_answers_the_retry_and_the_recording_goes_on() {
    let folder = desk();
    let script = r#"[[{"text":"clean"}]]"#;
    assert_eq!(said(folder.path(), script, &["--chunk", "words"]), ["a foo ", "clean", "later"]);
}

#[test]
fn a_reply_that_breaks_the_rule_again_is_retried_by_the_next() {
    let folder = desk();
    let again = &["--chunk", "words", "--set", "ttsr.repeatMode=after-gap", "--set", "ttsr.repeatGap=0"];
    // Scripted replies come in pieces of seven, so the second match is noticed behind the first of them.
    let script = r#"[[{"text":"foo again"}],[{"text":"clean"}]]"#;
    assert_eq!(said(folder.path(), script, again), ["a foo ", "foo aga", "clean", "later"]);
}

#[test]
fn replies_that_nothing_asks_for_are_told_of() {
    let folder = desk();
    let outcome = replay(folder.path(), r#"[[{"text":"clean"}],[{"text":"more"}]]"#, &[]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert!(outcome.err.contains("script-left-over") && outcome.err.contains("1 of 2"), "{}", outcome.err);
}

#[test]
fn what_needs_a_run_of_its_own_is_refused_beside_an_input() {
    let folder = desk();
    for (script, more, said) in [
        (r#"[[{"text":"clean"}]]"#, &["--prompt", "x"][..], "--prompt and an input"),
        (r#"[{"content":[{"text":"clean"}],"delayMs":5}]"#, &[], "`delayMs`"),
        (r#"[{"handoff":{}}]"#, &[], "`handoff`"),
    ] {
        let outcome = replay(folder.path(), script, more);
        assert_eq!(outcome.status, 2, "{script}: {}", outcome.err);
        assert!(outcome.err.contains(said), "{script}: {}", outcome.err);
    }
}
