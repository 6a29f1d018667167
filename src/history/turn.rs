//! What happened, message by message: the facts that a recording holds (session.md S9.4 to S9.4e).

use crate::message::{CallOutcome, ContentBlock, Ending, INJECTION_TYPE, Message, REMINDER_PREFIX, is_warning};
use crate::stream::{Events, Origin, StreamHeader};
use crate::text::JsString;
use crate::text::json::{Object, Value};

/// One step of a recording.
#[derive(Clone, Debug)]
pub enum Step {
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

/// One assistant message of a recording, with what belongs to it up to the next message.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// Where the message begins.
    pub origin: Origin,
    /// Milliseconds since the epoch, when known.
    pub timestamp: Option<f64>,
    /// Whether a turn start was recorded before it.
    pub starts_turn: bool,
    /// The deltas and block ends in order.
    pub events: Events,
    /// Recorded `ttsr_triggered` events (streams only).
    pub announced: Vec<Announced>,
    /// The whole message; none when the recording ends before.
    pub end: Option<(Origin, Message)>,
    /// The results of its calls.
    pub results: Vec<(Origin, Message)>,
    /// Other entries behind it: number of results before, the entry (sessions only).
    pub entries: Vec<(usize, Object)>,
    /// Turn ends recorded behind it.
    pub turn_ends: usize,
    /// Whether rules interrupted the message.
    pub interrupted: bool,
    /// The empty aborted message behind a message that had ended when the abort reached it.
    pub late: Option<Box<LateHalf>>,
    /// Whether the agent went on without a prompt, as a retry or a follow-up makes it.
    pub resumed: bool,
    /// Whether the stream says that the run ended behind the message, its calls answered or not. A run that a retry
    /// goes on with does not end (session.md S8.5e), so behind an interrupt this tells that the user came first.
    pub run_ended: bool,
    /// What the recording shows of reminders behind this message, in order.
    pub records: Vec<Record>,
}

/// A recorded `ttsr_triggered`.
#[derive(Clone, Debug, PartialEq)]
pub struct Announced {
    /// How many of the turn's events stand before it.
    pub before: usize,
    /// Names of the rules, in order.
    pub rules: Vec<JsString>,
    /// Whether it stands behind the message's end: a structural match whose result came late (engine.md E7.5a).
    pub late: bool,
}

/// The second half of an interrupted message: the agent had gone on to another one when the abort came
/// (cli.md section 2, "Deltas after a match").
#[derive(Clone, Debug)]
pub struct LateHalf {
    /// Where it begins.
    pub origin: Origin,
    /// Milliseconds since the epoch, when known.
    pub timestamp: Option<f64>,
    /// Whether a turn start was recorded before it.
    pub starts_turn: bool,
    /// The message.
    pub end: (Origin, Message),
    /// Turn ends recorded behind it.
    pub turn_ends: usize,
    /// How many of the turn's records stand before it.
    pub records_before: usize,
}

/// Something that a recording shows of an injection.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A `ttsr-injection` message.
    Reminder(Box<Reminder>),
    /// A `ttsr_injection` entry (sessions only).
    Entry(RecordedEntry),
    /// The result of a call: its index among the turn's results.
    Result(usize),
}

/// A `ttsr-injection` message.
#[derive(Clone, Debug, PartialEq)]
pub struct Reminder {
    /// Where it stands.
    pub origin: Origin,
    /// `details.rules`.
    pub rules: Vec<JsString>,
    /// Counter of deferred deliveries.
    pub delivery_id: Option<f64>,
    /// The text.
    pub content: JsString,
    /// Whether it is a warning after a judge's yes (generation-v4.md W8.3, W14).
    pub is_warning: bool,
    /// Whether a person sees it.
    pub display: Option<bool>,
    /// The whole message, to be taken over as it is.
    pub message: Message,
}

/// A recorded `ttsr_injection` entry of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedEntry {
    /// Where it stands; the entry's id is in it.
    pub origin: Origin,
    /// Its rules.
    pub rules: Vec<JsString>,
}

impl Turn {
    /// Whether the deltas are checked to the end even after a match: the message ended aborted, or so late that the
    /// abort shows only behind it.
    pub fn was_cut_short(&self) -> bool {
        self.interrupted
            || self.late.is_some()
            || self.end.as_ref().is_none_or(|(_, message)| message.ending().is_aborted())
    }

    /// How the message ended; a message that the recording does not end is complete as far as anybody knows.
    pub fn ending(&self) -> Ending {
        self.end.as_ref().map_or(Ending::Complete, |(_, message)| message.ending())
    }

    /// The text that names the rules of the interrupting batch.
    pub fn interrupting_names(&self) -> Option<JsString> {
        let late = self.late.as_ref().map(|late| late.end.1.ending());
        match late.unwrap_or_else(|| self.ending()) {
            Ending::Rules(names) => Some(names),
            _ => None,
        }
    }

