//! The evidence that a recorded injection really reached the model (session.md S10.1).

use crate::message::{CallOutcome, split_names};
use crate::session::{Entry, EntryKind, Role};
use crate::text::JsString;

use super::{Subject, message_of};

/// How a reminder reached the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EvidenceKind {
    /// The message was aborted and the reminder put behind it.
    Interrupt,
    /// The reminder came behind a message that ended by itself.
    Deferred,
    /// The reminder stands in front of a tool result.
    ToolReminder,
    /// A warning after a judge's yes (generation-v4.md W15.7).
    Judged,
    /// Nothing shows it.
    None,
}

impl EvidenceKind {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interrupt => "interrupt",
            Self::Deferred => "deferred",
            Self::ToolReminder => "tool-reminder",
            Self::Judged => "judged",
            Self::None => "none",
        }
    }
}

/// The evidence for one name of one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Which kind.
    pub kind: EvidenceKind,
    /// Index of the entry that holds the reminder.
    pub entry: Option<usize>,
    /// Index of the assistant message that broke the rule.
    pub matched: Option<usize>,
}

/// The evidence for `name` in the `ttsr_injection` entry `at`.
pub(crate) fn find(subject: &Subject<'_>, at: usize, name: &JsString) -> Evidence {
    let name = &name.trim();
    if let Some(message) = subject.entry(at).and_then(|entry| entry.parent())
        && let Some(shown) = subject.shown_at(message).filter(|shown| shown.is_message)
        && shown.details.contains(name)
        && shown.tags.iter().any(|tag| tag.rule == *name)
    {
        let is_warning = shown.tags.iter().all(|tag| !tag.interrupt);
        if is_warning {
            // It follows an answered message; how that ended, and how many lie between, is no matter.
            let assistant = subject.before(message).find(|entry| entry.role() == Role::Assistant);
            let matched = assistant.map(|entry| entry.index());
            let kind = if matched.is_some() { EvidenceKind::Judged } else { EvidenceKind::None };
            return Evidence { kind, entry: Some(message), matched };
        }
        if let Some(aborted) = aborted_by(subject, message)
            && abort_fits(subject, aborted, &shown.details)
        {
            return Evidence { kind: EvidenceKind::Interrupt, entry: Some(message), matched: Some(aborted) };
        }
        let assistant = subject.before(message).find(|entry| entry.role() == Role::Assistant);
        if assistant.is_none_or(|entry| !entry.is_aborted() && !entry.is_error()) {
            let matched = assistant.map(|entry| entry.index());
            return Evidence { kind: EvidenceKind::Deferred, entry: Some(message), matched };
        }
    }
    let results = subject.behind(at).take_while(|entry| entry.role() != Role::Assistant);
    for result in results.filter(|entry| entry.role() == Role::ToolResult) {
        let names_it = |shown: &super::Shown| shown.tags.iter().any(|tag| tag.rule == *name);
        // The reminder of a result that was pruned went with its text (session.md S9.4e).
        let is_pruned = || outcome(&result) == Some(CallOutcome::Pruned);
        if subject.shown_at(result.index()).is_some_and(names_it) || is_pruned() {
            let matched = subject.before(at).find(|entry| entry.role() == Role::Assistant).map(|entry| entry.index());
            return Evidence { kind: EvidenceKind::ToolReminder, entry: Some(result.index()), matched };
        }
    }
    Evidence { kind: EvidenceKind::None, entry: None, matched: None }
}

/// The aborted assistant message that an interrupt's message belongs to, with nothing but placeholder results and
/// bookkeeping between: before it, or directly behind its entry when the abort came late.
pub(crate) fn aborted_by(subject: &Subject<'_>, message: usize) -> Option<usize> {
    let before = subject.before(message).find(|entry| !is_between(entry)).filter(Entry::is_aborted);
    let late = || subject.behind(message).find(|entry| !is_between(entry)).filter(Entry::is_rule_abort);
    before.or_else(late).map(|entry| entry.index())
}

/// Whether an entry may stand between an aborted message and its interrupt.
fn is_between(entry: &Entry<'_>) -> bool {
    match entry.kind() {
        Some(EntryKind::Message) => entry.role() == Role::ToolResult && is_placeholder(entry),
        Some(
            EntryKind::CustomMessage | EntryKind::BranchSummary | EntryKind::Compaction | EntryKind::ResetBoundary,
        ) => false,
        _ => true,
    }
}

/// Whether a tool result stands for a call that never ran to its end.
fn is_placeholder(entry: &Entry<'_>) -> bool {
    outcome(entry).is_some_and(|outcome| !outcome.delivers_reminders())
}

/// Whether the entry at `at` is a tool result that was pruned.
pub(crate) fn is_pruned(subject: &Subject<'_>, at: usize) -> bool {
    subject.entry(at).as_ref().and_then(outcome) == Some(CallOutcome::Pruned)
}

/// What became of the call whose result the entry is.
fn outcome(entry: &Entry<'_>) -> Option<CallOutcome> {
    message_of(entry).ok().map(|message| message.call_outcome())
}

/// Whether the message was aborted for these rules. The error message of a batch may name only the rules that matched
/// first; that of an old agent (13.x) names none.
fn abort_fits(subject: &Subject<'_>, aborted: usize, rules: &[JsString]) -> bool {
    match subject.interrupted.get(&aborted) {
        Some(names) if !names.is_empty() => {
            split_names(names, rules).iter().any(|name| rules.contains(&name.trim())) || rules.contains(&names.trim())
        }
        _ => true,
    }
}
