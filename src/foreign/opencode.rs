//! Exports of opencode: `opencode export SESSION`, one document.

use std::io::{self, Read};

use crate::text::JsString;
use crate::text::json::{self, Value};

use super::model::{
    Adapter, Block, CallResult, Facts, Gathered, Happening, Options, Said, content_text, flag, is, member, text,
};
use super::{Input, tools};

/// Reads an export.
pub(super) struct Export(Gathered);

impl Export {
    pub(super) fn open(mut input: Box<dyn Input>, options: Options) -> io::Result<Self> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        let Ok(value) = json::parse(&String::from_utf8_lossy(&bytes)) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the document is no JSON to its end"));
        };
        let mut gathered = Gathered::default();
        let facts = &mut gathered.facts;
        facts.learn(|facts| &mut facts.session, member(&value, &["info", "id"]));
        facts.learn(|facts| &mut facts.cwd, member(&value, &["info", "directory"]));
        facts.learn(|facts| &mut facts.version, member(&value, &["info", "version"]));
        if let Some(ms) = member(&value, &["info", "time", "created"]).and_then(Value::as_f64).filter(|ms| *ms >= 0.0) {
            facts.time = Some(crate::clock::iso_time(ms as u64).into());
        }
        let is_subagent = text(&value, &["info", "parentID"]).is_some();
        for message in value.get("messages").and_then(Value::as_array).unwrap_or_default() {
            let parts = message.get("parts").and_then(Value::as_array).unwrap_or_default();
            if is(message, &["info", "role"], "user") {
                gathered.happenings.push_back(Happening::Prompt(0, content_text(message.get("parts"))));
            } else if is(message, &["info", "role"], "assistant") {
                if is_subagent && !options.subagents {
                    gathered.facts.subagents_left_out += 1;
                    continue;
                }
                let blocks = parts.iter().flat_map(|part| blocks_of(part, &mut gathered.facts)).collect();
                let said = Said {
                    id: text(message, &["info", "id"]).cloned(),
                    timestamp: member(message, &["info", "time", "created"]).and_then(Value::as_f64),
                    blocks,
                    aborted: is(message, &["info", "error", "name"], "MessageAbortedError"),
                    ..Said::default()
                };
                gathered.happenings.push_back(Happening::Said(Box::new(said)));
            }
        }
        Ok(Self(gathered))
    }
}

/// What a part is; a patch is several calls.
fn blocks_of(part: &Value, facts: &mut Facts) -> Vec<Block> {
    let tool = text(part, &["tool"]).filter(|tool| **tool == "apply_patch" || **tool == "patch");
    let input = member(part, &["state", "input"]);
    if let (Some(name), Some(patch)) = (tool, input.and_then(|input| text(input, &["patchText"]))) {
        let id = text(part, &["callID"]).cloned().unwrap_or_default();
        return tools::patch(&id, name, patch, None, facts).into_iter().map(Block::Call).collect();
    }
    block(part, facts).into_iter().collect()
}

fn block(part: &Value, facts: &mut Facts) -> Option<Block> {
    let kind = text(part, &["type"])?.to_string_lossy();
    match kind.as_str() {
        "text" if flag(part, "synthetic") => None,
        "text" => Some(Block::Text(vec![text(part, &["text"])?.clone()])),
        "reasoning" => Some(Block::Thinking(vec![text(part, &["text"])?.clone()])),
        "tool" => {
            let id = text(part, &["callID"]).cloned().unwrap_or_default();
            let name = text(part, &["tool"])?.clone();
            let input = member(part, &["state", "input"]).unwrap_or(&Value::Null);
            let mut call = tools::call(id, name, input, None);
            call.result = match text(part, &["state", "status"]).map(JsString::to_string_lossy).as_deref() {
                Some("completed") => CallResult::Ran,
                Some("error") => CallResult::Failed,
                _ => CallResult::Unknown,
            };
            Some(Block::Call(call))
        }
        "patch" | "file" | "snapshot" | "compaction" | "subtask" | "agent" | "retry" => None,
        other if other.starts_with("step-") => None,
        other => {
            facts.count_unknown(other);
            None
        }
    }
}

impl Adapter for Export {
    fn next(&mut self) -> io::Result<Option<Happening>> {
        let next = self.0.next()?;
        if let Some(happening) = &next {
            super::claude::tell_tools(happening, &mut self.0.facts);
        }
        Ok(next)
    }

    fn facts(&self) -> &Facts {
        self.0.facts()
    }
}
