//! `stream.jsonl`: steps on one engine.

use ttsr::engine::{Check, Context, Manager};
use ttsr::generation::{Lifecycle, Semantics};
use ttsr::message::Source;
use ttsr::rule::{Fields, Rule, RuleSet};
use ttsr::settings::{InterruptMode, Settings};
use ttsr::text::JsString;
use ttsr::text::json::Value;

use crate::support::{js_string, run_vectors, strings};

#[test]
fn stream_vectors() {
    run_vectors("stream", |case| {
        let semantics = Lifecycle::V3.semantics();
        let settings = settings(case, &semantics)?;
        let set = rule_set(case, &settings, &semantics)?;
        let accepted: Vec<bool> = set.inventory.iter().map(|rule| rule.registered.is_some()).collect();
        let wanted: Vec<bool> = items(case, "registered")?.iter().filter_map(Value::as_bool).collect();
        if accepted != wanted {
            return Err(format!("registered {accepted:?} instead of {wanted:?}"));
        }
        let mut manager = Manager::new(set.compiled, settings, semantics);
        manager.restore(strings(case, "restore").unwrap_or_default());
        for (at, (step, wanted)) in items(case, "steps")?.iter().zip(items(case, "expect")?).enumerate() {
            let names: Vec<JsString> = play(&mut manager, step)?.matches.into_iter().map(|one| one.hit.rule).collect();
            let wanted: Vec<JsString> =
                wanted.as_array().unwrap_or_default().iter().filter_map(Value::as_string).cloned().collect();
            if names != wanted {
                return Err(format!("step {at}: {names:?} instead of {wanted:?}"));
            }
        }
        let wanted = strings(case, "injected").unwrap_or_default();
        let injected = manager.ledger().injected();
        if injected == wanted { Ok(()) } else { Err(format!("injected {injected:?} instead of {wanted:?}")) }
    });
}

fn play(manager: &mut Manager, step: &Value) -> Result<Check, String> {
    let text = js_string(step, "text").unwrap_or_default();
    let op = js_string(step, "op").unwrap_or_default().to_string_lossy();
    match op.as_str() {
        "delta" => return Ok(manager.check_delta(&context(step)?, text.units())),
        "snapshot" => return Ok(manager.check_snapshot(&context(step)?, text.units(), 0)),
        "ast" => return Ok(manager.check_ast(&context(step)?, text.units())),
        "reset" => manager.reset_buffers(),
        "turn_end" => manager.turn_end(),
        "mark" => manager.mark(strings(step, "names").unwrap_or_default()),
        other => return Err(format!("unknown step {other}")),
    }
    Ok(Check::default())
}

pub(crate) fn context(step: &Value) -> Result<Context, String> {
    let source = match js_string(step, "source").unwrap_or_default().to_string_lossy().as_str() {
        "text" => Source::Text,
        "thinking" => Source::Thinking,
        "tool" => Source::Tool,
        other => return Err(format!("unknown source {other}")),
    };
    Ok(Context {
        source,
        tool: js_string(step, "toolName"),
        paths: strings(step, "filePaths").unwrap_or_default(),
        stream_key: js_string(step, "streamKey"),
    })
}

pub(crate) fn items<'a>(case: &'a Value, name: &str) -> Result<&'a [Value], String> {
    case.get(name).and_then(Value::as_array).ok_or_else(|| format!("no {name}"))
}

/// The case's rules, offered in order.
pub(crate) fn rule_set(case: &Value, settings: &Settings, semantics: &Semantics) -> Result<RuleSet, String> {
    let rules = items(case, "rules")?.iter().map(|rule| {
        let fields = Fields {
            condition: strings(rule, "condition"),
            ast_condition: strings(rule, "astCondition"),
            question: js_string(rule, "question"),
            scope: strings(rule, "scope"),
            globs: strings(rule, "globs"),
            interrupt_mode: js_string(rule, "interruptMode").as_ref().and_then(InterruptMode::parse),
            enabled: true,
            ..Fields::default()
        };
        let text = |name: &str| js_string(rule, name).unwrap_or_default();
        Rule::from_fields(text("name"), text("path"), text("content"), fields)
    });
    Ok(RuleSet::offer(rules, settings, semantics))
}

/// The case's settings over the defaults.
pub(crate) fn settings(case: &Value, semantics: &Semantics) -> Result<Settings, String> {
    let mut settings = Settings::default();
    for (key, value) in case.get("settings").and_then(Value::as_object).ok_or("no settings")?.iter() {
        settings.apply(&key.to_string_lossy(), value, semantics).map_err(|error| error.to_string())?;
    }
    Ok(settings)
}
