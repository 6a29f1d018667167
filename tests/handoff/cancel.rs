//! Cancellation before, during and after the generation, by each of its channels (handoff.md H4, H6.3).

use ttsr::clock::Clock;
use ttsr::generation::Pipeline;
use ttsr::handoff::{Answer, Options, Process, Rules, Status, Watch, run};
use ttsr::session::{ReadMode, Session};

use super::{DOCUMENT, Desk, SOURCE, at, report, says};

const PIPELINES: [&str; 5] = ["g1", "g2", "g3", "g4", "g5"];

#[test]
fn a_script_cancels_at_its_time() {
    for pipeline in PIPELINES {
        for (after, done) in [(0, false), (15, false), (40, false), (1000, true)] {
            let text = "12345678";
            let script =
                format!(r#"[{{"parts":[{{"text":"{text}","chunk":2}}],"delayMs":10,"abortHandoffAfterMs":{after}}}]"#);
            let desk = Desk::new(SOURCE);
            let copy = desk.path("copy.jsonl").to_string_lossy().into_owned();
            let outcome = desk.scripted(&script, &["--pipeline", pipeline, "--write-source", &copy]);
            let shown = report(&outcome);
            if done {
                assert_eq!(at(&shown, "status"), "done", "it came too late: {outcome:?}");
                continue;
            }
            assert_eq!((outcome.status, at(&shown, "status").as_str()), (3, "cancelled"), "{pipeline} {after}");
            assert_eq!(at(&shown, "reason"), "user");
            assert_eq!(at(&shown, "reference"), "Handoff cancelled");
            assert!(outcome.err.contains("Handoff cancelled"));
            assert_eq!(desk.files(), ["old.jsonl", "script.json"]);
        }
    }
}

#[test]
fn an_error_named_abort_error_is_a_cancellation() {
    for pipeline in PIPELINES {
        for script in [
            r#"[{"error":{"name":"AbortError","message":"stopped"}}]"#,
            r#"[{"parts":[{"text":"partial"}],"error":{"name":"AbortError","message":"stopped"}}]"#,
        ] {
            let desk = Desk::new(SOURCE);
            let outcome = desk.scripted(script, &["--pipeline", pipeline, "--faithful"]);
            let shown = report(&outcome);
            assert_eq!((outcome.status, at(&shown, "status").as_str()), (3, "cancelled"), "{pipeline}: {outcome:?}");
            assert_eq!(
                (at(&shown, "reason").as_str(), at(&shown, "message").as_str()),
                ("abort-error", "Handoff cancelled")
            );
            assert_eq!(desk.files(), ["old.jsonl", "script.json"]);
        }
    }
}

/// Cancels from a certain question on.
struct Cancels {
    asked: usize,
    from: usize,
}

impl Watch for Cancels {
    fn cancelled(&mut self) -> bool {
        self.asked += 1;
        self.asked >= self.from
    }
}

#[test]
fn the_user_may_cancel_at_any_moment_up_to_the_switch() {
    for pipeline in Pipeline::ALL {
        let desk = Desk::new(SOURCE);
        let attempt = |from: usize| {
            let session = Session::open(&desk.path("old.jsonl"), "old.jsonl", ReadMode::Tolerant).expect("a session");
            let mut process = Process::new(session, Rules::default()).expect("a process");
            let (script, _) = ttsr::agent::Script::read(says(DOCUMENT).as_bytes(), "script").expect("a script");
            let options = Options { pipeline, ..Options::default() };
            let (mut clock, mut watch) = (Clock::fixed(0, 1), Cancels { asked: 0, from });
            let report = run(&mut process, &options, Answer::Script(script), &mut clock, &mut watch).expect("a report");
            assert!(!process.is_generating());
            (report, process, watch.asked)
        };
        let (report, _, asked) = attempt(usize::MAX);
        assert_eq!(report.status, Status::Done);
        assert!(asked > 10);
        for from in 1..=asked {
            let (report, process, _) = attempt(from);
            assert_eq!((report.status, report.reason), (Status::Cancelled, Some("user")), "{pipeline:?} at {from}");
            assert!(process.new_session().is_none());
            let kept = process.old().added().len();
            match (from, pipeline.prompts_in_session()) {
                (1, _) | (_, false) => assert_eq!(kept, 0, "{pipeline:?} at {from}"),
                // The old session keeps the reply although the handoff is cancelled.
                (last, true) if last == asked => assert_eq!(kept, 2),
                _ => assert!(kept <= 2),
            }
        }
    }
}

/// SIGINT on the command while it waits for its document.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_leaves_nothing_and_gives_status_3() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let desk = Desk::new(SOURCE);
    let mut child = Command::new(env!("CARGO_BIN_EXE_ttsr"))
        .args(["handoff", "old.jsonl", "--document", "-", "--output", "new.jsonl"])
        .current_dir(desk.folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program");
    let catches = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or_default();
        u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & 2 != 0)
    };
    let begun = Instant::now();
    while !catches() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the interrupt is not caught");
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    assert_eq!(child.wait().expect("its end").code(), Some(3));
    assert_eq!(desk.files(), ["old.jsonl"]);
}
