//! What tells a finding from others over time.

use std::collections::HashSet;
use std::fs;

use super::Team;
use crate::support::program::ttsr;

/// A rule with findings in a value, in two items of a list, at a key, and of the file as a whole.
const RULE: &str = "---\ndescription: d\ncondition: ['\\bfoo\\b', 'ba(r', 'ba(z']\nscope: 'tool:bash'\nglobs: '*.ts, *.js'\nscop: text\n---\nBody.\n";

#[test]
fn edits_elsewhere_change_no_fingerprint() {
    let team = Team::new(&[(".omp/rules/r.md", RULE)]);
    let before = team.fingerprints("repo", &[]);
    assert!(before.len() >= 5, "{before:?}");
    for after in [
        RULE.replace("description: d\n", "# a\n\n# b\ndescription: 'other words'\nagents: main\n"),
        RULE.replace("condition: [", "condition:   [  "),
        RULE.replace('\n', "\r\n"),
        RULE.replace("['\\bfoo", "['new', '\\bfoo"),
        RULE.replace("Body.", "Another body.\n\nOf two."),
    ] {
        team.write(".omp/rules/r.md", &after);
        assert_eq!(team.fingerprints("repo", &[]), before, "{after}");
    }
}

#[test]
fn a_key_under_its_old_name_is_the_same_key() {
    let team = Team::new(&[(".omp/rules/r.md", "---\nttsr_trigger: '\\bfoo\\b'\n---\nB\n")]);
    let before = team.fingerprints("repo", &["--allow", "legacy-key"]);
    assert_eq!(before.len(), 1);
    team.check(&["--fix"]);
    assert!(team.read(".omp/rules/r.md").contains("condition: "));
    assert_eq!(team.fingerprints("repo", &[]), before);
}

#[test]
fn what_a_finding_is_about_changes_its_fingerprint() {
    let team = Team::new(&[(".omp/rules/r.md", RULE)]);
    let of = |code: &str| {
        let found = team.fingerprints("repo", &[]);
        found.into_iter().filter(|(found, _)| found == code).map(|(_, print)| print).collect::<Vec<_>>()
    };
    let (globs, conditions) = (of("TTSR033"), of("TTSR003"));
    assert_eq!((globs.len(), conditions.len()), (1, 2));
    team.write(".omp/rules/r.md", &RULE.replace("*.js", "*.jsx"));
    assert_ne!(of("TTSR033"), globs);
    assert_eq!(of("TTSR003"), conditions);
    fs::rename(team.path("repo/.omp/rules/r.md"), team.path("repo/.omp/rules/s.md")).expect("renamed");
    assert!(of("TTSR003").iter().all(|print| !conditions.contains(print)));
}

#[test]
fn a_finding_is_the_same_wherever_it_is_looked_for() {
    let team = Team::new(&[("sub/.omp/rules/r.md", RULE), ("sub/below/x", "")]);
    let wanted = team.fingerprints("repo", &["sub/.omp/rules"]);
    let absolute = team.path("repo/sub/.omp/rules/r.md").canonicalize().expect("a path");
    for (folder, path) in [
        ("repo/sub", ".omp/rules"),
        ("repo/sub", "./.omp/rules/r.md"),
        ("repo/sub/below", "../.omp/rules"),
        ("repo/.git", "../sub/.omp/rules"),
        ("home", absolute.to_str().expect("a path")),
    ] {
        let found = team.fingerprints(folder, &[path]);
        if folder == "home" {
            // No repository is around it, so the file goes by another name.
            assert_ne!(found, wanted);
        } else {
            assert_eq!(found, wanted, "{folder} {path}");
        }
    }
    assert_eq!(team.fingerprints("repo/sub", &[]), wanted);
    assert_eq!(team.fingerprints("repo", &["--project", "sub"]), wanted);
}

/// Each finding of each sample of each code has one of its own, and options that leave others out do not change it.
#[test]
fn each_finding_has_its_own() {
    let read = |options: &[&str]| {
        let all = ["testdata/rules", "testdata/mistakes", "testdata/samples"];
        let out = ttsr(["check-rules", "--format", "json", "--examples"].iter().chain(&all).chain(options)).out;
        let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        let findings = document["diagnostics"].as_array().expect("findings");
        findings
            .iter()
            .map(|finding| {
                (finding["code"].to_string(), finding["fingerprint"].as_str().expect("a fingerprint").to_owned())
            })
            .collect::<Vec<_>>()
    };
    let all = read(&[]);
    let different: HashSet<&String> = all.iter().map(|(_, print)| print).collect();
    assert_eq!(different.len(), all.len());
    assert!(all.len() > 100);
    assert!(all.iter().all(|(_, print)| print.len() == 32 && print.bytes().all(|byte| byte.is_ascii_hexdigit())));
    for code in all.iter().map(|(code, _)| code).collect::<HashSet<_>>().into_iter().take(3) {
        let code = code.trim_matches('"');
        let some = read(&["--allow", "all", "--warn", code]);
        let wanted: Vec<_> = all.iter().filter(|(other, _)| other.contains(code)).cloned().collect();
        assert_eq!(some, wanted, "{code}");
    }
}
