//! Hostile places and outputs: files that nobody named, names that drive a terminal, what is written and for whom.
#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::support::program::{Outcome, ttsr};

const RULE: &str = "---\ndescription: x\ncondition: 'foo'\nscope: text\n---\nno\n";

/// Places in a project where a search for rules and settings looks without being told to.
const AMBIENT: [&str; 25] = [
    ".gitignore",
    ".omp/.gitignore",
    ".omp/rules/.gitignore",
    ".omp/config.yml",
    ".omp/settings.json",
    ".omp/rules/odd.md",
    ".omp/rules/odd.mdc",
    ".omp/RULES.md",
    ".claude/settings.json",
    ".claude/rules/odd.md",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".cursor/rules/odd.mdc",
    ".cursor/rules/.gitignore",
    ".cursor/settings.json",
    ".cursorrules",
    ".windsurf/rules/odd.md",
    ".windsurfrules",
    ".clinerules",
    ".clinerules/odd.md",
    ".github/instructions/odd.instructions.md",
    ".github/copilot-instructions.md",
    ".vscode/settings.json",
    ".opencode/config.json",
    "opencode.json",
];

/// What stands in such a place instead of a file.
const KINDS: [&str; 6] = ["pipe", "device", "folder", "unreadable", "sparse", "loop"];

fn place(path: &Path, kind: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    match kind {
        "pipe" => assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success()),
        "device" => symlink("/dev/zero", path).expect("a link"),
        "folder" => fs::create_dir(path).expect("a folder"),
        "unreadable" => {
            fs::write(path, "x").expect("a file");
            fs::set_permissions(path, fs::Permissions::from_mode(0o0)).expect("permissions");
        }
        "sparse" => File::create(path).and_then(|file| file.set_len(1 << 30)).expect("a file"),
        _ => symlink(path, path).expect("a link"),
    }
}

/// Runs the program aside, so that a run that never ends fails the test instead of holding it.
fn bounded(arguments: Vec<String>) -> Outcome {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || send.send(ttsr(arguments)));
    receive.recv_timeout(Duration::from_secs(120)).expect("the run ends")
}

#[test]
fn what_nobody_named_holds_nothing_up() {
    for ambient in AMBIENT {
        for kind in KINDS {
            let project = tempfile::tempdir().expect("a folder");
            let rules = project.path().join(".omp/rules");
            fs::create_dir_all(&rules).expect("a folder");
            fs::write(rules.join("foo.md"), RULE).expect("a rule");
            place(&project.path().join(ambient), kind);
            let named = project.path().to_string_lossy().into_owned();
            let outcome = bounded(["check-rules", "--project", &named, "--list"].map(str::to_owned).to_vec());
            let shown = format!("{ambient} as {kind}: {}{}", outcome.out, outcome.err);
            // A settings file that cannot be read or parsed ends the run, as it ends the agent's; nothing else does.
            let is_refused = ambient == ".omp/config.yml" && matches!(kind, "unreadable" | "sparse");
            match outcome.status {
                0 | 1 => assert!(outcome.out.contains("foo"), "{shown}"),
                3 => assert!(is_refused && outcome.err.contains("config.yml"), "{shown}"),
                status => panic!("{status}: {shown}"),
            }
        }
    }
}

#[test]
fn an_ignore_list_that_is_none_is_told_of() {
    let project = tempfile::tempdir().expect("a folder");
    let rules = project.path().join(".omp/rules");
    fs::create_dir_all(&rules).expect("a folder");
    fs::write(rules.join("foo.md"), RULE).expect("a rule");
    symlink("/dev/zero", project.path().join(".gitignore")).expect("a link");
    let named = project.path().to_string_lossy().into_owned();
    let outcome = ttsr(["check-rules", "--project", &named, "--format", "json"]);
    assert!(outcome.out.contains("skipped-file") && outcome.out.contains(".gitignore"), "{}", outcome.out);
}

