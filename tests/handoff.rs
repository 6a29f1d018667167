//! Handoffs: reference verdicts, recorded runs, the seed's statements, what can go wrong (handoff.md).

mod cancel;
mod host;
mod hostile;
mod kill;
mod negative;
mod paste;
mod prompt_vectors;
mod recorded;
mod samples;
mod scripted;
mod statements;
mod switch;
mod trace;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use ttsr::session::{Context, ReadMode, Session};
use ttsr::text::json::{self, Value};

use crate::support::program::{Outcome, ttsr};

/// A document with all headings.
pub const DOCUMENT: &str = "## Goal\nG\n\n## Constraints & Preferences\n- c\n\n## Progress\n### Done\n- [x] d\n\n### In Progress\n- [ ] i\n\n### Pending\n- [ ] p\n\n## Key Decisions\n- k\n\n## Critical Context\n- x\n\n## Next Steps\n1. n";

/// A session of one exchange.
pub const SOURCE: &str = r#"{"type":"session","version":3,"id":"01a228ac-1684-7329-9338-0a0d7a39540a","timestamp":"2026-03-14T09:00:00.000Z","cwd":"/srv/app"}
{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-03-14T09:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"Add a loader"}],"timestamp":1}}
{"type":"message","id":"a0000002","parentId":"a0000001","timestamp":"2026-03-14T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Loader added."}],"api":"wire","provider":"local","model":"m1","stopReason":"stop","timestamp":2}}
"#;

/// A folder with a session in it.
pub struct Desk {
    /// The folder, gone in the end.
    pub folder: TempDir,
}

impl Desk {
    /// A folder that holds `source` as `old.jsonl`.
    pub fn new(source: &str) -> Self {
        let desk = Self { folder: tempfile::tempdir().expect("a folder") };
        desk.write("old.jsonl", source);
        desk
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and gives its path.
    pub fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).expect("a file");
        self.path(name).to_string_lossy().into_owned()
    }

    /// `ttsr handoff old.jsonl --output new.jsonl` with fixed ids and times, as JSON, and these arguments.
    pub fn handoff(&self, arguments: &[&str]) -> Outcome {
        let (old, new) = (self.path("old.jsonl"), self.path("new.jsonl"));
        let mut all = vec!["handoff".to_owned(), old.to_string_lossy().into_owned()];
        all.extend(["--output".to_owned(), new.to_string_lossy().into_owned()]);
        all.extend(["--format", "json", "--seed", "7", "--now", "2026-03-14T10:00:00.000Z"].map(str::to_owned));
        all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        ttsr(all)
    }

    /// The same with a script.
    pub fn scripted(&self, script: &str, arguments: &[&str]) -> Outcome {
        let script = self.write("script.json", script);
        self.handoff(&[&["--script", script.as_str()], arguments].concat())
    }

    /// The records of a file; none when it is not there.
    pub fn records(&self, name: &str) -> Vec<Value> {
        records(&self.path(name))
    }

    /// Names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.folder.path())
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

/// The records of a JSON Lines file; none when it is not there.
pub fn records(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| json::parse(line).expect("a record")).collect()
}

/// The report of a run.
pub fn report(outcome: &Outcome) -> Value {
    json::parse(outcome.out.trim_end()).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
}

/// The member at a dotted path as text; numbers and `null` as JSON.
pub fn at(value: &Value, path: &str) -> String {
    let found = path.split('.').try_fold(value, |value, key| match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    });
    match found {
        None => "(none)".to_owned(),
        Some(Value::String(text)) => text.to_string_lossy(),
        Some(other) => other.to_json(),
    }
}

/// A script of one reply that says `text`.
pub fn says(text: &str) -> String {
    format!(r#"[[{{"text":{}}}]]"#, Value::from(text).to_json())
}

/// The context of a session file's leaf.
pub fn context(path: &Path) -> Context {
    let session = Session::open(path, "new.jsonl", ReadMode::Tolerant).expect("a session");
    assert!(session.diagnostics().is_empty(), "{:?}", session.diagnostics());
    session.context(session.leaf()).expect("a context")
}

/// What a generation shows when it is done.
pub const SUCCESS: &str = "New session started with handoff context";
