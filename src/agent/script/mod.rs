//! Scripted replies: the script format of `recordings/README.md` and cli.md section 2, `--script`.

mod parse;
mod steps;

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::text::JsString;
use crate::text::json::Value;

/// Code units per delta where a part does not say.
pub const DEFAULT_CHUNK: usize = 7;

/// A script: replies in the order in which they are asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The replies.
    pub replies: Vec<Arc<ScriptReply>>,
    /// The file that they come from, as the user named it.
    pub file: String,
}

/// One reply of a script.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptReply {
    /// 1-based line at which it begins.
    pub line: usize,
    /// Byte offset of that line.
    pub line_offset: usize,
    /// What streams.
    pub parts: Vec<Part>,
    /// The stop reason that `finish` asks for.
    pub stop_reason: Option<JsString>,
    /// What its tool calls give.
    pub tool_results: Vec<ScriptedResult>,
    /// The failure that the request ends with, behind its parts.
    pub failure: Option<Failure>,
    /// Rows of verdicts that count from this reply on (generation-v4.md W15.2).
    pub judge: Vec<Value>,
    /// What the agent's continue throws in place of a reply.
    pub continue_fails: Option<JsString>,
    /// No reply but a handoff that is asked for here, between prompts.
    pub handoff: Option<ScriptedHandoff>,
    /// Virtual milliseconds before each delta.
    pub delay_ms: u64,
    /// Virtual milliseconds from the start to an abort by the user.
    pub user_interrupt_after_ms: Option<u64>,
    /// Virtual milliseconds from the start to the next prompt.
    pub new_prompt_after_ms: Option<u64>,
    /// Virtual milliseconds from the start to the cancellation of the handoff.
    pub abort_handoff_after_ms: Option<u64>,
}

/// One block of a scripted reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is.
    pub content: PartContent,
    /// How it is cut.
    pub chunks: Chunks,
    /// Virtual milliseconds before its first delta, beside the reply's own delay.
    pub pause_ms: u64,
    /// Whether it goes on in the block of the part before, as prose behind a pause does.
    pub continues: bool,
}

/// What a part streams.
#[derive(Clone, Debug, PartialEq)]
pub enum PartContent {
    /// Prose.
    Text(JsString),
    /// Thinking.
    Thinking(JsString),
    /// A tool call.
    Tool {
        /// Name of the tool.
        name: JsString,
        /// Id of the call; made up when absent.
        id: Option<JsString>,
        /// The arguments.
        arguments: Value,
        /// The argument text as it streams, where it is not the compact JSON of the arguments.
        raw: Option<JsString>,
    },
}

/// How a part becomes deltas.
#[derive(Clone, Debug, PartialEq)]
pub enum Chunks {
    /// This many code units per delta, at least 1; a surrogate pair may be cut.
    Size(usize),
    /// These deltas.
    List(Vec<JsString>),
}

/// A scripted result of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptedResult {
    /// The call.
    pub call: CallRef,
    /// The text of the result.
    pub text: JsString,
    /// Whether the tool failed.
    pub is_error: bool,
}

/// How a scripted result names its call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallRef {
    /// By id.
    Id(JsString),
    /// By place among the calls of the reply, from 0.
    Index(usize),
}

/// A handoff that a script asks for between prompts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptedHandoff {
    /// The generation of the pipeline, `g1` to `g5`; the first when nothing is said.
    pub pipeline: Option<JsString>,
    /// What the document should focus on.
    pub focus: Option<JsString>,
    /// Whether it brings its document: the reply behind it, which answers nothing else.
    pub brings_document: bool,
}

/// A failed request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// HTTP status.
    pub status: Option<u16>,
    /// Name of the error, such as `AbortError`.
    pub name: Option<JsString>,
    /// What it says.
    pub message: JsString,
}

impl Failure {
    /// The text as the agent stores it: the status, when there is one, and the message.
    pub fn text(&self) -> JsString {
        let mut text = JsString::new();
        if let Some(status) = self.status {
            text.push_str(&format!("{status} "));
        }
        text.push_units(self.message.units());
        text
    }
}

impl ScriptReply {
    /// What the script says that the call gives which is the `index`th of this reply; a call that no
    /// result names gives none here.
    pub fn result_of(&self, index: usize, id: &JsString) -> Option<&ScriptedResult> {
        let names = |result: &&ScriptedResult| match &result.call {
            CallRef::Id(named) => named == id,
            CallRef::Index(at) => *at == index,
        };
        self.tool_results.iter().find(names)
    }
}

impl Script {
    /// Whether it asks for a handoff somewhere.
    pub fn hands_off(&self) -> bool {
        self.replies.iter().any(|reply| reply.handoff.is_some())
    }

    /// Reads a script: a JSON array of replies, or one reply a line.
    ///
    /// A reply is a list of parts, `{parts, finish, delayMs, …}` or `{status, error}`. Warnings stand beside the
    /// script.
    ///
    /// # Errors
    /// Findings of `malformed-script` with their places, when the text is no JSON or holds anything else than
    /// replies.
    pub fn read(bytes: &[u8], file: &str) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        parse::read(bytes, file)
    }
}
