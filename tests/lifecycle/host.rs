//! A host for tests: plays events written in short words and notes what the coordinator does in short words.
//!
//! Events, separated by `; `: `user`, `turn`, `msg [TIMESTAMP]`, `restart`, `text T`, `think T`, `call INDEX ID TOOL` (`-` for
//! no id), `args INDEX T`, `close INDEX [JSON]`, `done STOP_REASON`, `result ID`, `end` (of the turn), `idle`, `tick MS`,
//! `take`, `take-warnings`, `verdict ID P,P…` (`-` for unknown), `fail ID [STATUS]`, `new-session`, `plan`, `drop-queue`, `pop`, `new-prompt`, `user-abort`, `finish`, `restore NAME`, `set KEY VALUE`, `refuse` (the agent will
//! not resume). Questions: `?injected`, `?memory`, `?pending`, `?abort`, `?waiting`, `?streaming`, `?turns`, and on the last
//! reminder `?blocks`, `?tag`, `?body`.

use std::collections::BTreeMap;

use ttsr::engine::Manager;
use ttsr::generation::Semantics;
use ttsr::judge::Verdict;
use ttsr::lifecycle::timer::Timeline;
use ttsr::lifecycle::{Action, Coordinator, Decision, Injection, Options, Task};
use ttsr::message::{AgentEvent, Message, text_block, thinking_block, tool_call_block};
use ttsr::rule::RuleSet;
use ttsr::settings::Settings;
use ttsr::text::JsString;
use ttsr::text::json::{self, Object, Value};

/// Working directory of the tests.
pub(crate) const CWD: &str = "/proj";

/// The host.
pub(crate) struct Host {
    pub(crate) coordinator: Coordinator,
    timeline: Timeline<Task>,
    refuses: bool,
    calls: BTreeMap<usize, (JsString, JsString)>,
    timestamp: f64,
    /// The message that streams.
    content: Vec<Value>,
    /// What happened, in short words.
    pub(crate) trace: Vec<String>,
    reminder: JsString,
}

impl Host {
    /// A host with these rules.
    pub(crate) fn new(rules: RuleSet, settings: Settings, semantics: Semantics, explain: bool) -> Self {
        let mut options = Options::new(CWD, "/home/user");
        options.explain = explain;
        Self {
            coordinator: Coordinator::new(Manager::new(rules.compiled, settings, semantics), options),
            timeline: Timeline::new(),
            refuses: false,
            calls: BTreeMap::new(),
            timestamp: 1.0,
            content: Vec::new(),
            trace: Vec::new(),
            reminder: JsString::new(),
        }
    }

    /// Plays a list of events.
    pub(crate) fn play(&mut self, events: &str) {
        for event in events.split("; ").filter(|event| !event.is_empty()) {
            self.event(event);
        }
    }

