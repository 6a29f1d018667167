//! Whole commands on any bytes, in every format; what they print is read again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use ttsr::cli::{Surroundings, run};

use crate::support::forms;

const RULE: &str = "---\ndescription: x\ncondition: ['foo', 'a+b']\nscope: [text, thinking, tool]\n---\nno\n";
const OTHER: &str = "---\ndescription: y\nastCondition: 'unwrap()'\ncondition: 'e'\n---\nnot this\n";
const SESSION: &str = "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/p\"}\n\
    {\"type\":\"message\",\"id\":\"aaaaaaa1\",\"parentId\":null,\"timestamp\":\"2026-01-01T00:00:00.000Z\",\
    \"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"a foo\"}]}}\n";

const LIFECYCLES: [&str; 5] = ["auto", "v1", "v2", "v3", "v4"];

/// A choice by the input itself, so that the same bytes do the same.
fn choice(bytes: &[u8], among: usize) -> usize {
    let sum = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    (sum >> 17) as usize % among
}

/// Runs a command in a folder that holds a rule, a session and the input, and reads what it printed again.
fn command(name: &str, bytes: &[u8], arguments: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("rules")).expect("a folder");
    for (name, text) in [("rules/foo.md", RULE), ("rules/ast.md", OTHER), ("good.jsonl", SESSION)] {
        fs::write(at(name), text).expect("a file");
    }
    fs::write(at(name), bytes).expect("the input");
    let lifecycle = LIFECYCLES[choice(bytes, LIFECYCLES.len())];
    let arguments = [&["ttsr"], arguments, &["--lifecycle", lifecycle]].concat();
    let arguments: Vec<OsString> = arguments.into_iter().map(OsString::from).collect();
    let surroundings = Surroundings {
        cwd: folder.path().to_owned(),
        home: None,
        // A terminal, without colours: what drives it then is not the program's.
        vars: BTreeMap::from([("NO_COLOR".to_owned(), "1".into())]),
        stdout_width: Some(80),
        stderr_width: None,
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = run(arguments.clone(), &mut &b""[..], &mut out, &mut err, &surroundings).code();
    let (out, err) = (String::from_utf8(out).expect("UTF-8"), String::from_utf8(err).expect("UTF-8"));
    assert!(status <= 3, "{arguments:?}: {status}");
    assert!(status != 2, "{arguments:?} are no good arguments: {err}");
    assert!(status != 3 || !err.is_empty() || !out.is_empty(), "{arguments:?} fails without a word");
    let format = arguments.iter().skip_while(|argument| *argument != "--format").nth(1);
    readable(format.and_then(|format| format.to_str()).unwrap_or("human"), &out);
    for text in [&out, &err] {
        let driving = text.chars().find(|one| {
            (one.is_control() && !matches!(one, '\n' | '\r'))
                || matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        });
        assert!(driving.is_none(), "{arguments:?} lets {driving:?} through");
    }
    nothing_left(folder.path());
}

fn nothing_left(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name();
        assert!(!name.to_string_lossy().starts_with(".ttsr-"), "{name:?} is left behind");
    }
}

/// Reads an output as its format says.
fn readable(format: &str, out: &str) {
    match format {
        "json" | "sarif" | "gitlab" if !out.is_empty() => {
            if let Err(error) = serde_json::from_str::<serde_json::Value>(out) {
                // Lone surrogates are JSON, and no text of Rust's.
                assert!(out.contains("\\ud"), "{format}: {error}: {out}");
                ttsr::text::json::parse(out.trim_end()).unwrap_or_else(|error| panic!("{format}: {error}: {out}"));
            } else {
                forms::check(out);
            }
        }
        "jsonl" => {
            for line in out.lines() {
                ttsr::text::json::parse(line).unwrap_or_else(|error| panic!("{format}: {error}: {line}"));
            }
            if !out.contains("\\ud") {
                forms::check(out);
            }
        }
        "csv" => rectangular(out),
        "junit" if !out.is_empty() => {
            roxmltree::Document::parse(out).unwrap_or_else(|error| panic!("{error}: {out}"));
        }
        "github" => {
            let known = |line: &str| ["::error", "::warning", "::notice"].iter().any(|start| line.starts_with(start));
            assert!(out.lines().all(known), "{out}");
        }
        _ => {}
    }
}

