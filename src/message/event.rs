//! [`AgentEvent`]: what the agent loop announces, whether it is recorded, scripted or live.

use crate::text::JsString;
use crate::text::json::Value;

use super::Message;

/// One event of a run, in the order in which the agent announces it (session.md S8).
///
/// `index` is the content index of a block in the message that streams.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentEvent {
    /// A prompt begins to run.
    AgentStart,
    /// A turn begins: the buffers are cleared.
    TurnStart,
    /// A message that is no assistant message joins the agent's memory: user, custom, developer. Tool results
    /// come as [`AgentEvent::ToolResult`].
    Message(Message),
    /// An assistant message begins; it joins the memory at its end.
    MessageStart {
        /// Milliseconds since the epoch, when known.
        timestamp: Option<f64>,
    },
    /// The provider starts the same response over: what was streamed is dropped.
    StreamRestart,
    /// Prose.
    TextDelta {
        /// Content index.
        index: usize,
        /// The added text.
        delta: JsString,
    },
    /// Thinking.
    ThinkingDelta {
        /// Content index.
        index: usize,
        /// The added text.
        delta: JsString,
    },
    /// A tool call begins.
    ToolCallStart {
        /// Content index.
        index: usize,
        /// The call's id: none when unknown, empty when the provider gave none.
        id: Option<JsString>,
        /// The tool's name, when known.
        name: Option<JsString>,
    },
    /// Raw argument text of the call at `index`.
    ToolCallDelta {
        /// Content index.
        index: usize,
        /// The added argument text.
        delta: JsString,
    },
    /// The arguments of the call at `index` as the agent has parsed them at its next delta. Only full streams show
    /// them; elsewhere they are read off the deltas (engine.md E6.6).
    ToolCallArguments {
        /// Content index.
        index: usize,
        /// The arguments so far.
        arguments: Value,
    },
    /// What the call at `index`, of another agent, puts into which file: path and text. It stands in place of the
    /// arguments, which have another form there.
    ToolCallEntries {
        /// Content index.
        index: usize,
        /// Path and text of each file.
        entries: Vec<(JsString, JsString)>,
    },
    /// The call at `index` is complete.
    ToolCallEnd {
        /// Content index.
        index: usize,
        /// The call's id.
        id: JsString,
        /// The tool's name as called.
        name: JsString,
        /// The final arguments; none when the deltas hold them.
        arguments: Option<Value>,
    },
    /// The assistant message is complete.
    MessageEnd(Message),
    /// A tool ran; its message before any reminder is put in front.
    ToolResult(Message),
    /// The turn is over: the turn counter grows.
    TurnEnd,
    /// The agent is idle.
    AgentEnd,
}
