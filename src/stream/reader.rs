//! [`EventReader`]: event lines to located events (session.md S8).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufRead};

use crate::diagnostic::code::{
    INCOMPLETE_FRAME, MALFORMED_EVENT, MESSAGE_WITHOUT_DELTAS, ORPHAN_DELTA, TORN_STREAM, UNKNOWN_EVENT, UNKNOWN_TOOL,
    UNREADABLE_STREAM,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::message::{AgentEvent, ContentBlock, Message, Source, ToolCall};
use crate::text::json::{JsonError, Value, parse_raw};
use crate::text::{JsString, LineReader, Place, Position, RawLine};

use super::Delta;
use super::chunker::{ChunkMode, Chunker};
use super::envelope::{EventKind, Members};
use super::frame::{Assembled, FrameAssembler};
use super::item::{Item, Origin, StreamHeader, StreamItem};
use super::line::{self, DeltaLine};
use super::look_ahead::{LookAhead, Next};

/// Of one code, this many findings are listed; the rest are counted.
const MAX_LISTED: usize = 50;

/// Kinds of unknown events that are told apart.
const MAX_UNKNOWN_KINDS: usize = 200;

/// What an event stream held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamCounts {
    /// Lines that are JSON objects with a type, the header included.
    pub events: usize,
    /// Lines that are not, and events that lack a required field.
    pub malformed: usize,
    /// Events of unknown kinds.
    pub unknown: usize,
}

/// Reads an event stream in JSON form (slim or full) or RPC form, of this agent or pi.
///
/// Memory: the longest line and, where the slim form names a tool call only at its end, the events from the call's
/// start on. What a full stream repeats at every delta is skipped unread. Bad lines become findings and never stop
/// the reading.
pub struct EventReader<R> {
    lines: LineReader<R>,
    file: String,
    held: LookAhead,
    /// The line that is read, and the text of its delta; their allocations are used again and again.
    line: RawLine,
    units: Vec<u16>,
    open: Option<OpenMessage>,
    /// Assistant messages begun.
    messages: usize,
    /// A user, custom or tool message whose end has not come.
    begun: Option<(Origin, Message)>,
    frames: FrameAssembler,
    unknown: BTreeMap<String, Unknown>,
    counts: StreamCounts,
    diagnostics: Vec<Diagnostic>,
    listed: BTreeMap<u16, (Code, usize)>,
    read_error: Option<io::Error>,
    ended: bool,
}

/// What an [`EventReader`] gives.
#[derive(Debug)]
pub enum Read<'a> {
    /// One piece of streamed text.
    Delta(Delta<'a>),
    /// Anything else.
    Item(Item),
}

/// What [`EventReader::read`] can give.
enum Ready {
    Held,
    Delta(Counted),
    End,
}

/// A delta whose text is in the buffer of the reader.
#[derive(Clone, Copy)]
struct Counted {
    found: DeltaLine,
    line: usize,
    message: usize,
    number: usize,
}

impl Counted {
    fn of<'a>(&self, units: &'a [u16]) -> Delta<'a> {
        Delta {
            source: self.found.source,
            index: self.found.index,
            units,
            line: Some(self.line),
            entry: None,
            message: Some(self.message),
            number: Some(self.number),
        }
    }
}

struct OpenMessage {
    number: usize,
    /// Deltas by content index.
    deltas: BTreeMap<usize, usize>,
    /// Content indexes of calls that have begun.
    calls: Vec<usize>,
    /// Calls that `message_start` names by content index: printed late, it holds what streamed meanwhile.
    named: Vec<(usize, ToolCall)>,
}

struct Unknown {
    line: Line,
    count: usize,
}

/// The line that is being read.
#[derive(Clone, Copy)]
struct Line {
    number: usize,
    offset: usize,
    terminated: bool,
}

