//! A process that dies at any write-side call leaves the target absent or whole, the source untouched, and nothing
//! that is taken for a session.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use ttsr::clock::Clock;
use ttsr::handoff::{Answer, Options, Process, Rules, run};
use ttsr::session::{ReadMode, Session, WriteCall};
use ttsr::text::json::Value;

use super::{Desk, SOURCE};

/// Tells the child which folder and at which call it dies.
const DIES: &str = "TTSR_TEST_HANDOFF_DIES";

/// Exit status of a child that was ended.
const ENDED: i32 = 86;

/// Runs of the test.
const RUNS: u64 = 500;

/// What the child runs: a handoff whose writer ends the process, as a signal would, before its call number N. Without
/// the variable it is a run that nothing ends.
#[test]
fn a_writer_that_may_be_ended() {
    let told = std::env::var(DIES).unwrap_or_default();
    let (dies_at, folder) = told.split_once(':').unwrap_or(("0", ""));
    let own = tempfile::tempdir().expect("a folder");
    let folder = if folder.is_empty() { own.path() } else { Path::new(folder) };
    let dies_at: u64 = dies_at.parse().expect("a number");
    let document = "## Goal\n".repeat(30_000);
    let source = folder.join("old.jsonl");
    if !source.exists() {
        fs::write(&source, SOURCE).expect("the source");
    }
    let session = Session::open(&source, "old.jsonl", ReadMode::Tolerant).expect("a session");
    let mut process = Process::new(session, Rules::default()).expect("a process");
    let answer = Answer::Document(document.as_str().into());
    let mut clock = Clock::fixed(1_773_480_801_000, 1);
    run(&mut process, &Options::default(), answer, &mut clock, &mut ()).expect("a handoff");
    let (_, new) = process.into_sessions();
    let mut calls = 0;
    let mut gate = |call: WriteCall| {
        calls += 1;
        if calls == dies_at {
            fs::write(folder.join("died-at"), format!("{call:?}")).expect("a note");
            std::process::exit(ENDED);
        }
        Ok(())
    };
    let new = new.expect("a new session");
    new.write_new_through(&folder.join("new.jsonl"), &mut gate).expect("the file");
    fs::write(folder.join("calls"), calls.to_string()).expect("a note");
    assert_whole(&folder.join("new.jsonl"), &document);
}

fn assert_whole(path: &Path, document: &str) {
    let session = Session::open(path, "new.jsonl", ReadMode::Tolerant).expect("a session");
    assert!(session.diagnostics().is_empty());
    let context = session.context(session.leaf()).expect("a context");
    let content =
        context.messages[0].message.raw.get("content").and_then(Value::as_string).expect("text").to_string_lossy();
    assert!(content.starts_with("<handoff-context>\n") && content.contains(document));
    assert!(content.ends_with("seamlessly."), "the end is missing");
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures are wanted in the log")]
fn deaths_leave_the_target_absent_or_whole() {
    let program = std::env::current_exe().expect("this program");
    let child = |desk: &Desk, dies_at: u64| {
        let told = format!("{dies_at}:{}", desk.folder.path().display());
        let output = Command::new(&program)
            .args(["--exact", "handoff::kill::a_writer_that_may_be_ended", "--test-threads=1"])
            .env(DIES, told)
            .output()
            .expect("a child");
        output.status.code()
    };
    let whole = Desk::new(SOURCE);
    assert_eq!(child(&whole, 0), Some(0));
    let calls: u64 = fs::read_to_string(whole.path("calls")).expect("a note").parse().expect("a number");
    assert!(calls >= 6, "several writes: {calls}");
    let document = "## Goal\n".repeat(30_000);
    let mut random = Clock::fixed(0, 20_260_314);
    // One more than there are calls: some runs are left alone.
    let deaths: Vec<u64> = (0..RUNS).map(|_| 1 + random.bits() % (calls + 1)).collect();
    let one = |dies_at: &u64| {
        let desk = Desk::new(SOURCE);
        let status = child(&desk, *dies_at);
        assert_eq!(fs::read_to_string(desk.path("old.jsonl")).expect("the source"), SOURCE);
        let target = desk.path("new.jsonl");
        let kind = fs::read_to_string(desk.path("died-at")).unwrap_or_else(|_| "lived".to_owned());
        assert_eq!(status, Some(if kind == "lived" { 0 } else { ENDED }));
        assert_eq!(target.exists(), kind == "lived", "{kind}");
        if target.exists() {
            assert_whole(&target, &document);
        }
        let sessions: Vec<String> = desk.files().into_iter().filter(|name| name.ends_with(".jsonl")).collect();
        assert!(sessions == ["old.jsonl"] || sessions == ["new.jsonl", "old.jsonl"], "{sessions:?}");
        kind
    };
    let mut died: BTreeMap<String, usize> = BTreeMap::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = deaths
            .chunks(RUNS.div_ceil(4) as usize)
            .map(|deaths| scope.spawn(move || deaths.iter().map(one).collect::<Vec<_>>()))
            .collect();
        for kind in workers.into_iter().flat_map(|worker| worker.join().expect("a worker")) {
            *died.entry(kind).or_default() += 1;
        }
    });
    println!("handoff kills: {died:?} of {RUNS} runs, {calls} calls each");
    for kind in ["Open", "Write", "Flush", "Rename"] {
        assert!(died.get(kind).is_some_and(|count| *count >= 10), "no deaths at {kind}: {died:?}");
    }
}
