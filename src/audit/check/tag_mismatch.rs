//! A9: tags that do not fit the details beside them.

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;

use super::{Check, Input, finding, quoted};

pub(super) struct TagMismatch;

impl Check for TagMismatch {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let session = input.subject.session;
        for shown in input.subject.shown.iter().filter(|shown| shown.is_message) {
            let tagged: Vec<_> = shown.tags.iter().map(|tag| &tag.rule).collect();
            let only_tagged: Vec<_> = tagged.iter().copied().filter(|rule| !shown.details.contains(rule)).collect();
            let only_listed: Vec<_> = shown.details.iter().filter(|rule| !tagged.contains(rule)).collect();
            let mut said = Vec::new();
            if !only_tagged.is_empty() {
                said.push(format!("tags name {} and the details do not", quoted(only_tagged)));
            }
            if !only_listed.is_empty() {
                said.push(format!("the details name {} and no tag does", quoted(only_listed)));
            }
            if !said.is_empty() {
                findings.push(finding(session, code::TAG_MISMATCH, shown.entry, said.join("; ")));
            }
        }
        Ok(())
    }
}
