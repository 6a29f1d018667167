//! Script text to replies, with the place of everything that is wrong.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::diagnostic::code::{MALFORMED_SCRIPT, UNKNOWN_SCRIPT_KEY};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::json::{self, Key, RawMembers, Value};
use crate::text::{JsString, LineIndex, Place};
use crate::tool::{CallReader, ReadOptions};

use super::{
    CallRef, Chunks, DEFAULT_CHUNK, Failure, Part, PartContent, Script, ScriptReply, ScriptedHandoff, ScriptedResult,
};

/// After this many findings of a kind the rest is not listed.
const MAX_LISTED: usize = 20;

/// Longer lines are not shown with a finding.
const MAX_SNIPPET: usize = 200;

/// What a recorded assistant message holds besides; it may stand as a reply (handoff.md H7.3).
const MESSAGE_KEYS: [&str; 11] = [
    "role",
    "api",
    "provider",
    "model",
    "usage",
    "timestamp",
    "responseId",
    "duration",
    "ttft",
    "errorStatus",
    "contextSnapshot",
];

/// What the agent says of a connection that was lost.
const LOST_CONNECTION: &str = "ECONNRESET: The socket connection was closed unexpectedly";

pub(super) fn read(bytes: &[u8], file: &str) -> Result<(Script, Vec<Diagnostic>), Vec<Diagnostic>> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let (text, encoding_error) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            (std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(), Some(error.valid_up_to()))
        }
    };
    let index = LineIndex::new(text);
    let mut parser = Parser {
        text,
        file,
        index,
        counted: Counted { line: 1, line_offset: 0, offset: 0 },
        errors: Vec::new(),
        warnings: Vec::new(),
    };
    let replies = match encoding_error {
        Some(at) => {
            parser.error(at, 0, "the script is not UTF-8 from here on");
            Vec::new()
        }
        None => parser.script(),
    };
    // A document that is given is the answer to its request: the reply behind it.
    let replies: Vec<Arc<ScriptReply>> = replies
        .into_iter()
        .flat_map(|reply| {
            let answer = (reply.handoff.is_some() && !reply.parts.is_empty())
                .then(|| Arc::new(ScriptReply { handoff: None, ..(*reply).clone() }));
            std::iter::once(reply).chain(answer)
        })
        .collect();
    if parser.errors.is_empty() {
        Ok((Script { replies, file: file.to_owned() }, parser.warnings))
    } else {
        Err(parser.errors)
    }
}

struct Parser<'a> {
    text: &'a str,
    file: &'a str,
    index: LineIndex,
    counted: Counted,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

/// How far lines were counted.
struct Counted {
    line: usize,
    line_offset: usize,
    offset: usize,
}

/// A wrong value: it is reported where it stands and gives nothing.
struct Wrong;

type Parsed<T> = Result<T, Wrong>;

impl<'a> Parser<'a> {
    fn script(&mut self) -> Vec<Arc<ScriptReply>> {
        match serde_json::from_str::<&RawValue>(self.text) {
            Ok(whole) => self.document(whole),
            Err(_) => self.lines(),
        }
    }

    /// One JSON value: an array of replies, or a single reply on what could be the only line of JSON Lines.
    fn document(&mut self, whole: &'a RawValue) -> Vec<Arc<ScriptReply>> {
        let items: Option<Vec<&RawValue>> = serde_json::from_str(whole.get()).ok();
        match items {
            Some(items) if items.is_empty() || !items.iter().all(|item| is_part(item)) => {
                items.into_iter().filter_map(|item| self.reply(item).ok()).map(Arc::new).collect()
            }
            _ => self.reply(whole).ok().map(Arc::new).into_iter().collect(),
        }
    }

    fn lines(&mut self) -> Vec<Arc<ScriptReply>> {
        let (mut replies, mut offset, mut first) = (Vec::new(), 0, true);
        for line in self.text.split_inclusive('\n') {
            let start = offset;
            offset += line.len();
            if line.trim().is_empty() {
                continue;
            }
            match serde_json::from_str::<&RawValue>(line) {
                Ok(raw) => replies.extend(self.reply(raw).ok().map(Arc::new)),
                Err(_) if first => {
                    // Not even the first line is JSON, so the whole was meant as one document.
                    self.not_json(self.text, 0);
                    return Vec::new();
                }
                Err(_) => self.not_json(line, start),
            }
            first = false;
        }
        if first {
            self.error(0, 0, "the script is empty");
        }
        replies
    }

