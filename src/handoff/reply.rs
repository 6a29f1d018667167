//! The generation by the scripted agent: as a prompt of the old session under the rules in force, or as a side request
//! (handoff.md H3).

use std::sync::Arc;

use crate::agent::{
    Abort, CallScope, Due, EndOfScript, Failure, Occurrence, Script, ScriptReply, ScriptSource, ScriptedAgent,
};
use crate::clock::Clock;
use crate::json_object;
use crate::lifecycle::timer::Timeline;
use crate::lifecycle::{self, Action, INJECTION_TYPE, Injection, OTHER_TOOL_CALL_REASON, Task};
use crate::message::{AgentEvent, Message, Model as MessageModel, text_block};
use crate::text::JsString;
use crate::text::json::Value;

use super::capture::captured_text;
use super::generation::{GenerationError, Model, ToolChoice};
use super::replies::with_empty_texts;
use super::{Generated, Process, ReplyEnd, Watch};

/// Reads the outcome off the last assistant message. `before` are the messages before it, oldest first.
pub(super) fn generated(last: Option<&Message>, failure: Option<&Failure>, before: &[Message]) -> Generated {
    let older = before.iter().rev().filter(|message| message.is_assistant()).find_map(captured_text);
    let Some(last) = last else { return Generated { document: None, end: ReplyEnd::Complete, older } };
    let is = |word: &str| last.stop_reason().is_some_and(|reason| reason == word);
    let end = if is("aborted") {
        ReplyEnd::Aborted
    } else if is("error") {
        let stated = last.string("errorMessage").filter(|text| !text.is_empty());
        let message = stated.unwrap_or_else(|| "Unknown error".into());
        ReplyEnd::Failed { name: failure.and_then(|failure| failure.name.clone()), message }
    } else {
        ReplyEnd::Complete
    };
    Generated { document: captured_text(last), end, older }
}

/// Asks with a prompt in the old session and lets the agent run until it is idle; the last reply counts.
pub(super) fn ask_in_session(
    process: &mut Process,
    prompt: Message,
    script: Script,
    clock: &mut Clock,
    watch: &mut dyn Watch,
) -> Generated {
    let replies = script.replies.clone();
    let mut agent = ScriptedAgent::new(ScriptSource::new(script, EndOfScript::Stop));
    agent.prompt(prompt);
    let model = process.memory.iter().rev().find(|message| message.is_assistant()).map(MessageModel::of);
    let started_ms = clock.now_ms();
    let mut run = Run {
        process,
        agent,
        replies,
        clock,
        started_ms,
        timeline: Timeline::new(),
        model,
        last: None,
        before: 0,
        abort: None,
        fold: None,
        resume: false,
    };
    let mut cancelled = false;
    loop {
        if watch.cancelled() {
            cancelled = true;
            break;
        }
        match run.step() {
            Progress::Goes => {}
            Progress::Cancelled => {
                cancelled = true;
                break;
            }
            // What the script has left is said too: its last reply is the document.
            Progress::Idle => {
                let complete = run.last.as_ref().is_none_or(|last| !last.is_cut_short());
                if !(complete && run.agent.source().has_reply() && run.agent.continue_run()) {
                    break;
                }
            }
        }
    }
    run.keep_persisted_rules();
    let Run { agent, last, before, .. } = run;
    let mut generated = generated(last.as_ref(), agent.last_failure(), &process.memory[..before]);
    if cancelled {
        generated.end = ReplyEnd::Cancelled;
    }
    generated
}

enum Progress {
    Goes,
    Idle,
    Cancelled,
}

struct Run<'a> {
    process: &'a mut Process,
    agent: ScriptedAgent,
    replies: Vec<Arc<ScriptReply>>,
    clock: &'a mut Clock,
    started_ms: u64,
    timeline: Timeline<Task>,
    /// Who answered before: the replies name the same model.
    model: Option<MessageModel>,
    last: Option<Message>,
    /// Messages in memory before the last reply.
    before: usize,
    abort: Option<Abort>,
    fold: Option<JsString>,
    resume: bool,
}

