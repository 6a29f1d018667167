//! [`RecordedAgent`]: a recording as the agent that it was (cli.md section 2, "Deltas after a match"; session.md S9.6).

use std::collections::{BTreeMap, VecDeque};

use crate::agent::{Abort, Agent, Due, Occurrence, Partial, Step as Happening, cut_call, placeholder, stopped};
use crate::agent::{ScriptSource, WholeReply};
use crate::clock::Clock;
use crate::history::{LateHalf, Record, Step, Turn, without_reminders};
use crate::json_object;
use crate::message::{AgentEvent, Message, Model, PLAIN_ABORT};
use crate::session::SessionError;
use crate::stream::{Delta, Origin, Player};
use crate::text::JsString;
use crate::text::json::{Object, Value};

/// Where recorded steps come from.
pub(super) trait StepSource {
    /// The next step; none at the end.
    ///
    /// # Errors
    /// When the file cannot be read again.
    fn next_step(&mut self) -> Result<Option<Step>, SessionError>;
}

/// How the recorded agent acts where its generation decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conduct {
    /// Whether a user's abort cancels a retry (engine.md E11 G34).
    pub(super) user_abort_cancels: bool,
    /// Whether the end of the recording shows that a retry never came: a session's last message is its last.
    pub(super) end_is_known: bool,
}

/// A recorded message that was played.
pub(super) struct Finished {
    /// The message and what belongs to it.
    pub(super) turn: Box<Turn>,
    /// Whether a match left the recording here, or it was no part of it.
    pub(super) left_recording: bool,
    /// Whether it is a scripted reply in place of a recorded one.
    pub(super) is_scripted: bool,
}

/// How many steps are looked ahead for a reminder that a queued message of the user held up.
const LOOK_AHEAD: usize = 64;

/// Plays recorded steps. An abort leaves the recording at the match, unless the recording was interrupted itself: then
/// its message is played to its end.
pub(super) struct RecordedAgent<S> {
    source: S,
    conduct: Conduct,
    /// Steps that were looked at before their time.
    ahead: VecDeque<Step>,
    queue: VecDeque<Happening>,
    state: State,
    /// The message that is played.
    turn: Option<Box<Turn>>,
    /// What of it was played, and how many events that are.
    player: Player,
    played: usize,
    abort: Option<Abort>,
    left_recording: bool,
    /// A message that was played and not yet told of.
    finished: Option<Finished>,
    told: Option<Finished>,
    follow_ups: usize,
    /// Whether no run is under way.
    idle: bool,
    in_turn: bool,
    /// Whether a run was continued that has no answer yet.
    unanswered: bool,
    failure: Option<SessionError>,
    retries: Retries,
}

/// What a script answers to retries, in place of the recording.
#[derive(Default)]
struct Retries {
    script: Option<ScriptSource>,
    writes_empty: bool,
    /// Whether the run waits because rules cut its message short.
    expected: bool,
    /// How many of the next steps are scripted.
    ahead: usize,
    /// Whether the message that is played is.
    playing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Between two steps of the recording.
    Between,
    Streaming,
    /// The message ended; its results follow.
    Results,
    AfterTurn,
    /// The run would end, unless a follow-up came.
    Stopping,
    /// The run ended: a retry or a follow-up may continue it.
    Waiting,
    Ended,
}

impl<S: StepSource> RecordedAgent<S> {
    pub(super) fn new(source: S, conduct: Conduct) -> Self {
        Self {
            source,
            conduct,
            ahead: VecDeque::new(),
            queue: VecDeque::new(),
            state: State::Between,
            turn: None,
            player: Player::default(),
            played: 0,
            abort: None,
            left_recording: false,
            finished: None,
            told: None,
            follow_ups: 0,
            idle: true,
            in_turn: false,
            unanswered: false,
            failure: None,
            retries: Retries::default(),
        }
    }

    /// A script answers retries, as long as it has replies (cli.md, `--on-trigger`).
    pub(super) fn answering(mut self, script: Option<ScriptSource>, writes_empty: bool) -> Self {
        self.retries = Retries { script, writes_empty, ..Retries::default() };
        self
    }

    /// The script that answers retries.
    pub(super) fn script(&self) -> Option<&ScriptSource> {
        self.retries.script.as_ref()
    }

