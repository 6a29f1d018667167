//! [`ScriptedAgent`]: the agent loop in virtual time (session.md S8.5).

use std::collections::VecDeque;
use std::sync::Arc;

use crate::clock::Clock;
use crate::message::{AgentEvent, Message, Model, ToolCall};
use crate::stream::Origin;

use super::finished::{aborted_message, built_message, placeholder};
use super::partial::Partial;
use super::{Abort, Failure, ScriptReply, ScriptSource};

/// One thing that happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What happens.
    pub occurrence: Occurrence,
    /// Where it comes from; the line is one of the script.
    pub origin: Origin,
}

/// What can happen in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Occurrence {
    /// The agent announces something.
    Event(AgentEvent),
    /// The run would end here. A message that is handed to [`ScriptedAgent::follow_up`] now keeps it going.
    WouldStop,
    /// A follow-up joins the agent's memory, in a turn of its own (session.md S8.5f).
    Delivered(Message),
    /// The user aborts, in a stream or in the window before a retry (engine.md E7.4).
    UserInterrupt,
    /// The handoff that the reply belongs to is cancelled.
    HandoffCancelled,
}

/// When the agent acts next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// At this time, in milliseconds since the epoch; at once when that is past.
    At(u64),
    /// When nothing else is scheduled any more: it waits for a retry, or would take the next prompt.
    Idle,
    /// Never, unless it is told to continue or prompted.
    Done,
}

