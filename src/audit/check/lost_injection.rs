//! A14: injections whose parent is missing.

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;

use super::{Check, Input, finding, quoted};

pub(super) struct LostInjection;

impl Check for LostInjection {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let subject = input.subject;
        for recorded in &subject.recorded {
            if subject.entry(recorded.entry).is_some_and(|entry| entry.is_orphan()) {
                let message = format!(
                    "the parent of the injection of {} is not in the file; what was injected before it is lost",
                    quoted(recorded.names())
                );
                findings.push(finding(subject.session, code::LOST_INJECTION, recorded.entry, message));
            }
        }
        Ok(())
    }
}