impl Run<'_> {
    /// Lets the next thing happen: the agent's or what the rules planned, whichever is due first.
    fn step(&mut self) -> Progress {
        let now = self.clock.now_ms();
        let task_at = self.timeline.next_due().map(|due| self.started_ms + due);
        let agent_first = match (self.agent.due(), task_at) {
            (Due::At(at), Some(task)) => at.max(now) <= task,
            (Due::At(_) | Due::Idle, None) => true,
            (Due::Idle | Due::Done, Some(_)) => false,
            (Due::Done, None) => return Progress::Idle,
        };
        if !agent_first {
            self.next_task();
            return Progress::Goes;
        }
        let Some(step) = self.agent.next_step(self.clock) else { return Progress::Idle };
        match step.occurrence {
            Occurrence::Event(event) => self.event(&event),
            Occurrence::WouldStop => {
                let actions = self.process.coordinator.take_queued();
                self.carry_out(actions);
            }
            Occurrence::Delivered(_) => {}
            Occurrence::UserInterrupt => self.process.coordinator.user_abort(),
            Occurrence::HandoffCancelled => return Progress::Cancelled,
        }
        Progress::Goes
    }

    fn next_task(&mut self) {
        let Some(due) = self.timeline.next_due() else { return };
        let Some(task) = self.timeline.pop_due(due) else { return };
        self.clock.advance((self.started_ms + due).saturating_sub(self.clock.now_ms()));
        let actions = self.process.coordinator.due(&task);
        self.carry_out(actions);
    }

    fn event(&mut self, event: &AgentEvent) {
        let actions = self.process.coordinator.handle(event);
        match event {
            AgentEvent::Message(message) => self.keep(message.clone()),
            AgentEvent::MessageEnd(message) => {
                let mut message = self.named(message.clone());
                if let Some(reply) = self.agent.source().given().checked_sub(1).and_then(|at| self.replies.get(at)) {
                    message = with_empty_texts(message, reply);
                }
                self.before = self.process.memory.len();
                self.last = Some(message.clone());
                self.keep(message);
            }
            _ => {}
        }
        self.carry_out(actions);
        if let AgentEvent::ToolResult(message) = event {
            let mut message = message.clone();
            if let (Some(content), Some(Value::Array(blocks))) = (self.fold.take(), message.raw.get_mut("content")) {
                blocks.insert(0, text_block(content));
            }
            self.keep(message);
        }
    }

    /// A message joins the memory and the old session.
    fn keep(&mut self, message: Message) {
        self.process.old.append_message(message.raw.clone(), self.clock);
        self.process.memory.push(message);
    }

    /// The reply as that of the model that answered before.
    fn named(&self, mut message: Message) -> Message {
        if let Some(model) = &self.model {
            for (key, value) in [("api", &model.api), ("provider", &model.provider), ("model", &model.model)] {
                message.raw.insert(key, value.clone());
            }
        }
        message
    }

    fn carry_out(&mut self, actions: Vec<Action>) {
        self.timeline.move_to(self.clock.now_ms().saturating_sub(self.started_ms));
        for action in actions {
            match action {
                Action::Abort(abort) => {
                    self.abort.get_or_insert_with(|| order(abort));
                }
                Action::Schedule { delay_ms, task } => self.timeline.schedule(delay_ms, task),
                Action::Discard { .. } => {
                    self.process.memory.pop_if(|message| message.is_assistant());
                }
                Action::Inject(injection) => self.process.memory.push(injected(&injection)),
                Action::Deliver(injection) => {
                    self.process.memory.push(injected(&injection));
                    self.agent.follow_up(injected(&injection));
                }
                Action::PersistMessage(injection) => self.persist(&injection),
                Action::PersistInjection { rules } => {
                    self.process.old.append_injection(&rules, self.clock);
                    self.process.injected.extend(rules);
                }
                Action::Fold(fold) => self.fold = Some(fold.content),
                Action::Continue { .. } => self.resume = true,
                _ => {}
            }
        }
        if let Some(abort) = self.abort.take() {
            self.agent.abort(abort);
        }
        if std::mem::take(&mut self.resume) {
            let resumed = self.agent.continue_run();
            let further = self.process.coordinator.continued(resumed);
            self.carry_out(further);
        }
    }

    fn persist(&mut self, injection: &Injection) {
        let rules: Vec<Value> = injection.rules.iter().cloned().map(Value::String).collect();
        let mut details = json_object! { "rules": rules };
        if let Some(id) = injection.delivery_id {
            details.insert("deliveryId", id);
        }
        let (content, details) = (injection.content.clone(), Some(Value::Object(details)));
        self.process.old.append_custom_message(INJECTION_TYPE, content, false, details, Some("agent"), self.clock);
    }

    /// Each rule once, in order of first injection.
    fn keep_persisted_rules(&mut self) {
        let mut seen = std::collections::HashSet::new();
        self.process.injected.retain(|rule| seen.insert(rule.clone()));
    }
}

fn order(abort: lifecycle::Abort) -> Abort {
    let scope = abort.tool_call.map(|call| CallScope { call, others: OTHER_TOOL_CALL_REASON.into() });
    Abort { reason: abort.reason, scope }
}

/// A reminder as the hidden message that joins the conversation.
fn injected(injection: &Injection) -> Message {
    let rules: Vec<Value> = injection.rules.iter().cloned().map(Value::String).collect();
    Message::new(json_object! {
        "role": injection.role(),
        "customType": INJECTION_TYPE,
        "content": injection.content.clone(),
        "display": false,
        "details": json_object! { "rules": rules },
    })
}

/// The scripted agent as the model of a side request: each request takes the next reply, and nothing is stored.
pub(super) struct ScriptedModel<'a> {
    source: ScriptSource,
    clock: &'a mut Clock,
    watch: &'a mut dyn Watch,
    /// How the last request failed.
    pub(super) failure: Option<Failure>,
}

impl<'a> ScriptedModel<'a> {
    pub(super) fn new(script: Script, clock: &'a mut Clock, watch: &'a mut dyn Watch) -> Self {
        Self { source: ScriptSource::new(script, EndOfScript::Repeat), clock, watch, failure: None }
    }
}

impl Model for ScriptedModel<'_> {
    fn complete(&mut self, request: &JsString, _: ToolChoice) -> Result<Message, GenerationError> {
        let reply = self.source.next_reply().ok_or(GenerationError::NoContent)?;
        let script = Script { replies: vec![Arc::clone(&reply)], file: String::new() };
        let mut agent = ScriptedAgent::new(ScriptSource::new(script, EndOfScript::Stop));
        agent.prompt(Message::user(request.clone(), self.clock.now_ms()));
        while let Some(step) = agent.next_step(self.clock) {
            if self.watch.cancelled() {
                break;
            }
            match step.occurrence {
                Occurrence::Event(AgentEvent::MessageEnd(message)) => {
                    self.failure = agent.last_failure().cloned();
                    return Ok(with_empty_texts(message, &reply));
                }
                Occurrence::HandoffCancelled => break,
                _ => {}
            }
        }
        Err(GenerationError::Cancelled { reason: None })
    }
}
