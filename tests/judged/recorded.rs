//! Real runs of 18.3.4 with a scripted judge: what the coordinator asks is what the judge was asked, and the claims and
//! warnings are the recorded ones. The events are fed as they are; a host's part, such as virtual time, is not in it.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use ttsr::engine::Manager;
use ttsr::generation::Lifecycle;
use ttsr::judge::{Answer, Ask, Verdicts};
use ttsr::lifecycle::{Action, Coordinator, Options};
use ttsr::message::{AgentEvent, is_judging_event, is_warning};
use ttsr::rule::settings_files::SettingsLayers;
use ttsr::rule::{RuleSet, load_paths};
use ttsr::stream::{EventReader, StreamItem};
use ttsr::text::JsString;
use ttsr::text::json::{self, Value};

use crate::support::{project, strings};

fn cases() -> Vec<PathBuf> {
    let folder = match std::env::var_os("TTSR_RECORDINGS").map(PathBuf::from) {
        Some(folder) if folder.join("j01-judged-text-yes").exists() => folder,
        _ => project("testdata/recordings-18.3"),
    };
    let entries = fs::read_dir(&folder).expect("recordings").flatten().map(|entry| entry.path());
    // One run has its rules in a home that was not kept.
    let mut cases: Vec<PathBuf> =
        entries.filter(|case| case.join("events.1.jsonl").exists() && case.join("rules").exists()).collect();
    cases.sort();
    cases
}

fn read(path: PathBuf) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The requests that the judge got, sorted; those to a chat model have no such form.
fn recorded_requests(case: &Path, run: usize) -> Vec<String> {
    let text = read(case.join(format!("judge.{run}.jsonl")));
    let mut requests: Vec<String> = text
        .lines()
        .filter_map(|line| {
            let row = json::parse(line).expect("a request");
            let mut request = json_object(&row, "state")?;
            request.push_str(&json_object(&row, "questions")?);
            Some(request)
        })
        .collect();
    requests.sort();
    requests
}

fn json_object(value: &Value, key: &str) -> Option<String> {
    value.get(key).map(Value::to_json)
}

/// A run under way.
struct Run {
    coordinator: Coordinator,
    script: Verdicts,
    requests: Vec<String>,
    /// Yeses whose claim has not been recorded yet.
    held: Vec<(Ask, Answer)>,
    /// The rules of each warning that has joined the memory and is not recorded yet.
    delivered: VecDeque<Vec<JsString>>,
    problems: Vec<String>,
}

impl Run {
    fn carry_out(&mut self, actions: Vec<Action>) {
        for action in actions {
            let Action::Ask(ask) = action else { continue };
            let request = Value::Object(ask.request());
            let both = ["state", "questions"].map(|key| json_object(&request, key).unwrap_or_default());
            self.requests.push(both.concat());
            let answer = self.script.answer(&ask);
            if ask.flagged(&answer.verdict).is_empty() {
                let none = self.coordinator.verdict(ask.id, &answer.verdict);
                if none.iter().any(|action| matches!(action, Action::Warn(_))) {
                    self.problems.push("a no warns".to_owned());
                }
            } else {
                self.held.push((ask, answer));
            }
        }
    }

    /// Notes what joins the memory.
    fn deliver(&mut self, actions: Vec<Action>) {
        self.delivered.extend(actions.into_iter().filter_map(|action| match action {
            Action::Deliver(injection) if injection.delivery_id.is_none() => Some(injection.rules),
            _ => None,
        }));
    }

    /// A recorded event that names rules with a question: the claim of the first answer that gives just these.
    fn claim(&mut self, names: &[JsString]) {
        for at in 0..self.held.len() {
            let (ask, answer) = &self.held[at];
            let flagged: Vec<JsString> = ask
                .flagged(&answer.verdict)
                .into_iter()
                .filter(|&(rule, _)| self.coordinator.manager().may_trigger(rule))
                .map(|(rule, _)| self.coordinator.manager().rules()[rule].name.clone())
                .collect();
            if flagged == names {
                let (ask, answer) = self.held.remove(at);
                let actions = self.coordinator.verdict(ask.id, &answer.verdict);
                let told = actions
                    .iter()
                    .any(|action| matches!(action, Action::Announce { names: told, .. } if told == names));
                self.deliver(actions);
                if !told {
                    self.problems.push(format!("{names:?} are not announced"));
                }
                return;
            }
        }
        self.problems.push(format!("nobody claims {names:?}"));
    }
}

