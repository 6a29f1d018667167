//! A13: a rule in force whose reminder is no longer in the context.

use std::collections::HashMap;

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;
use crate::text::JsString;

use super::super::subject::{EvidenceKind, is_pruned};
use super::{Check, Input, finding};

pub(super) struct ForgottenReminder;

impl Check for ForgottenReminder {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let subject = input.subject;
        // The last entry of the branch that shows the rule; without any evidence there was no reminder to forget.
        let mut last: HashMap<&JsString, usize> = HashMap::new();
        for recorded in subject.recorded.iter().filter(|recorded| recorded.on_branch) {
            // A result that was pruned is in the context, without its text (session.md S9.4e).
            let shown = recorded.evidence.iter().filter(|(_, evidence)| {
                evidence.kind != EvidenceKind::None && !evidence.entry.is_some_and(|at| is_pruned(subject, at))
            });
            last.extend(shown.map(|(name, _)| (name, recorded.entry)));
        }
        for rule in input.rules.iter().filter(|rule| rule.in_force && !rule.in_context) {
            if let Some(&entry) = last.get(&rule.name) {
                let message = format!(
                    "`{}` is still in force, but its reminder lies before the last compaction or reset",
                    rule.name
                );
                findings.push(finding(subject.session, code::FORGOTTEN_REMINDER, entry, message));
            }
        }
        Ok(())
    }
}
