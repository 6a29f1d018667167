//! A1: an injection without evidence.

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;

use super::super::subject::EvidenceKind;
use super::{Check, Input, finding, quoted};

pub(super) struct MissingReminder;

impl Check for MissingReminder {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        for recorded in &input.subject.recorded {
            let without = recorded.evidence.iter().filter(|(_, evidence)| evidence.kind == EvidenceKind::None);
            let names: Vec<_> = without.map(|(name, _)| name).collect();
            if !names.is_empty() {
                let message = format!("no reminder of {} near this injection shows that it happened", quoted(names));
                findings.push(finding(input.subject.session, code::MISSING_REMINDER, recorded.entry, message));
            }
        }
        Ok(())
    }
}
