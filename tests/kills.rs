//! Every writer of the program, ended at random moments by signals that can be caught and by one that cannot.
//!
//! `TTSR_KILLS` says how many times (50 by default), `TTSR_SEED` where the choices begin.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::patterns::generate::Random;

const SIGNALS: [(&str, i32); 4] = [("INT", 2), ("TERM", 15), ("HUP", 1), ("KILL", 9)];

/// What a writer is called with in a folder that [`desk`] has made, and the files that it writes.
pub const WRITERS: [(&[&str], &[&str]); 7] = [
    (&["replay", "large.jsonl", "--rules", "rules", "--format", "json", "--write-session", "w.jsonl"], &["w.jsonl"]),
    (&["replay", "large.jsonl", "--rules", "rules", "--format", "csv", "--emit-events", "e.jsonl"], &["e.jsonl"]),
    (
        &["replay", "large.jsonl", "--rules", "rules", "--write-session", "w.jsonl", "--emit-events", "e.jsonl"],
        &["w.jsonl", "e.jsonl"],
    ),
    (&["replay", "large.jsonl", "--rules", "rules", "--expect", "x.jsonl", "--update"], &["x.jsonl"]),
    (
        &["handoff", "large.jsonl", "--document", "d.md", "--output", "n.jsonl", "--write-source", "s.jsonl"],
        &["n.jsonl", "s.jsonl"],
    ),
    (&["check-rules", "rules", "--fix"], &["rules/r0.md", "rules/r1.md", "rules/r2.md", "rules/r39.md"]),
    (&["check-rules", "rules", "--write-baseline", "b.json"], &["b.json"]),
];

/// A folder with a large session, rules to repair and a document.
pub fn desk() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("rules")).expect("a folder");
    for number in 0..40 {
        let rule = format!("---\ndescription: d\ncondition: 'foo{number}'\nglobs: 'a.ts, b{number}.ts'\n---\nno\n");
        fs::write(at(&format!("rules/r{number}.md")), rule).expect("a rule");
    }
    let mut session = String::from(
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/p\"}\n",
    );
    for number in 0..400 {
        let parent = if number == 0 { "null".to_owned() } else { format!("\"{:08x}\"", number - 1) };
        session.push_str(&format!(
            "{{\"type\":\"message\",\"id\":\"{number:08x}\",\"parentId\":{parent},\"timestamp\":\"2026-01-01T00:00:00.000Z\",\
             \"message\":{{\"role\":\"{}\",\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}]}}}}\n",
            if number % 2 == 0 { "user" } else { "assistant" },
            "words foo1 ".repeat(60),
        ));
    }
    fs::write(at("large.jsonl"), session).expect("a session");
    fs::write(at("d.md"), "## Goal\n".repeat(5_000)).expect("a document");
    fs::write(at("x.jsonl"), "").expect("a trace");
    folder
}

pub fn start(arguments: &[&str], folder: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_ttsr"))
        .args(arguments)
        .args(["--lifecycle", "v3"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program")
}

fn send(signal: &str, child: &Child) {
    let told =
        Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).stderr(Stdio::null()).status();
    told.expect("kill");
}

fn all_files(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            all_files(&path, found)
        } else {
            drop(found.insert(path.clone(), fs::read(path).expect("a file")))
        }
    }
}

/// Files by their names in the folder.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    all_files(folder, &mut found);
    let name = |path: PathBuf| path.strip_prefix(folder).expect("a path in it").to_string_lossy().into_owned();
    found.into_iter().map(|(path, bytes)| (name(path), bytes)).collect()
}

/// Whether a written file is whole: equal to what an undisturbed run writes but for ids and times.
fn is_whole(name: &str, bytes: &[u8], whole: &[u8]) -> bool {
    let shape = |bytes: &[u8]| (bytes.len(), bytes.iter().filter(|byte| **byte == b'\n').count());
    bytes == whole || (!name.ends_with(".md") && shape(bytes) == shape(whole))
}

