//! What the model gets to see of a branch (session.md S4).

mod cleanup;

use crate::clock::parse_iso_time;
use crate::message::Message;
use crate::text::JsString;
use crate::text::json::{Object, Value};

use crate::session::ecmascript::{as_text, is_truthy};
use crate::session::error::SessionError;
use crate::session::flags;
use crate::session::{EntryKind, ReadMode, Session};

/// The context of a leaf (session.md S4.10).
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The messages, cleaned up as S4.9 says; roles as the agent holds them (`custom`, `compactionSummary`, …).
    pub messages: Vec<ContextMessage>,
    /// The last `thinking_level_change`, `off` without one; in faithful mode of any type.
    pub thinking_level: Value,
    /// What the user configured, where it differs in kind from the level.
    pub configured_thinking_level: Value,
    /// The last `service_tier_change`.
    pub service_tier: Value,
    /// Model (`provider/id`) per role, in order of first appearance; in faithful mode of any type.
    pub models: Vec<(JsString, Value)>,
    /// The elements of all `injectedRules` on the branch.
    pub injected_rules: Vec<Value>,
    /// The last `mode_change`, `none` without one; in faithful mode of any type.
    pub mode: Value,
    /// The data of that mode.
    pub mode_data: Value,
}

/// A message of the context and the entry it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextMessage {
    /// The message.
    pub message: Message,
    /// Index of the entry.
    pub entry: usize,
}

impl Context {
    fn empty() -> Self {
        Self {
            messages: Vec::new(),
            thinking_level: "off".into(),
            configured_thinking_level: Value::Null,
            service_tier: Value::Null,
            models: Vec::new(),
            injected_rules: Vec::new(),
            mode: "none".into(),
            mode_data: Value::Null,
        }
    }
}

/// Which part of a path becomes messages (session.md S4.5 to S4.8), by positions on the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The compaction whose summary stands in front.
    pub(crate) compaction: Option<usize>,
    /// Positions kept from before the compaction.
    pub(crate) kept: std::ops::Range<usize>,
    /// Positions behind the compaction or the reset, or the whole path.
    pub(crate) rest: std::ops::Range<usize>,
}

impl Shown {
    /// Whether the entry at this position of the path may give a message.
    pub(crate) fn contains(&self, position: usize) -> bool {
        self.kept.contains(&position) || self.rest.contains(&position)
    }
}

impl Session {
    /// The context of `leaf`. Without a leaf the last entry of the file stands in, as in the agent, unless its id is
    /// written as `null` (session.md S4.1).
    ///
    /// # Errors
    /// When an entry cannot be read; in faithful mode also when the agent raises on one.
    pub fn context(&self, leaf: Option<usize>) -> Result<Context, SessionError> {
        let mut context = Context::empty();
        let stands_in = |at: &usize| !self.index.rows[*at].has(flags::NULL_ID);
        let leaf = leaf.or_else(|| self.len().checked_sub(1).filter(stands_in));
        let Some(leaf) = leaf else { return Ok(context) };
        let path = self.path(Some(leaf));
        context.injected_rules = self.injected_on(&path)?;
        self.read_settings(&path, &mut context)?;
        let shown = self.shown(&path)?;
        let mut messages = Vec::new();
        if let Some(position) = shown.compaction {
            let entry = path[position] as usize;
            messages.push(ContextMessage { message: compaction_summary(&self.value(entry)?), entry });
        }
        for position in shown.kept.chain(shown.rest) {
            let entry = path[position] as usize;
            if let Some(message) = self.emit(entry)? {
                messages.push(ContextMessage { message, entry });
            }
        }
        context.messages = cleanup::clean(messages);
        Ok(context)
    }

    /// Which part of `path` becomes messages.
    ///
    /// # Errors
    /// When the compaction cannot be read from the file.
    pub(crate) fn shown(&self, path: &[u32]) -> Result<Shown, SessionError> {
        let last = |kind| path.iter().rposition(|at| self.index.kind(*at as usize) == Some(kind));
        let (reset, compaction) = (last(EntryKind::ResetBoundary), last(EntryKind::Compaction));
        let Some(compaction) = compaction.filter(|at| reset.is_none_or(|reset| reset < *at)) else {
            let start = reset.map_or(0, |at| at + 1);
            return Ok(Shown { compaction: None, kept: 0..0, rest: start..path.len() });
        };
        let entry = self.value(path[compaction] as usize)?;
        let position = |key: &str| {
            // Each list and object is another one.
            let id = entry.get(key).filter(|id| !matches!(id, Value::Array(_) | Value::Object(_)))?;
            path[..compaction].iter().position(|at| self.index.id_value(*at as usize).is_some_and(|own| own == *id))
        };
        let replaced = entry.get("preserveData").and_then(|data| data.get("openaiRemoteCompaction"));
        // Provider history stands for the kept entries, at least up to the entry it reaches.
        let first = match replaced.and_then(Value::as_object) {
            Some(_) => position("providerReplayThroughEntryId").map(|at| at + 1),
            None => position("firstKeptEntryId"),
        };
        let kept = first.map_or(0..0, |first| first..compaction);
        Ok(Shown { compaction: Some(compaction), kept, rest: compaction + 1..path.len() })
    }

