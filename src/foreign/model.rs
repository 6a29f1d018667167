//! The one model of what other agents did.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;

use crate::text::JsString;
use crate::text::json::Value;

/// What the reader wants to see.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether messages of sub-agents are played too.
    pub subagents: bool,
}

/// What happened, in its order.
#[derive(Clone, Debug)]
pub enum Happening {
    /// The user asked something: where, and what.
    Prompt(usize, JsString),
    /// The model said something.
    Said(Box<Said>),
    /// What follows belongs to another agent, which shares no state with the one before.
    OtherAgent,
}

/// An assistant message with the results of its calls.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// 1-based line of the input where it begins; none in documents.
    pub line: Option<usize>,
    /// Its id there.
    pub id: Option<JsString>,
    /// Milliseconds since the epoch, when known.
    pub timestamp: Option<f64>,
    /// What it consists of.
    pub blocks: Vec<Block>,
    /// Whether it was cut short by the user.
    pub aborted: bool,
    /// Whether the input ends inside it.
    pub torn: bool,
}

/// One block of a message.
#[derive(Clone, Debug)]
pub enum Block {
    /// Prose, in the pieces that the record shows; a single one where it keeps no borders.
    Text(Vec<JsString>),
    /// Thinking, in the same way.
    Thinking(Vec<JsString>),
    /// A finished call.
    Call(Call),
}

/// A call, under the agent's own name for such a tool.
#[derive(Clone, Debug)]
pub struct Call {
    /// The call's id; empty when there is none.
    pub id: JsString,
    /// The name of the agent's own tool.
    pub tool: JsString,
    /// The name in the record.
    pub foreign: JsString,
    /// What rules see of it.
    pub shows: Shows,
    /// What became of it.
    pub result: CallResult,
}

/// What rules see of a call.
#[derive(Clone, Debug)]
pub enum Shows {
    /// What each file receives: path and text.
    Entries(Vec<(JsString, JsString)>),
    /// The arguments, with the agent's own keys.
    Arguments(Value),
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CallResult {
    /// Nothing is recorded.
    #[default]
    Unknown,
    /// It ran.
    Ran,
    /// It failed.
    Failed,
    /// The user did not allow it. The model wrote it all the same, so rules decide on it.
    Rejected,
}

/// What an adapter learned of its input, beside what happened.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The version of the agent that wrote it.
    pub version: Option<JsString>,
    /// Id of the session.
    pub session: Option<JsString>,
    /// The working directory of the first record that names one.
    pub cwd: Option<JsString>,
    /// ISO time of the first record that has one.
    pub time: Option<JsString>,
    /// Thinking blocks whose text is not in the record.
    pub thinking_absent: usize,
    /// Calls whose arguments are a program that is not run.
    pub opaque_calls: usize,
    /// Calls that the user did not allow.
    pub rejected: usize,
    /// Messages of sub-agents that were left out.
    pub subagents_left_out: usize,
    /// New files inside of patches, which count as `write`.
    pub added_files: usize,
    /// Lines that are no JSON.
    pub malformed: usize,
    /// Records of unknown kinds, by kind.
    pub unknown: BTreeMap<String, usize>,
    /// The foreign name of each call's tool, by the call's id; those of the message that is played.
    pub tools: HashMap<JsString, JsString>,
}

impl Facts {
    /// Counts a record, block or tool that the adapter does not know.
    pub(super) fn count_unknown(&mut self, kind: &str) {
        /// As many kinds are told apart.
        const KINDS: usize = 32;
        let kind: String = kind.chars().take(40).collect();
        if self.unknown.len() < KINDS || self.unknown.contains_key(&kind) {
            *self.unknown.entry(kind).or_default() += 1;
        }
    }

    /// Takes version, session, directory and time from a record, unless they are known.
    pub(super) fn learn(&mut self, field: fn(&mut Self) -> &mut Option<JsString>, value: Option<&Value>) {
        let known = field(self);
        if known.is_none() {
            *known = value.and_then(Value::as_string).filter(|text| !text.is_empty()).cloned();
        }
    }
}

/// Reads one format.
pub trait Adapter {
    /// What happened next; none at the end.
    ///
    /// # Errors
    /// When the input cannot be read.
    fn next(&mut self) -> io::Result<Option<Happening>>;

    /// What is known so far.
    fn facts(&self) -> &Facts;
}

/// What a document held, gathered as it was read.
#[derive(Debug, Default)]
pub struct Gathered {
    pub(super) happenings: VecDeque<Happening>,
    pub(super) facts: Facts,
}

impl Adapter for Gathered {
    fn next(&mut self) -> io::Result<Option<Happening>> {
        Ok(self.happenings.pop_front())
    }

    fn facts(&self) -> &Facts {
        &self.facts
    }
}

impl Said {
    /// The call of this id.
    pub(super) fn call(&mut self, id: &JsString) -> Option<&mut Call> {
        self.blocks.iter_mut().find_map(|block| match block {
            Block::Call(call) if call.id == *id => Some(call),
            _ => None,
        })
    }
}

/// The string at a path of members.
pub(super) fn text<'a>(value: &'a Value, path: &[&str]) -> Option<&'a JsString> {
    member(value, path)?.as_string()
}

/// The value at a path of members.
pub(super) fn member<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.get(key))
}

/// Whether the string at a path of members is this one.
pub(super) fn is(value: &Value, path: &[&str], wanted: &str) -> bool {
    text(value, path).is_some_and(|text| *text == wanted)
}

/// Whether a flag is set.
pub(super) fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool) == Some(true)
}

/// The milliseconds of an ISO time.
pub(super) fn time_ms(value: Option<&Value>) -> Option<f64> {
    let ms = crate::clock::parse_iso_time(&value?.as_string()?.to_string_lossy())?;
    Some(ms as f64)
}

/// The texts of a content that is a string or a list of parts with `text`, joined by LF.
pub(super) fn content_text(content: Option<&Value>) -> JsString {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => joined(parts.iter().filter_map(|part| part.get("text")?.as_string())),
        _ => JsString::new(),
    }
}

/// Texts, joined by LF.
pub(super) fn joined<'a>(texts: impl IntoIterator<Item = &'a JsString>) -> JsString {
    let mut all = JsString::new();
    for (at, text) in texts.into_iter().enumerate() {
        if at > 0 {
            all.push_str("\n");
        }
        all.push_units(text.units());
    }
    all
}
