//! The JSONL session store: reading, the tree, the context of a branch, writing (session.md S1 to S7).
//!
//! A [`Session`] keeps an index of 32 bytes an entry and fetches payloads when they are asked for, so a file of
//! any size can be looked into. This module knows what a session *is*; what should not be in one is told by
//! `audit`.

mod context;
mod ecmascript;
mod error;
mod flags;
mod index;
mod injected;
mod kind;
mod load;
mod migrate;
mod name;
mod record;
mod salvage;
mod slot;
mod source;
mod store;
mod tree;
mod write;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Mutex;

pub(crate) use context::Shown;
pub use context::{Context, ContextMessage};
pub use error::{ReadError, Refusal, RefusedStep, SessionError};
pub use kind::{EntryKind, Role};
pub use name::file_name;
pub use record::first_text;
pub use slot::TitleSlot;
#[cfg(feature = "internals")]
pub use store::UnknownEntry;
pub use store::{NewHeader, Store};
pub use tree::Tree;
pub use write::{WriteCall, WriteGate, write_new};

use crate::diagnostic::Diagnostic;
use crate::message::Message;
use crate::text::JsString;
use crate::text::json::{self, Object, Value};

use index::Index;
use load::{Loaded, Loader};
use migrate::Migration;
use source::Source;

/// Files up to this size are kept in memory.
const MEMORY_BYTES: u64 = 16 << 20;

/// How a file is read (session.md S1.0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadMode {
    /// Nothing is lost that can be told: the lines marked OURS.
    #[default]
    Tolerant,
    /// What the agent (18.2) would see.
    Faithful,
}

/// A session that was read.
#[derive(Debug)]
pub struct Session {
    /// The file as the user named it.
    file: String,
    mode: ReadMode,
    source: Source,
    /// The bytes as they were, where the text that was read differs from them.
    original: Option<Vec<u8>>,
    index: Index,
    header: Object,
    header_span: std::ops::Range<u64>,
    #[cfg(feature = "internals")]
    fresh: bool,
    #[cfg(feature = "internals")]
    slot: Option<TitleSlot>,
    version_before: Value,
    migration: Option<Migration>,
    malformed: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Session {
    /// Opens a file. Small files are kept in memory; of larger ones only the index is, and payloads are read from
    /// the file when asked for (faithful mode keeps every file in memory).
    ///
    /// # Errors
    /// When the file cannot be read, or is refused ([`Refusal`]).
    pub fn open(path: &Path, name: &str, mode: ReadMode) -> Result<Self, ReadError> {
        let mut file = File::open(path)?;
        let info = file.metadata()?;
        if mode == ReadMode::Faithful || !info.is_file() || info.len() <= MEMORY_BYTES {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            return Self::from_bytes(bytes, name, mode);
        }
        let mut loader = Loader::new(name, mode);
        let mut counted = Counted { input: &file, read: 0 };
        loader.tolerant(&mut counted)?;
        let len = counted.read;
        Ok(Self::new(name, mode, Source::File(Mutex::new(file), len), None, loader.finish()?))
    }

    /// Reads a whole input, such as standard input, into memory.
    ///
    /// # Errors
    /// When the input cannot be read, or is refused ([`Refusal`]).
    pub fn read(mut input: impl Read, name: &str, mode: ReadMode) -> Result<Self, ReadError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        Self::from_bytes(bytes, name, mode)
    }

    /// Reads the bytes of a file. A byte order mark is dropped, as the agent's file reader does.
    ///
    /// # Errors
    /// When the bytes are refused ([`Refusal`]).
    pub fn from_bytes(bytes: Vec<u8>, name: &str, mode: ReadMode) -> Result<Self, ReadError> {
        let mut loader = Loader::new(name, mode);
        if mode == ReadMode::Tolerant {
            loader.tolerant(bytes.as_slice())?;
            return Ok(Self::new(name, mode, Source::Memory(bytes), None, loader.finish()?));
        }
        let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
        let (text, original) = match std::str::from_utf8(body) {
            Ok(text) if text.len() == bytes.len() => (String::from_utf8_lossy(&bytes).into_owned(), None),
            Ok(text) => (text.to_owned(), Some(bytes)),
            Err(_) => (String::from_utf8_lossy(body).into_owned(), Some(bytes)),
        };
        loader.faithful(&text);
        Ok(Self::new(name, mode, Source::Memory(text.into_bytes()), original, loader.finish()?))
    }

