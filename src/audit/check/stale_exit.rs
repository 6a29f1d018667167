//! A15: a process that ended appended its exit beside a longer branch.

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;
use crate::text::JsString;

use super::{Check, Input, finding, named, quoted};

pub(super) struct StaleExit;

impl Check for StaleExit {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let subject = input.subject;
        let session = subject.session;
        let Some(exit) = session.leaf().and_then(|leaf| session.entry(leaf)).filter(|entry| entry.is_session_exit())
        else {
            return Ok(());
        };
        let Some(parent) = exit.parent() else { return Ok(()) };
        // What hangs on the exit's parent beside it. Children stand behind their parents.
        let mut hidden = vec![false; exit.index() - parent.min(exit.index())];
        let (mut count, mut rules): (usize, Vec<&JsString>) = (0, Vec::new());
        for at in parent + 1..exit.index() {
            let Some(own) = session.entry(at).and_then(|entry| entry.parent()) else { continue };
            if own == parent || own > parent && hidden.get(own - parent).copied() == Some(true) {
                hidden[at - parent] = true;
                count += 1;
                for name in subject.recorded_at(at).into_iter().flat_map(|recorded| recorded.names()) {
                    if !rules.contains(&name) {
                        rules.push(name);
                    }
                }
            }
        }
        // One bookkeeping entry beside an exit is no branch.
        if count < 2 {
            return Ok(());
        }
        let mut message = format!("{count} entries");
        if !rules.is_empty() {
            message += if rules.len() == 1 { " and rule " } else { " and rules " };
            message += &quoted(rules);
        }
        message += &format!(" are off the branch a resume would take: this exit hangs on {}", named(session, parent));
        let help = "resume at the end of the longer branch instead (`--leaf`)";
        findings.push(finding(session, code::STALE_EXIT, exit.index(), message).with_help(help));
        Ok(())
    }
}
