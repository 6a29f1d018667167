//! `--verify` notices each single change of what a recording says of its injections (cli.md section 2, "`--verify`"),
//! and `inspect-session --replay` shows the same differences as findings.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ttsr::text::json::{self, Value};

use crate::support::program::{Outcome, surroundings, ttsr_with};
use crate::support::project;

/// A recorded run: where its rules lie and which generation made it.
struct Case {
    name: String,
    folder: PathBuf,
    lifecycle: &'static str,
}

impl Case {
    fn run(&self, command: &str, input: &Path, further: &[&str]) -> Outcome {
        let path = |name: &str| self.folder.join(name).to_string_lossy().into_owned();
        let mut arguments = vec![command.to_owned(), input.to_string_lossy().into_owned()];
        let mut surroundings = surroundings();
        if self.folder.join("tree").is_dir() {
            arguments.extend(["--project".to_owned(), path("tree/app")]);
            surroundings.home = Some(self.folder.join("tree"));
        } else {
            arguments.extend(["--rules".to_owned(), path("rules")]);
        }
        if self.folder.join("settings.json").is_file() {
            arguments.extend(["--settings".to_owned(), path("settings.json")]);
        }
        arguments.extend(["--lifecycle", self.lifecycle].map(str::to_owned));
        arguments.extend(further.iter().map(|&argument| argument.to_owned()));
        ttsr_with(arguments, b"", &surroundings)
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (folder, lifecycle) in [("recordings", "v3"), ("recordings-17", "v2"), ("recordings-early", "v1")] {
        let mut folders: Vec<PathBuf> = fs::read_dir(project("testdata").join(folder))
            .expect("recordings")
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.join("session.1.jsonl").is_file())
            .collect();
        folders.sort();
        for path in folders {
            let name = format!("{folder}/{}", path.file_name().unwrap_or_default().to_string_lossy());
            cases.push(Case { name, folder: path, lifecycle });
        }
    }
    cases
}

/// One changed recording.
struct Change {
    /// What was changed, in a few words.
    kind: &'static str,
    /// At which line, from 1.
    line: usize,
    text: String,
}

/// The lines of a recording, to be changed one at a time.
struct Lines {
    lines: Vec<String>,
    values: Vec<Value>,
}

impl Lines {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("a recording");
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let values = lines.iter().map(|line| json::parse(line).unwrap_or(Value::Null)).collect();
        Self { lines, values }
    }

    fn with(&self, at: usize, line: Option<String>) -> String {
        let mut lines = self.lines.clone();
        match line {
            Some(line) => lines[at] = line,
            None => {
                // What hung on the entry hangs on its parent.
                let removed = lines.remove(at);
                let value = json::parse(&removed).unwrap_or(Value::Null);
                if let (Some(id), Some(parent)) = (string(&value, "id"), string(&value, "parentId")) {
                    for line in &mut lines {
                        *line = line.replace(&format!("\"parentId\":\"{id}\""), &format!("\"parentId\":\"{parent}\""));
                    }
                }
            }
        }
        lines.join("\n") + "\n"
    }

    /// The line with one piece of text replaced, unless it does not hold it.
    fn replaced(&self, at: usize, from: &str, to: &str) -> Option<String> {
        self.lines[at].contains(from).then(|| self.with(at, Some(self.lines[at].replace(from, to))))
    }

    /// The line and the next one of its branch change places; ids stay where they are.
    fn swapped(&self, at: usize) -> Option<String> {
        let other = at + 1;
        let parent = string(self.values.get(other)?, "parentId")?;
        (string(&self.values[at], "id")? == parent).then_some(())?;
        let ids = |line: &str, of: &Value, own: &Value| {
            let mut line = line.to_owned();
            for key in ["id", "parentId"] {
                let (from, to) = (string(of, key)?, string(own, key)?);
                line = line.replacen(&format!("\"{key}\":\"{from}\""), &format!("\"{key}\":\"\u{1}{to}\""), 1);
            }
            Some(line.replace('\u{1}', ""))
        };
        let mut lines = self.lines.clone();
        lines[at] = ids(&self.lines[other], &self.values[other], &self.values[at])?;
        lines[other] = ids(&self.lines[at], &self.values[at], &self.values[other])?;
        Some(lines.join("\n") + "\n")
    }
}

fn string(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_string().map(ToString::to_string)
}

fn names(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).unwrap_or_default();
    items.iter().filter_map(|item| item.as_string().map(ToString::to_string)).collect()
}

fn quoted(name: &str) -> String {
    Value::String(name.into()).to_json()
}