    /// The message of which [`Occurrence::TurnOver`] told.
    pub(super) fn take_finished(&mut self) -> Option<Finished> {
        self.told.take()
    }

    /// Puts a step back that was looked at.
    pub(super) fn put_back(&mut self, step: Option<Step>) {
        self.ahead.extend(step);
    }

    /// Where the steps come from.
    pub(super) fn source(&mut self) -> &mut S {
        &mut self.source
    }

    /// Why the recording could not be read to its end.
    pub(super) fn take_failure(&mut self) -> Option<SessionError> {
        self.failure.take()
    }

    /// The step that comes `at` steps later.
    fn peek(&mut self, at: usize) -> Option<&Step> {
        while self.ahead.len() <= at {
            match self.source.next_step() {
                Ok(Some(step)) => self.ahead.push_back(step),
                Ok(None) => break,
                Err(error) => {
                    self.failure.get_or_insert(error);
                    break;
                }
            }
        }
        self.ahead.get(at)
    }

    fn next_recorded(&mut self) -> Option<Step> {
        self.peek(0);
        self.ahead.pop_front()
    }

    fn happen(&mut self, occurrence: Occurrence, origin: Origin) {
        self.queue.push_back(Happening { occurrence, origin });
    }

    fn announce(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::AgentStart => self.idle = false,
            AgentEvent::AgentEnd => self.idle = true,
            AgentEvent::TurnStart => self.in_turn = true,
            AgentEvent::TurnEnd => self.in_turn = false,
            _ => {}
        }
        self.happen(Occurrence::Event(event), Origin::default());
    }

    /// Begins a turn, unless one is open.
    fn open_turn(&mut self) {
        self.wake();
        if !self.in_turn {
            self.announce(AgentEvent::TurnStart);
        }
    }

    fn wake(&mut self) {
        if self.idle {
            self.announce(AgentEvent::AgentStart);
        }
    }

    /// Ends a run that was continued and got no answer.
    fn end_unanswered(&mut self) {
        if std::mem::take(&mut self.unanswered) {
            self.announce(AgentEvent::AgentEnd);
            self.in_turn = false;
        }
    }

    fn between(&mut self) {
        if let Some(finished) = self.finished.take() {
            self.told = Some(finished);
            return self.happen(Occurrence::TurnOver, Origin::default());
        }
        match self.next_recorded() {
            None => {
                self.end_unanswered();
                self.state = State::Ended;
            }
            Some(Step::Header(_)) => {}
            Some(Step::Message(origin, message)) => {
                if message.role() == "user" {
                    self.end_unanswered();
                    self.open_turn();
                }
                self.happen(Occurrence::Event(AgentEvent::Message(message)), origin);
            }
            Some(Step::Entry(entry)) => self.happen(Occurrence::Entry(entry), Origin::default()),
            Some(Step::ProcessEnd) => {
                self.end_unanswered();
                (self.idle, self.in_turn) = (true, false);
                self.happen(Occurrence::ProcessEnd, Origin::default());
            }
            Some(Step::Turn(turn)) => {
                self.unanswered = false;
                // What was handed over when the run was continued is answered by this message.
                self.follow_ups = 0;
                if turn.starts_turn {
                    self.open_turn();
                }
                self.wake();
                let start = AgentEvent::MessageStart { timestamp: turn.timestamp };
                self.happen(Occurrence::Event(start), turn.origin.clone());
                (self.player, self.played) = (turn.events.player(), 0);
                (self.turn, self.abort, self.left_recording) = (Some(turn), None, false);
                self.retries.playing = self.retries.ahead > 0;
                self.retries.ahead -= usize::from(self.retries.playing);
                self.follow_ups = 0;
                self.state = State::Streaming;
            }
        }
    }

    fn stream(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        if let Some(abort) = self.abort.as_ref().filter(|_| !turn.was_cut_short()) {
            let message = cut_message(turn, self.played, abort);
            return self.leave(message);
        }
        if let Some(piece) = self.player.next(&turn.events) {
            self.played += 1;
            let (event, origin) = piece.into_event();
            return self.happen(Occurrence::Event(event), origin);
        }
        match (&turn.end, &self.abort) {
            (Some((origin, message)), _) => {
                let (origin, message) = (origin.clone(), message.clone());
                self.state = State::Results;
                self.happen(Occurrence::Event(AgentEvent::MessageEnd(message)), at_end(&origin));
            }
            (None, Some(abort)) => {
                let message = cut_message(turn, self.played, abort);
                self.leave(message);
            }
            // The recording ends inside the message: nothing more is known of it.
            (None, None) => self.over(State::Between),
        }
    }

    /// Leaves the recording: the message ends here, and what the recording has of it behind is dropped.
    fn leave(&mut self, message: Message) {
        let (Some(turn), Some(abort)) = (&mut self.turn, &self.abort) else { return };
        self.left_recording = true;
        let origin = turn.end.as_ref().map(|(origin, _)| at_end(origin)).unwrap_or_default();
        let timestamp = turn.timestamp.unwrap_or_default() as u64;
        let results: Vec<Message> =
            message.tool_calls().into_iter().map(|call| placeholder(call, abort, timestamp)).collect();
        let entries: Vec<Object> =
            std::mem::take(&mut turn.entries).into_iter().map(|(_, entry)| entry).filter(stands_by_itself).collect();
        self.happen(Occurrence::Event(AgentEvent::MessageEnd(message)), origin);
        for result in results {
            self.happen(Occurrence::Event(AgentEvent::ToolResult(result)), Origin::default());
        }
        for entry in entries {
            self.happen(Occurrence::Entry(entry), Origin::default());
        }
        self.end_turns(1);
        self.state = State::AfterTurn;
    }

    fn end_turns(&mut self, count: usize) {
        for _ in 0..count {
            self.announce(AgentEvent::TurnEnd);
        }
    }

    /// The message ended as recorded: its results, and the second half of a late abort.
    fn results(&mut self) {
        let Some(mut turn) = self.turn.take() else { return };
        if self.abort.is_none() && turn.late.is_some() && !turn.interrupted {
            // Nothing matched in it: the empty message behind is an interrupt of its own (session.md S9.4d).
            let late = split_late_half(&mut turn);
            self.ahead.push_front(Step::Turn(Box::new(late)));
        }
        let late = turn.late.take();
        turn.interrupted |= late.is_some();
        if let (Some(abort), None, false) = (&self.abort, &late, turn.was_cut_short()) {
            let abort = abort.clone();
            self.turn = Some(turn);
            return self.leave_behind_the_end(&abort);
        }
        let mut entries = std::mem::take(&mut turn.entries).into_iter().peekable();
        for (at, (origin, recorded)) in turn.results.iter().enumerate() {
            while let Some((_, entry)) = entries.next_if(|(before, _)| *before <= at) {
                self.happen(Occurrence::Entry(entry), Origin::default());
            }
            let result = AgentEvent::ToolResult(without_reminders(recorded));
            self.happen(Occurrence::Event(result), at_end(origin));
        }
        for (_, entry) in entries {
            self.happen(Occurrence::Entry(entry), Origin::default());
        }
        self.end_turns(turn.turn_ends);
        if let Some(late) = &late {
            if late.starts_turn {
                self.announce(AgentEvent::TurnStart);
            }
            self.happen(Occurrence::LateStart { timestamp: late.timestamp }, late.origin.clone());
            let (origin, message) = late.end.clone();
            self.happen(Occurrence::Event(AgentEvent::MessageEnd(message)), origin);
            self.end_turns(late.turn_ends);
        }
        turn.late = late;
        self.turn = Some(turn);
        self.state = State::AfterTurn;
    }

    /// A structural match came behind the message's end, which the recording does not know of: no call runs, and an
    /// empty aborted message follows (engine.md E7.5a).
    fn leave_behind_the_end(&mut self, abort: &Abort) {
        let Some(turn) = &mut self.turn else { return };
        self.left_recording = true;
        let Some((_, message)) = &turn.end else { return };
        let timestamp = turn.timestamp.unwrap_or_default();
        let calls = message.tool_calls().into_iter().enumerate();
        let results: Vec<Message> =
            calls.map(|(at, call)| stopped(call.id, call.name, at == 0, abort, timestamp as u64)).collect();
        let empty = crate::agent::aborted_message(Partial::default(), abort, &Model::of(message), timestamp as u64 + 1);
        let entries: Vec<Object> =
            std::mem::take(&mut turn.entries).into_iter().map(|(_, entry)| entry).filter(stands_by_itself).collect();
        for result in results {
            self.happen(Occurrence::Event(AgentEvent::ToolResult(result)), Origin::default());
        }
        for entry in entries {
            self.happen(Occurrence::Entry(entry), Origin::default());
        }
        self.end_turns(1);
        self.announce(AgentEvent::TurnStart);
        self.happen(Occurrence::LateStart { timestamp: Some(timestamp + 1.0) }, Origin::default());
        self.happen(Occurrence::Event(AgentEvent::MessageEnd(empty)), Origin::default());
        self.end_turns(1);
        self.state = State::AfterTurn;
    }

    fn after_turn(&mut self) {
        let Some(turn) = &self.turn else { return };
        if !self.left_recording {
            let warnings: Vec<(JsString, Vec<JsString>, Origin)> = turn
                .warnings()
                .map(|warning| (warning.content.clone(), warning.rules.clone(), warning.origin.clone()))
                .collect();
            for (content, rules, origin) in warnings {
                self.happen(Occurrence::Warned { rules, content }, origin);
            }
        }
        let Some(turn) = &self.turn else { return };
        let turn_is_interrupted = turn.interrupted || turn.late.is_some();
        let cut_short = self.left_recording || turn.late.is_some() || turn.ending().is_cut_short();
        if cut_short {
            let cancelled = !self.left_recording && self.retry_was_cancelled();
            self.retries.expected = self.left_recording || turn_is_interrupted;
            self.announce(AgentEvent::AgentEnd);
            if cancelled {
                self.happen(Occurrence::UserInterrupt, Origin::default());
            }
            return self.over(State::Waiting);
        }
        let has_calls = turn.end.as_ref().is_some_and(|(_, message)| !message.tool_calls().is_empty());
        // A follow-up is delivered only where the run would end.
        if has_calls && !turn.run_ended && turn.reminders().next().is_none() {
            if self.retries.playing {
                // The model is asked again with the results.
                self.retry();
            }
            return self.over(State::Between);
        }
        self.state = State::Stopping;
        self.happen(Occurrence::WouldStop, Origin::default());
    }

    /// Whether the recording shows that the retry of an interrupted message never ran: no reminder was written and the
    /// agent did not go on, a prompt follows at once or, in a session, nothing (session.md S10.2 A11).
    fn retry_was_cancelled(&mut self) -> bool {
        let Some(turn) = &self.turn else { return false };
        let reminded = turn.records.iter().any(|record| !matches!(record, Record::Result(_)));
        if !self.conduct.user_abort_cancels || !turn.interrupted || turn.resumed || reminded {
            return false;
        }
        let run_ended = turn.run_ended;
        let mut at = 0;
        while matches!(self.peek(at), Some(Step::Entry(_))) && at < LOOK_AHEAD {
            at += 1;
        }
        let end_is_known = self.conduct.end_is_known;
        match self.peek(at) {
            Some(Step::Message(_, message)) => message.role() == "user",
            None | Some(Step::ProcessEnd | Step::Entry(_)) => end_is_known || run_ended,
            Some(Step::Turn(_) | Step::Header(_)) => false,
        }
    }

    /// The run would stop: it goes on when follow-ups were handed over or a queued message comes first.
    fn stopping(&mut self) {
        if std::mem::take(&mut self.follow_ups) > 0 {
            return self.over(State::Between);
        }
        self.retries.expected = false;
        self.announce(AgentEvent::AgentEnd);
        self.over(State::Waiting);
    }

    /// Puts the next scripted reply before what the recording has, and says whether there is one.
    fn retry(&mut self) -> bool {
        let model =
            self.turn.as_ref().or(self.finished.as_ref().map(|one| &one.turn)).and_then(|turn| turn.end.as_ref());
        let (model, timestamp) = match model {
            Some((_, message)) => (Model::of(message), message.timestamp().unwrap_or_default() as u64),
            None => (Model::scripted(), 0),
        };
        let Retries { script, writes_empty, .. } = &mut self.retries;
        let reply = script.as_mut().and_then(|script| script.next_whole(&model, timestamp + 1, *writes_empty));
        let Some(reply) = reply else { return false };
        self.ahead.push_front(Step::Turn(Box::new(scripted_turn(reply))));
        self.retries.ahead += 1;
        true
    }

    /// Drops the retry that the recording has: the script answered.
    fn drop_recorded_retry(&mut self) {
        for at in 0..LOOK_AHEAD {
            match self.peek(at) {
                Some(Step::Turn(_)) => {
                    self.ahead.remove(at);
                    return;
                }
                Some(Step::Message(_, message)) if message.role() == "user" => return,
                Some(Step::ProcessEnd) | None => return,
                Some(_) => {}
            }
        }
    }

    /// The message is over; it is told of before the next step.
    fn over(&mut self, state: State) {
        if let Some(turn) = self.turn.take() {
            let is_scripted = self.retries.playing;
            let left_recording = self.left_recording || is_scripted;
            self.finished = Some(Finished { turn, left_recording, is_scripted });
        }
        self.abort = None;
        self.state = state;
    }
}

