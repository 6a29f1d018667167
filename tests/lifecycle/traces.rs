//! `lifecycle.jsonl`, `lifecycle-repeat.jsonl` and `lifecycle-judged.jsonl`: from stream events to decisions.

use std::collections::BTreeMap;

use ttsr::engine::Manager;
use ttsr::generation::Lifecycle;
use ttsr::judge::{Ask, Verdict, Verdicts};
use ttsr::lifecycle::timer::Timeline;
use ttsr::lifecycle::{
    Action, ContinueError, Coordinator, Injection, OTHER_TOOL_CALL_REASON, Options, Task, WarningDelivery,
};
use ttsr::message::{AgentEvent, Message};
use ttsr::message::{INJECTION_TYPE, REMINDER_PREFIX};
use ttsr::rule::RuleSet;
use ttsr::settings::Settings;
use ttsr::text::JsString;
use ttsr::text::json::{self, Object, Value};
use ttsr::tool::EditMode;

use super::reminders::Block;
use crate::engine::{rule_set, settings};
use crate::support::{js_string, run_vectors, strings};

#[test]
fn lifecycle_vectors() {
    run_vectors("lifecycle", |case| compare(case, Lifecycle::V3));
}

#[test]
fn lifecycle_repeat_vectors() {
    run_vectors("lifecycle-repeat", |case| compare(case, Lifecycle::V4));
}

#[test]
fn lifecycle_judged_vectors() {
    run_vectors("lifecycle-judged", |case| compare(case, Lifecycle::V4));
}

fn compare(case: &Value, lifecycle: Lifecycle) -> Result<(), String> {
    let mut host = Host::new(case, lifecycle)?;
    let events = case.get("events").and_then(Value::as_array).ok_or("no events")?;
    for (at, event) in events.iter().enumerate() {
        host.at = at as i64;
        host.play(event)?;
        host.let_parsed_leave();
    }
    let expected = case.get("trace").and_then(Value::as_array).ok_or("no trace")?;
    for (at, (mine, theirs)) in host.trace.iter().zip(expected).enumerate() {
        same(mine, theirs).map_err(|why| format!("trace {at}: {why}"))?;
    }
    if host.trace.len() != expected.len() {
        let more = host.trace.get(expected.len()).or(expected.get(host.trace.len()));
        let more = more.map(Value::to_json).unwrap_or_default();
        return Err(format!("{} trace lines instead of {}: {more}", host.trace.len(), expected.len()));
    }
    same(&host.state(lifecycle), case.get("final").ok_or("no final state")?)
}

/// Compares values: keys have no order, numbers are doubles.
fn same(mine: &Value, theirs: &Value) -> Result<(), String> {
    let equal = match (mine, theirs) {
        (Value::Object(one), Value::Object(other)) => {
            for (key, value) in other.iter() {
                let key = key.to_string_lossy();
                let own = one.get(&key).ok_or_else(|| format!("no `{key}` in {}", mine.to_json()))?;
                same(own, value).map_err(|why| format!("{key}: {why}"))?;
            }
            one.len() == other.len()
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            return one.iter().zip(other).try_for_each(|(one, other)| same(one, other));
        }
        (Value::Number(_), Value::Number(_)) => mine.as_f64() == theirs.as_f64(),
        _ => mine == theirs,
    };
    if equal { Ok(()) } else { Err(format!("{} instead of {}", mine.to_json(), theirs.to_json())) }
}

/// What is due in virtual time.
enum Due {
    Task(Task),
    Verdict(u64, Verdict),
}

/// A host that does what the recording's host did.
struct Host {
    coordinator: Coordinator,
    timeline: Timeline<Due>,
    judge: Verdicts,
    /// Answers without delay, with their time in half steps.
    answered: Vec<(usize, u64, Verdict)>,
    /// Asks whose output is being parsed.
    parsed: Vec<Ask>,
    /// The recorded trace.
    expected: Vec<Value>,
    /// Whether the case speaks of waiting warnings.
    judged: bool,
    refuses: bool,
    timestamp: Option<f64>,
    calls: BTreeMap<usize, (JsString, JsString)>,
    /// The message that streams, as far as it has come.
    content: Vec<Value>,
    at: i64,
    trace: Vec<Value>,
    /// Blocks of the tool result being handled.
    blocks: Option<JsString>,
}