/// Every change of what a session says of its injections.
fn changes_of_a_session(recorded: &Lines) -> Vec<Change> {
    let mut changes = Vec::new();
    for (at, value) in recorded.values.iter().enumerate() {
        let mut add = |kind: &'static str, text: Option<String>| {
            changes.extend(text.map(|text| Change { kind, line: at + 1, text }));
        };
        let message = value.get("message");
        let role = message.and_then(|message| string(message, "role")).unwrap_or_default();
        match string(value, "type").unwrap_or_default().as_str() {
            "ttsr_injection" => {
                add("entry removed", Some(recorded.with(at, None)));
                add("entry swapped", recorded.swapped(at));
                add("entry swapped back", recorded.swapped(at - 1));
                for name in names(value.get("injectedRules")) {
                    add("entry renamed", recorded.replaced(at, &quoted(&name), "\"never-heard-of\""));
                }
                let rules = names(value.get("injectedRules"));
                if let [first, second, ..] = rules.as_slice() {
                    let (from, to) = (
                        format!("{},{}", quoted(first), quoted(second)),
                        format!("{},{}", quoted(second), quoted(first)),
                    );
                    add("entry reordered", recorded.replaced(at, &from, &to));
                }
            }
            "custom_message" => {
                add("reminder removed", Some(recorded.with(at, None)));
                add("reminder swapped", recorded.swapped(at));
                add("reminder swapped back", recorded.swapped(at - 1));
                for name in names(value.get("details").and_then(|details| details.get("rules"))) {
                    let from = format!("\"rules\":[{}", quoted(&name));
                    add("details renamed", recorded.replaced(at, &from, "\"rules\":[\"never-heard-of\""));
                }
                add("tag attribute changed", recorded.replaced(at, " path=\\\"", " path=\\\"x"));
                add("reason changed", recorded.replaced(at, "reason=\\\"rule_violation\\\"", "reason=\\\"whim\\\""));
                add(
                    "rule content changed",
                    recorded.replaced(at, "\\n</system-interrupt>", " Or not.\\n</system-interrupt>"),
                );
            }
            "message" if role == "assistant" => {
                let error = message.and_then(|message| string(message, "errorMessage")).unwrap_or_default();
                if error.starts_with("TTSR matched rule") {
                    let (from, to) = (quoted(&error), "\"TTSR matched rule: never-heard-of\"");
                    add(
                        "abort renamed",
                        recorded.replaced(at, &format!("\"errorMessage\":{from}"), &format!("\"errorMessage\":{to}")),
                    );
                    add(
                        "abort text changed",
                        recorded.replaced(
                            at,
                            &format!("\"errorMessage\":{from}"),
                            "\"errorMessage\":\"Request was aborted\"",
                        ),
                    );
                }
            }
            "message" if role == "toolResult" => {
                let text = recorded.lines[at].as_str();
                let is_placeholder = text.contains("Tool execution was aborted: TTSR")
                    || text.contains("because the run was aborted: TTSR")
                    || text.contains("Aborted: Cancelled");
                if is_placeholder {
                    let id = message.and_then(|message| string(message, "toolCallId")).unwrap_or_default();
                    add("placeholder removed", Some(recorded.with(at, None)));
                    add(
                        "placeholder renamed",
                        recorded.replaced(
                            at,
                            &format!("\"toolCallId\":{}", quoted(&id)),
                            "\"toolCallId\":\"call_nowhere\"",
                        ),
                    );
                    add(
                        "placeholder text changed",
                        recorded.replaced(
                            at,
                            "Tool execution was aborted: TTSR matched rule",
                            "Tool execution was aborted: no rule",
                        ),
                    );
                    add("placeholder ran", recorded.replaced(at, "\"isError\":true", "\"isError\":false"));
                }
                if text.contains("<system-reminder reason=") {
                    add("tag attribute changed", recorded.replaced(at, " path=\\\"", " path=\\\"x"));
                    add("tag renamed", recorded.replaced(at, " rule=\\\"", " rule=\\\"x"));
                    add(
                        "rule content changed",
                        recorded.replaced(at, "\\n</system-reminder>", " Or not.\\n</system-reminder>"),
                    );
                    add("fold removed", recorded.replaced(at, "<system-reminder reason=", "<system-remark reason="));
                }
            }
            _ => {}
        }
    }
    changes
}