impl<R: BufRead> EventReader<R> {
    /// Reads `input`; findings name it `file`.
    pub fn new(input: R, file: impl Into<String>) -> Self {
        Self {
            lines: LineReader::new(input),
            file: file.into(),
            held: LookAhead::default(),
            line: RawLine::default(),
            units: Vec::new(),
            open: None,
            messages: 0,
            begun: None,
            frames: FrameAssembler::default(),
            unknown: BTreeMap::new(),
            counts: StreamCounts::default(),
            diagnostics: Vec::new(),
            listed: BTreeMap::new(),
            read_error: None,
            ended: false,
        }
    }

    /// The next item, or nothing at the end; see [`EventReader::read`].
    #[cfg(feature = "internals")]
    pub fn next_item(&mut self) -> Option<Item> {
        Some(match self.read()? {
            Read::Item(item) => item,
            Read::Delta(delta) => Item { origin: delta.origin(), content: StreamItem::Event(delta.event()) },
        })
    }

    /// What comes next, or nothing at the end.
    ///
    /// An input that fails to be read ends there, with a finding and [`EventReader::read_error`].
    pub fn read(&mut self) -> Option<Read<'_>> {
        match self.go_on() {
            Ready::Held => self.held.pop().map(|next| match next {
                Next::Delta(delta) => Read::Delta(delta),
                Next::Item(item) => Read::Item(item),
            }),
            Ready::Delta(delta) => Some(Read::Delta(delta.of(&self.units))),
            Ready::End => None,
        }
    }

    /// Reads until something is ready.
    fn go_on(&mut self) -> Ready {
        loop {
            if self.held.is_empty() {
                self.held.tidy();
            } else if self.held.is_ready() {
                return Ready::Held;
            }
            if self.ended {
                return Ready::End;
            }
            match self.lines.read(&mut self.line) {
                Ok(true) => {
                    let found = line::read(self.line.text(), &mut self.units);
                    match found.and_then(|found| self.count_delta(found)) {
                        Some(delta) if self.held.is_empty() => return Ready::Delta(delta),
                        Some(delta) => self.held.push_delta(&delta.of(&self.units)),
                        None => {
                            let line = std::mem::take(&mut self.line);
                            self.read_line(&line);
                            self.line = line;
                            self.line.let_go();
                        }
                    }
                }
                Ok(false) => self.end(),
                Err(error) => {
                    self.diagnostics
                        .push(Diagnostic::new(UNREADABLE_STREAM, format!("reading {} failed: {error}", self.file)));
                    self.read_error = Some(error);
                    self.end();
                }
            }
        }
    }

    /// Counts a delta of the message that is open, unless its line says more than the delta.
    fn count_delta(&mut self, found: DeltaLine) -> Option<Counted> {
        let open = self.open.as_mut()?;
        // The first delta of a call may begin it, and the full form shows what was read of the arguments.
        if found.source == Source::Tool && !(found.is_slim && open.calls.contains(&found.index)) {
            return None;
        }
        self.counts.events += 1;
        let count = open.deltas.entry(found.index).or_default();
        *count += 1;
        Some(Counted { found, line: self.line.number, message: open.number, number: *count - 1 })
    }

    /// What was found since the last call.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    /// What was read so far.
    #[cfg(feature = "internals")]
    pub fn counts(&self) -> StreamCounts {
        self.counts
    }

    /// Why the input ended early.
    #[cfg(feature = "internals")]
    pub fn read_error(&self) -> Option<&io::Error> {
        self.read_error.as_ref()
    }

    fn read_line(&mut self, raw: &RawLine) {
        let line = Line { number: raw.number, offset: raw.offset, terminated: raw.terminated };
        let bytes = raw.text();
        let bytes = if line.number == 1 { bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes) } else { bytes };
        if raw.is_blank() || bytes.is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(bytes);
        self.read_event(&text, line, false);
    }

    fn read_event(&mut self, text: &str, line: Line, is_frame: bool) {
        let members = match Members::read(text) {
            Ok(members) => members,
            Err(error) => return self.malformed_text(text, &error, line, is_frame),
        };
        let Some(kind) = members.string("type") else {
            return self.malformed(line, "an event without a `type` string");
        };
        if !is_frame {
            self.counts.events += 1;
        }
        let name = kind.to_string_lossy();
        let Some(event) = EventKind::of(&name) else {
            return self.unknown_event(name, line);
        };
        match event {
            EventKind::Session => self.header(&members, line),
            EventKind::AgentStart => self.boundary(line, AgentEvent::AgentStart),
            // Not the end of the run but of an attempt that a retry goes on with (session.md S8.5e).
            EventKind::AgentEnd if members.bool("isTerminal") == Some(false) => {
                let origin = self.origin(line);
                self.held.push(Item { origin, content: StreamItem::Ignored(kind) });
            }
            EventKind::AgentEnd => self.boundary(line, AgentEvent::AgentEnd),
            EventKind::TurnStart => self.boundary(line, AgentEvent::TurnStart),
            EventKind::TurnEnd => self.boundary(line, AgentEvent::TurnEnd),
            EventKind::MessageStart => self.message_start(&members, line),
            EventKind::MessageUpdate => self.update(&members, line),
            EventKind::MessageEnd => self.message_end(&members, line),
            EventKind::Triggered => self.triggered(&members, line),
            EventKind::RpcChunk if is_frame => self.malformed(line, "a split frame inside a split frame"),
            EventKind::RpcChunk => match self.frames.add(&members, line.number) {
                Assembled::Waiting => {}
                Assembled::Frame(text) => self.read_event(&text, line, true),
                Assembled::Unusable(why) => self.finding(INCOMPLETE_FRAME, why, line),
            },
            EventKind::Stream | EventKind::Context => {
                let origin = self.origin(line);
                self.held.push(Item { origin, content: StreamItem::Ignored(kind) });
            }
        }
    }

    fn header(&mut self, members: &Members<'_>, line: Line) {
        let raw = members.whole();
        let header = StreamHeader { id: members.string("id"), cwd: members.string("cwd"), raw };
        self.held.push(Item { origin: self.origin(line), content: StreamItem::Header(header) });
    }

    fn boundary(&mut self, line: Line, event: AgentEvent) {
        self.flush_begun();
        self.give_up_message();
        self.push(self.origin(line), event);
    }

    fn message_start(&mut self, members: &Members<'_>, line: Line) {
        self.flush_begun();
        self.give_up_message();
        let Some(message) = members.members("message") else {
            return self.malformed(line, "`message_start` without a `message` object");
        };
        if message.string("role").is_some_and(|role| role == "assistant") {
            let timestamp = message.value("timestamp").and_then(|value| value.as_f64());
            self.begin_message(line, timestamp);
            if let Some(open) = &mut self.open {
                open.named = calls_of(&message);
            }
        } else if let Some(raw) = members.object("message") {
            self.begun = Some((self.origin(line), Message::new(raw)));
        }
    }

    fn begin_message(&mut self, line: Line, timestamp: Option<f64>) {
        let number = self.messages;
        self.messages += 1;
        self.open = Some(OpenMessage { number, deltas: BTreeMap::new(), calls: Vec::new(), named: Vec::new() });
        self.push(self.origin(line), AgentEvent::MessageStart { timestamp });
    }

    fn update(&mut self, members: &Members<'_>, line: Line) {
        let Some(update) = members.members("assistantMessageEvent") else {
            return self.malformed(line, "`message_update` without an `assistantMessageEvent` object");
        };
        let Some(kind) = update.string("type").and_then(|kind| kind.to_utf8()) else {
            return self.malformed(line, "an `assistantMessageEvent` without a `type` string");
        };
        match kind.as_str() {
            "text_delta" | "thinking_delta" | "toolcall_delta" => self.delta(&kind, &update, line),
            "toolcall_start" => {
                let Some(index) = update.index("contentIndex") else {
                    return self.malformed(line, "`toolcall_start` without a `contentIndex`");
                };
                self.ensure_message(line);
                self.begin_call(index, &update, line);
            }
            "toolcall_end" => self.call_end(&update, line),
            "start" => {
                self.ensure_message(line);
                self.name_calls(&[], true, false);
                if let Some(open) = &mut self.open {
                    open.deltas.clear();
                    open.calls.clear();
                    open.named.clear();
                }
                self.push(self.origin(line), AgentEvent::StreamRestart);
            }
            "text_start" | "text_end" | "thinking_start" | "thinking_end" | "image_end" | "done" | "error" => {}
            _ => self.unknown_event(format!("message_update:{kind}"), line),
        }
    }

    fn delta(&mut self, kind: &str, update: &Members<'_>, line: Line) {
        let (Some(index), Some(delta)) = (update.index("contentIndex"), update.string("delta")) else {
            return self.malformed(line, format!("`{kind}` without `contentIndex` and `delta`"));
        };
        self.ensure_message(line);
        let event = match kind {
            "text_delta" => AgentEvent::TextDelta { index, delta },
            "thinking_delta" => AgentEvent::ThinkingDelta { index, delta },
            _ => {
                self.begin_call(index, update, line);
                if let Some(arguments) = arguments_so_far(index, update) {
                    let origin = Origin { block: Some(index), ..self.origin(line) };
                    self.push(origin, AgentEvent::ToolCallArguments { index, arguments });
                }
                AgentEvent::ToolCallDelta { index, delta }
            }
        };
        let origin = self.origin(line);
        let counted = self.open.as_mut().map(|open| {
            let count = open.deltas.entry(index).or_default();
            *count += 1;
            *count - 1
        });
        self.push(Origin { block: Some(index), delta: counted, ..origin }, event);
    }

    /// Begins the call at `index` unless it has begun. The full form names it in the message so far, a late
    /// `message_start` in its content; otherwise its end is waited for.
    fn begin_call(&mut self, index: usize, update: &Members<'_>, line: Line) {
        let Some(open) = &mut self.open else { return };
        if open.calls.contains(&index) {
            return;
        }
        open.calls.push(index);
        let so_far = match call_so_far(index, update) {
            Some(call) => Some(call),
            None => open.named.iter().find(|(at, _)| *at == index).map(|(_, call)| call.clone()),
        };
        let named = so_far.filter(|call| !call.name.is_blank());
        let (id, name) = named.map_or((None, None), |call| (Some(call.id), Some(call.name)));
        let origin = Origin { block: Some(index), ..self.origin(line) };
        self.push(origin, AgentEvent::ToolCallStart { index, id, name });
    }

    fn call_end(&mut self, update: &Members<'_>, line: Line) {
        let call = update.value("toolCall").map(|value| ContentBlock::read(&value));
        let (Some(index), Some(ContentBlock::ToolCall(call))) = (update.index("contentIndex"), call) else {
            return self.malformed(line, "`toolcall_end` without `contentIndex` and a `toolCall` with a name");
        };
        self.ensure_message(line);
        self.begin_call(index, update, line);
        self.held.settle(index, &call.id, &call.name);
        let origin = Origin { block: Some(index), ..self.origin(line) };
        let end = AgentEvent::ToolCallEnd { index, id: call.id, name: call.name, arguments: Some(call.arguments) };
        self.push(origin, end);
    }

    fn message_end(&mut self, members: &Members<'_>, line: Line) {
        let Some(raw) = members.object("message") else {
            return self.malformed(line, "`message_end` without a `message` object");
        };
        let message = Message::new(raw);
        if !message.is_assistant() {
            self.begun = None;
            let origin = self.origin(line);
            return self.push(origin, joined(message));
        }
        if self.open.is_none() {
            self.flush_begun();
            self.begin_message(line, message.timestamp());
        }
        if self.open.as_ref().is_some_and(|open| open.deltas.is_empty() && open.calls.is_empty()) {
            self.stream_whole(&message, line);
        }
        let calls: Vec<(usize, ToolCall)> = message.placed_calls().collect();
        self.name_calls(&calls, message.is_cut_short(), true);
        self.push(self.origin(line), AgentEvent::MessageEnd(message));
        self.open = None;
    }

    /// Gives the content of a message of which no delta was recorded, block by block.
    fn stream_whole(&mut self, message: &Message, line: Line) {
        let events: Vec<_> = Chunker::new(ChunkMode::Block).events(message, &self.origin(line)).collect();
        if events.is_empty() {
            return;
        }
        self.finding(MESSAGE_WITHOUT_DELTAS, "an assistant message with content and no deltas", line);
        for (event, origin) in events {
            self.push(origin, event);
        }
    }

    fn triggered(&mut self, members: &Members<'_>, line: Line) {
        let Some(rules) = members.items("rules") else {
            return self.malformed(line, "`ttsr_triggered` without a list of `rules`");
        };
        let names = rules.into_iter().filter_map(|rule| match parse_raw(rule).ok()? {
            Value::String(name) => Some(name),
            rule => rule.get("name")?.as_string().cloned(),
        });
        let content = StreamItem::Triggered(names.collect());
        self.held.push(Item { origin: self.origin(line), content });
    }

    /// A stream whose beginning is missing starts inside a message.
    fn ensure_message(&mut self, line: Line) {
        if self.open.is_none() {
            self.flush_begun();
            self.finding(ORPHAN_DELTA, "an update outside any assistant message", line);
            self.begin_message(line, None);
        }
    }

    /// Gives the user, custom or tool message whose end never came.
    fn flush_begun(&mut self) {
        if let Some((origin, message)) = self.begun.take() {
            self.push(origin, joined(message));
        }
    }

    /// Closes an assistant message whose end never came; it has no final content, so no end is made up.
    fn give_up_message(&mut self) {
        if self.open.take().is_some() {
            self.name_calls(&[], true, true);
        }
    }

    fn name_calls(&mut self, calls: &[(usize, ToolCall)], cut_short: bool, report: bool) {
        for start in self.held.finish(calls, cut_short) {
            if report {
                let line = start.map(|number| Line { number, offset: 0, terminated: true });
                self.report(
                    UNKNOWN_TOOL,
                    "a tool call that the stream never names; only rules without a tool filter are decided for it",
                    line,
                );
            }
        }
    }

    fn push(&mut self, origin: Origin, event: AgentEvent) {
        self.held.push(Item { origin, content: StreamItem::Event(event) });
    }

    fn origin(&self, line: Line) -> Origin {
        let message = self.open.as_ref().map(|open| open.number);
        Origin { line: Some(line.number), message, ..Origin::default() }
    }

    fn end(&mut self) {
        self.ended = true;
        self.flush_begun();
        self.give_up_message();
        for number in self.frames.unfinished() {
            let line = Line { number, offset: 0, terminated: true };
            self.report(INCOMPLETE_FRAME, "a split frame whose other parts never come", Some(line));
        }
        for (kind, Unknown { line, count }) in std::mem::take(&mut self.unknown) {
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            let message = format!("unknown event `{}`, {times}", shown(&kind));
            self.report(UNKNOWN_EVENT, message, Some(line));
        }
        for (_, (code, count)) in std::mem::take(&mut self.listed) {
            if count > MAX_LISTED {
                let message = format!("{} more findings of this kind in {}", count - MAX_LISTED, self.file);
                self.diagnostics.push(Diagnostic::new(code, message));
            }
        }
    }

    fn unknown_event(&mut self, kind: String, line: Line) {
        self.counts.unknown += 1;
        let kind = if self.unknown.len() < MAX_UNKNOWN_KINDS || self.unknown.contains_key(&kind) {
            kind
        } else {
            "(others)".to_owned()
        };
        let content = StreamItem::Ignored(JsString::from(kind.as_str()));
        self.unknown.entry(kind).or_insert(Unknown { line, count: 0 }).count += 1;
        self.held.push(Item { origin: self.origin(line), content });
    }

    fn malformed_text(&mut self, text: &str, error: &JsonError, line: Line, is_frame: bool) {
        if !line.terminated {
            self.counts.malformed += 1;
            return self.finding(TORN_STREAM, format!("the last line is cut: {}", error.message), line);
        }
        if is_frame {
            return self.malformed(line, format!("the parts of a split frame are no event: {}", error.message));
        }
        self.counts.malformed += 1;
        let column = text.get(..error.offset).map_or(1, |before| before.chars().count() + 1);
        let at = Position { line: line.number, column, offset: line.offset + error.offset };
        self.place(MALFORMED_EVENT, format!("a line that is no event: {}", error.message), Some(at));
    }

    fn malformed(&mut self, line: Line, message: impl Into<Cow<'static, str>>) {
        self.counts.malformed += 1;
        self.finding(MALFORMED_EVENT, message, line);
    }

    fn finding(&mut self, code: Code, message: impl Into<Cow<'static, str>>, line: Line) {
        self.report(code, message, Some(line));
    }

    fn report(&mut self, code: Code, message: impl Into<Cow<'static, str>>, line: Option<Line>) {
        let at = line.map(|line| Position { line: line.number, column: 1, offset: line.offset });
        self.place(code, message, at);
    }

    fn place(&mut self, code: Code, message: impl Into<Cow<'static, str>>, at: Option<Position>) {
        let (_, count) = self.listed.entry(code.number()).or_insert((code, 0));
        *count += 1;
        if *count > MAX_LISTED {
            return;
        }
        let mut diagnostic = Diagnostic::new(code, message.into());
        if let Some(at) = at {
            diagnostic = diagnostic.at(Place::point(self.file.clone(), at));
        }
        self.diagnostics.push(diagnostic);
    }
}

