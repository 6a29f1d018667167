//! What is left open at the end of the branch that is handed off: the document cannot know how it would have ended.

use crate::diagnostic::{Diagnostic, code};
use crate::message::Ending;
use crate::session::{EntryKind, Session, SessionError};
use crate::text::JsString;

/// Names that are listed in a warning.
const MAX_NAMES: usize = 5;

/// Warnings about an answer at the end of `branch` that is open, aborted or failed, and about calls without result.
/// What lies before a reset is no part of the context any more.
///
/// # Errors
/// When an entry cannot be read.
pub(super) fn unfinished(session: &Session, branch: &[usize]) -> Result<Vec<Diagnostic>, SessionError> {
    let kind = |at: usize| session.entry(at).and_then(|entry| entry.kind());
    let from = branch.iter().rposition(|at| kind(*at) == Some(EntryKind::ResetBoundary)).map_or(0, |reset| reset + 1);
    let mut end = End::Nothing;
    // Calls that nothing answered yet, by id, with the tool.
    let mut open: Vec<(JsString, JsString)> = Vec::new();
    for at in branch[from..].iter().filter(|at| kind(**at) == Some(EntryKind::Message)) {
        let Some(message) = session.message(*at)? else { continue };
        match message.role().to_utf8().as_deref() {
            Some("assistant") => {
                open.extend(message.tool_calls().into_iter().map(|call| (call.id, call.name)));
                end = End::Answer(message.ending());
            }
            Some("toolResult") => {
                let call = message.string("toolCallId").unwrap_or_default();
                open.retain(|(id, _)| *id != call);
                if end == End::Answer(Ending::Complete) {
                    end = End::Results;
                }
            }
            // The user and the agent itself ask; a command that the user runs does not.
            Some("user" | "developer") => end = End::Prompt,
            _ => {}
        }
    }
    let mut found = Vec::new();
    let mut warn = |what: String| found.push(Diagnostic::new(code::UNFINISHED_BRANCH, what));
    match end {
        End::Answer(Ending::Aborted) => warn("the branch ends in an aborted answer".to_owned()),
        End::Answer(Ending::Rules(_)) => warn("the branch ends in an answer that rules interrupted".to_owned()),
        End::Answer(Ending::Failed) => warn("the branch ends in a failed answer".to_owned()),
        End::Prompt => warn("the branch ends in a prompt that has no answer yet".to_owned()),
        End::Results if open.is_empty() => {
            warn("the branch ends in tool results: the answer was still open".to_owned());
        }
        End::Results | End::Answer(Ending::Complete) | End::Nothing => {}
    }
    if !open.is_empty() {
        let mut names: Vec<String> =
            open.iter().take(MAX_NAMES).map(|(id, name)| format!("{} of `{}`", shown(id), shown(name))).collect();
        if open.len() > MAX_NAMES {
            names.push(format!("{} more", open.len() - MAX_NAMES));
        }
        warn(format!("tool calls have no result: {}", names.join(", ")));
    }
    Ok(found)
}

/// Addresses of the old session's own files.
const OWN_FILES: [&str; 2] = ["local://", "artifact://"];

/// The files of the old session that a document names, each once, in order.
pub(super) fn left_behind(document: &JsString) -> Vec<String> {
    let text = document.to_string_lossy();
    let mut found: Vec<(usize, String)> = Vec::new();
    for scheme in OWN_FILES {
        for (at, _) in text.match_indices(scheme) {
            let rest = text.get(at..).unwrap_or_default();
            let belongs = |one: char| one.is_alphanumeric() || "-_./~%+@:".contains(one);
            let address: String = rest.chars().take_while(|one| belongs(*one)).take(200).collect();
            let address = format!("`{}`", address.trim_end_matches(['.', ':']));
            if !found.iter().any(|(_, known)| *known == address) {
                found.push((at, address));
            }
        }
    }
    found.sort_unstable();
    let more = found.len().saturating_sub(MAX_NAMES);
    let mut names: Vec<String> = found.into_iter().take(MAX_NAMES).map(|(_, address)| address).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names
}

fn shown(text: &JsString) -> String {
    text.to_string_lossy()
}

/// What stands last on a branch.
#[derive(PartialEq)]
enum End {
    Nothing,
    Prompt,
    Answer(Ending),
    Results,
}