/// Every change of what an event stream says of its triggers.
fn changes_of_a_stream(recorded: &Lines) -> Vec<Change> {
    let mut changes = Vec::new();
    for (at, value) in recorded.values.iter().enumerate() {
        let mut add = |kind: &'static str, text: Option<String>| {
            changes.extend(text.map(|text| Change { kind, line: at + 1, text }));
        };
        match string(value, "type").unwrap_or_default().as_str() {
            "ttsr_triggered" => {
                add("trigger removed", Some(recorded.with(at, None)));
                let rules = value.get("rules").and_then(Value::as_array).unwrap_or_default();
                for rule in rules {
                    let name = string(rule, "name").unwrap_or_default();
                    add(
                        "trigger renamed",
                        recorded.replaced(at, &format!("\"name\":{}", quoted(&name)), "\"name\":\"never-heard-of\""),
                    );
                }
                if let [first, second, ..] = rules {
                    let (from, to) = (
                        format!("{},{}", first.to_json(), second.to_json()),
                        format!("{},{}", second.to_json(), first.to_json()),
                    );
                    add("trigger reordered", recorded.replaced(at, &from, &to));
                }
            }
            "message_end" => {
                let Some(message) = value.get("message") else { continue };
                let text = recorded.lines[at].as_str();
                if string(message, "customType").is_some_and(|kind| kind == "ttsr-injection") {
                    add("tag attribute changed", recorded.replaced(at, " path=\\\"", " path=\\\"x"));
                    add(
                        "rule content changed",
                        recorded.replaced(at, "\\n</system-interrupt>", " Or not.\\n</system-interrupt>"),
                    );
                }
                if text.contains("<system-reminder reason=")
                    && string(message, "role").is_some_and(|role| role == "toolResult")
                {
                    add("tag attribute changed", recorded.replaced(at, " path=\\\"", " path=\\\"x"));
                    add("tag renamed", recorded.replaced(at, " rule=\\\"", " rule=\\\"x"));
                    add("fold removed", recorded.replaced(at, "<system-reminder reason=", "<system-remark reason="));
                }
                let error = string(message, "errorMessage").unwrap_or_default();
                if error.starts_with("TTSR matched rule") {
                    let from = format!("\"errorMessage\":{}", quoted(&error));
                    add(
                        "abort renamed",
                        recorded.replaced(at, &from, "\"errorMessage\":\"TTSR matched rule: never-heard-of\""),
                    );
                    add("abort text changed", recorded.replaced(at, &from, "\"errorMessage\":\"Request was aborted\""));
                }
            }
            _ => {}
        }
    }
    changes
}

/// Changes that are none, with the reason.
fn exception(case: &Case, what: &str, change: &Change, recorded: &Lines) -> Option<&'static str> {
    let at = change.line - 1;
    if case.lifecycle == "v1" && change.kind == "trigger reordered" {
        return Some("rules of the early generation come in the order of its directory, which no recording tells");
    }
    if what == "events" && change.kind.starts_with("trigger ") {
        let changed: Vec<Value> = change.text.lines().filter_map(|line| json::parse(line).ok()).collect();
        return (announced(&recorded.values) == announced(&changed))
            .then_some("a trigger that repeats: how often does not count, only the order of first appearance");
    }
    let result_of = |at: usize| string(recorded.values.get(at)?.get("message")?, "toolCallId");
    let is_bookkeeping = |at: usize| {
        recorded.values.get(at).is_some_and(|value| string(value, "type").is_some_and(|kind| kind == "custom"))
    };
    let neighbour = if change.kind.ends_with("back") { at - 1 } else { at + 1 };
    if change.kind.contains("swapped") && is_bookkeeping(neighbour) {
        return Some("a place before or behind the agent's bookkeeping");
    }
    if change.kind == "entry swapped"
        && result_of(at + 1).is_some()
        && result_of(at + 1) != reminded_behind(at, recorded)
    {
        return Some("a fold's entry and the result of another call: both stand before its own result all the same");
    }
    None
}

/// Per assistant message, the announced rules in order of first appearance.
fn announced(events: &[Value]) -> Vec<Vec<String>> {
    let mut messages: Vec<Vec<String>> = vec![Vec::new()];
    for event in events {
        let role = event.get("message").and_then(|message| string(message, "role"));
        match string(event, "type").as_deref() {
            Some("message_start") if role.as_deref() == Some("assistant") => messages.push(Vec::new()),
            Some("ttsr_triggered") => {
                let rules = event.get("rules").and_then(Value::as_array).unwrap_or_default();
                let last = messages.last_mut().expect("a message");
                for name in rules.iter().filter_map(|rule| string(rule, "name")) {
                    if !last.contains(&name) {
                        last.push(name);
                    }
                }
            }
            _ => {}
        }
    }
    messages
}

/// The call whose result behind this line holds the next reminder.
fn reminded_behind(at: usize, recorded: &Lines) -> Option<String> {
    let mut behind = recorded.lines.iter().zip(&recorded.values).skip(at + 1);
    let (_, value) = behind.find(|(line, _)| line.contains("<system-reminder reason="))?;
    string(value.get("message")?, "toolCallId")
}