/// RFC 4180: every row has as many fields as the first.
fn rectangular(out: &str) {
    let (mut fields, mut wanted, mut quoted) = (1, None, false);
    for character in out.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => fields += 1,
            '\n' if !quoted => {
                assert_eq!(*wanted.get_or_insert(fields), fields, "{out}");
                fields = 1;
            }
            _ => {}
        }
    }
    assert!(!quoted, "an open quote: {out}");
}

/// A rule file of these bytes.
pub fn check_rules(bytes: &[u8]) {
    const FORMS: [&[&str]; 9] = [
        &["--format", "human", "--list"],
        &["--format", "json", "--list"],
        &["--format", "json"],
        &["--format", "sarif"],
        &["--format", "github"],
        &["--format", "junit"],
        &["--format", "human", "--diff"],
        &["--format", "json", "--fix"],
        &["--format", "human", "--explain-frontmatter"],
    ];
    let form = FORMS[choice(bytes, FORMS.len() - 1)];
    command("r.md", bytes, &[&["check-rules", "r.md"], form].concat());
}

/// A session or an event stream of these bytes.
pub fn replay(bytes: &[u8]) {
    const FORMS: [&[&str]; 10] = [
        &["--format", "human"],
        &["--format", "human", "--explain"],
        &["--format", "json"],
        &["--format", "jsonl"],
        &["--format", "jsonl", "--trace", "full"],
        &["--format", "csv"],
        &["--format", "human", "--verify"],
        &["--format", "json", "--write-session", "w.jsonl", "--emit-events", "e.jsonl"],
        &["--format", "json", "--baseline-set", "ttsr.enabled=false"],
        &["--format", "jsonl", "--on-trigger", "observe", "--verify"],
    ];
    let form = FORMS[choice(bytes, FORMS.len())];
    command("i.jsonl", bytes, &[&["replay", "i.jsonl", "--rules", "rules"], form].concat());
}

/// A script of these bytes.
pub fn replay_script(bytes: &[u8]) {
    const FORMS: [&[&str]; 3] =
        [&["--format", "human"], &["--format", "jsonl"], &["--format", "json", "--trace", "full"]];
    let form = FORMS[choice(bytes, FORMS.len())];
    command(
        "s.json",
        bytes,
        &[&["replay", "--script", "s.json", "--prompt", "do it", "--rules", "rules"], form].concat(),
    );
}

/// A session of these bytes.
pub fn inspect_session(bytes: &[u8]) {
    const FORMS: [&[&str]; 8] = [
        &["--format", "human"],
        &["--format", "json"],
        &["--format", "jsonl", "--injections"],
        &["--format", "csv"],
        &["--format", "sarif"],
        &["--format", "human", "--tree", "--context"],
        &["--format", "human", "--compare"],
        &["--format", "json", "--replay", "--rules", "rules"],
    ];
    let form = FORMS[choice(bytes, FORMS.len())];
    command("i.jsonl", bytes, &[&["inspect-session", "i.jsonl"], form].concat());
}

/// A session of these bytes that is handed off.
pub fn handoff(bytes: &[u8]) {
    const FORMS: [&[&str]; 3] = [&["--format", "human"], &["--format", "json"], &["--format", "jsonl"]];
    let form = FORMS[choice(bytes, FORMS.len())];
    let fixed = ["handoff", "i.jsonl", "--document", "rules/foo.md", "--output", "n.jsonl"];
    command("i.jsonl", bytes, &[&fixed[..], form].concat());
}

/// A settings file of these bytes.
pub fn settings(bytes: &[u8]) {
    const NAMES: [&str; 2] = ["settings.json", "config.yml"];
    let name = NAMES[choice(bytes, 2)];
    command(name, bytes, &["replay", "good.jsonl", "--rules", "rules", "--settings", name, "--format", "json"]);
}
