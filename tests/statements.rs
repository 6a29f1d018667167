//! What the seed documents state, one test a statement, through the command line alone. A test is named by the id of
//! its statement: A… = documents 000 and 001 (`early.rs`, `--lifecycle v1`), B… = document 002 (`later.rs`,
//! `--lifecycle v2`), C… = document 004 (`handoff.rs`, `handoff --pipeline g1`). `testdata/statements.txt` lists the
//! ids.
//!
//! Without an outward sign, so that no run of the program can show them:
//!
//! - A3.6: receivers of the event are attached in code only; `lifecycle/listeners.rs` runs slow and failing ones.
//! - A7.2: in v1 nothing calls the manager's way to restore names, which is what A7.4 states.
//! - C3.8: whether the controller is cleared shows at a second handoff of the same process only;
//!   `handoff/statements.rs` asks the state machine.
//! - C4.2: queues and the counter of reminders live in memory and are in no file; `handoff/statements.rs` walks the
//!   steps.
//! - C8.3: there is no chat, status line or list of tasks to be drawn anew without a terminal interface.

mod early;
mod handoff;
mod later;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use ttsr::text::json::{self, Value};

pub use crate::handoff::at;
use crate::support::program::{Outcome, surroundings, ttsr_with};
use crate::support::project;

/// Ids of the statements in the names of tests or in the list above.
fn ids(source: &str, prefix: &str) -> Vec<String> {
    let lines = source.lines().filter_map(|line| line.trim().strip_prefix(prefix));
    let words = lines.map(|rest| rest.split(['(', ':', ' ']).next().unwrap_or_default());
    words.filter_map(id).collect()
}

/// `b4_6_and_words` and `B4.6` as `B4.6`.
fn id(word: &str) -> Option<String> {
    let (letter, rest) = (word.get(..1)?.to_uppercase(), word.get(1..)?);
    let mut numbers = rest.split(['_', '.']);
    let (section, number) = (numbers.next()?.parse::<u8>().ok()?, numbers.next()?.parse::<u8>().ok()?);
    matches!(letter.as_str(), "A" | "B" | "C").then(|| format!("{letter}{section}.{number}"))
}

#[test]
fn every_statement_has_a_test_or_a_reason() {
    let read = |path: &str| fs::read_to_string(project(path)).expect("a source");
    let listed = read("testdata/statements.txt");
    let listed: Vec<&str> = listed.lines().collect();
    let mut found = Vec::new();
    for (file, letter) in [("early", 'A'), ("later", 'B'), ("handoff", 'C')] {
        let mut source = read(&format!("tests/statements/{file}.rs"));
        if file == "later" {
            source.push_str(&read("tests/statements/later/registration.rs"));
        }
        let tested = ids(&source, "fn ");
        assert!(tested.iter().all(|id| id.starts_with(letter)), "{file}: {tested:?}");
        assert_eq!(tested.len(), source.matches("#[test]").count(), "{file}: a test without the id of a statement");
        found.extend(tested);
    }
    assert!(found.len() >= 125, "{} statements are tested", found.len());
    found.extend(ids(&read("tests/statements.rs"), "//! - "));
    let unique: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(unique.len(), found.len(), "a statement is there twice");
    let stated: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(unique.symmetric_difference(&stated).collect::<Vec<_>>(), Vec::<&&str>::new());
    assert_eq!(stated.len(), listed.len(), "an id is listed twice");
}

/// Rules in a folder, and the generation that runs them.
pub struct Bench {
    folder: TempDir,
    lifecycle: &'static str,
    rules: Vec<String>,
    settings: Vec<String>,
}

impl Bench {
    /// Rules of this generation, by name and frontmatter; the body of `r` is `BODY of r`.
    pub fn new(lifecycle: &'static str, rules: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut bench = Self { folder, lifecycle, rules: Vec::new(), settings: Vec::new() };
        for (name, front) in rules {
            bench.rule(&format!("rules/{name}.md"), front);
        }
        bench.rules.push(bench.path("rules").to_string_lossy().into_owned());
        bench
    }

    /// The same with a setting of the `ttsr` group.
    pub fn set(mut self, setting: &str) -> Self {
        self.settings.push(format!("ttsr.{setting}"));
        self
    }

