//! [`ScriptedAgent`]: the agent loop in virtual time (session.md S8.5).

use std::collections::VecDeque;

use crate::clock::Clock;
use crate::diagnostic::Diagnostic;
use crate::json_object;
use crate::message::{AgentEvent, Message, Model, ToolCall};
use crate::stream::Origin;
use crate::text::JsString;
use crate::text::json::{Object, Value};

use super::partial::Partial;
use super::{
    After, CallRef, Failure, Input, Purpose, Reply, ReplyEnd, ReplySource, ReplyStep, Results, ScriptedResult,
};

/// What the agent says when nobody gives a reason.
const PLAIN_ABORT: &str = "Request was aborted";

/// One thing that happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What happens.
    pub occurrence: Occurrence,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether it belongs to a prompt in which the replay left the recording (cli.md section 2, `--on-trigger`).
    pub after_divergence: bool,
}

/// What can happen in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Occurrence {
    /// The agent announces something.
    Event(AgentEvent),
    /// The recording announces a trigger: the names of its rules.
    Triggered(Vec<JsString>),
    /// The user aborts, in a stream or in the window before a retry (engine.md E7.4).
    UserInterrupt,
    /// The handoff that the reply belongs to is cancelled.
    HandoffCancelled,
    /// The process ended; what follows happens in another one that resumed the session (session.md S9.4a).
    ProcessEnd,
}

/// When the agent acts next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// At this time, in milliseconds since the epoch; at once when that is past.
    At(u64),
    /// When nothing else is scheduled any more: it waits for a retry, or would take the next prompt.
    Idle,
    /// Never, unless it is told to continue.
    Done,
}

/// An order to abort.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abort {
    /// The reason that the aborted message states; without one it says that the request was aborted, and its calls
    /// only that they were.
    pub reason: Option<JsString>,
    /// Reasons for single calls, by id (engine.md E7.4).
    pub calls: Vec<(JsString, JsString)>,
    /// The reason for all other calls of the message.
    pub other_calls: Option<JsString>,
}

/// Plays the prompts and replies of a source and obeys.
///
/// Messages it builds have the fields of session.md S2.3. An aborted message keeps what has streamed; incomplete
/// calls are taken out of it and complete ones get a placeholder result (session.md S9.2, S5.6). A scripted reply
/// stops at once at an abort, a recorded one that was interrupted itself plays on to its recorded end.
pub struct ScriptedAgent<S> {
    source: S,
    queue: VecDeque<Step>,
    state: State,
    follow_ups: Vec<Message>,
    /// Whether the replay has left the recording since the last prompt.
    diverged: bool,
    /// When the user aborts.
    interrupt_at: Option<u64>,
    /// When the next prompt comes in.
    prompt_at: Option<u64>,
    /// When the handoff is cancelled.
    cancel_at: Option<u64>,
    failure: Option<Failure>,
}

enum State {
    Idle,
    Streaming(Box<Streaming>),
    /// The message and its results are announced.
    AfterTurn(Outcome),
    /// Aborted by order; a retry is expected.
    Waiting {
        cancelled: bool,
    },
    Ended,
}

#[derive(Clone, Copy)]
enum Outcome {
    /// There were tool calls: the results go to the model.
    Calls,
    Stopped,
    /// Cut short by the user, an error, or a recording that breaks off.
    Failed,
    /// Aborted by order.
    Aborted {
        was_interrupted: bool,
    },
}

struct Streaming {
    steps: Box<dyn Iterator<Item = ReplyStep>>,
    ahead: Option<ReplyStep>,
    /// When `ahead` happens.
    ahead_at: u64,
    end: ReplyEnd,
    results: Results,
    model: Model,
    origin: Origin,
    timestamp: Value,
    was_interrupted: bool,
    delay_ms: u64,
    partial: Partial,
    abort: Option<Abort>,
}

impl<S: ReplySource> ScriptedAgent<S> {
    /// An idle agent.
    pub fn new(source: S) -> Self {
        Self {
            source,
            queue: VecDeque::new(),
            state: State::Idle,
            follow_ups: Vec::new(),
            diverged: false,
            interrupt_at: None,
            prompt_at: None,
            cancel_at: None,
            failure: None,
        }
    }

    /// The source of prompts and replies.
    pub fn source(&mut self) -> &mut S {
        &mut self.source
    }

    /// Gives the source back.
    pub fn into_source(self) -> S {
        self.source
    }

