//! The forms of the lint report, each held against what its readers expect.

use std::collections::HashSet;
use std::fs;

use serde_json::Value;

use crate::support::program::{Outcome, ttsr};
use crate::support::project;

/// Ten rules with a typical mistake or two each.
const MISTAKES: &str = "testdata/mistakes";

fn check(options: &[&str]) -> Outcome {
    ttsr(["check-rules", MISTAKES].iter().chain(options))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// Where the instance breaks the schema.
fn violations(schema: &Value, instance: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).expect("a schema");
    validator.iter_errors(instance).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn sarif_is_valid_against_its_schema() {
    let schema = fs::read_to_string(project("testdata/sarif/sarif-schema-2.1.0.json")).expect("the schema");
    let schema = json(&schema);
    let document = json(&check(&["--format", "sarif"]).out);
    assert_eq!(violations(&schema, &document), [""; 0]);
    // The check itself can fail.
    let mut wrong = document.clone();
    wrong["runs"][0]["results"][0]["level"] = "grave".into();
    assert_eq!(violations(&schema, &wrong).len(), 1);

    let run = &document["runs"][0];
    let results = run["results"].as_array().expect("results");
    assert!(results.len() >= 5, "{results:#?}");
    for result in results {
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("an index") as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["help"]["text"].as_str().is_some_and(|help| help.contains("This is reported:")), "{rule}");
        let location = &result["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uriBaseId"], "SRCROOT");
        assert!(!run["originalUriBaseIds"]["SRCROOT"].is_null());
        let uri = location["artifactLocation"]["uri"].as_str().expect("a URI");
        assert!(project(uri).exists(), "{uri} is relative to the folder of the run");
        assert!(location["region"]["startLine"].as_u64() >= Some(1), "{location}");
    }
}

#[test]
fn json_is_valid_against_the_schema_that_the_program_prints() {
    let schema = ttsr(["check-rules", "--schema"]);
    assert_eq!(schema.status, 0);
    let schema = json(&schema.out);
    for lifecycle in ["v1", "v2", "v3", "v4", "auto"] {
        for folder in [MISTAKES, "testdata/demo", "testdata/samples"] {
            let options = ["--examples", "--format", "json", "--lifecycle", lifecycle];
            let document = json(&ttsr(["check-rules", folder].iter().chain(&options)).out);
            assert_eq!(violations(&schema, &document), [""; 0], "{folder} {lifecycle}");
            assert!(lifecycle == "auto" || document["lifecycle"] == lifecycle);
            let changes: [fn(&mut Value); 6] = [
                |wrong| wrong["summary"]["errors"] = "many".into(),
                |wrong| wrong["lifecycle"] = "v9".into(),
                |wrong| wrong["schema"] = "ttsr.check/2".into(),
                |wrong| wrong["other"] = 1.into(),
                |wrong| wrong["rules"][0]["bucket"] = "bin".into(),
                |wrong| drop(wrong["rules"][0].as_object_mut().and_then(|rule| rule.remove("scope"))),
            ];
            for change in changes {
                let mut wrong = document.clone();
                change(&mut wrong);
                assert_eq!(violations(&schema, &wrong).len(), 1, "{wrong:#}");
            }
        }
    }
}

/// What a program that reads the form may rely on: names and their order.
#[test]
fn json_keeps_its_members_in_their_order() {
    let text =
        ttsr(["check-rules", "testdata/demo/samples", "--examples", "--format", "json", "--lifecycle", "v4"]).out;
    let mut at = 0;
    for name in [
        "schema",
        "lifecycle",
        "rules",
        "name",
        "path",
        "provider",
        "bucket",
        "registered",
        "reason",
        "description",
        "condition",
        "ast_condition",
        "scope",
        "globs",
        "agents",
        "interrupt_mode",
        "always_apply",
        "diagnostics",
        "code",
        "name",
        "severity",
        "message",
        "help",
        "file",
        "start",
        "line",
        "column",
        "offset",
        "end",
        "fix",
        "summary",
        "files",
        "rules",
        "errors",
        "warnings",
        "notes",
        "examples",
        "samples",
        "passed",
        "failed",
        "not_run",
        "results",
        "rule",
        "file",
        "line",
        "expected",
        "source",
        "tool",
        "path",
        "text",
        "outcome",
        "at",
        "at_end",
        "after",
        "premature",
        "conditions",
        "why",
        "passed",
    ] {
        at = text[at..].find(&format!("\"{name}\":")).map(|found| at + found + 1).unwrap_or_else(|| panic!("{name}"));
    }
}

