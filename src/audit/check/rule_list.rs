//! A7: message and entry name different rules.

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;
use crate::text::JsString;

use super::{Check, Input, finding, named, quoted};

pub(super) struct RuleList;

impl Check for RuleList {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let subject = input.subject;
        for recorded in &subject.recorded {
            let parent = subject.entry(recorded.entry).and_then(|entry| entry.parent());
            let Some(shown) = parent.and_then(|at| subject.shown_at(at)).filter(|shown| shown.is_message) else {
                continue;
            };
            let names: Vec<&JsString> = recorded.elements.iter().filter_map(|element| element.as_string()).collect();
            // An entry names each rule once and leaves blank names out.
            let mut listed: Vec<&JsString> = Vec::new();
            for name in shown.details.iter().filter(|name| !name.is_empty()) {
                if !listed.contains(&name) {
                    listed.push(name);
                }
            }
            if listed != names && !shown.details.iter().eq(names.iter().copied()) {
                let message = format!(
                    "the entry names {}, its message {} names {}",
                    quoted(names),
                    named(subject.session, shown.entry),
                    quoted(&shown.details)
                );
                findings.push(finding(subject.session, code::RULE_LIST_MISMATCH, recorded.entry, message));
            }
        }
        Ok(())
    }
}
