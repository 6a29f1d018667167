//! The message that streams, as far as it has come.

use std::collections::BTreeMap;

use crate::message::{AgentEvent, text_block, thinking_block, tool_call_block};
use crate::text::JsString;
use crate::text::json::{self, Object, Value};
use crate::tool::{CallReader, ReadOptions};

/// What streamed, by content index.
#[derive(Debug, Default)]
pub struct Partial {
    blocks: BTreeMap<usize, Block>,
}

#[derive(Debug)]
enum Block {
    Text(JsString),
    Thinking(JsString),
    Call { raw: JsString, begun: Option<(JsString, JsString)>, complete: Option<Call> },
}

#[derive(Debug)]
struct Call {
    id: JsString,
    name: JsString,
    arguments: Option<Value>,
}

impl Partial {
    /// Adds what `event` streams.
    pub fn add(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::TextDelta { index, delta } => {
                let block = self.blocks.entry(*index).or_insert_with(|| Block::Text(JsString::new()));
                if let Block::Text(text) = block {
                    text.push_units(delta.units());
                }
            }
            AgentEvent::ThinkingDelta { index, delta } => {
                let block = self.blocks.entry(*index).or_insert_with(|| Block::Thinking(JsString::new()));
                if let Block::Thinking(text) = block {
                    text.push_units(delta.units());
                }
            }
            AgentEvent::ToolCallStart { index, id, name } => {
                let begun = id.clone().zip(name.clone());
                self.blocks.insert(*index, Block::Call { raw: JsString::new(), begun, complete: None });
            }
            AgentEvent::ToolCallDelta { index, delta } => {
                if let Some(Block::Call { raw, .. }) = self.blocks.get_mut(index) {
                    raw.push_units(delta.units());
                }
            }
            AgentEvent::ToolCallEnd { index, id, name, arguments } => {
                if let Some(Block::Call { complete, .. }) = self.blocks.get_mut(index) {
                    let (id, name, arguments) = (id.clone(), name.clone(), arguments.clone());
                    *complete = Some(Call { id, name, arguments });
                }
            }
            AgentEvent::StreamRestart => self.blocks.clear(),
            _ => {}
        }
    }

    /// The content of the message. An incomplete call is left out (session.md S9.2).
    pub fn into_content(self) -> Vec<Value> {
        self.blocks.into_values().filter_map(|block| block.into_value(false)).collect()
    }

    /// The content of the message with the call that is incomplete, as the early generation keeps it.
    pub fn into_content_with_cut_call(self) -> Vec<Value> {
        self.blocks.into_values().filter_map(|block| block.into_value(true)).collect()
    }
}

/// A call whose arguments stopped at `raw`: what can be read of them, and the text itself.
pub fn cut_call(id: JsString, name: JsString, raw: JsString) -> Value {
    let mut reader = CallReader::new(&name, &ReadOptions::default());
    reader.push(raw.units());
    reader.finish(None);
    let mut block = tool_call_block(id, name, reader.arguments().clone());
    block.insert("partialArgs", raw);
    block.into()
}

impl Block {
    fn into_value(self, keeps_cut_call: bool) -> Option<Value> {
        match self {
            Self::Text(text) => Some(text_block(text)),
            Self::Thinking(thinking) => Some(thinking_block(thinking)),
            Self::Call { raw, begun, complete: None } => {
                let (id, name) = begun.filter(|_| keeps_cut_call)?;
                Some(cut_call(id, name, raw))
            }
            Self::Call { raw, complete, .. } => {
                let Call { id, name, arguments } = complete?;
                let parsed = || raw.to_utf8().and_then(|text| json::parse(&text).ok());
                let arguments = arguments.or_else(parsed).unwrap_or(Value::Object(Object::new()));
                let compact = JsString::from(arguments.stringify());
                let mut block = tool_call_block(id, name, arguments);
                // The raw text is kept only where it says more than the arguments: a replay streams it again.
                if raw != compact {
                    block.insert("partialArgs", raw);
                }
                Some(block.into())
            }
        }
    }
}
