//! What an event stream holds, and where it stood.

use crate::message::AgentEvent;
use crate::text::JsString;
use crate::text::json::Object;

/// Where an event comes from, for the `at` of a trace line (cli.md section 2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// 1-based line of the input, when the input has lines.
    pub line: Option<usize>,
    /// Id of the session entry that holds the message.
    pub entry: Option<JsString>,
    /// 0-based count of assistant messages begun before this one.
    pub message: Option<usize>,
    /// Content index of the block.
    pub block: Option<usize>,
    /// 0-based count of deltas of this block before this one.
    pub delta: Option<usize>,
}

/// One thing found in an event stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Where it stood.
    pub origin: Origin,
    /// What it is.
    pub content: StreamItem,
}

/// What a line of an event stream says (session.md S8.3).
#[derive(Clone, Debug, PartialEq)]
pub enum StreamItem {
    /// The session header that a stream in JSON mode begins with.
    Header(StreamHeader),
    /// Something that the agent loop announced.
    Event(AgentEvent),
    /// A recorded `ttsr_triggered`: the names of its rules in order.
    Triggered(Vec<JsString>),
    /// A line that has no influence on decisions; the kind is its `type`.
    Ignored(JsString),
}

/// The header of a stream or session (session.md S1.4).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamHeader {
    /// The session id, when it is a string.
    pub id: Option<JsString>,
    /// The working directory.
    pub cwd: Option<JsString>,
    /// The whole header as read.
    pub raw: Object,
}