    /// What was found since the last call.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        self.source.take_diagnostics()
    }

    /// The failure that the last assistant message ended with, if it did.
    pub fn last_failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Whether a message is streaming or its turn is not over.
    pub fn is_running(&self) -> bool {
        !self.queue.is_empty() || matches!(self.state, State::Streaming(_) | State::AfterTurn(_))
    }

    /// When the agent acts next. At the same time as something scheduled elsewhere, the agent acts first.
    pub fn due(&self) -> Due {
        if !self.queue.is_empty() {
            return Due::At(0);
        }
        let earliest = |times: &[Option<u64>]| times.iter().flatten().min().copied();
        match &self.state {
            State::Streaming(streaming) => {
                let times = [Some(streaming.ahead_at), self.interrupt_at, self.cancel_at];
                earliest(&times).map_or(Due::Idle, Due::At)
            }
            State::AfterTurn(_) => Due::At(0),
            State::Waiting { cancelled: true } => Due::At(0),
            State::Waiting { .. } => earliest(&[self.interrupt_at, self.prompt_at]).map_or(Due::Idle, Due::At),
            State::Idle => self.prompt_at.map_or(Due::Idle, Due::At),
            State::Ended => Due::Done,
        }
    }

    /// Lets the next thing happen, moving `clock` to its time; none when nothing is left.
    ///
    /// A waiting agent that is asked although nobody told it to continue gives the retry up and goes on with what
    /// comes next.
    pub fn next_step(&mut self, clock: &mut Clock) -> Option<Step> {
        loop {
            if let Some(step) = self.queue.pop_front() {
                return Some(step);
            }
            match &self.state {
                State::Ended => return None,
                State::Idle => self.wake(clock),
                State::Waiting { cancelled } => {
                    let cancelled = *cancelled;
                    self.stop_waiting(cancelled, clock);
                }
                State::Streaming(_) => self.stream(clock),
                State::AfterTurn(outcome) => {
                    let outcome = *outcome;
                    self.end_turn(outcome, clock);
                }
            }
        }
    }

    /// Aborts the message that streams. The first order's reason is kept; without a streaming message nothing
    /// happens.
    pub fn abort(&mut self, abort: Abort) {
        if let State::Streaming(streaming) = &mut self.state {
            streaming.abort.get_or_insert(abort);
        }
    }

    /// Continues without a prompt: the retry after an abort, or the delivery of follow-ups. Gives whether there was
    /// anything to do; a running agent is left alone, since it delivers by itself.
    pub fn continue_run(&mut self, clock: &mut Clock) -> bool {
        match self.state {
            State::Waiting { .. } => {
                self.state = State::Idle;
                match self.source.next_reply(Purpose::Retry) {
                    Some(reply) => {
                        self.announce(AgentEvent::AgentStart, reply.origin.clone());
                        self.announce(AgentEvent::TurnStart, reply.origin.clone());
                        self.start(reply, clock);
                        true
                    }
                    None => false,
                }
            }
            State::Idle | State::Ended if !self.follow_ups.is_empty() => {
                self.announce(AgentEvent::AgentStart, Origin::default());
                self.deliver(clock);
                true
            }
            _ => false,
        }
    }

    /// Queues a message that is delivered when the run would otherwise end (session.md S8.5f).
    pub fn follow_up(&mut self, message: Message) {
        self.follow_ups.push(message);
    }

    /// Forgets the queued follow-ups and gives them back.
    pub fn drop_follow_ups(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.follow_ups)
    }

    fn wake(&mut self, clock: &mut Clock) {
        if let Some(at) = self.prompt_at.take() {
            wait_until(clock, at);
        }
        (self.interrupt_at, self.cancel_at) = (None, None);
        match self.source.next_input() {
            None => self.state = State::Ended,
            Some(Input::ProcessEnd(origin)) => {
                self.diverged = false;
                self.follow_ups.clear();
                self.happen(Occurrence::ProcessEnd, origin);
            }
            Some(Input::Notes(notes)) => self.join(notes, clock),
            Some(Input::Prompt(messages)) => {
                self.diverged = false;
                self.run(messages, clock);
            }
            Some(Input::Continue) => self.run(Vec::new(), clock),
        }
    }

    fn run(&mut self, messages: Vec<(Message, Origin)>, clock: &mut Clock) {
        let origin = messages.first().map(|(_, origin)| origin.clone()).unwrap_or_default();
        self.announce(AgentEvent::AgentStart, origin.clone());
        self.announce(AgentEvent::TurnStart, origin);
        self.join(messages, clock);
        self.ask(Purpose::Turn, clock);
    }

    /// Asks for a reply within a turn that has begun; without one the run ends.
    fn ask(&mut self, purpose: Purpose, clock: &mut Clock) {
        match self.source.next_reply(purpose) {
            Some(reply) => self.start(reply, clock),
            None => {
                self.announce(AgentEvent::AgentEnd, Origin::default());
                self.state = State::Idle;
            }
        }
    }

    fn join(&mut self, messages: Vec<(Message, Origin)>, clock: &mut Clock) {
        for (mut message, origin) in messages {
            if message.raw.get("timestamp").is_none() {
                clock.advance(1);
                message.raw.insert("timestamp", clock.now_ms());
            }
            self.announce(AgentEvent::Message(message), origin);
        }
    }

    fn start(&mut self, mut reply: Reply, clock: &mut Clock) {
        // Each message has a time of its own, since a retry finds its target by that.
        clock.advance(1);
        let now = clock.now_ms();
        let at = |after: Option<u64>| after.map(|ms| now.saturating_add(ms));
        self.interrupt_at = at(reply.user_interrupt_after_ms).or(self.interrupt_at);
        self.prompt_at = at(reply.new_prompt_after_ms).or(self.prompt_at);
        self.cancel_at = at(reply.abort_handoff_after_ms).or(self.cancel_at);
        self.failure = None;
        let timestamp = reply.timestamp.unwrap_or(now as f64);
        self.announce(AgentEvent::MessageStart { timestamp: Some(timestamp) }, reply.origin.clone());
        let ahead = reply.steps.next();
        let ahead_at = now.saturating_add(delay(ahead.as_ref(), reply.delay_ms));
        self.state = State::Streaming(Box::new(Streaming {
            steps: reply.steps,
            ahead,
            ahead_at,
            end: reply.end,
            results: reply.results,
            model: reply.model,
            origin: reply.origin,
            timestamp: timestamp.into(),
            was_interrupted: reply.was_interrupted,
            delay_ms: reply.delay_ms,
            partial: Partial::default(),
            abort: None,
        }));
    }

    fn stream(&mut self, clock: &mut Clock) {
        let State::Streaming(streaming) = &mut self.state else { return };
        if !streaming.was_interrupted
            && let Some(abort) = streaming.abort.take()
        {
            return self.cut(&abort, false, clock);
        }
        let is_next = |at: &mut u64| *at <= streaming.ahead_at;
        if let Some(at) = self.cancel_at.take_if(is_next) {
            wait_until(clock, at);
            let origin = streaming.origin.clone();
            return self.happen(Occurrence::HandoffCancelled, origin);
        }
        if let Some(at) = self.interrupt_at.take_if(is_next) {
            wait_until(clock, at);
            let origin = streaming.origin.clone();
            self.happen(Occurrence::UserInterrupt, origin);
            return self.cut(&Abort::default(), true, clock);
        }
        wait_until(clock, streaming.ahead_at);
        let Some(step) = streaming.ahead.take() else {
            return self.finish(clock);
        };
        streaming.ahead = streaming.steps.next();
        streaming.ahead_at = clock.now_ms().saturating_add(delay(streaming.ahead.as_ref(), streaming.delay_ms));
        match step {
            ReplyStep::Event(event, origin) => {
                streaming.partial.add(&event);
                self.announce(event, origin);
            }
            ReplyStep::Triggered(names, origin) => self.happen(Occurrence::Triggered(names), origin),
        }
    }

    /// Ends the message that streams where it stands.
    fn cut(&mut self, abort: &Abort, by_user: bool, clock: &mut Clock) {
        let State::Streaming(streaming) = std::mem::replace(&mut self.state, State::Idle) else { return };
        let Streaming { partial, end, model, origin, timestamp, .. } = *streaming;
        self.diverged |= !matches!(end, ReplyEnd::Built { .. });
        let message = aborted_message(partial, abort, &model, timestamp);
        let calls = message.tool_calls();
        self.announce(AgentEvent::MessageEnd(message), origin.clone());
        for call in calls {
            let result = placeholder(call, abort, by_user, clock);
            self.announce(AgentEvent::ToolResult(result), origin.clone());
        }
        self.announce(AgentEvent::TurnEnd, origin);
        let outcome = if by_user { Outcome::Failed } else { Outcome::Aborted { was_interrupted: false } };
        self.state = State::AfterTurn(outcome);
    }

    /// Ends the message that streams as its reply says.
    fn finish(&mut self, clock: &mut Clock) {
        let State::Streaming(streaming) = std::mem::replace(&mut self.state, State::Idle) else { return };
        let Streaming { partial, end, results, model, origin, timestamp, was_interrupted, abort, .. } = *streaming;
        let message = match end {
            ReplyEnd::Recorded(message) => Some(message),
            ReplyEnd::Built { stop_reason, failure } => {
                self.failure.clone_from(&failure);
                Some(built_message(partial, stop_reason, failure, &model, timestamp))
            }
            ReplyEnd::Torn => None,
        };
        let mut outcome = Outcome::Failed;
        if let Some(message) = message {
            let (calls, is_cut_short) = (message.tool_calls(), message.is_cut_short());
            if !is_cut_short {
                outcome = if calls.is_empty() { Outcome::Stopped } else { Outcome::Calls };
            }
            self.announce(AgentEvent::MessageEnd(message), origin.clone());
            self.give_results(results, calls, is_cut_short, &origin, clock);
            self.announce(AgentEvent::TurnEnd, origin);
        }
        if abort.is_some() {
            outcome = Outcome::Aborted { was_interrupted };
        }
        self.state = State::AfterTurn(outcome);
    }

    fn give_results(
        &mut self,
        results: Results,
        calls: Vec<ToolCall>,
        is_cut_short: bool,
        origin: &Origin,
        clock: &mut Clock,
    ) {
        match results {
            Results::Recorded(after) => {
                for (after, origin) in after {
                    match after {
                        After::Result(message) => self.announce(AgentEvent::ToolResult(message), origin),
                        After::Triggered(names) => self.happen(Occurrence::Triggered(names), origin),
                    }
                }
            }
            Results::Scripted(_) if is_cut_short => {
                for call in calls {
                    let result = placeholder(call, &Abort::default(), true, clock);
                    self.announce(AgentEvent::ToolResult(result), origin.clone());
                }
            }
            Results::Scripted(results) => {
                for (index, call) in calls.into_iter().enumerate() {
                    let (text, is_error) = scripted_result(&results, index, &call);
                    clock.advance(1);
                    let result = Message::tool_result(call.id, call.name, text, is_error, clock.now_ms());
                    self.announce(AgentEvent::ToolResult(result), origin.clone());
                }
            }
        }
    }

    fn end_turn(&mut self, outcome: Outcome, clock: &mut Clock) {
        self.state = State::Idle;
        match outcome {
            Outcome::Aborted { was_interrupted } => {
                if was_interrupted && let Some(late) = self.source.late_abort() {
                    self.announce_late_abort(late);
                }
                let cancelled = was_interrupted && self.source.retry_was_cancelled();
                self.state = State::Waiting { cancelled };
            }
            Outcome::Failed => self.announce(AgentEvent::AgentEnd, Origin::default()),
            Outcome::Calls => self.next_turn(clock),
            Outcome::Stopped if !self.follow_ups.is_empty() => self.deliver(clock),
            Outcome::Stopped => {
                let notes = self.source.next_notes();
                if notes.is_empty() {
                    return self.announce(AgentEvent::AgentEnd, Origin::default());
                }
                self.announce(AgentEvent::TurnStart, Origin::default());
                self.join(notes, clock);
                self.ask(Purpose::Turn, clock);
            }
        }
    }

    /// The results of tool calls go to the model.
    fn next_turn(&mut self, clock: &mut Clock) {
        let notes = self.source.next_notes();
        match self.source.next_reply(Purpose::Turn) {
            Some(reply) => {
                self.announce(AgentEvent::TurnStart, reply.origin.clone());
                self.join(notes, clock);
                self.start(reply, clock);
            }
            None => {
                self.join(notes, clock);
                if self.follow_ups.is_empty() {
                    self.announce(AgentEvent::AgentEnd, Origin::default());
                } else {
                    self.deliver(clock);
                }
            }
        }
    }

    /// Delivers the follow-ups and asks for the reply to them.
    fn deliver(&mut self, clock: &mut Clock) {
        self.announce(AgentEvent::TurnStart, Origin::default());
        for message in std::mem::take(&mut self.follow_ups) {
            self.announce(AgentEvent::Message(message), Origin::default());
        }
        self.ask(Purpose::FollowUp, clock);
    }

    fn announce_late_abort(&mut self, late: Reply) {
        let ReplyEnd::Recorded(message) = late.end else { return };
        self.announce(AgentEvent::TurnStart, late.origin.clone());
        self.announce(AgentEvent::MessageStart { timestamp: late.timestamp }, late.origin.clone());
        self.announce(AgentEvent::MessageEnd(message), late.origin.clone());
        if let Results::Recorded(after) = late.results {
            for (after, origin) in after {
                match after {
                    After::Result(message) => self.announce(AgentEvent::ToolResult(message), origin),
                    After::Triggered(names) => self.happen(Occurrence::Triggered(names), origin),
                }
            }
        }
        self.announce(AgentEvent::TurnEnd, late.origin);
    }

    /// Nobody continued: the retry was cancelled, or nothing is scheduled any more.
    fn stop_waiting(&mut self, cancelled: bool, clock: &mut Clock) {
        self.state = State::Idle;
        let interrupts = match (self.interrupt_at, self.prompt_at) {
            (Some(interrupt), Some(prompt)) => interrupt <= prompt,
            (interrupt, _) => interrupt.is_some(),
        };
        if let Some(at) = self.interrupt_at.take().filter(|_| interrupts) {
            wait_until(clock, at);
            self.happen(Occurrence::UserInterrupt, Origin::default());
        } else if cancelled {
            self.happen(Occurrence::UserInterrupt, Origin::default());
        }
    }

    fn announce(&mut self, event: AgentEvent, origin: Origin) {
        self.happen(Occurrence::Event(event), origin);
    }

    fn happen(&mut self, occurrence: Occurrence, origin: Origin) {
        self.queue.push_back(Step { occurrence, origin, after_divergence: self.diverged });
    }
}