    fn not_json(&mut self, text: &str, start: usize) {
        if let Err(error) = json::parse(text) {
            let message = format!("the script is no JSON: {}", error.message);
            self.error(start + error.offset, 0, message);
        }
    }

    fn reply(&mut self, raw: &'a RawValue) -> Parsed<ScriptReply> {
        let (line, line_offset) = self.line(raw);
        let reply = ScriptReply { line, line_offset, ..ScriptReply::default() };
        match raw.get().as_bytes().first() {
            Some(b'[') => self.streamed(raw, DEFAULT_CHUNK, reply),
            Some(b'{') if is_part(raw) => {
                let parts = vec![self.part(raw, DEFAULT_CHUNK)?];
                Ok(ScriptReply { parts, ..reply })
            }
            Some(b'{') => self.reply_object(raw, reply),
            _ => {
                let message = "a reply is a list of parts, `{parts, …}` or `{status, error}`";
                Err(self.wrong(raw, message))
            }
        }
    }

    fn reply_object(&mut self, raw: &'a RawValue, mut reply: ScriptReply) -> Parsed<ScriptReply> {
        let members = self.members(raw)?;
        let find = |name: &str| members.iter().rev().find(|(key, _)| *key == name).map(|(_, value)| *value);
        let chunk = find("chunk").map_or(Ok(DEFAULT_CHUNK), |value| self.chunk_size(value))?;
        let (mut is_reply, mut status, mut error_message) = (false, None, None);
        for (key, value) in &members {
            match key.to_utf8().unwrap_or_default().as_str() {
                "parts" | "content" => {
                    is_reply = true;
                    reply = self.streamed(value, chunk, reply)?;
                }
                "finish" | "stopReason" => reply.stop_reason = Some(self.finish(value)?),
                "status" => {
                    is_reply = true;
                    let code = self.number(value, "status")?;
                    let code = u16::try_from(code).map_err(|_| self.wrong(value, "`status` is no HTTP status"))?;
                    status = Some(code);
                }
                "error" => {
                    is_reply = true;
                    reply.failure = Some(self.failure(value)?);
                }
                "toolResults" => reply.tool_results = self.results(value)?,
                "delayMs" => reply.delay_ms = self.number(value, "delayMs")?,
                "userInterruptAfterMs" => {
                    reply.user_interrupt_after_ms = Some(self.number(value, "userInterruptAfterMs")?);
                }
                "newPromptAfterMs" => reply.new_prompt_after_ms = Some(self.number(value, "newPromptAfterMs")?),
                "abortHandoffAfterMs" => {
                    reply.abort_handoff_after_ms = Some(self.number(value, "abortHandoffAfterMs")?);
                }
                "judge" => match self.value(value)? {
                    Value::Array(rows) => reply.judge = rows,
                    _ => return Err(self.wrong(value, "`judge` is a list of rows of verdicts")),
                },
                "continueFails" => {
                    is_reply = true;
                    reply.continue_fails = Some(self.string(value, "`continueFails`")?);
                }
                "handoff" => {
                    is_reply = true;
                    reply = self.handoff(value, reply)?;
                }
                "errorMessage" => error_message = Some(self.string(value, "`errorMessage`")?),
                "chunk" => {}
                key if MESSAGE_KEYS.contains(&key) => {}
                other => self.unknown_key(value, other, "reply"),
            }
        }
        if let (Some(message), true) =
            (error_message, reply.stop_reason.as_ref().is_some_and(|reason| *reason == "error"))
        {
            reply.failure.get_or_insert_default().message = message;
        }
        if reply.handoff.is_some() && members.len() > 1 {
            return Err(self.wrong(raw, "`handoff` stands alone: what answers it is its `document`, or the next reply"));
        }
        if !is_reply {
            return Err(self.wrong(raw, "a reply needs `parts`, or `status` and `error`"));
        }
        if let Some(status) = status {
            // A good status with an error text is a failure; without one it says nothing.
            if reply.failure.is_some() || !(200..300).contains(&status) {
                let failure = reply.failure.get_or_insert_default();
                failure.status = Some(status);
            }
        }
        Ok(reply)
    }

