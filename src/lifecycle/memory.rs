//! [`AgentMemory`]: what the coordinator must know of the agent's messages and of its running.

use std::collections::VecDeque;

use crate::text::JsString;

use super::Injection;

/// A message in the agent's memory, as far as decisions look at it.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    /// `user`, `assistant`, `toolResult`, `custom` and so on.
    pub role: JsString,
    /// Milliseconds since the epoch, when known.
    pub timestamp: Option<f64>,
}

/// The agent's messages, its follow-up queue, and whether it runs.
///
/// The coordinator keeps it from the events that it sees. It is the agent's memory, not the session file: what is
/// discarded here stays in the file.
#[derive(Clone, Debug, Default)]
pub struct AgentMemory {
    pub(crate) messages: Vec<Remembered>,
    pub(crate) queue: VecDeque<Injection>,
    pub(crate) warnings: VecDeque<Injection>,
    pub(crate) streaming: bool,
}

impl AgentMemory {
    /// The messages in order.
    #[cfg(feature = "internals")]
    pub fn messages(&self) -> &[Remembered] {
        &self.messages
    }

    /// Follow-ups that wait for delivery, in order.
    #[cfg(feature = "internals")]
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Warnings that wait for the next step, in order.
    #[cfg(feature = "internals")]
    pub fn warnings(&self) -> usize {
        self.warnings.len()
    }

    /// Whether the agent runs: from a turn's start or a continuation until it is idle.
    #[cfg(feature = "internals")]
    pub fn is_streaming(&self) -> bool {
        self.streaming
    }

    pub(crate) fn push(&mut self, role: impl Into<JsString>, timestamp: Option<f64>) {
        self.messages.push(Remembered { role: role.into(), timestamp });
    }

    /// The last assistant message of that time stamp, or the last assistant message when none is known.
    pub(crate) fn target(&self, timestamp: Option<f64>) -> Option<usize> {
        self.messages.iter().rposition(|message| {
            message.role == "assistant" && timestamp.is_none_or(|wanted| message.timestamp == Some(wanted))
        })
    }

    /// Whether the last message has that role.
    pub(crate) fn ends_with(&self, role: &str) -> bool {
        self.messages.last().is_some_and(|message| message.role == role)
    }
}
