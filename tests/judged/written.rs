//! The statements of generation-v4.md about what is written and told (W10, W15), each by its number. Of W10.1
//! only what is read: nobody is asked here, so no usage of a judge is written.

use std::fs;
use std::path::Path;

use ttsr::text::json::{self, Value};

use crate::support::program::{Outcome, ttsr};

const RULES: [(&str, &str); 4] = [
    ("blame", "question: Blames?\ncondition: fault"),
    ("stop", "condition: STOP"),
    ("later", "condition: LATER\ninterruptMode: never"),
    ("fold", "condition: FOLD\ninterruptMode: never\nscope: tool"),
];

/// A folder with these rules of [`RULES`] and a script of these replies.
fn folder(rules: &[&str], replies: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("rules")).expect("a folder");
    for (name, frontmatter) in RULES.iter().filter(|(name, _)| rules.contains(name)) {
        let path = folder.path().join("rules").join(format!("{name}.md"));
        fs::write(path, format!("---\n{frontmatter}\n---\nBody of {name}.\n")).expect("a rule");
    }
    fs::write(folder.path().join("script.json"), replies).expect("a script");
    folder
}

fn replay(folder: &Path, lifecycle: &str, written: &str, more: &[&str]) -> Outcome {
    let path = |name: &str| folder.join(name).display().to_string();
    let mut arguments = vec!["replay".to_owned(), "--script".to_owned(), path("script.json")];
    arguments.extend(["--rules".to_owned(), path("rules"), "--write-session".to_owned(), path(written)]);
    let fixed = ["--prompt", "Go", "--format", "jsonl", "--lifecycle", lifecycle];
    arguments.extend(fixed.iter().chain(more).map(|&word| word.to_owned()));
    let outcome = ttsr(arguments);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    outcome
}

fn told(outcome: &Outcome, kind: &str) -> Vec<Value> {
    let lines = outcome.out.lines().map(|line| json::parse(line).expect("JSON"));
    lines.filter(|line| text(line, "kind") == kind).collect()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_string).map(|text| text.to_string_lossy()).unwrap_or_default()
}

