//! [`Changes`]: what another set of rules, or another generation, decides otherwise about the same input.

use std::collections::BTreeMap;

use crate::host::trace::{At, Matched, TraceEvent, TraceKind};
use crate::lifecycle::Decision;
use crate::message::Source;
use crate::text::JsString;

/// What a run decided about one rule at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The rule.
    pub rule: JsString,
    /// The place.
    pub at: At,
    /// The stream that matched.
    pub source: Source,
    /// The tool, for a call.
    pub tool: Option<JsString>,
    /// What followed.
    pub decision: Decision,
    /// What matched.
    pub matched: Matched,
    /// At most 80 code points around the match.
    pub excerpt: JsString,
}

/// One decision that is not the same.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "only differences are kept, and those are few")]
pub enum Change {
    /// Only the run that is looked at decides so.
    Gained(Decided),
    /// Only the run that is compared with did.
    Lost(Decided),
    /// Both decide about the rule, at another place or in another way.
    Moved {
        /// The run that is compared with.
        before: Decided,
        /// The run that is looked at.
        after: Decided,
    },
}

impl Change {
    /// The word in reports.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Gained(_) => "gained",
            Self::Lost(_) => "lost",
            Self::Moved { .. } => "moved",
        }
    }

    /// The decision before, if there was one.
    pub fn before(&self) -> Option<&Decided> {
        match self {
            Self::Gained(_) => None,
            Self::Lost(before) | Self::Moved { before, .. } => Some(before),
        }
    }

    /// The decision now, if there is one.
    pub fn after(&self) -> Option<&Decided> {
        match self {
            Self::Lost(_) => None,
            Self::Gained(after) | Self::Moved { after, .. } => Some(after),
        }
    }

    /// The decision that tells what the change is about: the present one, else the former.
    pub fn decided(&self) -> &Decided {
        match self {
            Self::Gained(decided) | Self::Lost(decided) | Self::Moved { after: decided, .. } => decided,
        }
    }
}

/// The decisions about one input that are not the same in two runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// The input as the user named it.
    pub input: String,
    /// The changes in the order of their places.
    pub changes: Vec<Change>,
    /// Number of decisions that are the same.
    pub unchanged: usize,
}

/// Collects the decisions of a run from its trace.
#[cfg(feature = "internals")]
pub fn decisions(events: &[TraceEvent]) -> Vec<Decided> {
    let mut decided = Vec::new();
    for event in events {
        collect(event, &mut decided);
    }
    decided
}

/// Adds the decisions that an event tells.
pub fn collect(event: &TraceEvent, decided: &mut Vec<Decided>) {
    let TraceKind::Trigger(trigger) = &event.kind else { return };
    decided.extend(trigger.by.iter().map(|by| Decided {
        rule: by.rule.clone(),
        at: event.at.clone(),
        source: trigger.source,
        tool: trigger.tool.clone(),
        decision: trigger.decision,
        matched: by.matched.clone(),
        excerpt: by.excerpt.clone(),
    }));
}

impl Changes {
    /// Compares the decisions of two runs over one input. A rule's decision at one delta is the same in both runs when
    /// what follows is. Of what remains, decisions of one rule in one block belong together, then those of one rule in
    /// the order of their places: they have moved.
    pub fn between(input: &str, before: Vec<Decided>, after: Vec<Decided>) -> Self {
        let mut by_rule: BTreeMap<JsString, (Vec<Decided>, Vec<Decided>)> = BTreeMap::new();
        for decided in before {
            by_rule.entry(decided.rule.clone()).or_default().0.push(decided);
        }
        for decided in after {
            by_rule.entry(decided.rule.clone()).or_default().1.push(decided);
        }
        let (mut changes, mut unchanged) = (Vec::new(), 0);
        for (mut before, mut after) in by_rule.into_values() {
            let same = |one: &Decided, other: &Decided| place(one) == place(other) && one.decision == other.decision;
            unchanged += pair(&mut before, &mut after, same).len();
            let same_block =
                |one: &Decided, other: &Decided| (one.at.message, one.at.block) == (other.at.message, other.at.block);
            let mut moved = pair(&mut before, &mut after, same_block);
            moved.extend(pair(&mut before, &mut after, |_, _| true));
            changes.extend(moved.into_iter().map(|(before, after)| Change::Moved { before, after }));
            changes.extend(before.into_iter().map(Change::Lost));
            changes.extend(after.into_iter().map(Change::Gained));
        }
        changes.sort_by(|one, other| order(one.decided()).cmp(&order(other.decided())));
        Self { input: input.to_owned(), changes, unchanged }
    }
}

