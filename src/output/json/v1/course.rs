//! The parts of `ttsr.session/1` that tell how things went: what happened, how the rules stood, what came of an injection.

use schemars::JsonSchema;
use serde::Serialize;

use crate::audit;
use crate::output::json::{Owned, Text};

/// Something that happened on the branch.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Moment<'a> {
    entry: Option<Owned>,
    timestamp: Option<Text<'a>>,
    /// Turns that had ended in that process.
    turn: usize,
    #[schemars(with = "String")]
    kind: &'static str,
    /// The rules that it is about.
    rules: Vec<Text<'a>>,
    /// The beginning of what was said, or the setting and its value.
    text: Text<'a>,
}

impl<'a> Moment<'a> {
    pub(super) fn new(moment: &'a audit::Moment, id: &impl Fn(usize) -> Option<Owned>) -> Self {
        Self {
            entry: id(moment.entry),
            timestamp: moment.timestamp.as_ref().map(Text),
            turn: moment.turn,
            kind: moment.kind.as_str(),
            rules: moment.rules.iter().map(Text).collect(),
            text: Text(&moment.text),
        }
    }
}

/// How the rules stand at an entry.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct State<'a> {
    entry: Option<Owned>,
    /// Whether the entry is on the branch of the leaf.
    on_branch: bool,
    /// Turns that had ended in that process.
    turn: usize,
    /// The end of the process before, behind which the rules are restored.
    restored_at: Option<Owned>,
    rules: Vec<RuleState<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RuleState<'a> {
    rule: Text<'a>,
    #[schemars(extend("enum" = ["in-force", "forgotten", "pending"]))]
    standing: &'static str,
    /// The entry that decided it.
    decided_by: Option<Owned>,
    /// The first entry that recorded it.
    since: Option<Owned>,
    /// Turns that ended since its last injection in that process.
    turns_since: Option<usize>,
    /// Whether a match would be let through again.
    may_fire: bool,
}

impl<'a> State<'a> {
    pub(super) fn new(state: &'a audit::State, id: &impl Fn(usize) -> Option<Owned>) -> Self {
        let rules = state.rules.iter().map(|rule| RuleState {
            rule: Text(&rule.rule),
            standing: rule.standing.as_str(),
            decided_by: id(rule.decided_by),
            since: rule.since.and_then(id),
            turns_since: rule.turns_since,
            may_fire: rule.may_fire,
        });
        Self {
            entry: id(state.entry),
            on_branch: state.on_branch,
            turn: state.turn,
            restored_at: state.restored_at.and_then(id),
            rules: rules.collect(),
        }
    }
}

/// An injection and what came of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Follow<'a> {
    /// The entry that records it.
    entry: Option<Owned>,
    on_branch: bool,
    rules: Vec<Followed<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Followed<'a> {
    rule: Text<'a>,
    #[schemars(extend("enum" = ["interrupt", "deferred", "tool-reminder", "judged", "none"]))]
    kind: &'static str,
    /// The message that broke the rule.
    matched: Option<Passage<'a>>,
    /// The reminder, without the sentences of its template.
    reminder: Option<Passage<'a>>,
    /// The answer behind it.
    answer: Option<Passage<'a>>,
    /// Later injections of the rule.
    repetitions: Vec<Repetition>,
    /// What the given rule of that name says now.
    content_now: Option<Text<'a>>,
    /// Whether that is something else than the reminder; null where either is missing.
    changed: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Passage<'a> {
    entry: Option<Owned>,
    text: Text<'a>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Repetition {
    entry: Option<Owned>,
    /// Turns completed since the one before.
    turns: Option<usize>,
}

impl<'a> Follow<'a> {
    pub(super) fn new(follow: &'a audit::Follow, id: &impl Fn(usize) -> Option<Owned>) -> Self {
        let passage = |passage: &'a Option<audit::Passage>| {
            passage.as_ref().map(|passage| Passage { entry: id(passage.entry), text: Text(&passage.text) })
        };
        let rules = follow.rules.iter().map(|rule| Followed {
            rule: Text(&rule.rule),
            kind: rule.kind.as_str(),
            matched: passage(&rule.matched),
            reminder: passage(&rule.reminder),
            answer: passage(&rule.answer),
            repetitions: rule
                .repetitions
                .iter()
                .map(|one| Repetition { entry: id(one.entry), turns: one.turns })
                .collect(),
            content_now: rule.content_now.as_ref().map(Text),
            changed: rule.is_changed,
        });
        Self { entry: id(follow.entry), on_branch: follow.on_branch, rules: rules.collect() }
    }
}

/// What the agent reads of the file, beside what is there.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Comparison<'a> {
    /// Why the agent cannot open the file, or fails on it.
    refused: Option<&'a str>,
    aspects: Vec<Aspect<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Aspect<'a> {
    name: &'static str,
    /// What is there.
    here: &'a str,
    /// What the agent reads; null where it reads nothing.
    agent: Option<&'a str>,
}

impl<'a> From<&'a audit::Comparison> for Comparison<'a> {
    fn from(comparison: &'a audit::Comparison) -> Self {
        let aspects = comparison.aspects.iter();
        let aspects = aspects.map(|one| Aspect { name: one.name, here: &one.here, agent: one.agent.as_deref() });
        Self { refused: comparison.refused.as_deref(), aspects: aspects.collect() }
    }
}
