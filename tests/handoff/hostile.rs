//! Circumstances that stand in the way: a clear message, status 3, nothing lost.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write as _};
use std::process::Command;

use ttsr::clock::Clock;
use ttsr::handoff::{Answer, Options, Process, Rules, run};
use ttsr::session::{ReadMode, Session, WriteCall};

use super::{DOCUMENT, Desk, SOURCE, at, report, says};
use crate::support::program::{surroundings, ttsr};

#[test]
fn a_full_disk_leaves_nothing() {
    for full_at in [WriteCall::Open, WriteCall::Write, WriteCall::Flush, WriteCall::Rename] {
        let desk = Desk::new(SOURCE);
        let session = Session::open(&desk.path("old.jsonl"), "old.jsonl", ReadMode::Tolerant).expect("a session");
        let mut process = Process::new(session, Rules::default()).expect("a process");
        let mut clock = Clock::fixed(0, 1);
        run(&mut process, &Options::default(), Answer::Document(DOCUMENT.into()), &mut clock, &mut ())
            .expect("a handoff");
        let (_, new) = process.into_sessions();
        let mut gate = |call| {
            if call == full_at { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        };
        let failed = new.expect("a session").write_new_through(&desk.path("new.jsonl"), &mut gate);
        assert_eq!(failed.expect_err("full").kind(), std::io::ErrorKind::StorageFull);
        assert_eq!(desk.files(), ["old.jsonl"], "{full_at:?}");
    }
}

/// The real program under a limit on the size of files, which is met like a full disk.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_grow_is_not_left_half_written() {
    let desk = Desk::new(SOURCE);
    let script = desk.write("script.json", &says(&DOCUMENT.repeat(2000)));
    let (old, new) = (desk.path("old.jsonl"), desk.path("new.jsonl"));
    let output = Command::new("sh")
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 8; exec \"$0\" handoff \"$1\" --script \"$2\" --output \"$3\" --format json",
        ])
        .arg(env!("CARGO_BIN_EXE_ttsr"))
        .args([old.as_os_str(), script.as_ref(), new.as_os_str()])
        .output()
        .expect("a shell");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(err.contains("cannot be written"), "{err}");
    let shown = ttsr::text::json::parse(String::from_utf8_lossy(&output.stdout).trim_end()).expect("a report");
    assert_eq!((at(&shown, "status").as_str(), at(&shown, "reason").as_str()), ("failed", "not-written"));
    assert_eq!(desk.files(), ["old.jsonl", "script.json"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let mut folders = vec![("no-such-folder".to_owned(), true), ("old.jsonl".to_owned(), true)];
    if cfg!(target_os = "linux") {
        folders.push(("/sys".to_owned(), false));
    }
    for (folder, inside) in folders {
        let desk = Desk::new(SOURCE);
        let old = desk.path("old.jsonl").to_string_lossy().into_owned();
        let script = desk.write("script.json", &says(DOCUMENT));
        let folder = if inside { desk.path(&folder).to_string_lossy().into_owned() } else { folder };
        let outcome = ttsr(["handoff", &old, "--script", &script, "--output-dir", &folder, "--format", "json"]);
        assert_eq!(outcome.status, 3, "{outcome:?}");
        assert!(outcome.err.contains("cannot be written"), "{outcome:?}");
        assert_eq!(at(&report(&outcome), "reason"), "not-written");
        assert_eq!(desk.files(), ["old.jsonl", "script.json"]);
    }
}

#[test]
fn what_is_no_session_is_refused() {
    for (text, told) in [("", "empty"), ("{\"type\":\"message\"}\n", ""), ("not a session\n", ""), ("\u{0}\u{1}", "")] {
        let desk = Desk::new(text);
        let outcome = desk.scripted(&says(DOCUMENT), &[]);
        assert_eq!(outcome.status, 3, "{text:?}: {outcome:?}");
        assert!(outcome.err.contains(told) && !outcome.err.is_empty(), "{outcome:?}");
        assert_eq!(desk.files(), ["old.jsonl", "script.json"]);
        assert_eq!(fs::read_to_string(desk.path("old.jsonl")).expect("the source"), text);
    }
    let missing = ttsr(["handoff", "/no/such/session.jsonl", "--document", "/no/such/text"]);
    assert_eq!(missing.status, 3, "{missing:?}");
}

#[test]
fn a_session_without_messages_is_refused_and_left_alone() {
    let header: String = SOURCE.lines().take(1).map(|line| format!("{line}\n")).collect();
    let desk = Desk::new(&header);
    let outcome = desk.scripted(&says(DOCUMENT), &[]);
    assert_eq!((outcome.status, at(&report(&outcome), "status").as_str()), (3, "refused"));
    assert_eq!(desk.files(), ["old.jsonl", "script.json"]);
}

/// Gives a document, and meanwhile lets another program add to the session.
struct Meanwhile<'a> {
    desk: &'a Desk,
    text: &'static [u8],
}

const ADDED: &str = "{\"type\":\"message\",\"id\":\"a0000003\",\"parentId\":\"a0000002\",\"timestamp\":\"2026-03-14T09:00:03.000Z\",\"message\":{\"role\":\"user\",\"content\":\"more\"}}\n";

