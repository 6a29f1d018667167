//! The forms that services read.

use std::collections::HashSet;
use std::fs;

use serde_json::Value;

use super::Team;
use crate::support::project;

const RULE: &str = "---\ncondition: ['\\bfoo\\b', '(']\n# ttsr-ignore TTSR034 known & wanted\nglobs: '*.ts, *.js'\nttsr_trigger: x\nscop: text\n---\nBody.\n";

/// As many rules with the same errors.
fn many(number: usize) -> Team {
    let team = Team::new(&[]);
    (0..number).for_each(|at| team.write(&format!("sub/rules/r{at:02}.md"), RULE));
    team
}

fn violations(schema: &str, instance: &Value) -> Vec<String> {
    let schema = fs::read_to_string(project(schema)).expect("a schema");
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).expect("JSON")).expect("a schema");
    validator.iter_errors(instance).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}"))
}

const GITLAB: &str = "testdata/gitlab/code-quality-schema.json";

#[test]
fn the_code_quality_report_is_valid_and_names_each_finding_once() {
    let team = many(3);
    let outcome = team.check_in("repo/sub", &["rules", "--format", "gitlab"], "");
    assert_eq!(outcome.status, 1);
    let report = json(&outcome.out);
    assert_eq!(violations(GITLAB, &report), [""; 0]);
    let issues = report.as_array().expect("issues");
    let document = team.json(&["sub/rules"]);
    let findings = document["diagnostics"].as_array().expect("findings");
    assert_eq!(issues.len(), findings.len());
    for (issue, finding) in issues.iter().zip(findings) {
        assert_eq!(issue["fingerprint"], finding["fingerprint"]);
        assert_eq!(issue["location"]["path"], finding["file"], "from the root of the repository on");
        assert_eq!(issue["location"]["lines"]["begin"], finding["start"]["line"]);
        assert!(issue["check_name"].as_str().expect("a name").starts_with(finding["code"].as_str().expect("a code")));
        let severity = match finding["severity"].as_str() {
            Some("error") => "major",
            Some("warning") => "minor",
            _ => "info",
        };
        assert_eq!(issue["severity"], severity);
    }
    let different: HashSet<&str> = issues.iter().filter_map(|issue| issue["fingerprint"].as_str()).collect();
    assert_eq!(different.len(), issues.len());
    // Nothing found is an empty list.
    let nothing = team.check(&["sub/rules", "--format", "gitlab", "--allow", "all"]);
    assert_eq!((nothing.status, nothing.out.as_str()), (0, "[]\n"));
    // The check itself can fail.
    let changes: [fn(&mut Value); 5] = [
        |wrong| wrong[0]["severity"] = "error".into(),
        |wrong| wrong[0]["location"]["lines"]["begin"] = 0.into(),
        |wrong| wrong[0]["location"]["path"] = "./a.md".into(),
        |wrong| drop(wrong[0].as_object_mut().and_then(|issue| issue.remove("fingerprint"))),
        |wrong| wrong[0]["description"] = "".into(),
    ];
    for change in changes {
        let mut wrong = report.clone();
        change(&mut wrong);
        assert_eq!(violations(GITLAB, &wrong).len(), 1);
    }
    // A finding about no file.
    team.write("empty.md", "---\ncondition: foo\n---\nB\n");
    let outcome = team.check(&["empty.md", "--format", "gitlab", "--set", "ttsr.repeatMode=never"]);
    let report = json(&outcome.out);
    assert_eq!(violations(GITLAB, &report), [""; 0]);
    assert_eq!(report[0]["location"]["path"], ".", "{report:#}");
}