impl Host {
    fn new(case: &Value, lifecycle: Lifecycle) -> Result<Self, String> {
        let semantics = lifecycle.semantics();
        let settings: Settings = settings(case, &semantics)?;
        let set: RuleSet = rule_set(case, &settings, &semantics)?;
        let cwd = js_string(case, "cwd").unwrap_or_default();
        let mut options = Options::new(cwd, "/home/user");
        options.reading.edit_mode =
            js_string(case, "edit_mode").and_then(|mode| EditMode::parse(&mode.to_string_lossy()));
        let mut judge = Verdicts::default();
        options.native_judge = false;
        if let Some(rows) = case.get("judge").and_then(Value::as_array) {
            options.native_judge = true;
            judge = Verdicts::read(rows).map_err(|error| error.to_string())?;
            judge.extend(Verdicts::parse("{\"noul\":0}").map_err(|error| error.to_string())?);
        }
        let names: Vec<JsString> = set.compiled.iter().map(|rule| rule.name.clone()).collect();
        let mut coordinator = Coordinator::new(Manager::new(set.compiled, settings, semantics), options);
        coordinator.restore(strings(case, "restored").unwrap_or_default());
        let refuses = case.get("scripted").and_then(|scripted| scripted.get("continue_throws")).is_some();
        let mut host = Self {
            coordinator,
            timeline: Timeline::new(),
            judge,
            answered: Vec::new(),
            parsed: Vec::new(),
            expected: case.get("trace").and_then(Value::as_array).unwrap_or_default().to_vec(),
            judged: case.get("final").is_some_and(|state| state.get("asides").is_some()),
            refuses,
            timestamp: None,
            calls: BTreeMap::new(),
            content: Vec::new(),
            at: -1,
            trace: Vec::new(),
            blocks: None,
        };
        host.note("registered", [("rules", list(&names))]);
        Ok(host)
    }

