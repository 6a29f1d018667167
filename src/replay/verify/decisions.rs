//! Whether the engine decides as the recording says.

use std::collections::HashSet;

use crate::history::{RecordedFold, fold_of};
use crate::host::{Batch, distinct};
use crate::lifecycle::Decision;
use crate::message::{CallOutcome, joined_names, split_names};
use crate::text::JsString;

use super::{Case, Comparison, list, lists, normalized, quote, same_set};

pub(super) fn compare(case: &Case<'_>, comparison: &mut Comparison) {
    comparison.recorded = recorded_rules(case);
    warnings(case, comparison);
    if case.observe {
        return noted(case, comparison);
    }
    if !case.is_session {
        return stream(case, comparison);
    }
    if case.turn.interrupted {
        interrupted(case, comparison);
    } else if !case.semantics.abort_reason && case.turn.was_cut_short() && case.observed.interrupted() {
        // That generation writes neither the rules nor the reminder: nothing recorded speaks against it.
    } else {
        uninterrupted(case, comparison);
    }
}

/// Warnings after a judge's yes: the rules in order. When the judge answered is no matter (generation-v4.md W15.6).
fn warnings(case: &Case<'_>, comparison: &mut Comparison) {
    if case.observe {
        return;
    }
    let recorded: Vec<&[JsString]> = case.turn.warnings().map(|warning| warning.rules.as_slice()).collect();
    let ours: Vec<&[JsString]> = case.observed.warned.iter().map(|warning| warning.rules.as_slice()).collect();
    if recorded != ours {
        let difference = format!("recorded a warning of {}, could have asked about {}", lists(recorded), lists(ours));
        comparison.differences.push(difference);
    }
}

/// The rules that were announced for matches: a judge's yes is announced too, at its own time.
fn announced(case: &Case<'_>) -> Vec<JsString> {
    let names = case.turn.announced.iter().flat_map(|announced| &announced.rules);
    distinct(names.filter(|name| !case.rules.is_judged(name)))
}

/// The rules that the recording names at this message.
fn recorded_rules(case: &Case<'_>) -> Vec<JsString> {
    let turn = case.turn;
    let announced = announced(case);
    if !announced.is_empty() {
        return announced;
    }
    match interrupting(case) {
        Some(names) => names,
        None => turn.injected(),
    }
}

/// The rules of the interrupting batch, as the aborted message names them.
fn interrupting(case: &Case<'_>) -> Option<Vec<JsString>> {
    let text = case.turn.interrupting_names()?;
    let mut known = case.rules.names();
    known.extend(case.turn.reminders().flat_map(|reminder| reminder.rules.iter().cloned()));
    Some(distinct(&split_names(&text, &known)))
}

/// Names that another cut of the text, an argument parsed at another time or a mark that the file does not show could
/// decide otherwise.
struct Forgiven<'a> {
    case: &'a Case<'a>,
    /// Rules that match the complete arguments; looked up when a match in a call is in question.
    complete: std::cell::OnceCell<HashSet<JsString>>,
}

impl<'a> Forgiven<'a> {
    fn new(case: &'a Case<'a>) -> Self {
        Self { case, complete: std::cell::OnceCell::new() }
    }

    fn matches_complete_call(&self, name: &JsString) -> bool {
        self.complete.get_or_init(|| self.case.rules.match_complete_calls(self.case.turn)).contains(name)
    }

    /// Whether our match of the rule says nothing about the recording.
    fn ours(&self, name: &JsString) -> bool {
        let case = self.case;
        if !case.is_session {
            return false;
        }
        let mut own = case.observed.batches.iter().filter(|batch| batch.rules.contains(name));
        let in_calls_only = own.clone().next().is_some() && own.all(|batch| batch.tool_call.is_some());
        case.observed.chunk_dependent.contains(name)
            || case.uncertain.contains(name)
            || self.may_be_spent(name)
            || (in_calls_only && (!case.semantics.tool_call_end || !self.matches_complete_call(name)))
    }