    /// A handoff between prompts. Its document, if it has one, is what streams as the answer.
    fn handoff(&mut self, raw: &'a RawValue, mut reply: ScriptReply) -> Parsed<ScriptReply> {
        let members = self.members(raw)?;
        let mut handoff = ScriptedHandoff::default();
        for (key, value) in &members {
            match key.to_utf8().unwrap_or_default().as_str() {
                "pipeline" => {
                    let word = self.string(value, "`pipeline`")?;
                    if !["g1", "g2", "g3", "g4", "g5"].iter().any(|known| word == *known) {
                        return Err(self.wrong(value, "`pipeline` is one of g1, g2, g3, g4, g5"));
                    }
                    handoff.pipeline = Some(word);
                }
                "focus" => handoff.focus = Some(self.string(value, "`focus`")?),
                "document" => {
                    let content = PartContent::Text(self.string(value, "`document`")?);
                    handoff.brings_document = true;
                    let chunks = Chunks::Size(DEFAULT_CHUNK);
                    reply.parts = vec![Part { content, chunks, pause_ms: 0, continues: false }];
                }
                other => self.unknown_key(value, other, "handoff"),
            }
        }
        reply.handoff = Some(handoff);
        Ok(reply)
    }

    /// The reply with what its list of parts streams; a connection that dies ends it there.
    fn streamed(&mut self, raw: &'a RawValue, chunk: usize, mut reply: ScriptReply) -> Parsed<ScriptReply> {
        let dies = self.dies(raw);
        reply.parts = self.parts(raw, chunk, dies)?;
        if dies.is_some() {
            reply.failure = Some(Failure { message: LOST_CONNECTION.into(), ..Failure::default() });
        }
        Ok(reply)
    }

    /// The parts of a list, up to `end`.
    fn parts(&mut self, raw: &'a RawValue, chunk: usize, end: Option<usize>) -> Parsed<Vec<Part>> {
        let items = self.items(raw, "the parts of a reply are a list")?;
        // Every part is looked at, so that one run names all mistakes.
        let mut pause_ms = 0;
        let mut parts: Vec<Parsed<Part>> = Vec::new();
        for item in items.into_iter().take(end.unwrap_or(usize::MAX)) {
            match self.stall(item) {
                Some(stall) => pause_ms += stall?,
                None => parts.push(self.part(item, chunk).map(|part| {
                    let before = parts.last().and_then(|before| before.as_ref().ok());
                    let continues = pause_ms > 0 && before.is_some_and(|before| before.is_same_prose(&part));
                    Part { pause_ms: std::mem::take(&mut pause_ms), continues, ..part }
                })),
            }
        }
        parts.into_iter().collect()
    }

    /// The milliseconds of a `{"stall": ms}`, if the part is one.
    fn stall(&mut self, raw: &'a RawValue) -> Option<Parsed<u64>> {
        let members = serde_json::from_str::<RawMembers<'a>>(raw.get()).ok()?.named();
        let (_, value) = members.iter().find(|(key, _)| *key == "stall")?;
        self.check_keys(&members, &["stall"]);
        Some(self.number(value, "stall"))
    }

