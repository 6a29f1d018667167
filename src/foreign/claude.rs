//! Sessions of Claude Code: `~/.claude/projects/SLUG/UUID.jsonl`.
//!
//! The file is read twice: for the branch from its last record up to the root, and record by record along it. One
//! message stands on several lines of the same `message.id`, with tool results between.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, BufReader, Seek};

use crate::text::JsString;
use crate::text::json::Value;

use super::lines::{self, Lines};
use super::model::{
    Adapter, Block, CallResult, Facts, Happening, Options, Said, content_text, flag, is, member, text, time_ms,
};
use super::{Input, tools};

const REJECTED: &str = "The user doesn't want to proceed with this tool use";
const INTERRUPTED: &str = "[Request interrupted by user";

/// A record, as far as the branch needs it.
struct Row {
    offset: usize,
    number: usize,
    parent: Option<JsString>,
    message: Option<JsString>,
    is_result: bool,
    is_sidechain: bool,
}

/// Reads a session along its branch.
pub(super) struct Session {
    input: BufReader<Box<dyn Input>>,
    /// Line number and offset of what is played, in order; none where another agent begins.
    order: std::vec::IntoIter<Option<(usize, usize)>>,
    merged: Merged,
    facts: Facts,
}

impl Session {
    pub(super) fn open(input: Box<dyn Input>, options: Options) -> io::Result<Self> {
        let (mut facts, mut rows, mut by_id) = (Facts::default(), Vec::new(), HashMap::new());
        let mut lines = Lines::new(input);
        while let Some((number, offset, record)) = lines.next(&mut facts)? {
            index(number, offset, &record, &mut rows, &mut by_id, &mut facts);
        }
        let mut input = lines.into_inner();
        input.rewind()?;
        let order = order(&rows, &by_id, options, &mut facts);
        let cwd = facts.cwd.clone();
        Ok(Self { input: BufReader::new(input), order: order.into_iter(), merged: Merged::new(cwd), facts })
    }

    fn record(&mut self, offset: usize) -> io::Result<Option<Value>> {
        let at = self.input.stream_position()?;
        self.input.seek_relative(offset as i64 - at as i64)?;
        let mut line = Vec::new();
        self.input.read_until(b'\n', &mut line)?;
        Ok(lines::parse(line.trim_ascii_end()))
    }
}

fn index(
    number: usize,
    offset: usize,
    record: &Value,
    rows: &mut Vec<Row>,
    by_id: &mut HashMap<JsString, usize>,
    facts: &mut Facts,
) {
    facts.learn(|facts| &mut facts.version, record.get("version"));
    facts.learn(|facts| &mut facts.session, record.get("sessionId"));
    let kind = text(record, &["type"]).map(JsString::to_string_lossy).unwrap_or_default();
    let is_conversation = matches!(kind.as_str(), "user" | "assistant");
    if is_conversation {
        facts.learn(|facts| &mut facts.cwd, record.get("cwd"));
        facts.learn(|facts| &mut facts.time, record.get("timestamp"));
    } else if !KNOWN.contains(&kind.as_str()) {
        facts.count_unknown(&kind);
    }
    let Some(id) = text(record, &["uuid"]).cloned() else {
        if is_conversation {
            rows.push(Row::of(number, offset, record, &kind));
        }
        return;
    };
    if by_id.contains_key(&id) {
        return;
    }
    by_id.insert(id, rows.len());
    rows.push(Row::of(number, offset, record, &kind));
}

impl Row {
    fn of(number: usize, offset: usize, record: &Value, kind: &str) -> Self {
        let parent = text(record, &["parentUuid"]).or_else(|| text(record, &["logicalParentUuid"]));
        Self {
            offset,
            number,
            parent: parent.cloned(),
            message: (kind == "assistant").then(|| message_id(record)).flatten().cloned(),
            is_result: kind == "user" && results(record).next().is_some(),
            is_sidechain: flag(record, "isSidechain"),
        }
    }
}

/// Types of records that are no part of the conversation.
const KNOWN: &[&str] = &[
    "user",
    "assistant",
    "system",
    "summary",
    "ai-title",
    "custom-title",
    "last-prompt",
    "mode",
    "permission-mode",
    "agent-name",
    "agent-color",
    "agent-setting",
    "attachment",
    "progress",
    "pr-link",
    "queue-operation",
    "file-history-snapshot",
    "file-history-delta",
    "worktree-state",
    "tag",
    "content-replacement",
];

