//! [`Transcript`]: an event stream as acts.

use std::io::BufRead;

use crate::diagnostic::Diagnostic;
use crate::message::{AgentEvent, ContentBlock, Message, Model};
use crate::stream::{EventReader, Item, Origin, StreamHeader, StreamItem};
use crate::text::JsString;
use crate::text::json::Value;

use super::recording::{Act, ActSource};
use super::{After, Reply, ReplyEnd, ReplyStep, Results};

/// The acts of an event stream. One message is held at a time, with its results.
pub struct Transcript<R> {
    reader: EventReader<R>,
    header: Option<StreamHeader>,
    /// The first item behind the header, once it was read.
    first: Option<Item>,
    started: bool,
    open: Option<Gathered>,
    /// Triggers recorded before any message.
    early: Vec<ReplyStep>,
    /// An act that stands behind the one that was given last.
    next: Option<Act>,
}

struct Gathered {
    steps: Vec<ReplyStep>,
    end: ReplyEnd,
    after: Vec<(After, Origin)>,
    timestamp: Option<f64>,
    origin: Origin,
}

impl<R: BufRead> Transcript<R> {
    /// Reads `reader` as far as it is asked for.
    pub fn new(reader: EventReader<R>) -> Self {
        Self { reader, header: None, first: None, started: false, open: None, early: Vec::new(), next: None }
    }

    /// The session header, when the stream begins with one.
    pub fn header(&mut self) -> Option<&StreamHeader> {
        self.start();
        self.header.as_ref()
    }

    /// The reader, for its counts.
    pub fn reader(&self) -> &EventReader<R> {
        &self.reader
    }

    fn start(&mut self) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        while let Some(item) = self.reader.next_item() {
            match item.content {
                StreamItem::Header(header) => self.header = Some(header),
                StreamItem::Ignored(_) => continue,
                _ => self.first = Some(item),
            }
            break;
        }
    }

    fn next_item(&mut self) -> Option<Item> {
        self.start();
        self.first.take().or_else(|| self.reader.next_item())
    }

    /// Ends the message that is gathered and gives `act` behind it.
    fn close(&mut self, act: Option<Act>) -> Option<Act> {
        let reply = self.open.take().map(|gathered| Act::Reply(gathered.into_reply()));
        match (reply, act) {
            (Some(reply), act) => {
                self.next = act;
                Some(reply)
            }
            (None, act) => act,
        }
    }

    fn event(&mut self, event: AgentEvent, origin: Origin) -> Option<Act> {
        match event {
            AgentEvent::AgentStart => self.close(Some(Act::RunStart)),
            AgentEvent::Message(message) if is_injection(&message) => self.close(Some(Act::Injected)),
            AgentEvent::Message(message) => self.close(Some(Act::Note(message, origin))),
            AgentEvent::MessageStart { timestamp } => {
                let closed = self.close(None);
                let steps = std::mem::take(&mut self.early);
                self.open = Some(Gathered { steps, end: ReplyEnd::Torn, after: Vec::new(), timestamp, origin });
                closed
            }
            AgentEvent::MessageEnd(message) => {
                if let Some(open) = &mut self.open {
                    open.end = ReplyEnd::Recorded(message);
                }
                None
            }
            AgentEvent::ToolResult(message) => {
                if let Some(open) = &mut self.open {
                    open.after.push((After::Result(without_reminders(message)), origin));
                }
                None
            }
            AgentEvent::TurnStart | AgentEvent::TurnEnd | AgentEvent::AgentEnd => None,
            delta => {
                if let Some(open) = &mut self.open {
                    open.steps.push(ReplyStep::Event(delta, origin));
                }
                None
            }
        }
    }

    fn triggered(&mut self, names: Vec<JsString>, origin: Origin) {
        match &mut self.open {
            Some(open) if open.end == ReplyEnd::Torn => open.steps.push(ReplyStep::Triggered(names, origin)),
            Some(open) => open.after.push((After::Triggered(names), origin)),
            None => self.early.push(ReplyStep::Triggered(names, origin)),
        }
    }
}

impl<R: BufRead> ActSource for Transcript<R> {
    fn next_act(&mut self) -> Option<Act> {
        if let Some(act) = self.next.take() {
            return Some(act);
        }
        while let Some(item) = self.next_item() {
            let act = match item.content {
                StreamItem::Event(event) => self.event(event, item.origin),
                StreamItem::Triggered(names) => {
                    self.triggered(names, item.origin);
                    None
                }
                StreamItem::Header(_) | StreamItem::Ignored(_) => None,
            };
            if act.is_some() {
                return act;
            }
        }
        self.close(None)
    }

    fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        self.reader.take_diagnostics()
    }
}

impl Gathered {
    fn into_reply(self) -> Reply {
        let model = match &self.end {
            ReplyEnd::Recorded(message) => Model::of(message),
            _ => Model::scripted(),
        };
        recorded_reply(Box::new(self.steps.into_iter()), self.end, self.after, self.timestamp, model, self.origin)
    }
}

/// A reply as recorded: nothing is timed, and whether it was interrupted is found by what follows.
pub(super) fn recorded_reply(
    steps: Box<dyn Iterator<Item = ReplyStep>>,
    end: ReplyEnd,
    after: Vec<(After, Origin)>,
    timestamp: Option<f64>,
    model: Model,
    origin: Origin,
) -> Reply {
    Reply {
        steps,
        end,
        results: Results::Recorded(after),
        timestamp,
        model,
        origin,
        was_interrupted: false,
        delay_ms: 0,
        user_interrupt_after_ms: None,
        new_prompt_after_ms: None,
        abort_handoff_after_ms: None,
    }
}

/// Whether the message is a reminder that the agent put in (session.md S9.4b).
pub(super) fn is_injection(message: &Message) -> bool {
    message.string("customType").is_some_and(|kind| kind == "ttsr-injection")
}

/// A tool result as the tool gave it: without the leading reminder blocks (session.md S9.4b, engine.md E7.2).
pub(super) fn without_reminders(mut message: Message) -> Message {
    let is_reminder = |block: &Value| match ContentBlock::read(block) {
        ContentBlock::Text(text) => text.starts_with("<system-reminder reason=\"rule_violation\""),
        _ => false,
    };
    if let Some(Value::Array(blocks)) = message.raw.get_mut("content") {
        let reminders = blocks.iter().take_while(|block| is_reminder(block)).count();
        blocks.drain(..reminders);
    }
    message
}
