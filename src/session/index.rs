//! The compact index of a session: 32 bytes an entry, whatever the entry holds.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::message::INJECTION_TYPE;
use crate::text::JsString;
use crate::text::json::{self, Value};

use super::ecmascript::is_truthy;
use super::flags::{DANGLING, INJECTION_MESSAGE, NO_OBJECT, NULL, NULL_ID, RAISES, SCALAR, SESSION_EXIT, UNUSABLE};
use super::kind::{EntryKind, Role};
use super::record::{self, MessageLook, Peek};

const NONE: u32 = u32::MAX;
/// Types beyond this many different ones share a name.
const MAX_KINDS: usize = u16::MAX as usize;

/// An id: the usual eight hex digits as a number, anything else as a number in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Id {
    None,
    Hex(u32),
    Named(u32),
    /// What is no string; the agent looks it up all the same (faithful mode only).
    Value(u32),
}

impl Id {
    const fn tag(self) -> (u8, u32) {
        match self {
            Self::None => (0, 0),
            Self::Hex(value) => (1, value),
            Self::Named(value) => (2, value),
            Self::Value(value) => (3, value),
        }
    }

    const fn from_tag(tag: u8, value: u32) -> Self {
        match tag & 3 {
            1 => Self::Hex(value),
            2 => Self::Named(value),
            3 => Self::Value(value),
            _ => Self::None,
        }
    }
}

/// What the index knows of one entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Byte offset of the record in the source.
    pub(super) offset: u64,
    /// Bytes of the record.
    pub(super) len: u32,
    /// 1-based line.
    pub(super) line: u32,
    id: u32,
    /// While reading the parent's id, afterwards its index.
    parent: u32,
    kind: u16,
    pub(super) flags: u16,
    tags: u8,
    pub(super) role: Role,
}

impl Row {
    pub(super) fn id(&self) -> Id {
        Id::from_tag(self.tags, self.id)
    }

    fn set_id(&mut self, id: Id) {
        let (tag, value) = id.tag();
        self.id = value;
        self.tags = (self.tags & !3) | tag;
    }

    fn parent_id(&self) -> Id {
        Id::from_tag(self.tags >> 2, self.parent)
    }

    fn set_parent_id(&mut self, id: Id) {
        let (tag, value) = id.tag();
        self.parent = value;
        self.tags = (self.tags & 3) | (tag << 2);
    }

    pub(super) fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }
}

/// All entries of a session, without their payload.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) rows: Vec<Row>,
    kinds: Vec<JsString>,
    kind_numbers: HashMap<JsString, u16>,
    names: Vec<Arc<JsString>>,
    name_numbers: HashMap<Arc<JsString>, u32>,
    /// Whether ids that are no strings are ids.
    any_id: bool,
    values: Vec<Value>,
    /// Numbers and truth values by their JSON text; each list and object is another one.
    value_numbers: HashMap<String, u32>,
    /// Entries with a hex id, by id, then by position.
    by_hex: Vec<u32>,
    /// Whether no two entries have the same hex id.
    unique: bool,
    /// The last entry of each named id.
    by_name: Vec<u32>,
    /// The last entry of each id that is no string.
    by_value: Vec<u32>,
}

impl Index {
    /// An empty index; `any_id` takes ids of every type, as the agent does.
    pub(super) fn new(any_id: bool) -> Self {
        Self { any_id, ..Self::default() }
    }

