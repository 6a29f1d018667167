//! [`Journal`]: what a run writes. Ids and times come from its clock even when nothing is kept.

use std::rc::Rc;

use crate::clock::Clock;
use crate::json_object;
use crate::lifecycle::{INJECTION_TYPE, Injection};
use crate::message::Message;
use crate::session::{Session, Store};
use crate::stream::Origin;
use crate::text::JsString;
use crate::text::json::{Object, Value};

/// The written side of a run.
pub struct Journal {
    clock: Clock,
    store: Option<Store>,
    /// The session whose entries are copied.
    source: Option<Rc<Session>>,
}

impl Journal {
    /// A journal that draws ids and times from `clock` and keeps nothing.
    pub fn new(clock: Clock) -> Self {
        Self { clock, store: None, source: None }
    }

    /// A journal that keeps everything in `store`.
    pub fn kept(clock: Clock, store: Store) -> Self {
        Self { clock, store: Some(store), source: None }
    }

    /// Entries of this session are copied, not made anew.
    #[must_use]
    pub fn copying(mut self, source: Rc<Session>) -> Self {
        self.source = Some(source);
        self
    }

    /// The session that was written, if one was kept.
    pub fn into_store(self) -> Option<Store> {
        self.store
    }

    /// The clock.
    pub fn clock(&mut self) -> &mut Clock {
        &mut self.clock
    }

    /// Moves the clock forward.
    pub fn advance(&mut self, ms: u64) {
        self.clock.advance(ms);
    }

    /// Writes a message. Where it comes from an entry of the source session, that entry's other fields are kept.
    pub fn message(&mut self, message: &Message, origin: Option<&Origin>) {
        let Some(store) = &mut self.store else { return };
        if let (Some(source), Some(id)) = (&self.source, origin.and_then(|origin| origin.entry.as_ref()))
            && let Some(entry) = source.find(id)
            && let Ok(Value::Object(mut entry)) = source.value(entry)
        {
            if entry.get("message").is_some() {
                entry.insert("message", message.raw.clone());
            }
            store.append_copy(&entry, &mut self.clock);
            return;
        }
        if message.role() == "custom" {
            self.custom(message);
        } else {
            store.append_message(message.raw.clone(), &mut self.clock);
        }
    }

    fn custom(&mut self, message: &Message) {
        let Some(store) = &mut self.store else { return };
        let mut members = message.raw.clone();
        for key in ["role", "timestamp"] {
            members.remove(key);
        }
        store.append("custom_message", members, &mut self.clock);
    }

    /// Copies an entry that is no message.
    pub fn entry(&mut self, entry: &Object) {
        if let Some(store) = &mut self.store {
            store.append_copy(entry, &mut self.clock);
        }
    }

    /// Writes a reminder as a `custom_message` entry (engine.md E7.5).
    pub fn injection_message(&mut self, injection: &Injection) {
        let Some(store) = &mut self.store else { return };
        let rules: Vec<Value> = injection.rules.iter().cloned().map(Value::String).collect();
        let mut details = json_object! {"rules": rules};
        if let Some(id) = injection.delivery_id {
            details.insert("deliveryId", id);
        }
        let members = json_object! {
            "customType": INJECTION_TYPE,
            "content": injection.content.clone(),
            "display": false,
            "details": details,
            "attribution": "agent",
        };
        store.append("custom_message", members, &mut self.clock);
    }

    /// Writes a `ttsr_injection` entry and gives its id.
    pub fn injection(&mut self, rules: &[JsString]) -> JsString {
        match &mut self.store {
            Some(store) => store.append_injection(rules, &mut self.clock),
            None => self.clock.entry_id().into(),
        }
    }
}
