//! [`EventWriter`]: a run in the agent's own JSON event form (session.md S8).

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use crate::json_object;
use crate::message::{AgentEvent, Ending, Message, Model, ToolCall, text_block, thinking_block, tool_call_block};
use crate::text::JsString;
use crate::text::json::{self, Object, Value};

/// Writes the slim form, one event a line.
///
/// The slim form names a tool call only at its end. A call that never ends would lose its name, so its start is
/// written as the full form has it, with the message so far; for that the lines behind an open call wait for the
/// call's end or the message's.
pub struct EventWriter<W> {
    out: W,
    model: Model,
    open: Option<OpenMessage>,
    /// The last assistant message of this turn and its results.
    turn: Option<(Message, Vec<Value>)>,
    /// Everything that joined the memory since the agent started.
    run: Vec<Value>,
    /// Whether rules aborted the last assistant message: such a run has no end in the stream (session.md S8.5e).
    interrupted: bool,
    /// What the end that was left out would list: it is written when the user's abort cancels the retry.
    withheld: Option<Vec<Value>>,
    tells_yield: bool,
}

#[derive(Default)]
struct OpenMessage {
    timestamp: Option<f64>,
    blocks: BTreeMap<usize, Block>,
    /// The text or thinking block that streams.
    streaming: Option<usize>,
    waiting: Vec<Line>,
    /// Calls among `waiting` that have not ended.
    open_calls: usize,
    /// Whether the arguments so far go along with the next delta.
    shows_arguments: bool,
}

/// More content indexes than this between two blocks are not filled in.
const MAX_GAP: usize = 256;

enum Line {
    Ready(String),
    /// The start of the call at this content index.
    CallStart(usize),
}

struct Block {
    kind: Kind,
    text: JsString,
}

impl Block {
    /// Whether this is a named call that did not end, whose name the slim form would lose.
    fn is_lost(&self) -> bool {
        matches!(&self.kind, Kind::Call { name, ended: false, .. } if !name.is_blank())
    }
}

#[derive(Clone)]
enum Kind {
    Text,
    Thinking,
    Call { id: JsString, name: JsString, arguments: Option<Value>, ended: bool },
}

impl<W: Write> EventWriter<W> {
    /// Writes to `out`; an assistant message that only begins is said to be of `model`.
    pub fn new(out: W, model: Model) -> Self {
        Self {
            out,
            model,
            open: None,
            turn: None,
            run: Vec::new(),
            interrupted: false,
            withheld: None,
            tells_yield: false,
        }
    }

    /// The end of a run says that the agent yielded, as it does from 18.3 on (generation-v4.md W11.2).
    #[must_use]
    pub fn telling_yield(mut self, tells: bool) -> Self {
        self.tells_yield = tells;
        self
    }

