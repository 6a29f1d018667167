//! Which rules are in force at an entry, and which entry decided it (session.md S5, S9.4a).

use crate::message::split_names;
use crate::session::{EntryKind, SessionError};
use crate::settings::RepeatMode;
use crate::text::JsString;

use super::subject::{EvidenceKind, Subject};
use super::turns::Turns;

/// How a rule stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its injection is recorded and its reminder is in the context.
    InForce,
    /// Its injection is recorded, and no reminder of it is in the context any more.
    Forgotten,
    /// It matched, and no injection is recorded yet.
    Pending,
}

impl Standing {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InForce => "in-force",
            Self::Forgotten => "forgotten",
            Self::Pending => "pending",
        }
    }
}

/// A rule at an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleState {
    /// The rule's name.
    pub rule: JsString,
    /// How it stands.
    pub standing: Standing,
    /// Index of the entry that decided it: the last that recorded it; what cut its reminder off; what it interrupted.
    pub decided_by: usize,
    /// Index of the first entry that recorded it.
    pub since: Option<usize>,
    /// Turns that ended since its last injection in that process.
    pub turns_since: Option<usize>,
    /// Whether a match would be let through again.
    pub may_fire: bool,
}

/// The rules at an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Index of the entry.
    pub entry: usize,
    /// Whether the entry is on the branch of the leaf.
    pub on_branch: bool,
    /// Turns that had ended before it in its process.
    pub turn: usize,
    /// Index of the end of the process before, when there is one: behind it the rules are restored.
    pub restored_at: Option<usize>,
    /// The rules, in order of their first appearance on the way to the entry.
    pub rules: Vec<RuleState>,
}

/// The rules at the entry `at`, that entry included.
///
/// # Errors
/// When an entry cannot be read.
pub(super) fn state(subject: &Subject<'_>, at: usize) -> Result<State, SessionError> {
    let session = subject.session;
    let path = session.path(Some(at));
    let turns = Turns::count(subject, &path);
    let part = session.shown(&path)?;
    let persists = subject.options.semantics.persists;
    let mut state = State {
        entry: at,
        on_branch: subject.is_on_branch(at),
        turn: turns.last.ended - turns.last.process_start,
        restored_at: None,
        rules: Vec::new(),
    };
    // What cuts reminders off.
    let mut cut = None;
    let mut last_shown: Vec<(JsString, usize)> = Vec::new();
    for (position, one) in path.iter().map(|one| *one as usize).enumerate() {
        let Some(entry) = subject.entry(one) else { continue };
        if matches!(entry.kind(), Some(EntryKind::Compaction | EntryKind::ResetBoundary)) {
            cut = Some(one);
        }
        if entry.is_session_exit() {
            state.restored_at = Some(one);
            // A process that ends takes with it what it had not recorded.
            state.rules.retain(|rule| rule.standing != Standing::Pending);
        }
        if let Some(names) = subject.interrupted.get(&one).filter(|names| !names.is_empty()) {
            for rule in split_names(names, &[]) {
                state.pend(rule.trim(), one);
            }
        }
        if let Some(shown) = subject.shown_at(one) {
            for tag in &shown.tags {
                last_shown.retain(|(rule, _)| *rule != tag.rule);
                last_shown.push((tag.rule.clone(), position));
                if shown.is_message {
                    state.pend(tag.rule.clone(), one);
                }
            }
        }
        if let Some(recorded) = subject.recorded_at(one).filter(|_| persists) {
            for rule in recorded.names() {
                state.record(rule, one);
            }
        }
    }
    if !persists {
        return Ok(state);
    }
    let settings = subject.options.settings;
    for rule in state.rules.iter_mut().filter(|rule| rule.standing == Standing::InForce) {
        let mark = turns.mark(rule.decided_by).copied().unwrap_or_default();
        // Another process counts from its own beginning (session.md S5.3).
        let from = if mark.process == turns.last.process { mark.ended } else { turns.last.process_start };
        let since = turns.last.ended.saturating_sub(from);
        rule.turns_since = Some(since);
        rule.may_fire = settings.repeat_mode != RepeatMode::Once && since as f64 >= settings.repeat_gap;
        let evidence = subject.recorded_at(rule.decided_by).and_then(|recorded| {
            recorded.evidence.iter().find(|(name, _)| *name == rule.rule).map(|(_, evidence)| evidence.kind)
        });
        let shown = last_shown.iter().find(|(name, _)| *name == rule.rule.trim()).map(|(_, position)| *position);
        let is_cut = shown.is_some_and(|position| !part.contains(position));
        if is_cut && evidence != Some(EvidenceKind::None) {
            rule.standing = Standing::Forgotten;
            rule.decided_by = cut.unwrap_or(rule.decided_by);
        }
    }
    Ok(state)
}

impl State {
    /// A rule matched.
    fn pend(&mut self, rule: JsString, at: usize) {
        if self.rules.iter().any(|known| known.rule == rule) {
            return;
        }
        let standing = Standing::Pending;
        self.rules.push(RuleState { rule, standing, decided_by: at, since: None, turns_since: None, may_fire: false });
    }

    /// An injection was recorded.
    fn record(&mut self, rule: &JsString, at: usize) {
        let known = self.rules.iter().position(|known| known.rule == *rule || known.rule == rule.trim());
        if known.is_none() {
            self.pend(rule.clone(), at);
        }
        let place = known.unwrap_or(self.rules.len() - 1);
        if let Some(state) = self.rules.get_mut(place) {
            state.standing = Standing::InForce;
            state.decided_by = at;
            state.since.get_or_insert(at);
        }
    }
}