    /// The `ttsr-injection` messages behind it, warnings of judges among them.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Reminder> {
        self.records.iter().filter_map(|record| match record {
            Record::Reminder(reminder) => Some(reminder.as_ref()),
            _ => None,
        })
    }

    /// The reminders of interrupts and deferred matches behind it.
    pub fn reminders(&self) -> impl DoubleEndedIterator<Item = &Reminder> {
        self.messages().filter(|reminder| !reminder.is_warning)
    }

    /// The warnings behind it that follow a judge's yes.
    pub fn warnings(&self) -> impl DoubleEndedIterator<Item = &Reminder> {
        self.messages().filter(|reminder| reminder.is_warning)
    }

    /// The `ttsr_injection` entries behind it.
    pub fn persisted(&self) -> impl Iterator<Item = &RecordedEntry> {
        self.records.iter().filter_map(|record| match record {
            Record::Entry(entry) => Some(entry),
            _ => None,
        })
    }

    /// Every rule that the recording shows as injected at this message, each once: reminders, entries, folds.
    pub fn injected(&self) -> Vec<JsString> {
        let mut names: Vec<JsString> = Vec::new();
        let folds = self.results.iter().filter_map(|(_, result)| fold_of(result));
        let folded: Vec<JsString> = folds.flat_map(|fold| fold.rules).collect();
        let shown = self.messages().flat_map(|reminder| &reminder.rules);
        let entries = self.persisted().flat_map(|entry| &entry.rules);
        for name in shown.chain(entries).chain(&folded) {
            let name = name.trim();
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Whether calls of it may be missing: an abort removes those that were incomplete (session.md S9.2).
    pub fn may_lack_calls(&self) -> bool {
        self.late.is_none() && self.ending().is_aborted()
    }

    /// Whether a result behind it was pruned.
    pub fn has_pruned_result(&self) -> bool {
        self.results.iter().any(|(_, result)| result.call_outcome() == CallOutcome::Pruned)
    }
}

/// Whether an assistant message holds nothing and was aborted: what a late abort, or a call that was cut, leaves.
pub(super) fn is_empty_abort(message: &Message) -> bool {
    message.is_assistant()
        && message.ending().is_aborted()
        && message.blocks().iter().all(|block| match block {
            ContentBlock::Text(text) | ContentBlock::Thinking(text) => text.is_empty(),
            ContentBlock::ToolCall(_) => false,
            ContentBlock::Other(_) => true,
        })
}

/// The reminder that a `ttsr-injection` message is, if it is one.
pub(super) fn reminder_of(message: &Message, origin: &Origin) -> Option<Reminder> {
    if message.string("customType")? != INJECTION_TYPE {
        return None;
    }
    let details = message.raw.get("details");
    let rules = details.and_then(|details| details.get("rules")?.as_array());
    Some(Reminder {
        origin: origin.clone(),
        rules: rules.unwrap_or_default().iter().filter_map(|rule| rule.as_string().cloned()).collect(),
        delivery_id: details.and_then(|details| details.get("deliveryId")?.as_f64()),
        content: message.text(),
        is_warning: is_warning(&message.raw),
        display: message.raw.get("display").and_then(Value::as_bool),
        message: message.clone(),
    })
}

/// The reminders in front of a recorded tool result.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedFold {
    /// The id of the call.
    pub tool_call: JsString,
    /// The rules that the tags name, in order.
    pub rules: Vec<JsString>,
    /// The text of the reminder blocks.
    pub content: JsString,
}

/// The reminders in front of a recorded tool result, if it has any.
pub fn fold_of(result: &Message) -> Option<RecordedFold> {
    let mut texts = Vec::new();
    for block in result.blocks() {
        match block {
            ContentBlock::Text(text) if text.starts_with(REMINDER_PREFIX) => texts.push(text),
            _ => break,
        }
    }
    if texts.is_empty() {
        return None;
    }
    let mut content = JsString::new();
    for text in &texts {
        if !content.is_empty() {
            content.push_str("\n\n");
        }
        content.push_units(text.units());
    }
    let rules = tagged_rules(&content);
    Some(RecordedFold { tool_call: result.string("toolCallId").unwrap_or_default(), rules, content })
}

/// The result without the leading reminder blocks that a recording holds (engine.md E7.2 step 5).
pub fn without_reminders(result: &Message) -> Message {
    let mut payload = result.clone();
    if let Some(Value::Array(blocks)) = payload.raw.get_mut("content") {
        let is_reminder = |block: &Value| matches!(ContentBlock::read(block), ContentBlock::Text(text) if text.starts_with(REMINDER_PREFIX));
        let reminders = blocks.iter().take_while(|block| is_reminder(block)).count();
        blocks.drain(..reminders);
    }
    payload
}

/// The values of `rule="…"` in the opening tags of a reminder.
fn tagged_rules(text: &JsString) -> Vec<JsString> {
    let text = text.to_string_lossy();
    let tags = text.lines().filter(|line| line.starts_with(REMINDER_PREFIX));
    let rule = |line: &str| Some(line.split_once(" rule=\"")?.1.rsplit_once("\" path=")?.0.into());
    tags.filter_map(rule).collect()
}