    /// Whether a fold that the file lost may have left the rule marked.
    fn may_be_spent(&self, name: &JsString) -> bool {
        self.case.lost_calls && self.case.rules.watches_tools(name) && self.case.rules.folds(name)
    }

    /// The names that do say something.
    fn strict(&self, names: &[JsString]) -> Vec<JsString> {
        names.iter().filter(|name| !self.ours(name)).cloned().collect()
    }
}

/// Compares an event stream: announced rules in order of first appearance, the decision, reminders.
fn stream(case: &Case<'_>, comparison: &mut Comparison) {
    let (turn, observed) = (case.turn, case.observed);
    announced_interrupt(case, &mut comparison.differences);
    let recorded = announced(case);
    let ours = observed.announced();
    let same = if case.semantics.sorted_rules { recorded == ours } else { same_set(&recorded, &ours) };
    let forgiven = Forgiven::new(case);
    let at_the_end = |name: &JsString| {
        let announced = turn.announced.iter().filter(|announced| announced.rules.contains(name));
        announced.into_iter().all(|announced| is_last_delta(case, announced.before))
            && forgiven.matches_complete_call(name)
    };
    if !same {
        let missing: Vec<&JsString> = recorded.iter().filter(|name| !ours.contains(name)).collect();
        let is_race = ours.iter().all(|name| recorded.contains(name))
            && !missing.is_empty()
            && missing.iter().all(|name| at_the_end(name));
        if is_race && (turn.interrupted || missing.iter().all(|name| case.rules.folds(name))) {
            comparison.races += 1;
            return;
        }
        comparison.differences.push(format!("recorded {}, decided {}", list(&recorded), list(&ours)));
        return;
    }
    if !recorded.is_empty() && turn.interrupted != observed.interrupted() {
        comparison.differences.push(format!(
            "{}: recorded {}, decided {}",
            list(&recorded),
            decision(turn.interrupted),
            decision(observed.interrupted())
        ));
        return;
    }
    if let (Some(named), true) = (turn.interrupting_names(), case.semantics.abort_reason) {
        let names = |batch: &&&Batch| joined_names(&batch.rules) == named || same_names(&named, batch, case);
        if observed.interrupted() && !observed.interrupts().iter().any(|batch| names(&batch)) {
            let ours = observed.interrupts().first().map(|batch| list(&batch.rules)).unwrap_or_default();
            comparison.differences.push(format!("recorded an interrupt by `{named}`, decided one by {ours}"));
        }
    }
    if !turn.interrupted && !observed.interrupted() {
        let shown: Vec<&[JsString]> = turn.reminders().map(|reminder| reminder.rules.as_slice()).collect();
        // The reminder of an earlier interrupt is shown by no stream.
        let ours: Vec<&[JsString]> = observed.delivered.iter().map(Vec::as_slice).collect();
        if shown != ours {
            let difference = format!("recorded follow-up {}, decided {}", lists(shown), lists(ours));
            comparison.differences.push(difference);
        }
    }
    folds(case, &forgiven, comparison);
}

/// An interrupt is announced, and the aborted message names what was announced.
fn announced_interrupt(case: &Case<'_>, differences: &mut Vec<String>) {
    let turn = case.turn;
    if !turn.interrupted || !case.semantics.abort_reason {
        return;
    }
    match turn.interrupting_names() {
        None => differences.push("interrupted by rules, and the aborted message does not name them".to_owned()),
        Some(named) if !turn.announced.iter().any(|announced| joined_names(&announced.rules) == named) => {
            differences.push(format!("recorded an interrupt by `{named}`, which was not announced"));
        }
        Some(_) => {}
    }
}

fn same_names(named: &JsString, batch: &Batch, case: &Case<'_>) -> bool {
    same_set(&split_names(named, &case.rules.names()), &batch.rules)
}

