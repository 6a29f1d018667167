//! A branch of a recorded session as steps (session.md S9.4, S9.4a, S9.4b).

use std::collections::VecDeque;
use std::rc::Rc;

use crate::message::Message;
use crate::session::{EntryKind, Role, Session, SessionError};
use crate::stream::{ChunkMode, Chunker, Origin, StreamHeader};
use crate::text::JsString;
use crate::text::json::{Object, Value};

use super::recorded::{
    RecordedEntry, RecordedInjection, Step, Turn, injection_of, is_empty_abort, names_matched_rules,
};

/// Reads the branch entry by entry.
pub(super) struct SessionSteps {
    session: Rc<Session>,
    branch: std::vec::IntoIter<usize>,
    chunker: Chunker,
    /// How messages are cut that rules aborted.
    aborted_chunker: Chunker,
    open: Option<Box<Turn>>,
    /// A reminder that stands before the message it belongs to, right behind a prompt.
    stray: Option<(RecordedInjection, Option<RecordedEntry>)>,
    done: VecDeque<Step>,
    messages: usize,
    started: bool,
}

impl SessionSteps {
    /// The branch from the root to `leaf`, messages cut by `mode`. With `exact_aborts` a message that rules aborted
    /// is checked at every code unit, since its chunk borders are lost.
    pub(super) fn new(session: Rc<Session>, leaf: Option<usize>, mode: ChunkMode, exact_aborts: bool) -> Self {
        let branch = session.branch(leaf).into_iter();
        Self {
            session,
            branch,
            chunker: Chunker::new(mode),
            aborted_chunker: Chunker::new(if exact_aborts { ChunkMode::All } else { mode }),
            open: None,
            stray: None,
            done: VecDeque::new(),
            messages: 0,
            started: false,
        }
    }

    /// The next step; none at the leaf.
    ///
    /// # Errors
    /// When the file cannot be read again.
    pub(super) fn next_step(&mut self) -> Result<Option<Step>, SessionError> {
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
                None => match self.open.take() {
                    Some(turn) => return Ok(Some(Step::Turn(turn))),
                    None => return Ok(None),
                },
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
                Some(message) => self.message(origin, entry.role(), Message::new(message.clone())),
                None => self.other(object),
            },
            Some(EntryKind::CustomMessage) => {
                let message = custom_message(&object);
                match injection_of(&message) {
                    Some(injection) => match &mut self.open {
                        Some(turn) => turn.injected.push(injection),
                        None => self.stray = Some((injection, None)),
                    },
                    None => {
                        self.close();
                        self.done.push_back(Step::Message(origin, message));
                    }
                }
            }
            Some(EntryKind::TtsrInjection) => {
                let rules = object.get("injectedRules").and_then(Value::as_array).unwrap_or_default();
                let rules = rules.iter().filter_map(|rule| rule.as_string().cloned()).collect();
                let recorded = RecordedEntry { entry: origin.entry.unwrap_or_default(), rules };
                match (&mut self.open, &mut self.stray) {
                    (Some(turn), _) => turn.persisted.push(recorded),
                    (None, Some((_, persisted))) => *persisted = Some(recorded),
                    (None, None) => {}
                }
            }
            _ if entry.is_session_exit() => {
                self.close();
                self.done.push_back(Step::Entry(object));
                self.done.push_back(Step::ProcessEnd);
            }
            _ => self.other(object),
        }
        Ok(())
    }

    /// An entry that is no message: it stands where it stood, before the results of an open turn's calls.
    fn other(&mut self, object: Object) {
        match &mut self.open {
            Some(turn) => turn.entries.push((turn.results.len(), object)),
            None => self.done.push_back(Step::Entry(object)),
        }
    }

    fn message(&mut self, origin: Origin, role: Role, message: Message) {
        match role {
            Role::Assistant => self.assistant(origin, message),
            Role::ToolResult => match &mut self.open {
                Some(turn) => turn.results.push((origin, message)),
                None => self.done.push_back(Step::Message(origin, message)),
            },
            _ => {
                self.close();
                self.done.push_back(Step::Message(origin, message));
            }
        }
    }

    fn assistant(&mut self, origin: Origin, message: Message) {
        if is_empty_abort(&message)
            && names_matched_rules(&message)
            && let Some(turn) =
                self.open.as_mut().filter(|turn| turn.results.iter().all(|(_, result)| is_error(result)))
        {
            // A late abort: the message before was interrupted after its end, and none of its tools ran.
            turn.interrupted = true;
            return;
        }
        let interrupted = names_matched_rules(&message)
            || (message.stop_reason().is_some_and(|why| why == "aborted") && self.reminder_follows());
        let moved = if interrupted { self.early_pair() } else { None };
        self.close();
        let chunker = if interrupted { self.aborted_chunker } else { self.chunker };
        let counted = Origin { message: Some(self.messages), ..origin.clone() };
        self.messages += 1;
        let events = chunker.events(&message, &counted).map(|(event, origin)| (origin, event)).collect();
        let mut turn = Turn {
            origin: counted,
            timestamp: message.timestamp(),
            starts_turn: true,
            events,
            end: Some((origin, message)),
            turn_ends: 1,
            interrupted,
            ..Turn::default()
        };
        if let Some((injected, persisted)) = moved {
            turn.injected.push(injected);
            turn.persisted.extend(persisted);
        }
        self.open = Some(Box::new(turn));
    }

    /// Whether the aborted message without a reason of its own is followed by a reminder, as in generations whose
    /// abort carries no rule names.
    fn reminder_follows(&self) -> bool {
        let next = self.branch.as_slice().first().and_then(|&index| self.session.entry(index));
        next.is_some_and(|entry| entry.is_injection_message())
    }

    /// The pair of a late abort stands before the aborted message: the last reminder of the open turn, when that
    /// turn has one more than it needs (recordings: "with a late abort that pair can stand before").
    fn early_pair(&mut self) -> Option<(RecordedInjection, Option<RecordedEntry>)> {
        if let Some(pair) = self.stray.take() {
            return Some(pair);
        }
        let turn = self.open.as_mut()?;
        let own = usize::from(turn.interrupted);
        let last = turn.injected.last()?;
        if turn.injected.len() <= own || last.delivery_id.is_some() {
            return None;
        }
        let injected = turn.injected.pop()?;
        let at = turn.persisted.iter().rposition(|entry| same_names(&entry.rules, &injected.rules));
        Some((injected, at.map(|at| turn.persisted.remove(at))))
    }

    fn close(&mut self) {
        if let Some(turn) = self.open.take() {
            self.done.push_back(Step::Turn(turn));
        }
    }
}

fn is_error(result: &Message) -> bool {
    result.raw.get("isError").and_then(Value::as_bool) == Some(true)
}

fn same_names(a: &[JsString], b: &[JsString]) -> bool {
    a.iter().all(|name| b.contains(name)) && b.iter().all(|name| a.contains(name))
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