fn session(folder: &Path, id: &str) -> String {
    let path = folder.join("s.jsonl");
    let text = format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/p\"}}\n\
         {{\"type\":\"message\",\"id\":\"aaaaaaa1\",\"parentId\":null,\"timestamp\":\"2026-01-01T00:00:00.000Z\",\
         \"message\":{{\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"a foo\"}}]}}}}\n"
    );
    fs::write(&path, text).expect("a session");
    path.to_string_lossy().into_owned()
}

#[test]
fn json_holds_no_character_that_drives_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let id = "\u{9b}2J\u{202e}\u{200b}\u{e0041}\u{7f}";
    let input = session(folder.path(), id);
    let outcome = ttsr(["inspect-session", &input, "--format", "json"]);
    assert!(outcome.out.contains(r"\u009b2J\u202e\u200b\udb40\udc41\u007f"), "{}", outcome.out);
    let value: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
    assert_eq!(value["header"]["id"], id);
}

#[test]
fn no_form_lets_a_character_through_that_drives_a_terminal() {
    const NAME: &str = "a\u{1b}]0;x\u{7}\u{9b}\u{202e}b";
    let folder = tempfile::tempdir().expect("a folder");
    let rules = folder.path().join("rules");
    fs::create_dir(&rules).expect("a folder");
    let rule = "---\ndescription: x\ncondition: [foo, \"bar\\u001b[31m\", \"(\\u001b[foo\"]\nscope: text\nglobs: 'x\u{202e}, y'\n---\nno\n";
    fs::write(rules.join(format!("{NAME}.md")), rule).expect("a rule");
    let hostile = "---\n# ttsr-ignore TTSR033 x\u{1b}[31m\u{202e}\nglobs: 'a, b'\n# ttsr-ignore x\u{1b}]0;\u{7}\u{9b}y z\ncondition: foo\n# ttsr-ignore TTSR020 a: \u{202e}\nscope: text\n---\nno\n";
    fs::write(rules.join("ignores.md"), hostile).expect("a rule");
    let baseline = folder.path().join("known.json");
    let entry = r#"{"file":"x\u001b[31m\u202e.md","code":"TTSR003","fingerprint":"00","count":1}"#;
    fs::write(&baseline, format!("{{\"schema\":\"ttsr.baseline/1\",\"findings\":[{entry}]}}")).expect("a baseline");
    let baseline = baseline.to_string_lossy().into_owned();
    let session = session(folder.path(), "s\u{9b}\u{202e}");
    let named = folder.path().join(format!("{NAME}.jsonl"));
    fs::rename(&session, &named).expect("renamed");
    // One that cannot be read stands beside it.
    let both = tempfile::tempdir().expect("a folder");
    let both = both.path();
    fs::copy(&named, both.join(format!("{NAME}.jsonl"))).expect("copied");
    fs::write(both.join(format!("{NAME}-none.jsonl")), "\u{9b}\n").expect("written");
    let folder_name = both.to_string_lossy().into_owned();
    let (rules, named) = (rules.to_string_lossy().into_owned(), named.to_string_lossy().into_owned());
    let mut runs: Vec<Vec<&str>> = Vec::new();
    for format in ["human", "json", "jsonl", "csv"] {
        runs.push(vec!["replay", &named, "--rules", &rules, "--explain", "--format", format]);
        runs.push(vec![
            "replay",
            &named,
            "--rules",
            &rules,
            "--baseline-set",
            "ttsr.enabled=false",
            "--format",
            format,
        ]);
        runs.push(vec!["replay", "--as-write", &named, "--rules", &rules, "--format", format]);
        runs.push(vec!["replay", &folder_name, "--rules", &rules, "--allow-unreadable", "--format", format]);
        runs.push(vec!["replay", &folder_name, "--rules", &rules, "--allow-unreadable", "--each", "--format", format]);
    }
    for table in ["rules", "samples", "refused"] {
        let form = ["--format", "csv", "--table", table];
        runs.push([&["replay", &folder_name, "--rules", &rules, "--allow-unreadable"], &form[..]].concat());
    }
    for format in ["human", "json", "sarif", "github", "gitlab", "junit"] {
        runs.push(vec!["check-rules", &rules, "--list", "--diff", "--examples", "--format", format]);
        runs.push(vec!["check-rules", &rules, "--findings-baseline", &baseline, "--format", format]);
    }
    let inside = folder.path().to_string_lossy().into_owned();
    for format in ["human", "json", "jsonl", "csv", "sarif"] {
        runs.push(vec!["inspect-session", &named, "--replay", "--rules", &rules, "--format", format]);
        runs.push(vec!["inspect-session", &inside, "--rules", &rules, "--format", format]);
    }
    for table in ["rules", "sessions", "findings", "disabled"] {
        runs.push(vec!["inspect-session", &inside, "--rules", &rules, "--format", "csv", "--table", table]);
    }
    runs.push(vec!["inspect-session", &inside, "--each", "--tree", "--context"]);
    runs.push(vec!["inspect-session", &inside, "--injections"]);
    runs.push(vec!["inspect-session", &inside, "--by-project", "--set", "ttsr.disabledRules=[\"\\u001b\\u202e\"]"]);
    runs.push(vec!["inspect-session", &named, "--timeline", "--compare", "--state-at", "aaaaaaa1"]);
    runs.push(vec!["handoff", &named, "--print-transcript"]);
    for arguments in runs {
        let outcome = ttsr(arguments.iter().copied());
        for text in [&outcome.out, &outcome.err] {
            let hidden = text.char_indices().find(|(_, one)| {
                (one.is_control() && *one != '\n') || matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            });
            assert!(hidden.is_none(), "{arguments:?}: {hidden:?} in {text:?}");
        }
        assert!(outcome.status < 3 && !outcome.out.is_empty(), "{arguments:?}: {}", outcome.err);
    }
}

