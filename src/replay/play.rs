//! Recorded turns played through the engine (cli.md section 2, "Deltas after a match"; session.md S8.7, S9.6).

use std::collections::BTreeMap;

use crate::json_object;
use crate::lifecycle::{Abort, OTHER_TOOL_CALL_REASON, REMINDER_PREFIX};
use crate::message::{AgentEvent, ContentBlock, Message};
use crate::stream::Origin;
use crate::text::JsString;
use crate::text::json::{Object, Value};

use super::recorded::Turn;
use super::run::Run;
use super::whole::whole_texts;

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnEnd {
    /// The agent goes on by itself: it called tools.
    GoesOn,
    /// The agent stopped, or a follow-up or retry asks the model again.
    Stopped {
        /// Whether the model is asked again.
        resumes: bool,
        /// Whether a match left the recording here.
        left_recording: bool,
    },
}

/// Plays one recorded turn. With `cancelled` the user aborted before the retry of an interrupt could run.
pub(super) fn play_turn(run: &mut Run<'_>, turn: &Turn, cancelled: bool) -> TurnEnd {
    if turn.starts_turn {
        run.open_turn();
    }
    run.wake();
    run.begin_message(&turn.origin);
    run.feed(&AgentEvent::MessageStart { timestamp: turn.timestamp });
    let to_the_end = turn.was_cut_short();
    let mut abort: Option<Abort> = None;
    let mut played = turn.events.len();
    for (at, (origin, event)) in turn.events.iter().enumerate() {
        run.move_to(origin);
        let effects = run.feed(event);
        if abort.is_none() {
            abort = effects.abort;
        }
        if abort.is_some() && !to_the_end {
            played = at + 1;
            break;
        }
    }
    settle(run, &turn.events);
    if turn.end.is_none() && abort.is_none() {
        // The recording ends inside the message: nothing more is known of it.
        return TurnEnd::GoesOn;
    }
    let left_recording = abort.is_some() && !to_the_end;
    let message = match (&abort, &turn.end) {
        (Some(abort), end) if left_recording || end.is_none() => partial(turn, played, abort),
        (Some(abort), Some((_, message))) => aborted(message, abort),
        (_, Some((_, message))) => message.clone(),
        (_, None) => Message::new(Object::new()),
    };
    if let Some((origin, _)) = &turn.end {
        run.move_to(&Origin { block: None, delta: None, ..origin.clone() });
    }
    run.feed(&AgentEvent::MessageEnd(message.clone()));
    run.journal.message(&message, turn.end.as_ref().map(|(origin, _)| origin));
    results(run, turn, &message, abort.as_ref().filter(|_| left_recording));
    for _ in 0..turn.turn_ends.max(usize::from(left_recording)) {
        run.feed(&AgentEvent::TurnEnd);
    }
    let cut_short = message.is_cut_short();
    if !cut_short && !message.tool_calls().is_empty() {
        return TurnEnd::GoesOn;
    }
    if !cut_short && !run.take_queued().delivered.is_empty() {
        return TurnEnd::Stopped { resumes: true, left_recording };
    }
    run.feed(&AgentEvent::AgentEnd);
    if cancelled && run.coordinator.ttsr_abort_pending() {
        run.coordinator.user_abort();
    }
    let effects = run.pass_time();
    TurnEnd::Stopped { resumes: effects.resume.is_some() || !effects.delivered.is_empty(), left_recording }
}

pub(super) fn settle(run: &mut Run<'_>, events: &[(Origin, AgentEvent)]) {
    let buffers = run.open_buffers();
    if !buffers.is_empty() {
        let whole = whole_texts(buffers, events, &run.reading);
        run.settle(&whole);
    }
}