#[test]
fn github_commands_are_one_line_each() {
    let outcome = check(&["--format", "github"]);
    assert_eq!(outcome.status, 1);
    let all: Vec<&str> = outcome.out.lines().collect();
    let count = json(&check(&["--format", "json"]).out)["diagnostics"].as_array().map_or(0, Vec::len);
    let lines = all.get(..count).expect("a line each");
    assert!(all[count..].iter().all(|line| line.starts_with("shown are 10 of a kind; not shown: ")), "{all:#?}");
    let start = |line: &&str| ["::error ", "::warning ", "::notice "].iter().any(|kind| line.starts_with(kind));
    assert!(lines.iter().all(start), "{lines:#?}");
    let globs = lines.iter().find(|line| line.contains("TTSR033")).expect("a finding");
    assert!(globs.starts_with("::error file=testdata/mistakes/ts-imports.md,line=3,endLine=3,col="), "{globs}");
}

#[test]
fn junit_counts_the_files_that_fail() {
    let outcome = check(&["--format", "junit"]);
    let document = json(&check(&["--format", "json"]).out);
    let findings = document["diagnostics"].as_array().expect("findings").iter();
    let failing = |severities: &[&str]| {
        let counts = |one: &&Value| severities.iter().any(|severity| one["severity"] == *severity);
        findings.clone().filter(counts).map(|one| one["file"].to_string()).collect::<HashSet<_>>().len()
    };
    let errors = failing(&["error"]);
    assert!(errors > 0 && outcome.out.contains(&format!("failures=\"{errors}\"")), "{}", outcome.out);
    assert_eq!(outcome.out.matches("<failure ").count(), errors);
    let files = document["summary"]["files"].as_u64().expect("a number");
    assert_eq!(outcome.out.matches("<testsuite ").count() as u64, files);
    let notes = check(&["--format", "junit", "--fail-on", "note"]);
    assert_eq!(notes.out.matches("<failure ").count(), failing(&["error", "warning", "note"]));
    // Every finding is told in one of them.
    for finding in findings {
        let code = finding["code"].as_str().expect("a code");
        assert!(outcome.out.contains(code) && notes.out.contains(code), "{code}");
    }
}

#[test]
fn every_form_has_the_same_status() {
    for form in ["human", "json", "sarif", "github", "gitlab", "junit"] {
        assert_eq!(check(&["--format", form]).status, 1, "{form}");
        assert_eq!(check(&["--format", form, "--exit-zero"]).status, 0, "{form}");
        assert_eq!(check(&["--format", form, "--allow", "all"]).status, 0, "{form}");
    }
}

#[test]
fn explain_shows_the_samples_that_are_tested() {
    let outcome = ttsr(["check-rules", "--explain", "TTSR033"]);
    assert_eq!(outcome.status, 0);
    assert_eq!(outcome.out, ttsr(["check-rules", "--explain", "comma-in-glob"]).out);
    for side in ["failing", "passing"] {
        let text = fs::read_to_string(project(&format!("testdata/rules/comma-in-glob/{side}.md"))).expect("a sample");
        let line = text.lines().find(|line| line.starts_with("globs")).expect("globs");
        assert!(outcome.out.contains(line), "{line} is missing in\n{}", outcome.out);
    }
    let unknown = ttsr(["check-rules", "--explain", "TTSR999"]);
    assert_eq!(unknown.status, 2);
}
