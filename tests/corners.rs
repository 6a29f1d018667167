//! Single behaviours that neither a recording nor a vector shows, each with the case on either side of it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::program::{Outcome, ttsr};

fn path(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// A folder with a rule of a key that `--fix` renames, and the rule's file.
#[cfg(unix)]
fn with_old_key() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("r.md");
    fs::write(&file, "---\nttsr_trigger: foo\n---\nB\n").expect("written");
    (folder, file)
}

/// A repair puts a new file in the old one's place, which would part the names of a file with several: it stays as it
/// is, and the run says so. With one name left it is repaired.
#[cfg(unix)]
#[test]
fn a_file_with_several_names_is_not_repaired() {
    use std::os::unix::fs::MetadataExt as _;
    let (folder, file) = with_old_key();
    let other = tempfile::tempdir_in(folder.path().parent().expect("a parent")).expect("a folder");
    let name = other.path().join("same.md");
    fs::hard_link(&file, &name).expect("a second name");
    let before = fs::read_to_string(&file).expect("the rule");
    let fix = || ttsr(["check-rules", path(folder.path()), "--fix"]);
    let refused = fix();
    assert_eq!(refused.status, 3, "{}", refused.err);
    assert!(refused.err.contains("several names"), "{}", refused.err);
    assert!(refused.err.contains("mended 0 findings"), "{}", refused.err);
    assert_eq!(fs::read_to_string(&file).expect("the rule"), before);
    assert_eq!(fs::metadata(&file).expect("the rule").ino(), fs::metadata(&name).expect("its name").ino());
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1, "nothing is left behind");

    fs::remove_file(&name).expect("one name less");
    let mended = fix();
    assert_eq!(mended.status, 0, "{}", mended.err);
    assert_eq!(fs::read_to_string(&file).expect("the rule"), "---\ncondition: foo\n---\nB\n");
}

/// A session whose last line is torn, which is a warning.
fn torn(folder: &Path) -> String {
    let whole = fs::read("testdata/demo/session.jsonl").expect("the demo");
    let file = folder.join("torn.jsonl");
    fs::write(&file, &whole[..whole.len() - 40]).expect("written");
    path(&file).to_owned()
}

/// `--quiet` leaves out what does not count; what makes the run fail is told all the same.
#[test]
fn quiet_runs_tell_what_makes_them_fail() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = torn(folder.path());
    let replay = |further: &[&str]| -> Outcome {
        let arguments = ["replay", session.as_str(), "--rules", "testdata/demo/rules"];
        ttsr(arguments.iter().chain(further).copied())
    };
    let tells = |outcome: &Outcome| outcome.err.contains("torn.jsonl:");
    for (options, status, told) in [
        (&["--quiet"] as &[&str], 0, false),
        (&[], 0, true),
        (&["--quiet", "--fail-on", "warning"], 1, true),
        (&["--fail-on", "warning"], 1, true),
        (&["--quiet", "--fail-on", "warning", "--exit-zero"], 0, true),
    ] {
        let outcome = replay(options);
        assert_eq!((outcome.status, tells(&outcome)), (status, told), "{options:?}: {}", outcome.err);
    }
}

/// A finding about a point has a region without an end: a span of nothing would mark nothing. One about a span has it.
#[test]
fn sarif_gives_an_end_to_spans_only() {
    let regions = |outcome: &Outcome| -> Vec<Value> {
        let document: Value = serde_json::from_str(&outcome.out).expect("a document");
        let results = document["runs"][0]["results"].as_array().expect("results").clone();
        results.iter().map(|result| result["locations"][0]["physicalLocation"]["region"].clone()).collect()
    };
    let folder = tempfile::tempdir().expect("a folder");
    let points = regions(&ttsr(["inspect-session", &torn(folder.path()), "--format", "sarif"]));
    let points: Vec<&Value> = points.iter().filter(|region| region.is_object()).collect();
    assert!(!points.is_empty());
    for region in points {
        let keys: Vec<&String> = region.as_object().expect("a region").keys().collect();
        assert_eq!(keys, ["startColumn", "startLine"], "{region}");
    }
    let spans = regions(&ttsr(["check-rules", "testdata/mistakes", "--format", "sarif"]));
    assert!(spans.iter().any(|region| region["endColumn"].as_u64() > region["startColumn"].as_u64()), "{spans:?}");
}

