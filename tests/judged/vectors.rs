//! The vectors of the newest generation, `lifecycle-*.jsonl` apart: those are played by the coordinator's host.

use ttsr::engine::{Asked, Context, Manager};
use ttsr::generation::{Lifecycle, Semantics};
use ttsr::judge::{Ask, Output, Verdict, outputs};
use ttsr::lifecycle::{Coordinator, Options, ReminderKind, Templates};
use ttsr::message::{AgentEvent, Message, Source};
use ttsr::pattern::{CompileOptions, Pattern, PatternSet};
use ttsr::rule::{Bucket, Fields, Rule, RuleSet};
use ttsr::settings::{ContextMode, RepeatMode, Settings};
use ttsr::text::JsString;
use ttsr::text::json::{Object, Value};
use ttsr::tool::{EditMode, ReadOptions};

use crate::engine::{context, items, rule_set, settings};
use crate::lifecycle::reminders::Block;
use crate::support::{js_string, run_vectors, strings};

fn semantics() -> Semantics {
    Lifecycle::V4.semantics()
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, mine: T, theirs: T) -> Result<(), String> {
    if mine == theirs { Ok(()) } else { Err(format!("{what}: {mine:?} instead of {theirs:?}")) }
}

fn flag(case: &Value, name: &str) -> bool {
    case.get(name).and_then(Value::as_bool) == Some(true)
}

#[test]
fn settings_vectors() {
    run_vectors("settings", |case| {
        let key = js_string(case, "key").ok_or("no key")?.to_string_lossy();
        let key = key.strip_prefix("ttsr.").ok_or("no ttsr key")?.to_owned();
        let mut settings = Settings::default();
        let mut warned = false;
        if !flag(case, "absent") {
            let raw = case.get("raw").ok_or("no value")?;
            warned = settings.apply(&key, raw, &semantics()).map_err(|error| error.to_string())?.is_some();
        }
        let mine = match key.as_str() {
            "enabled" => settings.enabled.into(),
            "builtinRules" => settings.builtin_rules.into(),
            "contextMode" => Value::from(if settings.context_mode == ContextMode::Keep { "keep" } else { "discard" }),
            "interruptMode" => settings.interrupt_mode.as_str().into(),
            "repeatMode" => Value::from(if settings.repeat_mode == RepeatMode::Once { "once" } else { "after-gap" }),
            "repeatGap" => settings.repeat_gap.into(),
            "judge" => settings.judge.as_str().into(),
            // The agent trims the names later.
            _ => {
                let wanted = strings(case, "value").ok_or("no list")?;
                let wanted: Vec<JsString> = wanted.iter().map(JsString::trim).filter(|name| !name.is_empty()).collect();
                equal("disabledRules", settings.disabled_rules, wanted)?;
                case.get("value").cloned().unwrap_or(Value::Null)
            }
        };
        let theirs = case.get("value").ok_or("no value in force")?;
        match (mine.as_f64(), theirs.as_f64()) {
            (Some(mine), Some(theirs)) => equal("value", mine, theirs)?,
            _ => equal("value", &mine, theirs)?,
        }
        equal("warned", warned, flag(case, "warned"))
    });
}

#[test]
fn buckets_vectors() {
    run_vectors("buckets", |case| {
        let options = case.get("options").ok_or("no options")?;
        let mut settings = settings(case, &semantics())?;
        settings.disabled_rules = strings(options, "disabledRules").unwrap_or_default();
        let rules = items(case, "rules")?.iter().map(|rule| {
            let fields = Fields {
                condition: strings(rule, "condition"),
                ast_condition: strings(rule, "astCondition"),
                question: js_string(rule, "question"),
                scope: strings(rule, "scope"),
                globs: strings(rule, "globs"),
                agents: strings(rule, "agents"),
                description: js_string(rule, "description"),
                always_apply: flag(rule, "alwaysApply"),
                enabled: true,
                ..Fields::default()
            };
            // These rules have no file; the agent drops none for that.
            Rule::from_fields(js_string(rule, "name").unwrap_or_default(), "/r.md".into(), "Body.".into(), fields)
        });
        let agent = js_string(options, "agentName");
        let set = RuleSet::register(rules, &settings, &semantics(), agent.as_ref());
        for (bucket, name) in [(Bucket::Ttsr, "ttsr"), (Bucket::Always, "always"), (Bucket::Rulebook, "rulebook")] {
            let rows = set.inventory.iter().filter(|listed| listed.bucket == bucket);
            let mine: Vec<JsString> = rows.map(|listed| listed.rule.name.clone()).collect();
            equal(name, mine, strings(case, name).ok_or("no bucket")?)?;
        }
        Ok(())
    });
}

