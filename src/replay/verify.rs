//! Comparison of what the engine decided with what the input records (cli.md section 2, "`--verify`").

use crate::lifecycle::{Decision, REMINDER_PREFIX};
use crate::message::{ContentBlock, Message};
use crate::settings::Semantics;
use crate::text::JsString;

use super::observed::{Observed, distinct};
use super::recorded::{Turn, matched_rules};

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Comparison {
    /// The rules that the input records at this message; empty for none.
    pub recorded: Vec<JsString>,
    /// Differences, a sentence each.
    pub differences: Vec<String>,
    /// Recorded matches that cannot be reproduced from the input.
    pub not_reproducible: usize,
}

/// What the comparison must know of the rules.
pub(super) trait KnownRules {
    /// Whether a rule of this name is registered.
    fn is_registered(&self, name: &JsString) -> bool;
    /// Whether the rule can match a tool call.
    fn watches_tools(&self, name: &JsString) -> bool;
}

/// Compares one message of an event stream: announced rules in order of first appearance, the decision, and the
/// follow-up that the stream shows.
pub(super) fn compare_events(turn: &Turn, observed: &Observed, semantics: &Semantics) -> Comparison {
    let recorded = distinct(turn.triggered.iter().flat_map(|(_, rules)| rules));
    let ours = observed.rules();
    let mut differences = Vec::new();
    let same = if semantics.sorted_rules { recorded == ours } else { same_set(&recorded, &ours) };
    if !same {
        differences.push(format!("recorded {}, decided {}", list(&recorded), list(&ours)));
    } else if !recorded.is_empty() && turn.interrupted != observed.interrupted() {
        differences.push(format!(
            "{}: recorded {}, decided {}",
            list(&recorded),
            decision(turn.interrupted),
            decision(observed.interrupted())
        ));
    }
    if !turn.interrupted && !observed.interrupted() {
        let shown: Vec<&Vec<JsString>> = turn.injected.iter().map(|injection| &injection.rules).collect();
        let ours: Vec<&Vec<JsString>> = observed.injected.iter().collect();
        if shown != ours {
            differences.push(format!("recorded follow-up {}, decided {}", lists(&shown), lists(&ours)));
        }
    }
    Comparison { recorded, differences, not_reproducible: 0 }
}

/// Compares one message of a session. Chunk borders are lost there, so that a match which depends on them is no
/// difference, and a match in a call that was removed from the file cannot be reproduced (session.md S9.2).
pub(super) fn compare_session(
    turn: &Turn,
    observed: &Observed,
    rules: &dyn KnownRules,
    semantics: &Semantics,
) -> Comparison {
    let mut comparison = Comparison::default();
    if turn.interrupted {
        interrupted(turn, observed, rules, &mut comparison);
    } else if !semantics.abort_reason && turn.was_cut_short() && observed.interrupted() {
        // That generation writes neither the rules nor the reminder: nothing recorded speaks against it.
    } else {
        uninterrupted(turn, observed, &mut comparison);
    }
    comparison
}

fn interrupted(turn: &Turn, observed: &Observed, rules: &dyn KnownRules, comparison: &mut Comparison) {
    let named = turn.end.as_ref().and_then(|(_, message)| matched_rules(message));
    let recorded = named.unwrap_or_else(|| {
        let persisted = turn.persisted.iter().flat_map(|entry| &entry.rules);
        distinct(persisted.chain(turn.injected.iter().flat_map(|injection| &injection.rules)))
    });
    comparison.recorded = distinct(&recorded);
    let batches: Vec<&Vec<JsString>> = observed.batches.iter().collect();
    let matched = distinct(batches.iter().copied().flatten());
    let missing: Vec<&JsString> = comparison.recorded.iter().filter(|name| !matched.contains(name)).collect();
    if missing.is_empty() {
        if !explains(&batches, &comparison.recorded) {
            let recorded = list(&comparison.recorded);
            comparison.differences.push(format!("recorded an interrupt by {recorded}, decided {}", list(&matched)));
        }
    } else if let Some(unknown) = missing.iter().find(|name| !rules.is_registered(name)) {
        comparison
            .differences
            .push(format!("recorded an interrupt by {}, which is not among the registered rules", quote(unknown)));
    } else if missing.iter().all(|name| rules.watches_tools(name)) {
        comparison.not_reproducible += 1;
    } else {
        let missing: Vec<JsString> = missing.into_iter().cloned().collect();
        comparison.differences.push(format!("recorded an interrupt by {}, which does not match here", list(&missing)));
    }
}

