//! A16: placeholder results that blame every call of an interrupted message.

use crate::diagnostic::{Diagnostic, code};
use crate::message::{PLACEHOLDER_PREFIX, interrupt_reason};
use crate::session::{Role, SessionError};
use crate::text::JsString;

use super::super::subject::message_of;
use super::{Check, Input, finding};

pub(super) struct BlanketPlaceholder;

impl Check for BlanketPlaceholder {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let subject = input.subject;
        for at in subject.interrupted.keys() {
            let mut blamed = Vec::new();
            let behind = subject.behind(*at).take_while(|entry| entry.role() != Role::Assistant);
            for result in behind.filter(|entry| entry.role() == Role::ToolResult) {
                let mut start = JsString::from(PLACEHOLDER_PREFIX);
                start.push_units(interrupt_reason(&[JsString::new()]).units());
                if message_of(&result)?.text().units().starts_with(start.units()) {
                    blamed.push(result.index());
                }
            }
            // One call matched; with the scoped abort only its result names the rule.
            if blamed.len() > 1 {
                let message = format!("{} calls of one message are said to have matched the rule", blamed.len());
                findings.extend(
                    blamed.iter().map(|at| finding(subject.session, code::BLANKET_PLACEHOLDER, *at, message.clone())),
                );
            }
        }
        Ok(())
    }
}