/// The tool calls in the content of a message that is read on demand.
/// The call at `index` as the full form shows it at this event.
fn call_so_far(index: usize, update: &Members<'_>) -> Option<ToolCall> {
    let items = update.members("partial")?.items("content")?;
    match ContentBlock::read(&parse_raw(items.get(index)?).ok()?) {
        ContentBlock::ToolCall(call) => Some(call),
        _ => None,
    }
}

/// The arguments that the agent has parsed at this delta, where the full form shows them (session.md S8.6).
fn arguments_so_far(index: usize, update: &Members<'_>) -> Option<Value> {
    call_so_far(index, update).map(|call| call.arguments)
}

fn calls_of(message: &Members<'_>) -> Vec<(usize, ToolCall)> {
    let blocks = message.items("content").unwrap_or_default().into_iter();
    let blocks = blocks.map(|raw| parse_raw(raw).unwrap_or(Value::Null));
    blocks.map(|block| ContentBlock::read(&block)).enumerate().filter_map(as_call).collect()
}

fn as_call((at, block): (usize, ContentBlock)) -> Option<(usize, ToolCall)> {
    if let ContentBlock::ToolCall(call) = block { Some((at, call)) } else { None }
}

/// How a message that is no assistant message joins the run.
fn joined(message: Message) -> AgentEvent {
    if message.role() == "toolResult" { AgentEvent::ToolResult(message) } else { AgentEvent::Message(message) }
}

/// The kind of an event, short enough for a message.
fn shown(kind: &str) -> Cow<'_, str> {
    match kind.char_indices().nth(60) {
        Some((end, _)) => Cow::Owned(format!("{}…", &kind[..end])),
        None => Cow::Borrowed(kind),
    }
}