impl<S: StepSource> Agent for RecordedAgent<S> {
    fn due(&self) -> Due {
        match self.state {
            _ if !self.queue.is_empty() => Due::At(0),
            State::Waiting => Due::Idle,
            State::Ended => Due::Done,
            _ => Due::At(0),
        }
    }

    fn next_step(&mut self, _clock: &mut Clock) -> Option<Happening> {
        loop {
            if let Some(step) = self.queue.pop_front() {
                return Some(step);
            }
            match self.state {
                State::Ended => return None,
                // Nobody continued.
                State::Waiting => self.state = State::Between,
                State::Between => self.between(),
                State::Streaming => self.stream(),
                State::Results => self.results(),
                State::AfterTurn => self.after_turn(),
                State::Stopping => self.stopping(),
            }
        }
    }

    fn next_delta(&mut self) -> Option<Delta<'_>> {
        let turn = self.turn.as_ref().filter(|_| self.state == State::Streaming && self.queue.is_empty())?;
        if self.abort.is_some() {
            return None;
        }
        let delta = self.player.next_delta(&turn.events)?;
        self.played += 1;
        Some(delta)
    }

    fn abort(&mut self, abort: Abort) {
        if matches!(self.state, State::Streaming | State::Results) {
            self.abort.get_or_insert(abort);
        }
    }

    fn continue_run(&mut self) -> bool {
        if self.state != State::Waiting {
            return self.state == State::Ended;
        }
        if std::mem::take(&mut self.retries.expected) {
            let in_place_of_recorded = !self.left_recording && !self.retries.playing;
            if in_place_of_recorded && self.retries.script.as_ref().is_some_and(ScriptSource::has_reply) {
                self.drop_recorded_retry();
            }
            self.retry();
        }
        self.state = State::Between;
        self.unanswered = true;
        self.announce(AgentEvent::AgentStart);
        self.announce(AgentEvent::TurnStart);
        true
    }

    fn follow_up(&mut self, _message: Message) {
        self.follow_ups += 1;
    }

    fn takes_follow_ups(&mut self, rules: &[JsString]) -> bool {
        let shows = |turn: &Turn| turn.reminders().any(|one| one.rules.iter().any(|rule| rules.contains(rule)));
        if self.turn.as_ref().is_none_or(|turn| shows(turn)) {
            return true;
        }
        let mut prompted = false;
        for at in 0..LOOK_AHEAD {
            match self.peek(at) {
                Some(Step::Message(_, message)) if message.role() == "user" => prompted = true,
                Some(Step::Turn(turn)) if !prompted || turn.interrupted => return true,
                Some(Step::Turn(turn)) if shows(turn) => {
                    // What keeps the run going is the user's message.
                    self.follow_ups += 1;
                    return false;
                }
                Some(Step::ProcessEnd) | None => return true,
                Some(_) => {}
            }
        }
        true
    }

    fn whole_message(&self) -> Vec<(Origin, AgentEvent)> {
        self.turn.as_ref().map(|turn| turn.events.iter().collect()).unwrap_or_default()
    }
}