    /// Reads text that a caller hands on as a string: unlike in [`Session::from_bytes`] a leading U+FEFF is part of
    /// it in faithful mode (session.md S1.6).
    ///
    /// # Errors
    /// When the text is refused ([`Refusal`]).
    #[cfg(feature = "internals")]
    pub fn from_text(text: &str, name: &str, mode: ReadMode) -> Result<Self, ReadError> {
        let mut loader = Loader::new(name, mode);
        match mode {
            ReadMode::Tolerant => loader.tolerant(text.as_bytes())?,
            ReadMode::Faithful => loader.faithful(text),
        }
        Ok(Self::new(name, mode, Source::Memory(text.as_bytes().to_vec()), None, loader.finish()?))
    }

    fn new(name: &str, mode: ReadMode, source: Source, original: Option<Vec<u8>>, loaded: Loaded) -> Self {
        Self {
            file: name.to_owned(),
            mode,
            source,
            original,
            index: loaded.index,
            header: loaded.header,
            header_span: loaded.header_span,
            #[cfg(feature = "internals")]
            fresh: loaded.fresh,
            #[cfg(feature = "internals")]
            slot: loaded.slot,
            version_before: loaded.version_before,
            migration: loaded.migration,
            malformed: loaded.malformed,
            diagnostics: loaded.diagnostics,
        }
    }

    /// The file as the user named it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// How the file was read.
    pub fn mode(&self) -> ReadMode {
        self.mode
    }

    /// The header after migration, with the title of the slot (session.md S1.4). Empty when [`Session::is_fresh`].
    pub fn header(&self) -> &Object {
        &self.header
    }

    /// The session's id.
    pub fn id(&self) -> Option<&JsString> {
        self.header.get("id")?.as_string()
    }

    /// The session's working directory.
    pub fn cwd(&self) -> Option<&JsString> {
        self.header.get("cwd")?.as_string()
    }

    /// Whether nothing usable is in the file: the agent starts a new session in its place (session.md S1.6).
    #[cfg(feature = "internals")]
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// The title slot, when the first line is a valid one (session.md S1.3).
    #[cfg(feature = "internals")]
    pub fn title_slot(&self) -> Option<&TitleSlot> {
        self.slot.as_ref()
    }

    /// The version that the file names, 1 when it names none.
    pub fn version_before(&self) -> &Value {
        &self.version_before
    }

    /// Whether the file was migrated in memory (session.md S1.5).
    pub fn is_migrated(&self) -> bool {
        self.migration.is_some()
    }

    /// Number of records that could not be read.
    pub fn malformed(&self) -> usize {
        self.malformed
    }

    /// What reading found: damage and oddities of the tree. Tolerant mode only.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Number of bytes of the text.
    #[cfg(feature = "internals")]
    pub fn byte_len(&self) -> u64 {
        self.source.len()
    }

    /// Number of entries; header and title slot are none.
    pub fn len(&self) -> usize {
        self.index.rows.len()
    }

    /// Whether there are no entries.
    #[cfg(feature = "internals")]
    pub fn is_empty(&self) -> bool {
        self.index.rows.is_empty()
    }

