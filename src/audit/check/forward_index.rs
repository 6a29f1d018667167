//! A version 1 compaction that keeps what comes after it.

use crate::diagnostic::{Diagnostic, code};
use crate::session::{EntryKind, SessionError};
use crate::text::json::Value;

use super::{Check, Input, finding};

pub(super) struct ForwardIndex;

impl Check for ForwardIndex {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let session = input.subject.session;
        if !session.is_migrated() {
            return Ok(());
        }
        for entry in session.entries().filter(|entry| entry.kind() == Some(EntryKind::Compaction)) {
            let value = entry.value()?;
            let kept = value.get("firstKeptEntryId").and_then(Value::as_string).and_then(|id| session.find(id));
            if kept.is_some_and(|kept| kept > entry.index()) {
                let message = "the first entry to keep comes after the compaction".to_owned();
                findings.push(finding(session, code::FORWARD_INDEX, entry.index(), message));
            }
        }
        Ok(())
    }
}
