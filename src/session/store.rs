//! Writing sessions: new ones, and copies of read ones with entries added (session.md S1.10, S1.11, S6).

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use crate::clock::Clock;
use crate::text::JsString;
use crate::text::json::{Object, Value};

use super::error::SessionError;
use super::slot::TitleSlot;
use super::write::{WriteGate, write_new};
use super::{EntryKind, Session};

/// What the header of a new session says besides type and version (session.md S6.4).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewHeader {
    /// Working directory.
    pub cwd: JsString,
    /// Id or path of the session this one comes from (session.md S6.6).
    pub parent_session: Option<JsString>,
    /// Id; drawn from the clock when there is none.
    pub id: Option<JsString>,
    /// Further members, such as `title`.
    pub other: Object,
}

/// A session being written. Entries hang on the leaf; nothing is on disk before [`Store::write_new`].
#[derive(Debug)]
pub struct Store {
    base: Base,
    header: Object,
    slot: Option<TitleSlot>,
    added: Vec<Value>,
    /// Entries of the base that are written otherwise than read: index and line.
    replaced: std::collections::BTreeMap<usize, String>,
    added_ids: HashSet<JsString>,
    leaf: Option<JsString>,
}

#[derive(Debug)]
enum Base {
    New,
    Read(Box<Session>),
}

impl Store {
    /// A new session; its time and, unless given, its id come from `clock`.
    pub fn create(header: NewHeader, clock: &mut Clock) -> Self {
        let id = header.id.unwrap_or_else(|| clock.session_id().into());
        let mut object = Object::new();
        object.insert("type", "session");
        object.insert("version", 3_u32);
        object.insert("id", id);
        object.insert("timestamp", clock.iso());
        object.insert("cwd", header.cwd);
        if let Some(parent) = header.parent_session {
            object.insert("parentSession", parent);
        }
        for (key, value) in header.other.iter() {
            object.insert(key.clone(), value.clone());
        }
        Self {
            base: Base::New,
            header: object,
            slot: None,
            added: Vec::new(),
            replaced: std::collections::BTreeMap::new(),
            added_ids: HashSet::new(),
            leaf: None,
        }
    }

    /// Goes on with a session that was read: its lines stay as they are, damaged ones included, and new entries hang
    /// on `leaf` (none: a new root).
    ///
    /// Entries of a version 1 file have no ids to hang on; such a file is written migrated, line by line.
    pub fn resume(session: Session, leaf: Option<usize>) -> Self {
        let leaf = leaf.and_then(|at| session.index.id_text(at));
        let header = session.header.clone();
        Self {
            base: Base::Read(Box::new(session)),
            header,
            slot: None,
            added: Vec::new(),
            replaced: std::collections::BTreeMap::new(),
            added_ids: HashSet::new(),
            leaf,
        }
    }

    /// Puts a title slot in front of a new session (not into a copy of a read one). Agents before 17 and pi do not
    /// know it (session.md S1.3, S7.5).
    #[must_use]
    pub fn with_title_slot(mut self, slot: TitleSlot) -> Self {
        self.slot = Some(slot);
        self
    }

    /// The header.
    pub fn header(&self) -> &Object {
        &self.header
    }

    /// The session that is gone on with, if any.
    pub fn base(&self) -> Option<&Session> {
        if let Base::Read(session) = &self.base { Some(session) } else { None }
    }

    /// The session's id.
    pub fn id(&self) -> JsString {
        self.header.get("id").and_then(Value::as_string).cloned().unwrap_or_default()
    }

    /// The id of the entry on which the next one hangs.
    #[cfg(feature = "internals")]
    pub fn leaf(&self) -> Option<&JsString> {
        self.leaf.as_ref()
    }

