//! Marks of the generation (session.md S9.4f): what `--lifecycle auto` says of every recording, and of each mark alone.

use std::fs;
use std::path::{Path, PathBuf};

use ttsr::text::json::{self, Value};

use crate::support::program::{Outcome, surroundings, ttsr_auto, ttsr_with};
use crate::support::project;

const RULE: &str = "testdata/demo/rules/no-unwrap.md";

/// The generation of a run and why.
fn told(outcome: &Outcome) -> (String, String) {
    let line = outcome.out.lines().next().unwrap_or_else(|| panic!("no line: {}", outcome.err));
    let run = json::parse(line).expect("a trace line");
    assert_eq!(run.get("kind").and_then(Value::as_string).expect("a kind").to_string_lossy(), "run");
    let text = |key: &str| run.get(key).and_then(Value::as_string).map(|text| text.to_string_lossy());
    (text("lifecycle").unwrap_or_default(), text("lifecycle_from").unwrap_or_default())
}

fn replayed(input: &Path) -> (String, String) {
    told(&ttsr_auto([
        Path::new("replay"),
        input,
        "--rules".as_ref(),
        RULE.as_ref(),
        "--format".as_ref(),
        "jsonl".as_ref(),
    ]))
}

fn inspected(input: &Path) -> (String, String) {
    let outcome = ttsr_auto([Path::new("inspect-session"), input, "--format".as_ref(), "json".as_ref()]);
    let document = json::parse(outcome.out.trim_end()).expect("a document");
    let text = |key: &str| document.get(key).and_then(Value::as_string).map(|text| text.to_string_lossy());
    (text("lifecycle").unwrap_or_default(), text("lifecycle_from").unwrap_or_default())
}

/// Files of that kind in a folder of recordings, in order.
fn files(folder: &str, kind: &str) -> Vec<PathBuf> {
    let cases = fs::read_dir(project("testdata").join(folder)).expect("recordings").flatten();
    let files = cases.flat_map(|case| fs::read_dir(case.path()).into_iter().flatten().flatten());
    let is_meant =
        |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(kind));
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).filter(is_meant).collect();
    files.sort();
    files
}

/// Streams show their generation. Releases up to 18.1 leave a mark in a session only with a rule's injection, 5.7 none.
#[test]
fn every_recording_is_read_by_the_generation_that_made_it() {
    for (folder, lifecycle, streams, sessions) in [
        ("recordings", "v3", 57, 57),
        ("recordings-17", "v2", 37, 37),
        ("recordings-18.3", "v4", 40, 40),
        ("recordings-early", "v1", 8, 8),
    ] {
        let events = files(folder, "events.");
        assert_eq!(events.len(), streams, "{folder}");
        for file in events {
            let (found, from) = replayed(&file);
            assert_eq!(found, lifecycle, "{}: {from}", file.display());
            assert!(!from.is_empty(), "{}", file.display());
        }
        let files = files(folder, "session.");
        assert_eq!(files.len(), sessions, "{folder}");
        for file in files {
            let (found, from) = replayed(&file);
            let is_marked = match folder {
                "recordings-17" => fs::read_to_string(&file).expect("a session").contains("ttsr_injection"),
                "recordings-early" => false,
                _ => true,
            };
            // A session without judged rules has no mark of 18.3 against 18.2 (generation-v4.md W14).
            let text = fs::read_to_string(&file).expect("a session");
            let is_judged = |line: &str| {
                line.contains("\"purpose\":\"ttsr\"")
                    || (line.contains("\"custom_message\"") && line.contains("\"<system-reminder"))
            };
            // Of several processes the last one counts.
            let lines: Vec<&str> = text.lines().collect();
            let mut processes = lines.split(|line| line.contains("\"session_exit\""));
            let last = processes.rfind(|process| process.iter().any(|line| line.contains("completedAt")));
            let is_judged = last.is_some_and(|process| process.iter().any(|line| is_judged(line)));
            let expected = match (is_marked, lifecycle) {
                (false, _) => "v4",
                (true, "v4") if !is_judged => "v3",
                (true, lifecycle) => lifecycle,
            };
            assert_eq!((found.as_str(), from == "no mark: the newest"), (expected, !is_marked), "{}", file.display());
            assert_eq!(inspected(&file), (found, from), "{}", file.display());
        }
    }
}