/// What a call gives by script: `ok` unless a result names it.
fn scripted_result(results: &[ScriptedResult], index: usize, call: &ToolCall) -> (JsString, bool) {
    let names = |result: &&ScriptedResult| match &result.call {
        CallRef::Id(id) => *id == call.id,
        CallRef::Index(at) => *at == index,
    };
    results.iter().find(names).map_or(("ok".into(), false), |result| (result.text.clone(), result.is_error))
}

/// Virtual milliseconds before `step`.
fn delay(step: Option<&ReplyStep>, delay_ms: u64) -> u64 {
    match step {
        Some(ReplyStep::Event(
            AgentEvent::TextDelta { .. } | AgentEvent::ThinkingDelta { .. } | AgentEvent::ToolCallDelta { .. },
            _,
        )) => delay_ms,
        _ => 0,
    }
}

fn wait_until(clock: &mut Clock, at: u64) {
    clock.advance(at.saturating_sub(clock.now_ms()));
}

fn built_message(
    partial: Partial,
    stop_reason: Option<JsString>,
    failure: Option<Failure>,
    model: &Model,
    timestamp: Value,
) -> Message {
    let content = partial.into_content();
    let has_calls = content
        .iter()
        .any(|block| block.get("type").and_then(Value::as_string).is_some_and(|kind| *kind == "toolCall"));
    let mut message = Message::assistant(model, content, if has_calls { "toolUse" } else { "stop" }, timestamp);
    if let Some(reason) = stop_reason {
        if reason == "aborted" {
            message.raw.insert("errorMessage", PLAIN_ABORT);
        }
        message.raw.insert("stopReason", reason);
    }
    if let Some(failure) = failure {
        message.raw.insert("stopReason", "error");
        message.raw.insert("errorMessage", failure.text());
        if let Some(status) = failure.status {
            message.raw.insert("errorStatus", u32::from(status));
        }
    }
    message
}

