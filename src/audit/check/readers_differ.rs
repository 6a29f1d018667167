//! Where the agent would see something else (session.md S1.0).

use crate::diagnostic::{Diagnostic, Severity, code};
use crate::session::{EntryKind, ReadError, ReadMode, Role, Session, SessionError};
use crate::text::JsString;

use super::{Check, Input};

pub(super) struct ReadersDiffer;

impl Check for ReadersDiffer {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let session = input.subject.session;
        let unusable = input.subject.recorded.iter().any(|recorded| !recorded.is_list);
        // Without anything odd in the file both readings are the same.
        if session.mode() == ReadMode::Faithful
            || session.diagnostics().is_empty() && !unusable && !session.is_migrated() && !has_odd_answer(session)?
        {
            return Ok(());
        }
        let agent = session.as_the_agent().map_err(|error| SessionError::Io { line: 1, error })?;
        let (message, severity) = match agent {
            None | Some(Err(ReadError::Io(_))) => return Ok(()),
            Some(Err(ReadError::Refused(refusal))) => {
                (format!("the agent cannot open this file: {}", refusal.message), Severity::Error)
            }
            Some(Ok(agent)) => match agent.context(agent.leaf()) {
                Err(error) => (format!("the agent opens this file and fails on it: {error}"), Severity::Error),
                Ok(_) => {
                    let said = differences(session, &agent);
                    if said.is_empty() {
                        return Ok(());
                    }
                    let same_leaf = agent.leaf() == session.leaf();
                    let severity = if same_leaf { Severity::Note } else { Severity::Warning };
                    (format!("the agent reads this file otherwise: {}", said.join("; ")), severity)
                }
            },
        };
        findings.push(Diagnostic::new(code::READERS_DIFFER, message).with_severity(severity));
        Ok(())
    }
}

/// Whether an assistant's message may lack what the agent takes for granted: a list of blocks, none of them `null`, and
/// the cost of its usage. Whether it really does, the agent's way of reading tells.
fn has_odd_answer(session: &Session) -> Result<bool, SessionError> {
    let holds = |bytes: &[u8], what: &str| memchr::memmem::find(bytes, what.as_bytes()).is_some();
    for entry in session.entries().filter(|entry| entry.role() == Role::Assistant) {
        let bytes = entry.bytes()?;
        let usage = memchr::memmem::rfind(&bytes, b"\"usage\":").map(|at| &bytes[at..]);
        if !holds(&bytes, "\"content\":[")
            || holds(&bytes, "\"content\":[null")
            || holds(&bytes, "},null")
            || usage.is_some_and(|usage| !holds(usage, "\"cost\":{"))
        {
            return Ok(true);
        }
    }
    Ok(false)
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