/// A scripted reply as a message of the recording. It has no place in the input.
fn scripted_turn(reply: WholeReply) -> Turn {
    let WholeReply { events, message, results } = reply;
    let place = Origin::default;
    Turn {
        timestamp: message.timestamp(),
        events: events.into_iter().map(|event| (place(), event)).collect(),
        end: Some((place(), message)),
        results: results.into_iter().map(|result| (place(), result)).collect(),
        turn_ends: 1,
        resumed: true,
        ..Turn::default()
    }
}

fn at_end(origin: &Origin) -> Origin {
    Origin { block: None, delta: None, ..origin.clone() }
}

/// Whether an entry belongs to the session and not to the attempt that was interrupted (session.md S9.4d).
fn stands_by_itself(entry: &Object) -> bool {
    entry.get("customType").and_then(Value::as_string).is_none_or(|kind| *kind != "tool_execution_start")
}

/// Takes the second half off a message that was not interrupted.
fn split_late_half(turn: &mut Turn) -> Turn {
    let Some(late) = turn.late.take() else { return Turn::default() };
    turn.interrupted = turn.ending().is_aborted();
    let LateHalf { origin, timestamp, starts_turn, end, turn_ends, records_before } = *late;
    let records = turn.records.split_off(records_before.min(turn.records.len()));
    let resumed = std::mem::replace(&mut turn.resumed, true);
    let end = Some(end);
    Turn { origin, timestamp, starts_turn, end, turn_ends, interrupted: true, resumed, records, ..Turn::default() }
}

