//! The outputs that a finished message is cut into (generation-v4.md W5).

use crate::engine::Context;
use crate::message::{ContentBlock, Message, Source, ToolCall};
use crate::text::JsString;
use crate::text::json::Value;
use crate::tool::{CallReader, ReadOptions};

/// One output of a finished message.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// What it is called towards the judge and in warnings: `reply`, `reasoning`, `` `TOOL` call `` or
    /// `` `TOOL` call on `PATH` ``.
    pub subject: JsString,
    /// What is judged, uncut.
    pub content: JsString,
    /// What it is part of, for scope and globs.
    pub context: Context,
    /// The id of the call; none for prose and for calls without one.
    pub tool_call: Option<JsString>,
}

/// The outputs in their order: tool calls, one output per file where a call reports files, then the reply, then the
/// reasoning. A message that ended `aborted` or `error` has none.
pub fn outputs(message: &Message, reading: &ReadOptions) -> Vec<Output> {
    let mut outputs = Vec::new();
    if message.is_cut_short() {
        return outputs;
    }
    let (mut reply, mut reasoning) = (Vec::new(), Vec::new());
    for (index, block) in message.blocks().into_iter().enumerate() {
        match block {
            ContentBlock::ToolCall(call) => of_call(&call, index, reading, &mut outputs),
            ContentBlock::Text(text) => reply.push(text),
            ContentBlock::Thinking(text) => reasoning.push(text),
            ContentBlock::Other(_) => {}
        }
    }
    outputs.extend(of_prose("reply", Source::Text, &reply));
    outputs.extend(of_prose("reasoning", Source::Thinking, &reasoning));
    outputs
}

/// The blocks joined by a blank line, unless all of it is blank.
fn of_prose(subject: &str, source: Source, blocks: &[JsString]) -> Option<Output> {
    let mut content = JsString::new();
    for (at, block) in blocks.iter().enumerate() {
        if at > 0 {
            content.push_str("\n\n");
        }
        content.push_units(block.units());
    }
    let context = Context::prose(source);
    (!content.is_blank()).then(|| Output { subject: subject.into(), content, context, tool_call: None })
}

fn of_call(call: &ToolCall, index: usize, reading: &ReadOptions, outputs: &mut Vec<Output>) {
    let mut reader = CallReader::new(&call.name, reading);
    reader.finish(Some(&call.arguments));
    let paths = reader.step().paths.map(<[JsString]>::to_vec).unwrap_or_default();
    let context = Context::call(&call.id, &call.name, index, paths);
    let tool_call = (!call.id.is_empty()).then(|| call.id.clone());
    let inspection = reader.inspect();
    if let Some(entries) = inspection.entries {
        outputs.extend(entries.iter().map(|entry| Output {
            subject: subject(&call.name, Some(entry.path)),
            content: JsString::from_units(entry.digest.text),
            context: context.entry(entry.path, &reading.cwd),
            tool_call: tool_call.clone(),
        }));
        return;
    }
    let content = match inspection.digest {
        Some(digest) => JsString::from_units(digest.text),
        None => match &call.arguments {
            Value::String(text) => text.clone(),
            Value::Null => "{}".into(),
            arguments => JsString::from(arguments.stringify()),
        },
    };
    outputs.push(Output { subject: subject(&call.name, context.paths.first()), content, context, tool_call });
}

fn subject(tool: &JsString, path: Option<&JsString>) -> JsString {
    let mut subject = JsString::from("`");
    subject.push_units(tool.units());
    subject.push_str("` call");
    if let Some(path) = path {
        subject.push_str(" on `");
        subject.push_units(path.units());
        subject.push_str("`");
    }
    subject
}