fn names(manager: &Manager, rules: &[usize]) -> Vec<JsString> {
    rules.iter().map(|&rule| manager.rules()[rule].name.clone()).collect()
}

#[test]
fn judged_candidates_vectors() {
    run_vectors("judged-candidates", |case| {
        let settings = settings(case, &semantics())?;
        let set = rule_set(case, &settings, &semantics())?;
        let accepted: Vec<bool> = set.inventory.iter().map(|rule| rule.registered.is_some()).collect();
        let wanted: Vec<bool> = items(case, "accepted")?.iter().filter_map(Value::as_bool).collect();
        equal("accepted", accepted, wanted)?;
        let mut manager = Manager::new(set.compiled, settings, semantics());
        equal("has_judged", manager.has_judged_rules(), flag(case, "has_judged"))?;
        equal("has_ast", manager.has_ast_rules(), flag(case, "has_ast"))?;
        for (at, ask) in items(case, "asks")?.iter().enumerate() {
            let context = context(ask)?;
            let content = js_string(ask, "content").unwrap_or_default();
            let Asked { rules, undecided, .. } = manager.ask(&context, content.units());
            equal("undecided", undecided, Vec::new())?;
            let questions = rules.iter().map(|&rule| manager.rules()[rule].question.clone().unwrap_or_default());
            let mine: Vec<Vec<JsString>> =
                names(&manager, &rules).into_iter().zip(questions).map(|(name, text)| vec![name, text]).collect();
            let pair = |pair: &Value| {
                pair.as_array().unwrap_or_default().iter().filter_map(Value::as_string).cloned().collect::<Vec<_>>()
            };
            equal(&format!("asked {at}"), mine, items(ask, "asked")?.iter().map(pair).collect())?;
            manager.reset_buffers();
            let stream = manager.check_snapshot(&context, content.units(), 0);
            let ast = manager.check_ast(&context, content.units());
            for (what, check) in [("stream", stream), ("ast", ast)] {
                let mine: Vec<JsString> = check.matches.into_iter().map(|one| one.hit.rule).collect();
                equal(&format!("{what} {at}"), mine, strings(ask, what).ok_or("no list")?)?;
            }
        }
        Ok(())
    });
}

/// The ask about an output, if any rule is left for it.
fn ask(manager: &mut Manager, context: Context, subject: &str, content: &str) -> Option<Ask> {
    let asked = manager.ask(&context, JsString::from(content).units());
    let of = |rule: &usize| &manager.rules()[*rule];
    (!asked.rules.is_empty()).then(|| Ask {
        id: 0,
        names: asked.rules.iter().map(|rule| of(rule).name.clone()).collect(),
        questions: asked.rules.iter().map(|rule| of(rule).question.clone().unwrap_or_default()).collect(),
        output: Output { subject: subject.into(), content: content.into(), context, tool_call: None },
        rules: asked.rules,
        steps: asked.steps,
        parsed: asked.parsed,
    })
}

fn flagged(ask: Option<&Ask>, step: &Value) -> Result<Vec<usize>, String> {
    let nouls = items(step, "nouls")?.iter().map(Value::as_f64).collect();
    Ok(ask
        .map(|ask| ask.flagged(&Verdict::Answered(nouls)))
        .unwrap_or_default()
        .into_iter()
        .map(|(at, _)| at)
        .collect())
}