    /// Adds a record that lies at `offset`.
    pub(super) fn push(&mut self, peek: &Peek<'_>, message: MessageLook, offset: u64, len: usize, line: usize) {
        let (kind, kind_number) = self.kind_of(peek.kind);
        let (mut flags, mut role) = (0, Role::None);
        match kind {
            Some(EntryKind::Message) => match message {
                MessageLook::Message(own, marks) => (role, flags) = (own, marks),
                MessageLook::NoObject => flags = UNUSABLE,
                MessageLook::Missing | MessageLook::NoEntry => flags = UNUSABLE | RAISES,
            },
            Some(EntryKind::CustomMessage) if record::is_string(peek.custom_type, INJECTION_TYPE) => {
                flags = INJECTION_MESSAGE;
            }
            Some(EntryKind::Custom) if record::is_string(peek.custom_type, "session_exit") => flags = SESSION_EXIT,
            Some(EntryKind::TtsrInjection) if !peek.injected_rules.is_some_and(|raw| raw.get().starts_with('[')) => {
                flags = UNUSABLE;
            }
            _ => {}
        }
        let mut row = self.blank(offset, len, line, kind_number);
        (row.flags, row.role) = (flags, role);
        if self.any_id && peek.id.is_some_and(|raw| raw.get() == "null") {
            row.flags |= NULL_ID;
        }
        let id = self.id_of(peek.id);
        row.set_id(id);
        // An empty parent id means the root (session.md S1.9d), and so does everything else that counts as false.
        let parent = Some(self.id_of(peek.parent)).filter(|parent| self.counts_as_true(*parent));
        row.set_parent_id(parent.unwrap_or(Id::None));
        self.rows.push(row);
    }

    /// Adds a JSON value that is no object.
    pub(super) fn push_other(&mut self, raw: &RawValue, offset: u64, len: usize, line: usize) {
        let (_, kind) = self.kind_of(None);
        let mut row = self.blank(offset, len, line, kind);
        row.flags = NO_OBJECT
            | match raw.get().as_bytes().first() {
                Some(b'n') => NULL,
                Some(b'[') => 0,
                _ => SCALAR,
            };
        self.rows.push(row);
    }

    fn blank(&self, offset: u64, len: usize, line: usize, kind: u16) -> Row {
        Row {
            offset,
            len: u32::try_from(len).unwrap_or(u32::MAX),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            id: 0,
            parent: 0,
            kind,
            flags: 0,
            tags: 0,
            role: Role::None,
        }
    }

    fn kind_of(&mut self, raw: Option<&RawValue>) -> (Option<EntryKind>, u16) {
        if self.kinds.is_empty() {
            // Number 0 is for entries without a type.
            self.kinds.push(JsString::new());
            for (_, name) in EntryKind::KNOWN {
                self.kinds.push(name.into());
            }
        }
        let Some(raw) = raw else { return (None, 0) };
        let json = raw.get();
        if let Some(inner) = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'))
            && let Some(at) = EntryKind::KNOWN.iter().position(|(_, name)| *name == inner)
        {
            return (Some(EntryKind::KNOWN[at].0), at as u16 + 1);
        }
        let Some(name) = record::string(raw) else { return (None, 0) };
        if let Some(at) = EntryKind::KNOWN.iter().position(|(_, known)| name == *known) {
            return (Some(EntryKind::KNOWN[at].0), at as u16 + 1);
        }
        if let Some(number) = self.kind_numbers.get(&name) {
            return (Some(EntryKind::Unknown), *number);
        }
        let number = self.kinds.len().min(MAX_KINDS);
        if number < MAX_KINDS {
            self.kinds.push(name.clone());
            self.kind_numbers.insert(name, number as u16);
        }
        (Some(EntryKind::Unknown), number as u16)
    }

    fn id_of(&mut self, raw: Option<&RawValue>) -> Id {
        let Some(raw) = raw else { return Id::None };
        if let Some(value) = hex_id(raw.get().as_bytes()) {
            return Id::Hex(value);
        }
        match record::string(raw) {
            Some(name) => self.intern(name),
            None if self.any_id => json::parse_raw(raw).map_or(Id::None, |value| self.intern_value(value)),
            None => Id::None,
        }
    }

    fn intern_value(&mut self, value: Value) -> Id {
        let key = match &value {
            Value::Null | Value::String(_) => return Id::None,
            Value::Number(_) => Some((value.as_f64().unwrap_or(f64::NAN) + 0.0).to_string()),
            Value::Bool(value) => Some(value.to_string()),
            Value::Array(_) | Value::Object(_) => None,
        };
        let number = self.values.len() as u32;
        if let Some(key) = key {
            let known = *self.value_numbers.entry(key).or_insert(number);
            if known != number {
                return Id::Value(known);
            }
        }
        self.values.push(value);
        Id::Value(number)
    }