    /// The entries in file order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = Entry<'_>> + DoubleEndedIterator {
        (0..self.len()).map(|index| Entry { session: self, index })
    }

    /// The entry at `index` in file order.
    pub fn entry(&self, index: usize) -> Option<Entry<'_>> {
        (index < self.len()).then_some(Entry { session: self, index })
    }

    /// Number of entries per type as written; those without a type count under the empty name.
    pub fn entry_totals(&self) -> std::collections::BTreeMap<JsString, usize> {
        self.index.kind_totals()
    }

    /// The last entry with this id.
    pub fn find(&self, id: &JsString) -> Option<usize> {
        self.index.find_text(id)
    }

    /// The leaf: the last entry of the file. One without id makes the leaf undefined in faithful mode; in tolerant
    /// mode the last entry with an id is the leaf (session.md S3.2, S1.9f).
    pub fn leaf(&self) -> Option<usize> {
        let id = |at: &usize| self.index.rows[*at].id();
        match self.mode {
            ReadMode::Tolerant => (0..self.len()).rev().find(|at| id(at) != index::Id::None),
            ReadMode::Faithful => self.len().checked_sub(1).filter(|at| self.index.counts_as_true(id(at))),
        }
    }

    /// The message that an entry holds, if it holds one.
    ///
    /// # Errors
    /// As [`Session::value`].
    pub fn message(&self, index: usize) -> Result<Option<Message>, SessionError> {
        Ok(self.value(index)?.get("message").and_then(Value::as_object).cloned().map(Message::new))
    }

    /// A whole entry after migration.
    ///
    /// # Errors
    /// When the file cannot be read again or changed meanwhile.
    pub fn value(&self, index: usize) -> Result<Value, SessionError> {
        let row = &self.index.rows[index];
        let failed = |error: io::Error| SessionError::Io { line: row.line as usize, error };
        let value = self.stored_value(index).map_err(failed)?;
        let (Some(migration), Value::Object(mut entry)) = (self.migration, value.clone()) else { return Ok(value) };
        if migration.chains && self.index.kind(index) != Some(EntryKind::Session) {
            let parent = self.index.parent(index).and_then(|parent| self.index.id_text(parent));
            let kept = |at: f64| self.kept_entry_id(at, index);
            migrate::chain(&mut entry, self.index.id_text(index), parent, kept);
        }
        migrate::rename_hook(&mut entry);
        Ok(Value::Object(entry))
    }

    /// The entry as it stands in the file.
    fn stored_value(&self, index: usize) -> io::Result<Value> {
        let row = &self.index.rows[index];
        let bytes = self.source.read(row.offset, row.len as usize)?;
        let text = String::from_utf8_lossy(&bytes);
        let changed = |error: json::JsonError| io::Error::other(format!("the file changed meanwhile: {error}"));
        json::parse(&text).or_else(|error| {
            // A record with text behind it, in a line that had to be repaired.
            let mut values = serde_json::Deserializer::from_str(&text).into_iter::<&serde_json::value::RawValue>();
            match values.next() {
                Some(Ok(raw)) => json::parse_raw(raw).map_err(changed),
                _ => Err(changed(error)),
            }
        })
    }

    /// The same text as the agent would read it; none when it is too large to be kept in memory.
    ///
    /// # Errors
    /// When the file cannot be read again.
    pub fn as_the_agent(&self) -> io::Result<Option<Result<Self, ReadError>>> {
        if self.source.len() > MEMORY_BYTES {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.copy_original(&mut bytes)?;
        Ok(Some(Self::from_bytes(bytes, &self.file, ReadMode::Faithful)))
    }

    /// The id that a version 1 `firstKeptEntryIndex` stands for (session.md S1.5 A).
    fn kept_entry_id(&self, at: f64, compaction: usize) -> Option<JsString> {
        if at < 1.0 || at.fract() != 0.0 || at > self.len() as f64 {
            return None;
        }
        let target = at as usize - 1;
        if self.index.kind(target) == Some(EntryKind::Session) {
            return None;
        }
        if self.mode == ReadMode::Faithful && target > compaction {
            // The agent takes the id that the entry had before its own migration.
            return self.stored_value(target).ok()?.get("id")?.as_string().cloned();
        }
        self.index.id_text(target)
    }

    /// The session's name: slot, header, last `title_change`, last `session_info` (session.md S7.6).
    ///
    /// # Errors
    /// When an entry cannot be read from the file.
    pub fn title(&self) -> Result<Option<JsString>, SessionError> {
        if let Some(title) = self.header.get("title").and_then(Value::as_string) {
            return Ok(Some(title.clone()));
        }
        for (kind, key) in [(EntryKind::TitleChange, "title"), (EntryKind::SessionInfo, "name")] {
            if let Some(entry) = self.entries().rev().find(|entry| entry.kind() == Some(kind))
                && let Some(name) = entry.value()?.get(key).and_then(Value::as_string)
            {
                return Ok(Some(name.clone()));
            }
        }
        Ok(None)
    }
}

