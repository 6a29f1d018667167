//! Entries that name others: compactions, labels, summaries of branches; deliveries; an id that the header has too.

use std::collections::HashMap;

use crate::diagnostic::{Diagnostic, code};
use crate::session::{Entry, EntryKind, SessionError};
use crate::text::JsString;
use crate::text::json::Value;

use super::super::subject::Subject;
use super::{Check, Input, finding, named};

pub(super) struct References;

impl Check for References {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let subject = input.subject;
        let session = subject.session;
        let header = session.id();
        if session.entry(0).is_none() && header.is_some() {
            // What holds not even a header is told of when it is read.
            let message = "the file holds a header and no entries: nothing was said in this session".to_owned();
            findings.push(Diagnostic::new(code::EMPTY_SESSION, message));
        }
        for entry in session.entries() {
            if header.is_some() && entry.id().as_ref() == header {
                let message = "the entry has the id of the session's header: what hangs on the one hangs on the other";
                findings.push(finding(session, code::DUPLICATE_ID, entry.index(), message.to_owned()));
            }
            match entry.kind() {
                Some(EntryKind::Compaction) => compaction(subject, &entry, findings)?,
                Some(EntryKind::Label) => target(subject, &entry, "targetId", "labels", findings)?,
                Some(EntryKind::BranchSummary) => target(subject, &entry, "fromId", "sums up", findings)?,
                _ => {}
            }
        }
        deliveries(subject, findings)
    }
}

/// The id under a key, when it is a text.
fn named_id(value: &Value, key: &str) -> Option<JsString> {
    value.get(key).and_then(Value::as_string).cloned()
}

fn target(
    subject: &Subject<'_>,
    entry: &Entry<'_>,
    key: &str,
    does: &str,
    findings: &mut Vec<Diagnostic>,
) -> Result<(), SessionError> {
    let Some(id) = named_id(&entry.value()?, key) else { return Ok(()) };
    // A summary of everything is from the root.
    let is_root = entry.kind() == Some(EntryKind::BranchSummary) && id == "root";
    if !is_root && subject.session.find(&id).is_none() {
        let message = format!("this {} {does} the entry `{id}`, which the file does not have", kind(entry));
        findings.push(finding(subject.session, code::DANGLING_REFERENCE, entry.index(), message));
    }
    Ok(())
}

fn kind(entry: &Entry<'_>) -> String {
    entry.kind_name().to_string_lossy().replace('_', " ")
}

/// A compaction keeps nothing when its first kept entry is not before it on its own branch (session.md S4.7).
fn compaction(subject: &Subject<'_>, entry: &Entry<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
    let session = subject.session;
    let value = entry.value()?;
    for key in ["firstKeptEntryId", "providerReplayThroughEntryId"] {
        let Some(id) = named_id(&value, key) else { continue };
        let what = match session.find(&id) {
            None => "which the file does not have".to_owned(),
            Some(at) if is_before(subject, at, entry.index()) => continue,
            Some(at) => format!("and {} is not before it on its branch", named(session, at)),
        };
        let message = format!("the compaction names `{id}` in `{key}`, {what}: nothing from before it is kept");
        findings.push(finding(session, code::DANGLING_REFERENCE, entry.index(), message));
    }
    Ok(())
}

/// Whether an entry is an ancestor of another.
fn is_before(subject: &Subject<'_>, ancestor: usize, of: usize) -> bool {
    // Nearly always both are on the branch, where positions tell.
    if subject.is_on_branch(of) {
        return ancestor != of
            && subject.is_on_branch(ancestor)
            && subject
                .branch
                .iter()
                .find(|at| **at as usize == ancestor || **at as usize == of)
                .map(|at| *at as usize)
                == Some(ancestor);
    }
    subject.session.path(Some(of)).iter().any(|at| *at as usize == ancestor && ancestor != of)
}

/// Each delivery of a process has a number of its own.
fn deliveries(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for entry in subject.branch.iter().filter_map(|at| subject.entry(*at as usize)) {
        if entry.is_session_exit() {
            seen.clear();
        }
        if !entry.is_injection_message() {
            continue;
        }
        let value = entry.value()?;
        let Some(id) = value.get("details").and_then(|details| details.get("deliveryId")) else { continue };
        let id = id.to_json();
        if let Some(before) = seen.insert(id.clone(), entry.index()) {
            let before = named(subject.session, before);
            let message = format!("the delivery {id} stands here a second time in one process; it is in {before} too");
            findings.push(finding(subject.session, code::DUPLICATE_DELIVERY, entry.index(), message));
        }
    }
    Ok(())
}
