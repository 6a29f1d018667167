//! [`ForeignHistory`]: what other agents did as the steps of a recording.

use std::collections::VecDeque;
use std::io;

use crate::history::{Step, Turn};
use crate::json_object;
use crate::message::{AgentEvent, Message, Model, PLAIN_ABORT, text_block, thinking_block, tool_call_block};
use crate::stream::{ChunkMode, Events, Origin, StreamHeader};
use crate::text::JsString;
use crate::text::json::{Object, Value};

use super::model::{Adapter, Block, Call, CallResult, Facts, Happening, Said, Shows, joined};

/// Plays an adapter's happenings as the steps of a recording.
pub struct ForeignHistory {
    adapter: Box<dyn Adapter>,
    chunk: ChunkMode,
    ahead: VecDeque<Happening>,
    started: bool,
    messages: usize,
}

impl ForeignHistory {
    /// `chunk`: how prose without borders is cut; calls stay whole.
    pub fn new(adapter: Box<dyn Adapter>, chunk: ChunkMode) -> Self {
        Self { adapter, chunk, ahead: VecDeque::new(), started: false, messages: 0 }
    }

    /// What is known of the input so far.
    pub fn facts(&self) -> &Facts {
        self.adapter.facts()
    }

    /// The next step; none at the end.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub fn next_step(&mut self) -> io::Result<Option<Step>> {
        if !self.started {
            self.started = true;
            self.ahead.extend(self.adapter.next()?);
            let facts = self.adapter.facts();
            let mut raw = Object::new();
            for (key, value) in [("id", &facts.session), ("cwd", &facts.cwd), ("timestamp", &facts.time)] {
                if let Some(value) = value {
                    raw.insert(key, value.clone());
                }
            }
            return Ok(Some(Step::Header(StreamHeader { id: facts.session.clone(), cwd: facts.cwd.clone(), raw })));
        }
        let next = match self.ahead.pop_front() {
            Some(next) => Some(next),
            None => self.adapter.next()?,
        };
        Ok(next.map(|happening| match happening {
            Happening::Prompt(line, text) => {
                Step::Message(Origin { line: Some(line), ..Origin::default() }, Message::user(text, 0))
            }
            Happening::OtherAgent => Step::ProcessEnd,
            Happening::Said(said) => Step::Turn(Box::new(self.turn(*said))),
        }))
    }

    fn turn(&mut self, said: Said) -> Turn {
        let origin =
            Origin { line: said.line, entry: said.id.clone(), message: Some(self.messages), ..Origin::default() };
        self.messages += 1;
        let mut events = Events::default();
        let (mut content, mut results) = (Vec::new(), Vec::new());
        let calls = said.blocks.iter().any(|block| matches!(block, Block::Call(_)));
        for (index, block) in said.blocks.into_iter().enumerate() {
            let at = |delta: Option<usize>| Origin { block: Some(index), delta, ..origin.clone() };
            match block {
                Block::Text(pieces) => {
                    for (number, delta) in cut(&pieces, self.chunk).into_iter().enumerate() {
                        events.push(at(Some(number)), AgentEvent::TextDelta { index, delta });
                    }
                    content.push(text_block(concat(&pieces)));
                }
                Block::Thinking(pieces) => {
                    for (number, delta) in cut(&pieces, self.chunk).into_iter().enumerate() {
                        events.push(at(Some(number)), AgentEvent::ThinkingDelta { index, delta });
                    }
                    content.push(thinking_block(concat(&pieces)));
                }
                Block::Call(call) => {
                    results.push((Origin::default(), result(&call)));
                    content.push(call_events(call, index, at, &mut events));
                }
            }
        }
        let stop = match (said.aborted, calls) {
            (true, _) => "aborted",
            (false, true) => "toolUse",
            (false, false) => "stop",
        };
        let timestamp = said.timestamp.map_or(Value::Null, |ms| Value::Number(format!("{ms}").into()));
        let mut message = Message::assistant(&Model::scripted(), content, stop, timestamp);
        if said.aborted {
            message.raw.insert("errorMessage", PLAIN_ABORT);
        }
        Turn {
            timestamp: said.timestamp,
            starts_turn: true,
            events,
            end: (!said.torn).then(|| (origin.clone(), message)),
            results: if said.torn { Vec::new() } else { results },
            turn_ends: 1,
            origin,
            ..Turn::default()
        }
    }
}

/// The events of a finished call; gives its content block.
fn call_events(call: Call, index: usize, at: impl Fn(Option<usize>) -> Origin, events: &mut Events) -> Value {
    let Call { id, tool: name, shows, .. } = call;
    events.push(at(None), AgentEvent::ToolCallStart { index, id: Some(id.clone()), name: Some(name.clone()) });
    let arguments = match shows {
        Shows::Entries(entries) => {
            let paths = joined(entries.iter().map(|(path, _)| path));
            events.push(at(None), AgentEvent::ToolCallEntries { index, entries });
            Value::Object(json_object! {"path": paths})
        }
        Shows::Arguments(arguments) => {
            let delta = arguments.stringify().into();
            events.push(at(Some(0)), AgentEvent::ToolCallDelta { index, delta });
            arguments
        }
    };
    let end = AgentEvent::ToolCallEnd { index, id: id.clone(), name: name.clone(), arguments: Some(arguments.clone()) };
    events.push(at(None), end);
    tool_call_block(id, name, arguments).into()
}

/// The result of a call. Its text is no matter of rules, and is not kept.
fn result(call: &Call) -> Message {
    let is_error = matches!(call.result, CallResult::Failed | CallResult::Rejected);
    Message::tool_result(call.id.clone(), call.tool.clone(), "", is_error, 0)
}

/// Pieces with borders as they are; a single one is cut by the mode.
fn cut(pieces: &[JsString], mode: ChunkMode) -> Vec<JsString> {
    let [whole] = pieces else { return pieces.to_vec() };
    let (mut rest, mut cut) = (whole.units(), Vec::new());
    while !rest.is_empty() {
        let length = mode.cut(rest).clamp(1, rest.len());
        let (piece, behind) = rest.split_at(length);
        cut.push(JsString::from_units(piece));
        rest = behind;
    }
    cut
}

fn concat(pieces: &[JsString]) -> JsString {
    let mut all = JsString::new();
    pieces.iter().for_each(|piece| all.push_units(piece.units()));
    all
}
