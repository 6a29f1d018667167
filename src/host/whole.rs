//! The whole text of a buffer: what a rule would have seen of a message without any interrupt.

use std::collections::HashMap;

use crate::message::AgentEvent;
use crate::stream::Origin;
use crate::text::JsString;
use crate::tool::{CallReader, ReadOptions};

/// Computes the whole text of each of `buffers` (key and present text) from all events of the message. A buffer of which
/// no longer text is known is taken as it is.
pub(super) fn whole_texts(
    buffers: Vec<(JsString, Vec<u16>)>,
    events: &[(Origin, AgentEvent)],
    reading: &ReadOptions,
) -> HashMap<JsString, Vec<u16>> {
    let candidates = candidates(events, reading);
    let longest = |prefix: &[u16]| {
        let fitting = candidates.iter().filter(|text| text.starts_with(prefix));
        fitting.max_by_key(|text| text.len()).cloned()
    };
    buffers.into_iter().map(|(key, text)| (key, longest(&text).unwrap_or(text))).collect()
}

/// Every text that some buffer holds at the end of the message: the prose, the thinking, and of each call its
/// digests, its raw arguments and its final arguments as JSON.
fn candidates(events: &[(Origin, AgentEvent)], reading: &ReadOptions) -> Vec<Vec<u16>> {
    let (mut text, mut thinking) = (Vec::new(), Vec::new());
    let mut calls: HashMap<usize, CallReader> = HashMap::new();
    let mut finals: Vec<Vec<u16>> = Vec::new();
    for (_, event) in events {
        match event {
            AgentEvent::StreamRestart => {
                text.clear();
                thinking.clear();
                calls.clear();
            }
            AgentEvent::TextDelta { delta, .. } => text.extend_from_slice(delta.units()),
            AgentEvent::ThinkingDelta { delta, .. } => thinking.extend_from_slice(delta.units()),
            AgentEvent::ToolCallStart { index, name: Some(name), .. } => {
                calls.insert(*index, CallReader::new(name, reading));
            }
            AgentEvent::ToolCallEntries { index, entries } => {
                if let Some(call) = calls.get_mut(index) {
                    call.give(entries);
                }
            }
            AgentEvent::ToolCallDelta { index, delta } => {
                if let Some(call) = calls.get_mut(index) {
                    call.push(delta.units());
                }
            }
            AgentEvent::ToolCallEnd { index, name, arguments, .. } => {
                let call = calls.entry(*index).or_insert_with(|| CallReader::new(name, reading));
                call.finish(arguments.as_ref());
                finals.push(JsString::from(call.arguments().stringify()).into_units());
            }
            _ => {}
        }
    }
    let mut texts = vec![text, thinking];
    for call in calls.values_mut() {
        texts.push(call.raw().units().to_vec());
        let inspection = call.inspect();
        texts.extend(inspection.digest.iter().map(|digest| digest.text.to_vec()));
        texts.extend(inspection.entries.iter().flatten().map(|entry| entry.digest.text.to_vec()));
    }
    texts.extend(finals);
    texts
}
