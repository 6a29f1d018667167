//! Findings that are known: only new ones count, and what is mended is said.

use ttsr::output::json::schema;
use ttsr::output::json::v1::baseline::Baseline;

use super::Team;

const RULE: &str = "---\ncondition: ['ba(r', foo]\nglobs: '*.ts, *.js'\n---\nBody.\n";

fn team() -> Team {
    let team = Team::new(&[(".omp/rules/a.md", RULE), (".omp/rules/b.md", RULE)]);
    let outcome = team.check(&["--write-baseline", "known.json"]);
    assert_eq!(outcome.status, 0, "{}{}", outcome.out, outcome.err);
    team
}

const KNOWN: [&str; 2] = ["--findings-baseline", "known.json"];

#[test]
fn only_new_findings_count() {
    let team = team();
    let outcome = team.check(&KNOWN);
    assert_eq!(outcome.status, 0, "{}", outcome.out);
    assert!(outcome.out.contains("0 errors, 0 warnings, 0 notes; 4 known"), "{}", outcome.out);
    assert_eq!(team.json(&KNOWN)["summary"]["known"], 4);
    // Lines above do not matter.
    team.write(".omp/rules/a.md", &RULE.replace("condition", "# one\n# two\ncondition"));
    assert_eq!(team.check(&KNOWN).status, 0);
    // One more of the kind does.
    team.write(".omp/rules/a.md", &RULE.replace("foo]", "foo, 'ba(z']"));
    let outcome = team.check(&KNOWN);
    assert_eq!(outcome.status, 1);
    assert!(outcome.out.contains("1 error, 0 warnings, 0 notes; 4 known"), "{}", outcome.out);
    // And so does the same in another file.
    team.write(".omp/rules/a.md", RULE);
    team.write(".omp/rules/c.md", RULE);
    assert!(team.check(&KNOWN).out.contains("2 errors, 0 warnings, 0 notes; 4 known"));
}

