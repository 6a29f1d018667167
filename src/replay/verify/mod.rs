//! Comparison of what the engine did with what the input records (cli.md section 2, "`--verify`").
//!
//! Three questions per assistant message: do the records agree with each other ([`records`]), do the reminders say what
//! the rules say ([`reminders`]), and does the engine decide as the recording says ([`decisions`]).

mod decisions;
mod records;
mod reminders;

use std::collections::HashSet;

use crate::generation::Semantics;
use crate::history::Turn;
use crate::host::Observed;
use crate::text::JsString;

pub(super) use reminders::Block;

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Comparison {
    /// The rules that the input records at this message; empty for none.
    pub(super) recorded: Vec<JsString>,
    /// Differences, a sentence each.
    pub(super) differences: Vec<String>,
    /// Recorded matches that cannot be reproduced from the input, and decisions that it can neither prove nor refute.
    pub(super) not_reproducible: usize,
    /// Recorded matches that are a race in the agent itself (engine.md E6.6).
    pub(super) races: usize,
}

/// What the comparison must know of the rules.
pub(super) trait KnownRules {
    /// Whether a rule of this name is registered.
    fn is_registered(&self, name: &JsString) -> bool;
    /// Whether the rule can match a tool call.
    fn watches_tools(&self, name: &JsString) -> bool;
    /// Whether the rule is judged: it matches no stream.
    fn is_judged(&self, name: &JsString) -> bool;
    /// Whether a match of the rule in a tool call does not interrupt.
    fn folds(&self, name: &JsString) -> bool;
    /// Names of all registered rules.
    fn names(&self) -> Vec<JsString>;
    /// The reminder of the rule as a run renders it; none when the rule is not known.
    fn block(&self, kind: ReminderKind<'_>, name: &JsString) -> Option<Block>;
    /// The rules that match a call of the message when its arguments are complete from the first delta on.
    fn match_complete_calls(&self, turn: &Turn) -> HashSet<JsString>;
    /// The rules that match the message's prose as it stands behind one of its characters.
    fn match_beginnings(&self, turn: &Turn) -> HashSet<JsString>;
}

pub(super) use crate::lifecycle::ReminderKind;

/// One message and what to compare it with.
pub(super) struct Case<'a> {
    /// The recorded message.
    pub(super) turn: &'a Turn,
    /// What the engine did at it.
    pub(super) observed: &'a Observed,
    /// The rules.
    pub(super) rules: &'a dyn KnownRules,
    /// The generation.
    pub(super) semantics: &'a Semantics,
    /// Whether the recording is a session: its chunk borders are lost.
    pub(super) is_session: bool,
    /// Whether matches are only noted: nothing is injected.
    pub(super) observe: bool,
    /// Rules that wait in a queued follow-up: an interrupt by them alone has no reminder of its own (engine.md E7.6).
    pub(super) reserved: &'a [JsString],
    /// Rules that an earlier message deferred, and that another cut of its text would not have let match.
    pub(super) uncertain: &'a [JsString],
    /// Whether a call may have been cut off an earlier message of the process, and with it a fold that left its rule
    /// marked (engine.md E7.8, session.md S9.2).
    pub(super) lost_calls: bool,
}

/// Compares one message.
pub(super) fn compare(case: &Case<'_>) -> Comparison {
    let mut comparison = Comparison::default();
    if case.is_session && case.semantics.persists {
        records::compare(case, &mut comparison);
    }
    reminders::compare(case, &mut comparison);
    decisions::compare(case, &mut comparison);
    comparison
}

fn same_set(a: &[JsString], b: &[JsString]) -> bool {
    a.iter().all(|name| b.contains(name)) && b.iter().all(|name| a.contains(name))
}

/// Names as an entry lists them: trimmed, without blank ones, each once.
fn normalized(names: &[JsString]) -> Vec<JsString> {
    let mut kept: Vec<JsString> = Vec::new();
    for name in names.iter().map(JsString::trim).filter(|name| !name.is_empty()) {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}

fn quote(name: &JsString) -> String {
    format!("`{name}`")
}

fn list(names: &[JsString]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.iter().map(quote).collect::<Vec<_>>().join(", ") }
}

fn lists<'a>(lists: impl IntoIterator<Item = &'a [JsString]>) -> String {
    let shown: Vec<String> = lists.into_iter().map(|names| format!("[{}]", list(names))).collect();
    if shown.is_empty() { "nothing".to_owned() } else { shown.join(" ") }
}