/// Writes a stream of one message that begins with this block, of these updates.
fn stream_of(folder: &Path, block: Value, updates: impl IntoIterator<Item = Value>) -> String {
    let message = serde_json::json!({"role": "assistant", "content": [block], "timestamp": 1});
    let mut lines = vec![
        serde_json::json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/p"}),
        serde_json::json!({"type": "agent_start"}),
        serde_json::json!({"type": "turn_start"}),
        serde_json::json!({"type": "message_start", "message": message}),
    ];
    let update = |event: Value| serde_json::json!({"type": "message_update", "assistantMessageEvent": event});
    lines.extend(updates.into_iter().map(update));
    let stream = folder.join("events.jsonl");
    fs::write(&stream, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).expect("written");
    path(&stream).to_owned()
}

/// The line of a stream at which a rule for `needle` interrupts a call that streams these deltas.
fn line_of_match(deltas: &[String], arguments: &str) -> u64 {
    let folder = tempfile::tempdir().expect("a folder");
    let rule = folder.path().join("needle.md");
    fs::write(&rule, "---\ncondition: needle\nscope: tool\n---\nB\n").expect("written");
    let call = serde_json::json!({"type": "toolCall", "id": "c", "name": "write", "arguments": {}});
    let delta = |delta| serde_json::json!({"type": "toolcall_delta", "contentIndex": 0, "delta": delta});
    let start = serde_json::json!({"type": "toolcall_start", "contentIndex": 0});
    let stream = stream_of(folder.path(), call, std::iter::once(start).chain(deltas.iter().map(delta)));
    let outcome = ttsr(["replay", &stream, "--rules", path(&rule), "--format", "jsonl", "--arguments", arguments]);
    let trace = outcome.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of the trace"));
    let trigger = trace.into_iter().find(|event| event["kind"] == "trigger");
    let trigger = trigger.unwrap_or_else(|| panic!("no match: {}\n{}", outcome.out, outcome.err));
    trigger["at"]["line"].as_u64().expect("a line")
}

/// The table for people folds the same decision of the same rules at one place, and nothing else: two rules that match
/// in one block one after another have a row each.
#[test]
fn each_decision_of_a_message_has_its_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = folder.path().join("rules");
    fs::create_dir(&rules).expect("a folder");
    for word in ["alpha", "beta"] {
        let rule = format!("---\ncondition: {word}\nscope: text\ninterruptMode: never\n---\nB\n");
        fs::write(rules.join(format!("about-{word}.md")), rule).expect("written");
    }
    let delta = |text| serde_json::json!({"type": "text_delta", "contentIndex": 0, "delta": text});
    let block = serde_json::json!({"type": "text", "text": ""});
    let stream = stream_of(folder.path(), block, ["say alpha ", "and beta ", "too"].map(delta));
    let outcome = ttsr(["replay", &stream, "--rules", path(&rules)]);
    let rows: Vec<&str> = outcome.out.lines().filter(|line| line.starts_with(" line ")).collect();
    assert_eq!(rows.len(), 2, "{}", outcome.out);
    assert!(rows[0].contains("about-alpha") && rows[1].contains("about-beta"), "{}", outcome.out);
}

/// engine.md E6.6: arguments are read again after growth by the larger of 256 units and a thirty-second part of the
/// text, which is 383 of the 12,287 units here.
#[test]
fn long_arguments_are_read_again_after_a_thirty_second_part() {
    let head = r#"{"path":"a.ts","content":""#.to_owned();
    let long = "x".repeat(12_287 - 383 - head.len());
    let needle = |units: usize| format!(" needle{}", "y".repeat(units - 7));
    let deltas = |units| [head.clone(), long.clone(), needle(units), "z".repeat(4_000)];
    let first = 6;
    assert_eq!(line_of_match(&deltas(383), "throttled"), first + 2, "enough to be read at once");
    assert_eq!(line_of_match(&deltas(382), "throttled"), first + 3, "one unit less waits for the next delta");
    assert_eq!(line_of_match(&deltas(382), "eager"), first + 2);

    // A short text: 256 units, however short.
    let deltas = |units| [head.clone(), needle(units), "z".repeat(300)];
    assert_eq!(line_of_match(&deltas(256), "throttled"), first + 1);
    assert_eq!(line_of_match(&deltas(255), "throttled"), first + 2);
}
