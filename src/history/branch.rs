//! A branch of a session as what happened (session.md S9.4, S9.4a, S9.4b, S9.4d).

use std::collections::VecDeque;
use std::rc::Rc;

use crate::message::{Ending, Message, is_warning};
use crate::session::{EntryKind, Role, Session, SessionError};
use crate::stream::{ChunkMode, Chunker, Events, Origin, StreamHeader};
use crate::text::json::{Object, Value};

use super::turn::{LateHalf, Record, RecordedEntry, Reminder, Step, Turn, is_empty_abort, reminder_of};

/// How whole messages become deltas again.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// Messages that ended by themselves.
    pub complete: ChunkMode,
    /// Messages that rules interrupted.
    pub interrupted: ChunkMode,
}

/// Reads the branch entry by entry.
pub struct BranchHistory {
    session: Rc<Session>,
    branch: std::vec::IntoIter<usize>,
    complete: Chunker,
    interrupted: Chunker,
    open: Option<Box<Turn>>,
    /// A reminder, and its entry, that stand before the message they belong to, right behind a prompt.
    stray: Vec<Record>,
    done: VecDeque<Step>,
    messages: usize,
    started: bool,
}

impl BranchHistory {
    /// The branch from the root to `leaf`.
    pub fn new(session: Rc<Session>, leaf: Option<usize>, cut: Cut) -> Self {
        let branch = session.branch(leaf).into_iter();
        Self {
            session,
            branch,
            complete: Chunker::new(cut.complete),
            interrupted: Chunker::new(cut.interrupted),
            open: None,
            stray: Vec::new(),
            done: VecDeque::new(),
            messages: 0,
            started: false,
        }
    }

    /// The next step; none at the leaf.
    ///
    /// # Errors
    /// When the file cannot be read again.
    pub fn next_step(&mut self) -> Result<Option<Step>, SessionError> {
        if !self.started {
            self.started = true;
            let header = self.session.header().clone();
            let string = |key: &str| header.get(key).and_then(Value::as_string).cloned();
            return Ok(Some(Step::Header(StreamHeader { id: string("id"), cwd: string("cwd"), raw: header })));
        }
        loop {
            if let Some(step) = self.done.pop_front() {
                return Ok(Some(step));
            }
            match self.branch.next() {
                Some(index) => self.entry(index)?,
                None => return Ok(self.open.take().map(Step::Turn)),
            }
        }
    }

    fn entry(&mut self, index: usize) -> Result<(), SessionError> {
        let session = self.session.clone();
        let Some(entry) = session.entry(index) else { return Ok(()) };
        let origin = Origin { line: Some(entry.line()), entry: entry.id(), ..Origin::default() };
        let Value::Object(object) = entry.value()? else { return Ok(()) };
        match entry.kind() {
            Some(EntryKind::Message) => match object.get("message").and_then(Value::as_object) {
                Some(message) => self.message(origin, entry.role(), Message::new(message.clone()))?,
                None => self.other(object),
            },
            Some(EntryKind::CustomMessage) => {
                let message = custom_message(&object);
                match reminder_of(&message, &origin) {
                    Some(reminder) => self.record(Record::Reminder(Box::new(reminder))),
                    None => {
                        self.close(false);
                        self.done.push_back(Step::Message(origin, message));
                    }
                }
            }
            Some(EntryKind::TtsrInjection) => {
                let rules = object.get("injectedRules").and_then(Value::as_array).unwrap_or_default();
                let rules = rules.iter().filter_map(|rule| rule.as_string().cloned()).collect();
                self.record(Record::Entry(RecordedEntry { origin, rules }));
            }
            _ if entry.is_session_exit() => {
                self.close(false);
                self.done.push_back(Step::Entry(object));
                self.done.push_back(Step::ProcessEnd);
            }
            _ => self.other(object),
        }
        Ok(())
    }

    fn record(&mut self, record: Record) {
        match &mut self.open {
            Some(turn) => turn.records.push(record),
            None => self.stray.push(record),
        }
    }

    /// An entry that is no message: it stands where it stood, before the results of an open turn's calls.
    fn other(&mut self, object: Object) {
        match &mut self.open {
            Some(turn) => turn.entries.push((turn.results.len(), object)),
            None => self.done.push_back(Step::Entry(object)),
        }
    }

    fn message(&mut self, origin: Origin, role: Role, message: Message) -> Result<(), SessionError> {
        match role {
            Role::Assistant => self.assistant(origin, message)?,
            Role::ToolResult => match &mut self.open {
                Some(turn) => {
                    turn.records.push(Record::Result(turn.results.len()));
                    turn.results.push((origin, message));
                }
                None => self.done.push_back(Step::Message(origin, message)),
            },
            _ => {
                self.close(false);
                self.done.push_back(Step::Message(origin, message));
            }
        }
        Ok(())
    }

