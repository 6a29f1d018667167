//! Whether the records of injections agree with each other: names, order, place (engine.md E7.5, session.md S5.6).

use crate::history::{Record, fold_of};
use crate::host::Batch;
use crate::lifecycle::OTHER_TOOL_CALL_REASON;
use crate::message::{CallOutcome, Message, PLACEHOLDER_PREFIX, interrupt_reason, split_names};
use crate::text::JsString;

use super::{Case, Comparison, list, normalized, quote};

pub(super) fn compare(case: &Case<'_>, comparison: &mut Comparison) {
    pairs(case, &mut comparison.differences);
    placeholders(case, &mut comparison.differences);
}

/// A reminder's entry stands right behind it; a fold's entry stands before its result, and nothing else is persisted.
fn pairs(case: &Case<'_>, differences: &mut Vec<String>) {
    // Entries that no reminder claims: a result behind must show them.
    let mut open: Vec<Vec<JsString>> = Vec::new();
    let late_from = case.turn.late.as_ref().map(|late| late.records_before);
    let mut records = case.turn.records.iter().enumerate().peekable();
    while let Some((at, record)) = records.next() {
        match record {
            Record::Reminder(reminder) => {
                let names = normalized(&reminder.rules);
                // The empty half of the message does not stand between the two.
                let adjoins = late_from != Some(at + 1);
                let entry = records.next_if(|(_, next)| adjoins && matches!(next, Record::Entry(_)));
                match entry.map(|(_, entry)| entry) {
                    Some(Record::Entry(entry)) if entry.rules == names => {}
                    Some(Record::Entry(entry)) => differences.push(format!(
                        "the reminder of {} is persisted as {}",
                        list(&names),
                        list(&entry.rules)
                    )),
                    _ if names.is_empty() => {}
                    _ => differences.push(format!("no entry behind the reminder of {} persists it", list(&names))),
                }
                if reminder.display == Some(true) {
                    differences.push(format!("the reminder of {} is shown to the user", list(&names)));
                }
            }
            Record::Entry(entry) => open.push(entry.rules.clone()),
            Record::Result(at) => {
                let Some((_, result)) = case.turn.results.get(*at) else { continue };
                result_claims(result, &mut open, differences);
            }
        }
    }
    for rules in open {
        differences.push(format!("{} persisted, and no reminder shows it", list(&rules)));
    }
}

fn result_claims(result: &Message, open: &mut Vec<Vec<JsString>>, differences: &mut Vec<String>) {
    let Some(fold) = fold_of(result) else {
        if result.call_outcome() == CallOutcome::Pruned && !open.is_empty() {
            // Its reminder went with its text.
            open.remove(0);
        }
        return;
    };
    let names: Vec<JsString> = fold.rules.iter().map(JsString::trim).filter(|name| !name.is_empty()).collect();
    match open.iter().position(|rules| *rules == names) {
        Some(at) => {
            open.remove(at);
        }
        None => differences.push(format!(
            "call {}: no entry before the result persists its reminder of {}",
            quote(&fold.tool_call),
            list(&names)
        )),
    }
}

/// Every complete call of an interrupted message has one result that says that it did not run; where the matching call
/// is known, its result states the reason (engine.md E7.4 step 3).
fn placeholders(case: &Case<'_>, differences: &mut Vec<String>) {
    let Some((_, message)) = case.turn.end.as_ref().filter(|_| case.turn.interrupted) else { return };
    let calls = message.tool_calls();
    let id_of = |result: &Message| result.string("toolCallId").unwrap_or_default();
    for call in &calls {
        let mut own = case.turn.results.iter().map(|(_, result)| result).filter(|result| id_of(result) == call.id);
        let Some(result) = own.next() else {
            differences.push(format!("call {} of the interrupted message has no result", quote(&call.id)));
            continue;
        };
        if own.next().is_some() {
            differences.push(format!("call {} of the interrupted message has several results", quote(&call.id)));
        }
        if result.call_outcome().delivers_reminders() {
            differences
                .push(format!("call {} of the interrupted message has a result as if it had run", quote(&call.id)));
            continue;
        }
        if !states_reason(case, &call.id, result) {
            differences.push(format!("the result of call {} does not state why it was stopped", quote(&call.id)));
        }
    }
    for (_, result) in &case.turn.results {
        let id = id_of(result);
        if !calls.iter().any(|call| call.id == id) {
            differences.push(format!("a result names call {}, which the message does not have", quote(&id)));
        }
    }
}

/// Whether the only call is the one that matched, though the match itself is a race (engine.md E6.6).
fn matches_late(case: &Case<'_>) -> bool {
    let calls = case.turn.end.as_ref().map(|(_, message)| message.tool_calls().len()).unwrap_or_default();
    let Some(names) = case.turn.interrupting_names().filter(|_| calls == 1 && case.turn.late.is_none()) else {
        return false;
    };
    if case.semantics.tool_call_end || case.observed.interrupted() {
        return false;
    }
    let matched = case.rules.match_complete_calls(case.turn);
    split_names(&names, &case.rules.names()).iter().all(|name| matched.contains(name))
}

fn states_reason(case: &Case<'_>, call: &JsString, result: &Message) -> bool {
    let text = result.text();
    if !case.semantics.abort_reason {
        return true;
    }
    // Another cut of the text may have let another call match.
    let is_certain = |batch: &&&Batch| !batch.rules.iter().any(|rule| case.observed.chunk_dependent.contains(rule));
    let first = case
        .observed
        .interrupts()
        .first()
        .filter(is_certain)
        .map(|batch| (&batch.tool_call, interrupt_reason(&batch.rules)));
    let turn = case.turn;
    let end = turn.late.as_ref().map(|late| &late.end).or(turn.end.as_ref());
    let recorded = end.and_then(|(_, message)| message.string("errorMessage")).unwrap_or_default();
    // A race of two batches leaves the recorded one's names.
    let states = |reason: &JsString| {
        let mut given = JsString::from(PLACEHOLDER_PREFIX);
        given.push_units(reason.units());
        given == text
    };
    if let Some((Some(matched), reason)) = first.filter(|_| turn.late.is_none())
        && matched == call
    {
        // Without a check at the call's end it depends on the cut whether this call matched, or one that was removed.
        let other = !case.semantics.tool_call_end && states(&OTHER_TOOL_CALL_REASON.into());
        return states(&recorded) || states(&reason) || other;
    }
    if matches_late(case) {
        return states(&recorded) || states(&OTHER_TOOL_CALL_REASON.into());
    }
    // What the other calls are told differs by version; one that was refused says so in its own words.
    result.call_outcome() != CallOutcome::Ran
}
