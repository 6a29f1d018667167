//! [`ScriptedAgent`]: the agent loop in virtual time (session.md S8.5).

use std::collections::VecDeque;
use std::sync::Arc;

use crate::clock::Clock;
use crate::message::{AgentEvent, Message, Model, ToolCall};
use crate::stream::Origin;
use crate::text::JsString;

use super::finished::{aborted_message, built_message, placeholder, refused, stopped, with_empty_texts};
use super::partial::Partial;
use super::tools::refusal;
use super::{Abort, Agent, Due, Failure, Occurrence, ScriptReply, ScriptSource, Step};

/// Plays prompts and scripted replies, and obeys. Messages have the fields of session.md S2.3. An abort stops the reply
/// at the delta that was given last: the message keeps what has streamed, without calls that are incomplete, and
/// complete ones get a placeholder result (session.md S5.6, S9.2).
pub struct ScriptedAgent {
    source: ScriptSource,
    prompts: VecDeque<Message>,
    follow_ups: Vec<Message>,
    queue: VecDeque<Step>,
    state: State,
    model: Model,
    /// Place of the reply that is played.
    origin: Origin,
    /// When the user aborts.
    interrupt_at: Option<u64>,
    /// When the next prompt comes in.
    prompt_at: Option<u64>,
    /// When the handoff is cancelled.
    cancel_at: Option<u64>,
    failure: Option<Failure>,
    /// Whether a text part that is empty leaves an empty block.
    keeps_empty_texts: bool,
    /// Whether a `write` without content reaches the tool.
    writes_empty: bool,
    /// Whether an abort leaves what the early generation left.
    is_early: bool,
    /// Why the last attempt to continue threw.
    failed_to_continue: Option<JsString>,
    /// The last time stamp given to a message.
    stamped: u64,
}

enum State {
    Idle,
    Streaming(Box<Streaming>),
    /// The message and its results are announced.
    AfterTurn(Outcome),
    /// The run would end, unless a follow-up came.
    Stopping,
    /// A run was continued: what it is to deliver may still come.
    Continuing,
    /// Aborted by order; a retry is expected.
    Waiting,
    Ended,
}

#[derive(Clone, Copy)]
enum Outcome {
    /// There were tool calls: the results go to the model.
    Calls,
    Stopped,
    /// Cut short by the user or an error.
    Failed,
    /// Aborted by order.
    Aborted,
}

struct Streaming {
    reply: Arc<ScriptReply>,
    steps: Box<dyn Iterator<Item = (AgentEvent, Origin, u64)>>,
    ahead: Option<(AgentEvent, Origin)>,
    /// When `ahead` happens.
    ahead_at: u64,
    timestamp: u64,
    partial: Partial,
    abort: Option<Abort>,
}

impl ScriptedAgent {
    /// An idle agent that answers from `source`.
    pub fn new(source: ScriptSource) -> Self {
        Self {
            source,
            prompts: VecDeque::new(),
            follow_ups: Vec::new(),
            queue: VecDeque::new(),
            state: State::Idle,
            model: Model::scripted(),
            origin: Origin::default(),
            interrupt_at: None,
            prompt_at: None,
            cancel_at: None,
            failure: None,
            keeps_empty_texts: false,
            writes_empty: false,
            is_early: false,
            failed_to_continue: None,
            stamped: 0,
        }
    }

    /// The answers are those of `model`.
    #[must_use]
    pub fn with_model(mut self, model: Model) -> Self {
        self.model = model;
        self
    }

    /// A `write` without content reaches the tool (generation-v4.md W13).
    #[must_use]
    pub fn writing_empty(mut self, reaches: bool) -> Self {
        self.writes_empty = reaches;
        self
    }

    /// Aborts leave what those of the early generation left: see [`Abort::is_early`].
    #[must_use]
    pub fn of_early_generation(mut self, is_early: bool) -> Self {
        self.is_early = is_early;
        self
    }

    /// Messages keep the empty text blocks of their replies: nothing of them streams, but a capture counts them.
    #[must_use]
    pub fn keeping_empty_texts(mut self) -> Self {
        self.keeps_empty_texts = true;
        self
    }

    /// Adds a prompt, which is taken when the agent is idle. A message without timestamp gets the time at which it is
    /// taken.
    pub fn prompt(&mut self, message: Message) {
        self.prompts.push_back(message);
        if matches!(self.state, State::Ended) {
            self.state = State::Idle;
        }
    }

