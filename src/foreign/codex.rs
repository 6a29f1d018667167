//! Rollouts of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-UUID.jsonl`.
//!
//! Only response items are what the model said; events repeat them, and a compaction repeats what is old. There is no
//! message object: one message is what the model said up to the next output of a tool or prompt.

use std::collections::VecDeque;
use std::io;

use crate::json_object;
use crate::text::JsString;
use crate::text::json::{self, Value};

use super::claude::tell_tools;
use super::lines::Lines;
use super::model::{
    Adapter, Block, Call, CallResult, Facts, Happening, Options, Said, Shows, content_text, is, joined, member, text,
    time_ms,
};
use super::{Input, tools};

/// Reads a rollout record by record.
pub(super) struct Rollout {
    lines: Lines<Box<dyn Input>>,
    facts: Facts,
    options: Options,
    is_subagent: bool,
    /// The directory of the turn, where it is not the session's.
    cwd: Option<JsString>,
    open: Option<Box<Said>>,
    /// Whether the output of a call ended the model's part of the open message.
    answered: bool,
    done: VecDeque<Happening>,
}

impl Rollout {
    pub(super) fn new(input: Box<dyn Input>, options: Options) -> Self {
        Self {
            lines: Lines::new(input),
            facts: Facts::default(),
            options,
            is_subagent: false,
            cwd: None,
            open: None,
            answered: false,
            done: VecDeque::new(),
        }
    }

    fn record(&mut self, number: usize, record: &Value) {
        let kind = text(record, &["type"]).map(JsString::to_string_lossy).unwrap_or_default();
        let timestamp = time_ms(record.get("timestamp"));
        self.facts.learn(|facts| &mut facts.time, record.get("timestamp"));
        let payload = record.get("payload");
        match (kind.as_str(), payload) {
            ("session_meta", Some(meta)) => {
                let is_first = self.facts.session.is_none();
                self.facts.learn(|facts| &mut facts.session, meta.get("id"));
                self.facts.learn(|facts| &mut facts.version, meta.get("cli_version"));
                self.facts.learn(|facts| &mut facts.cwd, meta.get("cwd"));
                // A fork repeats the records of its origin; the first one is its own.
                let subagent =
                    text(meta, &["parent_thread_id"]).is_some() || member(meta, &["source", "subagent"]).is_some();
                self.is_subagent |= is_first && subagent;
            }
            ("turn_context", Some(context)) => {
                let cwd = text(context, &["cwd"]);
                self.facts.learn(|facts| &mut facts.cwd, context.get("cwd"));
                self.cwd = cwd.filter(|cwd| Some(*cwd) != self.facts.cwd.as_ref()).cloned();
            }
            ("response_item", Some(item)) => self.item(number, timestamp, item),
            ("event_msg", Some(event)) => self.event(event),
            ("compacted" | "world_state" | "inter_agent_communication" | "inter_agent_communication_metadata", _) => {}
            ("", _) if record.get("instructions").is_some() => {
                self.facts.learn(|facts| &mut facts.session, record.get("id"));
            }
            ("", _) if record.get("record_type").is_some() => {}
            // The bare era: items without an envelope.
            (_, None) => self.item(number, timestamp, record),
            (other, _) => self.facts.count_unknown(other),
        }
    }

    fn event(&mut self, event: &Value) {
        match text(event, &["type"]).map(JsString::to_string_lossy).as_deref() {
            Some("turn_aborted") => {
                if let Some(open) = &mut self.open {
                    open.aborted = true;
                }
                self.flush();
            }
            Some("task_started" | "task_complete" | "turn_started" | "turn_complete") => self.flush(),
            _ => {}
        }
    }

