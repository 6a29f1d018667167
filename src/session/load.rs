//! Bytes to index: one parser, two policies (session.md S1.0). Damage becomes diagnostics.

use std::borrow::Cow;
use std::io::{self, Read};

use rayon::prelude::*;

use crate::diagnostic::{Code, Diagnostic, code};
use crate::text::json::{self, Object, Value};
use crate::text::{Place, Position};

use super::ReadMode;
use super::error::{ReadError, Refusal, RefusedStep};
use super::flags;
use super::index::{self, Index};
use super::kind::EntryKind;
use super::migrate::Migration;
use super::record::{self, Record, Unreadable};
use super::salvage;
use super::slot::{self, TitleSlot};

/// Findings of one kind beyond this many are only counted.
const FINDINGS_PER_CODE: usize = 50;
/// Up to this size the agent reads a file in one piece; beyond, a record swallowed at the end is not counted
/// (session.md S1.6).
const STREAM_BYTES: usize = 8 << 20;
/// How much is read at a time.
const BLOCK_BYTES: usize = 2 << 20;
/// Fewer lines are not worth sharing between processors.
const SHARED_LINES: usize = 256;
/// How often the faithful reader may look at a byte, on average, before it stops reading across lines.
const FAITHFUL_EFFORT: usize = 64;

/// What reading gives.
pub(super) struct Loaded {
    pub(super) index: Index,
    pub(super) header: Object,
    pub(super) header_span: std::ops::Range<u64>,
    #[cfg_attr(not(feature = "internals"), expect(dead_code, reason = "only tests ask"))]
    pub(super) fresh: bool,
    #[cfg_attr(not(feature = "internals"), expect(dead_code, reason = "only tests ask"))]
    pub(super) slot: Option<TitleSlot>,
    pub(super) version_before: Value,
    pub(super) migration: Option<Migration>,
    pub(super) malformed: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Collects what the lines of one file give.
pub(super) struct Loader<'a> {
    file: &'a str,
    mode: ReadMode,
    index: Index,
    slot: Option<TitleSlot>,
    first: First,
    malformed: usize,
    /// The line of the first usage without cost.
    costless: Option<usize>,
    findings: Findings,
    /// The last bad line, held back until it is known whether something follows.
    held: Option<(Diagnostic, bool)>,
    disguise: Option<&'static str>,
    /// The first bad line, when it stands before every record.
    broken: Option<(usize, String)>,
}

/// The first record of the file, the slot aside.
enum First {
    NotYet,
    Header(Object, std::ops::Range<u64>),
    /// The line, and what stands there.
    NoHeader(usize, String),
}

/// Findings, of each kind not too many.
#[derive(Default)]
struct Findings {
    list: Vec<Diagnostic>,
    counts: Vec<(Code, usize)>,
}

impl Findings {
    fn push(&mut self, finding: Diagnostic) {
        let at = self.counts.iter().position(|(code, _)| *code == finding.code).unwrap_or_else(|| {
            self.counts.push((finding.code, 0));
            self.counts.len() - 1
        });
        self.counts[at].1 += 1;
        if self.counts[at].1 <= FINDINGS_PER_CODE {
            self.list.push(finding);
        }
    }

    fn into_list(mut self, file: &str) -> Vec<Diagnostic> {
        self.list.sort_by_key(|finding| finding.place.as_ref().map_or(0, |place| place.start.line));
        for (code, count) in self.counts {
            if count > FINDINGS_PER_CODE {
                let more =
                    format!("{} more findings `{}` in {file} are not listed", count - FINDINGS_PER_CODE, code.name());
                self.list.push(Diagnostic::new(code, more));
            }
        }
        self.list
    }
}

impl<'a> Loader<'a> {
    pub(super) fn new(file: &'a str, mode: ReadMode) -> Self {
        Self {
            file,
            mode,
            index: Index::new(mode == ReadMode::Faithful),
            slot: None,
            first: First::NotYet,
            malformed: 0,
            costless: None,
            findings: Findings::default(),
            held: None,
            disguise: None,
            broken: None,
        }
    }

