//! A scripted reply as a whole: for an agent that plays something else and asks the script for retries.

use std::sync::Arc;

use crate::message::{AgentEvent, Message, Model};
use crate::stream::Origin;

use super::finished::{built_message, refused};
use super::partial::Partial;
use super::tools::refusal;
use super::{ScriptReply, ScriptSource};

/// A reply with all that belongs to it.
#[derive(Debug)]
pub struct WholeReply {
    /// What streams.
    pub events: Vec<AgentEvent>,
    /// The message.
    pub message: Message,
    /// What its calls give, in order; none where it ended in a failure.
    pub results: Vec<Message>,
}

impl ScriptReply {
    /// What of the reply needs virtual time or prompts, so that it means nothing as an answer to a retry: the key.
    pub fn needs_a_run(&self) -> Option<&'static str> {
        let keys = [
            (self.delay_ms > 0, "delayMs"),
            (self.user_interrupt_after_ms.is_some(), "userInterruptAfterMs"),
            (self.new_prompt_after_ms.is_some(), "newPromptAfterMs"),
            (self.abort_handoff_after_ms.is_some(), "abortHandoffAfterMs"),
            (self.continue_fails.is_some(), "continueFails"),
            (self.handoff.is_some(), "handoff"),
            (!self.judge.is_empty(), "judge"),
        ];
        keys.into_iter().find(|(given, _)| *given).map(|(_, key)| key)
    }
}

impl ScriptSource {
    /// The next reply as a whole, by `model` at `timestamp`; nothing where the script has no more.
    pub fn next_whole(&mut self, model: &Model, timestamp: u64, writes_empty: bool) -> Option<WholeReply> {
        let reply = self.has_reply().then(|| self.next_reply()).flatten()?;
        let steps = Arc::clone(&reply).steps(self.given(), Origin::default());
        let events: Vec<AgentEvent> = steps.map(|(event, ..)| event).collect();
        let mut partial = Partial::default();
        events.iter().for_each(|event| partial.add(event));
        let message = built_message(partial, reply.stop_reason.as_ref(), reply.failure.as_ref(), model, timestamp);
        let calls = if message.is_cut_short() { Vec::new() } else { message.tool_calls() };
        let results = calls.into_iter().enumerate().map(|(index, call)| {
            match (reply.result_of(index, &call.id), refusal(&call, writes_empty)) {
                (Some(given), _) => {
                    Message::tool_result(call.id, call.name, given.text.clone(), given.is_error, timestamp)
                }
                (None, Some(why)) => refused(call, why, timestamp),
                (None, None) => Message::tool_result(call.id, call.name, "ok", false, timestamp),
            }
        });
        Some(WholeReply { results: results.collect(), events, message })
    }
}