/// Feeds the results of the message's calls: the recorded ones without the reminders that the recording put in front,
/// or, where the message was left at a match, the placeholders that an abort leaves.
fn results(run: &mut Run<'_>, turn: &Turn, message: &Message, left: Option<&Abort>) {
    if let Some(abort) = left {
        for call in message.tool_calls() {
            let reason = match (&abort.tool_call, &abort.reason) {
                (Some(id), _) if *id != call.id => JsString::from(OTHER_TOOL_CALL_REASON),
                (_, reason) => reason.clone().unwrap_or_else(|| "Request was aborted".into()),
            };
            let text = format!("Tool execution was aborted: {reason}");
            let content = Value::Array(vec![Value::Object(json_object! {"type": "text", "text": text})]);
            let result = Message::new(json_object! {
                "role": "toolResult",
                "toolCallId": call.id,
                "toolName": call.name,
                "content": content,
                "isError": true,
            });
            run.feed_result(&result, None);
        }
        return;
    }
    let mut entries = turn.entries.iter().peekable();
    for (at, (origin, recorded)) in turn.results.iter().enumerate() {
        while let Some((_, entry)) = entries.next_if(|(before, _)| *before <= at) {
            run.journal.entry(entry);
        }
        run.move_to(&Origin { block: None, delta: None, ..origin.clone() });
        run.feed_result(&without_reminders(recorded), Some(origin));
    }
    for (_, entry) in entries {
        run.journal.entry(entry);
    }
}

/// The result without the leading reminder blocks that a recording holds (engine.md E7.2 step 5).
pub(super) fn without_reminders(result: &Message) -> Message {
    let mut payload = result.clone();
    if let Some(Value::Array(blocks)) = payload.raw.get_mut("content") {
        let is_reminder = |block: &Value| matches!(ContentBlock::read(block), ContentBlock::Text(text) if text.starts_with(REMINDER_PREFIX));
        let reminders = blocks.iter().take_while(|block| is_reminder(block)).count();
        blocks.drain(..reminders);
    }
    payload
}

/// The recorded message as one that rules aborted.
fn aborted(message: &Message, abort: &Abort) -> Message {
    let mut message = message.clone();
    if message.stop_reason().is_none_or(|why| why != "aborted") {
        message.raw.insert("stopReason", "aborted");
        if let Some(reason) = &abort.reason {
            message.raw.insert("errorMessage", reason.clone());
        }
    }
    message
}

/// The message as it stood at the match: what had streamed, without calls that were not complete (session.md S9.2).
fn partial(turn: &Turn, played: usize, abort: &Abort) -> Message {
    let recorded = turn.end.as_ref().map(|(_, message)| message.raw.clone()).unwrap_or_default();
    let mut blocks: BTreeMap<usize, (&str, JsString)> = BTreeMap::new();
    let mut calls: BTreeMap<usize, Value> = BTreeMap::new();
    for (_, event) in &turn.events[..played] {
        match event {
            AgentEvent::StreamRestart => {
                blocks.clear();
                calls.clear();
            }
            AgentEvent::TextDelta { index, delta } => {
                blocks.entry(*index).or_insert(("text", JsString::new())).1.push_units(delta.units());
            }
            AgentEvent::ThinkingDelta { index, delta } => {
                blocks.entry(*index).or_insert(("thinking", JsString::new())).1.push_units(delta.units());
            }
            AgentEvent::ToolCallEnd { index, .. } => {
                let content = recorded.get("content").and_then(Value::as_array);
                if let Some(block) = content.and_then(|blocks| blocks.get(*index)) {
                    calls.insert(*index, block.clone());
                }
            }
            _ => {}
        }
    }
    let mut content: BTreeMap<usize, Value> = calls;
    for (index, (kind, text)) in blocks {
        content.insert(index, Value::Object(json_object! {"type": kind, kind: text}));
    }
    let mut raw = recorded;
    raw.insert("role", "assistant");
    raw.insert("content", content.into_values().collect::<Vec<_>>());
    raw.insert("stopReason", "aborted");
    if let Some(reason) = &abort.reason {
        raw.insert("errorMessage", reason.clone());
    }
    Message::new(raw)
}