    fn play(&mut self, event: &Value) -> Result<(), String> {
        let text = |name: &str| js_string(event, name);
        let index = event.get("index").and_then(Value::as_f64).unwrap_or(0.0) as usize;
        let kind = text("type").unwrap_or_default().to_string_lossy();
        let agent_event = match kind.as_str() {
            "user" => AgentEvent::Message(message([("role", "user".into())])),
            "turn_start" => AgentEvent::TurnStart,
            "turn_end" => AgentEvent::TurnEnd,
            "agent_end" => AgentEvent::AgentEnd,
            "message_start" => {
                self.timestamp = event.get("timestamp").and_then(Value::as_f64);
                self.calls.clear();
                self.content.clear();
                AgentEvent::MessageStart { timestamp: self.timestamp }
            }
            "stream_restart" => AgentEvent::StreamRestart,
            "text_delta" => {
                let delta = text("delta").unwrap_or_default();
                self.grow("text", "text", &delta);
                AgentEvent::TextDelta { index, delta }
            }
            "thinking_delta" => {
                let delta = text("delta").unwrap_or_default();
                self.grow("thinking", "thinking", &delta);
                AgentEvent::ThinkingDelta { index, delta }
            }
            "toolcall_start" => {
                let (id, name) = (text("id").unwrap_or_default(), text("name").unwrap_or_default());
                self.calls.insert(index, (id.clone(), name.clone()));
                let mut call = Object::new();
                call.insert("type", "toolCall");
                call.insert("id", id.clone());
                call.insert("name", name.clone());
                self.content.push(call.into());
                AgentEvent::ToolCallStart { index, id: Some(id), name: Some(name) }
            }
            "toolcall_delta" => {
                let delta = text("delta").unwrap_or_default();
                if let Some(call) = self.call(index) {
                    let mut raw = call.get("raw").and_then(Value::as_string).cloned().unwrap_or_default();
                    raw.push_units(delta.units());
                    call.insert("raw", raw);
                }
                AgentEvent::ToolCallDelta { index, delta }
            }
            "toolcall_end" => {
                let (id, name) = self.calls.get(&index).cloned().unwrap_or_default();
                let arguments = event.get("arguments").cloned();
                if let Some(call) = self.call(index) {
                    let raw = call.get("raw").and_then(Value::as_string).map(JsString::to_string_lossy);
                    let read = || json::parse(&raw.unwrap_or_default()).ok();
                    if let Some(arguments) = arguments.clone().or_else(read) {
                        call.insert("arguments", arguments);
                    }
                }
                AgentEvent::ToolCallEnd { index, id, name, arguments }
            }
            "message_end" => {
                let mut fields = vec![("role", Value::from("assistant"))];
                fields.extend(text("stop_reason").map(|reason| ("stopReason", reason.into())));
                fields.extend(self.timestamp.map(|time| ("timestamp", time.into())));
                fields.push(("content", std::mem::take(&mut self.content).into()));
                AgentEvent::MessageEnd(message(fields))
            }
            "tool_result" => {
                let id = text("id").unwrap_or_default();
                let result = message([("role", "toolResult".into()), ("toolCallId", id.clone().into())]);
                self.blocks = None;
                let actions = self.coordinator.handle(&AgentEvent::ToolResult(result));
                self.carry_out(actions);
                let folded = self.blocks.take();
                let count = 1 + u32::from(folded.is_some());
                let reminders = folded.map(|content| reminders(&content, 1)).unwrap_or_default();
                self.note(
                    "tool_result",
                    [("id", id.into()), ("blocks", count.into()), ("reminders", reminders.into())],
                );
                return Ok(());
            }
            "tick" => {
                let until = self.timeline.now() + event.get("ms").and_then(Value::as_f64).unwrap_or(0.0) as u64;
                while let Some(due) = self.timeline.pop_due(until) {
                    let actions = match due {
                        Due::Task(task) => self.coordinator.due(&task),
                        Due::Verdict(ask, verdict) => self.coordinator.verdict(ask, &verdict),
                    };
                    self.carry_out(actions);
                }
                self.timeline.move_to(until);
                return Ok(());
            }
            "take_queued" => {
                let actions = self.coordinator.take_queued();
                self.carry_out(actions);
                return Ok(());
            }
            "take_asides" => {
                let actions = self.coordinator.take_warnings();
                self.carry_out(actions);
                return Ok(());
            }
            "new_session" => {
                self.coordinator.new_session();
                return Ok(());
            }
            "drop_queued" => {
                let actions = self.coordinator.drop_queued();
                self.carry_out(actions);
                return Ok(());
            }
            "new_generation" => {
                self.coordinator.new_generation();
                return Ok(());
            }
            "user_abort" => {
                self.coordinator.user_abort();
                return Ok(());
            }
            "drop_last_message" => {
                self.coordinator.drop_last_message();
                return Ok(());
            }
            other => return Err(format!("unknown event {other}")),
        };
        let actions = self.coordinator.handle(&agent_event);
        self.carry_out(actions);
        Ok(())
    }

    /// The block that streams grows, or a new one of its kind begins.
    fn grow(&mut self, kind: &str, key: &str, delta: &JsString) {
        let last = self.content.last_mut().and_then(|block| match block {
            Value::Object(block) if block.get(key).is_some() => Some(block),
            _ => None,
        });
        if let Some(block) = last {
            let mut text = block.get(key).and_then(Value::as_string).cloned().unwrap_or_default();
            text.push_units(delta.units());
            block.insert(key, text);
        } else {
            let mut block = Object::new();
            block.insert("type", kind);
            block.insert(key, delta.clone());
            self.content.push(block.into());
        }
    }

    /// The block of a call that is under way.
    fn call(&mut self, index: usize) -> Option<&mut Object> {
        let (id, _) = self.calls.get(&index)?;
        self.content.iter_mut().rev().find_map(|block| match block {
            Value::Object(block) if block.get("id").and_then(Value::as_string) == Some(id) => Some(block),
            _ => None,
        })
    }

    /// The asks of one message, each answered when its answer has come. An answer without delay still takes the agent
    /// longer than one step and less than two.
    fn judge(&mut self, asks: Vec<Ask>) {
        self.let_parsed_leave();
        for ask in asks {
            if ask.parsed {
                self.parsed.push(ask);
                continue;
            }
            let time = 2 * ask.steps;
            while self.answered.first().is_some_and(|(at, ..)| *at <= time) {
                self.claim();
            }
            self.put(&ask, time);
        }
        while !self.answered.is_empty() {
            self.claim();
        }
        self.let_parsed_leave();
    }