/// Takes the pairs out of two lists that hold, each decision with the first that fits.
fn pair(
    before: &mut Vec<Decided>,
    after: &mut Vec<Decided>,
    holds: impl Fn(&Decided, &Decided) -> bool,
) -> Vec<(Decided, Decided)> {
    let mut pairs = Vec::new();
    let mut left = Vec::new();
    for one in before.drain(..) {
        match after.iter().position(|other| holds(&one, other)) {
            Some(at) => pairs.push((one, after.remove(at))),
            None => left.push(one),
        }
    }
    *before = left;
    pairs
}

/// Where a decision fell.
fn place(decided: &Decided) -> (Option<usize>, Option<usize>, Option<usize>) {
    (decided.at.message, decided.at.block, decided.at.delta)
}

type Order<'a> = (Option<usize>, Option<usize>, Option<usize>, &'a JsString);

fn order(decided: &Decided) -> Order<'_> {
    let (message, block, delta) = place(decided);
    (message, block, delta, &decided.rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(rule: &str, message: usize, delta: usize, decision: Decision) -> Decided {
        Decided {
            rule: rule.into(),
            at: At { message: Some(message), block: Some(0), delta: Some(delta), ..At::default() },
            source: Source::Text,
            tool: None,
            decision,
            matched: Matched::Condition("x".into()),
            excerpt: "x".into(),
        }
    }

    fn words(before: Vec<Decided>, after: Vec<Decided>) -> (Vec<String>, usize) {
        let changes = Changes::between("in", before, after);
        let words = changes.changes.iter().map(|change| {
            let place = |decided: Option<&Decided>| match decided.map(place) {
                Some((message, _, delta)) => format!("{}.{}", message.unwrap_or_default(), delta.unwrap_or_default()),
                None => "·".to_owned(),
            };
            format!(
                "{} {} {} {}",
                change.as_str(),
                change.decided().rule,
                place(change.before()),
                place(change.after())
            )
        });
        (words.collect(), changes.unchanged)
    }

    #[test]
    fn decisions_are_gained_lost_or_moved() {
        use Decision::{Defer, Interrupt};
        let old = || vec![decided("a", 0, 3, Interrupt), decided("b", 1, 0, Interrupt), decided("c", 2, 0, Interrupt)];
        assert_eq!(words(old(), old()), (vec![], 3));
        let new = vec![decided("a", 0, 5, Interrupt), decided("c", 2, 0, Defer), decided("d", 1, 1, Interrupt)];
        let expected = ["moved a 0.3 0.5", "lost b 1.0 ·", "gained d · 1.1", "moved c 2.0 2.0"];
        assert_eq!(words(old(), new), (expected.map(str::to_owned).to_vec(), 0));
        // What goes on being decided is not paired with what is new before it.
        let new = vec![decided("a", 0, 0, Interrupt), decided("a", 0, 3, Interrupt)];
        assert_eq!(words(vec![decided("a", 0, 3, Interrupt)], new), (vec!["gained a · 0.0".to_owned()], 1));
        let elsewhere = words(vec![decided("a", 5, 0, Interrupt)], vec![decided("a", 3, 0, Interrupt)]);
        assert_eq!(elsewhere, (vec!["moved a 5.0 3.0".to_owned()], 0));
    }
}
