//! Halves of surrogate pairs, which JSON can write and UTF-8 cannot (session.md S1.1).

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;

use super::{Check, Input, finding};

pub(super) struct LoneSurrogates;

impl Check for LoneSurrogates {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let session = input.subject.session;
        for at in &input.subject.named.surrogates {
            let message = "the entry holds half of a surrogate pair, which is no character".to_owned();
            let help = "the agent keeps it; programs that take text for UTF-8 refuse it or show U+FFFD";
            findings.push(finding(session, code::LONE_SURROGATE, *at, message).with_help(help));
        }
        Ok(())
    }
}