/// The places of the branch that ends at the last record, and behind it those of the sub-agents.
fn order(
    rows: &[Row],
    by_id: &HashMap<JsString, usize>,
    options: Options,
    facts: &mut Facts,
) -> Vec<Option<(usize, usize)>> {
    let whole_is_sidechain = rows.iter().all(|row| row.is_sidechain);
    let is_main = |row: &Row| !row.is_sidechain;
    let mut branch = HashSet::new();
    let mut at = rows.iter().rposition(is_main);
    while let Some(index) = at.filter(|index| branch.insert(*index)) {
        let Some(row) = rows.get(index) else { break };
        at = match &row.parent {
            // A parent that is not there: a torn line, or the beginning in another file. What stands before goes on.
            Some(parent) => by_id
                .get(parent)
                .copied()
                .or_else(|| rows.get(..index).and_then(|before| before.iter().rposition(is_main))),
            None => None,
        };
    }
    // Without ids there are no branches.
    if by_id.is_empty() {
        branch = (0..rows.len()).filter(|&at| rows.get(at).is_some_and(is_main)).collect();
    }
    // Calls and results that ran side by side hang beside the branch.
    let messages: HashSet<&JsString> = branch.iter().filter_map(|&at| rows.get(at)?.message.as_ref()).collect();
    let belongs = |row: &Row| row.message.as_ref().is_some_and(|id| messages.contains(id));
    let mut chosen: Vec<usize> = (0..rows.len())
        .filter(|&at| {
            let Some(row) = rows.get(at) else { return false };
            let parent = || row.parent.as_ref().and_then(|id| rows.get(*by_id.get(id)?));
            is_main(row) && (branch.contains(&at) || belongs(row) || (row.is_result && parent().is_some_and(belongs)))
        })
        .collect();
    chosen.sort_unstable();
    let place = |at: usize| rows.get(at).map(|row| (row.number, row.offset));
    let mut order: Vec<_> = chosen.into_iter().map(place).collect();
    let side: Vec<usize> = (0..rows.len()).filter(|&at| rows.get(at).is_some_and(|row| row.is_sidechain)).collect();
    if options.subagents && !side.is_empty() {
        let mut chains: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut root_of: HashMap<usize, usize> = HashMap::new();
        for at in side {
            let parent = rows.get(at).and_then(|row| row.parent.as_ref()).and_then(|id| by_id.get(id));
            let root = parent.and_then(|parent| root_of.get(parent)).copied().unwrap_or(at);
            root_of.insert(at, root);
            match chains.iter_mut().find(|(known, _)| *known == root) {
                Some((_, chain)) => chain.push(at),
                None => chains.push((root, vec![at])),
            }
        }
        for (_, chain) in chains {
            if !(whole_is_sidechain && order.is_empty()) {
                order.push(None);
            }
            order.extend(chain.into_iter().map(place));
        }
    } else {
        let messages: HashSet<&JsString> = side.iter().filter_map(|&at| rows.get(at)?.message.as_ref()).collect();
        facts.subagents_left_out = messages.len();
    }
    order
}