    /// Puts other prompts in place of those that wait, and gives these.
    pub fn swap_prompts(&mut self, prompts: VecDeque<Message>) -> VecDeque<Message> {
        if matches!(self.state, State::Ended) {
            self.state = State::Idle;
        }
        std::mem::replace(&mut self.prompts, prompts)
    }

    /// The script, to take from it what the agent does not.
    pub fn source_mut(&mut self) -> &mut ScriptSource {
        &mut self.source
    }

    /// The script, to learn what is left of it.
    pub fn source(&self) -> &ScriptSource {
        &self.source
    }

    /// The failure that the last assistant message ended with, if it did.
    pub fn last_failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    fn wake(&mut self, clock: &mut Clock) {
        if self.source.next_handoff().is_some() {
            return self.happen(Occurrence::Handoff);
        }
        if let Some(at) = self.prompt_at.take() {
            wait_until(clock, at);
        }
        (self.interrupt_at, self.cancel_at) = (None, None);
        let Some(mut message) = self.prompts.pop_front() else {
            self.state = State::Ended;
            return;
        };
        if message.raw.get("timestamp").is_none() {
            message.raw.insert("timestamp", self.stamp(clock));
        }
        self.origin = Origin::default();
        self.announce(AgentEvent::AgentStart);
        self.announce(AgentEvent::TurnStart);
        self.announce(AgentEvent::Message(message));
        self.ask(clock);
    }

    /// Asks for a reply within a turn that has begun; without one the run ends.
    fn ask(&mut self, clock: &mut Clock) {
        match self.source.next_reply() {
            Some(reply) => self.start(reply, clock),
            None => self.end_run(),
        }
    }

    fn start(&mut self, reply: Arc<ScriptReply>, clock: &mut Clock) {
        let (now, timestamp) = (clock.now_ms(), self.stamp(clock));
        let at = |after: Option<u64>| after.map(|ms| now.saturating_add(ms));
        self.interrupt_at = at(reply.user_interrupt_after_ms).or(self.interrupt_at);
        self.cancel_at = at(reply.abort_handoff_after_ms).or(self.cancel_at);
        if !self.prompts.is_empty() {
            self.prompt_at = at(reply.new_prompt_after_ms).or(self.prompt_at);
        }
        self.failure = None;
        let number = self.source.given();
        self.origin = Origin { line: Some(reply.line), message: Some(number.saturating_sub(1)), ..Origin::default() };
        self.announce(AgentEvent::MessageStart { timestamp: Some(timestamp as f64) });
        let steps = Arc::clone(&reply).steps(number, self.origin.clone());
        let mut streaming = Streaming {
            reply,
            steps: Box::new(steps),
            ahead: None,
            ahead_at: now,
            timestamp,
            partial: Partial::default(),
            abort: None,
        };
        streaming.look_ahead(now);
        self.state = State::Streaming(Box::new(streaming));
    }

    fn stream(&mut self, clock: &mut Clock) {
        let State::Streaming(streaming) = &mut self.state else { return };
        if let Some(abort) = streaming.abort.take() {
            return self.cut(&abort, Outcome::Aborted, clock);
        }
        let ahead_at = streaming.ahead_at;
        let cancel_first = self.cancel_at <= self.interrupt_at || self.interrupt_at.is_none();
        if let Some(at) = self.cancel_at.take_if(|at| cancel_first && *at <= ahead_at) {
            wait_until(clock, at);
            return self.happen(Occurrence::HandoffCancelled);
        }
        if let Some(at) = self.interrupt_at.take_if(|at| *at <= ahead_at) {
            wait_until(clock, at);
            self.happen(Occurrence::UserInterrupt);
            let abort = Abort { is_early: self.is_early, ..Abort::default() };
            return self.cut(&abort, Outcome::Failed, clock);
        }
        wait_until(clock, ahead_at);
        match streaming.ahead.take() {
            Some((event, origin)) => {
                streaming.partial.add(&event);
                streaming.look_ahead(clock.now_ms());
                self.queue.push_back(Step { occurrence: Occurrence::Event(event), origin });
            }
            None => self.finish(clock),
        }
    }

    /// Ends the message that streams where it stands.
    fn cut(&mut self, abort: &Abort, outcome: Outcome, clock: &mut Clock) {
        let State::Streaming(streaming) = std::mem::replace(&mut self.state, State::AfterTurn(outcome)) else { return };
        let message = aborted_message(streaming.partial, abort, &self.model, streaming.timestamp);
        let calls = message.tool_calls();
        self.announce(AgentEvent::MessageEnd(message));
        self.give_placeholders(calls, abort, clock);
        self.announce(AgentEvent::TurnEnd);
    }