/// Whether an announcement came at the last delta of a call, or behind it.
fn is_last_delta(case: &Case<'_>, before: usize) -> bool {
    use crate::message::AgentEvent::{ToolCallDelta, ToolCallEnd};
    let Some(at) = before.checked_sub(1) else { return false };
    let mut events = case.turn.events.iter().skip(at).map(|(_, event)| event);
    let index = match events.next() {
        Some(ToolCallDelta { index, .. } | ToolCallEnd { index, .. }) => index,
        _ => return false,
    };
    !events.any(|event| matches!(event, ToolCallDelta { index: later, .. } if later == index))
}

/// Matches are only noted: the recorded rules must be among them, and no other.
fn noted(case: &Case<'_>, comparison: &mut Comparison) {
    let forgiven = Forgiven::new(case);
    let ours = distinct(case.observed.batches.iter().flat_map(|batch| &batch.rules));
    let recorded = &comparison.recorded;
    let missing: Vec<JsString> = recorded.iter().filter(|name| !ours.contains(name)).cloned().collect();
    if missing.is_empty() {
        let announced = case.observed.announced();
        let ours = if case.is_session { forgiven.strict(&ours) } else { announced };
        let further: Vec<JsString> = ours.into_iter().filter(|name| !recorded.contains(name)).collect();
        if !further.is_empty() && !case.turn.interrupted {
            comparison.differences.push(format!("recorded nothing of {}, which matches here", list(&further)));
        }
        return;
    }
    lost(case, &missing, "a match of", comparison);
}

fn interrupted(case: &Case<'_>, comparison: &mut Comparison) {
    let named = case.turn.interrupting_names();
    let recorded = comparison.recorded.clone();
    if named.is_none() && case.semantics.abort_reason {
        let difference = "an interrupt's reminder stands behind a message that no rule is said to have aborted";
        comparison.differences.push(difference.to_owned());
    }
    let interrupts = case.observed.interrupts();
    let matched = distinct(interrupts.iter().flat_map(|batch| &batch.rules));
    let missing: Vec<JsString> = recorded.iter().filter(|name| !matched.contains(name)).cloned().collect();
    let exact = named.is_some_and(|named| interrupts.iter().any(|batch| joined_names(&batch.rules) == named));
    if missing.is_empty() && !exact {
        // Another cut of the text may not have let these match.
        let counts = |name: &&JsString| recorded.contains(name) || !case.observed.chunk_dependent.contains(name);
        let certain = interrupts.iter().map(|batch| batch.rules.iter().filter(counts).cloned().collect::<Vec<_>>());
        let certain: Vec<Vec<JsString>> = certain.filter(|rules| !rules.is_empty()).collect();
        if !explains(&certain, &recorded) {
            comparison.differences.push(format!(
                "recorded an interrupt by {}, decided {}",
                list(&recorded),
                list(&matched)
            ));
        }
    } else if !missing.is_empty() {
        lost(case, &missing, "an interrupt by", comparison);
    }
    reminder_of_interrupt(case, &recorded, comparison);
}

/// Recorded rules that do not match here.
fn lost(case: &Case<'_>, missing: &[JsString], what: &str, comparison: &mut Comparison) {
    let rules = case.rules;
    if let Some(unknown) = missing.iter().find(|name| !rules.is_registered(name)) {
        let difference = format!("recorded {what} {}, which is not among the registered rules", quote(unknown));
        return comparison.differences.push(difference);
    }
    let forgiven = Forgiven::new(case);
    let in_lost_calls = case.turn.may_lack_calls() && missing.iter().all(|name| rules.watches_tools(name));
    let races = || !case.semantics.tool_call_end && missing.iter().all(|name| forgiven.matches_complete_call(name));
    // A session does not say where the deltas ended, and a rule may match at some ends only.
    let at_other_ends = || {
        let matches_here = |name| case.observed.batches.iter().any(|batch| batch.rules.contains(name));
        if !case.is_session || missing.iter().any(matches_here) {
            return false;
        }
        let matching = rules.match_beginnings(case.turn);
        missing.iter().all(|name| matching.contains(name))
    };
    if in_lost_calls || case.turn.has_pruned_result() || at_other_ends() {
        comparison.not_reproducible += 1;
    } else if races() {
        comparison.races += 1;
    } else {
        let difference = format!("recorded {what} {}, which does not match here", list(missing));
        comparison.differences.push(difference);
    }
}

