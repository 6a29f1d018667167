//! `check-rules` goes through rule files one by one; what it says is what the whole set says, all of it read first.

use ttsr::diagnostic::Diagnostic;
use ttsr::generation::Lifecycle;
use ttsr::output::check::{Counts, Rows};
use ttsr::output::json::{v1::check::Check, write};
use ttsr::replay::run_examples;
use ttsr::rule::repair::{self, Level};
use ttsr::rule::{RuleSet, lint, load_paths};
use ttsr::settings::Settings;

use crate::support::program::ttsr;

/// The document that is made of all rules at once.
fn at_once(folder: &str, lifecycle: Lifecycle) -> String {
    let (settings, semantics) = (Settings::default(), lifecycle.semantics());
    let loaded = load_paths(&[folder], "/project", &semantics);
    let set = RuleSet::register(loaded.rules, &settings, &semantics, Some(&"main".into()));
    let lints = lint::run(&set, &semantics);
    let examples = run_examples(&set, &settings, &semantics, false);
    let mut findings = [loaded.diagnostics, lints, examples.diagnostics.clone()].concat();
    let file = |finding: &Diagnostic| finding.place.as_ref().map(|place| place.file.clone());
    findings.sort_by_key(|finding| {
        (file(finding), finding.place.as_ref().map(|place| place.start.offset), finding.code.number())
    });
    for about in findings.chunk_by_mut(|one, other| file(one) == file(other)) {
        let listed = set.inventory.iter().find(|listed| Some(listed.rule.shown_file()) == file(&about[0]));
        repair::plan(listed, about, Level::Safe, &mut |_| Vec::new());
        for finding in about {
            finding.fix = finding.fix.take().filter(|fix| fix.is_safe);
        }
    }
    let mut rows = Rows::new(true);
    set.inventory.iter().for_each(|listed| rows.add(listed, set.compiled_of(listed)));
    assert!(rows.kept.iter().cloned().eq(set.rows()), "{folder}");
    let counts = Counts::of(&findings, loaded.files, &rows);
    let mut text = String::new();
    let form = Check::new(&rows, &findings, Some(&examples), (lifecycle, None), counts);
    write(&form, &mut |piece| text.push_str(piece));
    text + "\n"
}

/// Who looks at findings over time gives them; the set does not.
fn without_fingerprints(text: &str) -> String {
    let pattern = regex::Regex::new(r#""fingerprint":"[0-9a-f]{32}""#).expect("a pattern");
    pattern.replace_all(text, r#""fingerprint":null"#).into_owned()
}

#[test]
fn one_by_one_is_as_all_at_once() {
    for folder in ["testdata/mistakes", "testdata/rules", "testdata/demo", "testdata/samples"] {
        for lifecycle in [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3, Lifecycle::V4] {
            let options = ["--format", "json", "--examples", "--lifecycle", lifecycle.as_str()];
            let outcome = ttsr(["check-rules", folder].iter().chain(&options).copied());
            assert!(outcome.out.contains("\"bucket\""), "{folder}: {}", outcome.err);
            assert!(
                without_fingerprints(&outcome.out) == at_once(folder, lifecycle),
                "{folder} {lifecycle:?}: {}",
                outcome.out
            );
        }
    }
}

#[test]
fn rules_before_the_next_one_still_count() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("a/one.md", "---\ncondition: a\n---\nB"),
        ("b/one.md", "---\ncondition: b\n---\nB"),
        ("c/two.md", "---\nenabled: false\ncondition: c\n---\nB"),
        ("d/two.md", "---\ncondition: d\n---\nB"),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let at = folder.path().to_string_lossy();
    let v3 = ttsr(["check-rules", &at, "--format", "json"]).out;
    assert!(v3.contains(&format!("the rule `one` is shadowed by {at}/a/one.md")), "{v3}");
    assert_eq!(v3.matches("\"registered\":true").count(), 2, "{v3}");
    let v1 = ttsr(["check-rules", &at, "--lifecycle", "v1"]).out;
    assert!(v1.contains("the lifecycle v1 registers no rule here; v2 would register 4"), "{v1}");
}
