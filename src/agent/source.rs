//! [`ScriptSource`]: the replies of a script, one after the other.

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::code::{SCRIPT_EXHAUSTED, SCRIPT_LEFT_OVER};
use crate::text::{JsString, Place};

use super::{Script, ScriptReply, ScriptedHandoff};

/// What happens when more replies are asked for than the script has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndOfScript {
    /// The run ends there, with a finding.
    #[default]
    Stop,
    /// The last reply is given again, as the scripted model of `recordings/README.md` does.
    Repeat,
}

/// Gives the replies of a script in order, and notices when it runs dry or is left over.
#[derive(Debug)]
pub struct ScriptSource {
    script: Script,
    end: EndOfScript,
    given: usize,
    exhausted: bool,
    /// The handoff before which a reply was asked for.
    asked_at_handoff: Option<Arc<ScriptReply>>,
}

impl ScriptSource {
    /// Starts at the first reply.
    pub fn new(script: Script, end: EndOfScript) -> Self {
        Self { script, end, given: 0, exhausted: false, asked_at_handoff: None }
    }

    /// The replies of the script.
    pub fn replies(&self) -> &[Arc<ScriptReply>] {
        &self.script.replies
    }

    /// How many replies were given; repeated ones count each time.
    pub fn given(&self) -> usize {
        self.given
    }

    /// Whether there is another reply to give.
    pub fn has_reply(&self) -> bool {
        let replies = &self.script.replies;
        self.given < replies.len() || (self.end == EndOfScript::Repeat && !replies.is_empty())
    }

    /// Takes the failure that the script has in place of a continued run's reply, if that comes next.
    pub fn next_failure_to_continue(&mut self) -> Option<JsString> {
        let why = self.script.replies.get(self.given)?.continue_fails.clone()?;
        self.given += 1;
        Some(why)
    }

    /// The handoff that is asked for here, before the next reply.
    pub fn next_handoff(&self) -> Option<&ScriptedHandoff> {
        self.script.replies.get(self.given)?.handoff.as_ref()
    }

    /// Takes that handoff, with its place.
    pub fn take_handoff(&mut self) -> Option<(ScriptedHandoff, Place)> {
        let reply = self.script.replies.get(self.given)?;
        let taken = (reply.handoff.clone()?, self.place(reply));
        self.given += 1;
        Some(taken)
    }

    /// The replies that come next, up to a handoff.
    pub fn upcoming(&self) -> impl Iterator<Item = &Arc<ScriptReply>> {
        self.script.replies.iter().skip(self.given).take_while(|reply| reply.handoff.is_none())
    }

    /// Leaves out the next replies: they were given elsewhere.
    pub fn skip(&mut self, replies: usize) {
        self.given = (self.given + replies).min(self.script.replies.len());
    }

    /// The next reply. Before a handoff there is none: it waits until the agent is idle.
    pub fn next_reply(&mut self) -> Option<Arc<ScriptReply>> {
        let replies = &self.script.replies;
        if let Some(handoff) = replies.get(self.given).filter(|reply| reply.handoff.is_some()) {
            self.asked_at_handoff = Some(Arc::clone(handoff));
            return None;
        }
        let repeated = replies.last().filter(|_| self.end == EndOfScript::Repeat);
        let reply = replies.get(self.given).or(repeated).map(Arc::clone);
        match reply {
            Some(_) => self.given += 1,
            None => self.exhausted = true,
        }
        reply
    }

    /// What to say once the run is over: the script ran dry, or replies of it were not asked for.
    pub fn finding(&self) -> Option<Diagnostic> {
        let replies = &self.script.replies;
        if let Some(handoff) = &self.asked_at_handoff {
            let message = "the agent asked for a reply where the script has a handoff, so the run ended there";
            return Some(
                Diagnostic::new(SCRIPT_EXHAUSTED, message)
                    .with_help("put the replies to a prompt in front of the handoff behind it")
                    .at(self.place(handoff)),
            );
        }
        if self.exhausted {
            let count = replies.len();
            let message = format!("the agent asked for reply {} and the script has {count}", count + 1);
            let diagnostic = Diagnostic::new(SCRIPT_EXHAUSTED, message)
                .with_help("add a reply: the agent asks again after an interrupt, after tool calls, for a follow-up");
            return Some(match replies.last() {
                Some(last) => diagnostic.at(self.place(last)),
                None => diagnostic,
            });
        }
        let next = replies.get(self.given)?;
        let left = replies.len() - self.given;
        let message = format!("{left} of {} replies of the script were not asked for", replies.len());
        let help = "remove them, or add what asks for them: a prompt, a tool call, a rule that fires";
        Some(Diagnostic::new(SCRIPT_LEFT_OVER, message).with_help(help).at(self.place(next)))
    }

    fn place(&self, reply: &ScriptReply) -> Place {
        Place::line(self.script.file.clone(), reply.line, reply.line_offset)
    }
}
