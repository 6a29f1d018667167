//! What every check looks at: the branch, the messages of the rule engine, and how to walk from an entry.

mod evidence;
mod named;

use std::collections::{BTreeMap, BTreeSet};

use crate::message::{Ending, Message};
use crate::session::{Entry, EntryKind, Role, Session, SessionError};
use crate::text::JsString;
use crate::text::json::Value;

use super::AuditOptions;
use crate::audit::tag::{Tag, tags};
pub(crate) use evidence::is_pruned;
pub use evidence::{Evidence, EvidenceKind};
pub use named::Named;

/// How far a walk from an entry goes; the next assistant message is nearly always a few entries away.
const WALK: usize = 512;
const NONE: u32 = u32::MAX;

/// A `ttsr_injection` entry.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) entry: usize,
    /// The elements as they stand.
    pub(crate) elements: Vec<Value>,
    /// Whether there is a list at all.
    pub(crate) is_list: bool,
    pub(crate) timestamp: Option<JsString>,
    pub(crate) on_branch: bool,
    /// Per name, first occurrences only.
    pub(crate) evidence: Vec<(JsString, Evidence)>,
}

impl Recorded {
    /// The distinct names, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &JsString> {
        self.evidence.iter().map(|(name, _)| name)
    }
}

/// A message or tool result that holds reminders.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) entry: usize,
    /// Whether it is a message of its own, not a tool result.
    pub(crate) is_message: bool,
    /// Names are trimmed, as entries hold them.
    pub(crate) tags: Vec<Tag>,
    /// `details.rules`, for messages, trimmed.
    pub(crate) details: Vec<JsString>,
    pub(crate) display: bool,
}