    /// Gives the output back.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Writes the session header (session.md S1.4), which comes first.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn header(&mut self, header: &Object) -> io::Result<()> {
        self.line(header.clone())
    }

    /// Writes a `ttsr_triggered` with whole rule objects in order.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn triggered(&mut self, rules: Vec<Value>) -> io::Result<()> {
        self.line(json_object! { "type": "ttsr_triggered", "rules": rules })
    }

    /// Writes what `event` says, which can be several lines.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn event(&mut self, event: &AgentEvent) -> io::Result<()> {
        match event {
            AgentEvent::AgentStart => {
                self.run.clear();
                self.interrupted = false;
                self.withheld = None;
                self.line(json_object! { "type": "agent_start" })
            }
            AgentEvent::TurnStart => {
                self.turn = None;
                self.line(json_object! { "type": "turn_start" })
            }
            AgentEvent::Message(message) => {
                self.run.push(message.raw.clone().into());
                self.message(message)
            }
            AgentEvent::MessageStart { timestamp } => self.message_start(*timestamp),
            AgentEvent::MessageEnd(message) => self.message_end(message),
            AgentEvent::ToolResult(message) => self.tool_result(message),
            AgentEvent::TurnEnd => {
                let (message, results) = match self.turn.take() {
                    Some((message, results)) => (Value::from(message.raw), results),
                    None => (Value::Null, Vec::new()),
                };
                self.line(json_object! { "type": "turn_end", "message": message, "toolResults": results })
            }
            AgentEvent::AgentEnd => {
                let messages = std::mem::take(&mut self.run);
                if self.interrupted {
                    self.withheld = Some(messages);
                    return Ok(());
                }
                self.run_end(messages)
            }
            AgentEvent::StreamRestart => {
                if let Some(open) = &mut self.open {
                    open.blocks.clear();
                    open.streaming = None;
                }
                self.update(json_object! { "type": "start" })
            }
            AgentEvent::TextDelta { index, delta } => self.prose(*index, delta, &Kind::Text, "text"),
            AgentEvent::ThinkingDelta { index, delta } => self.prose(*index, delta, &Kind::Thinking, "thinking"),
            AgentEvent::ToolCallStart { index, id, name } => {
                self.end_prose()?;
                self.call_start(*index, id.as_ref(), name.as_ref())
            }
            // The agent has no such event; the call's end names its files.
            AgentEvent::ToolCallEntries { .. } => Ok(()),
            AgentEvent::ToolCallArguments { index, arguments } => {
                if let Some(open) = &mut self.open {
                    if let Some(Block { kind: Kind::Call { arguments: so_far, .. }, .. }) = open.blocks.get_mut(index) {
                        *so_far = Some(arguments.clone());
                    }
                    open.shows_arguments = true;
                }
                Ok(())
            }
            AgentEvent::ToolCallDelta { index, delta } => {
                let mut update =
                    json_object! { "type": "toolcall_delta", "contentIndex": *index, "delta": delta.clone() };
                if let Some(open) = &mut self.open {
                    if let Some(block) = open.blocks.get_mut(index) {
                        block.text.push_units(delta.units());
                    }
                    if std::mem::take(&mut open.shows_arguments) {
                        // Only the full form says what the agent has parsed by now.
                        update.insert("partial", self.so_far());
                    }
                }
                self.update(update)
            }
            AgentEvent::ToolCallEnd { index, id, name, arguments } => {
                self.call_end(*index, id, name, arguments.as_ref())
            }
        }
    }

    /// The user aborts: a run that waits for its retry is over.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn user_abort(&mut self) -> io::Result<()> {
        match self.withheld.take() {
            Some(messages) => self.run_end(messages),
            None => Ok(()),
        }
    }

    fn run_end(&mut self, messages: Vec<Value>) -> io::Result<()> {
        let mut end = json_object! { "type": "agent_end", "messages": messages, "isTerminal": true };
        if self.tells_yield {
            end.insert("yielded", true);
        }
        self.line(end)
    }

    fn message(&mut self, message: &Message) -> io::Result<()> {
        self.line(json_object! { "type": "message_start", "message": message.raw.clone() })?;
        self.line(json_object! { "type": "message_end", "message": message.raw.clone() })
    }

    fn message_start(&mut self, timestamp: Option<f64>) -> io::Result<()> {
        self.open = Some(OpenMessage { timestamp, ..OpenMessage::default() });
        let message = self.so_far();
        self.line(json_object! { "type": "message_start", "message": message })
    }

    fn message_end(&mut self, message: &Message) -> io::Result<()> {
        if message.is_cut_short() {
            if let Some(open) = &mut self.open {
                open.streaming = None;
            }
        } else {
            self.end_prose()?;
        }
        self.release()?;
        self.open = None;
        self.run.push(message.raw.clone().into());
        self.turn = Some((message.clone(), Vec::new()));
        self.interrupted = matches!(message.ending(), Ending::Rules(_));
        self.line(json_object! { "type": "message_end", "message": message.raw.clone() })
    }

    fn tool_result(&mut self, message: &Message) -> io::Result<()> {
        let (id, name) = (message.string("toolCallId"), message.string("toolName"));
        let (id, name) = (id.unwrap_or_default(), name.unwrap_or_default());
        let calls: Vec<ToolCall> = self.turn.iter().flat_map(|(message, _)| message.tool_calls()).collect();
        let arguments = calls.into_iter().find(|call| call.id == id).map(|call| call.arguments);
        let member = |key: &str| message.raw.get(key).cloned();
        let mut result = json_object! { "content": member("content").unwrap_or(Value::Array(Vec::new())) };
        if let Some(details) = member("details") {
            result.insert("details", details);
        }
        self.line(json_object! {
            "type": "tool_execution_start",
            "toolCallId": id.clone(),
            "toolName": name.clone(),
            "args": arguments.unwrap_or(Value::Object(Object::new())),
        })?;
        self.line(json_object! {
            "type": "tool_execution_end",
            "toolCallId": id,
            "toolName": name,
            "result": result,
            "isError": member("isError").unwrap_or(Value::Bool(false)),
        })?;
        self.run.push(message.raw.clone().into());
        if let Some((_, results)) = &mut self.turn {
            results.push(message.raw.clone().into());
        }
        self.message(message)
    }

    fn prose(&mut self, index: usize, delta: &JsString, kind: &Kind, name: &str) -> io::Result<()> {
        let streaming = self.open.as_ref().and_then(|open| open.streaming);
        if streaming != Some(index) {
            self.end_prose()?;
        }
        let begins = self.open.as_mut().is_some_and(|open| {
            open.streaming = Some(index);
            let begins = !open.blocks.contains_key(&index);
            let block = open.blocks.entry(index).or_insert(Block { kind: kind.clone(), text: JsString::new() });
            block.text.push_units(delta.units());
            begins
        });
        if begins {
            self.update(json_object! { "type": format!("{name}_start"), "contentIndex": index })?;
        }
        self.update(json_object! {
            "type": format!("{name}_delta"), "contentIndex": index, "delta": delta.clone(),
        })
    }

    /// Ends the text or thinking block that streams.
    fn end_prose(&mut self) -> io::Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let Some(index) = open.streaming.take() else { return Ok(()) };
        let Some(block) = open.blocks.get(&index) else { return Ok(()) };
        let kind = match block.kind {
            Kind::Thinking => "thinking_end",
            _ => "text_end",
        };
        let content = block.text.clone();
        self.update(json_object! { "type": kind, "contentIndex": index, "content": content })
    }

    fn call_start(&mut self, index: usize, id: Option<&JsString>, name: Option<&JsString>) -> io::Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let call = Kind::Call {
            id: id.cloned().unwrap_or_default(),
            name: name.cloned().unwrap_or_default(),
            arguments: None,
            ended: false,
        };
        open.blocks.insert(index, Block { kind: call, text: JsString::new() });
        open.open_calls += 1;
        open.waiting.push(Line::CallStart(index));
        Ok(())
    }

    fn call_end(&mut self, index: usize, id: &JsString, name: &JsString, arguments: Option<&Value>) -> io::Result<()> {
        let block = self.open.as_mut().and_then(|open| open.blocks.get_mut(&index));
        let streamed = || {
            let text = block.as_ref()?.text.to_utf8()?;
            json::parse(&text).ok()
        };
        let arguments = arguments.cloned().or_else(streamed).unwrap_or(Value::Object(Object::new()));
        let mut settles = false;
        if let Some(Block { kind, .. }) = block {
            settles = matches!(kind, Kind::Call { ended: false, .. });
            *kind = Kind::Call { id: id.clone(), name: name.clone(), arguments: Some(arguments.clone()), ended: true };
        }
        let call = tool_call_block(id.clone(), name.clone(), arguments);
        self.update(json_object! { "type": "toolcall_end", "contentIndex": index, "toolCall": call })?;
        if let Some(open) = &mut self.open
            && settles
        {
            open.open_calls -= 1;
            if open.open_calls == 0 {
                return self.release();
            }
        }
        Ok(())
    }

    /// The assistant message as it stands.
    fn so_far(&self) -> Object {
        let blocks = self.open.iter().flat_map(|open| open.blocks.iter());
        let mut content = Vec::new();
        for (&index, block) in blocks {
            // A gap in the content indexes is a block that does not stream.
            if index - content.len() <= MAX_GAP {
                content.resize(index, text_block(""));
            }
            content.push(match &block.kind {
                Kind::Text => text_block(block.text.clone()),
                Kind::Thinking => thinking_block(block.text.clone()),
                Kind::Call { id, name, arguments, .. } => {
                    let arguments = arguments.clone().unwrap_or(Value::Object(Object::new()));
                    tool_call_block(id.clone(), name.clone(), arguments).into()
                }
            });
        }
        let timestamp = self.open.as_ref().and_then(|open| open.timestamp).map_or(Value::Null, Value::from);
        Message::assistant(&self.model, content, "stop", timestamp).raw
    }

    fn update(&mut self, update: Object) -> io::Result<()> {
        self.line(json_object! { "type": "message_update", "assistantMessageEvent": update })
    }

    /// Writes the lines that waited; a call that never ended keeps the full form of its start.
    fn release(&mut self) -> io::Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        open.open_calls = 0;
        let lines = std::mem::take(&mut open.waiting);
        let lost: BTreeSet<usize> =
            open.blocks.iter().filter(|(_, block)| block.is_lost()).map(|(&index, _)| index).collect();
        let full = if lost.is_empty() { None } else { Some(self.so_far()) };
        for line in lines {
            let text = match line {
                Line::Ready(text) => text,
                Line::CallStart(index) => {
                    let mut update = json_object! { "type": "toolcall_start", "contentIndex": index };
                    if let Some(full) = full.as_ref().filter(|_| lost.contains(&index)) {
                        update.insert("partial", full.clone());
                    }
                    let event = json_object! { "type": "message_update", "assistantMessageEvent": update };
                    Value::from(event).to_json()
                }
            };
            self.out.write_all(text.as_bytes())?;
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn line(&mut self, event: Object) -> io::Result<()> {
        let text = Value::from(event).to_json();
        if let Some(open) = &mut self.open
            && !open.waiting.is_empty()
        {
            open.waiting.push(Line::Ready(text));
            return Ok(());
        }
        self.out.write_all(text.as_bytes())?;
        self.out.write_all(b"\n")
    }
}
