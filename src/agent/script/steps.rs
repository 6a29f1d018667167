//! A scripted reply to its deltas, made one by one so that a large reply costs no more than its text.

use std::sync::Arc;

use crate::message::AgentEvent;
use crate::stream::Origin;
use crate::text::JsString;

use super::{Chunks, Part, PartContent, ScriptReply};

impl ScriptReply {
    /// The steps of this reply, each with the virtual milliseconds that pass before it. `number` (from 1) goes into
    /// the ids of calls that have none, as in `call_1_0`.
    pub fn steps(self: Arc<Self>, number: usize, origin: Origin) -> impl Iterator<Item = (AgentEvent, Origin, u64)> {
        Steps { reply: self, number, origin, part: 0, block: 0, deltas: 0, calls: 0, state: State::Start }
    }
}

struct Steps {
    reply: Arc<ScriptReply>,
    number: usize,
    origin: Origin,
    part: usize,
    /// Content index of the part's block.
    block: usize,
    /// Deltas of that block.
    deltas: usize,
    /// Calls begun.
    calls: usize,
    state: State,
}

enum State {
    Start,
    /// The deltas of a part; of a call, its id and argument text are held here.
    Deltas {
        id: JsString,
        arguments: Option<JsString>,
        at: usize,
        /// Whether a delta of the part was given.
        begun: bool,
    },
}

impl Iterator for Steps {
    type Item = (AgentEvent, Origin, u64);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let reply = Arc::clone(&self.reply);
            let part = reply.parts.get(self.part)?;
            match &mut self.state {
                State::Start => {
                    if self.part > 0 && !part.continues {
                        self.block += 1;
                        self.deltas = 0;
                    }
                    let arguments = match (&part.content, &part.chunks) {
                        (PartContent::Tool { arguments, raw, .. }, Chunks::Size(_)) => {
                            Some(raw.clone().unwrap_or_else(|| arguments.stringify().into()))
                        }
                        _ => None,
                    };
                    let mut held = JsString::new();
                    let mut start = None;
                    if let PartContent::Tool { name, id, .. } = &part.content {
                        let id = id.clone().unwrap_or_else(|| self.made_up_id());
                        self.calls += 1;
                        held = id.clone();
                        start = Some(AgentEvent::ToolCallStart {
                            index: self.block,
                            id: Some(id),
                            name: Some(name.clone()),
                        });
                    }
                    self.state = State::Deltas { id: held, arguments, at: 0, begun: false };
                    if let Some(start) = start {
                        return Some(self.step(start, None, 0));
                    }
                }
                State::Deltas { id, arguments, at, begun } => {
                    if let Some(delta) = next_delta(part, arguments.as_ref(), at) {
                        let pause_ms = if std::mem::replace(begun, true) { 0 } else { part.pause_ms };
                        let number = self.deltas;
                        self.deltas += 1;
                        let index = self.block;
                        let event = match part.content {
                            PartContent::Text(_) => AgentEvent::TextDelta { index, delta },
                            PartContent::Thinking(_) => AgentEvent::ThinkingDelta { index, delta },
                            PartContent::Tool { .. } => AgentEvent::ToolCallDelta { index, delta },
                        };
                        return Some(self.step(event, Some(number), pause_ms.saturating_add(reply.delay_ms)));
                    }
                    let id = std::mem::take(id);
                    self.state = State::Start;
                    let index = self.block;
                    self.part += 1;
                    if let PartContent::Tool { name, arguments, .. } = &part.content {
                        let (name, arguments) = (name.clone(), Some(arguments.clone()));
                        let end = AgentEvent::ToolCallEnd { index, id, name, arguments };
                        return Some(self.step(end, None, 0));
                    }
                }
            }
        }
    }
}

impl Steps {
    /// The id of the next call.
    fn made_up_id(&self) -> JsString {
        format!("call_{}_{}", self.number, self.calls).into()
    }

    fn step(&self, event: AgentEvent, delta: Option<usize>, pause_ms: u64) -> (AgentEvent, Origin, u64) {
        (event, Origin { block: Some(self.block), delta, ..self.origin.clone() }, pause_ms)
    }
}

/// The delta at `at`, which is moved behind it: a count of code units, or of listed deltas.
fn next_delta(part: &Part, arguments: Option<&JsString>, at: &mut usize) -> Option<JsString> {
    match &part.chunks {
        Chunks::List(deltas) => {
            let delta = deltas.get(*at)?;
            *at += 1;
            Some(delta.clone())
        }
        Chunks::Size(size) => {
            let text = match (&part.content, arguments) {
                (PartContent::Text(text) | PartContent::Thinking(text), _) | (_, Some(text)) => text,
                _ => return None,
            };
            let rest = text.units().get(*at..).filter(|rest| !rest.is_empty())?;
            let delta = &rest[..rest.len().min(*size)];
            *at += delta.len();
            Some(JsString::from_units(delta))
        }
    }
}