/// The session as the checks see it.
pub(crate) struct Subject<'a> {
    pub(crate) session: &'a Session,
    pub(crate) options: &'a AuditOptions<'a>,
    pub(crate) leaf: Option<usize>,
    /// Root to leaf.
    pub(crate) branch: Vec<u32>,
    on_branch: Vec<u64>,
    next: Vec<u32>,
    pub(crate) recorded: Vec<Recorded>,
    pub(crate) shown: Vec<Shown>,
    /// Assistant messages that rules interrupted, and what their error message says behind the colon.
    pub(crate) interrupted: BTreeMap<usize, JsString>,
    /// What the entries name outside of the file.
    pub(crate) named: Named,
    /// The entries whose place on a branch matters: those above, and the messages that broke a rule.
    pub(crate) places: BTreeSet<usize>,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(session: &'a Session, options: &'a AuditOptions<'a>) -> Result<Self, SessionError> {
        let leaf = options.leaf.or_else(|| session.leaf());
        let branch = session.path(leaf);
        let mut on_branch = vec![0_u64; session.len() / 64 + 1];
        for at in &branch {
            on_branch[*at as usize / 64] |= 1 << (at % 64);
        }
        let mut subject = Self {
            session,
            options,
            leaf,
            next: next_entries(session, &branch),
            branch,
            on_branch,
            recorded: Vec::new(),
            shown: Vec::new(),
            interrupted: BTreeMap::new(),
            named: named::named(session)?,
            places: BTreeSet::new(),
        };
        subject.collect()?;
        Ok(subject)
    }

    fn collect(&mut self) -> Result<(), SessionError> {
        for entry in self.session.entries() {
            let at = entry.index();
            if entry.is_rule_abort()
                && let Ending::Rules(names) = message_of(&entry)?.ending()
            {
                self.interrupted.insert(at, names);
            }
            if entry.is_injection_message() || entry.begins_with_reminder() {
                self.shown.push(self.read_shown(entry)?);
            }
            if entry.kind() == Some(EntryKind::TtsrInjection) {
                let value = entry.value()?;
                let elements = value.get("injectedRules").and_then(Value::as_array).map(<[Value]>::to_vec);
                self.recorded.push(Recorded {
                    entry: at,
                    is_list: elements.is_some(),
                    elements: elements.unwrap_or_default(),
                    timestamp: value.get("timestamp").and_then(Value::as_string).cloned(),
                    on_branch: self.is_on_branch(at),
                    evidence: Vec::new(),
                });
            }
        }
        // An older agent's error message does not tell; the interrupt behind the message does.
        let interrupts =
            self.shown.iter().filter(|shown| shown.is_message && shown.tags.iter().any(|tag| tag.interrupt));
        let aborted: Vec<usize> = interrupts.filter_map(|shown| evidence::aborted_by(self, shown.entry)).collect();
        for at in aborted {
            self.interrupted.entry(at).or_default();
        }
        for at in 0..self.recorded.len() {
            let recorded = &self.recorded[at];
            let mut seen = BTreeSet::new();
            let names =
                recorded.elements.iter().filter_map(Value::as_string).filter(|name| seen.insert((*name).clone()));
            let found = names.map(|name| (name.clone(), evidence::find(self, recorded.entry, name))).collect();
            self.recorded[at].evidence = found;
        }
        let recorded = self.recorded.iter().map(|recorded| recorded.entry);
        let matched =
            self.recorded.iter().flat_map(|recorded| &recorded.evidence).filter_map(|(_, found)| found.matched);
        self.places = recorded.chain(self.shown.iter().map(|shown| shown.entry)).chain(matched).collect();
        Ok(())
    }

    fn read_shown(&self, entry: Entry<'_>) -> Result<Shown, SessionError> {
        let value = entry.value()?;
        let is_message = entry.is_injection_message();
        // A migrated hook message keeps its fields inside the message.
        let holder = if entry.kind() == Some(EntryKind::Message) { value.get("message") } else { Some(&value) };
        let member = |key: &str| holder.and_then(|holder| holder.get(key));
        let mut text = JsString::new();
        match member("content") {
            Some(Value::String(content)) => text = content.clone(),
            Some(content) if !is_message => {
                text = crate::session::first_text(content).cloned().unwrap_or_default();
            }
            Some(Value::Array(blocks)) => {
                for block in blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_string)) {
                    text.push_units(block.units());
                    text.push_str("\n");
                }
            }
            _ => {}
        }
        let rules = member("details").and_then(|details| details.get("rules")).and_then(Value::as_array);
        Ok(Shown {
            entry: entry.index(),
            is_message,
            tags: tags(&text).into_iter().map(|tag| Tag { rule: tag.rule.trim(), ..tag }).collect(),
            details: rules.unwrap_or_default().iter().filter_map(Value::as_string).map(JsString::trim).collect(),
            display: member("display").and_then(Value::as_bool) == Some(true),
        })
    }

    pub(crate) fn is_on_branch(&self, at: usize) -> bool {
        self.on_branch[at / 64] >> (at % 64) & 1 == 1
    }

    pub(crate) fn entry(&self, at: usize) -> Option<Entry<'a>> {
        self.session.entry(at)
    }

    /// The entries behind `at`: along the branch when it is on it, else along the youngest descendants.
    pub(crate) fn behind(&self, at: usize) -> impl Iterator<Item = Entry<'a>> + '_ {
        let follow = |at: &usize| Some(self.next[*at]).filter(|next| *next != NONE).map(|next| next as usize);
        std::iter::successors(follow(&at), follow).take(WALK).filter_map(|at| self.entry(at))
    }

    /// The entries before `at`, nearest first.
    pub(crate) fn before(&self, at: usize) -> impl Iterator<Item = Entry<'a>> + '_ {
        let parent = |at: &usize| self.entry(*at).and_then(|entry| entry.parent());
        std::iter::successors(parent(&at), parent).take(WALK).filter_map(|at| self.entry(at))
    }

    /// The records and messages around `at`, up to the assistant messages on both sides.
    pub(crate) fn neighbours(&self, at: usize) -> impl Iterator<Item = Entry<'a>> + '_ {
        let inside = |entry: &Entry<'_>| entry.role() != Role::Assistant;
        self.before(at).take_while(inside).chain(self.behind(at).take_while(inside))
    }

    /// Whether a `ttsr_injection` beside `at` names the rule.
    pub(crate) fn is_recorded_beside(&self, at: usize, rule: &JsString) -> bool {
        self.neighbours(at).filter(|entry| entry.kind() == Some(EntryKind::TtsrInjection)).any(|entry| {
            let recorded = self.recorded_at(entry.index());
            recorded.is_some_and(|recorded| {
                recorded.elements.iter().any(|name| name.as_string().is_some_and(|name| name.trim() == *rule))
            })
        })
    }

    pub(crate) fn recorded_at(&self, at: usize) -> Option<&Recorded> {
        let place = self.recorded.binary_search_by_key(&at, |recorded| recorded.entry).ok()?;
        self.recorded.get(place)
    }

    pub(crate) fn shown_at(&self, at: usize) -> Option<&Shown> {
        let place = self.shown.binary_search_by_key(&at, |shown| shown.entry).ok()?;
        self.shown.get(place)
    }
}

/// The message of an entry, empty where it has none.
pub(crate) fn message_of(entry: &Entry<'_>) -> Result<Message, SessionError> {
    let value = entry.value()?;
    Ok(Message::new(value.get("message").and_then(Value::as_object).cloned().unwrap_or_default()))
}

/// For each entry the one to go to: along the branch, else towards the youngest descendant.
fn next_entries(session: &Session, branch: &[u32]) -> Vec<u32> {
    let mut next = vec![NONE; session.len()];
    for entry in session.entries() {
        if let Some(parent) = entry.parent() {
            next[parent] = entry.index() as u32;
        }
    }
    for pair in branch.windows(2) {
        next[pair[0] as usize] = pair[1];
    }
    if let Some(leaf) = branch.last() {
        // Another child of a chosen leaf would lead off the branch.
        next[*leaf as usize] = NONE;
    }
    next
}
