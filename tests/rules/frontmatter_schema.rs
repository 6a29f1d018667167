//! The schema of the frontmatter: a rule has a value of the wrong type where the linter says so, and nowhere else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::{Map, Value};
use ttsr::builtin::keys::KEYS;
use ttsr::diagnostic::Diagnostic;
use ttsr::generation::Lifecycle;
use ttsr::rule::{Reading, Rule, RuleFile, RuleSet, lint};
use ttsr::settings::Settings;

use crate::support::program::ttsr_auto;
use crate::support::project;

fn validator() -> Validator {
    let outcome = ttsr_auto(["check-rules", "--frontmatter-schema"]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    let schema = serde_json::from_str(&outcome.out).expect("JSON");
    jsonschema::draft202012::meta::validate(&schema).expect("a schema of the draft");
    jsonschema::validator_for(&schema).expect("a schema")
}

/// A frontmatter as an editor sees it, where it is YAML, and what the linter says of it.
fn read(bytes: Vec<u8>) -> Option<(Value, Vec<Diagnostic>)> {
    let semantics = Lifecycle::V4.semantics();
    let file = RuleFile::read("r.md", bytes, &semantics);
    let matter = file.frontmatter.as_ref().filter(|matter| matter.reading == Reading::Plain)?;
    let members = matter.members.iter().map(|member| {
        let value = serde_json::from_str(&member.value.to_json().to_json()).unwrap_or(Value::from(1));
        (member.written.clone(), value)
    });
    let document = Value::Object(members.collect::<Map<_, _>>());
    let rule = Rule::from_file("r.md", "/p/r.md".into(), file, &semantics);
    let set = RuleSet::register([rule], &Settings::default(), &semantics, None);
    Some((document, lint::run(&set, &semantics)))
}

/// Whether a finding is about the type of a value that some key of the agent has.
fn is_of_type(finding: &Diagnostic) -> bool {
    match finding.code.name() {
        "wrong-type" | "invalid-interrupt-mode" | "invalid-question" | "invalid-example" => true,
        "missing-trigger" => ["is a number", "is a boolean", "is a mapping", "without any text"]
            .iter()
            .any(|kind| finding.message.contains(kind)),
        _ => false,
    }
}

/// Every rule file of the tests.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md" || extension == "mdc") {
            found.push(path);
        }
    }
}

#[test]
fn rules_validate_where_the_linter_finds_no_wrong_type() {
    let validator = validator();
    let mut paths = Vec::new();
    ["testdata/rules", "testdata/mistakes", "testdata/recordings", "testdata/recordings-18.3", "testdata/demo"]
        .iter()
        .for_each(|folder| files(&project(folder), &mut paths));
    let (mut valid, mut refused) = (0, BTreeSet::new());
    for path in paths {
        let Some((document, findings)) = fs::read(&path).ok().and_then(read) else { continue };
        // What only the samples' own reading tells: members that do not go together.
        if path.to_string_lossy().contains("invalid-example") {
            continue;
        }
        let wrong = findings.iter().find(|finding| is_of_type(finding));
        assert_eq!(validator.is_valid(&document), wrong.is_none(), "{}: {document}: {wrong:?}", path.display());
        match wrong {
            None => valid += 1,
            Some(finding) => drop(refused.insert(finding.code.name())),
        }
    }
    assert!(valid > 150, "{valid}");
    assert!(refused.contains("wrong-type") && refused.contains("invalid-interrupt-mode"), "{refused:?}");
}

#[test]
fn values_of_every_type_validate_as_the_linter_says() {
    const VALUES: [&str; 17] = [
        "text",
        "''",
        "true",
        "false",
        "5",
        "1.5",
        "~",
        "[]",
        "[a]",
        "[5]",
        "[a, true]",
        "[[a]]",
        "[{a: b}]",
        "{a: b}",
        "{}",
        "never",
        "{fires: [a, {text: b, source: tool}], silent: c}",
    ];
    let validator = validator();
    let mut counts = [0, 0];
    for key in KEYS.iter().filter(|key| key.name != "applyTo") {
        for value in VALUES {
            let other = if key.name == "condition" { "note: x" } else { "condition: foo" };
            // The old names have no say beside the new one.
            let other = if key.name.to_lowercase().starts_with("ttsr") { "note: x" } else { other };
            let text = format!("---\n{other}\n{}: {value}\n---\nB", key.name);
            let (document, findings) = read(text.clone().into_bytes()).expect("YAML");
            let wrong = findings.iter().any(is_of_type);
            assert_eq!(validator.is_valid(&document), !wrong, "{text}: {findings:#?}");
            counts[usize::from(wrong)] += 1;
        }
    }
    assert!(counts[0] > 50 && counts[1] > 50, "{counts:?}");
}

#[test]
fn each_key_is_described() {
    let schema: Value = serde_json::from_str(&ttsr_auto(["check-rules", "--frontmatter-schema"]).out).expect("JSON");
    for key in KEYS {
        let described = schema["properties"][key.name]["description"].as_str().expect(key.name);
        assert!(described.starts_with(key.meaning), "{described}");
    }
    assert_eq!(schema["properties"]["ast-condition"], schema["properties"]["astCondition"]);
    let first = schema["properties"].as_object().expect("keys").len();
    assert!(first > KEYS.len());
}