    fn read_settings(&self, path: &[u32], context: &mut Context) -> Result<(), SessionError> {
        let mut explicit = false;
        for at in path.iter().map(|at| *at as usize) {
            let kind = self.index.kind(at);
            let wanted = matches!(
                kind,
                Some(
                    EntryKind::ThinkingLevelChange
                        | EntryKind::ModelChange
                        | EntryKind::ModeChange
                        | EntryKind::ServiceTierChange
                )
            );
            let assistant = !explicit && self.index.rows[at].role == super::Role::Assistant;
            if !wanted && !assistant {
                continue;
            }
            let entry = self.value(at)?;
            let member = |key: &str| entry.get(key).filter(|value| **value != Value::Null);
            let text = |key: &str| member(key).and_then(Value::as_string).cloned();
            let faithful = self.mode == ReadMode::Faithful;
            // The agent takes what is there; a string is meant.
            let taken = |key: &str| member(key).filter(|value| faithful || value.as_string().is_some()).cloned();
            match kind {
                Some(EntryKind::ThinkingLevelChange) => {
                    context.thinking_level = taken("thinkingLevel").unwrap_or_else(|| "off".into());
                    let configured = member("configured").or_else(|| member("thinkingLevel"));
                    context.configured_thinking_level = configured.cloned().unwrap_or(Value::Null);
                }
                Some(EntryKind::ModelChange) => {
                    let model = taken("model").filter(is_truthy);
                    let pi_model = || match self.mode {
                        ReadMode::Tolerant => Some(joined(&text("provider")?, &text("modelId")?)),
                        ReadMode::Faithful => None,
                    };
                    if let Some(model) = model.or_else(pi_model) {
                        let role = taken("role");
                        let role = role.map_or_else(|| "default".into(), |role| as_text(Some(&role)));
                        explicit |= role == "default";
                        set_model(&mut context.models, role, model);
                    }
                }
                Some(EntryKind::ModeChange) => {
                    context.mode = taken("mode").unwrap_or_else(|| "none".into());
                    context.mode_data = entry.get("data").cloned().unwrap_or(Value::Null);
                }
                Some(EntryKind::ServiceTierChange) => {
                    context.service_tier = entry.get("serviceTier").cloned().unwrap_or(Value::Null);
                }
                _ => {
                    let written = |key: &str| entry.get("message").and_then(|message| message.get(key));
                    let text = |key: &str| match written(key) {
                        Some(Value::String(text)) => Some(text.clone()),
                        // The agent writes both into a template.
                        value if faithful => Some(as_text(value)),
                        _ => None,
                    };
                    if let (Some(provider), Some(model)) = (text("provider"), text("model")) {
                        set_model(&mut context.models, "default".into(), joined(&provider, &model));
                    }
                }
            }
        }
        Ok(())
    }

    /// The message that an entry gives, if any (session.md S4.4).
    fn emit(&self, at: usize) -> Result<Option<Message>, SessionError> {
        let kind = self.index.kind(at);
        if !matches!(kind, Some(EntryKind::Message | EntryKind::CustomMessage | EntryKind::BranchSummary)) {
            return Ok(None);
        }
        let Value::Object(mut entry) = self.value(at)? else { return Ok(None) };
        Ok(match kind {
            Some(EntryKind::Message) => match entry.remove("message") {
                Some(Value::Object(message)) => {
                    let message = Message::new(message);
                    if self.mode == ReadMode::Faithful && cannot_be_walked(&message) {
                        let line = self.index.rows[at].line as usize;
                        let message = "the `content` of the assistant's message cannot be iterated";
                        return Err(SessionError::Raises { line, message });
                    }
                    Some(message).filter(|message| !is_left_out(message))
                }
                _ => None,
            },
            Some(EntryKind::CustomMessage) => custom_message(&entry),
            _ => branch_summary(&entry, self.mode),
        })
    }
}