impl Read for Meanwhile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.text.read(buffer)?;
        if count > 0 {
            let mut file = OpenOptions::new().append(true).open(self.desk.path("old.jsonl"))?;
            file.write_all(ADDED.as_bytes())?;
        }
        Ok(count)
    }
}

#[test]
fn a_source_that_grows_meanwhile_is_not_handed_off() {
    for pipeline in ["g1", "g3", "g4", "g5"] {
        let desk = Desk::new(SOURCE);
        let (old, new) = (desk.path("old.jsonl"), desk.path("new.jsonl"));
        let arguments = ["ttsr".into(), "handoff".into(), old.into_os_string(), "--document".into(), "-".into()];
        let more = ["--output".into(), new.into_os_string(), "--pipeline".into(), pipeline.into()];
        let mut input = Meanwhile { desk: &desk, text: b"## Goal\n" };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let all = arguments.into_iter().chain(more);
        let status = ttsr::cli::run(all, &mut input, &mut out, &mut err, &surroundings());
        let err = String::from_utf8_lossy(&err);
        assert_eq!(status.code(), 3, "{err}");
        assert!(err.contains("changed while it was handed off"), "{err}");
        assert_eq!(desk.files(), ["old.jsonl"]);
        assert_eq!(fs::read_to_string(desk.path("old.jsonl")).expect("the source"), format!("{SOURCE}{ADDED}"));
    }
}

/// Every report has the members that the schema requires, and no word that it does not list.
#[test]
fn reports_keep_to_the_schema() {
    let printed = ttsr(["handoff", "--schema"]);
    assert_eq!(printed.status, 0, "{printed:?}");
    let schema = ttsr::text::json::parse(printed.out.trim_end()).expect("JSON");
    let listed = |path: &str, value: &str| {
        let words = at(&schema, path);
        assert!(words.contains(value), "{value} is not in {words}");
    };
    let scripts = ["[[{\"thinking\":\"t\"}]]", "[{\"error\":\"e\"}]", "[[{\"text\":\" \"}]]", "[[{\"text\":\"x\"}]]"];
    for script in scripts {
        for pipeline in ["g1", "g3", "g5"] {
            let desk = Desk::new(SOURCE);
            let shown = report(&desk.scripted(script, &["--pipeline", pipeline]));
            let required = schema.get("required").and_then(|keys| keys.as_array()).expect("a list");
            for key in required.iter().filter_map(|key| key.as_string()) {
                assert!(shown.get(&key.to_string_lossy()).is_some(), "{key} is missing");
            }
            listed("properties.status.enum", &at(&shown, "status"));
            listed("properties.reason.enum", &at(&shown, "reason"));
            listed("properties.pipeline.enum", &at(&shown, "pipeline"));
        }
    }
}

#[test]
fn wrong_scripts_are_told_with_their_place() {
    let desk = Desk::new(SOURCE);
    let outcome = desk.scripted("[[{\"txt\":1}]]", &[]);
    assert_eq!(outcome.status, 3, "{outcome:?}");
    assert!(outcome.err.contains("script.json"), "{outcome:?}");
    assert_eq!(desk.files(), ["old.jsonl", "script.json"]);
}

#[test]
fn nothing_in_a_session_drives_the_terminal() {
    let source = SOURCE.replace("01a228ac-1684-7329-9338-0a0d7a39540a", "\\u001b[31mred");
    let desk = Desk::new(&source);
    let old = desk.path("old.jsonl").to_string_lossy().into_owned();
    let script = desk.write("script.json", &says("a\u{1b}[31m"));
    let outcome = ttsr(["handoff", &old, "--script", &script]);
    assert_eq!(outcome.status, 0, "{outcome:?}");
    assert!(!outcome.out.contains('\u{1b}') && !outcome.err.contains('\u{1b}'), "{outcome:?}");
    let failing = desk.write("failing.json", "[{\"error\":\"\\u001b[31mred\"}]");
    let outcome = ttsr(["handoff", &old, "--script", &failing]);
    assert_eq!(outcome.status, 3);
    assert!(!outcome.err.contains('\u{1b}'), "{outcome:?}");
}

#[test]
fn usage_is_checked_before_anything_is_read() {
    for arguments in [
        vec!["handoff"],
        vec!["handoff", "-", "--document", "-"],
        vec!["handoff", "x", "--pipeline", "g5", "--lineage"],
        vec!["handoff", "x", "--now", "yesterday"],
        vec!["handoff", "x", "--script", "a", "--document", "b"],
        vec!["handoff", "x", "--output", "a", "--write-source", "a"],
    ] {
        let outcome = ttsr(arguments.clone());
        assert_eq!(outcome.status, 2, "{arguments:?}: {outcome:?}");
    }
    let prompt = ttsr(["handoff", "--print-prompt", "--focus", "/new $1"]);
    assert_eq!(prompt.status, 0);
    assert!(prompt.out.ends_with("\n\nAdditional focus: /new $1\n"), "{prompt:?}");
}