    fn event(&mut self, event: &str) {
        let (word, rest) = event.split_once(' ').unwrap_or((event, ""));
        let coordinator = &mut self.coordinator;
        let actions = match word {
            "user" => coordinator.handle(&AgentEvent::Message(message(&[("role", "user".into())]))),
            "turn" => coordinator.handle(&AgentEvent::TurnStart),
            "end" => coordinator.handle(&AgentEvent::TurnEnd),
            "idle" => coordinator.handle(&AgentEvent::AgentEnd),
            "restart" => coordinator.handle(&AgentEvent::StreamRestart),
            "msg" => {
                self.timestamp = rest.parse().unwrap_or(1.0);
                self.content.clear();
                coordinator.handle(&AgentEvent::MessageStart { timestamp: Some(self.timestamp) })
            }
            "text" => {
                self.content.push(text_block(rest));
                coordinator.handle(&AgentEvent::TextDelta { index: 0, delta: rest.into() })
            }
            "think" => {
                self.content.push(thinking_block(rest));
                coordinator.handle(&AgentEvent::ThinkingDelta { index: 0, delta: rest.into() })
            }
            "call" => {
                let words: Vec<&str> = rest.split(' ').collect();
                let index = words[0].parse().expect("an index");
                let (id, name) = (JsString::from(words[1].trim_matches('-')), JsString::from(words[2]));
                self.calls.insert(index, (id.clone(), name.clone()));
                coordinator.handle(&AgentEvent::ToolCallStart { index, id: Some(id), name: Some(name) })
            }
            "args" => {
                let (index, delta) = rest.split_once(' ').expect("index and text");
                let index = index.parse().expect("an index");
                coordinator.handle(&AgentEvent::ToolCallDelta { index, delta: delta.into() })
            }
            "close" => {
                let (index, arguments) = rest.split_once(' ').unwrap_or((rest, ""));
                let index = index.parse().expect("an index");
                let (id, name) = self.calls.get(&index).cloned().unwrap_or_default();
                let arguments = (!arguments.is_empty()).then(|| json::parse(arguments).expect("arguments"));
                let given = arguments.clone().unwrap_or(Value::Object(Object::new()));
                self.content.push(tool_call_block(id.clone(), name.clone(), given).into());
                coordinator.handle(&AgentEvent::ToolCallEnd { index, id, name, arguments })
            }
            "done" => {
                let fields = [
                    ("role", "assistant".into()),
                    ("stopReason", rest.into()),
                    ("timestamp", self.timestamp.into()),
                    ("content", std::mem::take(&mut self.content).into()),
                ];
                coordinator.handle(&AgentEvent::MessageEnd(message(&fields)))
            }
            "result" => {
                let fields = [("role", "toolResult".into()), ("toolCallId", rest.into())];
                coordinator.handle(&AgentEvent::ToolResult(message(&fields)))
            }
            "tick" => {
                let until = self.timeline.now() + rest.parse::<u64>().expect("milliseconds");
                while let Some(task) = self.timeline.pop_due(until) {
                    let actions = self.coordinator.due(&task);
                    self.carry_out(actions);
                }
                self.timeline.move_to(until);
                Vec::new()
            }
            "take" => coordinator.take_queued(),
            "take-warnings" => coordinator.take_warnings(),
            "verdict" => {
                let (ask, answers) = rest.split_once(' ').expect("ask and answers");
                let answers = answers.split(',').map(|one| one.parse().ok()).collect();
                coordinator.verdict(ask.parse().expect("an ask"), &Verdict::Answered(answers))
            }
            "fail" => {
                let (ask, status) = rest.split_once(' ').unwrap_or((rest, ""));
                let verdict = Verdict::Failed { status: status.parse().ok() };
                coordinator.verdict(ask.parse().expect("an ask"), &verdict)
            }
            "new-session" => {
                coordinator.new_session();
                Vec::new()
            }
            "plan" => {
                coordinator.set_plan_mode(true);
                Vec::new()
            }
            "drop-queue" => coordinator.drop_queued(),
            "finish" => coordinator.finish(),
            "pop" => {
                coordinator.drop_last_message();
                Vec::new()
            }
            "new-prompt" => {
                coordinator.new_generation();
                Vec::new()
            }
            "user-abort" => {
                coordinator.user_abort();
                Vec::new()
            }
            "restore" => {
                coordinator.restore([JsString::from(rest)]);
                Vec::new()
            }
            "set" => {
                let (key, value) = rest.split_once(' ').expect("key and value");
                let semantics = coordinator.manager().semantics().clone();
                coordinator.settings_mut().apply(key, &value.into(), &semantics).expect("a setting");
                Vec::new()
            }
            "refuse" => {
                self.refuses = true;
                Vec::new()
            }
            question => {
                let answer = self.answer(question);
                self.trace.push(answer);
                return;
            }
        };
        self.carry_out(actions);
    }

    /// The last reminder, whole.
    pub(crate) fn reminder(&self) -> &JsString {
        &self.reminder
    }