impl Adapter for Session {
    fn next(&mut self) -> io::Result<Option<Happening>> {
        loop {
            if let Some(happening) = self.merged.done.pop_front() {
                tell_tools(&happening, &mut self.facts);
                return Ok(Some(happening));
            }
            match self.order.next() {
                Some(Some((number, offset))) => {
                    if let Some(record) = self.record(offset)? {
                        self.merged.record(number, &record, &mut self.facts);
                    }
                }
                Some(None) => {
                    self.merged.flush();
                    self.merged.done.push_back(Happening::OtherAgent);
                }
                None => {
                    self.merged.flush();
                    if self.merged.done.is_empty() {
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

/// The id that joins the lines of a message.
fn message_id(record: &Value) -> Option<&JsString> {
    text(record, &["message", "id"]).or_else(|| text(record, &["requestId"])).or_else(|| text(record, &["uuid"]))
}

/// The tool results of a user record.
fn results(record: &Value) -> impl Iterator<Item = &Value> {
    let content = member(record, &["message", "content"]).and_then(Value::as_array).unwrap_or_default();
    content.iter().filter(|block| is(block, &["type"], "tool_result"))
}

/// Merges the lines of messages.
#[derive(Default)]
pub(super) struct Merged {
    cwd: Option<JsString>,
    open: Option<Box<Said>>,
    /// What is ready to be played.
    pub(super) done: std::collections::VecDeque<Happening>,
}

impl Merged {
    pub(super) fn new(cwd: Option<JsString>) -> Self {
        Self { cwd, ..Self::default() }
    }

    /// Takes the next record of the conversation.
    pub(super) fn record(&mut self, number: usize, record: &Value, facts: &mut Facts) {
        match text(record, &["type"]).map(JsString::to_string_lossy).as_deref() {
            Some("assistant") => self.assistant(number, record, facts),
            Some("user") => self.user(number, record, facts),
            _ => {}
        }
    }

    fn assistant(&mut self, number: usize, record: &Value, facts: &mut Facts) {
        if flag(record, "isApiErrorMessage") || is(record, &["message", "model"], "<synthetic>") {
            return;
        }
        let id = message_id(record).cloned();
        if self.open.as_ref().is_some_and(|open| open.id != id || id.is_none()) {
            self.flush();
        }
        let said = self.open.get_or_insert_with(|| {
            let timestamp = time_ms(record.get("timestamp"));
            Box::new(Said { line: Some(number), id, timestamp, ..Said::default() })
        });
        said.aborted |= flag(record, "isAbortedMidStream");
        // A path is relative to the directory of its own record.
        let cwd = text(record, &["cwd"]).filter(|cwd| Some(*cwd) != self.cwd.as_ref());
        match member(record, &["message", "content"]) {
            Some(Value::String(text)) => said.blocks.push(Block::Text(vec![text.clone()])),
            Some(Value::Array(blocks)) => {
                for block in blocks {
                    said.blocks.extend(read_block(block, cwd, facts));
                }
            }
            _ => {}
        }
    }

    fn user(&mut self, number: usize, record: &Value, facts: &mut Facts) {
        let mut has_results = false;
        let mut interrupted = record.get("interruptedMessageId").is_some() || flag(record, "interruptedByShutdown");
        for result in results(record) {
            has_results = true;
            let said = content_text(result.get("content"));
            interrupted |= said.starts_with(INTERRUPTED);
            let rejected = said.starts_with(REJECTED) || record.get("toolDenialKind").is_some();
            let outcome = match (rejected, flag(result, "is_error")) {
                (true, _) => CallResult::Rejected,
                (false, true) => CallResult::Failed,
                (false, false) => CallResult::Ran,
            };
            facts.rejected += usize::from(rejected);
            let id = text(result, &["tool_use_id"]);
            if let Some(call) = self.open.as_mut().zip(id).and_then(|(open, id)| open.call(id)) {
                call.result = outcome;
            }
        }
        let asked = content_text(member(record, &["message", "content"]));
        if asked.starts_with(INTERRUPTED) || interrupted {
            if let Some(open) = &mut self.open {
                open.aborted = true;
            }
            self.flush();
            return;
        }
        if has_results || flag(record, "isMeta") || flag(record, "isCompactSummary") {
            return;
        }
        self.flush();
        self.done.push_back(Happening::Prompt(number, asked));
    }

    /// Ends the open message.
    pub(super) fn flush(&mut self) {
        self.done.extend(self.open.take().map(Happening::Said));
    }
}

/// Notes the foreign names of the tools of what is played next.
pub(super) fn tell_tools(happening: &Happening, facts: &mut Facts) {
    if let Happening::Said(said) = happening {
        let calls = said.blocks.iter().filter_map(|block| match block {
            Block::Call(call) => Some((call.id.clone(), call.foreign.clone())),
            _ => None,
        });
        facts.tools = calls.collect();
    }
}

/// A content block of the model's vendor.
pub(super) fn read_block(block: &Value, cwd: Option<&JsString>, facts: &mut Facts) -> Option<Block> {
    let kind = text(block, &["type"]).map(JsString::to_string_lossy).unwrap_or_default();
    match kind.as_str() {
        "text" => Some(Block::Text(vec![text(block, &["text"])?.clone()])),
        "thinking" => {
            let thinking = text(block, &["thinking"]).cloned().unwrap_or_default();
            if thinking.is_empty() {
                facts.thinking_absent += 1;
            }
            Some(Block::Thinking(vec![thinking]))
        }
        "redacted_thinking" => {
            facts.thinking_absent += 1;
            None
        }
        "tool_use" => {
            let id = text(block, &["id"]).cloned().unwrap_or_default();
            let name = text(block, &["name"])?.clone();
            Some(Block::Call(tools::call(id, name, block.get("input").unwrap_or(&Value::Null), cwd)))
        }
        other => {
            facts.count_unknown(other);
            None
        }
    }
}