    /// Lets an ask leave whose output had to be parsed when the recording says so: that was up to the agent's threads.
    fn let_parsed_leave(&mut self) {
        loop {
            let next = self.expected.get(self.trace.len()).filter(|line| line.get("op") == Some(&"judge".into()));
            let now = next.filter(|line| line.get("event").and_then(Value::as_f64) == Some(self.at as f64));
            let leaves = now.and_then(|line| {
                let is = |ask: &Ask| {
                    line.get("output").and_then(Value::as_string) == Some(&ask.output.subject)
                        && line.get("content").and_then(Value::as_string) == Some(&ask.output.content)
                };
                self.parsed.iter().position(is)
            });
            match leaves {
                Some(at) => {
                    let ask = self.parsed.remove(at);
                    self.put(&ask, 0);
                }
                None if self.answered.is_empty() => return,
                None => self.claim(),
            }
        }
    }

    /// Puts an ask to the judge.
    fn put(&mut self, ask: &Ask, time: usize) {
        const ANSWER_STEPS: usize = 7;
        let answer = self.judge.answer(ask);
        let mut fields = vec![
            ("output", ask.output.subject.clone().into()),
            ("content", ask.output.content.clone().into()),
            ("questions", list(&ask.questions)),
        ];
        match &answer.verdict {
            Verdict::Failed { .. } => fields.push(("error", true.into())),
            Verdict::Answered(answers) => {
                let nouls: Vec<Value> = answers.iter().map(|one| one.unwrap_or(f64::NAN).into()).collect();
                fields.push(("nouls", nouls.into()));
            }
        }
        self.note_all("judge", fields);
        if answer.delay_ms == 0 {
            self.answered.push((time + ANSWER_STEPS, ask.id, answer.verdict));
            self.answered.sort_by_key(|(at, ..)| *at);
        } else {
            self.timeline.schedule(answer.delay_ms, Due::Verdict(ask.id, answer.verdict));
        }
    }

    /// Hands in the answer that has come first.
    fn claim(&mut self) {
        let (_, ask, verdict) = self.answered.remove(0);
        let actions = self.coordinator.verdict(ask, &verdict);
        self.carry_out(actions);
    }

    fn carry_out(&mut self, actions: Vec<Action>) {
        let mut asks = Vec::new();
        for action in actions {
            match action {
                Action::Ask(ask) => asks.push(ask),
                Action::Warn(warning) => {
                    let fields = [
                        ("rules", list(&warning.injection.rules)),
                        ("reminders", reminders(&warning.injection.content, 1).into()),
                        ("running", (warning.delivery == WarningDelivery::NextStep).into()),
                    ];
                    self.note("warn", fields);
                }
                Action::Abort(abort) => {
                    let reason = abort.reason.map_or(Value::Null, Value::from);
                    match abort.tool_call {
                        Some(call) => {
                            let mut calls = Object::new();
                            calls.insert(call, reason.clone());
                            let fields = [
                                ("reason", reason),
                                ("tool_calls", Value::Object(calls)),
                                ("other_tool_calls", OTHER_TOOL_CALL_REASON.into()),
                            ];
                            self.note("abort", fields);
                        }
                        None => self.note("abort", [("reason", reason)]),
                    }
                }
                Action::Announce { names, .. } => self.note("ttsr_triggered", [("rules", list(&names))]),
                Action::Schedule { delay_ms, task } => {
                    if delay_ms != ttsr::runtime::RETRY_DELAY_MS {
                        self.note("schedule_continue", [("delay_ms", delay_ms.into())]);
                    }
                    self.timeline.schedule(delay_ms, Due::Task(task));
                }
                Action::Discard { keep, dropped } => {
                    self.note("discard", [("keep", (keep as u64).into()), ("dropped", list(&dropped))]);
                }
                Action::Inject(injection) => {
                    let fields =
                        [("rules", list(&injection.rules)), ("reminders", reminders(&injection.content, 3).into())];
                    self.note("inject", fields);
                }
                Action::PersistMessage(injection) => {
                    let fields = [
                        ("custom_type", INJECTION_TYPE.into()),
                        ("display", false.into()),
                        ("attribution", "agent".into()),
                        ("details", details(&injection)),
                        ("reminders", reminders(&injection.content, wording(&injection)).into()),
                    ];
                    self.note("persist_custom_message", fields);
                }
                Action::PersistInjection { rules } => self.note("persist_injection", [("rules", list(&rules))]),
                Action::QueueFollowUp(injection) => {
                    let fields =
                        [("details", details(&injection)), ("reminders", reminders(&injection.content, 3).into())];
                    self.note("queue_follow_up", fields);
                }
                Action::Deliver(injection) => self.note("deliver", [("details", details(&injection))]),
                Action::Fold(fold) => self.blocks = Some(fold.content),
                Action::ContinueRefused { error, .. } => {
                    let error = if error == ContinueError::Busy { "busy" } else { "failed" };
                    self.note("continue", [("error", error.into())]);
                }
                Action::Continue { .. } => {
                    if self.refuses {
                        self.note("continue", [("error", "failed".into())]);
                    } else {
                        self.note("continue", []);
                    }
                    let actions = self.coordinator.continued(!self.refuses);
                    self.carry_out(actions);
                }
                Action::Trigger(_)
                | Action::Keep { .. }
                | Action::Drop { .. }
                | Action::Undecided(_)
                | Action::Gate(_) => {}
            }
        }
        if !asks.is_empty() {
            self.judge(asks);
        }
    }

