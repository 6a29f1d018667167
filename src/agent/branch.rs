//! [`Branch`]: the branch of a session as acts (session.md S9.4).

use std::collections::VecDeque;

use crate::clock::parse_iso_time;
use crate::message::{Message, Model};
use crate::stream::{ChunkMode, Chunker, Origin};
use crate::text::JsString;
use crate::text::json::{Object, Value};

use super::recording::{Act, ActSource};
use super::transcript::{is_injection, recorded_reply, without_reminders};
use super::{After, ReplyEnd, ReplyStep};

/// The acts of a session branch, root first. Entries are asked for one by one.
pub struct Branch<I> {
    entries: I,
    chunker: Chunker,
    open: Option<Gathered>,
    next: VecDeque<Act>,
    /// Assistant messages so far.
    messages: usize,
}

struct Gathered {
    message: Message,
    after: Vec<(After, Origin)>,
    origin: Origin,
}

impl<I: Iterator<Item = (usize, Value)>> Branch<I> {
    /// Plays `entries`, each with the 1-based line on which it stands; blocks are cut by `mode`.
    pub fn new(entries: I, mode: ChunkMode) -> Self {
        Self { entries, chunker: Chunker::new(mode), open: None, next: VecDeque::new(), messages: 0 }
    }

    fn close(&mut self) {
        let Some(Gathered { message, after, origin }) = self.open.take() else { return };
        let steps = self.chunker.events(&message, &origin).map(|(event, origin)| ReplyStep::Event(event, origin));
        let (timestamp, model) = (message.timestamp(), Model::of(&message));
        let end = ReplyEnd::Recorded(message);
        self.next.push_back(Act::Reply(recorded_reply(Box::new(steps), end, after, timestamp, model, origin)));
    }

    fn entry(&mut self, line: usize, entry: &Value) {
        let string = |key: &str| entry.get(key).and_then(Value::as_string);
        let origin = Origin { line: Some(line), entry: string("id").cloned(), ..Origin::default() };
        let kind = string("type").and_then(JsString::to_utf8).unwrap_or_default();
        match kind.as_str() {
            "message" => {
                if let Some(Value::Object(raw)) = entry.get("message") {
                    self.message(Message::new(raw.clone()), origin);
                }
            }
            "custom_message" => {
                let message = custom_message(entry);
                self.close();
                self.next.push_back(if is_injection(&message) { Act::Injected } else { Act::Note(message, origin) });
            }
            "custom" if string("customType").is_some_and(|kind| *kind == "session_exit") => {
                self.close();
                self.next.push_back(Act::ProcessEnd(origin));
            }
            _ => {}
        }
    }

    fn message(&mut self, message: Message, origin: Origin) {
        let role = message.role().to_utf8().unwrap_or_default();
        match role.as_str() {
            "assistant" => {
                self.close();
                let origin = Origin { message: Some(self.messages), ..origin };
                self.messages += 1;
                self.open = Some(Gathered { message, after: Vec::new(), origin });
            }
            "toolResult" => {
                if let Some(open) = &mut self.open {
                    open.after.push((After::Result(without_reminders(message)), origin));
                }
            }
            _ => {
                self.close();
                // A user message begins a run unless it steers the one that is under way.
                let steers = message.raw.get("steering").and_then(Value::as_bool) == Some(true);
                if role == "user" && !steers {
                    self.next.push_back(Act::RunStart);
                }
                let injected = is_injection(&message);
                self.next.push_back(if injected { Act::Injected } else { Act::Note(message, origin) });
            }
        }
    }
}

impl<I: Iterator<Item = (usize, Value)>> ActSource for Branch<I> {
    fn next_act(&mut self) -> Option<Act> {
        loop {
            if let Some(act) = self.next.pop_front() {
                return Some(act);
            }
            match self.entries.next() {
                Some((line, entry)) => self.entry(line, &entry),
                None => {
                    self.close();
                    return self.next.pop_front();
                }
            }
        }
    }
}

/// The message that a `custom_message` entry stands for (session.md S4.4).
fn custom_message(entry: &Value) -> Message {
    let mut raw = Object::new();
    raw.insert("role", "custom");
    for key in ["customType", "content", "display", "details", "attribution"] {
        if let Some(value) = entry.get(key) {
            raw.insert(key, value.clone());
        }
    }
    let time = entry.get("timestamp").and_then(Value::as_string).and_then(JsString::to_utf8);
    if let Some(ms) = time.and_then(|time| parse_iso_time(&time)) {
        raw.insert("timestamp", ms);
    }
    Message::new(raw)
}