    /// Moves the leaf; none means that the next entry is a root (session.md S3.4).
    ///
    /// # Errors
    /// When no entry has this id.
    #[cfg(feature = "internals")]
    pub fn set_leaf(&mut self, leaf: Option<JsString>) -> Result<(), UnknownEntry> {
        if let Some(id) = &leaf
            && !self.knows(id)
        {
            return Err(UnknownEntry(id.clone()));
        }
        self.leaf = leaf;
        Ok(())
    }

    /// The entries that were added.
    #[cfg(feature = "internals")]
    pub fn added(&self) -> &[Value] {
        &self.added
    }

    fn knows(&self, id: &JsString) -> bool {
        self.added_ids.contains(id) || self.base().is_some_and(|session| session.find(id).is_some())
    }

    fn fresh_id(&self, clock: &mut Clock) -> JsString {
        loop {
            let id = JsString::from(clock.entry_id());
            if !self.knows(&id) {
                return id;
            }
        }
    }

    /// Adds an entry of type `kind` with these members, and gives its id. Id, parent and time are set here.
    pub fn append(&mut self, kind: &str, members: Object, clock: &mut Clock) -> JsString {
        let id = self.fresh_id(clock);
        let mut entry = Object::new();
        entry.insert("type", kind);
        entry.insert("id", id.clone());
        entry.insert("parentId", self.leaf.clone().map_or(Value::Null, Value::String));
        entry.insert("timestamp", clock.iso());
        for (key, value) in members.iter() {
            if !["type", "id", "parentId", "timestamp"].iter().any(|own| *key == *own) {
                entry.insert(key.clone(), value.clone());
            }
        }
        self.push(id.clone(), Value::Object(entry));
        id
    }

    fn push(&mut self, id: JsString, entry: Value) {
        self.added_ids.insert(id.clone());
        self.leaf = Some(id);
        self.added.push(entry);
    }

    /// Adds a copy of an entry of another session: id, time and payload stay, the parent is the leaf. An id that is
    /// taken or missing is drawn anew. Gives the id.
    pub fn append_copy(&mut self, entry: &Object, clock: &mut Clock) -> JsString {
        let own = entry.get("id").and_then(Value::as_string).filter(|id| !id.is_empty() && !self.knows(id)).cloned();
        let id = own.unwrap_or_else(|| self.fresh_id(clock));
        let mut copy = entry.clone();
        copy.insert("id", id.clone());
        copy.insert("parentId", self.leaf.clone().map_or(Value::Null, Value::String));
        self.push(id.clone(), Value::Object(copy));
        id
    }

    /// Adds a `message` entry.
    pub fn append_message(&mut self, message: Object, clock: &mut Clock) -> JsString {
        self.append("message", crate::json_object! {"message": message}, clock)
    }

    /// Adds a `custom_message` entry.
    pub fn append_custom_message(
        &mut self,
        custom_type: &str,
        content: impl Into<Value>,
        display: bool,
        details: Option<Value>,
        attribution: Option<&str>,
        clock: &mut Clock,
    ) -> JsString {
        let mut members = crate::json_object! {"customType": custom_type, "content": content, "display": display};
        if let Some(details) = details {
            members.insert("details", details);
        }
        if let Some(attribution) = attribution {
            members.insert("attribution", attribution);
        }
        self.append("custom_message", members, clock)
    }

    /// Adds a `ttsr_injection` entry: the names as given, nothing trimmed (session.md S5.1).
    pub fn append_injection(&mut self, names: &[JsString], clock: &mut Clock) -> JsString {
        let names: Vec<Value> = names.iter().cloned().map(Value::String).collect();
        self.append("ttsr_injection", crate::json_object! {"injectedRules": names}, clock)
    }

    /// Adds a `custom` entry.
    pub fn append_custom(&mut self, custom_type: &str, data: Option<Value>, clock: &mut Clock) -> JsString {
        let mut members = crate::json_object! {"customType": custom_type};
        if let Some(data) = data {
            members.insert("data", data);
        }
        self.append("custom", members, clock)
    }

