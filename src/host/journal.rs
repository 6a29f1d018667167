//! [`Journal`]: what a run writes. Ids and times come from its clock even when nothing is kept.

use std::rc::Rc;

use crate::clock::Clock;
use crate::generation::Semantics;
use crate::history::{Record, Turn};
use crate::json_object;
use crate::lifecycle::{Coordinator, Injection, rule_value};
use crate::message::{AgentEvent, Message, Model};
use crate::session::{NewHeader, Session, Store};
use crate::stream::{EventWriter, Origin};
use crate::text::JsString;
use crate::text::json::{Object, Value};

use super::reminder::injected_message;

/// The written side of a run.
pub struct Journal {
    clock: Clock,
    store: Option<Store>,
    /// The session whose entries are copied.
    source: Option<Rc<Session>>,
    /// The run as an event stream.
    events: Option<EventWriter<Vec<u8>>>,
}

impl Journal {
    /// A journal that draws ids and times from `clock` and keeps nothing.
    pub fn new(clock: Clock) -> Self {
        Self { clock, store: None, source: None, events: None }
    }

    /// A journal that keeps everything in `store`.
    pub fn kept(clock: Clock, store: Store) -> Self {
        Self { clock, store: Some(store), source: None, events: None }
    }

    /// Goes on in a session that was read.
    pub fn resume(&mut self, store: Store) {
        self.store = Some(store);
    }

    /// Entries of this session are copied, not made anew.
    #[must_use]
    pub fn copying(mut self, source: Rc<Session>) -> Self {
        self.source = Some(source);
        self
    }

    /// The clock and the session; a journal that kept none gives an empty one, made by `spare`.
    pub fn into_parts(self, mut spare: Clock) -> (Clock, Store) {
        let store = self.store.unwrap_or_else(|| Store::create(NewHeader::default(), &mut spare));
        (self.clock, store)
    }

    /// The session that was written and the event stream, where they were kept.
    pub fn into_written(self) -> (Option<Store>, Option<Vec<u8>>) {
        (self.store, self.events.map(EventWriter::into_inner))
    }

    /// Keeps the run as an event stream too; it begins with this header.
    pub fn keep_events(&mut self, header: &Object, semantics: &Semantics) {
        let mut writer = EventWriter::new(Vec::new(), Model::scripted()).telling_yield(semantics.tells_yield);
        // Writing to memory does not fail.
        let _ = writer.header(header);
        self.events = Some(writer);
    }

    /// Whether the run is kept as an event stream too.
    pub fn keeps_events(&self) -> bool {
        self.events.is_some()
    }

    /// Writes an event to the stream.
    pub fn event(&mut self, event: &AgentEvent) {
        if let Some(writer) = &mut self.events {
            let _ = writer.event(event);
        }
    }

    /// The user aborted.
    pub fn user_abort(&mut self) {
        if let Some(writer) = &mut self.events {
            let _ = writer.user_abort();
        }
    }

    /// Writes a `ttsr_triggered` with whole rules to the stream.
    pub fn triggered(&mut self, coordinator: &Coordinator, rules: &[usize]) {
        let Some(writer) = &mut self.events else { return };
        let all = coordinator.manager().rules();
        let whole = rules.iter().filter_map(|&rule| all.get(rule)).map(rule_value);
        let _ = writer.triggered(whole.collect());
    }

    /// The session that is kept, if one is.
    pub fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// The clock.
    pub fn clock(&mut self) -> &mut Clock {
        &mut self.clock
    }

    /// Moves the clock forward.
    pub fn advance(&mut self, ms: u64) {
        self.clock.advance(ms);
    }

    /// Writes a message, and gives the entry's id where a session is kept. Where it comes from an entry of the source
    /// session, that entry's other fields are kept.
    pub fn message(&mut self, message: &Message, origin: Option<&Origin>) -> Option<JsString> {
        let Some(store) = &mut self.store else { return origin.and_then(|origin| origin.entry.clone()) };
        if let (Some(source), Some(id)) = (&self.source, origin.and_then(|origin| origin.entry.as_ref()))
            && let Some(entry) = source.find(id)
            && let Ok(Value::Object(mut entry)) = source.value(entry)
        {
            if entry.get("message").is_some() {
                entry.insert("message", message.raw.clone());
            }
            return Some(store.append_copy(&entry, &mut self.clock));
        }
        if message.role() != "custom" {
            return Some(store.append_message(message.raw.clone(), &mut self.clock));
        }
        let mut members = message.raw.clone();
        for key in ["role", "timestamp"] {
            members.remove(key);
        }
        Some(store.append("custom_message", members, &mut self.clock))
    }

    /// Writes that the process of the session that is resumed ended, as the agent does when it ends.
    pub fn process_ended(&mut self) {
        let recorded = self.clock.iso();
        if let Some(store) = &mut self.store {
            let data = json_object! { "reason": "dispose", "kind": "normal", "recordedAt": recorded };
            store.append_custom("session_exit", Some(data.into()), &mut self.clock);
        }
    }

    /// Copies an entry that is no message.
    pub fn entry(&mut self, entry: &Object) {
        if let Some(store) = &mut self.store {
            store.append_copy(entry, &mut self.clock);
        }
    }

    /// Writes a reminder as a `custom_message` entry (engine.md E7.5).
    pub fn injection_message(&mut self, injection: &Injection) -> Option<JsString> {
        let store = self.store.as_mut()?;
        let mut members = injected_message(injection).raw;
        members.remove("role");
        Some(store.append("custom_message", members, &mut self.clock))
    }

    /// Takes over the reminders that a recording shows behind a message, with their entries, where the engine could not
    /// make them anew (session.md S9.4c).
    pub fn recorded(&mut self, turn: &Turn) {
        if self.store.is_none() {
            return;
        }
        let mut records = turn.records.iter().peekable();
        while let Some(record) = records.next() {
            let Record::Reminder(reminder) = record else { continue };
            self.message(&reminder.message, Some(&reminder.origin));
            if let Some(Record::Entry(entry)) = records.next_if(|next| matches!(next, Record::Entry(_)))
                && let Some(store) = &mut self.store
            {
                store.append_injection(&entry.rules, &mut self.clock);
            }
        }
    }

    /// Writes a `ttsr_injection` entry and gives its id.
    pub fn injection(&mut self, rules: &[JsString]) -> JsString {
        match &mut self.store {
            Some(store) => store.append_injection(rules, &mut self.clock),
            None => self.clock.entry_id().into(),
        }
    }
}