#[test]
fn judged_verdicts_vectors() {
    run_vectors("judged-verdicts", |case| {
        let Some(steps) = case.get("steps").and_then(Value::as_array) else {
            let fields = Fields { question: Some("Q?".into()), enabled: true, ..Fields::default() };
            let rule = Rule::from_fields("r".into(), "/r.md".into(), "B".into(), fields);
            let set = RuleSet::offer([rule], &Settings::default(), &semantics());
            let mut manager = Manager::new(set.compiled, Settings::default(), semantics());
            let ask = ask(&mut manager, Context::prose(Source::Text), "reply", "x");
            let rules = flagged(ask.as_ref(), case)?;
            return equal("flagged", names(&manager, &rules), strings(case, "flagged").ok_or("no list")?);
        };
        let settings = settings(case, &semantics())?;
        let set = rule_set(case, &settings, &semantics())?;
        let mut manager = Manager::new(set.compiled, settings, semantics());
        let mut held: Vec<Vec<usize>> = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let list = |name: &str| strings(step, name).unwrap_or_default();
            let op = js_string(step, "op").unwrap_or_default().to_string_lossy();
            let mut claim = None;
            match op.as_str() {
                "turn_end" => manager.turn_end(),
                "mark" => manager.mark(list("names")),
                "restore" => manager.restore(list("names")),
                "judge" | "hold" => {
                    let context = context(step)?;
                    let subject = if context.source == Source::Text { "reply" } else { "reasoning" };
                    let ask = ask(&mut manager, context, subject, "x");
                    let asked = ask.as_ref().map(|ask| ask.names.clone()).unwrap_or_default();
                    equal(&format!("asked {at}"), asked, list("asked"))?;
                    if let Some(request) = step.get("request") {
                        let mine = ask.as_ref().map(|ask| Value::Object(ask.request()));
                        equal(&format!("request {at}"), mine.as_ref(), Some(request))?;
                    }
                    let rules = flagged(ask.as_ref(), step)?;
                    if op == "hold" { held.push(rules) } else { claim = Some(rules) }
                }
                "release" if held.is_empty() => claim = Some(Vec::new()),
                "release" => claim = Some(held.remove(0)),
                other => return Err(format!("unknown step {other}")),
            }
            if let Some(rules) = claim {
                equal(&format!("flagged {at}"), names(&manager, &rules), list("flagged"))?;
                let claimed: Vec<usize> = rules.into_iter().filter(|&rule| manager.may_trigger(rule)).collect();
                let claimed = names(&manager, &claimed);
                manager.mark(claimed.iter().cloned());
                equal(&format!("claimed {at}"), claimed, list("claimed"))?;
            }
        }
        let injected = strings(case, "injected").ok_or("no records")?;
        equal("injected", manager.ledger().injected(), injected.as_slice())?;
        equal("turns", Some(manager.ledger().turns() as f64), case.get("turns").and_then(Value::as_f64))
    });
}

#[test]
fn judged_outputs_vectors() {
    run_vectors("judged-outputs", |case| {
        let reading = ReadOptions {
            edit_mode: js_string(case, "edit_mode").and_then(|mode| EditMode::parse(&mode.to_string_lossy())),
            cwd: js_string(case, "cwd").unwrap_or_default(),
            ..ReadOptions::default()
        };
        let mut message = Object::new();
        message.insert("role", "assistant");
        message.insert("stopReason", "stop");
        message.insert("content", items(case, "content")?.to_vec());
        let mine: Vec<Value> = outputs(&Message::new(message), &reading)
            .into_iter()
            .map(|output| {
                let mut context = Object::new();
                context.insert("source", output.context.source.as_str());
                if let Some(tool) = output.context.tool {
                    context.insert("toolName", tool);
                }
                if let Some(key) = output.context.stream_key {
                    context.insert("streamKey", key);
                }
                if !output.context.paths.is_empty() {
                    context.insert("filePaths", output.context.paths.into_iter().map(Value::from).collect::<Vec<_>>());
                }
                let mut row = Object::new();
                row.insert("subject", output.subject);
                row.insert("content", output.content);
                row.insert("context", context);
                Value::Object(row)
            })
            .collect();
        let theirs = items(case, "outputs")?;
        equal("count", mine.len(), theirs.len())?;
        mine.iter().zip(theirs).try_for_each(|(mine, theirs)| equal("output", mine.to_json(), theirs.to_json()))
    });
}

