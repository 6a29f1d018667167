//! Versions 1 and 2 to 3 (session.md S1.5). Nothing is written; values are migrated when they are read.

use crate::text::JsString;
use crate::text::json::{Object, Value};

/// Which steps a file needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Migration {
    /// Step A: ids and parents by position, kept entries by id.
    pub(super) chains: bool,
}

impl Migration {
    /// The steps for a header that names `version`, compared as ECMAScript compares.
    pub(super) fn needed(version: &Value) -> Option<Self> {
        let version = match version {
            Value::Null => 0.0,
            Value::Bool(value) => f64::from(u8::from(*value)),
            Value::Number(_) => version.as_f64().unwrap_or(f64::NAN),
            Value::String(text) if text.is_blank() => 0.0,
            Value::String(text) => text.trim().to_utf8().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN),
            Value::Array(_) | Value::Object(_) => f64::NAN,
        };
        (version < 3.0).then_some(Self { chains: version < 2.0 })
    }
}

/// Step A for one entry: `id` and `parent` as given; `kept` finds the id for a `firstKeptEntryIndex`.
pub(super) fn chain(
    entry: &mut Object,
    id: Option<JsString>,
    parent: Option<JsString>,
    kept: impl FnOnce(f64) -> Option<JsString>,
) {
    if let Some(id) = id {
        entry.insert("id", id);
    }
    entry.insert("parentId", parent.map_or(Value::Null, Value::String));
    let is_compaction = entry.get("type").and_then(Value::as_string).is_some_and(|kind| *kind == "compaction");
    if is_compaction && let Some(at) = entry.get("firstKeptEntryIndex").and_then(Value::as_f64) {
        if let Some(kept) = kept(at) {
            entry.insert("firstKeptEntryId", kept);
        }
        entry.remove("firstKeptEntryIndex");
    }
}

/// Step B for one entry: `hookMessage` becomes `custom`.
pub(super) fn rename_hook(entry: &mut Object) {
    let is_message = entry.get("type").and_then(Value::as_string).is_some_and(|kind| *kind == "message");
    if is_message
        && let Some(Value::Object(message)) = entry.get_mut("message")
        && message.get("role").and_then(Value::as_string).is_some_and(|role| *role == "hookMessage")
    {
        message.insert("role", "custom");
    }
}