    /// Reads physical lines, each for itself, a block at a time.
    pub(super) fn tolerant(&mut self, mut input: impl Read) -> io::Result<()> {
        let (mut block, mut offset, mut number) = (Vec::with_capacity(BLOCK_BYTES), 0_u64, 0);
        loop {
            let old = block.len();
            let read = input.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut block)?;
            let cut = match memchr::memrchr(b'\n', &block[old..]) {
                Some(at) => old + at + 1,
                None if read == 0 => block.len(),
                // A line longer than a block.
                None => continue,
            };
            self.block(&block[..cut], offset, &mut number);
            if read == 0 {
                return Ok(());
            }
            offset += cut as u64;
            block.drain(..cut);
            block.shrink_to(BLOCK_BYTES);
        }
    }

    /// Reads whole lines. Looking at regular records is most of the work and needs nothing of the lines before, so
    /// that all processors share it; the rest is done in order.
    fn block(&mut self, block: &[u8], offset: u64, number: &mut usize) {
        if block.is_empty() {
            return;
        }
        let ends = memchr::memchr_iter(b'\n', block).chain((block.last() != Some(&b'\n')).then_some(block.len()));
        let mut start = 0;
        let lines: Vec<(usize, &[u8])> = ends
            .map(|end| {
                let line = (start, &block[start..end]);
                start = end + 1;
                line
            })
            .collect();
        let looked: Vec<Option<Look<'_>>> = if lines.len() < SHARED_LINES {
            lines.iter().map(|(_, line)| look(line)).collect()
        } else {
            lines.par_iter().map(|(_, line)| look(line)).collect()
        };
        for ((start, line), look) in lines.into_iter().zip(looked) {
            *number += 1;
            let offset = offset + start as u64;
            match look.filter(|_| !matches!(self.first, First::NotYet)) {
                Some(look) => {
                    self.flush_held();
                    self.index.push(&look.peek, look.message, offset, line.len(), *number);
                }
                None => self.line(line, offset, *number),
            }
        }
    }

    fn line(&mut self, bytes: &[u8], offset: u64, number: usize) {
        if number == 1 {
            self.disguise = disguise(bytes);
        }
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let (bytes, offset) = match bytes.strip_prefix(b"\xEF\xBB\xBF") {
            Some(rest) if number == 1 => (rest, offset + 3),
            _ => (bytes, offset),
        };
        if bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
            return;
        }
        self.flush_held();
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(error) => {
                let at = self.place(&String::from_utf8_lossy(bytes), error.valid_up_to(), offset, number);
                let message = "the line holds bytes that are no UTF-8; they are read as U+FFFD";
                self.findings.push(Diagnostic::new(code::INVALID_UTF8, message).at(at));
                String::from_utf8_lossy(bytes)
            }
        };
        if bytes.len() > u32::MAX as usize {
            let error = Unreadable { message: "longer than 4 GiB".to_owned(), offset: 0, cut_short: false };
            return self.bad(&text, &error, offset, number);
        }
        match record::read(&text) {
            Ok(Record::Object(peek, end)) => {
                let whole = matches!(text, Cow::Owned(_)) || end == text.len();
                self.record(&text[..end], &peek, offset, if whole { bytes.len() } else { end }, number);
                if !text[end..].trim_matches([' ', '\t', '\r']).is_empty() {
                    self.glued(&text, end, offset, number);
                }
            }
            Ok(Record::Other(raw, _)) => {
                let kind = json::parse_raw(raw).map_or("a value", |value| value.kind());
                let message = format!("the line holds {kind}, not an object");
                self.bad(&text, &Unreadable { message, offset: 0, cut_short: false }, offset, number);
            }
            Err(error) => self.bad(&text, &error, offset, number),
        }
    }

    /// Reads the text as the agent does: a stream of JSON values that must end at a newline (session.md S1.6).
    pub(super) fn faithful(&mut self, text: &str) {
        let (mut at, mut number, mut effort) = (0, 1, text.len().saturating_mul(FAITHFUL_EFFORT).max(1 << 20));
        loop {
            let rest = &text[at..];
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            number += newlines(&rest[..blank]);
            at += blank;
            if at == text.len() {
                return;
            }
            let line_len = memchr::memchr(b'\n', &text.as_bytes()[at..]).unwrap_or(text.len() - at);
            let window = if effort == 0 { &text[at..at + line_len] } else { &text[at..] };
            let outcome = read_one(window);
            let end = match &outcome {
                Ok((_, end)) => *end,
                Err(error) => error.offset,
            };
            effort = effort.saturating_sub(end);
            match outcome {
                Ok((record, end)) => {
                    match &record {
                        Record::Object(peek, _) => self.record(&text[at..at + end], peek, at as u64, end, number),
                        Record::Other(raw, _) => self.other(raw, at as u64, end, number),
                    }
                    number += newlines(&text[at..at + end]);
                    at += end;
                    let tail = memchr::memchr(b'\n', &text.as_bytes()[at..]).unwrap_or(text.len() - at);
                    if !text[at..at + tail].trim_matches([' ', '\t', '\r']).is_empty() {
                        self.malformed += 1;
                    }
                    at += tail;
                }
                Err(error) if error.cut_short && window.len() == text.len() - at => {
                    // Incomplete at the end of the file: the rest is given up.
                    let swallows = !text[at + line_len..].trim_matches([' ', '\t', '\r', '\n']).is_empty();
                    if !(swallows && text.len() >= STREAM_BYTES) {
                        self.malformed += 1;
                    }
                    return;
                }
                Err(_) => {
                    self.malformed += 1;
                    at += line_len;
                }
            }
        }
    }

    fn record(&mut self, text: &str, peek: &record::Peek<'_>, offset: u64, len: usize, line: usize) {
        if matches!(self.first, First::NotYet) {
            let value = json::parse(text).unwrap_or(Value::Null);
            if line == 1
                && self.slot.is_none()
                && let Some(slot) = TitleSlot::read(&value)
            {
                self.slot = Some(slot);
                return;
            }
            self.first = match value {
                Value::Object(header) if is_header(&header) => First::Header(header, offset..offset + len as u64),
                value => First::NoHeader(line, slot::instead_of_header(&value, line)),
            };
            if matches!(self.first, First::Header(..)) {
                return;
            }
        }
        if self.mode == ReadMode::Faithful && self.costless.is_none() && record::lacks_cost(peek) {
            self.costless = Some(line);
        }
        self.index.push(peek, record::look_at_message(peek), offset, len, line);
    }

    fn other(&mut self, raw: &serde_json::value::RawValue, offset: u64, len: usize, line: usize) {
        if matches!(self.first, First::NotYet) {
            self.first = First::NoHeader(line, format!("line {line} holds no object"));
        }
        self.index.push_other(raw, offset, len, line);
    }

    fn place(&self, text: &str, at: usize, line_offset: u64, number: usize) -> Place {
        let mut end = at.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let position =
            Position { line: number, column: text[..end].chars().count() + 1, offset: line_offset as usize + at };
        Place::point(self.file, position)
    }

    fn bad(&mut self, text: &str, error: &Unreadable, offset: u64, number: usize) {
        self.malformed += 1;
        if matches!(self.first, First::NotYet) && self.broken.is_none() {
            self.broken = Some((number, error.message.clone()));
        }
        let mut finding =
            Diagnostic::new(code::MALFORMED_LINE, format!("line {number} is no record: {}", error.message))
                .at(self.place(text, error.offset, offset, number));
        if let Some(found) = salvage::find(text, 1) {
            finding = finding.with_help(format!("byte {} of the line begins {}", found.offset, found.what));
        }
        self.held = Some((finding, error.cut_short));
    }

    fn glued(&mut self, text: &str, end: usize, offset: u64, number: usize) {
        self.malformed += 1;
        let message = format!("line {number} goes on behind its record; only the first record is read");
        let mut finding = Diagnostic::new(code::GLUED_RECORDS, message).at(self.place(text, end, offset, number));
        if let Some(found) = salvage::find(text, end) {
            finding = finding.with_help(format!("byte {} of the line begins {}", found.offset, found.what));
        }
        self.findings.push(finding);
    }

    fn flush_held(&mut self) {
        if let Some((finding, _)) = self.held.take() {
            self.findings.push(finding);
        }
    }

    /// Ends the reading: migration, parents, structure.
    pub(super) fn finish(mut self) -> Result<Loaded, ReadError> {
        if let Some((finding, true)) = &mut self.held {
            finding.code = code::TRUNCATED_TAIL;
            finding.severity = code::TRUNCATED_TAIL.severity();
            finding.message = format!("the last record is cut short: {}", finding.message);
        }
        self.flush_held();
        let (mut header, header_span) = match std::mem::replace(&mut self.first, First::NotYet) {
            First::Header(header, span) => (header, span),
            First::NotYet if self.malformed == 0 && self.disguise.is_none() => return Ok(self.fresh()),
            First::NotYet => {
                let what = self.disguise.unwrap_or("nothing in the file is a record");
                let message = format!("session header is missing or malformed: {what}");
                return Err(self.refuse(RefusedStep::Header, message, 0, None));
            }
            First::NoHeader(line, instead) => {
                // A broken line before the first record is likely what the header was.
                let (line, what) = match self.broken.take() {
                    Some((line, why)) => (line, format!("line {line} is no record ({why})")),
                    None => (line, instead),
                };
                let message = format!("session header is missing or malformed: {what}");
                return Err(self.refuse(RefusedStep::Header, message, line, None));
            }
        };
        let version_before = header.get("version").filter(|value| **value != Value::Null).cloned();
        let version_before = version_before.unwrap_or_else(|| 1_u32.into());
        let migration = Migration::needed(&version_before);
        if self.mode == ReadMode::Faithful
            && let Some((step, line, why)) = self.raising(migration)
        {
            let message = format!("line {line} makes the agent fail when it opens the file: {why}");
            return Err(self.refuse(step, message, line, Some(version_before)));
        }
        if let Some(migration) = migration {
            header.insert("version", 3_u32);
            if migration.chains {
                self.index.chain();
            }
        }
        if let Some(slot) = &self.slot {
            slot.overlay(&mut header);
        }
        self.index.resolve(header.get("id").and_then(Value::as_string));
        if self.mode == ReadMode::Tolerant {
            self.structure(&header, &version_before);
        }
        Ok(Loaded {
            index: self.index,
            header,
            header_span,
            fresh: false,
            slot: self.slot,
            version_before,
            migration,
            malformed: self.malformed,
            diagnostics: self.findings.into_list(self.file),
        })
    }

    fn fresh(mut self) -> Loaded {
        self.findings.push(Diagnostic::new(code::EMPTY_SESSION, format!("{} holds no entries", self.file)));
        Loaded {
            index: self.index,
            header: Object::new(),
            header_span: 0..0,
            fresh: true,
            slot: self.slot,
            version_before: 1_u32.into(),
            migration: None,
            malformed: 0,
            diagnostics: self.findings.into_list(self.file),
        }
    }

    fn refuse(mut self, step: RefusedStep, message: String, line: usize, version_before: Option<Value>) -> ReadError {
        let code = if step == RefusedStep::Header { code::MISSING_HEADER } else { code::INVALID_ENTRY };
        self.findings.push(Diagnostic::new(code, message.clone()).at(Place::line(self.file, line, 0)));
        ReadError::Refused(Box::new(Refusal {
            step,
            message,
            malformed: self.malformed,
            migrated: version_before.as_ref().is_none_or(|version| Migration::needed(version).is_some()),
            version_before,
            title_slot: self.slot,
            diagnostics: self.findings.into_list(self.file),
        }))
    }

    /// The first entry on which the agent raises (session.md S1.6, S1.9g), and when.
    fn raising(&self, migration: Option<Migration>) -> Option<(RefusedStep, usize, &'static str)> {
        let mut flags = flags::NULL | flags::RAISES;
        if migration.is_some_and(|migration| migration.chains) {
            flags |= flags::SCALAR;
        }
        let row = self.index.rows.iter().find(|row| row.has(flags)).map(|row| {
            let why = if row.has(flags::RAISES) { "the entry holds no message" } else { "it is no record" };
            (row.line as usize, why)
        });
        // The usage is summed up last.
        match row {
            Some((line, why)) if migration.is_some() => Some((RefusedStep::Migration, line, why)),
            row => row
                .or(self.costless.map(|line| (line, "the message's `usage` has no `cost`")))
                .map(|(line, why)| (RefusedStep::Opening, line, why)),
        }
    }

    /// What is odd about the tree (session.md S1.5, S1.9).
    fn structure(&mut self, header: &Object, version: &Value) {
        if Migration::needed(version).is_none() && version.as_f64() != Some(3.0) {
            let message = format!("the header names version {}; the file is read as version 3", version.to_json());
            self.findings.push(Diagnostic::new(code::UNSUPPORTED_VERSION, message));
        }
        if let Some(id) = header.get("id").and_then(Value::as_string)
            && id.is_empty()
        {
            self.findings.push(Diagnostic::new(code::MISSING_ID, "the header's id is empty"));
        }
        for (before, later) in self.index.duplicates(FINDINGS_PER_CODE + 1) {
            let message = format!(
                "the entry on line {} has the id of the entry on line {}; the later one counts for both",
                self.index.rows[later].line, self.index.rows[before].line
            );
            self.entry_finding(code::DUPLICATE_ID, message, later);
        }
        for at in 0..self.index.rows.len() {
            let row = self.index.rows[at];
            if row.has(flags::DANGLING) {
                let message = "the parent of this entry is not in the file; nothing before it can be reached from it";
                self.entry_finding(code::DANGLING_PARENT, message.to_owned(), at);
            }
            match self.index.kind(at) {
                None => {
                    self.entry_finding(code::INVALID_ENTRY, "the record has no type".to_owned(), at);
                }
                Some(EntryKind::Unknown) => {
                    let message = format!("unknown entry type `{}`; it is kept", self.index.kind_name(at));
                    self.entry_finding(code::UNKNOWN_ENTRY_TYPE, message, at);
                }
                Some(EntryKind::Session) => {
                    let message = "a second header stands among the entries; it is no part of the session".to_owned();
                    self.entry_finding(code::FOREIGN_HEADER, message, at);
                }
                Some(EntryKind::Message) if row.has(flags::UNUSABLE) => {
                    let message = "the `message` entry holds no message; it is skipped".to_owned();
                    self.entry_finding(code::INVALID_ENTRY, message, at);
                }
                Some(_) => {}
            }
            if row.id() == index::Id::None {
                let message = "the entry has no id; it cannot be reached".to_owned();
                self.entry_finding(code::MISSING_ID, message, at);
            }
        }
        for at in super::tree::cycles(&self.index) {
            let message = "the entry is its own ancestor; the walk to the root stops where it would repeat".to_owned();
            self.entry_finding(code::PARENT_CYCLE, message, at);
        }
    }

    fn entry_finding(&mut self, code: Code, message: String, at: usize) {
        let row = self.index.rows[at];
        let mut finding =
            Diagnostic::new(code, message).at(Place::line(self.file, row.line as usize, row.offset as usize));
        if let Some(id) = self.index.id_text(at) {
            finding = finding.with_entry(id.to_string_lossy());
        }
        self.findings.push(finding);
    }
}

