//! The vocabulary that session, stream, agent and lifecycle share: messages, content blocks, agent events.
//!
//! Messages keep the JSON object they were read from, so that what is not understood is not lost.

mod build;
mod ending;
mod event;
mod marks;

pub use build::{Model, text_block, thinking_block, tool_call_block};
pub use ending::{
    CANCELLED_CALL, CallOutcome, EARLY_PLACEHOLDER, Ending, NOT_EXECUTED_PREFIX, PLACEHOLDER_PREFIX, PLAIN_ABORT,
    interrupt_reason, joined_names, split_names,
};
pub use event::AgentEvent;
pub use marks::is_warning;
#[cfg(feature = "internals")]
pub use marks::{is_judging_entry, is_judging_event};

/// `customType` of injected messages (engine.md E7.4).
pub const INJECTION_TYPE: &str = "ttsr-injection";

/// How the text of every interrupt reminder begins; the early generation gives it as a message of the user
/// (engine.md E7.4).
pub const INTERRUPT_PREFIX: &str = "<system-interrupt reason=\"rule_violation\"";

/// How the text of every folded reminder begins. Leading text blocks of a tool result that begin so are not the
/// tool's own content (engine.md E7.2 step 5).
pub const REMINDER_PREFIX: &str = "<system-reminder reason=\"rule_violation\"";

use crate::text::JsString;
use crate::text::json::{Object, Value};

/// Which of the three streams a text belongs to (engine.md E5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// The assistant's prose.
    Text,
    /// The assistant's thinking.
    Thinking,
    /// The arguments of a tool call.
    Tool,
}

impl Source {
    /// The word in rules, traces and options.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Thinking => "thinking",
            Self::Tool => "tool",
        }
    }
}

/// A message of a session or stream (session.md S2.3), with a typed view of what decisions need.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The whole object as read.
    pub raw: Object,
}

/// One block of a message's content.
#[derive(Clone, Debug, PartialEq)]
pub enum ContentBlock {
    /// `{"type":"text","text"}`
    Text(JsString),
    /// `{"type":"thinking","thinking"}`
    Thinking(JsString),
    /// `{"type":"toolCall","id","name","arguments"}`
    ToolCall(ToolCall),
    /// Anything else, kept by type.
    Other(JsString),
}

/// A tool call of an assistant message.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The call's id; empty when the provider gave none.
    pub id: JsString,
    /// The tool's name as called.
    pub name: JsString,
    /// The parsed arguments.
    pub arguments: Value,
    /// The raw argument text, where the provider left it (`partialArgs`).
    pub partial_args: Option<JsString>,
    /// The name on the wire, where it differs (`customWireName`).
    pub wire_name: Option<JsString>,
}

impl Message {
    /// Wraps an object; nothing is checked.
    pub fn new(raw: Object) -> Self {
        Self { raw }
    }

    /// The role, empty when there is none.
    pub fn role(&self) -> JsString {
        self.string("role").unwrap_or_default()
    }

    /// Whether the role is `assistant`.
    pub fn is_assistant(&self) -> bool {
        self.role() == "assistant"
    }

    /// The stop reason of an assistant message.
    pub fn stop_reason(&self) -> Option<JsString> {
        self.string("stopReason")
    }

    /// Whether the message ended `aborted` or `error`.
    pub fn is_cut_short(&self) -> bool {
        self.ending().is_cut_short()
    }

    /// `timestamp` in milliseconds since the epoch.
    pub fn timestamp(&self) -> Option<f64> {
        self.raw.get("timestamp")?.as_f64()
    }

    /// A string member.
    pub fn string(&self, key: &str) -> Option<JsString> {
        self.raw.get(key)?.as_string().cloned()
    }

    /// The content as blocks; a plain string is one text block (session.md S2.3).
    pub fn blocks(&self) -> Vec<ContentBlock> {
        match self.raw.get("content") {
            Some(Value::String(text)) => vec![ContentBlock::Text(text.clone())],
            Some(Value::Array(items)) => items.iter().map(ContentBlock::read).collect(),
            _ => Vec::new(),
        }
    }

    /// The tool calls among the blocks.
    pub fn tool_calls(&self) -> Vec<ToolCall> {
        self.placed_calls().map(|(_, call)| call).collect()
    }

    /// The tool calls among the blocks, with their content index. Texts, which can be long, are not copied.
    pub fn placed_calls(&self) -> impl Iterator<Item = (usize, ToolCall)> {
        let items = self.raw.get("content").and_then(Value::as_array).unwrap_or_default().iter().enumerate();
        items.filter_map(|(at, item)| {
            let is_call = item.get("type").and_then(Value::as_string).is_some_and(|kind| *kind == "toolCall");
            is_call.then(|| ContentBlock::read(item).into_tool_call()).flatten().map(|call| (at, call))
        })
    }

    /// The text blocks joined by LF.
    pub fn text(&self) -> JsString {
        let mut joined = JsString::new();
        let texts = self.blocks().into_iter().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text),
            _ => None,
        });
        for (at, text) in texts.enumerate() {
            if at > 0 {
                joined.push_str("\n");
            }
            joined.push_units(text.units());
        }
        joined
    }
}

impl ContentBlock {
    /// Reads one block; what has no known shape is [`ContentBlock::Other`].
    pub fn read(value: &Value) -> Self {
        let string = |key: &str| value.get(key).and_then(Value::as_string).cloned();
        let kind = string("type").unwrap_or_default();
        match kind.to_utf8().as_deref() {
            Some("text") => string("text").map(Self::Text),
            Some("thinking") => string("thinking").map(Self::Thinking),
            Some("toolCall") => string("name").map(|name| {
                Self::ToolCall(ToolCall {
                    id: string("id").unwrap_or_default(),
                    name,
                    arguments: value.get("arguments").cloned().unwrap_or(Value::Object(Object::new())),
                    partial_args: string("partialArgs"),
                    wire_name: string("customWireName"),
                })
            }),
            _ => None,
        }
        .unwrap_or(Self::Other(kind))
    }

    fn into_tool_call(self) -> Option<ToolCall> {
        if let Self::ToolCall(call) = self { Some(call) } else { None }
    }
}