/// Plays prompts and scripted replies, and obeys.
///
/// The host asks [`ScriptedAgent::due`], carries out what is scheduled before, and takes
/// [`ScriptedAgent::next_step`]. At the same time the agent acts before what is scheduled. Messages have the fields of
/// session.md S2.3. An abort stops the reply at the delta that was given last: the message keeps what has streamed,
/// without calls that are incomplete, and complete ones get a placeholder result (session.md S5.6, S9.2).
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
    steps: Box<dyn Iterator<Item = (AgentEvent, Origin)>>,
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
        }
    }

    /// Adds a prompt, which is taken when the agent is idle. A message without timestamp gets the time at which it is
    /// taken.
    pub fn prompt(&mut self, message: Message) {
        self.prompts.push_back(message);
        if matches!(self.state, State::Ended) {
            self.state = State::Idle;
        }
    }

    /// The script, to learn what is left of it.
    pub fn source(&self) -> &ScriptSource {
        &self.source
    }

    /// The failure that the last assistant message ended with, if it did.
    pub fn last_failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// All steps of the reply that streams, those to come included: what the model would say without an abort.
    pub fn whole_reply(&self) -> Vec<(Origin, AgentEvent)> {
        let State::Streaming(streaming) = &self.state else { return Vec::new() };
        let steps = Arc::clone(&streaming.reply).steps(self.source.given(), self.origin.clone());
        steps.map(|(event, origin)| (origin, event)).collect()
    }

    /// When the agent acts next.
    pub fn due(&self) -> Due {
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

    /// Lets the next thing happen, moving `clock` to its time; none when nothing is left.
    ///
    /// A waiting agent that is asked although nobody told it to continue gives the retry up and goes on with the next
    /// prompt.
    pub fn next_step(&mut self, clock: &mut Clock) -> Option<Step> {
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

    /// Aborts the message that streams. The first order's reason is kept; without a streaming message nothing
    /// happens.
    pub fn abort(&mut self, abort: Abort) {
        if let State::Streaming(streaming) = &mut self.state {
            streaming.abort.get_or_insert(abort);
        }
    }

    /// Continues without a prompt, for a retry or for follow-ups. Gives whether it did: an agent that is running
    /// refuses.
    pub fn continue_run(&mut self) -> bool {
        if !self.queue.is_empty() || !matches!(self.state, State::Waiting | State::Idle | State::Ended) {
            return false;
        }
        self.announce(AgentEvent::AgentStart);
        self.announce(AgentEvent::TurnStart);
        self.state = State::Continuing;
        true
    }

    /// Hands over a message that is to be delivered: at [`Occurrence::WouldStop`], or after
    /// [`ScriptedAgent::continue_run`].
    pub fn follow_up(&mut self, message: Message) {
        self.follow_ups.push(message);
    }

    fn wake(&mut self, clock: &mut Clock) {
        if let Some(at) = self.prompt_at.take() {
            wait_until(clock, at);
        }
        (self.interrupt_at, self.cancel_at) = (None, None);
        let Some(mut message) = self.prompts.pop_front() else {
            self.state = State::Ended;
            return;
        };
        if message.raw.get("timestamp").is_none() {
            clock.advance(1);
            message.raw.insert("timestamp", clock.now_ms());
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
        // Each message has a time of its own, since a retry finds its target by that.
        clock.advance(1);
        let now = clock.now_ms();
        let at = |after: Option<u64>| after.map(|ms| now.saturating_add(ms));
        self.interrupt_at = at(reply.user_interrupt_after_ms).or(self.interrupt_at);
        self.cancel_at = at(reply.abort_handoff_after_ms).or(self.cancel_at);
        if !self.prompts.is_empty() {
            self.prompt_at = at(reply.new_prompt_after_ms).or(self.prompt_at);
        }
        self.failure = None;
        let number = self.source.given();
        self.origin = Origin { line: Some(reply.line), message: Some(number.saturating_sub(1)), ..Origin::default() };
        self.announce(AgentEvent::MessageStart { timestamp: Some(now as f64) });
        let steps = Arc::clone(&reply).steps(number, self.origin.clone());
        let mut streaming = Streaming {
            reply,
            steps: Box::new(steps),
            ahead: None,
            ahead_at: now,
            timestamp: now,
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
            return self.cut(&Abort::default(), Outcome::Failed, clock);
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
        let message =
            built_message(partial, reply.stop_reason.as_ref(), reply.failure.as_ref(), &self.model, timestamp);
        let (calls, is_cut_short) = (message.tool_calls(), message.is_cut_short());
        let outcome = match (is_cut_short, calls.is_empty()) {
            (true, _) => Outcome::Failed,
            (false, true) => Outcome::Stopped,
            (false, false) => Outcome::Calls,
        };
        self.announce(AgentEvent::MessageEnd(message));
        if is_cut_short {
            self.give_placeholders(calls, &Abort::default(), clock);
        } else {
            for (index, call) in calls.into_iter().enumerate() {
                let (text, is_error) = reply.result_of(index, &call.id);
                clock.advance(1);
                let result = Message::tool_result(call.id, call.name, text, is_error, clock.now_ms());
                self.announce(AgentEvent::ToolResult(result));
            }
        }
        self.announce(AgentEvent::TurnEnd);
        self.state = State::AfterTurn(outcome);
    }

    fn give_placeholders(&mut self, calls: Vec<ToolCall>, abort: &Abort, clock: &mut Clock) {
        for call in calls {
            let result = placeholder(call, abort, clock);
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

    fn announce(&mut self, event: AgentEvent) {
        self.happen(Occurrence::Event(event));
    }

    fn happen(&mut self, occurrence: Occurrence) {
        self.queue.push_back(Step { occurrence, origin: self.origin.clone() });
    }
}

impl Streaming {
    /// Takes the next step off the reply; a delta happens after the reply's delay.
    fn look_ahead(&mut self, now: u64) {
        self.ahead = self.steps.next();
        let is_delta = matches!(
            self.ahead,
            Some((
                AgentEvent::TextDelta { .. } | AgentEvent::ThinkingDelta { .. } | AgentEvent::ToolCallDelta { .. },
                _
            ))
        );
        self.ahead_at = now.saturating_add(if is_delta { self.reply.delay_ms } else { 0 });
    }
}

fn wait_until(clock: &mut Clock, at: u64) {
    clock.advance(at.saturating_sub(clock.now_ms()));
}
