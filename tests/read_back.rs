//! What a recording says of the agent's state is read back as it happened (session.md S9.4a to S9.4f; cli.md section 2):
//! kinds that the given recordings do not show.

use std::fs;
use std::path::{Path, PathBuf};

use ttsr::text::json::{self, Value};

use crate::support::program::{Outcome, surroundings, ttsr, ttsr_with};
use crate::support::project;

fn run(arguments: &[&str]) -> Outcome {
    ttsr_with(arguments.iter().map(|&argument| argument.to_owned()), b"", &surroundings())
}

fn values(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| json::parse(line).ok()).collect()
}

fn string(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_string).map(ToString::to_string).unwrap_or_default()
}

fn names(value: &Value, key: &str) -> Vec<String> {
    let items = value.get(key).and_then(Value::as_array).unwrap_or_default();
    items.iter().map(|item| item.as_string().map(ToString::to_string).unwrap_or_default()).collect()
}

fn of_kind(outcome: &Outcome, kind: &str) -> Vec<Value> {
    values(&outcome.out).into_iter().filter(|line| string(line, "kind") == kind).collect()
}

/// The rules of each trigger.
fn triggers(outcome: &Outcome) -> Vec<Vec<String>> {
    of_kind(outcome, "trigger").iter().map(|trigger| names(trigger, "rules")).collect()
}

/// A folder with files, and paths in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(rules: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a folder"));
        fs::create_dir(folder.0.path().join("rules")).expect("a folder");
        for (name, text) in rules {
            folder.write(&format!("rules/{name}.md"), text);
        }
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).expect("a file");
        self.path(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }

    fn replay(&self, lifecycle: &str, arguments: &[&str]) -> Outcome {
        let rules = self.path("rules");
        let mut all = vec!["replay"];
        all.extend(arguments);
        all.extend(["--rules", &rules, "--lifecycle", lifecycle, "--format", "jsonl"]);
        run(&all)
    }
}

fn recording(name: &str) -> PathBuf {
    project("testdata").join(name)
}

fn of(folder: &Path, name: &str) -> String {
    folder.join(name).to_string_lossy().into_owned()
}

/// testdata/cases/README.md.
#[test]
fn the_cases_read_back() {
    let folder = recording("cases");
    let rules = of(&folder, "rules");
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("cases").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".jsonl") {
            continue;
        }
        count += 1;
        let file = of(&folder, &name);
        let mut options = vec!["--rules", &rules, "--lifecycle", "v3"];
        if name == "queued-user-message.jsonl" {
            options.extend(["--set", "ttsr.interruptMode=never"]);
        }
        let verified = run(&[&["replay", &file, "--verify"], options.as_slice()].concat());
        assert_eq!(verified.status, 0, "{name}: {}", verified.err);
        let inspected =
            run(&[&["inspect-session", &file, "--format", "json", "--fail-on", "note"], options.as_slice()].concat());
        assert_eq!(inspected.status, 0, "{name}: {}", inspected.out);
    }
    assert_eq!(count, 6);
}

/// The rule was injected in the first process; what the second one restored is a fact in both modes.
#[test]
fn observing_reads_what_a_process_end_restores() {
    for folder in ["recordings/g06-once-resume", "recordings-17/g06-once-resume"] {
        let folder = recording(folder);
        let (session, rules, settings) =
            (of(&folder, "session.2.jsonl"), of(&folder, "rules"), of(&folder, "settings.json"));
        let lifecycle = if folder.to_string_lossy().contains("-17") { "v2" } else { "v3" };
        for mode in ["observe", "abort"] {
            let outcome = run(&[
                "replay",
                &session,
                "--rules",
                &rules,
                "--settings",
                &settings,
                "--lifecycle",
                lifecycle,
                "--on-trigger",
                mode,
                "--verify",
                "--format",
                "jsonl",
            ]);
            assert_eq!(outcome.status, 0, "{mode}: {}", outcome.err);
            let behind = values(&outcome.out).into_iter().filter(|line| string(line, "kind") == "trigger");
            let messages: Vec<f64> = behind.filter_map(|line| line.get("at")?.get("message")?.as_f64()).collect();
            assert!(
                messages.iter().all(|message| *message == 0.0),
                "{mode}: only the first message matches: {messages:?}"
            );
        }
    }
}

