//! Receivers of `ttsr_triggered` (engine.md E7.10). Events wait in a queue per receiver, so that none of them can
//! hold up a decision, fail it, or keep another from hearing.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::rule::CompiledRule;
use crate::text::json::{Object, Value};

/// How a receiver is attached to the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// A subscriber of the session's own events.
    Session,
    /// An extension: `on("ttsr_triggered", …)`.
    Extension,
    /// A hook: `on("ttsr_triggered", …)`.
    Hook,
    /// A custom tool: `onSession({reason: "ttsr_triggered", rules})`.
    CustomTool,
}

impl Surface {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Session, Self::Extension, Self::Hook, Self::CustomTool];

    /// The word in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Extension => "extension",
            Self::Hook => "hook",
            Self::CustomTool => "custom-tool",
        }
    }
}

/// What a receiver does with virtual time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "internals"),
    expect(dead_code, reason = "only tests subscribe: the program has no receivers")
)]
pub enum Reaction {
    /// It returns at once.
    Done,
    /// It returns after that many milliseconds.
    Busy(u64),
    /// It never returns.
    Never,
}

/// A receiver: gets the payload of its surface.
pub type Listener = Box<dyn FnMut(&Value) -> Reaction + Send>;

#[cfg_attr(
    not(feature = "internals"),
    expect(dead_code, reason = "only tests subscribe: the program has no receivers")
)]
struct Subscriber {
    surface: Surface,
    listener: Listener,
    queue: VecDeque<Value>,
    busy_until: Option<u64>,
    failures: usize,
}

/// All receivers, in the order in which they subscribed.
#[derive(Default)]
pub struct Listeners(Vec<Subscriber>);

impl fmt::Debug for Listeners {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.0.iter().map(|one| one.surface)).finish()
    }
}

impl Listeners {
    /// Adds a receiver.
    #[cfg(feature = "internals")]
    pub fn subscribe(&mut self, surface: Surface, listener: Listener) {
        let subscriber = Subscriber { surface, listener, queue: VecDeque::new(), busy_until: Some(0), failures: 0 };
        self.0.push(subscriber);
    }

    /// Queues the event for every receiver; calls none.
    pub fn emit<'a>(&mut self, rules: impl Iterator<Item = &'a CompiledRule>) {
        if self.0.is_empty() {
            return;
        }
        let rules = Value::from(rules.map(rule_value).collect::<Vec<_>>());
        for subscriber in &mut self.0 {
            subscriber.queue.push_back(payload(subscriber.surface, rules.clone()));
        }
    }

    /// Calls each receiver that is free at `now_ms` of virtual time with what waits for it. A receiver that panics
    /// has had its event; it hears the next one.
    #[cfg(feature = "internals")]
    pub fn deliver(&mut self, now_ms: u64) {
        for subscriber in &mut self.0 {
            while subscriber.busy_until.is_some_and(|until| until <= now_ms) {
                let Some(event) = subscriber.queue.pop_front() else { break };
                let listener = &mut subscriber.listener;
                match catch_unwind(AssertUnwindSafe(|| listener(&event))) {
                    Ok(Reaction::Done) => {}
                    Ok(Reaction::Busy(ms)) => subscriber.busy_until = Some(now_ms.saturating_add(ms)),
                    Ok(Reaction::Never) => subscriber.busy_until = None,
                    Err(_) => subscriber.failures += 1,
                }
            }
        }
    }

    /// Calls that panicked.
    #[cfg(feature = "internals")]
    pub fn failures(&self) -> usize {
        self.0.iter().map(|subscriber| subscriber.failures).sum()
    }

    /// Events that receivers have not had yet.
    #[cfg(feature = "internals")]
    pub fn undelivered(&self) -> usize {
        self.0.iter().map(|subscriber| subscriber.queue.len()).sum()
    }
}

/// What a receiver of that surface gets of these rules.
pub fn payload(surface: Surface, rules: Value) -> Value {
    let key = if surface == Surface::CustomTool { "reason" } else { "type" };
    let mut event = Object::new();
    event.insert(key, "ttsr_triggered");
    event.insert("rules", rules);
    Value::Object(event)
}

/// The whole rule, as receivers and event streams show it.
pub fn rule_value(rule: &CompiledRule) -> Value {
    let mut object = Object::new();
    object.insert("name", rule.name.clone());
    object.insert("path", rule.path.clone());
    object.insert("content", rule.content.clone());
    for (key, value) in rule.announced.iter() {
        object.insert(key.clone(), value.clone());
    }
    Value::Object(object)
}
