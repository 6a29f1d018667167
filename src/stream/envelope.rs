//! The kinds of lines in an event stream, and one line read as far as its kind needs.

use serde_json::value::RawValue;

use crate::text::JsString;
use crate::text::json::{self, Key, Object, RawMembers, Value};

/// The kinds of lines that decisions depend on, and two groups of those they do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventKind {
    Session,
    AgentStart,
    AgentEnd,
    TurnStart,
    TurnEnd,
    MessageStart,
    MessageUpdate,
    MessageEnd,
    Triggered,
    RpcChunk,
    /// Belongs to event streams only, and says nothing that decisions need.
    Stream,
    /// Says nothing that decisions need; its name may also occur elsewhere.
    Context,
}

impl EventKind {
    /// The kind of a `type`; none when this tool does not know it (session.md S8.1, S8.3).
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "session" => Self::Session,
            "agent_start" => Self::AgentStart,
            "agent_end" => Self::AgentEnd,
            "turn_start" => Self::TurnStart,
            "turn_end" => Self::TurnEnd,
            "message_start" => Self::MessageStart,
            "message_update" => Self::MessageUpdate,
            "message_end" => Self::MessageEnd,
            "ttsr_triggered" => Self::Triggered,
            "rpc_chunk" => Self::RpcChunk,
            "ready"
            | "response"
            | "tool_execution_start"
            | "tool_execution_update"
            | "tool_stream_update"
            | "tool_execution_end"
            | "host_tool_call"
            | "auto_retry_start"
            | "auto_retry_end"
            | "auto_compaction_start"
            | "auto_compaction_end"
            | "extension_ui_request"
            | "available_commands_update"
            | "session_info_update" => Self::Stream,
            "retry_fallback_applied"
            | "retry_fallback_succeeded"
            | "model_changed"
            | "thinking_level_changed"
            | "config_warnings_changed"
            | "advisor_cost_changed"
            | "advisor_yielded"
            | "todo_reminder"
            | "todo_auto_clear"
            | "irc_message"
            | "notice"
            | "goal_updated"
            | "queue_update"
            | "compaction_start"
            | "compaction_end" => Self::Context,
            _ => return None,
        })
    }

    /// Whether a line of this kind shows that the input is an event stream.
    pub(super) fn is_of_the_stream(self) -> bool {
        !matches!(self, Self::Session | Self::Context)
    }
}

/// The members of one object, read on demand so that what repeats the message so far is never built.
pub(super) struct Members<'a>(Vec<(Key<'a>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Reads the members of `text`, their values unread.
    pub(super) fn read(text: &'a str) -> Result<Self, json::JsonError> {
        match serde_json::from_str::<RawMembers<'a>>(text) {
            Ok(RawMembers(members)) => Ok(Self(members)),
            // The slower reader words and locates the error.
            Err(error) => Err(match json::parse(text) {
                Err(located) => located,
                Ok(value) => {
                    let message = if matches!(value, Value::Object(_)) {
                        error.to_string()
                    } else {
                        format!("{} where an object should be", value.kind())
                    };
                    json::JsonError { message, offset: 0 }
                }
            }),
        }
    }

    /// The raw value of `key`; of equal keys the last one counts.
    pub(super) fn raw(&self, key: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(name, _)| *name == key).map(|(_, raw)| *raw)
    }

    /// The members of the object at `key`.
    pub(super) fn members(&self, key: &str) -> Option<Self> {
        Self::read(self.raw(key)?.get()).ok()
    }

    /// The string at `key`.
    pub(super) fn string(&self, key: &str) -> Option<JsString> {
        let raw = self.raw(key)?.get();
        if raw.starts_with('"') { serde_json::from_str(raw).ok() } else { None }
    }

    /// The whole number at `key`.
    pub(super) fn bool(&self, key: &str) -> Option<bool> {
        self.raw(key)?.get().parse().ok()
    }

    pub(super) fn index(&self, key: &str) -> Option<usize> {
        let number: f64 = self.raw(key)?.get().parse().ok()?;
        (number >= 0.0 && number.fract() == 0.0 && number <= f64::from(u32::MAX)).then_some(number as usize)
    }

    /// The value at `key`.
    pub(super) fn value(&self, key: &str) -> Option<Value> {
        json::parse_raw(self.raw(key)?).ok()
    }

    /// The object at `key`.
    pub(super) fn object(&self, key: &str) -> Option<Object> {
        match self.value(key)? {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The whole object.
    pub(super) fn whole(&self) -> Object {
        let read = |(key, raw): &(Key<'a>, &RawValue)| Some((key.to_js(), json::parse_raw(raw).ok()?));
        self.0.iter().filter_map(read).collect()
    }

    /// The items of the list at `key`, unread.
    pub(super) fn items(&self, key: &str) -> Option<Vec<&'a RawValue>> {
        serde_json::from_str(self.raw(key)?.get()).ok()
    }
}