#[test]
fn w10_2_warning_and_entry_are_an_adjacent_pair() {
    let folder =
        folder(&["blame"], r#"[{"parts": [{"text": "your fault"}], "judge": [{"noul": 0.7}]}, [{"text": "b"}]]"#);
    replay(folder.path(), "v4", "s.jsonl", &[]);
    let session = fs::read_to_string(folder.path().join("s.jsonl")).expect("a session");
    let entries: Vec<Value> = session.lines().map(|line| json::parse(line).expect("JSON")).collect();
    let at = entries.iter().position(|entry| text(entry, "type") == "custom_message").expect("a warning");
    let (warning, entry) = (&entries[at], &entries[at + 1]);
    assert_eq!((text(warning, "customType"), text(entry, "type")), ("ttsr-injection".into(), "ttsr_injection".into()));
    assert_eq!(text(entry, "parentId"), text(warning, "id"));
    let details = warning.get("details").expect("details");
    assert_eq!(details.to_json(), r#"{"rules":["blame"]}"#);
    assert_eq!((text(warning, "attribution"), warning.get("display")), ("agent".into(), Some(&Value::Bool(false))));
}

#[test]
fn w10_4_interrupts_deferrals_and_folds_write_what_v3_writes() {
    let replies = r#"[[{"text": "one STOP two"}], [{"text": "LATER"}], [{"tool": "write", "args": {"path": "a.md", "content": "FOLD"}}], [{"text": "done"}]]"#;
    let folder = folder(&["stop", "later", "fold"], replies);
    let [older, newer] = ["v3", "v4"].map(|lifecycle| {
        let outcome = replay(folder.path(), lifecycle, &format!("{lifecycle}.jsonl"), &[]);
        assert_eq!(told(&outcome, "persist").len(), 3, "{}", outcome.out);
        fs::read_to_string(folder.path().join(format!("{lifecycle}.jsonl"))).expect("a session")
    });
    assert_eq!(older, newer);
}

#[test]
fn w10_5_a_handoff_writes_what_v3_writes() {
    let folder = folder(&[], r#"[[{"text": "What was done, and what is left."}]]"#);
    let written = ["v3", "v4"].map(|lifecycle| {
        let path = folder.path().join(format!("{lifecycle}.jsonl")).display().to_string();
        let script = folder.path().join("script.json").display().to_string();
        let fixed = [
            "handoff",
            "testdata/demo/session.jsonl",
            "--script",
            &script,
            "--output",
            &path,
            "--seed",
            "1",
            "--now",
            "2026-01-31T12:00:00.000Z",
        ];
        let outcome = ttsr(fixed.into_iter().chain(["--lifecycle", lifecycle]));
        assert_eq!(outcome.status, 0, "{}", outcome.err);
        fs::read_to_string(path).expect("a session")
    });
    assert_eq!(written[0], written[1]);
}

#[test]
fn w15_1_and_w15_5_asks_are_told_and_a_yes_warns() {
    let folder = folder(&["blame"], r#"[[{"text": "your fault"}], [{"text": "b"}]]"#);
    let verdicts = folder.path().join("verdicts.jsonl");
    fs::write(&verdicts, "{\"rule\":\"blame\",\"answer\":\"yes\"}\n").expect("verdicts");
    let outcome = replay(folder.path(), "v4", "s.jsonl", &["--verdicts", &verdicts.display().to_string()]);
    let asks = told(&outcome, "ask");
    assert_eq!(asks.len(), 1, "the second reply is not asked about: the condition gates it");
    assert_eq!(text(&asks[0], "output"), "reply");
    assert_eq!(asks[0].get("rules").map(Value::to_json), Some(r#"["blame"]"#.into()));
    let decisions: Vec<String> = told(&outcome, "trigger").iter().map(|one| text(one, "decision")).collect();
    assert_eq!(decisions, ["warn"]);
    let injected = told(&outcome, "inject");
    assert_eq!(text(&injected[0], "role"), "custom");
    assert!(text(&injected[0], "content").starts_with("<system-reminder "), "{}", injected[0].to_json());
    for kind in ["abort", "discard"] {
        assert_eq!(told(&outcome, kind).len(), 0, "{kind}");
    }
}

#[test]
fn w15_2_the_first_source_with_an_answer_counts_and_none_is_undecided() {
    let run = |judge: &str, file: &str| {
        let reply = format!(r#"[{{"parts": [{{"text": "your fault"}}]{judge}}}, [{{"text": "b"}}]]"#);
        let folder = folder(&["blame"], &reply);
        let verdicts = folder.path().join("verdicts.json");
        fs::write(&verdicts, file).expect("verdicts");
        let outcome = replay(folder.path(), "v4", "s.jsonl", &["--verdicts", &verdicts.display().to_string()]);
        let summary = told(&outcome, "summary").remove(0);
        let number = |key: &str| summary.get(key).map(Value::to_json).unwrap_or_default();
        let from: Vec<String> = told(&outcome, "verdict").iter().map(|one| text(one, "from")).collect();
        (from.join(","), number("warned"), number("undecided"))
    };
    let result = |from: &str, warned: &str, undecided: &str| (from.to_owned(), warned.into(), undecided.into());
    let (no, yes) = (r#", "judge": [{"noul": 0.2}]"#, r#", "judge": [{"noul": 0.9}]"#);
    assert_eq!(run(no, r#"[{"rule": "blame", "answer": "yes"}]"#), result("file", "1", "0"));
    assert_eq!(run(yes, r#"[{"rule": "other", "answer": "no"}]"#), result("script", "1", "0"));
    assert_eq!(run(no, "[]"), result("script", "0", "0"));
    assert_eq!(run("", "[]"), result("none", "0", "1"));
    assert_eq!(run("", r#"[{"noul": 0}]"#), result("file", "0", "0"));
}

#[test]
fn w10_1_requests_and_failures_are_counted_from_the_usage() {
    for (case, totals, said) in [
        ("j13-judge-error-400", r#"{"asked":1,"failed":1}"#, "1 request to a judge: 1 failed"),
        ("j01-judged-text-yes", r#"{"asked":1,"failed":0}"#, "1 request to a judge: 0 failed"),
        ("j10-judge-off", r#"{"asked":0,"failed":0}"#, "a resume at the leaf"),
    ] {
        let path = format!("testdata/recordings-18.3/{case}/session.1.jsonl");
        let inspect = |format: &str| ttsr(["inspect-session", &path, "--lifecycle", "v4", "--format", format]).out;
        let document = json::parse(inspect("json").trim()).expect("JSON");
        assert_eq!(document.get("judge").map(Value::to_json), Some(totals.into()), "{case}");
        assert!(inspect("human").contains(said), "{case}: {}", inspect("human"));
    }
}

/// What cannot be told is said, also where only the asks are printed, and rows without effect are named.
#[test]
fn w15_2_what_is_not_asked_for_certain_and_what_no_row_fits_is_said() {
    let folder = folder(&["blame"], r#"[[{"text": "your fault"}], [{"text": "b"}]]"#);
    let path = |name: &str| folder.path().join(name).display().to_string();
    // A condition that is valid and too large to be evaluated.
    let rule = |condition: &str| format!("---\nquestion: Bad?\ncondition: '{condition}'\n---\nB\n");
    fs::write(path("gated.md"), rule(&"a".repeat(262_145))).expect("a rule");
    let asks = |text: &str, lifecycle: &str| {
        ttsr(["replay", "--text", text, "--rules", &path("gated.md"), "--print-asks", "--lifecycle", lifecycle])
    };
    let open = asks("a", "v4");
    assert_eq!((open.status, open.out.as_str()), (0, ""));
    assert!(open.err.contains("undecided: rule gated") && open.err.len() < 2_000, "{}", open.err);
    fs::write(path("gated.md"), rule("aaa")).expect("a rule");
    let none = asks("b", "v4");
    assert_eq!((none.out.as_str(), none.err.as_str()), ("", ""));
    assert!(asks("b", "v3").err.contains("lifecycle v3 asks no judge"));

    let verdicts = path("verdicts.jsonl");
    let run = |row: &str| {
        fs::write(&verdicts, row).expect("verdicts");
        let fixed = ["replay", "--text", "my fault", "--rules", &path("rules"), "--verdicts", &verdicts];
        ttsr(fixed.into_iter().chain(["--lifecycle", "v4"]))
    };
    assert!(run(r#"{"rule":"blamee","answer":"yes"}"#).err.contains("row 1: no rule `blamee` was read"));
    assert!(run(r#"{"rule":"blame","noul":1,"anwser":1}"#).err.contains("row 1: a verdict has no member `anwser`"));
    for wrong in [r#""answer":"yes","noul":0"#, r#""noul":1,"delayMs":1e20"#, r#""noul":1,"delayMs":-1"#] {
        let outcome = run(&format!(r#"{{"rule":"blame",{wrong}}}"#));
        assert_eq!(outcome.status, 3, "{wrong}: {}", outcome.err);
        assert!(outcome.err.contains("line 1"), "{}", outcome.err);
    }
    let twice = ttsr(["replay", "-", "--verdicts", "-", "--rules", &path("rules")]);
    assert_eq!(twice.status, 2);
    assert!(twice.err.contains("cannot be both --verdicts and an input"), "{}", twice.err);
}
