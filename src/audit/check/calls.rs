//! Calls and their results on the branch: what the model is shown as called and never answered, and answers to nothing
//! (session.md S10.2).

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::audit::subject::Subject;
use crate::diagnostic::{Diagnostic, code};
use crate::session::{Entry, EntryKind, Role, SessionError};
use crate::text::JsString;

use super::{Check, Input, finding, named};

pub(super) struct Calls;

/// What is read of an entry; all else is passed over.
#[derive(Default, Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    message: Option<Payload<'a>>,
}

#[derive(Default, Deserialize)]
struct Payload<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "toolCallId")]
    tool_call_id: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
}

fn string(raw: Option<&RawValue>) -> Option<JsString> {
    serde_json::from_str(raw?.get()).ok()
}

/// The ids of the calls of an assistant's message. A call without an id cannot be answered by one.
fn calls(entry: &Entry<'_>) -> Result<Vec<JsString>, SessionError> {
    let bytes = entry.bytes()?;
    if memchr::memmem::find(&bytes, b"toolCall").is_none() {
        return Ok(Vec::new());
    }
    let line: Line<'_> = serde_json::from_slice(&bytes).unwrap_or_default();
    let content = line.message.and_then(|message| message.content).map_or("", RawValue::get);
    let blocks: Vec<Block<'_>> = serde_json::from_str(content).unwrap_or_default();
    let is_call = |block: &Block<'_>| block.kind.is_some_and(|kind| kind.get() == "\"toolCall\"");
    Ok(blocks.iter().filter(|block| is_call(block)).filter_map(|block| string(block.id)).collect())
}

/// The id of the call that a result answers.
fn answered(entry: &Entry<'_>) -> Result<Option<JsString>, SessionError> {
    let bytes = entry.bytes()?;
    let line: Line<'_> = serde_json::from_slice(&bytes).unwrap_or_default();
    Ok(string(line.message.and_then(|message| message.tool_call_id)))
}

impl Check for Calls {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let subject = input.subject;
        let session = subject.session;
        // Each call on the branch, with the entry that made it and whether it was answered.
        let mut known: HashMap<JsString, (usize, bool)> = HashMap::new();
        let mut last_message = 0;
        for entry in subject.branch.iter().filter_map(|at| session.entry(*at as usize)) {
            if entry.kind() != Some(EntryKind::Message) {
                continue;
            }
            match entry.role() {
                Role::Assistant if !entry.is_aborted() && !entry.is_error() => {
                    last_message = entry.index();
                    for id in calls(&entry)? {
                        if let Some((before, false)) = known.get(&id) {
                            let before = named(session, *before);
                            let message = format!("the call `{id}` has the id of one in {before} that is still open");
                            findings.push(finding(session, code::REPEATED_CALL_ID, entry.index(), message));
                        }
                        known.insert(id, (entry.index(), false));
                    }
                }
                Role::ToolResult => {
                    let Some(id) = answered(&entry)? else { continue };
                    match known.get_mut(&id) {
                        Some((_, is_answered)) => *is_answered = true,
                        None => stray(subject, &entry, &id, findings),
                    }
                }
                _ => last_message = entry.index(),
            }
        }
        let mut open: Vec<(usize, JsString)> = known
            .into_iter()
            .filter(|(_, (_, is_answered))| !is_answered)
            .map(|(id, (made_at, _))| (made_at, id))
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        open.sort_unstable();
        let elsewhere = off_branch_results(subject)?;
        for (made_at, id) in open {
            if made_at >= last_message {
                // What is open in the last message may still be under way, unless its result hangs beside the branch.
                if let Some(result) = elsewhere.get(&id).filter(|result| **result > made_at) {
                    let result = named(session, *result);
                    let message =
                        format!("the branch ends without the result of the call `{id}`: {result} hangs beside it");
                    findings.push(finding(session, code::UNANSWERED_CALL, made_at, message));
                }
                continue;
            }
            let place = match elsewhere.get(&id) {
                Some(result) => format!("its result, {}, is not on the branch", named(session, *result)),
                None => "the file holds no result of it".to_owned(),
            };
            let message = format!("the branch goes on behind the call `{id}`, which it does not answer: {place}");
            findings.push(finding(session, code::UNANSWERED_CALL, made_at, message));
        }
        Ok(())
    }
}

fn stray(subject: &Subject<'_>, entry: &Entry<'_>, id: &JsString, findings: &mut Vec<Diagnostic>) {
    // An aborted message's calls are left out of what is known, and may have placeholders for results.
    let follows_abort = |at: &u32| {
        let before = subject.session.entry(*at as usize);
        before.is_some_and(|before| before.is_aborted() || before.is_error())
    };
    let ahead = subject.branch.partition_point(|at| (*at as usize) < entry.index());
    if subject.branch[..ahead].iter().any(follows_abort) && answers_cut_call(subject, ahead, id) {
        return;
    }
    let message = format!("the result answers the call `{id}`, which is not on the branch before it");
    findings.push(finding(subject.session, code::STRAY_RESULT, entry.index(), message));
}

/// Whether an aborted or failed message before that place of the branch made the call.
fn answers_cut_call(subject: &Subject<'_>, ahead: usize, id: &JsString) -> bool {
    let entries = subject.branch[..ahead].iter().rev().filter_map(|at| subject.session.entry(*at as usize));
    let mut cut = entries.filter(|entry| entry.is_aborted() || entry.is_error());
    cut.any(|entry| calls(&entry).is_ok_and(|calls| calls.contains(id)))
}

/// Results beside the branch, by the call that they answer.
fn off_branch_results(subject: &Subject<'_>) -> Result<HashMap<JsString, usize>, SessionError> {
    let mut results = HashMap::new();
    for entry in subject.session.entries().filter(|entry| entry.role() == Role::ToolResult) {
        if !subject.is_on_branch(entry.index())
            && let Some(id) = answered(&entry)?
        {
            results.entry(id).or_insert(entry.index());
        }
    }
    Ok(results)
}
