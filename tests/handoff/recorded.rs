//! The recorded handoffs of 14.9.9 and 17.2.15 (recordings/README.md): from the session before the handoff and the
//! script of the run to the same new session and the same old one, ids and times aside.

use std::fs;
use std::path::{Path, PathBuf};

use ttsr::text::json::{Object, Value};

use super::{Desk, at, records, report};
use crate::support::project;

/// What the recording shows of one case.
struct Case {
    pipeline: &'static str,
    name: String,
    folder: PathBuf,
}

/// The cases in the folder of recordings; it need not hold any handoff.
fn cases() -> Vec<Case> {
    let root = std::env::var_os("TTSR_RECORDINGS").map_or_else(|| project("testdata/recordings"), PathBuf::from);
    let mut cases = Vec::new();
    for (pipeline, set) in [("g3", "handoff-14"), ("g4", "handoff-17")] {
        for entry in fs::read_dir(root.join(set)).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().join("script.json").is_file() {
                cases.push(Case { pipeline, name, folder: entry.path() });
            }
        }
    }
    cases.sort_by(|a, b| a.folder.cmp(&b.folder));
    cases
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are wanted in the log")]
fn recordings_of_handoffs() {
    let mut failures = Vec::new();
    let cases = cases();
    if std::env::var_os("TTSR_RECORDINGS").is_none() {
        assert!(!cases.is_empty(), "no recorded handoff in testdata");
    }
    for case in &cases {
        if let Err(why) = check(case) {
            failures.push(format!("{} {}: {why}", case.pipeline, case.name));
        }
    }
    println!("handoff: {} passed, {} failed", cases.len() - failures.len(), failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The session as it was before the handoff prompt; without a recorded file, a session without messages.
fn source(folder: &Path) -> String {
    let text = fs::read_to_string(folder.join("source.jsonl")).unwrap_or_else(|_| {
        "{\"type\":\"session\",\"version\":3,\"id\":\"01a228ac-1684-7329-9338-0a0d7a39540a\",\"timestamp\":\"2026-11-29T18:58:16.324Z\",\"cwd\":\"/home/dev4/app\"}\n".to_owned()
    });
    let before = text.lines().take_while(|line| !line.contains("\"role\":\"developer\""));
    before.map(|line| format!("{line}\n")).collect()
}

fn check(case: &Case) -> Result<(), String> {
    let desk = Desk::new(&source(&case.folder));
    let script = case.folder.join("script.json").to_string_lossy().into_owned();
    let copy = desk.path("copy.jsonl").to_string_lossy().into_owned();
    let mut arguments = vec!["--script", &script, "--pipeline", case.pipeline, "--write-source", &copy];
    if case.name == "focus" {
        arguments.extend(["--focus", "keep the test plan"]);
    }
    let written = case.folder.join("handoff.1.jsonl").is_file();
    let own = !matches!(case.name.as_str(), "empty-document" | "model-error");
    if written && !own {
        let refused = desk.handoff(&arguments);
        let shown = report(&refused);
        if refused.status != 3 || desk.path("new.jsonl").exists() || desk.path("copy.jsonl").exists() {
            return Err(format!("without --faithful: {refused:?}"));
        }
        if at(&shown, "reference") != super::SUCCESS || at(&shown, "reason") == "null" {
            return Err(format!("without --faithful: {}", shown.to_json()));
        }
        arguments.push("--faithful");
    }
    let outcome = desk.handoff(&arguments);
    let shown = report(&outcome);
    if !written {
        let told = fs::read_to_string(case.folder.join("response.json")).unwrap_or_default();
        let expected = told.lines().find_map(|line| line.trim().strip_prefix("\"error\": \"")).unwrap_or_default();
        // What follows in the recording is the path of a log on the machine of the run.
        let expected = expected.split("\\n").next().unwrap_or_default().trim_end_matches('"');
        let agrees = at(&shown, "reference").contains(expected);
        let nothing = !desk.path("new.jsonl").exists() && !desk.path("copy.jsonl").exists();
        return if outcome.status == 3 && agrees && nothing { Ok(()) } else { Err(format!("{outcome:?}")) };
    }
    if outcome.status != 0 {
        return Err(format!("{outcome:?}"));
    }
    let recorded = records(&case.folder.join("handoff.1.jsonl"));
    let parent = desk.path("old.jsonl").to_string_lossy().into_owned();
    same("new session", &stripped(&recorded, &parent), &stripped(&desk.records("new.jsonl"), &parent))?;
    let old = records(&case.folder.join("source.jsonl"));
    same("old session", &said(&old), &said(&desk.records("copy.jsonl")))?;
    // From the old session as it was afterwards: its own exchange serves, and so does the script once more.
    let afterwards = fs::read_to_string(case.folder.join("source.jsonl")).map_err(|error| error.to_string())?;
    let recorded_script = ["--script", script.as_str()];
    let ways: &[&[&str]] = if case.pipeline == "g3" { &[&[], &recorded_script] } else { &[&recorded_script] };
    for way in ways {
        let desk = Desk::new(&afterwards);
        let faithful: &[&str] = if own { &[] } else { &["--faithful"] };
        let outcome = desk.handoff(&[*way, &["--pipeline", case.pipeline], faithful].concat());
        if outcome.status != 0 {
            return Err(format!("{way:?}: {outcome:?}"));
        }
        let parent = desk.path("old.jsonl").to_string_lossy().into_owned();
        let what = format!("new session, {way:?}");
        same(&what, &stripped(&recorded, &parent), &stripped(&desk.records("new.jsonl"), &parent))?;
    }
    Ok(())
}

fn same(what: &str, expected: &[String], got: &[String]) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{what}\nexpected {expected:#?}\ngot      {got:#?}")) }
}

/// Records with sorted members; ids and times only by presence, the parent by whether it names the source.
fn stripped(records: &[Value], parent: &str) -> Vec<String> {
    let strip = |record: &Value| {
        let Value::Object(object) = record else { return record.to_json() };
        let mut members: Vec<(String, String)> = object
            .iter()
            .map(|(key, value)| {
                let key = key.to_string_lossy();
                let value = match key.as_str() {
                    "id" | "timestamp" | "updatedAt" => "(varies)".to_owned(),
                    "parentSession" => {
                        let named = value.as_string().map(ToString::to_string).unwrap_or_default();
                        let is_source = named == parent || named.contains("/.omp/agent/sessions/");
                        format!("(the source: {is_source})")
                    }
                    _ => value.to_json(),
                };
                (key, value)
            })
            .collect();
        members.sort();
        format!("{members:?}")
    };
    records.iter().map(strip).collect()
}

/// What the messages of a session say: role, attribution, content, stop reason and how they hang together. The words of
/// the request are each program's own, so only the focus behind them is compared.
fn said(records: &[Value]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut said = Vec::new();
    for record in records {
        ids.push(at(record, "id"));
        let parent = ids.iter().position(|id| *id == at(record, "parentId"));
        let Some(Value::Object(message)) = record.get("message") else { continue };
        let member = |key: &str| message.get(key).map(Value::to_json).unwrap_or_default();
        let content = if member("role") == "\"developer\"" { focus(message) } else { plain(message) };
        said.push(format!(
            "{parent:?} {} {} {content} {}",
            member("role"),
            member("attribution"),
            member("stopReason")
        ));
    }
    said
}

fn focus(message: &Object) -> String {
    let text = at(&Value::Object(message.clone()), "content.0.text");
    text.split_once("\n\nAdditional focus: ").map(|(_, focus)| focus.to_owned()).unwrap_or_default()
}

/// The blocks by what they say; signatures of thinking are the provider's.
fn plain(message: &Object) -> String {
    let blocks = message.get("content").and_then(Value::as_array).unwrap_or_default();
    let words = ["type", "text", "thinking"];
    blocks.iter().map(|block| words.map(|word| at(block, word)).join("|")).collect::<Vec<_>>().join(" ")
}
