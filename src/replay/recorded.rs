//! Recorded material as turns: one assistant message with its deltas, its end and the results of its calls.
//!
//! A turn is gathered whole before it is played, since what a match does depends on what follows in the recording: a
//! message that was interrupted there is fed to its end, another one is left at the match (cli.md, "Deltas after a
//! match").

use std::collections::VecDeque;

use crate::message::{AgentEvent, ContentBlock, Message};
use crate::stream::{Item, Origin, StreamHeader, StreamItem};
use crate::text::JsString;
use crate::text::json::Object;

/// One step of a recording.
#[derive(Debug)]
pub(super) enum Step {
    /// The header of the recording.
    Header(StreamHeader),
    /// A message that is neither an assistant's nor a tool result.
    Message(Origin, Message),
    /// An assistant message with what belongs to it.
    Turn(Box<Turn>),
    /// A session entry that is no message: kept for a written session.
    Entry(Object),
    /// A process ended here; what follows runs in a new one (session.md S9.4a).
    ProcessEnd,
}

/// A recorded `ttsr_injection` entry of a session.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecordedEntry {
    /// The entry's id.
    pub entry: JsString,
    /// Its rules.
    pub rules: Vec<JsString>,
}

/// One assistant message of a recording.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// Where the message begins.
    pub origin: Origin,
    /// Milliseconds since the epoch, when known.
    pub timestamp: Option<f64>,
    /// Whether a turn start was recorded before it.
    pub starts_turn: bool,
    /// The deltas and block ends in order.
    pub events: Vec<(Origin, AgentEvent)>,
    /// Recorded `ttsr_triggered` events: number of `events` before, rules.
    pub triggered: Vec<(usize, Vec<JsString>)>,
    /// The whole message; none when the recording ends before.
    pub end: Option<(Origin, Message)>,
    /// The results of its calls.
    pub results: Vec<(Origin, Message)>,
    /// Other entries behind it: number of results before, the entry (sessions only).
    pub entries: Vec<(usize, Object)>,
    /// Turn ends recorded behind it.
    pub turn_ends: usize,
    /// Whether the recording was interrupted by rules here.
    pub interrupted: bool,
    /// Rules of the reminders that the recording shows behind this message: injected messages and folded results.
    pub injected: Vec<RecordedInjection>,
    /// Recorded `ttsr_injection` entries behind it (sessions only).
    pub persisted: Vec<RecordedEntry>,
}

/// A reminder that a recording shows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecordedInjection {
    /// The rules of `details.rules`, or of the tags of a folded reminder.
    pub rules: Vec<JsString>,
    /// Counter of deferred deliveries.
    pub delivery_id: Option<f64>,
    /// The reminder's text.
    pub content: JsString,
    /// The call whose result it stands in front of.
    pub tool_call: Option<JsString>,
}

impl Turn {
    /// Whether the deltas are checked to the end even after a match: the message ended aborted, or so late that the
    /// abort shows only behind it.
    pub(super) fn was_cut_short(&self) -> bool {
        self.interrupted
            || self.end.as_ref().is_none_or(|(_, message)| message.stop_reason().is_some_and(|why| why == "aborted"))
    }
}

/// Whether an assistant message holds nothing and was aborted: what a late abort leaves behind.
pub(super) fn is_empty_abort(message: &Message) -> bool {
    message.is_assistant()
        && message.stop_reason().is_some_and(|why| why == "aborted")
        && message.blocks().iter().all(|block| match block {
            ContentBlock::Text(text) | ContentBlock::Thinking(text) => text.is_empty(),
            ContentBlock::ToolCall(_) => false,
            ContentBlock::Other(_) => true,
        })
}

/// Whether the message says that rules aborted it (session.md S5.6).
pub(super) fn names_matched_rules(message: &Message) -> bool {
    message.string("errorMessage").is_some_and(|text| text.starts_with("TTSR matched rule"))
}

/// The rules that an aborted message names: `TTSR matched rules: a, b`.
pub(super) fn matched_rules(message: &Message) -> Option<Vec<JsString>> {
    let text = message.string("errorMessage")?.to_string_lossy();
    let names = text.strip_prefix("TTSR matched rule")?.trim_start_matches('s').strip_prefix(": ")?;
    Some(names.split(", ").map(JsString::from).collect())
}