    fn item(&mut self, number: usize, timestamp: Option<f64>, item: &Value) {
        let kind = text(item, &["type"]).map(JsString::to_string_lossy).unwrap_or_default();
        let id = || text(item, &["call_id"]).or_else(|| text(item, &["id"])).cloned().unwrap_or_default();
        let blocks: Vec<Block> = match kind.as_str() {
            "message" if is(item, &["role"], "assistant") => {
                let parts = item.get("content").and_then(Value::as_array).unwrap_or_default();
                let texts = parts.iter().filter_map(|part| part.get("text")?.as_string());
                texts.map(|text| Block::Text(vec![text.clone()])).collect()
            }
            "message" => {
                let asked = content_text(item.get("content"));
                let is_user = is(item, &["role"], "user");
                if is_user && asked.starts_with("<environment_context>") {
                    self.learn_environment(&asked);
                }
                let is_prompt = is_user && !asked.starts_with("<") && !asked.starts_with("# AGENTS.md");
                self.flush();
                if is_prompt {
                    self.done.push_back(Happening::Prompt(number, asked));
                }
                return;
            }
            "reasoning" => {
                let texts = |key: &str| {
                    let parts = item.get(key).and_then(Value::as_array).unwrap_or_default();
                    joined(parts.iter().filter_map(|part| part.get("text")?.as_string()))
                };
                let thought = [texts("content"), texts("summary")].into_iter().find(|text| !text.is_empty());
                if thought.is_none() {
                    self.facts.thinking_absent += 1;
                }
                thought.map(|text| Block::Thinking(vec![text])).into_iter().collect()
            }
            "function_call" => {
                let input = text(item, &["arguments"]).cloned().unwrap_or_default();
                let namespace = text(item, &["namespace"]).filter(|namespace| !namespace.is_empty());
                let name = text(item, &["name"]).cloned().unwrap_or_default();
                let name = match namespace {
                    Some(namespace) => format!("{}__{}", namespace.to_string_lossy(), name.to_string_lossy()).into(),
                    None => name,
                };
                let arguments = json::parse(&input.to_string_lossy()).unwrap_or(Value::String(input));
                self.function(&id(), &name, arguments)
            }
            "local_shell_call" => {
                let command = member(item, &["action", "command"]).cloned().unwrap_or(Value::Null);
                self.function(&id(), &"shell".into(), json_object! {"command": command}.into())
            }
            "custom_tool_call" => {
                let name = text(item, &["name"]).cloned().unwrap_or_default();
                let input = text(item, &["input"]).cloned().unwrap_or_default();
                if name == "apply_patch" {
                    self.patch(&id(), &name, &input)
                } else {
                    self.facts.opaque_calls += usize::from(name == "exec" || name == "js_repl");
                    vec![plain(id(), name, Value::String(input))]
                }
            }
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                let id = id();
                if let Some(open) = &mut self.open {
                    for block in &mut open.blocks {
                        if let Block::Call(call) = block {
                            let mut part = id.clone();
                            part.push_str("#");
                            if call.id == id || call.id.units().starts_with(part.units()) {
                                call.result = CallResult::Ran;
                            }
                        }
                    }
                }
                self.answered = true;
                return;
            }
            "ghost_snapshot"
            | "web_search_call"
            | "image_generation_call"
            | "agent_message"
            | "compaction"
            | "context_compaction"
            | "tool_search_call"
            | "tool_search_output" => return,
            other => {
                self.facts.count_unknown(other);
                return;
            }
        };
        if self.answered {
            self.flush();
        }
        self.open
            .get_or_insert_with(|| Box::new(Said { line: Some(number), timestamp, ..Said::default() }))
            .blocks
            .extend(blocks);
    }

    fn function(&mut self, id: &JsString, name: &JsString, arguments: Value) -> Vec<Block> {
        let command = match name.to_string_lossy().as_str() {
            "shell" | "container.exec" | "shell_command" => arguments.get("command"),
            "exec_command" => arguments.get("cmd"),
            "apply_patch" => {
                let input = text(&arguments, &["input"]).or(arguments.as_string()).cloned();
                return self.patch(id, name, &input.unwrap_or_default());
            }
            _ => None,
        };
        let Some(command) = command.and_then(command_text) else {
            return vec![plain(id.clone(), name.clone(), arguments)];
        };
        if let Some(patch) = heredoc_patch(&command) {
            return self.patch(id, name, &patch);
        }
        let shows = Shows::Arguments(json_object! {"command": command}.into());
        let (id, foreign) = (id.clone(), name.clone());
        vec![Block::Call(Call { id, tool: "bash".into(), foreign, shows, result: CallResult::Unknown })]
    }

    fn patch(&mut self, id: &JsString, name: &JsString, patch: &JsString) -> Vec<Block> {
        let calls = tools::patch(id, name, patch, self.cwd.as_ref(), &mut self.facts);
        calls.into_iter().map(Block::Call).collect()
    }

    /// The bare era names the directory in the first prompt only.
    fn learn_environment(&mut self, asked: &JsString) {
        let text = asked.to_string_lossy();
        let tagged = text.split_once("<cwd>").and_then(|(_, rest)| Some(rest.split_once("</cwd>")?.0));
        let named = || text.lines().find_map(|line| line.trim().strip_prefix("Current working directory:"));
        if let Some(cwd) = tagged.or_else(named).filter(|_| self.facts.cwd.is_none()) {
            self.facts.cwd = Some(cwd.trim().into());
        }
    }

    fn flush(&mut self) {
        self.answered = false;
        let Some(open) = self.open.take() else { return };
        if self.is_subagent && !self.options.subagents {
            self.facts.subagents_left_out += 1;
        } else {
            self.done.push_back(Happening::Said(open));
        }
    }
}

impl Adapter for Rollout {
    fn next(&mut self) -> io::Result<Option<Happening>> {
        loop {
            if let Some(happening) = self.done.pop_front() {
                tell_tools(&happening, &mut self.facts);
                return Ok(Some(happening));
            }
            match self.lines.next(&mut self.facts)? {
                Some((number, _, record)) => self.record(number, &record),
                None => {
                    self.flush();
                    if self.done.is_empty() {
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn facts(&self) -> &Facts {
        &self.facts
    }
}

fn plain(id: JsString, name: JsString, arguments: Value) -> Block {
    let shows = Shows::Arguments(arguments);
    Block::Call(Call { id, tool: name.clone(), foreign: name, shows, result: CallResult::Unknown })
}

/// The text of a command: what a shell is given, or the words joined.
fn command_text(command: &Value) -> Option<JsString> {
    let words = match command {
        Value::String(text) => return Some(text.clone()),
        Value::Array(words) => words.iter().filter_map(Value::as_string).collect::<Vec<_>>(),
        _ => return None,
    };
    if let [shell, option, script] = words[..]
        && shell
            .to_string_lossy()
            .rsplit(['/', '\\'])
            .next()
            .is_some_and(|name| name.trim_end_matches(".exe").ends_with("sh") || name.starts_with("powershell"))
        && matches!(option.to_string_lossy().as_str(), "-lc" | "-c" | "-Command")
    {
        return Some(script.clone());
    }
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy()).collect();
    Some(words.join(" ").into())
}

/// The patch in `apply_patch <<'EOF' …`, or in the words `apply_patch PATCH`.
fn heredoc_patch(command: &JsString) -> Option<JsString> {
    let text = command.to_string_lossy();
    let rest = text.trim_start().strip_prefix("apply_patch")?;
    let begin = rest.find("*** Begin Patch")?;
    let patch = rest.get(begin..)?;
    let end = patch.find("*** End Patch").map_or(patch.len(), |at| at + "*** End Patch".len());
    Some(patch.get(..end)?.into())
}
