//! The steps of the switch in their order, seen from a host that records them (handoff.md H6.1).

use std::fs;

use ttsr::clock::Clock;
use ttsr::generation::Lifecycle;
use ttsr::generation::Pipeline;
use ttsr::handoff::{Answer, Options, Process, Report, Rules, Status, Step, Watch, run};
use ttsr::message::{AgentEvent, Message};
use ttsr::rule::{RuleSet, load_paths};
use ttsr::session::{ReadMode, Session};
use ttsr::settings::Settings;
use ttsr::text::json::Value;

use super::{DOCUMENT, Desk, SOURCE, at, report};

/// What the host sees around a step.
#[derive(Debug, PartialEq)]
struct Seen {
    step: Step,
    /// Entries that the old session gained.
    old_added: usize,
    /// Entries of the new session, once it exists.
    new_added: Option<usize>,
    /// Whether its leaf is null.
    leaf_is_null: bool,
    memory: usize,
    speaks_for_new: bool,
    queues_empty: bool,
    deferred: usize,
    reminder_turns: u32,
    generating: bool,
}

impl Seen {
    fn of(step: Step, process: &Process) -> Self {
        let new = process.new_session();
        Self {
            step,
            old_added: process.old().added().len(),
            new_added: new.map(|new| new.added().len()),
            leaf_is_null: new.is_some_and(|new| new.leaf().is_none()),
            memory: process.memory().len(),
            speaks_for_new: new.is_some_and(|new| *process.agent_session() == new.id()),
            queues_empty: process.queues.is_empty(),
            deferred: process.coordinator().memory().queued(),
            reminder_turns: process.reminder_turns,
            generating: process.is_generating(),
        }
    }
}

/// Records what it sees after each step, and fails before the one it is told.
#[derive(Default)]
struct Recorder {
    seen: Vec<Seen>,
    fails_at: Option<Step>,
}

impl Watch for Recorder {
    fn before(&mut self, step: Step, process: &Process) -> Result<(), (&'static str, String)> {
        assert!(process.is_generating());
        if self.fails_at == Some(step) { Err(("told-to", "no".to_owned())) } else { Ok(()) }
    }

    fn after(&mut self, step: Step, process: &Process) {
        self.seen.push(Seen::of(step, process));
    }
}

/// A process with messages in all queues, a deferred reminder and a running counter.
fn busy(desk: &Desk) -> Process {
    let rule =
        desk.write("late.md", "---\ncondition: flaky\nscope: text\ninterruptMode: never\n---\nNo flaky tests.\n");
    let semantics = Lifecycle::V3.semantics();
    let settings = Settings::default();
    let loaded = load_paths(&[rule], "/srv/app", &semantics);
    let compiled = RuleSet::register(loaded.rules, &settings, &semantics, None).compiled;
    assert_eq!(compiled.len(), 1);
    let session = Session::open(&desk.path("old.jsonl"), "old.jsonl", ReadMode::Tolerant).expect("a session");
    let rules = Rules { compiled, settings, semantics, home: "/home/user".into(), head: Vec::new() };
    let mut process = Process::new(session, rules).expect("a process");
    let coordinator = process.coordinator_mut();
    coordinator.handle(&AgentEvent::MessageStart { timestamp: Some(1.0) });
    coordinator.handle(&AgentEvent::TextDelta { index: 0, delta: "a flaky test".into() });
    let model = ttsr::message::Model::scripted();
    let said = vec![ttsr::message::text_block("a flaky test")];
    coordinator.handle(&AgentEvent::MessageEnd(Message::assistant(&model, said, "stop", Value::from(1_u32))));
    assert_eq!(coordinator.memory().queued(), 1);
    process.queues.steering.push(Message::user("faster", 1));
    process.queues.follow_ups.push(Message::user("and then", 2));
    process.queues.next_turn.push(Message::user("later", 3));
    process.reminder_turns = 5;
    process
}

fn hand_off(process: &mut Process, pipeline: Pipeline, recorder: &mut Recorder) -> Report {
    let options = Options { pipeline, source_path: Some("/srv/old.jsonl".into()), ..Options::default() };
    let mut clock = Clock::fixed(1_773_480_801_000, 3);
    let report = run(process, &options, Answer::Document(DOCUMENT.into()), &mut clock, recorder).expect("a report");
    assert!(!process.is_generating(), "the controller is gone");
    report
}