    /// Ends the message that streams as its reply says.
    fn finish(&mut self, clock: &mut Clock) {
        let State::Streaming(streaming) = std::mem::replace(&mut self.state, State::Idle) else { return };
        let Streaming { reply, partial, timestamp, .. } = *streaming;
        self.failure.clone_from(&reply.failure);
        let mut message =
            built_message(partial, reply.stop_reason.as_ref(), reply.failure.as_ref(), &self.model, timestamp);
        if self.keeps_empty_texts {
            message = with_empty_texts(message, &reply);
        }
        let (calls, is_cut_short) = (message.tool_calls(), message.is_cut_short());
        let outcome = match (is_cut_short, calls.is_empty()) {
            (true, _) => Outcome::Failed,
            (false, true) => Outcome::Stopped,
            (false, false) => Outcome::Calls,
        };
        self.announce(AgentEvent::MessageEnd(message));
        if is_cut_short {
            let abort = Abort { is_early: self.is_early, ..Abort::default() };
            self.give_placeholders(calls, &abort, clock);
        } else {
            for (index, call) in calls.into_iter().enumerate() {
                let timestamp = self.stamp(clock);
                let result = match (reply.result_of(index, &call.id), refusal(&call, self.writes_empty)) {
                    (Some(given), _) => {
                        Message::tool_result(call.id, call.name, given.text.clone(), given.is_error, timestamp)
                    }
                    (None, Some(why)) => refused(call, why, timestamp),
                    (None, None) => Message::tool_result(call.id, call.name, "ok", false, timestamp),
                };
                self.announce(AgentEvent::ToolResult(result));
            }
        }
        self.announce(AgentEvent::TurnEnd);
        self.state = State::AfterTurn(outcome);
    }

    /// An abort comes behind the message's end (engine.md E7.5a): no call runs to its end, and an empty aborted message
    /// follows.
    fn stop_calls(&mut self, abort: &Abort) {
        let queue = std::mem::take(&mut self.queue);
        let mut is_first = true;
        for mut step in queue {
            if let Occurrence::Event(AgentEvent::ToolResult(result)) = &step.occurrence {
                let string = |key: &str| result.string(key).unwrap_or_default();
                let timestamp = result.timestamp().unwrap_or_default() as u64;
                let result = stopped(string("toolCallId"), string("toolName"), is_first, abort, timestamp);
                is_first = false;
                step.occurrence = Occurrence::Event(AgentEvent::ToolResult(result));
            }
            self.queue.push_back(step);
        }
        self.stamped += 1;
        let timestamp = self.stamped;
        let message = aborted_message(Partial::default(), abort, &self.model, timestamp);
        self.announce(AgentEvent::TurnStart);
        self.happen(Occurrence::LateStart { timestamp: Some(timestamp as f64) });
        self.announce(AgentEvent::MessageEnd(message));
        self.announce(AgentEvent::TurnEnd);
        self.state = State::AfterTurn(Outcome::Aborted);
    }

    fn give_placeholders(&mut self, calls: Vec<ToolCall>, abort: &Abort, clock: &mut Clock) {
        for call in calls {
            let result = placeholder(call, abort, self.stamp(clock));
            self.announce(AgentEvent::ToolResult(result));
        }
    }

    fn end_turn(&mut self, outcome: Outcome, clock: &mut Clock) {
        match outcome {
            Outcome::Aborted => {
                self.announce(AgentEvent::AgentEnd);
                self.state = State::Waiting;
            }
            Outcome::Failed => self.end_run(),
            Outcome::Calls => match self.source.next_reply() {
                Some(reply) => {
                    self.announce(AgentEvent::TurnStart);
                    self.start(reply, clock);
                }
                None => self.would_stop(),
            },
            Outcome::Stopped => self.would_stop(),
        }
    }

    fn would_stop(&mut self) {
        self.happen(Occurrence::WouldStop);
        self.state = State::Stopping;
    }

    fn end_run(&mut self) {
        self.announce(AgentEvent::AgentEnd);
        self.state = State::Idle;
    }