#[test]
fn what_is_written_is_for_its_owner_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let rule = folder.path().join("foo.md");
    fs::write(&rule, RULE).expect("a rule");
    let input = session(folder.path(), "s");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (copy, events, rule) = (at("o.jsonl"), at("e.jsonl"), rule.to_string_lossy().into_owned());
    let run = ttsr(["replay", &input, "--rules", &rule, "--write-session", &copy, "--emit-events", &events]);
    assert_eq!(run.status, 0, "{}", run.err);
    let (next, source, document) = (at("n.jsonl"), at("w.jsonl"), at("d.md"));
    fs::write(&document, "## Goal\nx\n").expect("a document");
    let run = ttsr([
        "handoff",
        "testdata/demo/session.jsonl",
        "--document",
        &document,
        "--output",
        &next,
        "--write-source",
        &source,
    ]);
    assert_eq!(run.status, 0, "{}", run.err);
    for written in [copy, events, next, source] {
        let mode = fs::metadata(&written).expect("a written file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{written}");
    }
}

#[test]
fn a_repair_follows_no_link_out_of_what_was_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (inside, outside) = (folder.path().join("rules"), folder.path().join("elsewhere"));
    fs::create_dir(&inside).expect("a folder");
    fs::create_dir(&outside).expect("a folder");
    let text = "---\ndescription: x\ncondition: 'foo'\nglobs: 'a.ts, b.ts'\n---\nno\n";
    for path in [outside.join("z.md"), inside.join("y.md")] {
        fs::write(path, text).expect("a rule");
    }
    symlink(&outside, inside.join("sub")).expect("a link");
    let named = inside.to_string_lossy().into_owned();
    let outcome = ttsr(["check-rules", &named, "--fix"]);
    assert_eq!(outcome.status, 3, "{}", outcome.err);
    assert_eq!(fs::read_to_string(outside.join("z.md")).expect("a rule"), text);
    assert_ne!(fs::read_to_string(inside.join("y.md")).expect("a rule"), text);
    // Named by itself it is repaired.
    let named = inside.join("sub/z.md").to_string_lossy().into_owned();
    assert_eq!(ttsr(["check-rules", &named, "--fix"]).status, 0);
    assert_ne!(fs::read_to_string(outside.join("z.md")).expect("a rule"), text);
}