fn play(case: &Path, run: usize, restored: &[JsString]) -> Result<Vec<JsString>, String> {
    let semantics = Lifecycle::V4.semantics();
    let mut layers = SettingsLayers::new();
    layers.add_file(&case.join("settings.json")).map_err(|error| error.to_string())?;
    let settings = layers.resolve(&semantics).settings;
    let roles = json::parse(&read(case.join("settings.json"))).map_err(|error| error.message)?;
    let role = roles.get("modelRoles").and_then(|roles| roles.get("judge")?.as_string().cloned());
    let cwd = "/home/dev/app";
    let loaded = load_paths(&[case.join("rules")], cwd, &semantics);
    let set = RuleSet::register(loaded.rules, &settings, &semantics, Some(&"main".into()));
    let mut options = Options::new(cwd, "/home/dev");
    options.native_judge = role.is_some_and(|role| role.starts_with("jevlocal/"));
    let mut script =
        Verdicts::parse(&read(case.join(format!("judge-script.{run}.json")))).map_err(|error| error.to_string())?;
    script.extend(Verdicts::parse("{\"noul\":0}").map_err(|error| error.to_string())?);
    let coordinator = Coordinator::new(Manager::new(set.compiled, settings, semantics), options);
    let mut state = Run {
        coordinator,
        script,
        requests: Vec::new(),
        held: Vec::new(),
        delivered: VecDeque::new(),
        problems: Vec::new(),
    };
    state.coordinator.restore(restored.iter().cloned());
    let events = read(case.join(format!("events.{run}.jsonl")));
    let judged: Vec<bool> = events.lines().map(|line| line.contains("ttsr_triggered") && is_judged(line)).collect();
    let mut reader = EventReader::new(events.as_bytes(), "events");
    while let Some(item) = reader.next_item() {
        match item.content {
            StreamItem::Triggered(names) if item.origin.line.is_some_and(|line| judged[line - 1]) => {
                state.claim(&names)
            }
            StreamItem::Event(AgentEvent::Message(message)) if is_warning(&message.raw) => {
                let actions = state.coordinator.take_warnings();
                state.deliver(actions);
                let details = message.raw.get("details").cloned().unwrap_or(Value::Null);
                let wanted = strings(&details, "rules").unwrap_or_default();
                match state.delivered.pop_front() {
                    Some(rules) if rules == wanted => {}
                    other => state.problems.push(format!("warned {other:?} instead of {wanted:?}")),
                }
            }
            StreamItem::Event(event) => {
                let actions = state.coordinator.handle(&event);
                state.carry_out(actions);
            }
            _ => {}
        }
    }
    state.requests.sort();
    let wanted = recorded_requests(case, run);
    if state.requests != wanted {
        return Err(format!("asked {:?} instead of {wanted:?}", state.requests));
    }
    for (ask, answer) in std::mem::take(&mut state.held) {
        // What took too long is lost; anything else must have been blocked.
        if answer.delay_ms == 0
            && state.coordinator.verdict(ask.id, &answer.verdict).iter().any(|one| matches!(one, Action::Warn(_)))
        {
            state.problems.push(format!("{:?} are claimed here only", ask.names));
        }
    }
    if state.coordinator.memory().warnings() > 0 || !state.delivered.is_empty() {
        state.problems.push("a warning is left".to_owned());
    }
    if let Some(problem) = state.problems.first() {
        return Err(problem.clone());
    }
    Ok(state.coordinator.manager().ledger().injected().to_vec())
}

fn is_judged(line: &str) -> bool {
    json::parse(line).ok().and_then(|event| event.as_object().map(is_judging_event)).unwrap_or(false)
}

#[test]
fn recorded_runs_ask_claim_and_warn_alike() {
    let (mut failures, mut requests) = (Vec::new(), 0);
    for case in cases() {
        let mut restored = Vec::new();
        for run in (1..).take_while(|run| case.join(format!("events.{run}.jsonl")).exists()) {
            requests += recorded_requests(&case, run).len();
            match play(&case, run, &restored) {
                Ok(injected) => restored = injected,
                Err(why) => failures.push(format!("{} {run}: {why}", case.display())),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(requests > 20, "{requests}");
}

#[test]
fn every_recorded_run_with_a_judge_is_marked() {
    let mut asked = 0;
    for case in cases().into_iter().filter(|case| !recorded_requests(case, 1).is_empty()) {
        asked += 1;
        let marked = |file: &str, mark: fn(&json::Object) -> bool| {
            let text = read(case.join(file));
            text.lines()
                .any(|line| json::parse(line).ok().and_then(|value| value.as_object().map(mark)).unwrap_or(false))
        };
        assert!(marked("events.1.jsonl", is_judging_event), "{}", case.display());
        // A judge that is too slow leaves no entry.
        let lost = case.file_name().is_some_and(|name| name.to_string_lossy().starts_with("j15"));
        assert_eq!(marked("session.1.jsonl", ttsr::message::is_judging_entry), !lost, "{}", case.display());
    }
    assert!(asked > 10, "{asked}");
}
