//! A16: placeholder results that blame every call of an interrupted message.

use crate::diagnostic::{Diagnostic, code};
use crate::session::{Role, SessionError, first_text};

use super::super::evidence::is_placeholder;
use super::{Check, Input, finding};

pub(super) struct BlanketPlaceholder;

impl Check for BlanketPlaceholder {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let subject = input.subject;
        for at in subject.interrupted.keys() {
            let mut blamed = Vec::new();
            let behind = subject.behind(*at).take_while(|entry| entry.role() != Role::Assistant);
            for result in behind.filter(|entry| entry.role() == Role::ToolResult && is_placeholder(entry)) {
                let value = result.value()?;
                let content = value.get("message").and_then(|message| message.get("content"));
                if content.and_then(first_text).is_some_and(|text| text.contains("TTSR matched rule")) {
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