const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}"#;

fn write(lines: &[String]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("input.jsonl");
    fs::write(&path, lines.join("\n") + "\n").expect("written");
    (folder, path)
}

/// A session of these entries, each the child of the one before.
fn session(entries: &[&str]) -> (String, String) {
    let mut lines = vec![HEADER.to_owned()];
    for (at, entry) in entries.iter().enumerate() {
        let parent = if at == 0 { "null".to_owned() } else { format!("\"e{}\"", at - 1) };
        let base = format!("\"id\":\"e{at}\",\"parentId\":{parent},\"timestamp\":\"2026-01-01T00:00:01.000Z\"");
        lines.push(format!("{{{base},{entry}}}"));
    }
    let (_folder, path) = write(&lines);
    let replayed = replayed(&path);
    assert_eq!(inspected(&path), replayed);
    replayed
}

/// An assistant message with these members beside the usual ones.
fn answer(members: &str) -> String {
    format!(
        r#""type":"message","message":{{"role":"assistant","content":[{{"type":"text","text":"ok"}}],"usage":{{}},"stopReason":"stop","timestamp":1{members}}}"#
    )
}

fn reminder(content: &str, details: &str) -> String {
    format!(
        r#""type":"custom_message","customType":"ttsr-injection","content":{content},"display":false,"details":{details}"#
    )
}

const EXIT: &str = r#""type":"custom","customType":"session_exit","data":{"reason":"dispose","kind":"normal"}"#;
const INJECTED: &str = r#""type":"ttsr_injection","injectedRules":["a"]"#;
const USAGE: &str =
    r#""type":"model_usage","purpose":"ttsr","api":"x","provider":"p","model":"m","usage":{},"stopReason":"stop""#;

fn is(lifecycle: &str, from: &str) -> (String, String) {
    (lifecycle.to_owned(), from.to_owned())
}