#[test]
fn reminder_warning_vectors() {
    run_vectors("reminder-warning", |case| {
        let text = |value: &Value, name: &str| js_string(value, name).unwrap_or_default();
        let templates = Templates::new(text(case, "cwd"), text(case, "home"));
        let rule = case.get("rule").ok_or("no rule")?;
        let (name, path, content) = (text(rule, "name"), text(rule, "path"), text(rule, "content"));
        let kind = ReminderKind::Warning { output: &"reply".into() };
        let rendered = templates.render(kind, &semantics(), &name, &path, &content);
        let expected = case.get("rendered").ok_or("no result")?;
        let parsed = Block::parse(&rendered, 1).ok_or_else(|| format!("shape: {rendered}"))?;
        let wanted = Block {
            tag: text(expected, "tag"),
            rule: text(expected, "rule"),
            path: text(expected, "path"),
            body: text(expected, "body"),
        };
        equal("block", parsed, wanted)
    });
}

#[test]
fn regex_lookahead_vectors() {
    run_vectors("regex-lookahead", |case| {
        let (source, input) =
            (js_string(case, "pattern").ok_or("no pattern")?, js_string(case, "input").ok_or("no input")?);
        let matches = |sticky_look_aheads| -> Result<bool, String> {
            let options = CompileOptions { sticky_look_aheads, ..CompileOptions::default() };
            let pattern = Pattern::compile(&source, options).map_err(|error| error.message)?;
            let mut scanner = ttsr::pattern::Scanner::new(std::sync::Arc::new(PatternSet::new(vec![pattern])));
            let mut buffer = ttsr::pattern::Buffer::new();
            // Unit by unit: the answer is that for the whole text all the same.
            input.units().iter().for_each(|unit| scanner.append(&mut buffer, &[*unit]));
            Ok(scanner.verdict(&mut buffer, 0).is_match())
        };
        let wanted = flag(case, "match");
        equal("match", matches(true)?, wanted)?;
        let before = case.get("v3_match").and_then(Value::as_bool).unwrap_or(wanted);
        equal("v3_match", matches(false)?, before)
    });
}

/// What is judged of a call is what the stream rules saw at its end (W4.3 beside W5): the finished message and the stream
/// are two ways to the same buffers.
#[test]
fn judged_calls_hold_what_the_stream_buffers_held() {
    let (mut cases, mut compared) = (0, 0);
    run_vectors("judged-outputs", |case| {
        cases += 1;
        let settings = Settings::default();
        let fields =
            Fields { condition: Some(vec!["zq+".into()]), scope: Some(vec!["tool".into()]), ..Fields::default() };
        let rule = Rule::from_fields("r".into(), "/r.md".into(), "B".into(), fields);
        let set = RuleSet::offer([rule], &settings, &semantics());
        let mut options = Options::new(js_string(case, "cwd").unwrap_or_default(), "/home/user");
        options.reading.edit_mode =
            js_string(case, "edit_mode").and_then(|mode| EditMode::parse(&mode.to_string_lossy()));
        let mut coordinator = Coordinator::new(Manager::new(set.compiled, settings, semantics()), options);
        coordinator.handle(&AgentEvent::MessageStart { timestamp: None });
        let mut keys = Vec::new();
        for (index, block) in items(case, "content")?.iter().enumerate() {
            let Some(name) = js_string(block, "name") else { continue };
            let id = js_string(block, "id").unwrap_or_default();
            let arguments = block.get("arguments").cloned().or_else(|| Some(Value::Object(Object::new())));
            keys.push(id.clone());
            coordinator.handle(&AgentEvent::ToolCallEnd { index, id, name, arguments });
        }
        for output in items(case, "outputs")? {
            let context = output.get("context").ok_or("no context")?;
            let Some(key) = js_string(context, "streamKey") else { continue };
            let id = key.to_string_lossy().trim_start_matches("toolcall:").split('#').next().map(JsString::from);
            if id.is_some_and(|id| keys.iter().filter(|one| **one == id).count() > 1) {
                // Two calls of one id share a buffer; the last one has it.
                continue;
            }
            let content = js_string(output, "content").unwrap_or_default();
            equal("buffer", coordinator.manager().buffer(&key), Some(content.units()))?;
            compared += 1;
        }
        Ok(())
    });
    assert!(compared >= cases, "{compared} of {cases}");
}
