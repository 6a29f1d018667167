//! Marks of the generation that recorded an input (session.md S9.4f, generation-v4.md W14).
//!
//! [`of_session`] looks at a branch, [`of_stream`] at an event stream, and both say which mark decided. Of the marks
//! of one process the first in the order of `Era` counts, of several processes in one file the last that has one.
//!
//! One step of the order differs from S9.4f as it is written: that a stream without header holds `usage` and no
//! `completedAt` shows v1 only where nothing in it shows that names and conditions reached the session, which v1 does
//! not know: RPC streams have no header either, in every generation (recordings-17, f81, f83, f84).
//!
//! The cost is bounded. Of a session only the entries that may hold a mark are read, messages up to the first mark.
//! Of a stream the lines are passed over by their type, and those of the kinds below are read as far as their members;
//! what RPC mode splits into `rpc_chunk` parts is not put together for this.

use std::io::{self, BufRead};
use std::mem;

use memchr::memmem;

use crate::generation::Lifecycle;
use crate::session::{Entry, EntryKind, Role, Session, SessionError};
use crate::text::json::{self, RawMembers, Value};
use crate::text::{LineReader, RawLine};

/// How much of standard input is looked at: it can be read once only, so this much is held back until the generation
/// is known (bytes).
pub const STANDARD_INPUT_BYTES: u64 = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What a mark shows, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Era {
    /// S9.4f (a): release 18.3.
    V4,
    /// S9.4f (b): 18.2 or later.
    Since18_2,
    /// S9.4f (c): a rule object of the early generation.
    V1,
    /// S9.4f (d): what only later generations write.
    V2,
    /// S9.4f (c), second half.
    WithoutHeader,
    /// S9.4f (d), second half.
    WithHeader,
}

