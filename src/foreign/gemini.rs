//! Chats of Gemini CLI: one document until 0.38, a log of lines since 0.39, in which equal ids replace each other.

use std::io::{self, Read};

use crate::text::JsString;
use crate::text::json::{self, Value};

use super::lines;
use super::model::{
    Adapter, Block, CallResult, Facts, Gathered, Happening, Options, Said, content_text, is, member, text, time_ms,
};
use super::{Input, tools};

/// Reads a chat, which is known only when its last line is.
pub(super) struct Chat(Gathered);

impl Chat {
    pub(super) fn open(mut input: Box<dyn Input>, options: Options) -> io::Result<Self> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        let mut gathered = Gathered::default();
        let mut messages: Vec<(usize, Value)> = Vec::new();
        let mut is_subagent = false;
        match json::parse(&String::from_utf8_lossy(&bytes)) {
            Ok(document) => head(&document, &mut gathered.facts, &mut is_subagent, &mut messages),
            Err(_) => {
                for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
                    if line.trim_ascii().is_empty() {
                        continue;
                    }
                    match lines::parse(line.trim_ascii()) {
                        Some(record) => {
                            replay(number + 1, record, &mut gathered.facts, &mut is_subagent, &mut messages);
                        }
                        None => gathered.facts.malformed += 1,
                    }
                }
            }
        }
        for (line, message) in messages {
            let kind = text(&message, &["type"]).map(JsString::to_string_lossy).unwrap_or_default();
            match kind.as_str() {
                "user" => {
                    gathered.happenings.push_back(Happening::Prompt(line, content_text(message.get("content"))));
                }
                "gemini" if is_subagent && !options.subagents => gathered.facts.subagents_left_out += 1,
                "gemini" => gathered.happenings.push_back(Happening::Said(Box::new(said(line, &message)))),
                "info" if content_text(message.get("content")).starts_with("Request cancelled") => {
                    if let Some(Happening::Said(said)) = gathered.happenings.back_mut() {
                        said.aborted = true;
                    }
                }
                "info" | "error" | "warning" => {}
                other => gathered.facts.count_unknown(other),
            }
        }
        Ok(Self(gathered))
    }
}

/// Takes the metadata of a chat, and the messages that stand in it.
fn head(record: &Value, facts: &mut Facts, is_subagent: &mut bool, messages: &mut Vec<(usize, Value)>) {
    facts.learn(|facts| &mut facts.session, record.get("sessionId"));
    facts.learn(|facts| &mut facts.time, record.get("startTime"));
    *is_subagent |= is(record, &["kind"], "subagent");
    if let Some(all) = record.get("messages").and_then(Value::as_array) {
        *messages = all.iter().map(|message| (0, message.clone())).collect();
    }
}

/// Replays one line of the log.
fn replay(number: usize, record: Value, facts: &mut Facts, is_subagent: &mut bool, messages: &mut Vec<(usize, Value)>) {
    let place = |messages: &[(usize, Value)], id: &JsString| {
        messages.iter().rposition(|(_, message)| text(message, &["id"]) == Some(id))
    };
    if let Some(set) = record.get("$set") {
        head(set, facts, is_subagent, messages);
    } else if let Some(id) = text(&record, &["$rewindTo"]) {
        if let Some(at) = place(messages, id) {
            messages.truncate(at);
        }
    } else if let Some(id) = text(&record, &["id"]).filter(|_| record.get("type").is_some()) {
        match place(messages, id).and_then(|at| messages.get_mut(at)) {
            Some(known) => *known = (number, record),
            None => messages.push((number, record)),
        }
    } else if record.get("sessionId").is_some() {
        head(&record, facts, is_subagent, messages);
    } else {
        let kind = record.as_object().and_then(|object| object.iter().next()).map(|(key, _)| key.to_string_lossy());
        facts.count_unknown(&kind.unwrap_or_default());
    }
}

/// A message of the model. The order of its text and calls is not recorded.
fn said(line: usize, message: &Value) -> Said {
    let list = |key: &str| message.get(key).and_then(Value::as_array).unwrap_or_default();
    let mut blocks = Vec::new();
    for thought in list("thoughts") {
        let parts = [text(thought, &["subject"]), text(thought, &["description"])];
        blocks.push(Block::Thinking(vec![super::model::joined(parts.into_iter().flatten())]));
    }
    let prose = content_text(message.get("content"));
    if !prose.is_empty() {
        blocks.push(Block::Text(vec![prose]));
    }
    for call in list("toolCalls") {
        let Some(name) = text(call, &["name"]).cloned() else { continue };
        let id = text(call, &["id"]).cloned().unwrap_or_default();
        let mut made = tools::call(id, name, member(call, &["args"]).unwrap_or(&Value::Null), None);
        made.result = match text(call, &["status"]).map(JsString::to_string_lossy).as_deref() {
            Some("success") => CallResult::Ran,
            Some("error") => CallResult::Failed,
            Some("cancelled") => CallResult::Rejected,
            _ => CallResult::Unknown,
        };
        blocks.push(Block::Call(made));
    }
    let line = (line > 0).then_some(line);
    Said {
        line,
        id: text(message, &["id"]).cloned(),
        timestamp: time_ms(message.get("timestamp")),
        blocks,
        ..Said::default()
    }
}

impl Adapter for Chat {
    fn next(&mut self) -> io::Result<Option<Happening>> {
        let next = self.0.next()?;
        if let Some(happening) = &next {
            super::claude::tell_tools(happening, &mut self.0.facts);
        }
        Ok(next)
    }

    fn facts(&self) -> &Facts {
        self.0.facts()
    }
}