    fn assistant(&mut self, origin: Origin, message: Message) -> Result<(), SessionError> {
        let ending = message.ending();
        let follows = if ending.is_aborted() { self.reminder_follows()? } else { false };
        let interrupted = match ending {
            Ending::Rules(_) => true,
            // An agent that gives no reasons tells by the interrupt behind the message (13.x).
            Ending::Aborted => follows,
            Ending::Complete | Ending::Failed => false,
        };
        let (counted, timestamp) = (Origin { message: Some(self.messages), ..origin.clone() }, message.timestamp());
        if interrupted && is_empty_abort(&message) && self.may_end_late(follows) {
            // Whether it is this message's second half is seen when its deltas are checked: it must match by itself.
            if let Some(turn) = &mut self.open {
                let end = (origin, message);
                let records_before = turn.records.len();
                let late =
                    LateHalf { origin: counted, timestamp, starts_turn: true, end, turn_ends: 1, records_before };
                turn.late = Some(Box::new(late));
                turn.resumed = false;
            }
            return Ok(());
        }
        let moved = if interrupted && !follows { self.early_pair() } else { Vec::new() };
        self.close(true);
        self.messages += 1;
        let chunker = if interrupted { self.interrupted } else { self.complete };
        let mapped = super::pi::with_mapped_edits(&message);
        let events = Events::cut(chunker, mapped.as_ref().unwrap_or(&message), &counted);
        self.open = Some(Box::new(Turn {
            origin: counted,
            timestamp,
            starts_turn: true,
            events,
            end: Some((origin, message)),
            turn_ends: 1,
            interrupted,
            records: moved,
            ..Turn::default()
        }));
        Ok(())
    }

    /// Whether an empty aborted message behind the open one may be its late half: it ended by itself, none of its
    /// calls ran, and of the two only one has an interrupt's reminder (session.md S9.4d).
    fn may_end_late(&self, reminder_follows: bool) -> bool {
        self.open.as_ref().is_some_and(|turn| {
            !turn.ending().is_cut_short()
                && turn.late.is_none()
                && turn.results.iter().all(|(_, result)| !result.call_outcome().delivers_reminders())
                && !(reminder_follows && turn.reminders().any(|reminder| reminder.delivery_id.is_none()))
        })
    }

    /// Whether the reminder of an interrupt stands between this message and the next one of the assistant or user.
    fn reminder_follows(&self) -> Result<bool, SessionError> {
        let entries = self.branch.as_slice().iter().filter_map(|&index| self.session.entry(index));
        for entry in entries {
            if entry.is_injection_message() {
                let value = entry.value()?;
                let message = value.get("message").unwrap_or(&value);
                if message.as_object().is_some_and(is_warning) {
                    continue;
                }
                let details = message.get("details");
                return Ok(details.and_then(|details| details.get("deliveryId")).is_none());
            }
            if matches!(entry.role(), Role::Assistant | Role::User) {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// The pair of a late abort stands before the aborted message: the last reminder of the open turn, when that
    /// turn has one more than it needs (recordings: "with a late abort that pair can stand before").
    fn early_pair(&mut self) -> Vec<Record> {
        // Only the pair moves: a reminder whose entry stands elsewhere is where it does not belong.
        let is_pair = |records: &[Record]| matches!(records, [Record::Reminder(_), Record::Entry(_), ..]);
        if is_pair(&self.stray) {
            return std::mem::take(&mut self.stray);
        }
        let Some(turn) = &mut self.open else { return Vec::new() };
        let own = usize::from(turn.interrupted);
        let is_reminder = |record: &Record| matches!(record, Record::Reminder(reminder) if !reminder.is_warning);
        let Some(last) = turn.records.iter().rposition(is_reminder) else { return Vec::new() };
        let is_deferred = |reminder: &Reminder| reminder.delivery_id.is_some();
        if turn.reminders().count() <= own || turn.reminders().last().is_some_and(is_deferred) {
            return Vec::new();
        }
        if !is_pair(&turn.records[last..]) {
            return Vec::new();
        }
        turn.records.split_off(last)
    }

    fn close(&mut self, resumed: bool) {
        if let Some(mut turn) = self.open.take() {
            turn.resumed = resumed || (turn.interrupted && turn.reminders().next().is_some());
            self.done.push_back(Step::Turn(turn));
        }
    }
}

/// A `custom_message` entry as the message that it puts into the context (session.md S4.4).
fn custom_message(entry: &Object) -> Message {
    let mut raw = crate::json_object! {"role": "custom"};
    for key in ["customType", "content", "display", "details", "attribution"] {
        if let Some(value) = entry.get(key) {
            raw.insert(key, value.clone());
        }
    }
    Message::new(raw)
}
