//! Handoffs that a script asks for between prompts: `/handoff` in the run's own process (handoff.md H6).

use std::collections::VecDeque;

use crate::agent::{Abort, Agent as _, Script, ScriptedAgent, ScriptedHandoff};
use crate::clock::Clock;
use crate::diagnostic::{Diagnostic, code};
use crate::generation::Pipeline;
use crate::handoff::{Answer, Event, Machine, Options, Process, Status, Watch, check, request_text};
use crate::host::trace::{TraceEvent, TraceKind};
use crate::host::{Host, Progress, Run};
use crate::lifecycle::Coordinator;
use crate::session::{ReadError, ReadMode, Session, Store};
use crate::text::{JsString, Place};

use super::Plan;

/// Failed replies in front of a good one that may be tries of the same side request.
const MAX_ATTEMPTS: usize = 3;

/// Plays a script with its handoffs.
pub(super) struct Handoffs<'p> {
    plan: &'p Plan,
    name: &'p str,
    /// The sessions that were handed off, oldest first.
    pub(super) sessions: Vec<Store>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Takes the states out of a handoff's own trace. The request was played by the run itself, with all else.
struct States {
    told: bool,
    cancelled: bool,
    states: Vec<TraceKind>,
}

impl Watch for States {
    fn cancelled(&mut self) -> bool {
        self.cancelled
    }

    fn traces_all(&self) -> bool {
        self.told
    }

    fn trace(&mut self, event: TraceEvent) {
        if matches!(event.kind, TraceKind::State { .. }) {
            self.states.push(event.kind);
        }
    }
}

impl<'p> Handoffs<'p> {
    pub(super) fn new(plan: &'p Plan, name: &'p str) -> Self {
        Self { plan, name, sessions: Vec::new(), diagnostics: Vec::new() }
    }

    /// Lets the agent go through its prompts and handoffs.
    pub(super) fn play(&mut self, run: &mut Run<'_>, agent: &mut ScriptedAgent) {
        while until_idle(run, agent, None) == Progress::Handoff {
            let Some((asked, place)) = agent.source_mut().take_handoff() else { return };
            let (given, brings_document) = (agent.source().given(), asked.brings_document);
            if let Err(why) = self.hand_off(run, agent, asked, &place) {
                self.not_done(&why, place);
            }
            if brings_document && agent.source().given() == given {
                agent.source_mut().skip(1);
            }
        }
    }

    fn not_done(&mut self, why: &str, place: Place) {
        let message = format!("handoff not done: {why}");
        self.diagnostics.push(Diagnostic::new(code::HANDOFF_NOT_DONE, message).at(place));
    }

    fn hand_off(
        &mut self,
        run: &mut Run<'_>,
        agent: &mut ScriptedAgent,
        asked: ScriptedHandoff,
        place: &Place,
    ) -> Result<(), String> {
        let word = asked.pipeline.as_ref().map(JsString::to_string_lossy);
        let pipeline = word.and_then(|word| Pipeline::of(&word)).unwrap_or_default();
        let mut session = self.session(run)?;
        let branch = session.branch(session.leaf());
        let passes = check(&session, &branch, pipeline).map_err(|error| error.to_string())?.is_ok();
        let mut machine = Machine::new(pipeline, false);
        let mut cancelled = false;
        // In the early generations the request is a prompt like any other: the run itself plays it.
        let answer = if passes && pipeline.prompts_in_session() {
            for event in [Event::Begin, Event::Passed] {
                self.transition(run, &mut machine, event);
            }
            let request = request_text(pipeline, asked.focus.as_ref());
            let mut prompt = Process::prompt(pipeline, &request, run.journal.clock());
            // The agent dates a prompt when it takes it.
            prompt.raw.remove("timestamp");
            let waiting = agent.swap_prompts(VecDeque::from([prompt]));
            until_idle(run, agent, Some(&mut cancelled));
            // The session keeps what an error says, not its name; one of this name counts as an abort (handoff.md H4).
            let name = agent.last_failure().and_then(|failure| failure.name.as_ref());
            cancelled |= name.is_some_and(|name| *name == "AbortError");
            agent.swap_prompts(waiting);
            session = self.session(run)?;
            Answer::Recorded
        } else {
            Answer::Next(next_answer(agent))
        };
        let coordinator = std::mem::replace(&mut run.coordinator, Coordinator::idle());
        let mut process = Process::with(session, coordinator).map_err(|error| error.to_string())?.at(machine);
        let options = Options { pipeline, focus: asked.focus, ..Options::default() };
        let mut watch = States { told: self.plan.full_trace, cancelled, states: Vec::new() };
        let mut clock = std::mem::replace(run.journal.clock(), Clock::fixed(0, 0));
        let result = crate::handoff::run(&mut process, &options, answer, &mut clock, &mut watch);
        *run.journal.clock() = clock;
        run.coordinator = process.take_coordinator();
        agent.source_mut().skip(process.replies_taken());
        watch.states.into_iter().for_each(|state| run.emit(state));
        let report = result.map_err(|error| error.to_string())?;
        self.diagnostics.extend(report.warnings.into_iter().map(|warning| warning.at(place.clone())));
        if report.status != Status::Done {
            return Err(report.message.to_string_lossy());
        }
        if self.plan.full_trace {
            run.remember(process.memory().to_vec());
            if pipeline.opens_session() {
                run.stands_in(report.entry);
            }
        }
        let (old, new) = process.into_sessions();
        match new {
            Some(new) => {
                run.journal.resume(new);
                self.sessions.push(old);
            }
            None => run.journal.resume(old),
        }
        Ok(())
    }

    fn transition(&self, run: &mut Run<'_>, machine: &mut Machine, event: Event) {
        let from = machine.state();
        if let Ok(to) = machine.apply(event)
            && self.plan.full_trace
        {
            run.emit(TraceKind::State { from: from.as_str().to_owned(), to: to.as_str().to_owned() });
        }
    }

    /// The session as it stands, read as its file would be.
    fn session(&self, run: &Run<'_>) -> Result<Session, String> {
        let store = run.journal.store().ok_or("the run keeps no session")?;
        let bytes = store.to_bytes().map_err(|error| error.to_string())?;
        Session::from_bytes(bytes, self.name, ReadMode::Tolerant).map_err(|error| match error {
            ReadError::Io(error) => error.to_string(),
            ReadError::Refused(refusal) => refusal.message,
        })
    }
}

/// Lets the agent act until it is idle and the script asks for a handoff, or nothing is left. In a handoff, `cancelled`
/// tells whether it was: the reply is aborted where it stands.
fn until_idle(run: &mut Run<'_>, agent: &mut ScriptedAgent, mut cancelled: Option<&mut bool>) -> Progress {
    let mut host = Host::new(run, agent);
    loop {
        match host.step() {
            progress @ (Progress::Over | Progress::Handoff) => return progress,
            Progress::HandoffCancelled => {
                if let Some(cancelled) = cancelled.as_deref_mut() {
                    *cancelled = true;
                    host.agent.abort(Abort::default());
                }
            }
            _ => {}
        }
    }
}

/// What a side request is answered with: the next reply, and failed ones in front of it that may be tried again.
fn next_answer(agent: &ScriptedAgent) -> Script {
    let mut replies = Vec::new();
    for reply in agent.source().upcoming().take(MAX_ATTEMPTS) {
        replies.push(reply.clone());
        if reply.failure.is_none() {
            break;
        }
    }
    Script { replies, file: String::new() }
}