/// The rules of an injected `ttsr-injection` message, if it is one.
pub(super) fn injection_of(message: &Message) -> Option<RecordedInjection> {
    if message.string("customType")? != "ttsr-injection" {
        return None;
    }
    let details = message.raw.get("details");
    let rules = details.and_then(|details| details.get("rules")?.as_array());
    Some(RecordedInjection {
        rules: rules.unwrap_or_default().iter().filter_map(|rule| rule.as_string().cloned()).collect(),
        delivery_id: details.and_then(|details| details.get("deliveryId")?.as_f64()),
        content: message.text(),
        tool_call: None,
    })
}

/// Gathers the items of an event stream into steps.
#[derive(Debug, Default)]
pub(super) struct Gatherer {
    /// The message that streams, or the last one while its results and turn end may still come.
    open: Option<Box<Turn>>,
    /// The message before, which a late abort may still turn into an interrupted one.
    held: Option<Box<Turn>>,
    turn_started: bool,
    done: VecDeque<Step>,
}

impl Gatherer {
    /// Takes the next item. Finished steps come out of [`Gatherer::pop`].
    pub(super) fn push(&mut self, item: Item) {
        let Item { origin, content } = item;
        match content {
            StreamItem::Header(header) => {
                self.close();
                self.done.push_back(Step::Header(header));
            }
            StreamItem::Triggered(rules) => {
                if let Some(turn) = &mut self.open {
                    turn.triggered.push((turn.events.len(), rules));
                }
            }
            StreamItem::Ignored(_) => {}
            StreamItem::Event(event) => self.event(origin, event),
        }
    }

    fn event(&mut self, origin: Origin, event: AgentEvent) {
        match event {
            AgentEvent::TurnStart => self.turn_started = true,
            AgentEvent::AgentStart | AgentEvent::AgentEnd => {}
            AgentEvent::Message(message) => match (injection_of(&message), &mut self.open) {
                (Some(injection), Some(turn)) => turn.injected.push(injection),
                _ => {
                    self.close();
                    self.done.push_back(Step::Message(origin, message));
                }
            },
            AgentEvent::MessageStart { timestamp } => {
                let starts_turn = std::mem::take(&mut self.turn_started);
                let next = Box::new(Turn { origin, timestamp, starts_turn, ..Turn::default() });
                self.release_held();
                match self.open.replace(next) {
                    Some(turn) if may_end_late(&turn) => self.held = Some(turn),
                    Some(turn) => self.done.push_back(Step::Turn(turn)),
                    None => {}
                }
            }
            AgentEvent::MessageEnd(message) => self.message_end(origin, message),
            AgentEvent::ToolResult(message) => match &mut self.open {
                Some(turn) => turn.results.push((origin, message)),
                None => self.done.push_back(Step::Message(origin, message)),
            },
            AgentEvent::TurnEnd => {
                if let Some(turn) = &mut self.open {
                    turn.turn_ends += 1;
                }
            }
            delta => {
                if let Some(turn) = &mut self.open {
                    turn.events.push((origin, delta));
                }
            }
        }
    }

    fn message_end(&mut self, origin: Origin, message: Message) {
        let Some(turn) = &mut self.open else { return };
        if turn.events.is_empty()
            && is_empty_abort(&message)
            && let Some(mut late) = self.held.take()
        {
            // The abort reached the stream behind the message's end: both are one interrupted message.
            late.interrupted = true;
            self.open = Some(late);
            return;
        }
        let aborted = message.stop_reason().is_some_and(|why| why == "aborted");
        turn.interrupted = aborted && (names_matched_rules(&message) || !turn.triggered.is_empty());
        turn.end = Some((origin, message));
        self.release_held();
    }

    fn release_held(&mut self) {
        if let Some(turn) = self.held.take() {
            self.done.push_back(Step::Turn(turn));
        }
    }

    /// The next finished step.
    pub(super) fn pop(&mut self) -> Option<Step> {
        self.done.pop_front()
    }

    /// Ends the recording.
    pub(super) fn close(&mut self) {
        self.release_held();
        if let Some(turn) = self.open.take() {
            self.done.push_back(Step::Turn(turn));
        }
    }
}

/// Whether an abort may still follow behind the finished message: rules were announced, yet it ended as if nothing
/// had happened.
fn may_end_late(turn: &Turn) -> bool {
    !turn.triggered.is_empty()
        && turn.end.as_ref().is_some_and(|(_, message)| {
            message.stop_reason().is_some_and(|why| why == "toolUse" || why == "stop" || why == "length")
        })
}
