//! The checks, one file each (session.md S10.2).

mod blanket_placeholder;
mod calls;
mod cancelled_retry;
mod forgotten_reminder;
mod forward_index;
pub(super) mod known_rules;
mod lone_surrogates;
mod lost_injection;
mod missing_record;
mod missing_reminder;
mod names;
mod off_branch;
mod readers_differ;
mod references;
mod repeat;
mod rule_list;
mod stale_exit;
mod tag_mismatch;
mod visible_injection;

use crate::diagnostic::{Code, Diagnostic};
use crate::session::{Session, SessionError};
use crate::text::{JsString, Place};

use super::report::RuleSummary;
use super::subject::Subject;
use super::turns::Turns;

/// What a check gets to see.
pub(super) struct Input<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) turns: &'a Turns,
    pub(super) rules: &'a [RuleSummary],
}

/// One test of a session.
pub(super) trait Check {
    /// Adds what it finds.
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError>;
}

const CHECKS: [&dyn Check; 19] = [
    &readers_differ::ReadersDiffer,
    &forward_index::ForwardIndex,
    &stale_exit::StaleExit,
    &calls::Calls,
    &references::References,
    &lone_surrogates::LoneSurrogates,
    &lost_injection::LostInjection,
    &off_branch::OffBranch,
    &names::Names,
    &known_rules::KnownRules,
    &missing_reminder::MissingReminder,
    &missing_record::MissingRecord,
    &rule_list::RuleList,
    &tag_mismatch::TagMismatch,
    &visible_injection::VisibleInjection,
    &repeat::Repeat,
    &cancelled_retry::CancelledRetry,
    &forgotten_reminder::ForgottenReminder,
    &blanket_placeholder::BlanketPlaceholder,
];

/// Runs every check; the findings come by line.
pub(super) fn run(
    subject: &Subject<'_>,
    turns: &Turns,
    rules: &[RuleSummary],
) -> Result<Vec<Diagnostic>, SessionError> {
    let input = Input { subject, turns, rules };
    let mut findings = Vec::new();
    for check in CHECKS {
        let mut own = Vec::new();
        check.run(&input, &mut own)?;
        let most = crate::limits::CHECK_FINDINGS.size();
        if let Some(next) = own.get(most) {
            let code = next.code;
            let more = format!("{} more findings of this check are not listed", own.len() - most);
            own.truncate(most);
            own.push(Diagnostic::new(code, more));
        }
        findings.append(&mut own);
    }
    findings.sort_by_key(|finding| finding.place.as_ref().map_or(usize::MAX, |place| place.start.line));
    Ok(findings)
}

/// A finding about an entry.
fn finding(session: &Session, code: Code, at: usize, message: String) -> Diagnostic {
    let finding = Diagnostic::new(code, message);
    let Some(entry) = session.entry(at) else { return finding };
    let finding = finding.at(Place::line(session.file(), entry.line(), entry.offset() as usize));
    match entry.id() {
        Some(id) => finding.with_entry(id.to_string_lossy()),
        None => finding,
    }
}

/// Names in back quotes, joined by commas.
fn quoted<'a>(names: impl IntoIterator<Item = &'a JsString>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// An entry as a message names it.
fn named(session: &Session, at: usize) -> String {
    let Some(entry) = session.entry(at) else { return "an entry".to_owned() };
    match entry.id() {
        Some(id) => format!("entry {id} (line {})", entry.line()),
        None => format!("the entry on line {}", entry.line()),
    }
}
