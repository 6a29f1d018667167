//! What `claude -p --output-format stream-json` prints, with the borders of prose deltas where partial messages are in
//! it. Calls are handed over finished, at the end of their message.

use std::collections::VecDeque;
use std::io;

use crate::text::JsString;
use crate::text::json::Value;

use super::Input;
use super::claude::{read_block, tell_tools};
use super::lines::Lines;
use super::model::{Adapter, Block, CallResult, Facts, Happening, Options, Said, content_text, flag, is, member, text};
use super::tools;

/// Reads a stream line by line; main agent and sub-agents have a state of their own.
pub(super) struct Stream {
    lines: Lines<Box<dyn Input>>,
    options: Options,
    facts: Facts,
    agents: Vec<(Option<JsString>, Open)>,
    done: VecDeque<Happening>,
}

/// A message that streams.
#[derive(Default)]
struct Open {
    said: Option<Box<Said>>,
    /// Whether its deltas are in the stream, so that its whole lines only repeat them.
    has_deltas: bool,
    /// The blocks that stream: index, kind, and what is known.
    blocks: Vec<(usize, Streaming)>,
    /// How many blocks the whole lines have shown, which later ones may repeat.
    shown: usize,
}

/// A block that streams.
struct Streaming {
    kind: String,
    id: JsString,
    name: JsString,
    pieces: Vec<JsString>,
}

impl Stream {
    pub(super) fn new(input: Box<dyn Input>, options: Options) -> Self {
        Self { lines: Lines::new(input), options, facts: Facts::default(), agents: Vec::new(), done: VecDeque::new() }
    }

    fn agent(&mut self, record: &Value) -> usize {
        let parent = text(record, &["parent_tool_use_id"]).cloned();
        match self.agents.iter().position(|(known, _)| *known == parent) {
            Some(at) => at,
            None => {
                self.agents.push((parent, Open::default()));
                self.agents.len() - 1
            }
        }
    }

    fn record(&mut self, number: usize, record: &Value) {
        self.facts.learn(|facts| &mut facts.version, record.get("claude_code_version"));
        self.facts.learn(|facts| &mut facts.session, record.get("session_id"));
        self.facts.learn(|facts| &mut facts.cwd, record.get("cwd"));
        let at = self.agent(record);
        match text(record, &["type"]).map(JsString::to_string_lossy).as_deref() {
            Some("stream_event") => {
                if let Some(event) = record.get("event") {
                    self.event(number, at, event);
                }
            }
            Some("assistant") => self.whole(number, at, record),
            Some("user") => self.user(number, at, record),
            // A retry drops the message begun.
            Some("system") if is(record, &["subtype"], "api_retry") => {
                if let Some((_, open)) = self.agents.get_mut(at) {
                    *open = Open::default();
                }
            }
            Some("system" | "result" | "rate_limit_event" | "tool_progress" | "auth_status") => {}
            other => self.facts.count_unknown(other.unwrap_or("")),
        }
    }

    fn event(&mut self, number: usize, at: usize, event: &Value) {
        let kind = text(event, &["type"]).map(JsString::to_string_lossy).unwrap_or_default();
        if kind == "message_start" {
            self.flush(at);
        }
        let Some((_, open)) = self.agents.get_mut(at) else { return };
        let index = event.get("index").and_then(Value::as_f64).unwrap_or_default() as usize;
        match kind.as_str() {
            "message_start" => {
                let id = text(event, &["message", "id"]).cloned();
                open.said = Some(Box::new(Said { line: Some(number), id, torn: true, ..Said::default() }));
                open.has_deltas = true;
            }
            "content_block_start" => {
                let string = |key: &str| text(event, &["content_block", key]).cloned().unwrap_or_default();
                let kind = string("type").to_string_lossy();
                let begun = [string("text"), string("thinking")].into_iter().filter(|text| !text.is_empty());
                let pieces = if kind == "tool_use" { Vec::new() } else { begun.collect() };
                open.blocks.push((index, Streaming { kind, id: string("id"), name: string("name"), pieces }));
            }
            "content_block_delta" => {
                let piece = ["text", "thinking", "partial_json"].iter().find_map(|key| text(event, &["delta", key]));
                let block = open.blocks.iter_mut().rev().find(|(known, _)| *known == index);
                if let Some(((_, block), piece)) = block.zip(piece) {
                    block.pieces.push(piece.clone());
                }
            }
            "message_stop" => {
                if let Some(said) = &mut open.said {
                    said.torn = false;
                }
            }
            "content_block_stop" | "message_delta" | "ping" => {}
            other => self.facts.count_unknown(other),
        }
    }