    fn answer(&self, question: &str) -> String {
        let coordinator = &self.coordinator;
        let yes_no = |value: bool| if value { "yes" } else { "no" };
        let reminder = self.reminder.to_string_lossy();
        match question {
            "?injected" => {
                let ledger = coordinator.manager().ledger();
                let turn = |name| ledger.record(name).map_or(0, |record| record.turn);
                let injected: Vec<String> =
                    ledger.injected().iter().map(|name| format!("{name}@{}", turn(name))).collect();
                format!("injected {}", or_dash(injected.join(",")))
            }
            "?memory" => {
                let roles: Vec<String> =
                    coordinator.memory().messages().iter().map(|message| message.role.to_string_lossy()).collect();
                format!("memory {}", or_dash(roles.join("+")))
            }
            "?pending" => format!("pending {}", or_dash(names(&coordinator.pending()))),
            "?abort" => format!("abort-pending {}", yes_no(coordinator.ttsr_abort_pending())),
            "?waiting" => format!("waiting {}", yes_no(coordinator.is_waiting())),
            "?streaming" => format!("streaming {}", yes_no(coordinator.memory().is_streaming())),
            "?queued" => format!("queued {}", coordinator.memory().queued()),
            "?turns" => format!("turns {}", coordinator.manager().ledger().turns()),
            "?blocks" => format!("blocks {}", reminder.matches("\n</system-").count()),
            "?tag" => format!("tag {}", reminder.lines().next().unwrap_or("-")),
            "?body" if reminder.is_empty() => "body -".to_owned(),
            "?body" => {
                let body = reminder.split_once("\n\n").map_or_else(
                    || reminder.lines().skip(4).collect::<Vec<_>>().join("\n"),
                    |(_, body)| body.to_owned(),
                );
                let end = body.rfind("\n</system-").unwrap_or(body.len());
                format!("body {}", body[..end].replace('\n', "⏎"))
            }
            other => panic!("unknown event {other}"),
        }
    }

    fn carry_out(&mut self, actions: Vec<Action>) {
        for action in actions {
            let line = match action {
                Action::Trigger(trigger) if trigger.decision == Decision::Defer => {
                    format!("defer {}", names(&trigger.names))
                }
                Action::Trigger(_) => continue,
                Action::Abort(abort) => {
                    let words = [abort.tool_call, abort.reason];
                    let words: Vec<String> = words.iter().flatten().map(JsString::to_string_lossy).collect();
                    format!("abort {}", words.join(" "))
                }
                Action::Announce { names: rules, .. } => format!("event {}", names(&rules)),
                Action::Schedule { delay_ms, task } => {
                    self.timeline.schedule(delay_ms, task);
                    format!("in {delay_ms}")
                }
                Action::Discard { dropped, .. } => {
                    let roles: Vec<String> = dropped.iter().map(JsString::to_string_lossy).collect();
                    format!("discard {}", roles.join("+"))
                }
                Action::Keep { .. } => "keep".to_owned(),
                Action::Inject(injection) => {
                    self.reminder = injection.content.clone();
                    format!("inject {} {}", injection.role(), injected(&injection))
                }
                Action::PersistMessage(injection) => format!("write message {}", injected(&injection)),
                Action::PersistInjection { rules } => format!("write injection {}", names(&rules)),
                Action::QueueFollowUp(injection) => {
                    self.reminder = injection.content.clone();
                    format!("queue {}", injected(&injection))
                }
                Action::Deliver(injection) => format!("deliver {}", injected(&injection)),
                Action::Fold(fold) => {
                    self.reminder = fold.content;
                    format!("fold {} {}", fold.tool_call, names(&fold.rules))
                }
                Action::ContinueRefused { .. } => "refused".to_owned(),
                Action::Continue { .. } => {
                    self.trace.push("continue".to_owned());
                    let actions = self.coordinator.continued(!self.refuses);
                    self.carry_out(actions);
                    continue;
                }
                Action::Drop { rules, why } => format!("drop {} {}", names(&rules), why.as_str()),
                Action::Undecided(undecided) => format!("undecided {}", undecided.rule),
                Action::Ask(ask) => format!("ask {} {} {}", ask.id, ask.output.subject, names(&ask.names)),
                Action::Warn(warning) => {
                    self.reminder = warning.injection.content.clone();
                    format!("warn {} {}", warning.delivery.as_str(), injected(&warning.injection))
                }
                Action::Gate(gate) => format!("gate {} {}", gate.rule, gate.gate.as_str()),
            };
            self.trace.push(line.trim_end().to_owned());
        }
    }
}

fn injected(injection: &Injection) -> String {
    let id = injection.delivery_id.map(|id| format!(" #{id}")).unwrap_or_default();
    format!("{}{id}", names(&injection.rules))
}

fn names(list: &[JsString]) -> String {
    list.iter().map(JsString::to_string_lossy).collect::<Vec<_>>().join(",")
}

fn or_dash(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}

fn message(fields: &[(&str, Value)]) -> Message {
    let mut raw = Object::new();
    for (key, value) in fields {
        raw.insert(*key, value.clone());
    }
    Message::new(raw)
}
