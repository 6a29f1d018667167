//! The generation by the scripted agent: as a prompt of the old session under the rules in force, or as a side request
//! (handoff.md H3).

use std::cell::RefCell;
use std::sync::Arc;

use crate::agent::{Agent, EndOfScript, Failure, Occurrence, Script, ScriptSource, ScriptedAgent};
use crate::clock::Clock;
use crate::host::trace::{Summary, TraceEvent};
use crate::host::{Host, Journal, Progress, Run, distinct};
use crate::lifecycle::Coordinator;
use crate::message::{AgentEvent, Ending, Message, Model as MessageModel};
use crate::session::{NewHeader, Store};
use crate::text::JsString;

use super::capture::captured_text;
use super::generation::{ABORTED_BY_SESSION, GenerationError, Model, ToolChoice};
use super::{Generated, Process, ReplyEnd, Watch};

/// Reads the outcome off the last assistant message. `before` are the messages before it, oldest first.
pub(super) fn generated(last: Option<&Message>, failure: Option<&Failure>, before: &[Message]) -> Generated {
    let older = before.iter().rev().filter(|message| message.is_assistant()).find_map(captured_text);
    let Some(last) = last else { return Generated { document: None, end: ReplyEnd::Complete, older } };
    let end = match last.ending() {
        Ending::Rules(_) | Ending::Aborted => ReplyEnd::Aborted,
        Ending::Failed => {
            let name = failure.and_then(|failure| failure.name.clone());
            ReplyEnd::Failed { name, message: last.failure_text() }
        }
        Ending::Complete => ReplyEnd::Complete,
    };
    Generated { document: captured_text(last), end, older }
}

/// Asks with a prompt in the old session and lets the agent run until it is idle; the last reply counts. What happens
/// is told to `watch` and counted in `summary`.
pub(super) fn ask_in_session(
    process: &mut Process,
    prompt: Message,
    script: Script,
    clock: &mut Clock,
    watch: &mut dyn Watch,
    summary: &mut Summary,
) -> Generated {
    // Who answered before answers again: the replies name the same model.
    let model = process.memory.iter().rev().find(|message| message.is_assistant()).map(MessageModel::of);
    let mut agent = ScriptedAgent::new(ScriptSource::new(script, EndOfScript::Stop)).keeping_empty_texts();
    if let Some(model) = model {
        agent = agent.with_model(model);
    }
    agent.prompt(prompt);
    let input = process.source().map(|session| session.file().to_owned()).unwrap_or_default();
    // The run owns what the process holds, until it is over.
    let coordinator = std::mem::replace(&mut process.coordinator, Coordinator::idle());
    let old = std::mem::replace(&mut process.old, Store::create(NewHeader::default(), &mut Clock::fixed(0, 0)));
    let journal = Journal::kept(std::mem::replace(clock, Clock::fixed(0, 0)), old);
    let told = RefCell::new(Vec::new());
    let mut sink = |event: TraceEvent| told.borrow_mut().push(event);
    let mut run = Run::new(coordinator, journal, &input, &mut sink);
    run.remember(std::mem::take(&mut process.memory));
    *run.summary_mut() = std::mem::take(summary);
    if watch.traces_all() {
        run.tell_all();
    }
    let mut host = Host::new(&mut run, &mut agent);
    let cancelled = loop {
        told.take().into_iter().for_each(|event| watch.trace(event));
        if watch.cancelled() {
            break true;
        }
        match host.step() {
            Progress::HandoffCancelled => break true,
            // One handoff asks for no other.
            Progress::Handoff => break false,
            Progress::Over => {
                // What the script has left is said too: its last reply is the document.
                let complete = host.run.last_answer().is_none_or(|last| !last.is_cut_short());
                if !(complete && host.agent.source().has_reply() && host.agent.continue_run()) {
                    break false;
                }
            }
            Progress::Goes | Progress::TurnOver | Progress::ProcessEnd => {}
        }
    };
    run.flush();
    told.take().into_iter().for_each(|event| watch.trace(event));
    *summary = std::mem::take(run.summary_mut());
    let last = run.last_answer().cloned();
    let (coordinator, journal, memory, persisted) = run.into_parts();
    process.coordinator = coordinator;
    (*clock, process.old) = journal.into_parts(std::mem::replace(clock, Clock::fixed(0, 0)));
    process.memory = memory;
    process.injected = distinct(process.injected.iter().chain(&persisted));
    let before = process.memory.iter().rposition(Message::is_assistant).unwrap_or(process.memory.len());
    let mut generated = generated(last.as_ref(), agent.last_failure(), &process.memory[..before]);
    if cancelled {
        generated.end = ReplyEnd::Cancelled;
    }
    generated
}

/// The scripted agent as the model of a side request: each request takes the next reply, and nothing is stored.
pub(super) struct ScriptedModel<'a> {
    source: ScriptSource,
    clock: &'a mut Clock,
    watch: &'a mut dyn Watch,
    /// How the last request failed.
    pub(super) failure: Option<Failure>,
    /// The last reply, complete or not.
    pub(super) reply: Option<Message>,
}

impl<'a> ScriptedModel<'a> {
    /// How many replies were taken.
    pub(super) fn taken(&self) -> usize {
        self.source.given()
    }

    pub(super) fn new(script: Script, clock: &'a mut Clock, watch: &'a mut dyn Watch) -> Self {
        Self { source: ScriptSource::new(script, EndOfScript::Repeat), clock, watch, failure: None, reply: None }
    }
}

impl Model for ScriptedModel<'_> {
    fn complete(&mut self, request: &JsString, _: ToolChoice) -> Result<Message, GenerationError> {
        let reply = self.source.next_reply().ok_or(GenerationError::NoContent)?;
        let script = Script { replies: vec![Arc::clone(&reply)], file: String::new() };
        let mut agent = ScriptedAgent::new(ScriptSource::new(script, EndOfScript::Stop)).keeping_empty_texts();
        agent.prompt(Message::user(request.clone(), self.clock.now_ms()));
        let mut is_stopped = false;
        while let Some(step) = agent.next_step(self.clock) {
            if self.watch.cancelled() {
                break;
            }
            match step.occurrence {
                Occurrence::Event(AgentEvent::MessageEnd(message)) => {
                    self.failure = agent.last_failure().cloned();
                    self.reply = Some(message.clone());
                    if is_stopped {
                        return Err(GenerationError::Cancelled { reason: Some(ABORTED_BY_SESSION.into()) });
                    }
                    return Ok(message);
                }
                Occurrence::UserInterrupt => is_stopped = true,
                Occurrence::HandoffCancelled => break,
                _ => {}
            }
        }
        Err(GenerationError::Cancelled { reason: None })
    }
}
