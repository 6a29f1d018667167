//! Cases derived by hand from the documents that the generations follow: one or more per statement A… and B… of the
//! seed documents, and per row of engine.md E11. Each has an input on which another generation gives another result,
//! or says that none exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use ttsr::generation::{Lifecycle, Semantics};
use ttsr::rule::{Fields, Rule, RuleFile, RuleSet};
use ttsr::settings::{InterruptMode, Settings};
use ttsr::text::JsString;
use ttsr::text::json::{self, Value};

use super::host::{CWD, Host};
use crate::engine::settings;
use crate::support::{js_string, project, strings};

/// Numbered statements per section, and rows, that the tables must cite.
const STATEMENTS: [(&str, &[usize]); 2] = [("A", &[8, 4, 6, 7, 4, 4, 5, 4, 1]), ("B", &[19, 9, 5, 17, 2, 2, 4, 3, 1])];
const ROWS: usize = 37;

/// Statements proven elsewhere, and where.
const ELSEWHERE: [(&str, &str); 6] = [
    ("A3.6", "listeners.rs: a receiver that never returns holds up nothing"),
    ("A6.2", "listeners.rs: every surface hears the event"),
    ("A6.3", "listeners.rs: payloads of the surfaces"),
    ("B6.1", "listeners.rs: every surface hears the event, in batch order"),
    ("G36", "sessions: the role of custom messages in the context"),
    ("G31", "rules: providers of the early generation"),
];

fn cases() -> Vec<(String, Value)> {
    let mut cases = Vec::new();
    for file in ["v1", "v2", "generations"] {
        let path = project(&format!("testdata/lifecycle/{file}.jsonl"));
        let text = fs::read_to_string(&path).expect("the table");
        for (at, line) in text.lines().enumerate() {
            let case = json::parse(line).unwrap_or_else(|error| panic!("{file}:{}: {error}", at + 1));
            cases.push((format!("{file}:{}", at + 1), case));
        }
    }
    cases
}

/// What the case expects of each generation that it names.
fn expectations(case: &Value) -> BTreeMap<Lifecycle, String> {
    let mut expected = BTreeMap::new();
    for (key, value) in case.as_object().expect("a case").iter() {
        let key = key.to_string_lossy();
        let text = value.as_string().map(JsString::to_string_lossy).unwrap_or_default();
        for part in key.split('+') {
            let generations: &[Lifecycle] = match part {
                "v1" => &[Lifecycle::V1],
                "v2" => &[Lifecycle::V2],
                "v3" => &[Lifecycle::V3],
                "all" => &[Lifecycle::V1, Lifecycle::V2, Lifecycle::V3],
                _ => continue,
            };
            expected.extend(generations.iter().map(|&generation| (generation, text.clone())));
        }
    }
    expected
}

fn rules(case: &Value, settings: &Settings, semantics: &Semantics) -> RuleSet {
    if let Some(files) = case.get("files").and_then(Value::as_array) {
        let rules = files.iter().map(|file| {
            let file = file.as_array().expect("a name and a text");
            let text = |at: usize| file[at].as_string().expect("a string").to_string_lossy();
            let read = RuleFile::read(text(0), text(1).into_bytes(), semantics);
            Rule::from_file(&text(0), format!("{CWD}/.omp/rules/{}", text(0)).into(), read, semantics)
        });
        return RuleSet::register(rules, settings, semantics, Some(&"main".into()));
    }
    let rule = |name: JsString, value: &Value| {
        let text = |key: &str| js_string(value, key);
        let condition = value
            .as_string()
            .cloned()
            .map(|one| vec![one])
            .or_else(|| strings(value, "condition").or_else(|| text("condition").map(|one| vec![one])));
        let fields = Fields {
            condition,
            ast_condition: strings(value, "ast"),
            scope: strings(value, "scope"),
            globs: strings(value, "globs"),
            interrupt_mode: text("mode").as_ref().and_then(InterruptMode::parse),
            enabled: true,
            ..Fields::default()
        };
        let path = text("path").unwrap_or_else(|| format!("{CWD}/.omp/rules/{name}.md").into());
        let content = text("content").unwrap_or_else(|| format!("BODY {name}").into());
        Rule::from_fields(name, path, content, fields)
    };
    let rules: Vec<Rule> = match case.get("rules") {
        Some(Value::Object(rules)) => rules.iter().map(|(name, value)| rule(name.clone(), value)).collect(),
        Some(Value::Array(rules)) => {
            rules.iter().map(|value| rule(js_string(value, "name").expect("a name"), value)).collect()
        }
        _ => panic!("no rules"),
    };
    RuleSet::offer(rules, settings, semantics)
}

#[test]
fn hand_derived_cases_hold_in_every_generation() {
    let mut failures = Vec::new();
    for (place, case) in cases() {
        let events = js_string(&case, "events").unwrap_or_default().to_string_lossy();
        for (generation, expected) in expectations(&case) {
            let semantics = generation.semantics();
            let settings =
                case.get("settings").map_or_else(|| Ok(Settings::default()), |_| settings(&case, &semantics));
            let settings = settings.expect("settings");
            let set = rules(&case, &settings, &semantics);
            let buckets = set.inventory.iter().map(|one| format!(" {}={}", one.rule.name, one.bucket));
            let buckets = format!("buckets{}", buckets.collect::<String>());
            let names: Vec<String> = set.compiled.iter().map(|rule| rule.name.to_string_lossy()).collect();
            let registered = if names.is_empty() { "-".to_owned() } else { names.join(",") };
            let mut host = Host::new(set, settings.clone(), semantics, false);
            host.play(&events);
            let mut trace = vec![format!("rules {registered}")];
            if js_string(&case, "show").is_some_and(|what| what == "buckets") {
                trace.insert(0, buckets);
            }
            trace.append(&mut host.trace);
            let trace = trace.join("; ");
            if trace != expected {
                let note = js_string(&case, "note").unwrap_or_default();
                failures
                    .push(format!("{place} {}: {note}\n    is   {trace}\n    want {expected}", generation.as_str()));
            }
        }
    }
    assert!(failures.is_empty(), "{} cases differ:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn hand_derived_cases_tell_generations_apart_or_say_why_not() {
    for (place, case) in cases() {
        let expected = expectations(&case);
        let distinct: BTreeSet<&String> = expected.values().collect();
        let says_why = js_string(&case, "same").is_some();
        assert_eq!(expected.len(), 3, "{place} leaves a generation out");
        assert_eq!(distinct.len() == 1, says_why, "{place}: {} distinct results", distinct.len());
    }
}

#[test]
fn hand_derived_cases_cite_every_statement_and_row() {
    let mut cited: BTreeSet<String> = ELSEWHERE.iter().map(|(id, _)| (*id).to_owned()).collect();
    for (_, case) in cases() {
        cited.extend(strings(&case, "cites").expect("citations").iter().map(JsString::to_string_lossy));
    }
    let mut wanted: BTreeSet<String> = (1..=ROWS).map(|row| format!("G{row}")).collect();
    for (letter, sections) in STATEMENTS {
        for (section, &count) in sections.iter().enumerate() {
            wanted.extend((1..=count).map(|one| format!("{letter}{}.{one}", section + 1)));
        }
    }
    let missing: Vec<&String> = wanted.difference(&cited).collect();
    let unknown: Vec<&String> = cited.difference(&wanted).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "not cited: {missing:?}; unknown: {unknown:?}");
}