    fn note<const N: usize>(&mut self, op: &str, fields: [(&str, Value); N]) {
        self.note_all(op, fields.into());
    }

    fn note_all(&mut self, op: &str, fields: Vec<(&str, Value)>) {
        let mut line = Object::new();
        line.insert("event", self.at as f64);
        line.insert("op", op);
        for (key, value) in fields {
            line.insert(key, value);
        }
        self.trace.push(Value::Object(line));
    }

    fn state(&self, lifecycle: Lifecycle) -> Value {
        let roles: Vec<JsString> =
            self.coordinator.memory().messages().iter().map(|message| message.role.clone()).collect();
        let mut state = Object::new();
        state.insert("abort_pending", self.coordinator.ttsr_abort_pending());
        state.insert("waiting", self.coordinator.is_waiting());
        state.insert("injected", list(self.coordinator.manager().ledger().injected()));
        state.insert("turns", self.coordinator.manager().ledger().turns());
        state.insert("queued", self.coordinator.memory().queued() as u64);
        state.insert("messages", list(&roles));
        if lifecycle == Lifecycle::V4 && self.judged {
            state.insert("asides", self.coordinator.memory().warnings() as u64);
        }
        Value::Object(state)
    }
}

fn message<'a>(fields: impl IntoIterator<Item = (&'a str, Value)>) -> Message {
    let mut raw = Object::new();
    for (key, value) in fields {
        raw.insert(key, value);
    }
    Message::new(raw)
}

fn list(names: &[JsString]) -> Value {
    Value::from(names.iter().cloned().map(Value::from).collect::<Vec<_>>())
}

fn details(injection: &Injection) -> Value {
    let mut details = Object::new();
    details.insert("rules", list(&injection.rules));
    if let Some(id) = injection.delivery_id {
        details.insert("deliveryId", id);
    }
    Value::Object(details)
}

/// How many lines of wording the blocks of a message have: one in warnings.
fn wording(injection: &Injection) -> usize {
    if injection.content.starts_with(REMINDER_PREFIX) { 1 } else { 3 }
}

/// The blocks of an injected text, taken apart.
fn reminders(content: &JsString, wording: usize) -> Vec<Value> {
    let text = content.to_string_lossy();
    let mut blocks = Vec::new();
    let mut rest = text.as_str();
    while let Some(tag) = rest.strip_prefix('<').and_then(|rest| rest.split(' ').next()) {
        let close = format!("\n</{tag}>");
        let Some(end) = rest.find(&close).map(|at| at + close.len()) else { break };
        let block = Block::parse(&JsString::from(&rest[..end]), wording);
        blocks.extend(block.map(|block| {
            let mut value = Object::new();
            value.insert("tag", block.tag);
            value.insert("reason", "rule_violation");
            value.insert("rule", block.rule);
            value.insert("path", block.path);
            value.insert("body", block.body);
            Value::Object(value)
        }));
        rest = rest[end..].strip_prefix("\n\n").unwrap_or_default();
    }
    blocks
}
