//! What `codex exec --json` prints: prose, thinking and commands; a changed file is named without its content.

use std::io;

use crate::json_object;
use crate::text::JsString;
use crate::text::json::Value;

use super::Input;
use super::lines::Lines;
use super::model::{Adapter, Block, Call, CallResult, Facts, Happening, Said, Shows, is, text};

/// Reads the events one by one.
pub(super) struct Events {
    lines: Lines<Box<dyn Input>>,
    facts: Facts,
}

impl Events {
    pub(super) fn new(input: Box<dyn Input>) -> Self {
        Self { lines: Lines::new(input), facts: Facts::default() }
    }

    fn block(&mut self, item: &Value) -> Option<Block> {
        let said = || text(item, &["text"]).cloned();
        let id = text(item, &["id"]).cloned().unwrap_or_default();
        let kind = text(item, &["type"]).or_else(|| text(item, &["item_type"]))?.to_string_lossy();
        let call = |tool: JsString, foreign: JsString, arguments: Value| {
            Block::Call(Call { id, tool, foreign, shows: Shows::Arguments(arguments), result: CallResult::Ran })
        };
        match kind.as_str() {
            "agent_message" | "assistant_message" => Some(Block::Text(vec![said()?])),
            "reasoning" => Some(Block::Thinking(vec![said()?])),
            "command_execution" => {
                let command = text(item, &["command"])?.clone();
                Some(call("bash".into(), kind.into(), json_object! {"command": command}.into()))
            }
            "mcp_tool_call" => {
                let part = |key: &str| text(item, &[key]).map(JsString::to_string_lossy).unwrap_or_default();
                let name = JsString::from(format!("mcp__{}__{}", part("server"), part("tool")));
                Some(call(name.clone(), name, item.get("arguments").cloned().unwrap_or(Value::Null)))
            }
            "file_change" => {
                self.facts.opaque_calls += 1;
                None
            }
            "web_search" | "todo_list" | "error" => None,
            other => {
                self.facts.count_unknown(other);
                None
            }
        }
    }
}

impl Adapter for Events {
    fn next(&mut self) -> io::Result<Option<Happening>> {
        while let Some((number, _, record)) = self.lines.next(&mut self.facts)? {
            self.facts.learn(|facts| &mut facts.session, record.get("thread_id"));
            let item = record.get("item").filter(|_| is(&record, &["type"], "item.completed"));
            if let Some(block) = item.and_then(|item| self.block(item)) {
                let said = Said { line: Some(number), blocks: vec![block], ..Said::default() };
                let happening = Happening::Said(Box::new(said));
                super::claude::tell_tools(&happening, &mut self.facts);
                return Ok(Some(happening));
            }
        }
        Ok(None)
    }

    fn facts(&self) -> &Facts {
        &self.facts
    }
}
