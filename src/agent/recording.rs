//! [`Recording`]: what was recorded, as prompts and replies.

use std::collections::VecDeque;

use crate::diagnostic::Diagnostic;
use crate::message::{ContentBlock, Message};
use crate::stream::Origin;

use super::{Input, Purpose, Reply, ReplyEnd, ReplySource};

/// One thing recorded, in order.
pub enum Act {
    /// A message that is neither an assistant's nor a tool's.
    Note(Message, Origin),
    /// An assistant message with what its tool calls gave.
    Reply(Reply),
    /// A run began: what follows belongs to no earlier prompt.
    RunStart,
    /// An injection stood here: the retry or delivery that it belongs to ran. It is no input (session.md S9.4b).
    Injected,
    /// The process ended (session.md S9.4a).
    ProcessEnd(Origin),
}

/// Where acts come from: an event stream or the branch of a session.
pub trait ActSource {
    /// The next act.
    fn next_act(&mut self) -> Option<Act>;

    /// What was found since the last call.
    fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        Vec::new()
    }
}

/// Recorded prompts and replies.
pub struct Recording<A> {
    acts: A,
    ahead: VecDeque<Act>,
}

impl<A: ActSource> Recording<A> {
    /// Plays `acts`.
    pub fn new(acts: A) -> Self {
        Self { acts, ahead: VecDeque::new() }
    }

    /// What is played.
    pub fn acts(&mut self) -> &mut A {
        &mut self.acts
    }

    /// The act at `place` from here.
    fn peek(&mut self, place: usize) -> Option<&Act> {
        while self.ahead.len() <= place {
            let act = self.acts.next_act()?;
            self.ahead.push_back(act);
        }
        self.ahead.get(place)
    }

    /// The place of the first act that is no marker, and whether a run begins before it.
    fn next_real(&mut self) -> Option<(usize, bool)> {
        let (mut place, mut run_starts) = (0, false);
        loop {
            match self.peek(place)? {
                Act::RunStart => run_starts = true,
                Act::Injected => {}
                Act::Note(..) | Act::Reply(_) | Act::ProcessEnd(_) => return Some((place, run_starts)),
            }
            place += 1;
        }
    }

    /// Drops the markers before the next act.
    fn skip_markers(&mut self) {
        let markers = self.next_real().map_or(self.ahead.len(), |(place, _)| place);
        self.ahead.drain(..markers);
    }

    fn take_notes(&mut self) -> Vec<(Message, Origin)> {
        let mut notes = Vec::new();
        while let Some(Act::Note(..)) = self.peek(0) {
            if let Some(Act::Note(message, origin)) = self.ahead.pop_front() {
                notes.push((message, origin));
            }
        }
        notes
    }

    /// The place of the next act when it is an aborted message without content.
    fn next_empty_abort(&mut self) -> Option<usize> {
        let (place, run_starts) = self.next_real()?;
        match self.peek(place)? {
            Act::Reply(reply) if !run_starts && is_empty_abort(reply) => Some(place),
            _ => None,
        }
    }
}

impl<A: ActSource> ReplySource for Recording<A> {
    fn next_input(&mut self) -> Option<Input> {
        self.skip_markers();
        match self.peek(0)? {
            Act::Reply(_) => Some(Input::Continue),
            Act::ProcessEnd(origin) => {
                let origin = origin.clone();
                self.ahead.pop_front();
                Some(Input::ProcessEnd(origin))
            }
            _ => {
                let notes = self.take_notes();
                let asks =
                    matches!(self.next_real(), Some((place, false)) if matches!(self.peek(place), Some(Act::Reply(_))));
                Some(if asks { Input::Prompt(notes) } else { Input::Notes(notes) })
            }
        }
    }

    fn next_reply(&mut self, _purpose: Purpose) -> Option<Reply> {
        let (place, _) = self.next_real()?;
        if !matches!(self.peek(place), Some(Act::Reply(_))) {
            return None;
        }
        self.ahead.drain(..place);
        let Some(Act::Reply(mut reply)) = self.ahead.pop_front() else { return None };
        let recorded_abort = matches!(&reply.end, ReplyEnd::Recorded(message) if is_aborted(message));
        reply.was_interrupted = recorded_abort || self.next_empty_abort().is_some();
        Some(reply)
    }

    fn next_notes(&mut self) -> Vec<(Message, Origin)> {
        match self.next_real() {
            Some((place, false)) if matches!(self.peek(place), Some(Act::Note(..))) => {
                self.ahead.drain(..place);
                self.take_notes()
            }
            _ => Vec::new(),
        }
    }

    fn late_abort(&mut self) -> Option<Reply> {
        let place = self.next_empty_abort()?;
        match self.ahead.remove(place)? {
            Act::Reply(reply) => Some(reply),
            _ => None,
        }
    }

    fn retry_was_cancelled(&mut self) -> bool {
        let Some((place, _)) = self.next_real() else { return false };
        let injected = self.ahead.iter().take(place).any(|act| matches!(act, Act::Injected));
        !injected && !matches!(self.ahead.get(place), Some(Act::Reply(_)))
    }

    fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        self.acts.take_diagnostics()
    }
}

fn is_aborted(message: &Message) -> bool {
    message.stop_reason().is_some_and(|reason| reason == "aborted")
}

fn is_empty_abort(reply: &Reply) -> bool {
    let ReplyEnd::Recorded(message) = &reply.end else { return false };
    let is_blank = |block: ContentBlock| match block {
        ContentBlock::Text(text) | ContentBlock::Thinking(text) => text.is_empty(),
        _ => false,
    };
    is_aborted(message) && message.blocks().into_iter().all(is_blank)
}
