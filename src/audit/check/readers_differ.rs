//! Where the agent would see something else (session.md S1.0).

use crate::diagnostic::{Diagnostic, Severity, code};
use crate::session::{EntryKind, ReadError, ReadMode, Session, SessionError};
use crate::text::JsString;

use super::{Check, Input};

pub(super) struct ReadersDiffer;

impl Check for ReadersDiffer {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let session = input.subject.session;
        let unusable = input.subject.recorded.iter().any(|recorded| !recorded.is_list);
        // Without anything odd in the file both readings are the same.
        if session.mode() == ReadMode::Faithful
            || session.diagnostics().is_empty() && !unusable && !session.is_migrated()
        {
            return Ok(());
        }
        let agent = session.as_the_agent().map_err(|error| SessionError::Io { line: 1, error })?;
        let Some(agent) = agent else { return Ok(()) };
        let said = match &agent {
            Err(ReadError::Refused(refusal)) => vec![format!("it refuses the file ({})", refusal.message)],
            Err(ReadError::Io(_)) => Vec::new(),
            Ok(agent) => differences(session, agent),
        };
        if !said.is_empty() {
            let message = format!("the agent reads this file otherwise: {}", said.join("; "));
            let mut found = Diagnostic::new(code::READERS_DIFFER, message);
            if agent.is_ok_and(|agent| agent.leaf() == session.leaf()) {
                found = found.with_severity(Severity::Note);
            }
            findings.push(found);
        }
        Ok(())
    }
}

fn differences(ours: &Session, agent: &Session) -> Vec<String> {
    let mut said = Vec::new();
    if ours.len() != agent.len() {
        said.push(format!("it has {} entries where this reading has {}", agent.len(), ours.len()));
    }
    let id = |session: &Session| session.leaf().and_then(|leaf| session.entry(leaf)).and_then(|entry| entry.id());
    if id(ours) != id(agent) {
        let shown = |id: Option<JsString>| id.map_or("none".to_owned(), |id| id.to_string_lossy());
        said.push(format!("its leaf is {}, not {}", shown(id(agent)), shown(id(ours))));
    }
    match (ours.injected_rules(ours.leaf()), agent.injected_rules(agent.leaf())) {
        (Ok(ours), Ok(agent)) if ours != agent => said.push("it restores other rules".to_owned()),
        (_, Err(error)) => said.push(format!("it fails on an injection ({error})")),
        _ => {}
    }
    let kept = |session: &Session| -> Vec<Option<JsString>> {
        let compactions = session.entries().filter(|entry| entry.kind() == Some(EntryKind::Compaction));
        compactions.map(|entry| entry.value().ok()?.get("firstKeptEntryId")?.as_string().cloned()).collect()
    };
    if ours.is_migrated() && kept(ours) != kept(agent) {
        said.push("its migration writes other `firstKeptEntryId`s".to_owned());
    }
    said
}