/// One entry of a session: what the index knows, and its payload on demand.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    session: &'a Session,
    index: usize,
}

impl Entry<'_> {
    /// Position in file order, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The kind; none when the record has no type.
    pub fn kind(&self) -> Option<EntryKind> {
        self.session.index.kind(self.index)
    }

    /// The type as written, empty when there is none.
    pub fn kind_name(&self) -> &JsString {
        self.session.index.kind_name(self.index)
    }

    /// The id.
    pub fn id(&self) -> Option<JsString> {
        self.session.index.id_text(self.index)
    }

    /// The id, whatever its type: in faithful mode anything can be one.
    #[cfg(feature = "internals")]
    pub fn id_value(&self) -> Option<Value> {
        self.session.index.id_value(self.index)
    }

    /// The parent, when the file has it.
    pub fn parent(&self) -> Option<usize> {
        self.session.index.parent(self.index)
    }

    /// Whether the entry names a parent that the file does not have.
    pub fn is_orphan(&self) -> bool {
        self.session.index.rows[self.index].has(flags::DANGLING)
    }

    /// 1-based line in the file.
    pub fn line(&self) -> usize {
        self.session.index.rows[self.index].line as usize
    }

    /// Byte offset of the record in the file.
    pub fn offset(&self) -> u64 {
        self.session.index.rows[self.index].offset
    }

    /// The role of the message of a `message` entry.
    pub fn role(&self) -> Role {
        self.session.index.rows[self.index].role
    }

    /// Whether this is an assistant message that ended `aborted`.
    pub fn is_aborted(&self) -> bool {
        self.session.index.rows[self.index].has(flags::ABORTED)
    }

    /// Whether this is an assistant message that ended `error`.
    pub fn is_error(&self) -> bool {
        self.session.index.rows[self.index].has(flags::ERROR)
    }

    /// Whether this is an aborted message whose error message begins `TTSR matched rule`.
    pub fn is_rule_abort(&self) -> bool {
        self.session.index.rows[self.index].has(flags::RULE_ABORT)
    }

    /// Whether this is a tool result that begins with a reminder.
    pub fn begins_with_reminder(&self) -> bool {
        self.session.index.rows[self.index].has(flags::REMINDER)
    }

    /// Whether this is a message of the rule engine (`ttsr-injection`).
    pub fn is_injection_message(&self) -> bool {
        self.session.index.rows[self.index].has(flags::INJECTION_MESSAGE)
    }

    /// Whether this is a `custom` entry `session_exit`: a process ends here.
    pub fn is_session_exit(&self) -> bool {
        self.session.index.rows[self.index].has(flags::SESSION_EXIT)
    }

    /// The record as it stands in the file, unread: cheaper than [`Entry::value`] where most entries are passed over.
    ///
    /// # Errors
    /// When the file cannot be read again.
    pub fn bytes(&self) -> Result<Cow<'_, [u8]>, SessionError> {
        let row = &self.session.index.rows[self.index];
        let failed = |error| SessionError::Io { line: row.line as usize, error };
        self.session.source.read(row.offset, row.len as usize).map_err(failed)
    }

    /// The whole entry after migration.
    ///
    /// # Errors
    /// As [`Session::value`].
    pub fn value(&self) -> Result<Value, SessionError> {
        self.session.value(self.index)
    }
}

/// Counts what is read, so that the length belongs to what was seen.
struct Counted<R> {
    input: R,
    read: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.read += read as u64;
        Ok(read)
    }
}
