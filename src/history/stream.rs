//! An event stream as what happened (session.md S8.5 to S8.7, S9.4d).

use std::collections::VecDeque;

use crate::message::{AgentEvent, Ending, Message};
use crate::stream::{Delta, Item, Origin, StreamItem};

use super::turn::{Announced, LateHalf, Record, Step, Turn, is_empty_abort, reminder_of};

/// Gathers the items of an event stream into steps.
#[derive(Debug)]
pub struct StreamHistory {
    /// Whether an abort by rules names them. Where it does not, one that announced rules was theirs.
    names_rules: bool,
    /// The message that streams, or the last one while its results and turn end may still come.
    open: Option<Box<Turn>>,
    /// The message before, which a late abort may still turn into an interrupted one.
    held: Option<Box<Turn>>,
    turn_started: bool,
    /// How often the agent started since the open message began.
    starts: usize,
    done: VecDeque<Step>,
}

impl StreamHistory {
    /// Nothing happened yet. `names_rules` says whether the generation's aborts name their rules (engine.md E11 G27).
    pub fn new(names_rules: bool) -> Self {
        Self { names_rules, open: None, held: None, turn_started: false, starts: 0, done: VecDeque::new() }
    }

    /// Takes the next item. Finished steps come out of [`StreamHistory::pop`].
    pub fn push(&mut self, item: Item) {
        let Item { origin, content } = item;
        match content {
            StreamItem::Header(header) => {
                self.close();
                self.done.push_back(Step::Header(header));
            }
            StreamItem::Triggered(rules) => {
                if let Some(turn) = &mut self.open {
                    turn.announced.push(Announced { before: turn.events.len(), rules, late: turn.end.is_some() });
                }
            }
            StreamItem::Ignored(_) => {}
            StreamItem::Event(event) => self.event(origin, event),
        }
    }

    /// Takes the next delta.
    pub fn push_delta(&mut self, delta: &Delta<'_>) {
        if let Some(turn) = &mut self.open {
            turn.events.push_delta(delta);
        }
    }

    fn event(&mut self, origin: Origin, event: AgentEvent) {
        match event {
            AgentEvent::TurnStart => self.turn_started = true,
            AgentEvent::AgentStart => self.starts += 1,
            AgentEvent::AgentEnd => {
                if let Some(turn) = self.open.as_mut().filter(|_| self.starts == 0) {
                    turn.run_ended = true;
                }
            }
            AgentEvent::Message(message) => self.message(origin, message),
            AgentEvent::MessageStart { timestamp } => {
                let starts_turn = std::mem::take(&mut self.turn_started);
                let next = Box::new(Turn { origin, timestamp, starts_turn, ..Turn::default() });
                self.starts = 0;
                self.release_held();
                if let Some(mut turn) = self.open.replace(next) {
                    turn.resumed = true;
                    if may_end_late(&turn) {
                        self.held = Some(turn);
                    } else {
                        self.done.push_back(Step::Turn(turn));
                    }
                }
            }
            AgentEvent::MessageEnd(message) => self.message_end(origin, message),
            AgentEvent::ToolResult(message) => match &mut self.open {
                Some(turn) => {
                    turn.records.push(Record::Result(turn.results.len()));
                    turn.results.push((origin, message));
                }
                None => self.done.push_back(Step::Message(origin, message)),
            },
            AgentEvent::TurnEnd => {
                if let Some(turn) = &mut self.open {
                    match &mut turn.late {
                        Some(late) => late.turn_ends += 1,
                        None => turn.turn_ends += 1,
                    }
                }
            }
            delta => {
                if let Some(turn) = &mut self.open {
                    turn.events.push(origin, delta);
                }
            }
        }
    }

    fn message(&mut self, origin: Origin, message: Message) {
        if let (Some(reminder), Some(turn)) = (reminder_of(&message, &origin), &mut self.open) {
            turn.records.push(Record::Reminder(Box::new(reminder)));
            return;
        }
        if let Some(turn) = &mut self.open {
            // The prompt's own start is one; another before it is a retry that found no answer.
            turn.resumed = self.starts > 1;
        }
        self.close();
        self.done.push_back(Step::Message(origin, message));
    }

    fn message_end(&mut self, origin: Origin, message: Message) {
        let Some(turn) = &mut self.open else { return };
        if turn.events.is_empty()
            && is_empty_abort(&message)
            && let Some(mut earlier) = self.held.take()
        {
            // The abort reached the stream behind the message's end: both are one interrupted message.
            let (begins, timestamp, starts_turn) = (turn.origin.clone(), turn.timestamp, turn.starts_turn);
            let end = (origin, message);
            let records_before = earlier.records.len();
            let late = LateHalf { origin: begins, timestamp, starts_turn, end, turn_ends: 0, records_before };
            earlier.late = Some(Box::new(late));
            earlier.interrupted = true;
            earlier.resumed = false;
            self.open = Some(earlier);
            return;
        }
        turn.interrupted = match message.ending() {
            Ending::Rules(_) => true,
            Ending::Aborted => !self.names_rules && !turn.announced.is_empty(),
            Ending::Complete | Ending::Failed => false,
        };
        turn.end = Some((origin, message));
        self.release_held();
    }

    fn release_held(&mut self) {
        if let Some(turn) = self.held.take() {
            self.done.push_back(Step::Turn(turn));
        }
    }

    /// The next finished step.
    pub fn pop(&mut self) -> Option<Step> {
        self.done.pop_front()
    }

    /// Ends the recording.
    pub fn close(&mut self) {
        self.release_held();
        if let Some(turn) = self.open.take() {
            self.done.push_back(Step::Turn(turn));
        }
    }
}

/// Whether an abort may still follow behind the finished message: rules were announced, yet it ended as if nothing
/// had happened, and none of its calls ran to its end.
fn may_end_late(turn: &Turn) -> bool {
    !turn.announced.is_empty()
        && turn.late.is_none()
        && turn.end.as_ref().is_some_and(|(_, message)| !message.ending().is_cut_short())
        && turn.results.iter().all(|(_, result)| !result.call_outcome().delivers_reminders())
}