#[test]
fn the_steps_come_in_their_order() {
    for pipeline in [Pipeline::G1, Pipeline::G2, Pipeline::G3, Pipeline::G4] {
        let desk = Desk::new(SOURCE);
        let mut process = busy(&desk);
        let mut recorder = Recorder::default();
        let report = hand_off(&mut process, pipeline, &mut recorder);
        assert_eq!(report.status, Status::Done);
        let mut steps = vec![
            Step::FlushOld,
            Step::NewSession,
            Step::ResetAgent,
            Step::RebindSession,
            Step::ClearQueues,
            Step::ResetReminders,
            Step::Inject,
            Step::Rebuild,
        ];
        steps.retain(|step| pipeline != Pipeline::G4 || *step != Step::ClearQueues);
        assert_eq!(recorder.seen.iter().map(|seen| seen.step).collect::<Vec<_>>(), steps);
        let after = |step: Step| recorder.seen.iter().find(|seen| seen.step == step).expect("the step");
        let exchange = if pipeline == Pipeline::G4 { 0 } else { 2 };
        // The old session holds the exchange before the new one exists.
        assert_eq!((after(Step::FlushOld).old_added, after(Step::FlushOld).new_added), (exchange, None));
        let opened = after(Step::NewSession);
        assert_eq!((opened.new_added, opened.leaf_is_null, opened.speaks_for_new), (Some(0), true, false));
        assert!(opened.memory > 0);
        assert_eq!(after(Step::ResetAgent).memory, 0);
        let bound = after(Step::RebindSession);
        assert!(bound.speaks_for_new && !bound.queues_empty && bound.deferred == 1);
        let clears = pipeline != Pipeline::G4;
        let counted = after(Step::ResetReminders);
        assert_eq!((counted.queues_empty, counted.deferred), (clears, usize::from(!clears)));
        assert_eq!((bound.reminder_turns, counted.reminder_turns), (5, 0));
        assert!(counted.leaf_is_null, "the document is the root");
        let injected = after(Step::Inject);
        assert_eq!((injected.new_added, injected.leaf_is_null, injected.memory), (Some(1), false, 0));
        assert_eq!(after(Step::Rebuild).memory, 1);
        assert!(recorder.seen.iter().all(|seen| seen.generating));
        let message = &process.memory()[0];
        assert_eq!(
            (message.role().to_string_lossy().as_str(), message.string("customType")),
            ("custom", Some("handoff".into()))
        );
    }
}

#[test]
fn in_place_the_session_and_what_waits_stay() {
    let desk = Desk::new(SOURCE);
    let mut process = busy(&desk);
    let id = process.agent_session().clone();
    let mut recorder = Recorder::default();
    let report = hand_off(&mut process, Pipeline::G5, &mut recorder);
    assert_eq!(report.status, Status::Done);
    assert_eq!(recorder.seen.iter().map(|seen| seen.step).collect::<Vec<_>>(), [Step::CommitCompaction, Step::Rebuild]);
    assert!(!process.queues.is_empty() && process.reminder_turns == 5 && *process.agent_session() == id);
    assert_eq!(process.memory()[0].role(), "compactionSummary");
}

#[test]
fn a_step_that_fails_ends_it_and_clears_the_controller() {
    for pipeline in Pipeline::ALL {
        let mut step = Some(Step::first(pipeline));
        while let Some(fails_at) = step {
            let desk = Desk::new(SOURCE);
            let mut process = busy(&desk);
            let mut recorder = Recorder { seen: Vec::new(), fails_at: Some(fails_at) };
            let report = hand_off(&mut process, pipeline, &mut recorder);
            assert_eq!((report.status, report.reason), (Status::Failed, Some("told-to")), "{pipeline:?} {fails_at:?}");
            assert_eq!(report.message, "Handoff failed: no");
            assert!(report.session.is_none() && report.entry.is_none());
            step = fails_at.next(pipeline);
        }
    }
}

#[test]
fn rules_act_on_the_reply_and_are_armed_again_afterwards() {
    let desk = Desk::new(&format!(
        "{SOURCE}{}\n",
        r#"{"type":"ttsr_injection","id":"a0000003","parentId":"a0000002","timestamp":"2026-03-14T09:00:03.000Z","injectedRules":["older"]}"#
    ));
    let rule = desk.write("no-todo.md", "---\ncondition: TODO\nscope: text\n---\nNo TODO.\n");
    let script = "[[{\"text\":\"## Goal TODO and more\"}],[{\"text\":\"## Goal\\nclean\"}]]";
    let copy = desk.path("copy.jsonl").to_string_lossy().into_owned();
    let run = desk.scripted(script, &["--rules", &rule, "--write-source", &copy]);
    let shown = report(&run);
    assert_eq!((run.status, at(&shown, "document.text").as_str()), (0, "## Goal\nclean"), "{run:?}");
    assert_eq!(at(&shown, "rules_rearmed"), r#"["older","no-todo"]"#);
    let kinds: Vec<String> = desk.records("copy.jsonl").iter().skip(4).map(|record| at(record, "type")).collect();
    assert_eq!(kinds, ["message", "message", "custom_message", "ttsr_injection", "message"]);
    assert_eq!(at(&desk.records("copy.jsonl")[5], "message.stopReason"), "aborted");
    let new = desk.records("new.jsonl");
    assert!(new.iter().all(|record| at(record, "type") != "ttsr_injection"));
    // Without a retry the partial reply is no document.
    let desk = Desk::new(SOURCE);
    let rule = desk.write("no-todo.md", "---\ncondition: TODO\nscope: text\n---\nNo TODO.\n");
    let run = desk.scripted("[[{\"text\":\"## Goal TODO and more\"}]]", &["--rules", &rule]);
    assert_eq!((run.status, at(&report(&run), "reason").as_str()), (3, "aborted-reply"));
    // In place all rules stay spent.
    let desk = Desk::new(&fs::read_to_string(&copy).expect("the copy"));
    let run = desk.scripted("[[{\"text\":\"x\"}]]", &["--pipeline", "g5"]);
    assert_eq!(at(&report(&run), "rules_rearmed"), "[]");
    let session = Session::open(&desk.path("new.jsonl"), "new", ReadMode::Tolerant).expect("a session");
    let injected = session.injected_rules(session.leaf()).expect("rules");
    assert_eq!(injected, ["older", "no-todo"]);
}