/// Whether the recorded rules, as a set, are those that match some prefix, or a subset that contains the first to
/// match and all that match at the same place.
fn explains(batches: &[&Vec<JsString>], recorded: &[JsString]) -> bool {
    let Some(first) = batches.first() else { return recorded.is_empty() };
    if first.iter().all(|name| recorded.contains(name)) {
        return true;
    }
    let mut seen: Vec<JsString> = Vec::new();
    for batch in batches {
        for name in *batch {
            if !seen.contains(name) {
                seen.push(name.clone());
            }
        }
        if same_set(&seen, recorded) {
            return true;
        }
    }
    false
}

fn uninterrupted(turn: &Turn, observed: &Observed, comparison: &mut Comparison) {
    let folds: Vec<(JsString, Vec<JsString>)> = turn.results.iter().filter_map(|(_, result)| fold_of(result)).collect();
    let deferred: Vec<JsString> = distinct(turn.injected.iter().flat_map(|injection| &injection.rules));
    comparison.recorded = distinct(folds.iter().flat_map(|(_, rules)| rules).chain(&deferred));
    let forgiven = |name: &JsString| observed.chunk_dependent.contains(name);
    let strict =
        |names: &[JsString]| -> Vec<JsString> { names.iter().filter(|name| !forgiven(name)).cloned().collect() };
    if observed.interrupted() {
        let ours = observed.rules();
        if !strict(&ours).is_empty() {
            comparison.differences.push(format!("recorded no interrupt, decided one by {}", list(&ours)));
        } else {
            comparison.not_reproducible += 1;
        }
        return;
    }
    for (call, rules) in &folds {
        let ours = observed.folded.iter().find(|(id, _)| id == call).map(|(_, rules)| rules.clone());
        let ours = ours.unwrap_or_default();
        if !same_set(&strict(rules), &strict(&ours)) {
            let call = quote(call);
            comparison.differences.push(format!(
                "call {call}: recorded a reminder of {}, decided {}",
                list(rules),
                list(&ours)
            ));
        }
    }
    for (call, rules) in &observed.folded {
        if !folds.iter().any(|(id, _)| id == call) && !strict(rules).is_empty() {
            let call = quote(call);
            comparison.differences.push(format!("call {call}: recorded no reminder, decided {}", list(rules)));
        }
    }
    let injected = distinct(observed.injected.iter().flatten());
    if !same_set(&strict(&deferred), &strict(&injected)) {
        comparison.differences.push(format!(
            "recorded a follow-up of {}, decided {}",
            list(&deferred),
            list(&injected)
        ));
    }
    let recorded: Vec<Vec<JsString>> = turn.persisted.iter().map(|entry| strict(&entry.rules)).collect();
    let ours: Vec<Vec<JsString>> = observed.persisted.iter().map(|rules| strict(rules)).collect();
    let same = recorded.len() == ours.len() && recorded.iter().zip(&ours).all(|(a, b)| same_set(a, b));
    if !same && comparison.differences.is_empty() && observed.chunk_dependent.is_empty() {
        let recorded: Vec<&Vec<JsString>> = recorded.iter().collect();
        let ours: Vec<&Vec<JsString>> = ours.iter().collect();
        comparison.differences.push(format!("persisted {}, decided {}", lists(&recorded), lists(&ours)));
    }
}

/// The call and the rules of the reminders in front of a recorded tool result.
pub(super) fn fold_of(result: &Message) -> Option<(JsString, Vec<JsString>)> {
    let mut rules = Vec::new();
    for block in result.blocks() {
        match block {
            ContentBlock::Text(text) if text.starts_with(REMINDER_PREFIX) => rules.extend(tagged_rules(&text)),
            _ => break,
        }
    }
    (!rules.is_empty()).then(|| (result.string("toolCallId").unwrap_or_default(), rules))
}

/// The values of `rule="…"` in the opening tags of a reminder.
fn tagged_rules(text: &JsString) -> Vec<JsString> {
    let text = text.to_string_lossy();
    let tags = text.lines().filter(|line| line.starts_with(REMINDER_PREFIX));
    let rule = |line: &str| Some(line.split_once(" rule=\"")?.1.split_once("\" path=")?.0.into());
    tags.filter_map(rule).collect()
}

fn decision(interrupted: bool) -> &'static str {
    if interrupted { Decision::Interrupt.as_str() } else { Decision::Fold.as_str() }
}

fn same_set(a: &[JsString], b: &[JsString]) -> bool {
    a.iter().all(|name| b.contains(name)) && b.iter().all(|name| a.contains(name))
}

fn quote(name: &JsString) -> String {
    format!("`{name}`")
}

fn list(names: &[JsString]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.iter().map(quote).collect::<Vec<_>>().join(", ") }
}

fn lists(lists: &[&Vec<JsString>]) -> String {
    if lists.is_empty() {
        return "nothing".to_owned();
    }
    lists.iter().map(|names| format!("[{}]", list(names))).collect::<Vec<_>>().join(" ")
}
