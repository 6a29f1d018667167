//! What was said in a session, as text to be pasted into a model by hand.

use std::fmt::Write as _;

use super::escape_lines;
use crate::message::{ContentBlock, Message};
use crate::session::Context;
use crate::text::JsString;

/// The messages of a context, each under a heading that names who speaks.
pub fn render(context: &Context) -> String {
    let mut out = String::from("This is the transcript of a session with a coding agent.\n");
    for sent in &context.messages {
        message(&mut out, &sent.message);
    }
    out
}

fn shown(text: &JsString) -> String {
    escape_lines(&text.to_string_lossy())
}

fn message(out: &mut String, message: &Message) {
    let role = message.role().to_string_lossy();
    let tool = message.string("toolName").map(|name| format!(" of {}", shown(&name).replace('\n', " ")));
    let who = match role.as_str() {
        "toolResult" => format!("result{}", tool.unwrap_or_default()),
        "custom" => "note of the agent".to_owned(),
        "compactionSummary" | "branchSummary" => "summary of what came before".to_owned(),
        other => escape_lines(other).replace('\n', " "),
    };
    let _ = writeln!(out, "\n[{who}]");
    if let Some(summary) = message.string("summary") {
        let _ = writeln!(out, "{}", shown(&summary));
    }
    for block in message.blocks() {
        let _ = match block {
            ContentBlock::Text(text) => writeln!(out, "{}", shown(&text)),
            ContentBlock::ToolCall(call) => {
                writeln!(out, "(calls {} {})", shown(&call.name), escape_lines(&call.arguments.to_json()))
            }
            ContentBlock::Other(kind) => writeln!(out, "({})", shown(&kind)),
            ContentBlock::Thinking(_) => Ok(()),
        };
    }
}
