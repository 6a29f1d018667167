//! What happened on a branch, in order: prompts, answers, triggers, injections, ends of processes, settings.

use crate::message::{ContentBlock, Message};
use crate::session::{Entry, EntryKind, Role, SessionError};
use crate::text::JsString;
use crate::text::json::Value;

use super::subject::Subject;

/// Longest excerpt of a message, in UTF-16 code units.
const EXCERPT: usize = 160;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MomentKind {
    /// A prompt of the user.
    Prompt,
    /// An answer that ended by itself.
    Answer,
    /// An answer that rules interrupted.
    Trigger,
    /// An answer that was aborted otherwise.
    Aborted,
    /// An answer that failed.
    Failed,
    /// A message with reminders.
    Reminder,
    /// An entry that records an injection.
    Injection,
    /// The end of a process.
    ProcessEnd,
    /// The first entry of another process.
    Resume,
    /// A compaction.
    Compaction,
    /// The context begins anew.
    Reset,
    /// A summary of another branch.
    BranchSummary,
    /// A setting that changed.
    Setting,
}

impl MomentKind {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Answer => "answer",
            Self::Trigger => "trigger",
            Self::Aborted => "aborted",
            Self::Failed => "failed",
            Self::Reminder => "reminder",
            Self::Injection => "injection",
            Self::ProcessEnd => "process-end",
            Self::Resume => "resume",
            Self::Compaction => "compaction",
            Self::Reset => "reset",
            Self::BranchSummary => "branch-summary",
            Self::Setting => "setting",
        }
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Index of the entry.
    pub entry: usize,
    /// Its time stamp.
    pub timestamp: Option<JsString>,
    /// Turns that had ended in that process.
    pub turn: usize,
    /// What it was.
    pub kind: MomentKind,
    /// The rules that it is about.
    pub rules: Vec<JsString>,
    /// The beginning of what was said, or the setting and its value.
    pub text: JsString,
}

/// What happened on the branch.
///
/// # Errors
/// When an entry cannot be read.
pub(super) fn timeline(subject: &Subject<'_>) -> Result<Vec<Moment>, SessionError> {
    let mut moments = Vec::new();
    let (mut turn, mut open, mut ended) = (0, false, false);
    for entry in subject.branch.iter().filter_map(|at| subject.entry(*at as usize)) {
        let closes = match entry.kind() {
            Some(EntryKind::Message) => entry.role() != Role::ToolResult,
            Some(EntryKind::CustomMessage) => true,
            _ => entry.is_session_exit(),
        };
        if closes && std::mem::take(&mut open) {
            turn += 1;
        }
        if ended {
            turn = 0;
            moments.push(moment(subject, &entry, turn, MomentKind::Resume)?);
        }
        if let Some(kind) = kind_of(subject, &entry) {
            moments.push(moment(subject, &entry, turn, kind)?);
        }
        ended = entry.is_session_exit();
        open |= entry.role() == Role::Assistant;
    }
    Ok(moments)
}

fn kind_of(subject: &Subject<'_>, entry: &Entry<'_>) -> Option<MomentKind> {
    if entry.is_session_exit() {
        return Some(MomentKind::ProcessEnd);
    }
    if entry.is_injection_message() || entry.begins_with_reminder() {
        return Some(MomentKind::Reminder);
    }
    Some(match (entry.kind()?, entry.role()) {
        (EntryKind::Message, Role::User) => MomentKind::Prompt,
        (EntryKind::Message, Role::Assistant) if subject.interrupted.contains_key(&entry.index()) => {
            MomentKind::Trigger
        }
        (EntryKind::Message, Role::Assistant) if entry.is_aborted() => MomentKind::Aborted,
        (EntryKind::Message, Role::Assistant) if entry.is_error() => MomentKind::Failed,
        (EntryKind::Message, Role::Assistant) => MomentKind::Answer,
        (EntryKind::TtsrInjection, _) => MomentKind::Injection,
        (EntryKind::Compaction, _) => MomentKind::Compaction,
        (EntryKind::ResetBoundary, _) => MomentKind::Reset,
        (EntryKind::BranchSummary, _) => MomentKind::BranchSummary,
        (
            EntryKind::ModelChange
            | EntryKind::ThinkingLevelChange
            | EntryKind::ServiceTierChange
            | EntryKind::ModeChange
            | EntryKind::McpToolSelection,
            _,
        ) => MomentKind::Setting,
        _ => return None,
    })
}

