//! The command line with bad input: each a clear message that names place and remedy, the documented status, and the
//! other inputs are still done (cli.md section 1).

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::program::{Outcome, ttsr};

const DEMO: &str = "testdata/demo/session.jsonl";
const RULES: &str = "testdata/demo/rules";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("a file");
    path
}

fn replay(arguments: &[&str]) -> Outcome {
    ttsr(["replay", "--rules", RULES, "--format", "jsonl"].into_iter().chain(arguments.iter().copied()))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// The status is 3, the message says what and names the file, and the demo beside it was replayed.
fn fails_beside_the_demo(bad: &Path, words: &[&str]) {
    let outcome = replay(&[text(bad), DEMO]);
    assert_eq!(outcome.status, 3, "{}", outcome.err);
    let flat = outcome.err.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    for word in words {
        assert!(flat.contains(word), "`{word}` missing in {flat}");
    }
    assert!(outcome.err.contains("help:"), "no remedy in {}", outcome.err);
    assert!(outcome.out.contains("\"kind\":\"summary\""), "the other input was not done");
}

/// Each limit that can be set, set to a little: what is beyond it is told, and the run goes on or ends as documented.
#[test]
fn limits_can_be_set_and_are_told() {
    let folder = folder();
    let rule = "---\ndescription: x\ncondition: ['(a|b)\\\\1c', foo]\nx: [&a [1, 2], *a, *a, *a]\n---\nno\n"
        .replace("\\\\", "\\");
    let rule = file(folder.path(), "r.md", rule.as_bytes());
    let run = |arguments: &[&str]| {
        let program = std::process::Command::new(env!("CARGO_BIN_EXE_ttsr")).args(arguments).output().expect("a run");
        (
            program.status.code(),
            String::from_utf8_lossy(&program.stdout).into_owned() + &String::from_utf8_lossy(&program.stderr),
        )
    };
    let check = |limit: &str| run(&["check-rules", text(&rule), "--limit", limit, "--lifecycle", "v3"]);
    let (usual, _) = check("rule-file=1M");
    assert_eq!(usual, Some(0));
    for (limit, status, words) in [
        ("rule-file=20", 1, "larger than 20 bytes"),
        ("frontmatter=20", 1, "frontmatter-beyond-limits"),
        ("yaml-copies=3", 1, "frontmatter-beyond-limits"),
    ] {
        let (code, shown) = check(limit);
        assert!(code == Some(status) || code == Some(3), "{limit}: {code:?} {shown}");
        assert!(shown.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "{limit}: {shown}");
    }
    let settings = file(folder.path(), "settings.json", b"{\"ttsr.enabled\": true}");
    let arguments = ["replay", DEMO, "--rules", text(&rule), "--settings", text(&settings)];
    assert_eq!(run(&arguments).0, Some(0));
    assert_eq!(run(&[&arguments[..], &["--limit", "settings-file=4"]].concat()).0, Some(3));
    let (code, shown) = run(&[
        "replay",
        "--text",
        "fn f() { x.unwrap() }",
        "--path",
        "a.rs",
        "--rules",
        RULES,
        "--limit",
        "ast-source=4",
    ]);
    assert!(code == Some(0), "{code:?} {shown}");
    for bad in ["json-nesting=1000", "rule-file=0", "rule-file=x", "nothing=1", "rule-file"] {
        let (code, shown) = check(bad);
        assert!(code == Some(2) && shown.contains("--limit"), "{bad}: {shown}");
    }
}

#[test]
fn topics_are_printed_from_what_the_program_has() {
    let limits = ttsr(["help", "limits"]);
    assert_eq!(limits.status, 0);
    for limit in ttsr::limits::all() {
        let line = limits.out.lines().find(|line| line.trim_start().starts_with(&format!("{} ", limit.name)));
        assert!(line.is_some_and(|line| line.contains(limit.unit) && line.contains(limit.beyond)), "{}", limit.name);
    }
    let codes = ttsr(["help", "codes"]);
    for code in ttsr::output::catalogue::all() {
        assert!(codes.out.contains(&format!("  {code} {}\n", code.name())), "{code}");
    }
    let status = ttsr(["help", "exit-status"]);
    assert!(status.out.starts_with("Exit status:") && status.out.contains("130"), "{}", status.out);
    // Commands are helped with as before, and what is neither is refused.
    assert!(ttsr(["help", "replay"]).out.contains("Examples:"));
    assert_eq!(ttsr(["help", "nothing"]).status, 2);
}

#[test]
fn inputs_that_cannot_be_replayed() {
    let folder = folder();
    fails_beside_the_demo(&folder.path().join("missing.jsonl"), &["missing.jsonl", "no such file"]);
    fails_beside_the_demo(&file(folder.path(), "empty.jsonl", b""), &["empty.jsonl", "empty"]);
    fails_beside_the_demo(
        &file(folder.path(), "image.jsonl", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\xff\xfe"),
        &["neither"],
    );
    fails_beside_the_demo(&file(folder.path(), "lines.jsonl", b"one\ntwo\n"), &["lines.jsonl", "neither"]);
    let bare = folder.path().join("bare");
    fs::create_dir(&bare).expect("a folder");
    fails_beside_the_demo(&bare, &["bare", "no *.jsonl"]);
}

#[test]
fn a_torn_line_is_a_warning_and_the_rest_is_replayed() {
    let folder = folder();
    let whole = fs::read(DEMO).expect("the demo");
    let torn = file(folder.path(), "torn.jsonl", &whole[..whole.len() - 40]);
    let outcome = replay(&[text(&torn)]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert!(outcome.err.contains("torn.jsonl:"), "no place in {}", outcome.err);
    assert!(outcome.out.contains("\"kind\":\"trigger\""));
    assert_eq!(fs::read(&torn).expect("the input").len(), whole.len() - 40, "the input was changed");
}

#[test]
fn rules_that_cannot_be_used() {
    let outcome = ttsr(["replay", DEMO, "--rules", "testdata/no-such-rules"]);
    assert_eq!(outcome.status, 3);
    assert!(outcome.err.contains("testdata/no-such-rules") && outcome.err.contains("help:"), "{}", outcome.err);

    let folder = folder();
    file(folder.path(), "bad.md", b"---\ncondition: '(foo'\n---\nB\n");
    file(folder.path(), "good.md", b"---\ncondition: unwrap\n---\nB\n");
    let outcome = ttsr(["replay", DEMO, "--rules", text(folder.path()), "--format", "jsonl"]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert!(outcome.err.contains("bad.md:2:13") && outcome.err.contains("never closed"), "{}", outcome.err);
    assert!(outcome.out.contains("\"registered\":false") && outcome.out.contains("\"kind\":\"trigger\""));
}

#[test]
fn settings_that_are_wrong() {
    let folder = folder();
    let odd = file(folder.path(), "odd.yml", b"ttsr:\n  repeatMode: sometimes\n");
    let outcome = replay(&[DEMO, "--settings", text(&odd)]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert!(outcome.err.contains("odd.yml:2:") && outcome.err.contains("repeatMode"), "{}", outcome.err);

    let broken = file(folder.path(), "broken.yml", b"ttsr: [\n");
    assert_eq!(replay(&[DEMO, "--settings", text(&broken)]).status, 3);
    assert_eq!(replay(&[DEMO, "--settings", "no-such.yml"]).status, 3);
    assert_eq!(replay(&[DEMO, "--set", "ttsr.noSuchKey=1"]).status, 2);
    assert_eq!(replay(&[DEMO, "--set", "ttsr.enabled"]).status, 2);
}

#[test]
fn wrong_usage_is_status_2() {
    for arguments in [
        &["--no-such-option"][..],
        &["--chunk", "chars:0", DEMO],
        &["--chunk", "sentences", DEMO],
        &["--only-rule", "no-such-rule", DEMO],
        &["--lifecycle", "v9", DEMO],
        &["--leaf", "x", "--all-branches", DEMO],
        &["--source", "text", DEMO],
        &["--prompt", "x", DEMO],
        &["--now", "yesterday", DEMO],
        &["--jobs", "0", DEMO],
        &["--script", "testdata/demo/replies.json"],
        &["--profile", DEMO],
        &[],
    ] {
        let outcome = replay(arguments);
        assert_eq!(outcome.status, 2, "{arguments:?}: {}", outcome.err);
        assert!(outcome.out.is_empty() && !outcome.err.is_empty(), "{arguments:?}");
    }
    assert_eq!(ttsr(["no-such-command"]).status, 2);
    assert_eq!(ttsr(["--version"]).status, 0);
    assert_eq!(ttsr(["replay", "--help"]).status, 0);
    assert!(ttsr(["replay", "--help"]).out.contains("Examples:"));
}

#[test]
fn unknown_leaves_are_named() {
    let outcome = replay(&[DEMO, "--leaf", "00000000"]);
    assert_eq!(outcome.status, 3);
    assert!(outcome.err.contains("00000000"), "{}", outcome.err);
}

#[test]
fn scripts_that_cannot_be_played() {
    let folder = folder();
    let play = |bytes: &[u8]| {
        let script = file(folder.path(), "script.json", bytes);
        replay(&["--script", text(&script), "--prompt", "go"])
    };
    for (bytes, place, word) in [
        (&b"{\"text\": "[..], "script.json:1:", "script"),
        (b"[[{\"texts\": \"a\"}]]", "script.json:1:", "texts"),
        (b"[\n [{\"tool\": \"write\", \"args\": 5}]\n]", "script.json:2:", "args"),
        (b"", "script.json", "script"),
        (b"\xff\xfe\0", "script.json:1:", "script"),
    ] {
        let outcome = play(bytes);
        assert_eq!(outcome.status, 3, "{}", outcome.err);
        assert!(outcome.err.contains(place) && outcome.err.contains(word), "{place} {word}: {}", outcome.err);
    }
    let dry = play(b"[[{\"tool\": \"read\", \"args\": {}}]]");
    assert_eq!(dry.status, 0, "{}", dry.err);
    assert!(dry.err.contains("reply 2"), "{}", dry.err);
    let left_over = play(b"[[{\"text\": \"a\"}], [{\"text\": \"b\"}]]");
    assert!(left_over.err.contains("not asked for"), "{}", left_over.err);
}

#[test]
fn existing_files_are_never_replaced() {
    let folder = folder();
    let target = file(folder.path(), "there.jsonl", b"mine");
    for option in ["--write-session", "--emit-events"] {
        let outcome = replay(&[DEMO, option, text(&target)]);
        assert_eq!(outcome.status, 3, "{}", outcome.err);
        assert_eq!(fs::read(&target).expect("the file"), b"mine");
        let outcome = replay(&[DEMO, option, "/no/such/folder/x.jsonl"]);
        assert_eq!(outcome.status, 3, "{}", outcome.err);
    }
}

#[test]
fn text_of_sessions_never_drives_the_terminal() {
    let folder = folder();
    let rule = file(folder.path(), "r.md", "---\ncondition: 'evil'\n---\nB \u{1b}[2J\n".as_bytes());
    let outcome =
        ttsr(["replay", "--text", "evil \u{1b}]0;x\u{7} \u{202e}", "--rules", text(&rule), "--color", "always"]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert!(outcome.out.contains("\\u{1b}") && outcome.out.contains("\\u{202e}"), "{}", outcome.out);
    for forbidden in ["\u{1b}]", "\u{7}", "\u{202e}", "\u{1b}[2J"] {
        assert!(!outcome.out.contains(forbidden), "{forbidden:?} reaches the terminal");
    }
}

#[test]
fn the_status_does_not_depend_on_the_form() {
    for format in ["human", "json", "jsonl", "csv"] {
        let outcome = ttsr(["replay", DEMO, "--rules", RULES, "--lifecycle", "v3", "--verify", "--format", format]);
        assert_eq!(outcome.status, 0, "{format}: {}", outcome.err);
        let differing = ["replay", DEMO, "--rules", RULES, "--lifecycle", "v3", "--verify", "--format", format];
        let differing = differing.into_iter().chain(["--set", "ttsr.enabled=false"]);
        assert_eq!(ttsr(differing.clone()).status, 1, "{format}");
        assert_eq!(ttsr(differing.chain(["--exit-zero"])).status, 0, "{format}");
    }
}