    /// The place of a `{"die": true}` among the parts.
    fn dies(&self, raw: &'a RawValue) -> Option<usize> {
        let items: Vec<&RawValue> = serde_json::from_str(raw.get()).ok()?;
        items.iter().position(|item| {
            serde_json::from_str::<RawMembers<'_>>(item.get()).is_ok_and(|RawMembers(members)| {
                members.iter().any(|(key, value)| *key == "die" && value.get() == "true")
            })
        })
    }

    fn part(&mut self, raw: &'a RawValue, chunk: usize) -> Parsed<Part> {
        let members = self.members(raw)?;
        let find = |name: &str| members.iter().rev().find(|(key, _)| *key == name).map(|(_, value)| *value);
        let list = find("chunks").map(|value| self.chunk_list(value)).transpose()?;
        let size = find("chunk").map_or(Ok(chunk), |value| self.chunk_size(value))?;
        let kind = find("type").and_then(|value| json::parse_raw(value).ok());
        let is_call = kind.as_ref().and_then(Value::as_string).is_some_and(|kind| *kind == "toolCall");
        let tool = find("tool").or_else(|| find("name").filter(|_| is_call));
        if find("raw").is_some() {
            return Err(
                self.wrong(raw, "the raw chunks of a provider cannot be played: give `text`, or `tool` and `args`")
            );
        }
        let content = if let Some(tool) = tool {
            let name = self.string(tool, "the name of a tool")?;
            let id = find("id").map(|value| self.string(value, "`id`")).transpose()?;
            let (arguments, text) = match find("args").or_else(|| find("arguments")) {
                Some(value) => self.arguments(value, &name)?,
                None => match &list {
                    Some(list) => (self.streamed_arguments(raw, list)?, None),
                    None => return Err(self.wrong(raw, "a tool part needs `args`, an object or its raw text")),
                },
            };
            self.check_keys(&members, &["type", "tool", "name", "id", "args", "arguments", "chunk", "chunks"]);
            PartContent::Tool { name, id, arguments, raw: text }
        } else if let Some(thinking) = find("thinking") {
            self.check_keys(&members, &["type", "thinking", "thinkingSignature", "chunk", "chunks"]);
            PartContent::Thinking(self.streamed_text(thinking, list.as_deref(), "thinking")?)
        } else if let Some(text) = find("text") {
            self.check_keys(&members, &["type", "text", "textSignature", "chunk", "chunks"]);
            PartContent::Text(self.streamed_text(text, list.as_deref(), "text")?)
        } else {
            return Err(self.wrong(raw, "an unknown part: a part has `text`, `thinking`, or `tool` and `args`"));
        };
        let chunks = list.map_or(Chunks::Size(size), Chunks::List);
        Ok(Part { content, chunks, pause_ms: 0, continues: false })
    }

    /// The text of a part; its `chunks`, if any, must be that text cut in pieces, or stand alone.
    fn streamed_text(&mut self, raw: &'a RawValue, list: Option<&[JsString]>, key: &str) -> Parsed<JsString> {
        let text = self.string(raw, &format!("`{key}`"))?;
        let Some(list) = list else { return Ok(text) };
        let joined = join(list);
        if text.is_empty() || text == joined {
            Ok(joined)
        } else {
            Err(self.wrong(raw, format!("`{key}` is not what its `chunks` give together")))
        }
    }

    /// The arguments of a call that is given by its `chunks` alone; text that is no JSON gives none, as a provider
    /// hands on.
    fn streamed_arguments(&mut self, raw: &'a RawValue, list: &[JsString]) -> Parsed<Value> {
        match join(list).to_utf8().and_then(|text| json::parse(&text).ok()) {
            Some(Value::Object(object)) => Ok(object.into()),
            None => Ok(Value::Object(json::Object::new())),
            Some(_) => Err(self.wrong(raw, "the arguments of a tool are no object")),
        }
    }

    /// The arguments, and their text where it is given instead: whole or cut short, the agent makes the same of it as
    /// of a stream that ended there (engine.md E6.6).
    fn arguments(&mut self, raw: &'a RawValue, tool: &JsString) -> Parsed<(Value, Option<JsString>)> {
        match self.value(raw)? {
            Value::Object(object) => Ok((object.into(), None)),
            Value::String(text) => {
                let mut reader = CallReader::new(tool, &ReadOptions::default());
                reader.push(text.units());
                reader.finish(None);
                match reader.arguments() {
                    Value::Object(object) => Ok((object.into(), Some(text))),
                    other => {
                        Err(self.wrong(raw, format!("the arguments of a tool are no object but {}", other.kind())))
                    }
                }
            }
            other => Err(self.wrong(raw, format!("the arguments of a tool are an object, not {}", other.kind()))),
        }
    }

    fn failure(&mut self, raw: &'a RawValue) -> Parsed<Failure> {
        match self.value(raw)? {
            Value::String(message) => Ok(Failure { message, ..Failure::default() }),
            Value::Object(object) => {
                let string = |key: &str| object.get(key).and_then(Value::as_string).cloned();
                let name = string("name");
                match string("message") {
                    Some(message) => Ok(Failure { message, name, status: None }),
                    None => Err(self.wrong(raw, "an `error` object needs a `message`")),
                }
            }
            _ => Err(self.wrong(raw, "`error` is a text or `{name, message}`")),
        }
    }

    fn results(&mut self, raw: &'a RawValue) -> Parsed<Vec<ScriptedResult>> {
        let items = self.items(raw, "`toolResults` is a list")?;
        let results: Vec<Parsed<ScriptedResult>> = items.into_iter().map(|item| self.result(item)).collect();
        results.into_iter().collect()
    }

    fn result(&mut self, raw: &'a RawValue) -> Parsed<ScriptedResult> {
        let members = self.members(raw)?;
        let find = |name: &str| members.iter().rev().find(|(key, _)| *key == name).map(|(_, value)| *value);
        let call = match (find("id"), find("index")) {
            (Some(id), None) => CallRef::Id(self.string(id, "`id`")?),
            (None, Some(index)) => {
                let index_number = self.number(index, "index")?;
                CallRef::Index(usize::try_from(index_number).map_err(|_| self.wrong(index, "`index` is too large"))?)
            }
            _ => return Err(self.wrong(raw, "a tool result names its call by `id` or by `index`")),
        };
        let text = match find("text") {
            Some(text) => self.string(text, "`text`")?,
            None => return Err(self.wrong(raw, "a tool result needs a `text`")),
        };
        let is_error = match find("isError") {
            None => false,
            Some(value) => match self.value(value)? {
                Value::Bool(is_error) => is_error,
                _ => return Err(self.wrong(value, "`isError` is true or false")),
            },
        };
        self.check_keys(&members, &["id", "index", "text", "isError"]);
        Ok(ScriptedResult { call, text, is_error })
    }

    /// The stop reason of a provider's or the agent's own word for it.
    fn finish(&mut self, raw: &'a RawValue) -> Parsed<JsString> {
        let word = self.string(raw, "`finish`")?;
        let reason = match word.to_utf8().unwrap_or_default().as_str() {
            "stop" | "end_turn" => "stop",
            "length" | "max_tokens" => "length",
            "tool_calls" | "tool_use" | "toolUse" => "toolUse",
            "content_filter" | "error" => "error",
            "aborted" => "aborted",
            _ => return Err(self.wrong(raw, "`finish` is one of stop, length, tool_calls, error, aborted")),
        };
        Ok(reason.into())
    }

    fn chunk_size(&mut self, raw: &'a RawValue) -> Parsed<usize> {
        match self.number(raw, "chunk")? {
            0 => Err(self.wrong(raw, "`chunk` is a number of code units from 1")),
            size => Ok(usize::try_from(size).unwrap_or(usize::MAX)),
        }
    }

    fn chunk_list(&mut self, raw: &'a RawValue) -> Parsed<Vec<JsString>> {
        let items = self.items(raw, "`chunks` is a list of deltas")?;
        items.into_iter().map(|item| self.string(item, "a delta in `chunks`")).collect()
    }

    fn number(&mut self, raw: &'a RawValue, key: &str) -> Parsed<u64> {
        let number: Option<f64> = raw.get().parse().ok();
        let whole = number.filter(|number| *number >= 0.0 && number.fract() == 0.0 && *number <= 1e12);
        whole
            .map(|number| number as u64)
            .ok_or_else(|| self.wrong(raw, format!("`{key}` is a whole number from 0 to 1000000000000")))
    }

    fn string(&mut self, raw: &'a RawValue, what: &str) -> Parsed<JsString> {
        match self.value(raw)? {
            Value::String(text) => Ok(text),
            other => Err(self.wrong(raw, format!("{what} is a text, not {}", other.kind()))),
        }
    }

    fn value(&mut self, raw: &'a RawValue) -> Parsed<Value> {
        json::parse_raw(raw).map_err(|error| self.wrong(raw, error.message))
    }

    fn items(&mut self, raw: &'a RawValue, otherwise: &str) -> Parsed<Vec<&'a RawValue>> {
        serde_json::from_str(raw.get()).map_err(|_| self.wrong(raw, otherwise.to_owned()))
    }

    fn members(&mut self, raw: &'a RawValue) -> Parsed<Vec<(JsString, &'a RawValue)>> {
        match serde_json::from_str::<RawMembers<'a>>(raw.get()) {
            Ok(members) => Ok(members.named()),
            Err(_) => Err(self.wrong(raw, "an object should stand here")),
        }
    }

    fn check_keys(&mut self, members: &[(JsString, &'a RawValue)], known: &[&str]) {
        for (key, value) in members {
            if !known.iter().any(|known| *key == *known) {
                self.unknown_key(value, &key.to_string_lossy(), "part");
            }
        }
    }

    fn unknown_key(&mut self, raw: &'a RawValue, key: &str, what: &str) {
        if self.warnings.len() < MAX_LISTED {
            let at = self.offset(raw);
            let message = format!("a {what} has the unknown key `{key}`");
            let warning = self.diagnostic(UNKNOWN_SCRIPT_KEY, at, raw.get().len(), message);
            self.warnings.push(warning);
        }
    }

    fn wrong(&mut self, raw: &'a RawValue, message: impl Into<String>) -> Wrong {
        self.error(self.offset(raw), raw.get().len(), message);
        Wrong
    }

    fn error(&mut self, at: usize, length: usize, message: impl Into<String>) {
        if self.errors.len() < MAX_LISTED {
            let error = self.diagnostic(MALFORMED_SCRIPT, at, length, message.into());
            self.errors.push(error);
        }
    }

    fn diagnostic(&self, code: Code, at: usize, length: usize, message: String) -> Diagnostic {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let start = self.index.position(self.text, at);
        let line_start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline);
        // A value that goes on over several lines is marked on its first.
        let end = self.index.position(self.text, (at + length).min(line_end));
        let place = Place { file: self.file.to_owned(), start, end };
        let diagnostic = Diagnostic::new(code, message).at(place);
        if line_end - line_start > MAX_SNIPPET {
            return diagnostic;
        }
        diagnostic.with_snippet(&self.text[line_start..line_end], line_start)
    }

    /// The line of `raw` and its offset. `raw` stands behind every reply read before, so each line is counted once.
    fn line(&mut self, raw: &RawValue) -> (usize, usize) {
        let offset = self.offset(raw).max(self.counted.offset);
        let between = self.text.as_bytes().get(self.counted.offset..offset).unwrap_or_default();
        for newline in memchr::memchr_iter(b'\n', between) {
            self.counted.line += 1;
            self.counted.line_offset = self.counted.offset + newline + 1;
        }
        self.counted.offset = offset;
        (self.counted.line, self.counted.line_offset)
    }

    /// Byte offset of `raw`, which borrows from the text.
    fn offset(&self, raw: &RawValue) -> usize {
        (raw.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len())
    }
}

fn is_part(raw: &RawValue) -> bool {
    let is_key = |key: &Key<'_>| *key == "text" || *key == "thinking" || *key == "tool";
    raw.get().starts_with('{')
        && serde_json::from_str::<RawMembers<'_>>(raw.get())
            .is_ok_and(|RawMembers(members)| members.iter().any(|(key, _)| is_key(key)))
}

impl Part {
    /// Whether `next` is prose of the same kind.
    fn is_same_prose(&self, next: &Self) -> bool {
        matches!(
            (&self.content, &next.content),
            (PartContent::Text(_), PartContent::Text(_)) | (PartContent::Thinking(_), PartContent::Thinking(_))
        )
    }
}

fn join(list: &[JsString]) -> JsString {
    let mut joined = JsString::new();
    for delta in list {
        joined.push_units(delta.units());
    }
    joined
}