/// Decision kinds count: the recording interrupts where v3 defers.
#[test]
fn another_decision_for_the_same_rule_is_a_difference() {
    let folder = recording("recordings-18.3/k07-mode-invalid");
    for input in ["events.1.jsonl", "session.1.jsonl"] {
        let (input, rules, settings) = (of(&folder, input), of(&folder, "rules"), of(&folder, "settings.json"));
        let outcome =
            run(&["replay", &input, "--rules", &rules, "--settings", &settings, "--lifecycle", "v3", "--verify"]);
        assert_eq!(outcome.status, 1, "{input}: {}{}", outcome.out, outcome.err);
    }
}

/// A prompt that ends with an interrupt and no reply left: the next prompt does not change the decision on replay.
#[test]
fn a_retry_without_reply_reads_back() {
    let folder = Folder::new(&[("foo", "---\ncondition: foo\nttsr_trigger: foo\n---\nNo foo.\n")]);
    let script = folder.write("script.json", r#"[[{"text":"foo one"}],[{"text":"foo two"}]]"#);
    for lifecycle in ["v1", "v2", "v3"] {
        // One reply a prompt; the retry of the first takes the second, so it is the one-reply script that runs dry.
        let one = folder.write("one.json", r#"[[{"text":"foo one"}]]"#);
        for (script, prompts) in [(&script, 2), (&one, 2)] {
            let emitted = folder.path(&format!("emitted.{lifecycle}.{prompts}.{}.jsonl", script.len()));
            let mut arguments = vec!["--script", script.as_str(), "--emit-events", emitted.as_str()];
            arguments.extend((0..prompts).flat_map(|_| ["--prompt", "go"]));
            let scripted = folder.replay(lifecycle, &arguments);
            let again = folder.replay(lifecycle, &[&emitted, "--verify"]);
            assert_eq!(again.status, 0, "{lifecycle}: {}", again.err);
            assert_eq!(triggers(&again), triggers(&scripted), "{lifecycle}");
            assert_eq!(triggers(&again), [["foo"]], "{lifecycle}");
            let persisted = |outcome: &Outcome| of_kind(outcome, "persist").len();
            assert_eq!(persisted(&again), persisted(&scripted), "{lifecycle}");
        }
    }
}

const HEADER: &str =
    r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/project"}"#;

/// A session line by line, each entry under the one before.
fn session(entries: &[&str]) -> String {
    let mut text = format!("{HEADER}\n");
    for (at, entry) in entries.iter().enumerate() {
        let parent = if at == 0 { "null".to_owned() } else { format!("\"{at:08x}\"") };
        let id = at + 1;
        let body = entry.trim_start_matches('{');
        text.push_str(&format!(
            "{{\"id\":\"{id:08x}\",\"parentId\":{parent},\"timestamp\":\"2026-01-01T00:00:{:02}.000Z\",{body}\n",
            id % 60
        ));
    }
    text
}

fn user(text: &str) -> String {
    format!(
        r#"{{"type":"message","message":{{"role":"user","content":[{{"type":"text","text":"{text}"}}],"timestamp":1}}}}"#
    )
}

fn assistant(text: &str) -> String {
    format!(
        r#"{{"type":"message","message":{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}],"api":"a","provider":"p","model":"m","stopReason":"stop","timestamp":{}}}}}"#,
        2 + text.len()
    )
}

const BETWEEN: [&str; 8] = [
    r#"{"type":"model_change","model":"acme/coder","role":"default"}"#,
    r#"{"type":"label","targetId":"00000001","label":"task"}"#,
    r#"{"type":"title_change","title":"T","source":"auto"}"#,
    r#"{"type":"custom","customType":"note","data":{"n":1}}"#,
    r#"{"type":"compaction","summary":"So far.","firstKeptEntryId":"00000001","tokensBefore":10}"#,
    r#"{"type":"branch_summary","fromId":"00000001","summary":"Tried."}"#,
    r#"{"type":"reset_boundary"}"#,
    r#"{"type":"from_tomorrow","what":[1,2,3]}"#,
];

/// Entries between messages are no part of the attempt that a match cuts off (session.md S9.4d).
#[test]
fn a_written_session_keeps_what_stands_behind_an_interrupt() {
    let folder = Folder::new(&[("foo", "---\ncondition: foo\n---\nNo foo.\n")]);
    let mut entries = vec![user("go"), assistant("a foo that nobody stopped")];
    entries.extend(BETWEEN.map(str::to_owned));
    entries.extend([assistant("well"), user("more")]);
    entries.extend(BETWEEN.map(str::to_owned));
    entries.push(assistant("done"));
    let lines: Vec<&str> = entries.iter().map(String::as_str).collect();
    let input = folder.write("session.jsonl", &session(&lines));
    for lifecycle in ["v1", "v2", "v3"] {
        for context in ["discard", "keep"] {
            let name = format!("written.{lifecycle}.{context}.jsonl");
            let set = format!("ttsr.contextMode={context}");
            let outcome = folder.replay(lifecycle, &[&input, "--write-session", &folder.path(&name), "--set", &set]);
            assert_eq!(outcome.status, 0, "{}", outcome.err);
            if lifecycle != "v1" {
                assert_eq!(triggers(&outcome), [["foo"]]);
            }
            let written = values(&folder.read(&name));
            for entry in BETWEEN {
                let entry = json::parse(entry).expect("an entry");
                let kind = string(&entry, "type");
                let count = written.iter().filter(|line| string(line, "type") == kind).count();
                assert_eq!(count, 2, "{lifecycle} {context}: {kind}");
            }
        }
    }
}

/// Release 5.7 kept the call that an abort cut, with what could be read of its arguments, and gave it a result
/// (recordings-early, e06).
#[test]
fn the_early_generation_keeps_the_call_that_was_cut() {
    let folder = Folder::new(&[("foo", "---\nttsr_trigger: foo\n---\nNo foo.\n")]);
    let script =
        r#"[[{"text":"Look: "},{"tool":"bash","id":"c1","args":{"command":"echo foo and more"}}],[{"text":"I ask."}]]"#;
    let script = folder.write("script.json", script);
    let (written, emitted) = (folder.path("written.jsonl"), folder.path("emitted.jsonl"));
    let scripted = folder
        .replay("v1", &["--script", &script, "--prompt", "go", "--write-session", &written, "--emit-events", &emitted]);
    assert_eq!(scripted.status, 0, "{}", scripted.err);
    let streamed = folder.path("streamed.jsonl");
    let again = folder.replay("v1", &[&emitted, "--write-session", &streamed, "--verify"]);
    assert_eq!(again.status, 0, "{}", again.err);
    // A recording that nobody interrupted, cut at the match.
    let whole = folder.path("whole.jsonl");
    let unwatched = run(&[
        "replay",
        "--script",
        &script,
        "--prompt",
        "go",
        "--rules",
        &folder.write("rules-none.md", "---\nttsr_trigger: zzz\n---\nB\n"),
        "--lifecycle",
        "v1",
        "--emit-events",
        &whole,
    ]);
    assert_eq!(unwatched.status, 0, "{}", unwatched.err);
    let cut = folder.path("cut.jsonl");
    let outcome = folder.replay("v1", &[&whole, "--write-session", &cut]);
    assert_eq!(triggers(&outcome), [["foo"]], "{}", outcome.err);

    for file in ["written.jsonl", "streamed.jsonl", "cut.jsonl"] {
        let entries = values(&folder.read(file));
        let messages: Vec<&Value> = entries.iter().filter_map(|entry| entry.get("message")).collect();
        let aborted = messages.iter().find(|message| string(message, "stopReason") == "aborted").expect("aborted");
        let content = aborted.get("content").and_then(Value::as_array).unwrap_or_default();
        assert_eq!(content.len(), 2, "{file}");
        let raw = string(&content[1], "partialArgs");
        assert!(raw.starts_with("{\"command\":\"echo foo") && !raw.contains("more"), "{file}: {raw}");
        let command = string(content[1].get("arguments").expect("arguments"), "command");
        assert!(command.starts_with("echo foo") && !command.contains("more"), "{file}: {command}");
        let result = messages.iter().find(|message| string(message, "role") == "toolResult").expect("a result");
        let text = result.get("content").and_then(Value::as_array).and_then(|content| content.first());
        assert_eq!(text.map(|text| string(text, "text")).unwrap_or_default(), "Tool execution was aborted.", "{file}");
        assert_eq!(result.get("isError").and_then(Value::as_bool), Some(true), "{file}");
        assert_eq!(result.get("details").map(Value::to_json).unwrap_or_default(), "{}", "{file}");
    }
}

/// Every timer of the early generation runs: the second drops what it finds at the end, and the trace says what.
#[test]
fn a_second_timer_says_what_it_drops() {
    let rule = |word: &str| format!("---\nttsr_trigger: {word}\n---\nNo {word}.\n");
    let (one, two) = (rule("foo"), rule("bar"));
    let folder = Folder::new(&[("foo", &one), ("bar", &two)]);
    // A recorded message that goes on behind its first match.
    let mut stream = format!("{HEADER}\n{{\"type\":\"agent_start\"}}\n{{\"type\":\"turn_start\"}}\n");
    for line in [
        r#"{"type":"message_start","message":{"role":"user","content":[{"type":"text","text":"go"}],"timestamp":1}}"#,
        r#"{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"go"}],"timestamp":1}}"#,
        r#"{"type":"message_start","message":{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","stopReason":"stop","timestamp":2}}"#,
        r#"{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"foo "}}"#,
        r#"{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"bar"}}"#,
        r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"foo bar"}],"api":"a","provider":"p","model":"m","stopReason":"aborted","errorMessage":"Request was aborted","timestamp":2}}"#,
        r#"{"type":"turn_end","message":{"role":"assistant","content":[{"type":"text","text":"foo bar"}],"api":"a","provider":"p","model":"m","stopReason":"aborted","errorMessage":"Request was aborted","timestamp":2},"toolResults":[]}"#,
        r#"{"type":"agent_end","messages":[]}"#,
        r#"{"type":"agent_start"}"#,
        r#"{"type":"turn_start"}"#,
        r#"{"type":"message_start","message":{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","stopReason":"stop","timestamp":3}}"#,
        r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"ok"}],"api":"a","provider":"p","model":"m","stopReason":"stop","timestamp":3}}"#,
    ] {
        stream.push_str(line);
        stream.push('\n');
    }
    let input = folder.write("events.jsonl", &stream);
    let outcome = folder.replay("v1", &[&input, "--trace", "full"]);
    assert_eq!(triggers(&outcome), [["foo"], ["bar"]], "{}", outcome.err);
    let dropped: Vec<Vec<String>> = of_kind(&outcome, "discard").iter().map(|line| names(line, "dropped")).collect();
    let messages: Vec<bool> =
        of_kind(&outcome, "discard").iter().map(|line| line.get("message").and_then(Value::as_f64).is_some()).collect();
    // The first drops the aborted message, the second the reminder that the first put in its place.
    assert_eq!(dropped, [Vec::<String>::new(), vec!["user".to_owned()]], "{}", outcome.out);
    assert_eq!(messages, [true, false]);
}

