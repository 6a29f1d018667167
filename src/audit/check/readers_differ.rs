//! Where the agent would see something else (session.md S1.0).

use crate::diagnostic::{Diagnostic, Severity, code};
use crate::session::{EntryKind, ReadError, ReadMode, Role, Session, SessionError};
use crate::text::JsString;

use super::{Check, Input, named};

pub(super) struct ReadersDiffer;

impl Check for ReadersDiffer {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let session = input.subject.session;
        let unusable = input.subject.recorded.iter().any(|recorded| !recorded.is_list);
        if session.mode() == ReadMode::Faithful {
            // This is the agent's reading; it may still fail on what it has to send.
            if let Err(error) = session.context(session.leaf()) {
                let message = format!("the agent opens this file and fails on it: {error}");
                findings.push(Diagnostic::new(code::READERS_DIFFER, message).with_severity(Severity::Error));
            }
            return Ok(());
        }
        // Without anything odd in the file both readings are the same.
        if session.diagnostics().is_empty() && !unusable && !session.is_migrated() && !has_odd_answer(session)? {
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
                    // What the agent does not read is gone when it writes the file anew.
                    let severity = match same_leaf {
                        _ if agent.len() < session.len() => Severity::Error,
                        true => Severity::Note,
                        false => Severity::Warning,
                    };
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

/// The first entry that the agent does not read, and why.
fn lost(ours: &Session, agent: &Session) -> String {
    let first = ours
        .entries()
        .zip(agent.entries().map(Some).chain(std::iter::repeat(None)))
        .find_map(|(ours, agent)| (agent.is_none_or(|agent| agent.id() != ours.id())).then_some(ours));
    match first {
        Some(entry) if ours.len() > agent.len() => {
            format!(": it loses {}, which a cut line before it swallows", named(ours, entry.index()))
        }
        _ => String::new(),
    }
}

fn differences(ours: &Session, agent: &Session) -> Vec<String> {
    let mut said = Vec::new();
    if ours.len() != agent.len() {
        let lost = lost(ours, agent);
        said.push(format!("it has {} entries where this reading has {}{lost}", agent.len(), ours.len()));
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
