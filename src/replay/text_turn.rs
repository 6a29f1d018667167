//! One whole text as a message or a finished call.

use crate::json_object;
use crate::message::{AgentEvent, Message, Source};
use crate::stream::Origin;
use crate::text::JsString;
use crate::text::json::Value;

use crate::history::Turn;

/// A message or a finished call made of one text (cli.md, `--text`).
#[derive(Clone, Debug, PartialEq)]
pub struct TextInput {
    /// What it is.
    pub source: Source,
    /// The tool, for a call.
    pub tool: JsString,
    /// The file that the call names.
    pub path: Option<JsString>,
    /// The text.
    pub text: JsString,
}

/// One whole text as a recorded turn: one delta, and for a call its end.
pub(super) fn text_turn(input: &TextInput) -> Turn {
    let at = |delta: Option<usize>| Origin { message: Some(0), block: Some(0), delta, ..Origin::default() };
    let delta = input.text.clone();
    let (events, block) = match input.source {
        Source::Text => (
            vec![(at(Some(0)), AgentEvent::TextDelta { index: 0, delta: delta.clone() })],
            json_object! {"type": "text", "text": delta},
        ),
        Source::Thinking => (
            vec![(at(Some(0)), AgentEvent::ThinkingDelta { index: 0, delta: delta.clone() })],
            json_object! {"type": "thinking", "thinking": delta},
        ),
        Source::Tool => {
            let arguments = input.assume().arguments;
            let id = JsString::from("call_0");
            let name = input.tool.clone();
            let events = vec![
                (at(None), AgentEvent::ToolCallStart { index: 0, id: Some(id.clone()), name: Some(name.clone()) }),
                (at(Some(0)), AgentEvent::ToolCallDelta { index: 0, delta: arguments.stringify().into() }),
                (
                    at(None),
                    AgentEvent::ToolCallEnd {
                        index: 0,
                        id: id.clone(),
                        name: name.clone(),
                        arguments: Some(arguments.clone()),
                    },
                ),
            ];
            (events, json_object! {"type": "toolCall", "id": id, "name": name, "arguments": arguments})
        }
    };
    let stop = if input.source == Source::Tool { "toolUse" } else { "stop" };
    let message = Message::new(json_object! {
        "role": "assistant",
        "content": vec![Value::Object(block)],
        "stopReason": stop,
    });
    let result = (input.source == Source::Tool).then(|| {
        let ok = json_object! {"type": "text", "text": "ok"};
        let result = json_object! {
            "role": "toolResult",
            "toolCallId": "call_0",
            "toolName": input.tool.clone(),
            "content": vec![Value::Object(ok)],
            "isError": false,
        };
        (Origin::default(), Message::new(result))
    });
    Turn {
        origin: Origin { message: Some(0), ..Origin::default() },
        starts_turn: true,
        events: events.into_iter().collect(),
        end: Some((Origin { message: Some(0), ..Origin::default() }, message)),
        results: result.into_iter().collect(),
        turn_ends: 1,
        ..Turn::default()
    }
}