/// `--resume S` with every kind of input: S's lines come first, unchanged; `--leaf` chooses where the run goes on.
#[test]
fn a_resumed_session_comes_first_unchanged() {
    let folder = Folder::new(&[("foo", "---\ncondition: foo\nscope: text, tool\n---\nNo foo.\n")]);
    let injected = [
        r#"{"type":"custom_message","customType":"ttsr-injection","content":"<system-interrupt reason=\"rule_violation\" rule=\"foo\" path=\".omp/rules/foo.md\">\nW\n\nNo foo.\n</system-interrupt>","display":false,"details":{"rules":["foo"]},"attribution":"agent"}"#,
        r#"{"type":"ttsr_injection","injectedRules":["foo"]}"#,
    ];
    let aborted = assistant("a foo").replace("\"stop\"", "\"aborted\",\"errorMessage\":\"TTSR matched rule: foo\"");
    let entries = [user("go"), aborted, injected[0].to_owned(), injected[1].to_owned(), assistant("well")];
    let lines: Vec<&str> = entries.iter().map(String::as_str).collect();
    let before = session(&lines);
    let resumed = folder.write("before.jsonl", &before);
    let script = folder.write("script.json", r#"[[{"text":"foo again"}],[{"text":"fine"}]]"#);
    let events = folder.path("events.jsonl");
    let plain = folder.replay("v3", &["--script", &script, "--prompt", "go", "--emit-events", &events]);
    assert_eq!(triggers(&plain), [["foo"]]);

    for (leaf, fires) in [(None, false), (Some("00000005"), false), (Some("00000001"), true)] {
        let at: Vec<&str> = leaf.map_or(Vec::new(), |leaf| vec!["--leaf", leaf]);
        let inputs: [&[&str]; 3] = [&["--script", &script, "--prompt", "go"], &["--text", "a foo"], &[&events]];
        for (number, input) in inputs.into_iter().enumerate() {
            let name = format!("written.{number}.{}.jsonl", leaf.unwrap_or("none"));
            let written = folder.path(&name);
            let arguments = [input, &["--resume", &resumed, "--write-session", &written], &at].concat();
            let outcome = folder.replay("v3", &arguments);
            assert_eq!(outcome.status, 0, "{arguments:?}: {}", outcome.err);
            assert_eq!(!triggers(&outcome).is_empty(), fires, "{arguments:?}");
            let text = folder.read(&name);
            let added = text.strip_prefix(&before).unwrap_or_else(|| panic!("{arguments:?}: {text}"));
            let first = values(added).into_iter().next().expect("an entry");
            assert_eq!(string(&first, "parentId"), leaf.unwrap_or("00000005"), "{arguments:?}");
        }
    }
    let unknown = folder.replay("v3", &["--text", "a foo", "--resume", &resumed, "--leaf", "nowhere"]);
    assert_eq!(unknown.status, 3, "{}", unknown.err);
}

/// A full-form stream shows the arguments as the agent had read them: those decide, not the text of the deltas (f119).
#[test]
fn a_full_form_stream_shows_the_arguments() {
    let folder =
        Folder::new(&[("foo", "---\ncondition: foo\nscope: tool:write(*.ts)\ninterruptMode: always\n---\nNo foo.\n")]);
    let message = |arguments: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"c1","name":"write","arguments":{arguments}}}],"api":"a","provider":"p","model":"m","stopReason":"stop","timestamp":2}}"#
        )
    };
    let update = |delta: &str, arguments: &str| {
        let partial = message(arguments);
        format!(
            r#"{{"type":"message_update","assistantMessageEvent":{{"type":"toolcall_delta","contentIndex":0,"delta":{},"partial":{partial}}},"message":{partial}}}"#,
            Value::String(delta.into()).to_json()
        )
    };
    let start = format!(
        r#"{{"type":"message_update","assistantMessageEvent":{{"type":"toolcall_start","contentIndex":0,"partial":{0}}},"message":{0}}}"#,
        message("{}")
    );
    let stream = [
        HEADER.to_owned(),
        r#"{"type":"agent_start"}"#.to_owned(),
        r#"{"type":"turn_start"}"#.to_owned(),
        format!(r#"{{"type":"message_start","message":{}}}"#, message("{}")),
        start,
        update("{\"path\":\"a.ts\",", "{}"),
        // The provider has not read the arguments again yet.
        update("\"content\":\"foo ", "{}"),
        update("and so on", r#"{"path":"a.ts","content":"foo and so on"}"#),
    ];
    let input = folder.write("events.jsonl", &(stream.join("\n") + "\n"));
    let outcome = folder.replay("v3", &[&input]);
    let places: Vec<Option<f64>> =
        of_kind(&outcome, "trigger").iter().map(|line| line.get("at")?.get("line")?.as_f64()).collect();
    assert_eq!(places, [Some(8.0)], "{}{}", outcome.out, outcome.err);
}

/// Where the agent's deltas ended is not in a session: a rule that matches at some ends only is no difference, one that
/// matches at none is (session.md S9.5).
#[test]
fn a_match_at_other_ends_is_no_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("carol.md"), "---\ncondition: 'carol\\b'\ninterruptMode: never\n---\nB\n").expect("a rule");
    fs::write(path("dave.md"), "---\ncondition: 'dave'\ninterruptMode: never\n---\nB\n").expect("a rule");
    let script = r#"[{"parts": [{"text": "see carolfox", "chunk": 3}]}, {"parts": [{"text": "done"}]}]"#;
    fs::write(path("script.json"), script).expect("a script");
    let (session, rules) = (path("session.jsonl"), path("carol.md"));
    let written = ttsr([
        "replay",
        "--script",
        &path("script.json"),
        "--prompt",
        "x",
        "--rules",
        &rules,
        "--write-session",
        &session,
    ]);
    assert_eq!(written.status, 0, "{}", written.err);
    let text = fs::read_to_string(&session).expect("a session");
    assert!(text.contains("ttsr_injection"), "{text}");
    let verified = ttsr(["replay", &session, "--rules", &rules, "--verify"]);
    assert_eq!(verified.status, 0, "{}\n{}", verified.err, verified.out);
    assert!(verified.out.contains("not reproducible"), "{}", verified.out);
    let other = path("other.jsonl");
    fs::write(&other, text.replace("carol\"", "dave\"")).expect("a session");
    let verified = ttsr(["replay", &other, "--rules", &path("dave.md"), "--verify"]);
    assert_eq!(verified.status, 1, "{}\n{}", verified.err, verified.out);
}
