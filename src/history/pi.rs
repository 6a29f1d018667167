//! The edit arguments of the agent's relative pi, in the spelling that rules are tested on.

use crate::json_object;
use crate::message::Message;
use crate::text::JsString;
use crate::text::json::{self, Value};

/// The message with pi's `edit {path, oldText, newText}` and `edit {path, edits: [{oldText, newText}]}` as the edit of
/// one file that they are: what is removed introduces nothing. None where it has no such call. The agent itself never
/// writes that spelling.
pub(super) fn with_mapped_edits(message: &Message) -> Option<Message> {
    let items = message.raw.get("content")?.as_array()?;
    let mapped: Vec<Option<Value>> = items.iter().map(mapped).collect();
    if mapped.iter().all(Option::is_none) {
        return None;
    }
    let content = items.iter().zip(mapped).map(|(item, mapped)| mapped.unwrap_or_else(|| item.clone()));
    let content: Vec<Value> = content.collect();
    let mut message = message.clone();
    message.raw.insert("content", content);
    Some(message)
}

fn mapped(block: &Value) -> Option<Value> {
    let is = |key: &str, wanted: &str| block.get(key).and_then(Value::as_string).is_some_and(|text| *text == wanted);
    if !is("type", "toolCall") || !is("name", "edit") {
        return None;
    }
    let arguments = block.get("arguments")?;
    let path = arguments.get("path")?.as_string()?.clone();
    let text = new_texts(arguments)?;
    let mut block = block.as_object()?.clone();
    block.remove("partialArgs");
    block.insert("arguments", json_object! {"path": path, "new_string": text});
    Some(block.into())
}

/// The new texts of an edit, joined by LF; none for arguments of another spelling.
fn new_texts(arguments: &Value) -> Option<JsString> {
    if let Some(text) = arguments.get("newText") {
        return text.as_string().cloned();
    }
    let read;
    let edits = match arguments.get("edits")? {
        Value::String(text) => {
            read = json::parse(&text.to_string_lossy()).ok()?;
            &read
        }
        edits => edits,
    };
    let mut all: Option<JsString> = None;
    for edit in edits.as_array()? {
        let text = edit.get("newText")?.as_string()?;
        match &mut all {
            Some(all) => {
                all.push_str("\n");
                all.push_units(text.units());
            }
            None => all = Some(text.clone()),
        }
    }
    all
}
