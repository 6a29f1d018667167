//! Choosing among many inputs, and what must hold of them together.

#[path = "corpus/options.rs"]
mod options;
#[path = "corpus/report.rs"]
mod report;

use std::fs;
use std::path::Path;

use crate::support::program::{Outcome, surroundings, ttsr, ttsr_with};

const RULES: [(&str, &str); 2] = [("foo", "foo"), ("never", "never-said")];

/// A folder with three days of sessions, two rules, and a file that is no session.
fn corpus() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("in/late")).expect("a folder");
    fs::create_dir(at("rules")).expect("a folder");
    for (name, condition) in RULES {
        let text = format!("---\ndescription: x\ncondition: '{condition}'\nscope: text\n---\nno\n");
        fs::write(at("rules").join(format!("{name}.md")), text).expect("a rule");
    }
    for (name, day, said) in [("in/a.jsonl", 1, "a foo"), ("in/b.jsonl", 2, "bar"), ("in/late/c.jsonl", 3, "foo foo")] {
        let header = format!(
            r#"{{"type":"session","version":3,"id":"s{day}","timestamp":"2026-01-0{day}T12:00:00.000Z","cwd":"/p"}}"#
        );
        let message = format!(
            r#"{{"type":"message","id":"aaaaaaa1","parentId":null,"message":{{"role":"assistant","content":[{{"type":"text","text":"{said}"}}]}}}}"#
        );
        fs::write(at(name), format!("{header}\n{message}\n")).expect("a session");
    }
    folder
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn run(folder: &Path, arguments: &[&str]) -> Outcome {
    let rules = shown(&folder.join("rules"));
    ttsr(["replay", "--each", "--rules", &rules, "--format", "csv"].into_iter().chain(arguments.iter().copied()))
}

/// The inputs that a run reports, by their names without folder.
fn inputs(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let outcome = run(folder, arguments);
    assert_eq!(outcome.status, 0, "{arguments:?}: {}", outcome.err);
    let mut names: Vec<String> =
        outcome.out.lines().skip(1).map(|line| line.split(',').next().expect("a cell").to_owned()).collect();
    names.dedup();
    names.iter().map(|name| name.rsplit('/').next().expect("a name").to_owned()).collect()
}

#[test]
fn inputs_are_chosen_by_list_glob_time_and_shard() {
    let folder = corpus();
    let all = shown(&folder.path().join("in"));
    let chosen = |arguments: &[&str]| inputs(folder.path(), &[&[all.as_str()], arguments].concat());
    assert_eq!(chosen(&[]), ["a.jsonl", "b.jsonl", "c.jsonl"]);
    assert_eq!(chosen(&["--include", "late/**"]), ["c.jsonl"]);
    assert_eq!(chosen(&["--exclude", "late/**", "--exclude", "b*"]), ["a.jsonl"]);
    assert_eq!(chosen(&["--include", "*.jsonl", "--exclude", "a.jsonl"]), ["b.jsonl", "c.jsonl"]);
    assert_eq!(chosen(&["--since", "2026-01-02"]), ["b.jsonl", "c.jsonl"]);
    assert_eq!(chosen(&["--since", "2026-01-01T12:00:00.001Z", "--until", "2026-01-03"]), ["b.jsonl"]);
    let shards: Vec<Vec<String>> = ["1/2", "2/2"].iter().map(|shard| chosen(&["--shard", shard])).collect();
    assert_eq!(shards, [vec!["a.jsonl", "c.jsonl"], vec!["b.jsonl"]]);
    // A shard may be empty, and says so.
    let empty = run(folder.path(), &[&all, "--shard", "4/4"]);
    assert_eq!((empty.status, empty.out.lines().count()), (0, 1), "a head and nothing below");
    assert!(empty.err.contains("no input is left"), "{}", empty.err);
}

#[test]
fn a_list_of_inputs_has_lines_or_nuls() {
    let folder = corpus();
    let names = ["in/late/c.jsonl", "in/a.jsonl"].map(|name| shown(&folder.path().join(name)));
    for list in [names.join("\n"), format!("{}\r\n", names.join("\r\n")), format!("{}\0", names.join("\0"))] {
        let file = folder.path().join("list");
        fs::write(&file, &list).expect("a list");
        assert_eq!(inputs(folder.path(), &["--files-from", &shown(&file)]), ["c.jsonl", "a.jsonl"]);
        let rules = shown(&folder.path().join("rules"));
        let piped = ["replay", "--files-from", "-", "--each", "--rules", &rules, "--format", "csv"];
        let outcome = ttsr_with(piped, list.as_bytes(), &surroundings());
        assert_eq!(outcome.out.lines().count(), 1 + 4, "{}{}", outcome.out, outcome.err);
    }
    let missing = run(folder.path(), &["--files-from", "/nowhere/list"]);
    assert_eq!(missing.status, 3, "{}", missing.err);
}

