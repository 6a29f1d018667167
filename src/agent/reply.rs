//! What a model, scripted or recorded, answers; and where answers come from.

use crate::diagnostic::Diagnostic;
use crate::message::{AgentEvent, Message, Model};
use crate::stream::Origin;
use crate::text::JsString;

use super::ScriptedResult;

/// Prompts and replies, in order.
pub trait ReplySource {
    /// What wakes the idle agent; none when nothing is left.
    fn next_input(&mut self) -> Option<Input>;

    /// The answer to a request; none when there is none for it.
    fn next_reply(&mut self, purpose: Purpose) -> Option<Reply>;

    /// Messages that join between two turns of one run.
    fn next_notes(&mut self) -> Vec<(Message, Origin)> {
        Vec::new()
    }

    /// The empty aborted message that a late abort left behind the message that it was meant for (cli.md section 2,
    /// "Deltas after a match").
    fn late_abort(&mut self) -> Option<Reply> {
        None
    }

    /// Whether the recording shows that the retry of the interrupted message never ran: the next thing is a prompt
    /// or the end of the process.
    fn retry_was_cancelled(&mut self) -> bool {
        false
    }

    /// What was found since the last call.
    fn take_diagnostics(&mut self) -> Vec<Diagnostic>;
}

/// What wakes the idle agent.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A prompt, with what joins before the reply. A message without timestamp gets the present.
    Prompt(Vec<(Message, Origin)>),
    /// Messages that join the memory and ask for no reply.
    Notes(Vec<(Message, Origin)>),
    /// A recorded reply that no prompt precedes, such as an automatic retry.
    Continue,
    /// The process ended; another one resumes the session (session.md S9.4a).
    ProcessEnd(Origin),
}

/// Why the agent asks for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A prompt or the results of tool calls.
    Turn,
    /// The continuation after an interrupt.
    Retry,
    /// A delivered follow-up.
    FollowUp,
}

/// One answer of the model.
pub struct Reply {
    /// Its deltas, in order; only deltas, call starts and ends, and restarts.
    pub steps: Box<dyn Iterator<Item = ReplyStep>>,
    /// How it ends.
    pub end: ReplyEnd,
    /// What its tool calls give.
    pub results: Results,
    /// When it was recorded, in milliseconds since the epoch.
    pub timestamp: Option<f64>,
    /// Who answers.
    pub model: Model,
    /// Where it stands.
    pub origin: Origin,
    /// Whether the recording itself was interrupted here, so that an abort leaves its late deltas (cli.md section 2).
    pub was_interrupted: bool,
    /// Virtual milliseconds before each delta.
    pub delay_ms: u64,
    /// Virtual milliseconds from the start of the reply to an abort by the user.
    pub user_interrupt_after_ms: Option<u64>,
    /// Virtual milliseconds from the start of the reply to the next prompt.
    pub new_prompt_after_ms: Option<u64>,
    /// Virtual milliseconds from the start of the reply to the cancellation of the handoff that asked for it.
    pub abort_handoff_after_ms: Option<u64>,
}

/// One step of a reply.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyStep {
    /// Something streamed.
    Event(AgentEvent, Origin),
    /// A recorded `ttsr_triggered`.
    Triggered(Vec<JsString>, Origin),
}

/// How a reply ends.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyEnd {
    /// The message is built from what streamed. Without a stop reason it is `toolUse` when there are calls, else
    /// `stop`.
    Built {
        /// The stop reason, when the script gives one.
        stop_reason: Option<JsString>,
        /// The failure of the request.
        failure: Option<Failure>,
    },
    /// The recorded message.
    Recorded(Message),
    /// The recording breaks off before the message's end.
    Torn,
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

/// What the tool calls of a reply give.
#[derive(Clone, Debug, PartialEq)]
pub enum Results {
    /// The scripted results; a call without one gives `ok`.
    Scripted(Vec<ScriptedResult>),
    /// What the recording holds behind the message, in order.
    Recorded(Vec<(After, Origin)>),
}

/// Something recorded behind an assistant message and before the next.
#[derive(Clone, Debug, PartialEq)]
pub enum After {
    /// A tool result, without the reminder that was put in front of it (session.md S9.4b).
    Result(Message),
    /// A recorded `ttsr_triggered`.
    Triggered(Vec<JsString>),
}
