//! Which calls reach a tool: what the agent refuses before it runs anything (engine.md E7.5a).

use crate::builtin::tools;
use crate::message::ToolCall;
use crate::text::JsString;
use crate::text::json::Value;

/// What a scripted agent says of a call that it refuses: there is no such tool, or an argument is missing. None when
/// the call reaches its tool.
///
/// `writes_empty`: whether a `write` without content reaches the tool and fails there (generation-v4.md W13).
pub(super) fn refusal(call: &ToolCall, writes_empty: bool) -> Option<JsString> {
    let name = call.name.to_string_lossy();
    if !tools::may_be_there(&name) {
        return Some(format!("Tool {name} not found").into());
    }
    let mut missing = missing(&name, &call.arguments);
    if name == "write" && writes_empty {
        missing.retain(|key| *key != "content");
    }
    if missing.is_empty() {
        return None;
    }
    let mut text = format!("Validation failed for tool \"{name}\":");
    for key in missing {
        text.push_str(&format!("\n  - {key}: {key} must be a string (was missing)"));
    }
    Some(text.into())
}

/// Whether some edit of a list is one of a patch.
fn is_patch(arguments: &Value) -> bool {
    let edits = arguments.get("edits").and_then(Value::as_array).unwrap_or_default();
    edits.iter().any(|edit| ["diff", "op", "rename"].iter().any(|key| edit.get(key).is_some()))
}

fn missing(name: &str, arguments: &Value) -> Vec<&'static str> {
    let is_string = |key: &str| arguments.get(key).and_then(Value::as_string).is_some();
    let required: Vec<&'static str> = match name {
        // A list of edits, a patch or hashline text, else the replacement of a string.
        "edit" if is_patch(arguments) => vec!["path"],
        "edit" if arguments.get("input").is_some() || arguments.get("_input").is_some() => Vec::new(),
        "edit" => vec!["path", "old_string", "new_string"],
        _ => tools::tool(name).into_iter().flat_map(tools::Tool::required).collect(),
    };
    required.into_iter().filter(|key| !is_string(key)).collect()
}