    /// Whether an id counts as true in ECMAScript, so that the agent looks it up.
    pub(super) fn counts_as_true(&self, id: Id) -> bool {
        match id {
            Id::None => false,
            Id::Hex(_) => true,
            Id::Named(number) => !self.names[number as usize].is_empty(),
            Id::Value(number) => is_truthy(&self.values[number as usize]),
        }
    }

    fn intern(&mut self, name: JsString) -> Id {
        if let Some(id) = self.lookup(&name) {
            return id;
        }
        let number = self.names.len() as u32;
        let name = Arc::new(name);
        self.names.push(Arc::clone(&name));
        self.name_numbers.insert(name, number);
        Id::Named(number)
    }

    fn lookup(&self, name: &JsString) -> Option<Id> {
        if let Some(text) = name.to_utf8()
            && let Some(value) = hex_id(format!("\"{text}\"").as_bytes())
        {
            return Some(Id::Hex(value));
        }
        self.name_numbers.get(name).map(|number| Id::Named(*number))
    }

    /// Gives every entry the id of its position and the entry before as parent (session.md S1.5 A). Second headers
    /// keep theirs and stay outside the chain.
    pub(super) fn chain(&mut self) {
        let mut previous = Id::None;
        for at in 0..self.rows.len() {
            if self.kind(at) == Some(EntryKind::Session) {
                continue;
            }
            let id = Id::Hex(at as u32 + 1);
            self.rows[at].set_id(id);
            self.rows[at].set_parent_id(previous);
            previous = id;
        }
    }

