//! Rule files against the verdicts of the reference: frontmatter, scope.

mod bundled;
mod catalogue;
mod confirmed;
mod discovery;
mod examples;
mod field_reports;
mod formats;
mod frontmatter_schema;
mod hostile;
mod key_values;
mod lints;
mod long_lists;
mod pipeline;
mod registration;
mod remedies;
mod repairs;

use ttsr::generation::{Lifecycle, Semantics};
use ttsr::message::Source;
use ttsr::pattern::PatternSet;
use ttsr::rule::{Fields, Rule, RuleFile, RuleSet};
use ttsr::settings::Settings;
use ttsr::text::JsString;
use ttsr::text::json::Value;

use crate::support::{js_string, run_vectors, strings};

fn bytes(case: &Value) -> Result<Vec<u8>, String> {
    if let Some(text) = js_string(case, "text") {
        return text.to_utf8().map(String::into_bytes).ok_or_else(|| "a lone surrogate in the text".to_owned());
    }
    let hex = case.get("bytes_hex").and_then(Value::as_string).ok_or("no text")?.to_string_lossy();
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    Ok(digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
}

fn texts(list: Option<&Vec<JsString>>) -> Value {
    list.map_or(Value::Null, |list| Value::Array(list.iter().cloned().map(Value::from).collect()))
}

fn as_json(rule: &Rule) -> Value {
    let fields = &rule.fields;
    Value::Object(ttsr::json_object! {
        "name": rule.name.clone(),
        "content": rule.content.clone(),
        "description": fields.description.clone().map_or(Value::Null, Value::from),
        "condition": texts(fields.condition.as_ref()),
        "astCondition": texts(fields.ast_condition.as_ref()),
        "question": fields.question.clone().map_or(Value::Null, Value::from),
        "scope": texts(fields.scope.as_ref()),
        "globs": texts(fields.globs.as_ref()),
        "alwaysApply": fields.always_apply,
        "agents": texts(fields.agents.as_ref()),
        "interruptMode": fields.interrupt_mode.map_or(Value::Null, |mode| Value::from(mode.as_str())),
    })
}

#[test]
fn frontmatter_vectors() {
    run_vectors("frontmatter", |case| frontmatter_case(case, &Lifecycle::V3.semantics()));
}

#[test]
fn frontmatter_question_vectors() {
    run_vectors("frontmatter-question", |case| frontmatter_case(case, &Lifecycle::V4.semantics()));
}

fn frontmatter_case(case: &Value, semantics: &Semantics) -> Result<(), String> {
    let name = js_string(case, "file_name").ok_or("no file name")?.to_string_lossy();
    let file = RuleFile::read(name.clone(), bytes(case)?, semantics);
    let line_by_line = file
        .frontmatter
        .as_ref()
        .is_some_and(|matter| matches!(matter.reading, ttsr::rule::Reading::LineByLine { .. }));
    let rule = Rule::from_file(&name, format!("/p/{name}").into(), file, semantics);
    let wanted = match case.get("rule") {
        Some(Value::Null) if rule.fields.enabled => return Err("should be switched off".to_owned()),
        Some(Value::Null) => case.get("disabled_rule"),
        Some(_) if !rule.fields.enabled => return Err("should not be switched off".to_owned()),
        other => other,
    };
    if let Some(wanted) = wanted {
        let actual = as_json(&rule);
        for (key, value) in wanted.as_object().ok_or("no rule")?.iter() {
            let key = key.to_string_lossy();
            if actual.get(&key) != Some(value) {
                let actual = actual.get(&key).map(Value::to_json);
                return Err(format!("{key} is {actual:?}, not {}", value.to_json()));
            }
        }
    }
    // The newer vectors do not say so.
    if !semantics.judged_rules && line_by_line != (case.get("yaml_fallback").and_then(Value::as_bool) == Some(true)) {
        return Err(format!("line by line: {line_by_line}"));
    }
    let set = RuleSet::register([rule], &Settings::default(), semantics, None);
    let dropped = set.inventory[0].reason.as_ref().map(ToString::to_string).as_deref() == Some("it has no body");
    if dropped != case.get("invalid").is_some() {
        return Err(format!("reason is {:?}", set.inventory[0].reason));
    }
    Ok(())
}

fn source(context: &Value) -> Source {
    match context.get("source").and_then(Value::as_string).map(JsString::to_string_lossy).as_deref() {
        Some("text") => Source::Text,
        Some("thinking") => Source::Thinking,
        _ => Source::Tool,
    }
}

fn settings(case: &Value, semantics: &Semantics) -> Result<Settings, String> {
    let mut settings = Settings::default();
    let given = case.get("settings").and_then(Value::as_object).ok_or("no settings")?;
    for (key, value) in given.iter() {
        settings.apply(&key.to_string_lossy(), value, semantics).map_err(|error| error.to_string())?;
    }
    Ok(settings)
}

fn rule_of(value: &Value) -> Rule {
    let text = |key| js_string(value, key);
    let fields = Fields {
        condition: strings(value, "condition"),
        ast_condition: strings(value, "astCondition"),
        scope: strings(value, "scope"),
        globs: strings(value, "globs"),
        enabled: true,
        ..Fields::default()
    };
    let content = text("content").unwrap_or_default();
    Rule::from_fields(text("name").unwrap_or_default(), text("path").unwrap_or_default(), content, fields)
}

fn scope_case(case: &Value, semantics: &Semantics) -> Result<(), String> {
    let rule = rule_of(case.get("rule").ok_or("no rule")?);
    let set = RuleSet::offer([rule], &settings(case, semantics)?, semantics);
    let accepted = set.inventory[0].registered.is_some();
    if case.get("accepted").and_then(Value::as_bool) != Some(accepted) {
        return Err(format!("accepted: {accepted}"));
    }
    let snapshot = JsString::from("any text");
    let matches = |context: &Value| {
        let paths = strings(context, "filePaths").unwrap_or_default();
        let tool = js_string(context, "toolName");
        set.compiled.iter().any(|rule| {
            let patterns = PatternSet::new(rule.conditions.iter().map(|(_, pattern)| pattern.clone()).collect());
            rule.allows(source(context), tool.as_ref(), &paths)
                && rule.globs_allow(&paths)
                && (0..patterns.len()).any(|at| patterns.find(at, snapshot.units()).is_some())
        })
    };
    let contexts = case.get("contexts").and_then(Value::as_array).ok_or("no contexts")?;
    let actual: Vec<Value> = contexts.iter().map(|context| Value::from(matches(context))).collect();
    let wanted = case.get("matched").and_then(Value::as_array).ok_or("no verdicts")?;
    if actual == wanted { Ok(()) } else { Err(format!("matched {}", Value::Array(actual).to_json())) }
}

#[test]
fn scope_vectors() {
    let semantics = Lifecycle::V3.semantics();
    run_vectors("scope", |case| scope_case(case, &semantics));
}
