//! The field reports of groups A to C as tests through the command line, each named by its row: what registers, what
//! fires at which delta, which finding of which severity.
//!
//! Deltas count from 1 here, as in the reports.

mod matching;
mod reach;
mod registration;
mod rule_files;
mod scope;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::program::{Outcome, ttsr};

/// A folder of rule files.
struct Rules(TempDir);

/// What `check-rules` says of a folder of rules.
struct Checked(Value);

/// One finding of `check-rules`.
#[derive(Debug)]
struct Finding {
    name: String,
    severity: String,
    message: String,
    help: String,
    file: String,
    line: u64,
}

/// What `replay` says of a run.
struct Run {
    trace: Vec<Value>,
}

/// The rule `r` with this frontmatter and the body `B`.
fn rule(frontmatter: &str) -> Rules {
    file(format!("---\n{frontmatter}\n---\nB\n").as_bytes())
}

/// The rule file `r.md` with these bytes.
fn file(bytes: &[u8]) -> Rules {
    files(&[("r.md", bytes)])
}

fn files(files: &[(&str, &[u8])]) -> Rules {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        fs::write(path, bytes).expect("written");
    }
    Rules(folder)
}

/// A YAML value in single quotes.
fn quoted(pattern: &str) -> String {
    format!("'{}'", pattern.replace('\'', "''"))
}

/// The rule `r` with this condition, written in single quotes.
fn condition(pattern: &str) -> Rules {
    rule(&format!("condition: {}", quoted(pattern)))
}

/// A reply of one part.
fn reply(part: Value) -> Value {
    json!([part])
}

fn text(deltas: &[&str]) -> Value {
    reply(json!({"text": "", "chunks": deltas}))
}

fn thinking(deltas: &[&str]) -> Value {
    reply(json!({"thinking": "", "chunks": deltas}))
}

/// A call of a tool whose arguments arrive in these deltas.
fn call(tool: &str, deltas: &[&str]) -> Value {
    reply(json!({"tool": tool, "id": "c1", "chunks": deltas}))
}

/// A call of `edit` that puts the text of the deltas into a file. The first delta also names the file.
fn edit(path: &str, deltas: &[&str]) -> Value {
    let escaped = |text: &str| json!(text).to_string().trim_matches('"').to_owned();
    let mut chunks: Vec<String> = deltas.iter().map(|delta| escaped(delta)).collect();
    chunks[0] = format!("{{\"path\":\"{}\",\"new_string\":\"{}", escaped(path), chunks[0]);
    chunks.push("\"}".to_owned());
    let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
    call("edit", &chunks)
}

impl Rules {
    fn path(&self) -> &Path {
        self.0.path()
    }

    fn check(&self) -> Checked {
        self.check_with(&[])
    }

    /// Checks as `v3` unless an option names another lifecycle.
    fn check_with(&self, options: &[&str]) -> Checked {
        let mut arguments = vec!["check-rules", self.path().to_str().expect("UTF-8"), "--format", "json"];
        if !options.contains(&"--lifecycle") {
            arguments.extend(["--lifecycle", "v3"]);
        }
        arguments.extend(options);
        let outcome = ttsr(arguments);
        Checked(serde_json::from_str(&outcome.out).unwrap_or_else(|error| panic!("{error}: {}", outcome.err)))
    }

    /// Plays one reply, after an interruption followed by a harmless one.
    fn play(&self, lifecycle: &str, reply: &Value) -> Run {
        self.play_with(lifecycle, reply, &[])
    }

    fn play_with(&self, lifecycle: &str, reply: &Value, options: &[&str]) -> Run {
        let outcome = self.replay(lifecycle, reply, &[&["--format", "jsonl"], options].concat());
        Run::of(&outcome)
    }

    fn replay(&self, lifecycle: &str, reply: &Value, options: &[&str]) -> Outcome {
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("script.json");
        fs::write(&script, json!([reply, [{"text": "zzz"}]]).to_string()).expect("written");
        let script = script.to_str().expect("UTF-8");
        let rules = self.path().to_str().expect("UTF-8");
        // The rows speak of the delta at which a call holds the match, not of when an agent reads its arguments again.
        let fixed = ["replay", "--rules", rules, "--script", script, "--prompt", "go", "--arguments", "eager"];
        ttsr([&fixed[..], &["--lifecycle", lifecycle], options].concat())
    }

