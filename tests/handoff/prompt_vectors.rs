//! Reference verdicts on the request, the summary's wrapper, the generation and its guards.

use std::collections::VecDeque;

use ttsr::generation::Pipeline;
use ttsr::handoff::{FOCUS_LABEL, GenerationError, Model, ToolChoice, generate, request_text, wrap_summary};
use ttsr::message::Message;
use ttsr::text::JsString;
use ttsr::text::json::Value;

use crate::support::{js_string, run_vectors, strings};

/// Answers with the replies in order; the last repeats.
struct Stub {
    replies: VecDeque<Message>,
    choices: Vec<&'static str>,
}

impl Model for Stub {
    fn complete(&mut self, _: &JsString, tool_choice: ToolChoice) -> Result<Message, GenerationError> {
        self.choices.push(tool_choice.as_str());
        let reply = if self.replies.len() > 1 { self.replies.pop_front() } else { self.replies.front().cloned() };
        reply.ok_or(GenerationError::NoModel)
    }
}

/// Raises what a situation raises.
struct Refuses(GenerationError);

impl Model for Refuses {
    fn complete(&mut self, _: &JsString, _: ToolChoice) -> Result<Message, GenerationError> {
        Err(self.0.clone())
    }
}

#[test]
fn handoff_prompt_vectors() {
    run_vectors("handoff-prompt", |case| match text(case, "kind").as_str() {
        "prompt" => prompt(case),
        "wrapper" => wrapper(case),
        "generate" => generation(case),
        "guard" => guard(case),
        other => Err(format!("unknown kind {other}")),
    });
}

fn text(case: &Value, key: &str) -> String {
    case.get(key).and_then(Value::as_string).map(JsString::to_string_lossy).unwrap_or_default()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: T, got: T) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{what}: expected {expected:?}, got {got:?}")) }
}

fn prompt(case: &Value) -> Result<(), String> {
    let focus = js_string(case, "focus");
    let request = request_text(Pipeline::G5, focus.as_ref());
    let label: Vec<u16> = format!("\n{FOCUS_LABEL}").encode_utf16().collect();
    let found = request.units().windows(label.len()).position(|window| window == label);
    let (body, rendered) = match found {
        Some(at) => (&request.units()[..at], Some(&request.units()[at + label.len()..])),
        None => (request.units(), None),
    };
    let body = String::from_utf16_lossy(body);
    let headings: Vec<JsString> = body.lines().filter(|line| line.starts_with('#')).map(JsString::from).collect();
    same("headings", strings(case, "headings").unwrap_or_default(), headings)?;
    let appended = case.get("focus_appended").and_then(Value::as_bool).unwrap_or(false);
    same("focus_appended", appended, rendered.is_some())?;
    let rendered = rendered.map(|units| JsString::from_units(units.strip_prefix(&[0x20]).unwrap_or(units)));
    same("focus_text", js_string(case, "focus_text"), rendered)
}

fn wrapper(case: &Value) -> Result<(), String> {
    let document = js_string(case, "document").unwrap_or_default();
    let wrapped = wrap_summary(&document);
    let open: Vec<u16> = "\n<handoff>\n".encode_utf16().collect();
    let close: Vec<u16> = "</handoff>".encode_utf16().collect();
    let start = wrapped.units().windows(open.len()).position(|window| window == open);
    let flag = |key: &str| case.get(key).and_then(Value::as_bool).unwrap_or(false);
    same("opens_alone_on_line", flag("opens_alone_on_line"), start.is_some())?;
    same("ends_with_closing_tag", flag("ends_with_closing_tag"), wrapped.units().ends_with(&close))?;
    let inner = start.and_then(|at| wrapped.units()[at + open.len()..].strip_suffix(close.as_slice()));
    let inner = inner.map(|units| JsString::from_units(units.strip_suffix(&[0x0A]).unwrap_or(units)));
    same("inner", js_string(case, "inner"), inner)
}

fn generation(case: &Value) -> Result<(), String> {
    let replies = case.get("replies").and_then(Value::as_array).unwrap_or_default();
    let replies = replies.iter().filter_map(Value::as_object).cloned().map(|mut raw| {
        raw.insert("role", "assistant");
        Message::new(raw)
    });
    let mut stub = Stub { replies: replies.collect(), choices: Vec::new() };
    let automatic = case.get("auto_triggered").and_then(Value::as_bool).unwrap_or(false);
    let result = generate(&mut stub, &request_text(Pipeline::G5, None), automatic);
    let (document, error) = match result {
        Ok(found) => (found.map(|(document, _)| document), None),
        Err(error) => (None, Some(error.message())),
    };
    same("error", js_string(case, "error"), error)?;
    same("document", js_string(case, "document"), document)?;
    let requests = case.get("requests").and_then(Value::as_f64).unwrap_or_default();
    same("requests", requests as usize, stub.choices.len())?;
    let choices = strings(case, "tool_choice").unwrap_or_default();
    same("tool_choice", choices, stub.choices.into_iter().map(JsString::from).collect())
}

fn guard(case: &Value) -> Result<(), String> {
    let error = match text(case, "guard").as_str() {
        "no-model" => GenerationError::NoModel,
        "no-api-key" | "no-key" => {
            GenerationError::NoKey { provider: js_string(case, "provider").unwrap_or_else(|| "local".into()) }
        }
        name if name.starts_with("aborted") => GenerationError::Cancelled { reason: js_string(case, "reason") },
        other => return Err(format!("unknown guard {other}")),
    };
    let raised = generate(&mut Refuses(error), &request_text(Pipeline::G5, None), false);
    let raised = raised.err().map(|error| error.message());
    same("error", js_string(case, "error"), raised)
}