/// The message as it stood at the match: what had streamed, without calls that were not complete (session.md S9.2).
fn cut_message(turn: &Turn, played: usize, abort: &Abort) -> Message {
    let recorded = turn.end.as_ref().map(|(_, message)| message.raw.clone()).unwrap_or_default();
    let recorded_block = |index: usize| {
        let content = recorded.get("content").and_then(Value::as_array);
        content.and_then(|blocks| blocks.get(index)).cloned()
    };
    let mut blocks: BTreeMap<usize, (&str, JsString)> = BTreeMap::new();
    let mut calls: BTreeMap<usize, Value> = BTreeMap::new();
    // Calls that have not ended: id and name, and the arguments so far.
    let mut open: BTreeMap<usize, ((JsString, JsString), JsString)> = BTreeMap::new();
    for (_, event) in turn.events.iter().take(played) {
        match &event {
            AgentEvent::StreamRestart => {
                blocks.clear();
                calls.clear();
                open.clear();
            }
            AgentEvent::TextDelta { index, delta } => {
                blocks.entry(*index).or_insert(("text", JsString::new())).1.push_units(delta.units());
            }
            AgentEvent::ThinkingDelta { index, delta } => {
                blocks.entry(*index).or_insert(("thinking", JsString::new())).1.push_units(delta.units());
            }
            AgentEvent::ToolCallStart { index, id, name } => {
                let recorded = recorded_block(*index);
                let string = |key: &str| recorded.as_ref()?.get(key)?.as_string().cloned();
                let begun = id.clone().or_else(|| string("id")).zip(name.clone().or_else(|| string("name")));
                open.extend(begun.map(|begun| (*index, (begun, JsString::new()))));
            }
            AgentEvent::ToolCallDelta { index, delta } => {
                if let Some((_, raw)) = open.get_mut(index) {
                    raw.push_units(delta.units());
                }
            }
            AgentEvent::ToolCallEnd { index, .. } => {
                open.remove(index);
                calls.extend(recorded_block(*index).map(|block| (*index, block)));
            }
            _ => {}
        }
    }
    let mut content: BTreeMap<usize, Value> = calls;
    if abort.is_early {
        content.extend(open.into_iter().map(|(index, ((id, name), raw))| (index, cut_call(id, name, raw))));
    }
    for (index, (kind, text)) in blocks {
        content.insert(index, Value::Object(json_object! {"type": kind, kind: text}));
    }
    let mut raw = recorded;
    raw.insert("role", "assistant");
    raw.insert("content", content.into_values().collect::<Vec<_>>());
    raw.insert("stopReason", "aborted");
    raw.insert("errorMessage", abort.reason.clone().unwrap_or_else(|| PLAIN_ABORT.into()));
    Message::new(raw)
}
