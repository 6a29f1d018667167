//! Files that are written where others write too, where there is no room, and from sources that change meanwhile.
#![cfg(unix)]

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::kills::{WRITERS, desk, files, start};

#[test]
fn of_two_writers_of_one_file_one_wins() {
    for (arguments, written) in WRITERS.iter().filter(|(arguments, _)| !arguments.contains(&"--update")) {
        let folder = desk();
        let mut writers: Vec<_> = (0..4).map(|_| start(arguments, folder.path())).collect();
        let codes: Vec<i32> =
            writers.iter_mut().map(|writer| writer.wait().expect("an end").code().expect("a status")).collect();
        // Each of them may have come first for one of two files; a repair of a repaired file has nothing to do.
        assert!(codes.iter().all(|code| matches!(code, 0 | 1 | 3)), "{arguments:?}: {codes:?}");
        let wins = codes.iter().filter(|code| **code < 2).count();
        assert!(wins >= 1 || written.len() > 1, "{arguments:?}: {codes:?}");
        if arguments[0] != "check-rules" {
            assert!(wins <= 1, "{arguments:?} wrote over each other: {codes:?}");
        }
        let found = files(folder.path());
        assert!(found.keys().all(|name| !name.contains(".ttsr-")), "{arguments:?}: {:?}", found.keys());
        let lone = desk();
        start(arguments, lone.path()).wait().expect("an end");
        let whole = files(lone.path());
        for name in written.iter().filter(|name| found.contains_key(**name)) {
            assert_eq!(found[*name].len(), whole[*name].len(), "{arguments:?}: {name}");
        }
    }
}

/// Runs a writer in a shell that has set something up before.
fn after(setup: &str, arguments: &[&str], folder: &Path) -> Output {
    let script = format!("{setup}; exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_ttsr")])
        .args(arguments)
        .args(["--lifecycle", "v3"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("a run")
}

#[test]
fn without_room_the_old_files_stay_and_the_run_fails() {
    for (arguments, written) in &WRITERS {
        // The rules are smaller than any limit that can be set.
        if arguments.contains(&"--fix") {
            continue;
        }
        let folder = desk();
        let before = files(folder.path());
        let output = after("ulimit -f 4", arguments, folder.path());
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {err}");
        assert!(!err.contains("panicked") && written.iter().any(|name| err.contains(name)), "{arguments:?}: {err}");
        let found = files(folder.path());
        for name in found.keys() {
            assert!(before.get(name) == found.get(name), "{arguments:?}: {name}");
        }
        assert_eq!(before.len(), found.len(), "{arguments:?}: {:?}", found.keys());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_without_room_is_a_failure() {
    let folder = desk();
    for arguments in [
        &["replay", "large.jsonl", "--rules", "rules", "--format", "jsonl"][..],
        &["check-rules", "rules", "--format", "json"],
        &["inspect-session", "large.jsonl"],
        &["help", "limits"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ttsr"));
        let full = OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let status = command.args(arguments).current_dir(folder.path()).stdout(full).stderr(Stdio::null()).status();
        assert_eq!(status.expect("a run").code(), Some(3), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_file_is_told_of_before_anything_runs() {
    let folder = desk();
    for arguments in [
        &["replay", "large.jsonl", "--rules", "rules", "--write-session", "/proc/w.jsonl"][..],
        &["replay", "large.jsonl", "--rules", "rules", "--emit-events", "/proc/e.jsonl"],
        &["handoff", "large.jsonl", "--document", "d.md", "--output", "/proc/n.jsonl"],
        &["check-rules", "rules", "--write-baseline", "/proc/b.json"],
    ] {
        let before = files(folder.path());
        let output = after("true", arguments, folder.path());
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {err}");
        assert!(err.contains("/proc/") && !err.contains("panicked"), "{arguments:?}: {err}");
        assert!(before == files(folder.path()), "{arguments:?}");
    }
}

/// A session that the agent still writes, and one that something cuts, while runs read it.
#[test]
fn a_source_that_changes_while_it_is_read_breaks_nothing() {
    let folder = desk();
    let source = folder.path().join("large.jsonl");
    let whole = fs::read(&source).expect("a session");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut step = 0_usize;
            while !is_over.load(Ordering::SeqCst) {
                let mut file = OpenOptions::new().write(true).open(&source).expect("the source");
                match step % 3 {
                    0 => file.set_len((whole.len() / 7 * (step % 7)) as u64).expect("cut"),
                    1 => file.write_all(&whole).expect("written"),
                    _ => file.write_all(&whole[..whole.len() / 2]).expect("written"),
                }
                step += 1;
            }
        });
        for run in 0..24 {
            let target = format!("w{run}.jsonl");
            let replay = ["replay", "large.jsonl", "--rules", "rules", "--write-session", &target];
            let arguments: &[&str] = match run % 3 {
                0 => &replay,
                1 => &["inspect-session", "large.jsonl", "--format", "json"],
                _ => &["replay", "large.jsonl", "--rules", "rules", "--format", "jsonl"],
            };
            let output = after("true", arguments, folder.path());
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            let is_known = output.status.code().is_some_and(|code| matches!(code, 0 | 1 | 3));
            assert!(is_known && !err.contains("panicked"), "{arguments:?}: {} {err}", output.status);
            if let Ok(written) = fs::read(folder.path().join(&target)) {
                assert!(written.ends_with(b"\n") || written.starts_with(b"{\"type\":\"session\""), "{target}");
                assert_ne!(output.status.code(), Some(3), "{target} was written by a run that failed: {err}");
            }
        }
        is_over.store(true, Ordering::SeqCst);
    });
    assert!(files(folder.path()).keys().all(|name| !name.contains(".ttsr-")));
}
