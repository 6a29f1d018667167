//! [`ScriptSource`]: the replies of a script, one after the other.

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::code::{SCRIPT_EXHAUSTED, SCRIPT_LEFT_OVER};
use crate::text::{JsString, Place};

use super::{Script, ScriptReply};

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
}

impl ScriptSource {
    /// Starts at the first reply.
    pub fn new(script: Script, end: EndOfScript) -> Self {
        Self { script, end, given: 0, exhausted: false }
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

    /// The next reply.
    pub fn next_reply(&mut self) -> Option<Arc<ScriptReply>> {
        let replies = &self.script.replies;
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