fn aborted_message(partial: Partial, abort: &Abort, model: &Model, timestamp: Value) -> Message {
    let mut message = Message::assistant(model, partial.into_content(), "aborted", timestamp);
    message.raw.insert("errorMessage", abort.reason.clone().unwrap_or_else(|| PLAIN_ABORT.into()));
    let mut texts = Object::new();
    for call in message.tool_calls() {
        if let Some(text) = abort.text_for(&call.id) {
            texts.insert(call.id, text);
        }
    }
    if !texts.is_empty() {
        message.raw.insert("toolCallAbortMessages", texts);
    }
    message
}

impl Abort {
    /// The reason for one call, when the abort tells calls apart.
    fn text_for(&self, id: &JsString) -> Option<JsString> {
        let own = self.calls.iter().find(|(call, _)| call == id).map(|(_, text)| text.clone());
        own.or_else(|| self.other_calls.clone())
    }
}

/// The result of a call that was complete when its message was aborted (session.md S5.6).
fn placeholder(call: ToolCall, abort: &Abort, by_user: bool, clock: &mut Clock) -> Message {
    let reason = abort.text_for(&call.id).or_else(|| abort.reason.clone());
    let reason = reason.or_else(|| by_user.then(|| PLAIN_ABORT.into()));
    let mut text = JsString::from("Tool execution was aborted");
    match reason {
        Some(reason) => {
            text.push_str(": ");
            text.push_units(reason.units());
        }
        None => text.push_str("."),
    }
    clock.advance(1);
    let mut message = Message::tool_result(call.id, call.name, text, true, clock.now_ms());
    let details = json_object! { "__synthetic": true, "source": "assistant_stop_aborted", "executed": false };
    message.raw.insert("details", details);
    message
}