fn moment(subject: &Subject<'_>, entry: &Entry<'_>, turn: usize, kind: MomentKind) -> Result<Moment, SessionError> {
    let value = entry.value()?;
    let at = entry.index();
    let rules = match kind {
        MomentKind::Trigger => {
            subject.interrupted.get(&at).filter(|names| !names.is_empty()).cloned().into_iter().collect()
        }
        MomentKind::Injection => subject.recorded_at(at).into_iter().flat_map(|one| one.names().cloned()).collect(),
        MomentKind::Reminder => {
            subject.shown_at(at).into_iter().flat_map(|one| one.tags.iter().map(|tag| tag.rule.clone())).collect()
        }
        _ => Vec::new(),
    };
    let text = match kind {
        MomentKind::Setting => setting(entry, &value),
        MomentKind::Compaction | MomentKind::BranchSummary => {
            value.get("summary").and_then(Value::as_string).map(cut).unwrap_or_default()
        }
        MomentKind::Resume | MomentKind::Reminder | MomentKind::Injection => JsString::new(),
        MomentKind::ProcessEnd => {
            let reason = value.get("data").and_then(|data| data.get("reason")).and_then(Value::as_string);
            reason.map(cut).unwrap_or_default()
        }
        _ => excerpt(&value),
    };
    let timestamp = value.get("timestamp").and_then(Value::as_string).cloned();
    Ok(Moment { entry: at, timestamp, turn, kind, rules, text })
}

/// A setting and its new value, as in `model acme/coder`.
fn setting(entry: &Entry<'_>, value: &Value) -> JsString {
    let (name, keys): (&str, &[&str]) = match entry.kind() {
        Some(EntryKind::ModelChange) => ("model", &["model", "modelId"]),
        Some(EntryKind::ThinkingLevelChange) => ("thinking", &["configured", "thinkingLevel"]),
        Some(EntryKind::ServiceTierChange) => ("service tier", &["serviceTier"]),
        Some(EntryKind::ModeChange) => ("mode", &["mode"]),
        _ => ("tools", &["selectedToolNames"]),
    };
    let new = keys.iter().find_map(|key| value.get(key).filter(|value| **value != Value::Null));
    let mut text = JsString::from(format!("{name} ").as_str());
    match new {
        Some(Value::String(new)) => text.push_units(new.units()),
        Some(other) => text.push_str(&other.to_json()),
        None => text.push_str("(none)"),
    }
    cut(&text)
}

/// The beginning of a message: its text, or the tools that it calls.
pub(super) fn excerpt(value: &Value) -> JsString {
    let Some(raw) = value.get("message").and_then(Value::as_object) else {
        return value.get("content").and_then(Value::as_string).map(cut).unwrap_or_default();
    };
    let mut text = JsString::new();
    for block in Message::new(raw.clone()).blocks() {
        match block {
            ContentBlock::Text(own) => text.push_units(own.units()),
            ContentBlock::ToolCall(call) => {
                if !text.is_empty() {
                    text.push_str(" ");
                }
                text.push_units(call.name.units());
                text.push_str("()");
            }
            ContentBlock::Thinking(_) | ContentBlock::Other(_) => {}
        }
        if text.len() > EXCERPT {
            break;
        }
    }
    cut(&text)
}

fn cut(text: &JsString) -> JsString {
    let units = text.units();
    if units.len() <= EXCERPT {
        return text.clone();
    }
    // A pair of surrogates stays together.
    let end =
        if units.get(EXCERPT - 1).is_some_and(|unit| (0xD800..0xDC00).contains(unit)) { EXCERPT - 1 } else { EXCERPT };
    let mut cut = JsString::from_units(units.iter().take(end).copied().collect::<Vec<u16>>());
    cut.push_str("…");
    cut
}