    /// The same rules in another generation.
    pub fn of(mut self, lifecycle: &'static str) -> Self {
        self.lifecycle = lifecycle;
        self
    }

    /// The same without `--rules`: the agent's own discovery in the folder.
    pub fn discovering(mut self) -> Self {
        self.rules.clear();
        self
    }

    /// The same with a second folder of rules behind the first.
    pub fn and_rules(mut self, folder: &str) -> Self {
        self.rules.push(self.path(folder).to_string_lossy().into_owned());
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file of the folder and gives its path.
    pub fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path.to_string_lossy().into_owned()
    }

    /// Writes a rule file.
    pub fn rule(&self, path: &str, front: &str) {
        let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
        self.write(path, &format!("---\n{front}\n---\nBODY of {name}\n"));
    }

    fn program(&self, arguments: &[&str]) -> Outcome {
        let mut all: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        all.extend(["--lifecycle".to_owned(), self.lifecycle.to_owned()]);
        for rules in &self.rules {
            all.extend(["--rules".to_owned(), rules.clone()]);
        }
        for setting in &self.settings {
            all.extend(["--set".to_owned(), setting.clone()]);
        }
        if self.rules.is_empty() {
            all.extend(["--project".to_owned(), self.path("project").to_string_lossy().into_owned()]);
        }
        let mut around = surroundings();
        around.home = Some(self.path("home"));
        ttsr_with(all, b"", &around)
    }

    /// Runs scripted replies behind the prompt `p`.
    pub fn play(&self, script: &str) -> Run {
        self.play_with(script, &[])
    }

    /// The same with these arguments, such as further prompts.
    pub fn play_with(&self, script: &str, arguments: &[&str]) -> Run {
        let script = self.write("script.json", script);
        self.replay(&[&["--script", &script, "--prompt", "p"], arguments].concat())
    }

    /// `ttsr replay` with a full trace and the written session.
    pub fn replay(&self, arguments: &[&str]) -> Run {
        let written = self.path("written.jsonl");
        // A written file never replaces another.
        let _ = fs::remove_file(&written);
        let written = written.to_string_lossy();
        let shape = ["replay", "--trace", "full", "--format", "jsonl", "--write-session", &written];
        let outcome = self.program(&[&shape, arguments].concat());
        assert_eq!(outcome.status, 0, "{outcome:?}");
        let (trace, session) = (parsed(&outcome.out), parsed(&fs::read_to_string(&*written).expect("a session")));
        Run { outcome, trace, session }
    }

    /// What a person sees of a run.
    pub fn table(&self, script: &str) -> String {
        let script = self.write("script.json", script);
        self.program(&["replay", "--script", &script, "--prompt", "p"]).out
    }

    /// The report of `ttsr check-rules`.
    pub fn check_rules(&self, arguments: &[&str]) -> Value {
        let outcome = self.program(&[&["check-rules", "--format", "json", "--exit-zero"], arguments].concat());
        json::parse(&outcome.out).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
    }

    /// Bucket and reason of each rule, as `name bucket: reason`.
    pub fn buckets(&self, arguments: &[&str]) -> Vec<String> {
        let report = self.check_rules(arguments);
        let rules = report.get("rules").and_then(Value::as_array).expect("rules");
        rules
            .iter()
            .map(|rule| format!("{} {}: {}", at(rule, "name"), at(rule, "bucket"), at(rule, "reason")))
            .collect()
    }

    /// The report of `ttsr inspect-session` on the written session.
    pub fn inspect(&self) -> Value {
        let written = self.path("written.jsonl");
        let outcome = self.program(&["inspect-session", &written.to_string_lossy(), "--format", "json", "--context"]);
        json::parse(&outcome.out).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
    }

    /// Keeps the written session under another name and gives its path.
    pub fn keep(&self, name: &str) -> String {
        let text = fs::read_to_string(self.path("written.jsonl")).expect("a session");
        self.write(name, &text)
    }
}