fn check(what: &str, changes_of: fn(&Lines) -> Vec<Change>) {
    let (mut noticed, mut excepted, mut missed) = (0_usize, BTreeMap::new(), Vec::new());
    let folder = tempfile::tempdir().expect("a folder");
    for case in cases() {
        for run in 1.. {
            let input = case.folder.join(format!("{what}.{run}.jsonl"));
            if !input.is_file() {
                break;
            }
            let before = case.folder.join(format!("session.{}.jsonl", run - 1)).to_string_lossy().into_owned();
            let mut further = vec!["--verify", "--format", "jsonl"];
            if what == "events" && run > 1 {
                further.extend(["--resume", before.as_str()]);
            }
            if case.run("replay", &input, &further).status != 0 {
                // A race of the generation, or f118: see the recordings' own test.
                *excepted.entry("the recording itself does not verify").or_default() += 1;
                continue;
            }
            let recorded = Lines::read(&input);
            for change in changes_of(&recorded) {
                let changed = folder.path().join("changed.jsonl");
                fs::write(&changed, &change.text).expect("a changed recording");
                let status = case.run("replay", &changed, &further).status;
                if status == 1 {
                    noticed += 1;
                } else if let Some(reason) = exception(&case, what, &change, &recorded) {
                    *excepted.entry(reason).or_insert(0_usize) += 1;
                } else {
                    missed
                        .push(format!("{} {what}.{run}:{}: {} (status {status})", case.name, change.line, change.kind));
                }
            }
        }
    }
    println!("{what}: {noticed} changes noticed, {} missed, excepted {excepted:?}", missed.len());
    for missed in missed.iter().take(200) {
        println!("  {missed}");
    }
    assert!(missed.is_empty(), "{} changes went unnoticed", missed.len());
    assert!(noticed > 50, "{noticed}");
}

#[test]
fn each_change_of_a_session_is_noticed() {
    check("session", changes_of_a_session);
}

#[test]
fn each_change_of_a_stream_is_noticed() {
    check("events", changes_of_a_stream);
}

/// Inspection shows what `--verify` says: as many findings, with the same words, in every format.
#[test]
fn inspection_shows_the_differences_of_verify() {
    let folder = tempfile::tempdir().expect("a folder");
    let changed = folder.path().join("changed.jsonl");
    let mut compared = 0;
    for case in cases() {
        let input = case.folder.join("session.1.jsonl");
        let recorded = Lines::read(&input);
        let mut kinds: Vec<&str> = Vec::new();
        for change in changes_of_a_session(&recorded) {
            if kinds.contains(&change.kind) {
                continue;
            }
            kinds.push(change.kind);
            fs::write(&changed, &change.text).expect("a changed recording");
            let verified = case.run("replay", &changed, &["--verify", "--format", "jsonl"]);
            let what = format!("{} line {}: {}", case.name, change.line, change.kind);
            let expected = verified.err.matches("TTSR310").count();
            let inspect = |format: &str| case.run("inspect-session", &changed, &["--replay", "--format", format]);
            let json = inspect("json");
            let messages = messages_of(&json::parse(&json.out).expect("a document"));
            assert_eq!(messages.len(), expected, "{what}: {messages:?} {}", verified.err);
            if verified.status == 1 {
                assert_eq!(json.status, 1, "{what}");
            }
            let human = inspect("human");
            assert_eq!(human.out.matches("TTSR310").count(), expected, "{what}: {}", human.out);
            let sarif = json::parse(&inspect("sarif").out).expect("a document");
            let runs = sarif.get("runs").and_then(Value::as_array).unwrap_or_default();
            let results = runs.iter().flat_map(|run| run.get("results").and_then(Value::as_array).unwrap_or_default());
            let results = results.filter(|result| string(result, "ruleId").is_some_and(|id| id == "TTSR310"));
            let texts: Vec<String> = results.filter_map(|result| string(result.get("message")?, "text")).collect();
            assert_eq!(texts.len(), expected, "{what}");
            for message in &messages {
                assert!(texts.iter().any(|text| text.contains(message.as_str())), "{what}: {message} in {texts:?}");
            }
            compared += expected;
        }
    }
    assert!(compared > 50, "{compared}");
}

fn messages_of(document: &Value) -> Vec<String> {
    let findings = document.get("findings").and_then(Value::as_array).unwrap_or_default();
    let own = findings.iter().filter(|finding| string(finding, "code").is_some_and(|code| code == "TTSR310"));
    own.filter_map(|finding| string(finding, "message")).collect()
}
