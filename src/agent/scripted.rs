//! [`ScriptSource`]: prompts as given, replies from a script.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::code::{SCRIPT_EXHAUSTED, SCRIPT_LEFT_OVER};
use crate::message::{Message, Model};
use crate::stream::Origin;
use crate::text::Place;

use super::{Input, Purpose, Reply, ReplyEnd, ReplySource, Results, Script};

/// What happens when the agent asks for more replies than the script has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndOfScript {
    /// The run ends there, with a finding.
    #[default]
    Stop,
    /// The last reply is given again, as the scripted models of `recordings/README.md` do.
    Repeat,
}

/// Prompts and scripted replies.
#[derive(Debug)]
pub struct ScriptSource {
    script: Script,
    prompts: VecDeque<Message>,
    end: EndOfScript,
    /// Replies given.
    given: usize,
    diagnostics: Vec<Diagnostic>,
    exhausted: bool,
}

impl ScriptSource {
    /// Plays `prompts` in order and answers from `script`.
    pub fn new(script: Script, prompts: impl IntoIterator<Item = Message>, end: EndOfScript) -> Self {
        let prompts = prompts.into_iter().collect();
        Self { script, prompts, end, given: 0, diagnostics: Vec::new(), exhausted: false }
    }

    /// How many replies were given; repeated ones count each time.
    pub fn given(&self) -> usize {
        self.given
    }

    /// The finding about replies that nobody asked for, once the run is over.
    pub fn left_over(&self) -> Option<Diagnostic> {
        let left = self.script.replies.len().saturating_sub(self.given);
        let next = self.script.replies.get(self.given)?;
        let message = format!("{left} of {} scripted replies were not asked for", self.script.replies.len());
        let diagnostic = Diagnostic::new(SCRIPT_LEFT_OVER, message);
        Some(diagnostic.at(Place::line(self.script.file.clone(), next.line, next.line_offset)))
    }

    /// Whether there is another reply to give.
    pub fn has_reply(&self) -> bool {
        self.given < self.script.replies.len() || (self.end == EndOfScript::Repeat && !self.script.replies.is_empty())
    }

    /// The next reply, whatever asks for it.
    pub fn take_reply(&mut self) -> Option<Reply> {
        let replies = &self.script.replies;
        let reply = match (replies.get(self.given), self.end) {
            (Some(reply), _) => Arc::clone(reply),
            (None, EndOfScript::Repeat) => Arc::clone(replies.last()?),
            (None, EndOfScript::Stop) => {
                self.exhaust();
                return None;
            }
        };
        let origin = Origin { line: Some(reply.line), message: Some(self.given), ..Origin::default() };
        self.given += 1;
        Some(Reply {
            end: ReplyEnd::Built { stop_reason: reply.stop_reason.clone(), failure: reply.failure.clone() },
            results: Results::Scripted(reply.tool_results.clone()),
            timestamp: None,
            model: Model::scripted(),
            origin: origin.clone(),
            was_interrupted: false,
            delay_ms: reply.delay_ms,
            user_interrupt_after_ms: reply.user_interrupt_after_ms,
            // A prompt comes in only when there is one.
            new_prompt_after_ms: reply.new_prompt_after_ms.filter(|_| !self.prompts.is_empty()),
            abort_handoff_after_ms: reply.abort_handoff_after_ms,
            steps: Box::new(reply.steps(self.given, origin)),
        })
    }

    fn exhaust(&mut self) {
        if std::mem::replace(&mut self.exhausted, true) {
            return;
        }
        let count = self.script.replies.len();
        let message = format!("the agent asked for reply {} and the script has {count}", count + 1);
        let mut diagnostic = Diagnostic::new(SCRIPT_EXHAUSTED, message)
            .with_help("add a reply; after an interrupt the agent asks again, and so it does after tool calls");
        if let Some(last) = self.script.replies.last() {
            diagnostic = diagnostic.at(Place::line(self.script.file.clone(), last.line, last.line_offset));
        }
        self.diagnostics.push(diagnostic);
    }
}

impl ReplySource for ScriptSource {
    fn next_input(&mut self) -> Option<Input> {
        let prompt = self.prompts.pop_front()?;
        Some(Input::Prompt(vec![(prompt, Origin::default())]))
    }

    fn next_reply(&mut self, _purpose: Purpose) -> Option<Reply> {
        self.take_reply()
    }

    fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }
}

/// A recording whose retries come from a script as long as it has replies (cli.md section 2, `--on-trigger`).
#[derive(Debug)]
pub struct ScriptedRetries<S> {
    recording: S,
    script: ScriptSource,
    was_interrupted: bool,
}

impl<S: ReplySource> ScriptedRetries<S> {
    /// Plays `recording` and answers retries from `script`, whose prompts are not used.
    pub fn new(recording: S, script: ScriptSource) -> Self {
        Self { recording, script, was_interrupted: false }
    }

    /// The recording.
    pub fn recording(&mut self) -> &mut S {
        &mut self.recording
    }

    /// The script.
    pub fn script(&self) -> &ScriptSource {
        &self.script
    }
}

impl<S: ReplySource> ReplySource for ScriptedRetries<S> {
    fn next_input(&mut self) -> Option<Input> {
        self.recording.next_input()
    }

    fn next_reply(&mut self, purpose: Purpose) -> Option<Reply> {
        if purpose == Purpose::Retry && self.script.has_reply() {
            if self.was_interrupted {
                // The recorded retry answers the same request: the scripted one takes its place.
                drop(self.recording.next_reply(purpose));
            }
            self.was_interrupted = false;
            return self.script.take_reply();
        }
        let reply = self.recording.next_reply(purpose)?;
        self.was_interrupted = reply.was_interrupted;
        Some(reply)
    }

    fn next_notes(&mut self) -> Vec<(Message, Origin)> {
        self.recording.next_notes()
    }

    fn late_abort(&mut self) -> Option<Reply> {
        self.recording.late_abort()
    }

    fn retry_was_cancelled(&mut self) -> bool {
        self.recording.retry_was_cancelled()
    }

    fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        let mut diagnostics = self.recording.take_diagnostics();
        diagnostics.append(&mut self.script.take_diagnostics());
        diagnostics
    }
}