#[test]
fn sarif_says_who_is_who_what_mends_it_and_what_is_suppressed() {
    let team = many(1);
    team.write(
        "sub/rules/s.md",
        "---\n# ttsr-ignore TTSR033 known & wanted\nglobs: '*.ts, *.js'\ncondition: foo\n---\nB\n",
    );
    let arguments = ["rules", "--format", "sarif", "--help-uri", "https://rules.example/{code}#{name}"];
    let outcome = team.check_in("repo/sub", &arguments, "");
    let report = json(&outcome.out);
    assert_eq!(violations("testdata/sarif/sarif-schema-2.1.0.json", &report), [""; 0]);
    let run = &report["runs"][0];
    assert_eq!(run["automationDetails"]["id"], "ttsr/check-rules/");
    assert_eq!(run["properties"], json(r#"{"suppressed": 1, "known": 0}"#));
    let document = team.json(&["sub/rules"]);
    let findings = document["diagnostics"].as_array().expect("findings");
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), findings.len());
    for (result, finding) in results.iter().zip(findings) {
        assert_eq!(result["partialFingerprints"]["ttsr/v1"], finding["fingerprint"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], finding["file"]);
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("an index") as usize];
        let (code, name) = (finding["code"].as_str().expect("a code"), finding["name"].as_str().expect("a name"));
        assert_eq!(rule["helpUri"], format!("https://rules.example/{code}#{name}"));
        let suppressed = result["suppressions"].as_array().expect("said of each");
        assert_eq!(!suppressed.is_empty(), finding["suppressed"] == true);
        if let Some(suppression) = suppressed.first() {
            assert_eq!(suppression, &json(r#"{"kind": "inSource", "justification": "known & wanted"}"#));
        }
        assert_eq!(result["fixes"].is_null(), finding["fix"].is_null(), "{code}");
    }
    assert!(findings.iter().any(|finding| !finding["fix"].is_null()));
    // The regions that a fix replaces are those of its bytes.
    for (result, finding) in results.iter().zip(findings).filter(|(result, _)| !result["fixes"].is_null()) {
        let text = team.read(finding["file"].as_str().expect("a file"));
        let change = &result["fixes"][0]["artifactChanges"][0];
        assert_eq!(change["artifactLocation"]["uri"], finding["file"]);
        let edits = finding["fix"]["edits"].as_array().expect("edits");
        for (replacement, edit) in change["replacements"].as_array().expect("replacements").iter().zip(edits) {
            let number = |value: &Value| value.as_u64().expect("a number") as usize;
            let at = |line: &Value, column: &Value| {
                let before: usize = text.split_inclusive('\n').take(number(line) - 1).map(str::len).sum();
                before + number(column) - 1
            };
            let region = &replacement["deletedRegion"];
            assert_eq!(at(&region["startLine"], &region["startColumn"]), number(&edit["start"]));
            assert_eq!(at(&region["endLine"], &region["endColumn"]), number(&edit["end"]));
            assert_eq!(replacement["insertedContent"]["text"], edit["text"]);
        }
    }
    // Where nothing is suppressed nothing is said of it, and no address is made up.
    let plain = json(&team.check(&["sub/rules/r00.md", "--format", "sarif"]).out);
    assert!(plain["runs"][0]["results"][0]["suppressions"].is_null());
    assert!(plain["runs"][0]["tool"]["driver"]["rules"][0]["helpUri"].is_null());
}

#[test]
fn annotations_come_gravest_first_and_those_that_are_not_shown_are_counted() {
    let team = many(13);
    let outcome = team.check_in("repo/sub", &["rules", "--format", "github"], "");
    let kinds: Vec<&str> = outcome.out.lines().filter_map(|line| line.split(' ').next()).collect();
    let commands: Vec<&str> = kinds.iter().copied().filter(|kind| kind.starts_with("::")).collect();
    let rank = |kind: &&str| ["::error", "::warning", "::notice"].iter().position(|one| one == kind).expect("a kind");
    assert!(commands.is_sorted_by_key(rank), "{commands:?}");
    let count = |kind: &str| commands.iter().filter(|one| **one == kind).count();
    let last = outcome.out.lines().next_back().expect("a line");
    let words = [("::error", "error"), ("::warning", "warning"), ("::notice", "note")]
        .into_iter()
        .filter(|(kind, _)| count(kind) > 10)
        .map(|(kind, word)| format!("{} {word}{}", count(kind) - 10, if count(kind) == 11 { "" } else { "s" }));
    let words: Vec<String> = words.collect();
    assert_eq!(last, format!("shown are 10 of a kind; not shown: {}", words.join(", ")));
    assert!(outcome.out.contains("::error file=sub/rules/r00.md,line=2,"), "{}", outcome.out);
    let few = many(1).check(&["sub/rules", "--format", "github"]);
    assert!(few.out.lines().all(|line| line.starts_with("::")), "{}", few.out);
}

const SAMPLES: &str =
    "---\ncondition: foo\nexamples:\n  fires: ['a foo', bar, 'a foo']\n  silent: [food, baz]\n---\nB\n";

#[test]
fn a_test_report_has_a_case_for_each_file_and_each_sample() {
    let team = Team::new(&[("rules/a.md", SAMPLES), ("rules/b.md", "---\ncondition: foo\n---\nB\n"), ("sub/x", "")]);
    let outcome = team.check_in("repo/sub", &["../rules", "--examples", "--format", "junit"], "");
    let cases: Vec<(String, bool)> = outcome
        .out
        .split("<testcase ")
        .skip(1)
        .map(|case| {
            let name = case.split('"').nth(1).expect("a name").to_owned();
            (name, case.contains("<failure "))
        })
        .collect();
    let wanted = [
        ("lints", false),
        ("fires: text: a foo", false),
        ("fires: text: bar", true),
        ("fires: text: a foo (2)", false),
        ("silent: text: food", true),
        ("silent: text: baz", false),
        ("lints", false),
    ];
    assert_eq!(cases, wanted.map(|(name, failed)| (name.to_owned(), failed)), "{}", outcome.out);
    assert!(outcome.out.contains("tests=\"7\" skipped=\"0\" failures=\"2\""), "{}", outcome.out);
    assert_eq!(outcome.out.matches("<testsuite ").count(), 2);
    assert_eq!(outcome.out.matches("file=\"rules/a.md\" line=\"4\"").count(), 3);
    assert!(outcome.out.matches("time=\"0.000\"").count() >= 7);
    // Names are the same when the file is edited above.
    team.write("rules/a.md", &SAMPLES.replace("condition", "description: d\n\ncondition"));
    let names = |text: &str| {
        let cases = text.split("<testcase ").skip(1);
        cases.map(|case| case.split('"').nth(1).expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let again = team.check(&["rules", "--examples", "--format", "junit"]);
    assert_eq!(names(&again.out), names(&outcome.out));
    // What a file accepts fails nothing, and is counted.
    team.write(
        "rules/a.md",
        &SAMPLES
            .replace("condition", "# ttsr-ignore-file example-did-not-fire,example-fired,premature-example\ncondition"),
    );
    let accepted = team.check(&["rules", "--examples", "--format", "junit"]);
    assert!(accepted.out.contains("suppressed\""), "{}", accepted.out);
    assert_eq!((accepted.status, accepted.out.matches("<failure ").count()), (0, 0), "{}", accepted.out);
    // A rule that is not registered does not run its samples.
    team.write("rules/a.md", &SAMPLES.replace("condition", "enabled: false\ncondition"));
    let skipped = team.check(&["rules/a.md", "--examples", "--format", "junit"]);
    assert!(skipped.out.contains("skipped=\"5\"") || skipped.out.matches("<failure ").count() == 5, "{}", skipped.out);
}

#[test]
fn standard_input_is_a_rule_file_with_the_name_that_is_given() {
    let team =
        Team::new(&[("ttsr.toml", "[[check.per-file]]\nfiles = ['rules/x.md']\nallow = ['TTSR003']\n"), ("sub/y", "")]);
    let input = "---\nttsr_trigger: foo\nglobs: '*.ts, *.js'\n---\nB\n";
    let check = |arguments: &[&str]| team.check_in("repo/sub", &[&["-"], arguments].concat(), input);
    let named = check(&["--stdin-filename", "../rules/x.md", "--format", "json"]);
    assert_eq!(named.status, 1);
    let document = json(&named.out);
    assert_eq!(document["rules"][0]["name"], "x");
    assert_eq!(document["rules"][0]["path"], "../rules/x.md");
    team.write("rules/x.md", input);
    let on_disk = json(&team.check_in("repo/sub", &["../rules/x.md", "--format", "json"], "").out);
    assert_eq!(document, on_disk, "as the file itself would be");
    let nameless = check(&["--format", "json"]);
    assert_eq!(json(&nameless.out)["diagnostics"][0]["file"], "-");
    let bad = "---\ncondition: '('\n---\nB\n";
    assert_eq!(team.check_in("repo", &["-", "--stdin-filename", "rules/x.md"], bad).status, 0, "as the team agreed");
    assert_eq!(team.check_in("repo", &["-", "--stdin-filename", "rules/z.md"], bad).status, 1);

    team.write("rules/x.md", "untouched");
    let mended = check(&["--stdin-filename", "../rules/x.md", "--fix"]);
    assert_eq!(mended.out, "---\ncondition: foo\nglobs: ['*.ts', '*.js']\n---\nB\n");
    assert_eq!(mended.status, 0);
    assert!(mended.err.contains("mended 2 findings") && mended.err.contains("1 rule in 1 file"), "{}", mended.err);
    let accepted = check(&["--stdin-filename", "../rules/x.md", "--add-ignores"]);
    assert_eq!(accepted.out, input.replace("globs", "# ttsr-ignore TTSR033\nglobs"));
    assert_eq!(accepted.status, 0);
    // Nothing to mend: the text as it was.
    assert_eq!(team.check_in("repo", &["-", "--fix"], "no rule").out, "no rule");
    assert_eq!(team.read("rules/x.md"), "untouched");
    let diff = check(&["--diff"]);
    assert!(diff.status == 1 && diff.out.contains("+globs: ['*.ts', '*.js']"), "{}", diff.out);
    for arguments in [&["--fix", "--format", "json"][..], &["../rules"], &["-"], &["--rules", "../rules"]] {
        assert_eq!(check(arguments).status, 2, "{arguments:?}");
    }
    assert_eq!(team.check(&["rules", "--stdin-filename", "x.md"]).status, 2);
}

#[test]
fn row_122_standard_input() {
    let team = Team::new(&[]);
    let outcome =
        team.check_in("repo", &["-", "--stdin-filename", ".omp/rules/r.md", "--list"], "---\ncondition: foo\n---\nB\n");
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert!(outcome.out.contains(" r ") && outcome.out.contains("1 registered"), "{}", outcome.out);
    assert!(!team.path("repo/.omp").exists());
}

#[test]
fn row_124_control_characters() {
    let team = Team::new(&[("rules/r.md", "---\ncondition: \"(\\e[foo\"\n---\nB\n")]);
    let out = team.check(&["rules", "--format", "junit"]).out;
    assert!(out.contains(r"\u{1b}[foo") && !out.contains('\u{1b}'), "{out}");
    assert!(!out.contains("&#"), "no reference to a character that XML does not know: {out}");
}

#[test]
fn row_125_the_table_shows_interrupt_mode_and_agents() {
    let team = Team::new(&[
        ("rules/a.md", "---\ncondition: foo\ninterruptMode: never\n---\nB\n"),
        ("rules/b.md", "---\ncondition: foo\nagents: [main, other]\n---\nB\n"),
        ("plain/c.md", "---\ncondition: foo\n---\nB\n"),
    ]);
    let lines = |path: &str| team.check(&[path, "--list"]).out;
    let table = lines("rules");
    let head = table.lines().next().expect("a head");
    assert!(head.contains("Interrupts") && head.contains("Agents"), "{table}");
    assert!(table.lines().any(|line| line.starts_with(" a ") && line.contains(" never ")), "{table}");
    assert!(table.lines().any(|line| line.starts_with(" b ") && line.contains(" main ")), "{table}");
    assert!(!lines("plain").contains("Interrupts") && !lines("plain").contains("Agents"));
}