#[test]
fn marks_of_a_session_in_their_order() {
    let plain = answer("");
    let dated = answer(r#","completedAt":5"#);
    let tagged = reminder(r#""<system-interrupt rule=\"a\">""#, r#"{"rules":["a"]}"#);
    let delivered = reminder(r#""<system-interrupt rule=\"a\">""#, r#"{"rules":["a"],"deliveryId":1}"#);
    let judged = reminder(r#"[{"type":"text","text":"<system-reminder rule=\"a\">"}]"#, r#"{"rules":["a"]}"#);
    assert_eq!(session(&[&plain]), is("v4", "no mark: the newest"));
    assert_eq!(session(&[&plain, INJECTED]), is("v2", "`ttsr_injection` in line 3"));
    assert_eq!(session(&[&plain, &tagged, INJECTED]), is("v2", "`ttsr-injection` in line 3"));
    assert_eq!(session(&[&plain, &tagged, INJECTED, &dated]), is("v3", "`completedAt` in line 5"));
    assert_eq!(session(&[&plain, &delivered, INJECTED]), is("v3", "`deliveryId` in line 3"));
    let epoch = answer(r#","contextSnapshot":{"compactionEpoch":0}"#);
    assert_eq!(session(&[&epoch]), is("v3", "`contextSnapshot.compactionEpoch` in line 2"));
    for (entry, mark) in [
        (USAGE.to_owned(), "`model_usage` with the purpose `ttsr` in line 3"),
        (judged, "a `ttsr-injection` that opens with `<system-reminder` in line 3"),
    ] {
        let (lifecycle, from) = session(&[&dated, &entry]);
        assert_eq!((lifecycle.as_str(), from.as_str()), ("v4", mark));
    }
    // Other purposes, and the name anywhere but in the message itself, are no marks.
    assert_eq!(session(&[&USAGE.replace("\"ttsr\"", "\"title\"")]), is("v4", "no mark: the newest"));
    let inside = plain.replace(
        r#"{"type":"text","text":"ok"}"#,
        r#"{"type":"toolCall","id":"c","name":"write","arguments":{"completedAt":1,"deliveryId":2}}"#,
    );
    assert_eq!(session(&[&inside, INJECTED]), is("v2", "`ttsr_injection` in line 3"));
}

#[test]
fn of_several_processes_the_last_with_a_mark_decides() {
    let (plain, dated) = (answer(""), answer(r#","completedAt":5"#));
    assert_eq!(session(&[INJECTED, EXIT, &dated, EXIT]), is("v3", "`completedAt` in line 4, process 2 of 2"));
    assert_eq!(session(&[&dated, EXIT, INJECTED]), is("v2", "`ttsr_injection` in line 4, process 2 of 2"));
    assert_eq!(session(&[&dated, EXIT, &plain]), is("v3", "`completedAt` in line 2, process 1 of 2"));
    assert_eq!(
        session(&[INJECTED, EXIT, &plain, EXIT, &plain]),
        is("v2", "`ttsr_injection` in line 2, process 1 of 3")
    );
}

#[test]
fn only_the_branch_of_the_leaf_counts() {
    let (plain, dated) = (answer(""), answer(r#","completedAt":5"#));
    let entry = |id: &str, parent: &str, entry: &str| {
        format!("{{\"id\":\"{id}\",\"parentId\":{parent},\"timestamp\":\"2026-01-01T00:00:01.000Z\",{entry}}}")
    };
    let lines =
        [HEADER.to_owned(), entry("a", "null", &plain), entry("b", "\"a\"", &dated), entry("c", "\"a\"", INJECTED)];
    let (_folder, path) = write(&lines);
    assert_eq!(replayed(&path), is("v2", "`ttsr_injection` in line 4"));
    let path = path.to_str().expect("UTF-8");
    let leaf = ttsr_auto(["replay", path, "--leaf", "b", "--rules", RULE, "--format", "jsonl"]);
    assert_eq!(told(&leaf), is("v3", "`completedAt` in line 3"));
    let leaf = ttsr_auto(["inspect-session", path, "--leaf", "b"]);
    assert!(leaf.out.contains("lifecycle v3 (`completedAt` in line 3)"), "{}", leaf.out);
}

/// A stream of these lines.
fn stream(lines: &[&str]) -> (String, String) {
    let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let (_folder, path) = write(&lines);
    let found = replayed(&path);
    let bytes = fs::read(&path).expect("the stream");
    let arguments = ["replay", "-", "--rules", RULE, "--format", "jsonl"];
    assert_eq!(told(&ttsr_with(arguments, &bytes, &surroundings())), found, "standard input");
    let marked = [b"\xEF\xBB\xBF", &bytes[..]].concat();
    assert_eq!(told(&ttsr_with(arguments, &marked, &surroundings())), found, "a byte order mark");
    found
}

fn end(members: &str) -> String {
    format!(
        r#"{{"type":"message_end","message":{{"role":"assistant","content":[],"stopReason":"stop","timestamp":1{members}}}}}"#
    )
}

#[test]
fn marks_of_a_stream_in_their_order() {
    const START: &str = r#"{"type":"agent_start"}"#;
    let (bare, used) = (end(""), end(r#","usage":{}"#));
    let dated = end(r#","usage":{},"completedAt":5"#);
    let early = r#"{"type":"ttsr_triggered","rules":[{"name":"a","ttsrTrigger":"x"}]}"#;
    let later = r#"{"type":"ttsr_triggered","rules":[{"name":"a","condition":["x"]}]}"#;
    let injection = r#"{"type":"message_end","message":{"role":"custom","customType":"ttsr-injection","content":"<system-interrupt>","details":{"rules":["a"]},"timestamp":1}}"#;
    assert_eq!(stream(&[HEADER, START, &bare]), is("v4", "no mark: the newest"));
    assert_eq!(stream(&[START, &bare, later]), is("v4", "no mark: the newest"));
    assert_eq!(stream(&[HEADER, START, &used]), is("v2", "`usage` without `completedAt` in line 3"));
    assert_eq!(stream(&[START, &used]), is("v1", "no header, and `usage` without `completedAt` in line 2"));
    assert_eq!(stream(&[HEADER, START, &used, &dated]), is("v3", "`completedAt` in line 4"));
    assert_eq!(stream(&[START, &used, &dated]), is("v3", "`completedAt` in line 3"));
    assert_eq!(stream(&[START, early, &bare]), is("v1", "a rule object with `ttsrTrigger` in line 2"));
    assert_eq!(stream(&[HEADER, START, early, &used]), is("v1", "a rule object with `ttsrTrigger` in line 3"));
    // RPC streams have no header in any generation.
    assert_eq!(stream(&[START, &used, injection]), is("v2", "`ttsr-injection` in line 3"));
    assert_eq!(stream(&[START, later, &used]).0, "v2");
    let delivered = injection.replace(r#"["a"]}"#, r#"["a"],"deliveryId":3}"#);
    assert_eq!(stream(&[START, &used, &delivered]), is("v3", "`deliveryId` in line 3"));
    for v4 in [
        r#"{"type":"agent_end","messages":[],"yielded":true}"#,
        r#"{"messages":[],"yielded":false,"type":"agent_end"}"#,
        r#"{"type":"prompt_result","id":"1"}"#,
        r#"{"type":"session_settled"}"#,
        r#"{"type":"ttsr_triggered","rules":[{"name":"a","question":"Is it?"}]}"#,
        &injection.replace("interrupt", "reminder"),
    ] {
        let (lifecycle, from) = stream(&[HEADER, START, &dated, v4]);
        assert!(lifecycle == "v4" && from.ends_with("in line 4"), "{v4}: {from}");
    }
    // The streams of two processes in one file.
    assert_eq!(stream(&[START, &used, HEADER, START, &dated]).1, "`completedAt` in line 5, process 2 of 2");
    assert_eq!(stream(&[HEADER, &dated, HEADER, START, &used]).0, "v2");
}

/// What stands behind the part that is held back is replayed, and does not decide.
#[test]
fn standard_input_is_looked_at_up_to_a_limit() {
    let update = |text: &str| {
        format!(
            r#"{{"type":"message_update","assistantMessageEvent":{{"type":"text_delta","contentIndex":0,"delta":"{text}"}}}}"#
        )
    };
    let start =
        r#"{"type":"message_start","message":{"role":"assistant","content":[],"stopReason":"stop","timestamp":1}}"#;
    let long = "x".repeat(1 << 16);
    let mut lines = vec![HEADER.to_owned(), r#"{"type":"agent_start"}"#.to_owned(), start.to_owned()];
    lines.extend((0..20).map(|_| update(&long)));
    lines.extend([update("a.unwrap() b"), end(r#","usage":{},"completedAt":5"#)]);
    let (_folder, path) = write(&lines);
    assert_eq!(replayed(&path), is("v3", "`completedAt` in line 25"));
    let bytes = fs::read(&path).expect("the stream");
    let outcome = ttsr_with(["replay", "-", "--rules", RULE, "--format", "jsonl"], &bytes, &surroundings());
    assert_eq!(told(&outcome), is("v4", "no mark: the newest"));
    assert!(outcome.out.contains("\"kind\":\"trigger\""), "the rest is not replayed");
}

#[test]
fn a_named_generation_has_no_mark_and_auto_stands_alone() {
    let demo = "testdata/demo/session.jsonl";
    let named = ttsr_auto(["replay", demo, "--rules", RULE, "--lifecycle", "v2", "--format", "jsonl"]);
    assert_eq!(told(&named), is("v2", ""));
    for several in ["auto,v3", "v1,auto", "auto,auto"] {
        assert_eq!(ttsr_auto(["replay", demo, "--rules", RULE, "--lifecycle", several]).status, 2, "{several}");
    }
    for command in ["check-rules", "inspect-session"] {
        let input = if command == "check-rules" { RULE } else { demo };
        assert_eq!(ttsr_auto([command, input, "--lifecycle", "v1,v2"]).status, 2, "{command}");
    }
    let newest = ttsr_auto(["replay", demo, "--rules", RULE, "--lifecycle", "v4", "--format", "jsonl"]);
    assert_eq!(told(&newest), is("v4", ""));
}

/// Texts, scripts and rule files carry no marks.
#[test]
fn what_carries_no_marks_takes_the_newest() {
    let newest = is("v4", "no mark: the newest");
    let text = ["replay", "--text", "a.unwrap()", "--rules", RULE, "--format", "jsonl"];
    assert_eq!(told(&ttsr_auto(text)), newest);
    let script = ["replay", "--script", "testdata/demo/replies.json", "--prompt", "go"];
    assert_eq!(told(&ttsr_auto(script.into_iter().chain(["--rules", RULE, "--format", "jsonl"]))), newest);
    for arguments in [&["check-rules", RULE][..], &["check-rules", RULE, "--list"]] {
        let human = ttsr_auto(arguments);
        assert!(human.out.contains("lifecycle v4 (no mark: the newest)"), "{}", human.out);
    }
    let json = ttsr_auto(["check-rules", RULE, "--format", "json"]);
    assert!(json.out.contains(r#""lifecycle":"v4","lifecycle_from":"no mark: the newest""#), "{}", json.out);
}

/// Every input has its own generation, whatever the order and the number of jobs, and every form says so.
#[test]
fn each_input_has_its_own_generation() {
    let early = "testdata/recordings-early/e01-interrupt/events.1.jsonl";
    let middle = "testdata/recordings-17/g01-interrupt-text/session.1.jsonl";
    let late = "testdata/recordings/g01-interrupt-text/events.1.jsonl";
    let all = ["replay", early, middle, late, "--rules", RULE, "--each"];
    let runs = |outcome: &Outcome| -> Vec<String> {
        let runs = outcome.out.lines().filter(|line| line.contains("\"kind\":\"run\""));
        let generation = |line: &str| json::parse(line).expect("JSON").get("lifecycle").map(Value::to_json);
        runs.filter_map(generation).collect()
    };
    let alone = ttsr_auto(all.into_iter().chain(["--format", "jsonl"]));
    assert_eq!(runs(&alone), ["\"v1\"", "\"v2\"", "\"v3\""]);
    let shared = ttsr_auto(all.into_iter().chain(["--format", "jsonl", "--jobs", "3"]));
    assert_eq!(alone.out, shared.out);
    let human = ttsr_auto(all);
    for said in ["lifecycle v1 (a rule object", "lifecycle v2 (`ttsr", "lifecycle v3 (`completedAt`"] {
        assert!(human.out.contains(said), "{said}: {}", human.out);
    }
    assert!(!human.out.contains("Where the generations differ"), "these are different inputs");
    let csv = ttsr_auto(all.into_iter().chain(["--format", "csv"]));
    let mut rows = csv.out.lines();
    assert!(rows.next().is_some_and(|head| head.ends_with(",lifecycle,lifecycle_from,refused")), "{}", csv.out);
    assert!(rows.any(|row| row.contains(",v3,`completedAt` in line ")), "{}", csv.out);
    // A finding in a rule file is told once, not for each generation.
    let folder = tempfile::tempdir().expect("a folder");
    let bad = folder.path().join("bad.md");
    fs::write(&bad, "---\nttsr_trigger: x\ncondition: '(foo'\n---\nB\n").expect("written");
    let outcome = ttsr_auto(["replay", middle, late, "--rules", bad.to_str().expect("UTF-8")]);
    assert_eq!(outcome.err.matches("never closed").count(), 1, "{}", outcome.err);
}

#[test]
fn a_handoff_says_its_generation() {
    let folder = tempfile::tempdir().expect("a folder");
    let document = folder.path().join("document.md");
    fs::write(&document, "## Goal\nx\n").expect("written");
    let handoff = |name: &str, format: &str| {
        let output = folder.path().join(name);
        let (document, output) = (document.to_str().expect("UTF-8"), output.to_str().expect("UTF-8"));
        let session = "testdata/recordings-17/g01-interrupt-text/session.1.jsonl";
        ttsr_auto(["handoff", session, "--document", document, "--output", output, "--format", format])
    };
    let human = handoff("a.jsonl", "human");
    assert!(human.out.contains("v2 (`ttsr"), "{}{}", human.out, human.err);
    let json = handoff("b.jsonl", "json");
    assert!(json.out.contains(r#""lifecycle":"v2","lifecycle_from":"`ttsr"#), "{}", json.out);
}

/// 18.2 and 18.3 leave the same marks where no rule is judged: said where the two would read rules or settings otherwise.
#[test]
fn an_input_of_two_possible_generations_is_noted_where_they_differ() {
    let session = "testdata/demo/session.jsonl";
    let notes = |more: &[&str]| {
        let fixed = ["replay", session, "--rules", "testdata/demo/rules", "--verbose"];
        let outcome = ttsr_auto(fixed.iter().chain(more));
        assert_eq!(outcome.status, 0, "{}", outcome.err);
        outcome.err.matches("generation-ambiguous").count()
    };
    let look_ahead = "testdata/rules/sticky-look-ahead/failing.md";
    let without_alternatives = "testdata/rules/sticky-look-ahead/passing.md";
    assert_eq!(notes(&[]), 0);
    assert_eq!(notes(&["--rules", without_alternatives]), 0);
    assert_eq!(notes(&["--rules", look_ahead]), 1);
    assert_eq!(notes(&["--rules", look_ahead, "--lifecycle", "v3"]), 0);
    assert_eq!(notes(&["--rules", look_ahead, "--jobs", "2"]), 1);
    assert_eq!(notes(&["--set", "ttsr.contextMode=7"]), 1);
    // In an audit it is a finding like any other, where something is decided by rules.
    let findings = |more: &[&str]| {
        let outcome = ttsr_auto(["inspect-session", session, "--format", "json"].iter().chain(more));
        assert_eq!(outcome.status, 0, "{}", outcome.err);
        outcome.out.matches("generation-ambiguous").count()
    };
    assert_eq!(findings(&[]), 0);
    assert_eq!(findings(&["--rules", without_alternatives]), 0);
    assert_eq!(findings(&["--rules", look_ahead, "--rules", "testdata/demo/rules"]), 1);
    assert_eq!(findings(&["--rules", look_ahead, "--rules", "testdata/demo/rules", "--lifecycle", "v3"]), 0);
}

/// What is written carries the marks of its generation: it is read back by the one that wrote it. A session of 18.3
/// without a judge has no mark against 18.2.
#[test]
fn what_is_written_is_read_back_by_its_generation() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::write(at("r.md"), "---\ncondition: foo\n---\nB\n").expect("a rule");
    fs::write(at("script.json"), r#"[[{"text": "a foo"}], [{"text": "b"}]]"#).expect("a script");
    for (lifecycle, session, stream) in [("v2", "v2", "v2"), ("v3", "v3", "v3"), ("v4", "v3", "v4")] {
        let (written, events) = (at(&format!("{lifecycle}.s.jsonl")), at(&format!("{lifecycle}.e.jsonl")));
        let script = ["replay", "--script", &at("script.json"), "--prompt", "x", "--rules", &at("r.md")];
        let outputs = ["--write-session", &written, "--emit-events", &events, "--lifecycle", lifecycle];
        let made = ttsr_auto(script.into_iter().chain(outputs));
        assert_eq!(made.status, 0, "{}", made.err);
        for (file, wanted) in [(written, session), (events, stream)] {
            let again = ttsr_auto(["replay", &file, "--rules", &at("r.md"), "--verify"]);
            assert_eq!(again.status, 0, "{}", again.err);
            assert!(again.out.contains(&format!(", lifecycle {wanted} (")), "{lifecycle}: {}", again.out);
        }
    }
}