fn parsed(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| json::parse(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// What a run gave.
pub struct Run {
    pub outcome: Outcome,
    pub trace: Vec<Value>,
    pub session: Vec<Value>,
}

impl Run {
    /// The trace lines of a kind.
    pub fn of(&self, kind: &str) -> Vec<&Value> {
        self.trace.iter().filter(|line| at(line, "kind") == kind).collect()
    }

    /// The member at `path` of each trace line of a kind.
    pub fn each(&self, kind: &str, path: &str) -> Vec<String> {
        self.of(kind).into_iter().map(|line| at(line, path)).collect()
    }

    /// What happened, a short line each.
    pub fn steps(&self) -> Vec<String> {
        self.trace.iter().filter_map(step).collect()
    }

    /// The same without receivers, contexts and the gate.
    pub fn decisions(&self) -> Vec<String> {
        let told = |step: &String| !["emit ", "context ", "gate "].iter().any(|start| step.starts_with(start));
        self.steps().into_iter().filter(told).collect()
    }

    /// The triggers alone, as `rules decision`.
    pub fn triggers(&self) -> Vec<String> {
        self.steps().iter().filter_map(|step| step.strip_prefix("trigger ")).map(str::to_owned).collect()
    }

    /// Completed turns before each trigger.
    pub fn turns(&self) -> Vec<String> {
        self.each("trigger", "at.turn")
    }

    /// The entries of the written session, a word or two each.
    pub fn entries(&self) -> Vec<String> {
        self.session.iter().skip(1).map(entry).collect()
    }

    /// The entries of a kind in the written session.
    pub fn records(&self, kind: &str) -> Vec<&Value> {
        self.session.iter().filter(|record| entry(record).split(' ').next() == Some(kind)).collect()
    }

    /// The milliseconds of the clock at which each entry of a kind was written.
    pub fn times(&self, kind: &str) -> Vec<i64> {
        let time = |record: &&Value| {
            let stamp = at(record, "timestamp");
            let (seconds, rest) =
                stamp.trim_end_matches('Z').rsplit_once(':').expect("a time").1.split_once('.').expect("ms");
            seconds.parse::<i64>().expect("seconds") * 1000 + rest.parse::<i64>().expect("milliseconds")
        };
        self.records(kind).iter().map(time).collect()
    }

    /// Counts of ended, interrupted, aborted and failed messages.
    pub fn endings(&self) -> [String; 4] {
        ["ended", "interrupted", "aborted", "failed"]
            .map(|key| self.each("summary", &format!("messages.{key}")).concat())
    }
}

fn list(value: &Value, key: &str) -> String {
    let items = value.get(key).and_then(Value::as_array).unwrap_or_default();
    items.iter().map(|item| item.as_string().map(ToString::to_string).unwrap_or_default()).collect::<Vec<_>>().join(",")
}

fn step(line: &Value) -> Option<String> {
    let kind = at(line, "kind");
    let rules = list(line, "rules");
    Some(match kind.as_str() {
        "run" | "rule" | "summary" => return None,
        "trigger" => format!("trigger {rules} {}", at(line, "decision")),
        "inject" => format!("inject {} {rules}", at(line, "role")),
        "fold" | "persist" => format!("{kind} {rules}"),
        "continue" => format!("continue {}", at(line, "source")),
        "drop" => format!("drop {rules} {}", at(line, "why")),
        "emit" => format!("emit {}", at(line, "surface")),
        "context" => {
            let entries = line.get("entries").and_then(Value::as_array).unwrap_or_default();
            format!("context {}", entries.iter().map(|entry| at(entry, "role")).collect::<Vec<_>>().join(","))
        }
        "resume-gate" => format!("gate {}", if at(line, "open") == "true" { "open" } else { "closed" }),
        _ => kind,
    })
}

fn entry(record: &Value) -> String {
    match at(record, "type").as_str() {
        "message" => match at(record, "message.role").as_str() {
            "assistant" => format!("assistant {}", at(record, "message.stopReason")),
            role => role.to_owned(),
        },
        "ttsr_injection" => format!("ttsr_injection {}", list(record, "injectedRules")),
        kind => kind.to_owned(),
    }
}

/// The texts of a tool result's or message's blocks.
pub fn texts(record: &Value) -> Vec<String> {
    let blocks = record.get("message").and_then(|message| message.get("content")).and_then(Value::as_array);
    blocks.unwrap_or_default().iter().map(|block| at(block, "text")).collect()
}