#[test]
fn writers_that_are_ended_leave_whole_files_or_none() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let runs = number("TTSR_KILLS").unwrap_or(50) as usize;
    let random = &mut Random::new(number("TTSR_SEED").unwrap_or(1));
    let before = files(desk().path());
    // What each writer makes when nobody ends it, and how long that takes.
    let undisturbed: Vec<(BTreeMap<String, Vec<u8>>, Duration)> = WRITERS
        .iter()
        .map(|(arguments, written)| {
            let (folder, begun) = (desk(), Instant::now());
            let status = start(arguments, folder.path()).wait().expect("an end");
            let took = begun.elapsed();
            assert!(status.code().is_some_and(|code| code < 2), "{arguments:?}: {status}");
            let files = files(folder.path());
            for name in *written {
                assert_ne!(files.get(*name), before.get(*name), "{arguments:?} does not write {name}");
            }
            (files, took)
        })
        .collect();
    let mut ended: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    let mut left = 0;
    for run in 0..runs {
        let at = run % WRITERS.len();
        let ((arguments, _), (whole, took)) = (&WRITERS[at], &undisturbed[at]);
        let (signal, signal_number) = *random.pick(&SIGNALS);
        let folder = desk();
        let mut child = start(arguments, folder.path());
        thread::sleep(*took * random.below(1200) as u32 / 1000);
        send(signal, &child);
        let status = child.wait().expect("an end");
        let context = format!("run {run}: {arguments:?}, {signal}: {status}");
        match status.signal() {
            Some(by) => assert_eq!(by, signal_number, "{context}"),
            // It was done, or had no time to hold a file.
            None => assert!(status.code().is_some_and(|code| code < 2 || code == 3), "{context}"),
        }
        for (name, bytes) in files(folder.path()) {
            if name.contains(".ttsr-") {
                // Only what cannot be caught leaves one, under a name that nobody takes for a session or a rule.
                assert!(signal == "KILL" && name.ends_with(".tmp"), "{context}: {name} is left");
                left += 1;
                continue;
            }
            let old = before.get(&name).is_some_and(|before| *before == bytes);
            let new = whole.get(&name).is_some_and(|whole| is_whole(&name, &bytes, whole));
            assert!(old || new, "{context}: {name} is half written: {} bytes", bytes.len());
        }
        if status.signal().is_some() {
            *ended.entry((at, signal)).or_default() += 1;
        }
    }
    let all: usize = ended.values().sum();
    println!("{runs} runs, {all} ended by a signal, {left} temporary files left by KILL: {ended:?}");
    assert!(all * 4 > runs, "too few runs were ended: {all} of {runs}");
}

/// A run over many inputs that is interrupted tells of those that were done, and ends by the signal.
#[test]
fn an_interrupted_report_is_about_what_was_done() {
    for (command, signal, number) in [
        (&["replay", "many", "--rules", "rules", "--format", "json"][..], "INT", 2),
        (&["replay", "many", "--rules", "rules", "--format", "json", "--jobs", "2"], "TERM", 15),
        (&["inspect-session", "many", "--format", "json"], "HUP", 1),
    ] {
        let folder = desk();
        fs::create_dir(folder.path().join("many")).expect("a folder");
        for copy in 0..400 {
            let target = folder.path().join(format!("many/{copy:03}.jsonl"));
            std::os::unix::fs::symlink(folder.path().join("large.jsonl"), target).expect("a link");
        }
        let (mut wait, mut shown) = (Duration::from_millis(400), None);
        for _ in 0..6 {
            let child = Command::new(env!("CARGO_BIN_EXE_ttsr"))
                .args(command)
                .args(["--lifecycle", "v3"])
                .current_dir(folder.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the program");
            thread::sleep(wait);
            send(signal, &child);
            let output = child.wait_with_output().expect("an end");
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            if err.contains("inputs were done") {
                shown = Some((output, err));
                break;
            }
            // Too early when it died of the signal, too late when it was done.
            if output.status.signal().is_some() { wait *= 2 } else { wait /= 3 }
        }
        let (output, err) = shown.unwrap_or_else(|| panic!("{command:?} was never interrupted"));
        assert_eq!(output.status.signal(), Some(number), "{command:?}: {err}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a whole report");
        assert!(report.get("schema").is_some(), "{report}");
        let words: Vec<&str> =
            err.lines().find(|line| line.starts_with("interrupted: ")).expect("a line").split(' ').collect();
        let done: usize = words[1].parse().expect("a number");
        assert!(words[3] == "400" && done < 400, "{words:?}");
    }
}

/// A second signal does not wait for the report.
#[test]
fn a_second_signal_ends_a_patient_run() {
    let folder = desk();
    let large = fs::read_to_string(folder.path().join("large.jsonl")).expect("a session");
    // A pipe that nobody fills holds the run up in its first input.
    let pipe = folder.path().join("pipe.jsonl");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    fs::write(folder.path().join("other.jsonl"), large).expect("a session");
    let mut child = start(&["replay", "pipe.jsonl", "other.jsonl", "--rules", "rules"], folder.path());
    let writer = fs::OpenOptions::new().write(true).read(true).open(&pipe).expect("the pipe");
    thread::sleep(Duration::from_millis(500));
    for _ in 0..2 {
        send("INT", &child);
        thread::sleep(Duration::from_millis(200));
    }
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a status") {
            assert!(status.signal() == Some(2) || status.code().is_some(), "{status}");
            break;
        }
        if begun.elapsed() > Duration::from_secs(20) {
            child.kill().expect("killed");
            panic!("two interrupts do not end the run");
        }
        thread::sleep(Duration::from_millis(20));
    }
    drop(writer);
}