    /// Nobody continued: the user aborts, a prompt comes first, or nothing is scheduled any more.
    fn stop_waiting(&mut self, clock: &mut Clock) {
        self.state = State::Idle;
        let prompt_at = self.prompt_at.unwrap_or(u64::MAX);
        if let Some(at) = self.interrupt_at.take_if(|at| *at <= prompt_at) {
            wait_until(clock, at);
            self.happen(Occurrence::UserInterrupt);
        }
    }

    /// A time stamp of its own for a message, since a retry finds its target by that.
    fn stamp(&mut self, clock: &Clock) -> u64 {
        self.stamped = clock.now_ms().max(self.stamped + 1);
        self.stamped
    }

    fn announce(&mut self, event: AgentEvent) {
        self.happen(Occurrence::Event(event));
    }

    fn happen(&mut self, occurrence: Occurrence) {
        self.queue.push_back(Step { occurrence, origin: self.origin.clone() });
    }
}

impl Agent for ScriptedAgent {
    fn due(&self) -> Due {
        if !self.queue.is_empty() {
            return Due::At(0);
        }
        let at = |times: [Option<u64>; 3]| times.into_iter().flatten().min().map_or(Due::Idle, Due::At);
        match &self.state {
            State::Streaming(streaming) if streaming.abort.is_some() => Due::At(0),
            State::Streaming(streaming) => at([Some(streaming.ahead_at), self.interrupt_at, self.cancel_at]),
            State::AfterTurn(_) | State::Stopping | State::Continuing => Due::At(0),
            State::Waiting => at([self.interrupt_at, self.prompt_at, None]),
            State::Idle => at([self.prompt_at, None, None]),
            State::Ended => Due::Done,
        }
    }

    fn next_step(&mut self, clock: &mut Clock) -> Option<Step> {
        loop {
            if let Some(step) = self.queue.pop_front() {
                return Some(step);
            }
            match &self.state {
                State::Ended => return None,
                State::Idle => self.wake(clock),
                State::Waiting => self.stop_waiting(clock),
                State::Streaming(_) => self.stream(clock),
                State::AfterTurn(outcome) => {
                    let outcome = *outcome;
                    self.end_turn(outcome, clock);
                }
                State::Stopping if self.follow_ups.is_empty() => self.end_run(),
                State::Stopping => {
                    self.announce(AgentEvent::TurnStart);
                    self.state = State::Continuing;
                }
                State::Continuing => {
                    for message in std::mem::take(&mut self.follow_ups) {
                        self.happen(Occurrence::Delivered(message));
                    }
                    self.ask(clock);
                }
            }
        }
    }

    fn abort(&mut self, abort: Abort) {
        match &mut self.state {
            State::Streaming(streaming) => {
                streaming.abort.get_or_insert(abort);
            }
            State::AfterTurn(Outcome::Calls) => self.stop_calls(&abort),
            _ => {}
        }
    }

    fn continue_run(&mut self) -> bool {
        if !self.queue.is_empty() || !matches!(self.state, State::Waiting | State::Idle | State::Ended) {
            return false;
        }
        self.failed_to_continue = self.source.next_failure_to_continue();
        if self.failed_to_continue.is_some() {
            return false;
        }
        self.announce(AgentEvent::AgentStart);
        self.announce(AgentEvent::TurnStart);
        self.state = State::Continuing;
        true
    }

    fn take_failure_to_continue(&mut self) -> Option<JsString> {
        self.failed_to_continue.take()
    }

    fn follow_up(&mut self, message: Message) {
        self.follow_ups.push(message);
    }

    fn is_over(&self) -> bool {
        self.queue.is_empty() && self.prompts.is_empty() && matches!(self.state, State::Idle | State::Ended)
    }

    fn whole_message(&self) -> Vec<(Origin, AgentEvent)> {
        let State::Streaming(streaming) = &self.state else { return Vec::new() };
        let steps = Arc::clone(&streaming.reply).steps(self.source.given(), self.origin.clone());
        steps.map(|(event, origin, _)| (origin, event)).collect()
    }
}

impl Streaming {
    /// Takes the next step off the reply; it happens after its pause.
    fn look_ahead(&mut self, now: u64) {
        let next = self.steps.next();
        self.ahead_at = now.saturating_add(next.as_ref().map_or(0, |(_, _, pause_ms)| *pause_ms));
        self.ahead = next.map(|(event, origin, _)| (event, origin));
    }
}

fn wait_until(clock: &mut Clock, at: u64) {
    clock.advance(at.saturating_sub(clock.now_ms()));
}