    /// The delta at which the rules fire first in `v3`, if they do.
    fn fires(&self, reply: &Value) -> Option<u64> {
        self.play("v3", reply).fired().first().copied()
    }

    /// Plays an event stream.
    fn stream(&self, lifecycle: &str, events: &[Value]) -> Run {
        let lines: Vec<String> = events.iter().map(Value::to_string).collect();
        let path = self.path().join("events.jsonl");
        fs::write(&path, lines.join("\n")).expect("written");
        let (rules, events) = (self.path().to_str().expect("UTF-8"), path.to_str().expect("UTF-8"));
        Run::of(&ttsr(["replay", events, "--rules", rules, "--lifecycle", lifecycle, "--format", "jsonl"]))
    }
}

impl Run {
    fn of(outcome: &Outcome) -> Self {
        assert_eq!(outcome.status, 0, "{}", outcome.err);
        let line = |line: &str| serde_json::from_str(line).expect("a trace line");
        Self { trace: outcome.out.lines().map(line).collect() }
    }

    fn of_kind(&self, kind: &str) -> Vec<&Value> {
        self.trace.iter().filter(|line| line["kind"] == kind).collect()
    }

    /// The deltas at which something fired; 0 stands for the end of a call.
    fn fired(&self) -> Vec<u64> {
        self.of_kind("trigger").iter().map(|line| line["at"]["delta"].as_u64().map_or(0, |delta| delta + 1)).collect()
    }

    fn registered(&self) -> bool {
        self.of_kind("rule").iter().any(|line| line["registered"] == true)
    }

    /// Whether the trigger says that another cut decides otherwise, and how many were undone by what followed.
    fn premature(&self) -> (bool, u64) {
        let trigger = self.of_kind("trigger")[0];
        let summary = self.of_kind("summary")[0];
        let dependent = trigger["by"][0]["chunk_dependent"].as_bool().expect("there");
        (dependent, summary["per_rule"]["r"]["premature"].as_u64().expect("a count"))
    }
}

impl Checked {
    fn rules(&self) -> &[Value] {
        self.0["rules"].as_array().expect("rules")
    }

    /// The only rule.
    fn rule(&self) -> &Value {
        let [rule] = self.rules() else { panic!("{:#?}", self.rules()) };
        rule
    }

    fn registered(&self) -> bool {
        self.rule()["registered"] == true
    }

    fn list(&self, key: &str) -> Vec<&str> {
        self.rule()[key].as_array().expect("a list").iter().map(|item| item.as_str().expect("a text")).collect()
    }

    fn findings(&self) -> Vec<Finding> {
        let found = self.0["diagnostics"].as_array().expect("findings").iter();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        found
            .map(|found| Finding {
                name: text(&found["name"]),
                severity: text(&found["severity"]),
                message: text(&found["message"]),
                help: text(&found["help"]),
                file: text(&found["file"]),
                line: found["start"]["line"].as_u64().unwrap_or(0),
            })
            .collect()
    }

    /// Names and severities of all findings.
    fn names(&self) -> Vec<(String, String)> {
        self.findings().into_iter().map(|found| (found.name, found.severity)).collect()
    }

    /// The only finding of this name, which has this severity.
    fn finding(&self, name: &str, severity: &str) -> Finding {
        let mut found: Vec<Finding> = self.findings().into_iter().filter(|found| found.name == name).collect();
        assert_eq!(found.len(), 1, "{name}: {:#?}", self.findings());
        let found = found.remove(0);
        assert_eq!(found.severity, severity, "{found:#?}");
        found
    }

    fn is_silent(&self, name: &str) -> bool {
        self.findings().iter().all(|found| found.name != name)
    }
}

/// A file of the rules as findings name it.
fn path_in(rules: &Rules, path: &str) -> PathBuf {
    rules.path().join(path)
}