#[test]
fn an_input_that_does_not_say_when_it_began_is_left_out_and_told_of() {
    let folder = corpus();
    let stream = folder.path().join("in/stream.jsonl");
    fs::write(&stream, "{\"type\":\"ready\"}\n{\"type\":\"turn_start\"}\n").expect("a stream");
    let all = shown(&folder.path().join("in"));
    let outcome = run(folder.path(), &[&all, "--since", "2026-01-03"]);
    assert!(outcome.err.contains("1 input without a time"), "{}", outcome.err);
    assert!(outcome.out.contains("c.jsonl") && !outcome.out.contains("stream"), "{}", outcome.out);
    // What cannot be read at all is still a failure, never left out silently.
    let missing = shown(&folder.path().join("in/missing.jsonl"));
    let outcome = run(folder.path(), &[&missing, "--since", "2026-01-03"]);
    assert_eq!(outcome.status, 3, "{}", outcome.err);
}

#[test]
fn a_gate_that_does_not_hold_names_its_samples() {
    let folder = corpus();
    let all = shown(&folder.path().join("in"));
    for (gate, status, said) in [
        (&["--max-rate", "foo=700"][..], 0, ""),
        (&["--max-rate", "foo=600"], 1, "a.jsonl:2"),
        (&["--max-rate", "never=0"], 0, ""),
        (&["--max-rate", "unknown=1"], 2, "no rule `unknown`"),
        (&["--require-coverage", "50"], 0, ""),
        (&["--require-coverage", "51"], 1, "silent: `never`"),
        (&["--max-premature", "0"], 0, ""),
        (&["--fail-on-undecided"], 0, ""),
    ] {
        let outcome = run(folder.path(), &[&[all.as_str()], gate].concat());
        assert_eq!(outcome.status, status, "{gate:?}: {}", outcome.err);
        assert!(outcome.err.contains(said), "{gate:?}: {}", outcome.err);
    }
}

#[test]
fn premature_and_undecided_decisions_are_gated() {
    let folder = corpus();
    let rule = |name: &str, condition: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("---\ndescription: x\ncondition: '{condition}'\nscope: text\n---\nno\n"))
            .expect("a rule");
        shown(&path)
    };
    let session = shown(&folder.path().join("in/late/c.jsonl"));
    // Cut into single units, `foo` at the end of the text so far is no longer there at the end of the block.
    let early = rule("early.md", "^foo$");
    let arguments = ["replay", &session, "--rules", &early, "--chunk", "chars:1", "--format", "csv"];
    let gated = |limit: &'static str| ttsr(arguments.into_iter().chain(["--max-premature", limit]));
    assert_eq!(gated("100").status, 0);
    let outcome = gated("99.9");
    assert_eq!(outcome.status, 1, "{}{}", outcome.out, outcome.err);
    assert!(outcome.err.contains("100.0 % of the triggers"), "{}", outcome.err);
    let slow = rule("slow.md", r"^(a+)+(a+)+(a+)+(a+)+b\1\2\3\4\1\2\3\4c");
    let text = format!("{}b{}c", "a".repeat(300), "a".repeat(299));
    let outcome = ttsr(["replay", "--text", &text, "--rules", &slow, "--fail-on-undecided", "--format", "csv"]);
    assert_eq!(outcome.status, 1, "{}{}", outcome.out, outcome.err);
    assert!(outcome.err.contains("1 decision not reached"), "{}", outcome.err);
}

#[test]
fn wrong_values_are_usage_errors_with_a_remedy() {
    let folder = corpus();
    let all = shown(&folder.path().join("in"));
    for wrong in [
        ["--shard", "0/4"],
        ["--shard", "5/4"],
        ["--shard", "x"],
        ["--since", "yesterday"],
        ["--until", "2026-13-01"],
        ["--include", "["],
        ["--max-rate", "foo"],
        ["--max-rate", "foo=-1"],
        ["--max-rate", "=1"],
        ["--require-coverage", "101"],
        ["--max-premature", "much"],
    ] {
        let outcome = run(folder.path(), &[&all, wrong[0], wrong[1]]);
        assert_eq!(outcome.status, 2, "{wrong:?}: {}", outcome.err);
        assert!(outcome.err.contains(wrong[0]) && outcome.err.contains("help:"), "{wrong:?}: {}", outcome.err);
    }
}