    /// Replaces an entry of the session that is gone on with. An equal value leaves its line as it is.
    ///
    /// # Errors
    /// When the entry cannot be read, or there is none of this index.
    #[cfg(feature = "internals")]
    pub fn replace(&mut self, index: usize, entry: &Value) -> Result<(), SessionError> {
        let Base::Read(session) = &self.base else { return Ok(()) };
        if session.value(index)? == *entry {
            self.replaced.remove(&index);
        } else {
            self.replaced.insert(index, entry.to_json());
        }
        Ok(())
    }

    /// Writes the whole session to `out`.
    ///
    /// # Errors
    /// When `out` cannot be written or the original not be read again.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.base {
            Base::New => {
                if let Some(slot) = &self.slot {
                    out.write_all(slot.to_line().as_bytes())?;
                }
                writeln!(out, "{}", Value::Object(self.header.clone()).to_json())?;
            }
            Base::Read(session) => {
                self.write_base(session, out)?;
                // Without its line feed the last record would share a line with the first new one (S1.11).
                if !self.added.is_empty() && session.original_last_byte()?.is_some_and(|byte| byte != b'\n') {
                    out.write_all(b"\n")?;
                }
            }
        }
        for entry in &self.added {
            writeln!(out, "{}", entry.to_json())?;
        }
        Ok(())
    }

    fn write_base(&self, session: &Session, out: &mut dyn Write) -> io::Result<()> {
        let rewrites = !self.added.is_empty() && session.migration.is_some_and(|migration| migration.chains);
        if !rewrites && self.replaced.is_empty() {
            return session.copy_original(out);
        }
        // Records lie in file order, the header before all; what lies between them is copied as it is.
        let mut at = 0;
        if rewrites {
            let span = session.header_span.clone();
            session.source.copy(0, span.start, out)?;
            let mut header = session.header.clone();
            header.insert("version", 3_u32);
            out.write_all(Value::Object(header).to_json().as_bytes())?;
            at = span.end;
        }
        for (index, row) in session.index.rows.iter().enumerate() {
            let migrated = rewrites && session.index.kind(index) != Some(EntryKind::Session);
            let line = match self.replaced.get(&index) {
                Some(line) => line.clone(),
                None if migrated => session.value(index).map_err(io::Error::other)?.to_json(),
                None => continue,
            };
            session.source.copy(at, row.offset, out)?;
            out.write_all(line.as_bytes())?;
            at = row.offset + u64::from(row.len);
        }
        session.source.copy(at, session.source.len(), out)
    }

    /// The whole session as bytes.
    ///
    /// # Errors
    /// When the original cannot be read again.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the session to a new file, whole or not at all: a temporary file in the same directory, flushed to
    /// disk, then renamed. An existing file is never replaced (session.md S6.8).
    ///
    /// # Errors
    /// When the file exists already ([`io::ErrorKind::AlreadyExists`]) or cannot be written.
    pub fn write_new(&self, path: &Path) -> io::Result<()> {
        self.write_new_through(path, &mut |_| Ok(()))
    }

    /// As [`Store::write_new`], with a gate that is asked before each call that changes what is on disk.
    ///
    /// # Errors
    /// As [`Store::write_new`], and when the gate refuses.
    pub fn write_new_through(&self, path: &Path, gate: WriteGate<'_>) -> io::Result<()> {
        write_new(path, |out| self.write(out), gate)
    }
}

/// No entry has this id.
#[cfg(feature = "internals")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Entry {0} not found")]
pub struct UnknownEntry(pub JsString);

impl Session {
    /// The bytes as they were read.
    pub(super) fn copy_original(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.original {
            Some(bytes) => out.write_all(bytes),
            None => self.source.copy(0, self.source.len(), out),
        }
    }

    fn original_last_byte(&self) -> io::Result<Option<u8>> {
        match &self.original {
            Some(bytes) => Ok(bytes.last().copied()),
            None => self.source.last_byte(),
        }
    }
}