#[test]
fn the_file_is_one_finding_a_line_and_valid() {
    let team = team();
    let text = team.read("known.json");
    assert_eq!(text.lines().count(), 4 + 2, "{text}");
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["schema"], "ttsr.baseline/1");
    let schema: serde_json::Value = serde_json::from_str(&schema::<Baseline>()).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    assert!(validator.is_valid(&document));
    for (name, value) in [("count", 0.into()), ("fingerprint", "x".into()), ("code", "33".into()), ("line", 1.into())] {
        let mut wrong = document.clone();
        wrong["findings"][0][name] = value;
        assert!(!validator.is_valid(&wrong), "{name}");
    }
    let mut lines: Vec<&str> = text.lines().filter(|line| line.starts_with("{\"file\"")).collect();
    assert_eq!(lines.len(), 4);
    let sorted = lines.clone();
    lines.sort_unstable();
    assert_eq!(lines, sorted);
    assert!(text.contains(r#"{"file":".omp/rules/a.md","code":"TTSR003","fingerprint":""#), "{text}");
}

#[test]
fn what_is_mended_is_said_and_taken_out() {
    let team = team();
    team.write(".omp/rules/a.md", &RULE.replace("'*.ts, *.js'", "['*.ts', '*.js']"));
    let outcome = team.check(&KNOWN);
    assert_eq!(outcome.status, 0);
    assert!(outcome.out.contains("TTSR521") && outcome.out.contains("TTSR033 in .omp/rules/a.md"), "{}", outcome.out);
    assert!(outcome.out.contains("0 warnings, 1 note; 3 known"), "{}", outcome.out);
    assert_eq!(team.check(&[&KNOWN[..], &["--deny", "stale-baseline-entry"]].concat()).status, 1);
    let before = team.read("known.json");
    let outcome = team.check(&[&KNOWN[..], &["--update-baseline"]].concat());
    assert_eq!(outcome.status, 0);
    assert!(outcome.err.contains("took 1 finding out of the baseline"), "{}", outcome.err);
    let after = team.read("known.json");
    let kept: Vec<&str> = after.lines().map(|line| line.trim_end_matches(',')).collect();
    assert_eq!(kept.len() + 1, before.lines().count());
    assert!(before.lines().filter(|line| kept.contains(&line.trim_end_matches(','))).count() == kept.len(), "{after}");
    // The finding comes again, and now it is new.
    team.write(".omp/rules/a.md", RULE);
    assert_eq!(team.check(&KNOWN).status, 1);
    let again = team.check(&[&KNOWN[..], &["--update-baseline"]].concat());
    assert_eq!(again.status, 1, "nothing is ever added");
    assert_eq!(team.read("known.json"), after);
}

#[test]
fn what_is_not_looked_at_is_not_stale() {
    let team = team();
    for arguments in
        [&[".omp/rules/a.md"][..], &["--allow", "comma-in-glob"], &["--allow", "all"], &["--only-rule", "b"]]
    {
        let outcome = team.check(&[&KNOWN[..], arguments].concat());
        assert!(outcome.status == 0 && !outcome.out.contains("TTSR521"), "{arguments:?}: {}", outcome.out);
    }
    // A file that is gone has no findings.
    team.remove(".omp/rules/b.md");
    let outcome = team.check(&[&KNOWN[..], &[".omp/rules/a.md"]].concat());
    assert_eq!(outcome.out.matches("TTSR521").count(), 2, "{}", outcome.out);
}

#[test]
fn samples_that_are_not_run_leave_the_baseline_as_it_is() {
    let rule = "---\ncondition: foo\nexamples: {fires: [bar]}\n---\nB\n";
    let team = Team::new(&[(".omp/rules/a.md", rule)]);
    assert_eq!(team.check(&["--examples", "--write-baseline", "known.json"]).status, 0);
    let known = |options: &[&str]| team.check(&[&KNOWN[..], options].concat());
    assert!(known(&["--examples"]).out.contains("; 2 known"));
    let outcome = known(&[]);
    assert!(outcome.status == 0 && !outcome.out.contains("TTSR521"), "{}", outcome.out);
}

#[test]
fn a_wrong_baseline_stops_the_run_before_anything_is_written() {
    let team = team();
    let rule = team.read(".omp/rules/a.md");
    let good = team.read("known.json");
    for text in ["", "[]", "{\"schema\":\"ttsr.baseline/2\",\"findings\":[]}", &good.replace("count", "number"), "{"] {
        team.write("bad.json", text);
        let outcome = team.check(&["--findings-baseline", "bad.json", "--fix"]);
        assert_eq!((outcome.status, outcome.out.as_str()), (3, ""), "{text}");
        assert!(outcome.err.contains("bad.json: this is no baseline"), "{}", outcome.err);
        assert_eq!(team.read(".omp/rules/a.md"), rule);
    }
    assert_eq!(team.check(&["--findings-baseline", "missing.json"]).status, 3);
    assert_eq!(team.check(&["--findings-baseline", "."]).status, 3);
    assert_eq!(team.check(&["--update-baseline"]).status, 2);
    assert_eq!(team.check(&["--write-baseline", "-"]).status, 2);
    // What exists is never replaced.
    let outcome = team.check(&["--write-baseline", "known.json"]);
    assert_eq!((outcome.status, team.read("known.json")), (3, good));
    assert!(outcome.err.contains("--update-baseline"), "{}", outcome.err);
}

#[test]
fn failures_are_never_known() {
    let team = Team::new(&[(".omp/rules/a.md", RULE)]);
    std::os::unix::fs::symlink("nowhere", team.path("repo/.omp/rules/gone.md")).expect("a link");
    let outcome = team.check(&["--write-baseline", "known.json"]);
    assert_eq!(outcome.status, 1, "{}", outcome.out);
    assert!(outcome.out.contains("unreadable-rule-file"), "{}", outcome.out);
    assert_eq!(team.check(&KNOWN).status, 1);
    assert_eq!(team.check(&[&KNOWN[..], &["missing"]].concat()).status, 3);
}

#[test]
fn a_baseline_of_each_generation_knows_what_it_finds() {
    for lifecycle in ["v1", "v2", "v3", "v4", "auto"] {
        let team = Team::new(&[(".omp/rules/a.md", RULE), (".omp/rules/b.md", "---\nttsr_trigger: '('\n---\nB\n")]);
        let options = ["--lifecycle", lifecycle, "--fail-on", "note"];
        assert_eq!(team.check(&options).status, 1, "{lifecycle}");
        assert_eq!(team.check(&[&options[..], &["--write-baseline", "known.json"]].concat()).status, 0);
        let outcome = team.check(&[&options[..], &KNOWN].concat());
        assert!(outcome.status == 0 && outcome.out.contains(" known"), "{lifecycle}: {}", outcome.out);
        let document = team.json(&[&options[..], &KNOWN].concat());
        assert_eq!(document["diagnostics"], serde_json::json!([]), "{lifecycle}");
    }
}