/// A line that is one record and nothing else.
struct Look<'a> {
    peek: record::Peek<'a>,
    message: record::MessageLook,
}

/// Looks at a line; nothing when it is anything but one record.
fn look(line: &[u8]) -> Option<Look<'_>> {
    let text = std::str::from_utf8(line).ok().filter(|text| text.len() <= u32::MAX as usize)?;
    match record::read(text) {
        Ok(Record::Object(peek, end)) if end == text.len() => {
            Some(Look { message: record::look_at_message(&peek), peek })
        }
        _ => None,
    }
}

/// One JSON value at the beginning of `text`, whatever follows.
fn read_one(text: &str) -> Result<(Record<'_>, usize), Unreadable> {
    // The quick way needs the end of the record: that is nearly always the end of the line.
    if let Some(end) = memchr::memchr(b'\n', text.as_bytes())
        && let Ok(record) = record::read(&text[..end])
    {
        let end = match &record {
            Record::Object(_, end) | Record::Other(_, end) => *end,
        };
        return Ok((record, end));
    }
    record::read(text).map(|record| match record {
        Record::Object(_, end) | Record::Other(_, end) => (record, end),
    })
}

fn newlines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

fn is_header(record: &Object) -> bool {
    let text = |key: &str| record.get(key).and_then(Value::as_string);
    text("type").is_some_and(|kind| *kind == "session") && text("id").is_some()
}

/// What the first bytes show that is no text of ours.
fn disguise(bytes: &[u8]) -> Option<&'static str> {
    Some(match bytes {
        [0x1F, 0x8B, ..] => "the file is compressed with gzip; decompress it first",
        [0x28, 0xB5, 0x2F, 0xFD, ..] => "the file is compressed with zstd; decompress it first",
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "the file is UTF-16; convert it to UTF-8 first",
        [b'{', 0, ..] | [0, b'{', ..] => "the file is UTF-16; convert it to UTF-8 first",
        [b'P', b'K', 3, 4, ..] => "the file is a ZIP archive",
        bytes if bytes.iter().take(1024).filter(|byte| **byte == 0).count() > 4 => "the file is binary",
        _ => return None,
    })
}
