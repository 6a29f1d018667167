//! A11: an interrupt whose retry never came.

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;

use super::{Check, Input, finding};

pub(super) struct CancelledRetry;

impl Check for CancelledRetry {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let subject = input.subject;
        for (at, names) in &subject.interrupted {
            // A late abort stands behind its injection, so both sides count.
            let answered = subject
                .neighbours(*at)
                .any(|entry| entry.is_injection_message() || subject.recorded_at(entry.index()).is_some());
            if !answered {
                let names = if names.is_empty() { String::new() } else { format!(" ({names})") };
                let message = format!("a rule{names} interrupted this message, but no injection follows");
                let help = "the retry was cancelled, by the user or a newer prompt; the rule stays armed";
                findings.push(finding(subject.session, code::CANCELLED_RETRY, *at, message).with_help(help));
            }
        }
        Ok(())
    }
}