    /// Turns parent ids into indexes. To be called once, after the last entry. What hangs on the header, as some writers
    /// have it of the first entry, is a root and loses nothing.
    pub(super) fn resolve(&mut self, header: Option<&JsString>) {
        self.by_name = vec![NONE; self.names.len()];
        self.by_value = vec![NONE; self.values.len()];
        // Sorting packed pairs of id and position is many times faster than sorting positions by id.
        let mut pairs: Vec<u64> = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            match row.id() {
                Id::None => {}
                Id::Hex(value) => pairs.push((u64::from(value) << 32) | at as u64),
                Id::Named(number) => self.by_name[number as usize] = at as u32,
                Id::Value(number) => self.by_value[number as usize] = at as u32,
            }
        }
        pairs.sort_unstable();
        self.unique = pairs.windows(2).all(|pair| pair[0] >> 32 != pair[1] >> 32);
        self.by_hex = pairs.iter().map(|pair| (pair & u64::from(u32::MAX)) as u32).collect();
        drop(pairs);
        let mut previous = Id::None;
        for at in 0..self.rows.len() {
            let parent = self.rows[at].parent_id();
            // Nearly every parent is the entry before; with no id used twice that spares the search.
            let found = match parent {
                Id::None => None,
                _ if self.unique && parent == previous && matches!(parent, Id::Hex(_)) => Some(at - 1),
                _ => self.find(parent),
            };
            let is_lost = found.is_none() && parent != Id::None && self.text_of(parent).as_ref() != header;
            let row = &mut self.rows[at];
            previous = row.id();
            row.tags &= 3;
            row.parent = found.map_or(NONE, |index| index as u32);
            if is_lost {
                row.flags |= DANGLING;
            }
        }
    }

    fn find(&self, id: Id) -> Option<usize> {
        let last = |table: &[u32], number: u32| {
            table.get(number as usize).filter(|index| **index != NONE).map(|index| *index as usize)
        };
        match id {
            Id::None => None,
            Id::Hex(value) => {
                let behind = self.by_hex.partition_point(|at| self.rows[*at as usize].id <= value);
                let at = *self.by_hex.get(behind.checked_sub(1)?)? as usize;
                (self.rows[at].id == value).then_some(at)
            }
            Id::Named(number) => last(&self.by_name, number),
            Id::Value(number) => last(&self.by_value, number),
        }
    }

    /// The last entry that has this id.
    pub(super) fn find_text(&self, id: &JsString) -> Option<usize> {
        self.find(self.lookup(id)?)
    }

    /// The last entry that has the id of entry `at`; `at` itself when it has none.
    pub(super) fn last_of_same_id(&self, at: usize) -> usize {
        self.find(self.rows[at].id()).unwrap_or(at)
    }

    /// The id of an entry as text; none when it has no id, or one that is no string.
    pub(super) fn id_text(&self, at: usize) -> Option<JsString> {
        self.text_of(self.rows[at].id())
    }

    fn text_of(&self, id: Id) -> Option<JsString> {
        match id {
            Id::None | Id::Value(_) => None,
            Id::Hex(value) => Some(format!("{value:08x}").into()),
            Id::Named(number) => Some((*self.names[number as usize]).clone()),
        }
    }

    /// The id of an entry, whatever its type.
    pub(super) fn id_value(&self, at: usize) -> Option<Value> {
        match self.rows[at].id() {
            Id::Value(number) => Some(self.values[number as usize].clone()),
            _ => self.id_text(at).map(Value::String),
        }
    }

    /// The parent of an entry, when the file has it.
    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        let parent = self.rows[at].parent;
        (parent != NONE).then_some(parent as usize)
    }

    /// The kind of an entry; none when it has no type.
    pub(super) fn kind(&self, at: usize) -> Option<EntryKind> {
        match usize::from(self.rows[at].kind) {
            0 => None,
            number => Some(EntryKind::KNOWN.get(number - 1).map_or(EntryKind::Unknown, |(kind, _)| *kind)),
        }
    }

    /// The type of an entry as written, empty when it has none.
    pub(super) fn kind_name(&self, at: usize) -> &JsString {
        let number = usize::from(self.rows[at].kind);
        self.kinds.get(number).unwrap_or(&self.kinds[0])
    }

    /// Number of entries per type as written.
    pub(super) fn kind_totals(&self) -> BTreeMap<JsString, usize> {
        let mut counts = vec![0_usize; self.kinds.len() + 1];
        for row in &self.rows {
            counts[usize::from(row.kind).min(self.kinds.len())] += 1;
        }
        let named = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
        named.map(|(number, count)| (self.kinds.get(number).cloned().unwrap_or_default(), count)).collect()
    }

    /// Pairs of entries that share an id, each later one with the one before it, up to `limit`.
    pub(super) fn duplicates(&self, limit: usize) -> Vec<(usize, usize)> {
        let pairs = if self.unique { &[] } else { self.by_hex.as_slice() };
        let hex = pairs.windows(2).map(|pair| (pair[0] as usize, pair[1] as usize));
        let same = hex.filter(|(one, other)| self.rows[*one].id == self.rows[*other].id);
        let mut found: Vec<(usize, usize)> = same.take(limit).collect();
        if !self.names.is_empty() {
            let mut last = vec![NONE; self.names.len()];
            for (at, row) in self.rows.iter().enumerate() {
                if let Id::Named(number) = row.id() {
                    let before = std::mem::replace(&mut last[number as usize], at as u32);
                    if before != NONE && found.len() < limit {
                        found.push((before as usize, at));
                    }
                }
            }
        }
        found.sort_unstable_by_key(|(_, later)| *later);
        found
    }
}

/// The number of `"xxxxxxxx"`, eight lower-case hex digits in quotes.
fn hex_id(json: &[u8]) -> Option<u32> {
    let [b'"', digits @ .., b'"'] = json else { return None };
    if digits.len() != 8 {
        return None;
    }
    // Ids are random, so a branch on each digit would be guessed wrong half the time.
    let (value, bad) = digits.iter().fold((0_u32, 0_u8), |(value, bad), digit| {
        let digit = HEX_DIGITS[usize::from(*digit)];
        (value << 4 | u32::from(digit & 0xF), bad | digit)
    });
    (bad & 0x80 == 0).then_some(value)
}

/// The value of each lower-case hex digit; 0x80 for every other byte.
const HEX_DIGITS: [u8; 256] = {
    let mut table = [0x80; 256];
    let digits = b"0123456789abcdef";
    let mut value = 0;
    while value < digits.len() {
        table[digits[value] as usize] = value as u8;
        value += 1;
    }
    table
};
