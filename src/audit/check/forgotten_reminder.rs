//! A13: a rule in force whose reminder is no longer in the context.

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;

use super::super::evidence::EvidenceKind;
use super::{Check, Input, finding};

pub(super) struct ForgottenReminder;

impl Check for ForgottenReminder {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let subject = input.subject;
        for rule in input.rules.iter().filter(|rule| rule.in_force && !rule.in_context) {
            let shown = |entry: &super::super::subject::Recorded| {
                entry.on_branch
                    && entry
                        .evidence
                        .iter()
                        .any(|(name, evidence)| *name == rule.name && evidence.kind != EvidenceKind::None)
            };
            // Without any evidence there was no reminder to forget.
            if let Some(last) = subject.recorded.iter().rev().find(|entry| shown(entry)) {
                let message = format!(
                    "`{}` is still in force, but its reminder lies before the last compaction or reset",
                    rule.name
                );
                findings.push(finding(subject.session, code::FORGOTTEN_REMINDER, last.entry, message));
            }
        }
        Ok(())
    }
}