#[test]
fn a_dash_is_no_name_for_a_written_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = session(folder.path(), "s");
    for arguments in [
        &["replay", &input, "--rules", "testdata/demo/rules", "--write-session", "-"][..],
        &["replay", &input, "--rules", "testdata/demo/rules", "--emit-events", "-"],
        &["handoff", &input, "--document", "README.md", "--output", "-"],
        &["handoff", &input, "--document", "README.md", "--write-source", "-"],
    ] {
        let outcome = ttsr(arguments.iter().copied());
        assert_eq!(outcome.status, 2, "{arguments:?}: {}", outcome.err);
        assert!(outcome.err.contains("not standard output"), "{}", outcome.err);
    }
}

#[test]
fn an_empty_argument_leaves_the_others_to_be_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = session(folder.path(), "s");
    for arguments in [
        &["inspect-session", "", &input][..],
        &["replay", "", &input, "--rules", "testdata/demo/rules"],
        &["check-rules", "", "testdata/demo/rules", "--list"],
    ] {
        let outcome = ttsr(arguments.iter().copied());
        assert_eq!(outcome.status, 3, "{arguments:?}: {}", outcome.err);
        assert!(!outcome.out.is_empty() && outcome.err.contains("no such file"), "{arguments:?}: {}", outcome.err);
    }
}

/// A folder with a session of some megabytes, and what a run that nobody disturbs makes of it.
fn large(folder: &Path) -> (String, Vec<u8>) {
    let input = session(folder, "s");
    let mut text = fs::read_to_string(&input).expect("a session");
    for number in 2..3_000 {
        let entry = format!(
            "{{\"type\":\"message\",\"id\":\"{number:08x}\",\"parentId\":\"{}\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\
             \"message\":{{\"role\":\"user\",\"content\":\"{}\"}}}}\n",
            if number == 2 { "aaaaaaa1".to_owned() } else { format!("{:08x}", number - 1) },
            "words ".repeat(40),
        );
        text.push_str(&entry);
    }
    fs::write(&input, text).expect("a session");
    let whole = folder.join("whole.jsonl");
    let outcome = writer(&input, &whole).output().expect("a run");
    assert!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stderr));
    (input, fs::read(&whole).expect("a written file"))
}

fn writer(input: &str, written: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ttsr"));
    command.args(["replay", input, "--rules", "testdata/demo/rules", "--format", "json", "--write-session"]);
    command.arg(written);
    command
}

fn temporary_files(folder: &Path) -> usize {
    let names = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().starts_with(".ttsr-")).count()
}

#[test]
fn a_signal_leaves_no_temporary_file_and_no_half_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, whole) = large(folder.path());
    let started = std::time::Instant::now();
    assert!(writer(&input, &folder.path().join("timed.jsonl")).output().expect("a run").status.success());
    let usual = started.elapsed();
    let (mut ended, mut done) = (0, 0);
    for run in 0..12_u32 {
        let target = folder.path().join(format!("out{run}.jsonl"));
        let mut child = writer(&input, &target).stdout(std::process::Stdio::null()).spawn().expect("a run");
        // Over the second half of a run, in which the file is written, and a little behind it.
        thread::sleep(usual * (6 + run) / 16);
        let signal = ["-INT", "-TERM", "-HUP"][run as usize % 3];
        let _ =
            Command::new("kill").args([signal, &child.id().to_string()]).stderr(std::process::Stdio::null()).status();
        let status = child.wait().expect("an end");
        if status.success() {
            done += 1
        } else {
            ended += 1
        };
        assert_eq!(temporary_files(folder.path()), 0, "run {run}, {signal}");
        if target.exists() {
            assert!(fs::read(&target).expect("a written file") == whole, "run {run}: half a file");
        }
    }
    assert!(ended > 0, "no run was ended: {done} were done before");
}

#[test]
fn a_file_that_grows_past_the_limit_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, _) = large(folder.path());
    let target = folder.path().join("out.jsonl");
    let script = format!(
        "ulimit -f 250; exec '{}' replay '{input}' --rules testdata/demo/rules --format csv --write-session '{}'",
        env!("CARGO_BIN_EXE_ttsr"),
        target.display()
    );
    let outcome = Command::new("sh").args(["-c", &script]).output().expect("a run");
    assert_eq!(outcome.status.code(), Some(3), "{}", String::from_utf8_lossy(&outcome.stderr));
    assert!(!target.exists());
    assert_eq!(temporary_files(folder.path()), 0);
}