    /// A whole line: the end of what streamed, or a part of the message that did not.
    fn whole(&mut self, number: usize, at: usize, record: &Value) {
        if is(record, &["message", "model"], "<synthetic>") {
            return;
        }
        let id = text(record, &["message", "id"]).cloned();
        let is_open = |open: &Open| open.said.as_ref().is_some_and(|said| said.id == id);
        if self.agents.get(at).is_some_and(|(_, open)| open.has_deltas && is_open(open)) {
            return;
        }
        if !self.agents.get(at).is_some_and(|(_, open)| is_open(open)) {
            self.flush(at);
        }
        let Some((_, open)) = self.agents.get_mut(at) else { return };
        let said = open.said.get_or_insert_with(|| Box::new(Said { line: Some(number), id, ..Said::default() }));
        let content = member(record, &["message", "content"]).and_then(Value::as_array).unwrap_or_default();
        // Cumulative lines begin with what is known.
        let known = content.first().filter(|_| open.shown > 0 && content.len() > open.shown);
        let skipped = if known.is_some() { open.shown } else { 0 };
        for block in content.iter().skip(skipped) {
            let block = read_block(block, None, &mut self.facts);
            let is_repeated =
                matches!(&block, Some(Block::Call(call)) if !call.id.is_empty() && said.call(&call.id).is_some());
            if !is_repeated {
                said.blocks.extend(block);
            }
        }
        open.shown = open.shown.max(content.len());
    }

    fn user(&mut self, number: usize, at: usize, record: &Value) {
        let content = member(record, &["message", "content"]);
        let results = content.and_then(Value::as_array).unwrap_or_default().iter();
        let mut has_results = false;
        for result in results.filter(|block| is(block, &["type"], "tool_result")) {
            has_results = true;
            let Some((_, open)) = self.agents.get_mut(at) else { continue };
            open.finish_blocks(&mut self.facts);
            let failed = flag(result, "is_error");
            let id = text(result, &["tool_use_id"]);
            if let Some(call) = open.said.as_mut().zip(id).and_then(|(said, id)| said.call(id)) {
                call.result = if failed { CallResult::Failed } else { CallResult::Ran };
            }
        }
        let asked = content_text(content);
        if asked.starts_with("[Request interrupted by user") {
            if let Some(said) = self.agents.get_mut(at).and_then(|(_, open)| open.said.as_mut()) {
                said.aborted = true;
                said.torn = false;
            }
            self.flush(at);
        } else if !has_results && text(record, &["parent_tool_use_id"]).is_none() {
            self.flush(at);
            self.done.push_back(Happening::Prompt(number, asked));
        }
    }

    /// Ends the message of an agent.
    fn flush(&mut self, at: usize) {
        let Some((parent, open)) = self.agents.get_mut(at) else { return };
        open.finish_blocks(&mut self.facts);
        let said = std::mem::take(open).said;
        let Some(said) = said.filter(|said| !said.blocks.is_empty()) else { return };
        if parent.is_some() && !self.options.subagents {
            self.facts.subagents_left_out += 1;
        } else {
            self.done.push_back(Happening::Said(said));
        }
    }
}

impl Open {
    /// Makes blocks of what streamed. A call whose arguments are no JSON was never finished.
    fn finish_blocks(&mut self, facts: &mut Facts) {
        let Some(said) = &mut self.said else { return };
        for (_, block) in self.blocks.drain(..) {
            match block.kind.as_str() {
                "text" => said.blocks.push(Block::Text(block.pieces)),
                "thinking" => {
                    facts.thinking_absent += usize::from(block.pieces.iter().all(JsString::is_empty));
                    said.blocks.push(Block::Thinking(block.pieces));
                }
                "tool_use" => {
                    let raw: String = block.pieces.iter().map(|piece| piece.to_string_lossy()).collect();
                    let raw = if raw.trim().is_empty() { "{}" } else { &raw };
                    match crate::text::json::parse(raw) {
                        Ok(input) => said.blocks.push(Block::Call(tools::call(block.id, block.name, &input, None))),
                        Err(_) => said.torn = true,
                    }
                }
                other => facts.count_unknown(other),
            }
        }
    }
}

impl Adapter for Stream {
    fn next(&mut self) -> io::Result<Option<Happening>> {
        loop {
            if let Some(happening) = self.done.pop_front() {
                tell_tools(&happening, &mut self.facts);
                return Ok(Some(happening));
            }
            match self.lines.next(&mut self.facts)? {
                Some((number, _, record)) => self.record(number, &record),
                None => {
                    (0..self.agents.len()).for_each(|at| self.flush(at));
                    if self.done.is_empty() {
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn facts(&self) -> &Facts {
        &self.facts
    }
}
