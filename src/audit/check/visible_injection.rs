//! A10: reminders marked for display.

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;

use super::{Check, Input, finding};

pub(super) struct VisibleInjection;

impl Check for VisibleInjection {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        for shown in input.subject.shown.iter().filter(|shown| shown.is_message && shown.display) {
            let message = "the message of the rule engine is marked for display".to_owned();
            findings.push(finding(input.subject.session, code::VISIBLE_INJECTION, shown.entry, message));
        }
        Ok(())
    }
}