fn joined(provider: &JsString, model: &JsString) -> Value {
    let mut name = provider.clone();
    name.push_str("/");
    name.push_units(model.units());
    name.into()
}

fn set_model(models: &mut Vec<(JsString, Value)>, role: JsString, model: Value) {
    match models.iter_mut().find(|(known, _)| *known == role) {
        Some((_, old)) => *old = model,
        None => models.push((role, model)),
    }
}

fn is_recovered(message: &Message) -> bool {
    message.raw.get("retryRecovery").is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
}

/// Whether the agent raises on an assistant's message when it looks for tool calls without result.
fn cannot_be_walked(message: &Message) -> bool {
    if !message.is_assistant() || is_recovered(message) {
        return false;
    }
    match message.raw.get("content") {
        Some(Value::Array(blocks)) => blocks.contains(&Value::Null),
        Some(Value::String(_)) => false,
        _ => true,
    }
}

/// Assistants that a retry recovered, and empty ones that ended in an error.
fn is_left_out(message: &Message) -> bool {
    if !message.is_assistant() {
        return false;
    }
    if is_recovered(message) {
        return true;
    }
    message.stop_reason().is_some_and(|reason| reason == "error") && !has_real_content(message)
}

fn has_real_content(message: &Message) -> bool {
    let blocks = message.raw.get("content").and_then(Value::as_array).unwrap_or_default();
    blocks.iter().any(|block| {
        let text = |key: &str| block.get(key).and_then(Value::as_string);
        let filled = |key: &str| text(key).is_some_and(|text| !text.is_blank());
        let signed = |key: &str| text(key).is_some_and(|text| !text.is_empty());
        match text("type").and_then(JsString::to_utf8).as_deref() {
            Some("text") => filled("text") || signed("textSignature"),
            Some("thinking") => filled("thinking") || signed("thinkingSignature"),
            Some("toolCall") => true,
            _ => false,
        }
    })
}

/// The time stamp of an entry as messages have it: milliseconds since the epoch.
fn milliseconds(entry: &Object) -> Value {
    let text = entry.get("timestamp").and_then(Value::as_string).and_then(JsString::to_utf8);
    text.and_then(|text| parse_iso_time(&text)).map_or(Value::Null, Value::from)
}

/// Custom types that never reach the model.
const SILENT_TYPES: [&str; 2] = ["prewalk-plan", "vibe-mode-context"];

fn custom_message(entry: &Object) -> Option<Message> {
    let content = entry.get("content").filter(|content| matches!(content, Value::String(_) | Value::Array(_)))?;
    let custom_type = entry.get("customType").and_then(Value::as_string).filter(|name| !name.is_empty());
    let custom_type = custom_type.cloned().unwrap_or_else(|| "custom-message".into());
    if SILENT_TYPES.iter().any(|silent| custom_type == *silent) {
        return None;
    }
    let mut message = Object::new();
    message.insert("role", "custom");
    message.insert("customType", custom_type);
    message.insert("content", content.clone());
    message.insert("display", entry.get("display").and_then(Value::as_bool) == Some(true));
    for key in ["details", "attribution"] {
        if let Some(value) = entry.get(key) {
            message.insert(key, value.clone());
        }
    }
    message.insert("timestamp", milliseconds(entry));
    Some(Message::new(message))
}

fn branch_summary(entry: &Object, mode: ReadMode) -> Option<Message> {
    let is_summary = |summary: &&Value| mode == ReadMode::Faithful || summary.as_string().is_some();
    let summary = entry.get("summary").filter(|summary| is_truthy(summary)).filter(is_summary)?;
    let mut message = Object::new();
    message.insert("role", "branchSummary");
    message.insert("summary", summary.clone());
    message.insert("fromId", entry.get("fromId").cloned().unwrap_or(Value::Null));
    message.insert("timestamp", milliseconds(entry));
    Some(Message::new(message))
}

fn compaction_summary(entry: &Value) -> Message {
    let mut message = Object::new();
    message.insert("role", "compactionSummary");
    for key in ["summary", "tokensBefore", "shortSummary", "method", "tokensAfter"] {
        if let Some(value) = entry.get(key) {
            message.insert(key, value.clone());
        }
    }
    message.insert("timestamp", entry.as_object().map_or(Value::Null, milliseconds));
    Message::new(message)
}
