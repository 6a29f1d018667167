//! A12: injections that the leaf does not come from.

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;

use super::{Check, Input, finding, quoted};

pub(super) struct OffBranch;

impl Check for OffBranch {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        for recorded in input.subject.recorded.iter().filter(|recorded| !recorded.on_branch) {
            let message = format!(
                "the injection of {} is on another branch and not in force at the leaf",
                quoted(recorded.names())
            );
            findings.push(finding(input.subject.session, code::OFF_BRANCH_INJECTION, recorded.entry, message));
        }
        Ok(())
    }
}