/// The mark that decides an input's generation, or that there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    found: Option<Mark>,
    /// The process that shows it, from 1, and how many there are.
    process: (usize, usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Mark {
    era: Era,
    what: &'static str,
    line: usize,
}

impl Marks {
    /// The generation. `has_question`: whether a rule of the set has a `question`, which tells 18.3 from 18.2 where
    /// the input itself does not; it never overrides an older mark.
    pub fn lifecycle(&self, has_question: bool) -> Lifecycle {
        match self.found.as_ref().map(|mark| mark.era) {
            None => Lifecycle::NEWEST,
            Some(Era::V1 | Era::WithoutHeader) => Lifecycle::V1,
            Some(Era::V2 | Era::WithHeader) => Lifecycle::V2,
            Some(Era::Since18_2) if !has_question => Lifecycle::V3,
            Some(Era::Since18_2 | Era::V4) => Lifecycle::V4,
        }
    }

    /// Whether 18.2 and 18.3 may both have written the input (generation-v4.md W14).
    pub fn is_ambiguous(&self) -> bool {
        self.found.as_ref().is_some_and(|mark| mark.era == Era::Since18_2)
    }

    /// Which mark decided, in words; without one, that the newest generation is taken.
    pub fn words(&self, has_question: bool) -> String {
        let Some(mark) = &self.found else { return "no mark: the newest".to_owned() };
        let mut words = format!("{} in line {}", mark.what, mark.line);
        if mark.era == Era::Since18_2 && has_question {
            words.push_str(" and a rule with `question`");
        }
        let (number, count) = self.process;
        if count > 1 {
            words.push_str(&format!(", process {number} of {count}"));
        }
        words
    }
}

/// The surest mark so far.
#[derive(Debug, Default)]
struct Best(Option<Mark>);

impl Best {
    /// Takes a mark, unless there is one as sure.
    fn offer(&mut self, era: Era, what: &'static str, line: usize) {
        if self.wants(era) {
            self.0 = Some(Mark { era, what, line });
        }
    }

    /// Whether a mark of that kind would count.
    fn wants(&self, era: Era) -> bool {
        self.0.as_ref().is_none_or(|best| era < best.era)
    }
}

const COMPLETED_AT: &str = "`completedAt`";
const COMPACTION_EPOCH: &str = "`contextSnapshot.compactionEpoch`";
const DELIVERY_ID: &str = "`deliveryId`";
const INJECTION: &str = "`ttsr-injection`";
const JUDGED: &str = "a `ttsr-injection` that opens with `<system-reminder`";

/// The marks on the branch that ends at `leaf`.
///
/// # Errors
/// When the file cannot be read again.
pub fn of_session(session: &Session, leaf: Option<usize>) -> Result<Marks, SessionError> {
    let branch = session.branch(leaf);
    let ends_process = |at: &usize| session.entry(*at).is_some_and(|entry| entry.is_session_exit());
    let processes: Vec<&[usize]> = branch.split_inclusive(ends_process).collect();
    for (number, process) in processes.iter().enumerate().rev() {
        let mut best = Best::default();
        for entry in process.iter().filter_map(|at| session.entry(*at)) {
            offer_entry(&mut best, entry)?;
        }
        if best.0.is_some() {
            return Ok(Marks { found: best.0, process: (number + 1, processes.len()) });
        }
    }
    Ok(Marks::default())
}

/// Whether a usage entry is of a judge's question (generation-v4.md).
fn is_of_rules(usage: &Value) -> bool {
    usage.get("purpose").and_then(Value::as_string).is_some_and(|purpose| *purpose == "ttsr")
}

fn offer_entry(best: &mut Best, entry: Entry<'_>) -> Result<(), SessionError> {
    let line = entry.line();
    match entry.kind() {
        Some(EntryKind::ModelUsage) if best.wants(Era::V4) && is_of_rules(&entry.value()?) => {
            best.offer(Era::V4, "`model_usage` with the purpose `ttsr`", line);
        }
        Some(EntryKind::CustomMessage) if entry.is_injection_message() => offer_injection(best, &entry.value()?, line),
        Some(EntryKind::TtsrInjection) => best.offer(Era::V2, "`ttsr_injection`", line),
        Some(EntryKind::Message) if entry.role() == Role::Assistant && best.wants(Era::Since18_2) => {
            let bytes = entry.bytes()?;
            let named = |name: &str| memmem::find(&bytes, name.as_bytes()).is_some();
            // The names may stand anywhere in a call's arguments: only the message's own count.
            if named("\"completedAt\"") || named("\"compactionEpoch\"") {
                let value = entry.value()?;
                value.get("message").into_iter().for_each(|message| offer_message(best, message, line));
            }
        }
        _ => {}
    }
    Ok(())
}

/// A reminder of its own: a `custom_message` entry, or the message of role `custom` in a stream.
fn offer_injection(best: &mut Best, message: &Value, line: usize) {
    if message.get("details").and_then(|details| details.get("deliveryId")).is_some() {
        best.offer(Era::Since18_2, DELIVERY_ID, line);
    }
    let content = message.get("content");
    let text = match content.and_then(Value::as_array) {
        Some(blocks) => blocks.first().and_then(|block| block.get("text")),
        None => content,
    };
    let opens = |tag: &str| text.and_then(Value::as_string).is_some_and(|text| text.starts_with(tag));
    if opens("<system-reminder") {
        best.offer(Era::V4, JUDGED, line);
    }
    best.offer(Era::V2, INJECTION, line);
}

/// An assistant message that ended.
fn offer_message(best: &mut Best, message: &Value, line: usize) {
    if message.get("completedAt").is_some() {
        best.offer(Era::Since18_2, COMPLETED_AT, line);
    }
    if message.get("contextSnapshot").and_then(|snapshot| snapshot.get("compactionEpoch")).is_some() {
        best.offer(Era::Since18_2, COMPACTION_EPOCH, line);
    }
}

/// The marks of an event stream, or of as much of it as there is.
///
/// # Errors
/// When it cannot be read.
pub fn of_stream(input: impl BufRead) -> io::Result<Marks> {
    let mut scan = StreamScan::default();
    let (mut lines, mut line) = (LineReader::new(input), RawLine::default());
    while lines.read(&mut line)? {
        let mark = if line.number == 1 { BYTE_ORDER_MARK } else { b"" };
        scan.line(line.bytes.strip_prefix(mark).unwrap_or(&line.bytes), line.number);
    }
    Ok(scan.finish())
}

/// The stream so far.
#[derive(Default)]
struct StreamScan {
    best: Best,
    /// Whether this process printed a header.
    has_header: bool,
    /// Whether a rule object of this process has conditions, which the early generation does not know.
    knows_conditions: bool,
    /// The first finished assistant message of this process that has a usage.
    usage: Option<usize>,
    /// The mark of each process that ended; one stream file may hold several.
    processes: Vec<Option<Mark>>,
}

impl StreamScan {
    fn line(&mut self, line: &[u8], number: usize) {
        // Most of a stream: told apart without being read.
        let begins = |kind: &str| line.starts_with(b"{\"type\":\"") && line[9..].starts_with(kind.as_bytes());
        if begins("message_update\"") || begins("turn_end\"") || begins("tool_execution") {
            return;
        }
        let Ok(RawMembers(members)) = serde_json::from_slice::<RawMembers<'_>>(line) else { return };
        let raw = |key: &str| members.iter().rev().find(|(name, _)| *name == key).map(|(_, raw)| *raw);
        let value = |key: &str| raw(key).and_then(|raw| json::parse_raw(raw).ok());
        let Some(Value::String(kind)) = value("type") else { return };
        match kind.to_string_lossy().as_str() {
            "session" => self.header(number),
            "agent_end" if raw("yielded").is_some() => self.best.offer(Era::V4, "`agent_end.yielded`", number),
            "prompt_result" => self.best.offer(Era::V4, "`prompt_result`", number),
            "session_settled" => self.best.offer(Era::V4, "`session_settled`", number),
            "ttsr_triggered" => value("rules").iter().for_each(|rules| self.rules(rules, number)),
            "message_end" => value("message").iter().for_each(|message| self.message(message, number)),
            _ => {}
        }
    }

    /// A header: behind other lines it begins a new process.
    fn header(&mut self, number: usize) {
        if number > 1 {
            self.end_process();
        }
        self.has_header = true;
    }

    fn rules(&mut self, rules: &Value, number: usize) {
        for rule in rules.as_array().unwrap_or_default() {
            if rule.get("question").is_some() {
                self.best.offer(Era::V4, "a rule object with `question`", number);
            }
            if rule.get("ttsrTrigger").is_some() {
                self.best.offer(Era::V1, "a rule object with `ttsrTrigger`", number);
            }
            self.knows_conditions |= rule.get("condition").is_some();
        }
    }

    fn message(&mut self, message: &Value, number: usize) {
        let is =
            |key: &str, text: &str| message.get(key).and_then(Value::as_string).is_some_and(|value| *value == text);
        if is("role", "assistant") {
            offer_message(&mut self.best, message, number);
            if message.get("usage").is_some() {
                self.usage.get_or_insert(number);
            }
        } else if is("role", "custom") && is("customType", "ttsr-injection") {
            offer_injection(&mut self.best, message, number);
        }
    }

    fn end_process(&mut self) {
        let mut best = mem::take(&mut self.best);
        let (has_header, knows_conditions) = (mem::take(&mut self.has_header), mem::take(&mut self.knows_conditions));
        if let Some(line) = self.usage.take() {
            match (has_header, knows_conditions) {
                (true, _) => best.offer(Era::WithHeader, "`usage` without `completedAt`", line),
                (_, true) => {
                    best.offer(Era::WithHeader, "rules with `condition`, and `usage` without `completedAt`", line)
                }
                _ => best.offer(Era::WithoutHeader, "no header, and `usage` without `completedAt`", line),
            }
        }
        self.processes.push(best.0);
    }

    fn finish(mut self) -> Marks {
        self.end_process();
        let count = self.processes.len();
        let last = self.processes.into_iter().enumerate().rev().find_map(|(at, mark)| Some((at + 1, mark?)));
        match last {
            Some((number, mark)) => Marks { found: Some(mark), process: (number, count) },
            None => Marks::default(),
        }
    }
}
