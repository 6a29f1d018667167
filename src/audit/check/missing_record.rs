//! A2: a reminder without an injection entry beside it.

use crate::diagnostic::{Diagnostic, Severity, code};
use crate::session::SessionError;
use crate::text::JsString;

use super::{Check, Input, finding, quoted};

pub(super) struct MissingRecord;

impl Check for MissingRecord {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let subject = input.subject;
        for shown in &subject.shown {
            let mut names: Vec<&JsString> = Vec::new();
            for name in shown.details.iter().chain(shown.tags.iter().map(|tag| &tag.rule)) {
                if !names.contains(&name) && !subject.is_recorded_beside(shown.entry, name) {
                    names.push(name);
                }
            }
            if names.is_empty() {
                continue;
            }
            let what = if shown.is_message { "message" } else { "tool result" };
            let message = format!("the {what} reminds of {}, but no injection entry beside it says so", quoted(names));
            let mut found = finding(subject.session, code::MISSING_RECORD, shown.entry, message)
                .with_help("a resumed run does not know of this reminder and may fire the rule again");
            if !subject.options.semantics.persists {
                // The early generation writes no entries.
                found = found.with_severity(Severity::Note);
            }
            findings.push(found);
        }
        Ok(())
    }
}
