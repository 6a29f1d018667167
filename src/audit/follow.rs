//! One injection from its match to what came of it.

use crate::session::{Role, SessionError};
use crate::text::JsString;

use super::subject::{EvidenceKind, Recorded, Subject};
use super::timeline::excerpt;
use super::turns::Turns;

/// An entry and the beginning of what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Index of the entry.
    pub entry: usize,
    /// The beginning of its text.
    pub text: JsString,
}

/// A later injection of the same rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// Index of the entry.
    pub entry: usize,
    /// Turns completed since the one before.
    pub turns: Option<usize>,
}

/// One rule of an injection.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowedRule {
    /// The rule's name.
    pub rule: JsString,
    /// How its reminder reached the model.
    pub kind: EvidenceKind,
    /// The message that broke the rule.
    pub matched: Option<Passage>,
    /// The entry that holds the reminder, and what the reminder says without the sentences of its template.
    pub reminder: Option<Passage>,
    /// The answer behind it.
    pub answer: Option<Passage>,
    /// Its later injections behind this one.
    pub repetitions: Vec<Repetition>,
    /// What the given rule of that name says now.
    pub content_now: Option<JsString>,
    /// Whether that is something else than the reminder; none where either is missing.
    pub is_changed: Option<bool>,
}

/// An injection and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Follow {
    /// Index of the entry that records it.
    pub entry: usize,
    /// Whether it is on the branch of the leaf.
    pub on_branch: bool,
    /// Its rules.
    pub rules: Vec<FollowedRule>,
}

/// The injection that the entry `at` records, shows, or was the cause of; none when it has to do with none.
///
/// # Errors
/// When an entry cannot be read.
pub(super) fn follow(subject: &Subject<'_>, at: usize) -> Result<Option<Follow>, SessionError> {
    let has = |recorded: &&Recorded| {
        recorded.evidence.iter().any(|(_, found)| found.entry == Some(at) || found.matched == Some(at))
    };
    let Some(recorded) = subject.recorded_at(at).or_else(|| subject.recorded.iter().find(has)) else { return Ok(None) };
    let passage = |at: usize| -> Result<Option<Passage>, SessionError> {
        let Some(entry) = subject.entry(at) else { return Ok(None) };
        Ok(Some(Passage { entry: at, text: excerpt(&entry.value()?) }))
    };
    let mut rules = Vec::new();
    for (name, evidence) in &recorded.evidence {
        let tag = evidence.entry.and_then(|holder| subject.shown_at(holder)).and_then(|shown| {
            let tag = shown.tags.iter().find(|tag| tag.rule == name.trim())?;
            Some((shown.entry, tag))
        });
        let known = subject.options.rules.unwrap_or_default().iter().find(|rule| rule.name.trim() == name.trim());
        let behind = evidence.entry.unwrap_or(recorded.entry).max(recorded.entry);
        let answer = subject.behind(behind).find(|entry| entry.role() == Role::Assistant).map(|entry| entry.index());
        rules.push(FollowedRule {
            rule: name.clone(),
            kind: evidence.kind,
            matched: evidence.matched.map(passage).transpose()?.flatten(),
            reminder: tag.map(|(entry, tag)| Passage {
                entry,
                text: super::check::known_rules::without_introduction(&tag.body),
            }),
            answer: answer.map(passage).transpose()?.flatten(),
            repetitions: repetitions(subject, recorded, name),
            content_now: known.map(|rule| rule.content.clone()),
            is_changed: tag.zip(known).map(|((_, tag), rule)| !super::check::known_rules::shows(&tag.body, rule)),
        });
    }
    Ok(Some(Follow { entry: recorded.entry, on_branch: recorded.on_branch, rules }))
}

/// The later injections of a rule, along the branch that the injection is on.
fn repetitions(subject: &Subject<'_>, recorded: &Recorded, name: &JsString) -> Vec<Repetition> {
    let leaf = if recorded.on_branch {
        subject.leaf
    } else {
        Some(subject.behind(recorded.entry).last().map_or(recorded.entry, |entry| entry.index()))
    };
    let path = subject.session.path(leaf);
    let turns = Turns::count(subject, &path);
    let mut before = turns.mark(recorded.entry).map(|mark| mark.completed);
    let from = path.iter().position(|at| *at as usize == recorded.entry).map_or(path.len(), |at| at + 1);
    let mut found = Vec::new();
    for at in path.iter().skip(from).map(|at| *at as usize) {
        if !subject.recorded_at(at).is_some_and(|other| other.names().any(|other| other.trim() == name.trim())) {
            continue;
        }
        let now = turns.mark(at).map(|mark| mark.completed);
        let turns = now.zip(before).map(|(now, before)| now.saturating_sub(before));
        found.push(Repetition { entry: at, turns });
        before = now;
    }
    found
}
