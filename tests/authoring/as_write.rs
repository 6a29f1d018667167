//! `--as-write`: what rules say of the files that are there.

use std::fs;
use std::path::Path;

use ttsr::text::json::{self, Value};

use super::{path, rules, text};
use crate::support::program::{Outcome, surroundings, ttsr, ttsr_with};

fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for below in ["src/deep", "target", ".git"] {
        fs::create_dir_all(at(below)).expect("a folder");
    }
    fs::write(at("src/a.rs"), "fn main() {\n    let x = y.unwrap();\n    y.unwrap();\n}\n").expect("written");
    fs::write(at("src/deep/b.ts"), "const a = b.unwrap();\nconst x = y as any;\n").expect("written");
    fs::write(at("src/bin.rs"), b"\0.unwrap()").expect("written");
    fs::write(at("src/large.rs"), format!("y.unwrap();{}", " ".repeat(5 << 20))).expect("written");
    fs::write(at("target/out.rs"), "y.unwrap();").expect("written");
    fs::write(at(".git/config.rs"), "y.unwrap();").expect("written");
    fs::write(at(".hidden.rs"), "y.unwrap();").expect("written");
    fs::write(at(".gitignore"), "target/\n").expect("written");
    folder
}

fn files(root: &Path, rules: &Path, more: &[&str]) -> Outcome {
    ttsr(["replay", "--as-write", path(root), "--rules", path(rules)].iter().chain(more))
}

#[test]
fn files_are_write_calls_to_them() {
    let rules = rules(&[
        ("no-unwrap", "condition: '\\.unwrap\\(\\)'\nglobs: '*.rs'"),
        ("no-any", "astCondition: '$A as any'"),
        ("silent", "condition: zzz"),
        ("prose", "condition: unwrap\nscope: text"),
        ("edits", "condition: unwrap\nscope: 'tool:write(src/deep/**)'"),
    ]);
    let tree = tree();
    let outcome = files(tree.path(), rules.path(), &["--format", "json"]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    let document = json::parse(&outcome.out).expect("JSON");
    assert_eq!(text(&document, "schema"), "ttsr.files/1");
    let findings = document.get("findings").and_then(Value::as_array).expect("findings");
    let root = format!("{}/", path(tree.path()));
    let shown: Vec<String> = findings
        .iter()
        .map(|finding| {
            let line = finding.get("line").and_then(Value::as_f64).unwrap_or_default();
            format!("{}:{line} {}", text(finding, "file").replace(&root, ""), text(finding, "rule"))
        })
        .collect();
    let expected =
        [".hidden.rs:1 no-unwrap", "src/a.rs:2 no-unwrap", "src/deep/b.ts:1 edits", "src/deep/b.ts:2 no-any"];
    assert_eq!(shown, expected, "{}", outcome.out);
    let summary = document.get("summary").expect("a summary");
    let number = |keys: &[&str]| keys.iter().try_fold(summary, |value, key| value.get(key)).and_then(Value::as_f64);
    // The two sources, .hidden.rs, .gitignore.
    assert_eq!(number(&["files"]), Some(4.0), "{}", outcome.out);
    assert_eq!(number(&["skipped", "binary"]), Some(1.0));
    assert_eq!(number(&["skipped", "too_large"]), Some(1.0));
    let human = files(tree.path(), rules.path(), &[]);
    assert!(
        human.out.contains("4 findings in 4 files as write calls, lifecycle v3; left out: 1 binary, 1 over 5 MiB"),
        "{}",
        human.out
    );
    let csv = files(tree.path(), rules.path(), &["--format", "csv"]);
    assert_eq!(csv.out, "rule,files\nedits,1\nno-any,1\nno-unwrap,2\nprose,0\nsilent,0\n");
}

/// What `--as-write` says is what a replay of the same write call decides.
#[test]
fn files_are_decided_as_calls_are() {
    let rules = rules(&[("r", "condition: 'foo$'"), ("s", "condition: 'a\\nb'"), ("t", "astCondition: 'f($A)'")]);
    let folder = tempfile::tempdir().expect("a folder");
    for (at, content) in ["foo", "foo\n", "a\nb", "f(1)", "g(1)", ""].iter().enumerate() {
        let file = folder.path().join(format!("{at}.ts"));
        fs::write(&file, content).expect("written");
        let found = files(&file, rules.path(), &["--format", "jsonl"]);
        let name = format!("{at}.ts");
        let fixed = ["replay", "--text", content, "--path", &name, "--rules", path(rules.path()), "--format", "jsonl"];
        let played = ttsr(fixed);
        let of = |outcome: &Outcome, keys: &str| {
            let lines = outcome.out.lines().map(|line| json::parse(line).expect("JSON"));
            let mut rules: Vec<String> = lines.map(|line| text(&line, keys)).filter(|rule| !rule.is_empty()).collect();
            rules.dedup();
            rules
        };
        let triggers: Vec<String> = played
            .out
            .lines()
            .map(|line| json::parse(line).expect("JSON"))
            .filter(|line| text(line, "kind") == "trigger")
            .flat_map(|line| line.get("rules").and_then(Value::as_array).map(<[Value]>::to_vec).unwrap_or_default())
            .filter_map(|rule| rule.as_string().map(|rule| rule.to_string_lossy()))
            .collect();
        assert_eq!(of(&found, "rule"), triggers, "{content:?}: {}", played.out);
    }
}

#[test]
fn relative_paths_stay_and_jobs_change_nothing() {
    let rules = rules(&[("r", "condition: unwrap\nscope: 'tool:write(src/*.rs)'")]);
    let tree = tree();
    let around = ttsr::cli::Surroundings { cwd: tree.path().to_owned(), ..surroundings() };
    let run = |jobs: &str| {
        let fixed = ["replay", "--lifecycle", "v3", "--as-write", path(tree.path()), "--rules", path(rules.path())];
        ttsr_with(fixed.into_iter().chain(["--jobs", jobs, "--format", "jsonl"]), b"", &around)
    };
    let one = run("1");
    assert_eq!(one.out.lines().count(), 2, "{}", one.out);
    assert_eq!(one.out, run("3").out);
}

#[test]
fn what_is_no_question_about_files_is_refused() {
    let rules = rules(&[("r", "condition: foo")]);
    for more in [&["--verify"][..], &["--explain"], &["session.jsonl"], &["--text", "a"], &["--chunk", "all"]] {
        assert_eq!(files(Path::new("."), rules.path(), more).status, 2, "{more:?}");
    }
    let missing = files(Path::new("/nowhere/at/all"), rules.path(), &[]);
    assert_eq!(missing.status, 3);
    assert!(missing.err.contains("no such file or directory"), "{}", missing.err);
}