/// Whether the recorded rules, as a set, are those that match some prefix, or a subset that contains the first to
/// match and all that match at the same place.
fn explains(batches: &[Vec<JsString>], recorded: &[JsString]) -> bool {
    let Some(first) = batches.first() else { return recorded.is_empty() };
    if first.iter().all(|name| recorded.contains(name)) {
        return true;
    }
    let mut seen: Vec<JsString> = Vec::new();
    for batch in batches {
        for name in batch {
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

/// The reminder behind an interrupt: it holds the rules of the batch, those of later batches and what waited already.
fn reminder_of_interrupt(case: &Case<'_>, interrupting: &[JsString], comparison: &mut Comparison) {
    let Some(reminder) = case.turn.reminders().find(|reminder| reminder.delivery_id.is_none()) else {
        // An interrupt by rules that are queued already has no reminder of its own (engine.md E7.6).
        let needs_none = interrupting.iter().all(|name| case.reserved.contains(name));
        if case.turn.resumed && case.semantics.persists && !needs_none {
            let difference = format!("no reminder behind the interrupt by {}", list(interrupting));
            comparison.differences.push(difference);
        }
        return;
    };
    let recorded = normalized(&reminder.rules);
    let missing: Vec<JsString> =
        interrupting.iter().filter(|name| !case.reserved.contains(name)).map(JsString::trim).collect();
    let missing: Vec<JsString> = missing.into_iter().filter(|name| !recorded.contains(name)).collect();
    if !missing.is_empty() && case.semantics.abort_reason {
        comparison.differences.push(format!(
            "the reminder behind the interrupt by {} lacks {}",
            list(interrupting),
            list(&missing)
        ));
    }
    let known: Vec<JsString> = case
        .observed
        .injected
        .iter()
        .flat_map(|injection| normalized(&injection.rules))
        .chain(interrupting.iter().map(JsString::trim))
        .collect();
    let further: Vec<JsString> = recorded.iter().filter(|name| !known.contains(name)).cloned().collect();
    // What waited may have matched in a call that was cut.
    if !further.is_empty() && !case.turn.may_lack_calls() {
        let difference = format!("the reminder holds {}, which did not match", list(&further));
        comparison.differences.push(difference);
    }
    if case.turn.reminders().filter(|reminder| reminder.delivery_id.is_none()).count() > 1 {
        comparison.differences.push(format!("several reminders behind the interrupt by {}", list(interrupting)));
    }
}

fn uninterrupted(case: &Case<'_>, comparison: &mut Comparison) {
    let forgiven = Forgiven::new(case);
    if case.observed.interrupted() {
        let ours = distinct(case.observed.interrupts().iter().flat_map(|batch| &batch.rules));
        if forgiven.strict(&ours).is_empty() {
            comparison.not_reproducible += 1;
        } else {
            comparison.differences.push(format!("recorded no interrupt, decided one by {}", list(&ours)));
        }
        return;
    }
    folds(case, &forgiven, comparison);
    let deferred: Vec<JsString> = distinct(case.turn.reminders().flat_map(|reminder| &reminder.rules));
    let injected = distinct(case.observed.injected.iter().flat_map(|injection| &injection.rules));
    let lost_deferrals: Vec<JsString> = deferred.iter().filter(|name| !injected.contains(name)).cloned().collect();
    let further: Vec<JsString> =
        forgiven.strict(&injected).into_iter().filter(|name| !deferred.contains(name)).collect();
    if !further.is_empty() {
        let difference = format!("recorded a follow-up of {}, decided {}", list(&deferred), list(&injected));
        comparison.differences.push(difference);
    } else if !lost_deferrals.is_empty() {
        let is_chunk_dependent = |name: &JsString| case.observed.chunk_dependent.contains(name);
        if lost_deferrals.iter().all(is_chunk_dependent) {
            comparison.not_reproducible += 1;
        } else {
            lost(case, &lost_deferrals, "a follow-up of", comparison);
        }
    }
    if comparison.differences.is_empty() && comparison.not_reproducible == 0 && comparison.races == 0 {
        persisted(case, &forgiven, comparison);
    }
}

/// The reminders in front of results, call by call.
fn folds(case: &Case<'_>, forgiven: &Forgiven<'_>, comparison: &mut Comparison) {
    let recorded: Vec<RecordedFold> = case.turn.results.iter().filter_map(|(_, result)| fold_of(result)).collect();
    let outcome = |call: &JsString| {
        let mut results = case.turn.results.iter().map(|(_, result)| result);
        results.find(|result| result.string("toolCallId").as_ref() == Some(call)).map(|result| result.call_outcome())
    };
    for fold in &recorded {
        let ours = case.observed.folded.iter().find(|own| own.tool_call == fold.tool_call);
        let ours = ours.map(|own| own.rules.clone()).unwrap_or_default();
        let call = quote(&fold.tool_call);
        let missing: Vec<JsString> = fold.rules.iter().filter(|name| !ours.contains(name)).cloned().collect();
        let further: Vec<JsString> =
            forgiven.strict(&ours).into_iter().filter(|name| !fold.rules.contains(name)).collect();
        if !further.is_empty()
            || (!case.is_session && case.semantics.sorted_rules && missing.is_empty() && ours != fold.rules)
        {
            comparison.differences.push(format!(
                "call {call}: recorded a reminder of {}, decided {}",
                list(&fold.rules),
                list(&ours)
            ));
        } else if !missing.is_empty() {
            lost(case, &missing, &format!("call {call}: a reminder of"), comparison);
        }
    }
    for own in &case.observed.folded {
        if recorded.iter().any(|fold| fold.tool_call == own.tool_call) {
            continue;
        }
        let (call, strict) = (quote(&own.tool_call), forgiven.strict(&own.rules));
        if outcome(&own.tool_call) == Some(CallOutcome::Pruned) {
            let entries: Vec<&[JsString]> = case.turn.persisted().map(|entry| entry.rules.as_slice()).collect();
            if case.is_session && !entries.contains(&normalized(&own.rules).as_slice()) {
                comparison.differences.push(format!(
                    "call {call}: decided {}, persisted {}",
                    list(&own.rules),
                    lists(entries)
                ));
            }
        } else if strict.is_empty() {
            comparison.not_reproducible += 1;
        } else {
            comparison.differences.push(format!("call {call}: recorded no reminder, decided {}", list(&strict)));
        }
    }
}

/// The persisted lists in order.
fn persisted(case: &Case<'_>, forgiven: &Forgiven<'_>, comparison: &mut Comparison) {
    let strict = |rules: &Vec<JsString>| Some(forgiven.strict(rules)).filter(|rules| !rules.is_empty());
    let recorded: Vec<Vec<JsString>> = case.turn.persisted().filter_map(|entry| strict(&entry.rules)).collect();
    let ours: Vec<Vec<JsString>> = case.observed.persisted.iter().filter_map(strict).collect();
    let same = recorded.len() == ours.len() && recorded.iter().zip(&ours).all(|(a, b)| same_set(a, b));
    if !same && case.observed.chunk_dependent.is_empty() {
        let shown = |lists: &[Vec<JsString>]| super::lists(lists.iter().map(Vec::as_slice));
        comparison.differences.push(format!("persisted {}, decided {}", shown(&recorded), shown(&ours)));
    }
}

fn decision(interrupted: bool) -> &'static str {
    if interrupted { Decision::Interrupt.as_str() } else { Decision::Fold.as_str() }
}
