//! The catalogue of codes about rule files: each has a sample that gives it and one that does not, which differ in
//! the offending place only, a row in the README, and an explanation that shows both.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use similar::{DiffOp, TextDiff};
use ttsr::diagnostic::{Code, Diagnostic};
use ttsr::generation::Lifecycle;
use ttsr::output::catalogue;
use ttsr::replay::run_examples;
use ttsr::rule::lint::{
    chunk_dependent_pattern, ineffective_interrupt_mode, invalid_condition, invalid_frontmatter, invalid_question,
    invalid_scope_token, later_key, lost_gate, missing_examples, no_valid_condition, nothing_registered_in_v1,
    premature_example, quoted_condition, sticky_look_ahead, undecided_example, unreachable_scope, untested_condition,
};
use ttsr::rule::{Places, RuleSet, lint, load_paths};
use ttsr::settings::Settings;

use crate::support::program::ttsr;
use crate::support::project;

/// What loading, registering and linting a sample finds, and running the examples in it. A folder that holds a provider's folder is a project.
fn findings(sample: &Path, code: Code) -> Vec<Diagnostic> {
    let semantics = lifecycle(code).semantics();
    let loaded = if sample.join(".github").exists() {
        Places { project: sample.into(), home: sample.join("home"), ..Places::default() }.discover(&semantics)
    } else {
        load_paths(&[sample], "/project", &semantics)
    };
    assert!(loaded.failures.is_empty(), "{:?}", loaded.failures);
    let set = RuleSet::register(loaded.rules, &Settings::default(), &semantics, None);
    let lints = lint::run(&set, &semantics);
    let required = code == missing_examples::CODE;
    let examples = run_examples(&set, &Settings::default(), &semantics, required);
    [loaded.diagnostics, lints, examples.diagnostics].concat()
}

fn sample(code: Code, side: &str) -> PathBuf {
    let folder = project("testdata/rules").join(code.name());
    let file = folder.join(format!("{side}.md"));
    if file.exists() { file } else { folder.join(side) }
}

/// The lifecycle that a code's sample is for.
fn lifecycle(code: Code) -> Lifecycle {
    let of_v4 = [invalid_question::CODE, ineffective_interrupt_mode::CODE, lost_gate::CODE, sticky_look_ahead::CODE];
    if code == nothing_registered_in_v1::CODE {
        Lifecycle::V1
    } else if code == later_key::CODE {
        Lifecycle::V2
    } else if of_v4.contains(&code) {
        Lifecycle::V4
    } else {
        Lifecycle::V3
    }
}

/// Findings that cannot be had without another: without conditions there are bad ones, only a repair keeps the quotes, only scopes without a valid token are
/// unreachable, only what looks past a match is premature, what nobody can decide is not tested, and a broken gate is a
/// broken condition.
const TOGETHER: [(Code, Code); 7] = [
    (no_valid_condition::CODE, invalid_condition::CODE),
    (quoted_condition::CODE, invalid_frontmatter::CODE),
    (unreachable_scope::CODE, invalid_scope_token::CODE),
    (premature_example::CODE, chunk_dependent_pattern::CODE),
    (undecided_example::CODE, untested_condition::CODE),
    (lost_gate::CODE, invalid_condition::CODE),
    (nothing_registered_in_v1::CODE, later_key::CODE),
];

/// The codes about rule files.
fn codes() -> Vec<Code> {
    catalogue::all().into_iter().filter(|code| code.number() < 100).collect()
}

/// What is in a sample: names and bytes; a link that leads nowhere has none.
fn contents(sample: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    if sample.is_file() {
        return [(PathBuf::new(), fs::read(sample).expect("a sample"))].into();
    }
    let mut found = BTreeMap::new();
    let mut folders = vec![sample.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(sample).expect("below the sample").to_path_buf();
                found.insert(name, fs::read(&path).unwrap_or_default());
            }
        }
    }
    found
}

/// How many places differ between two texts, lines being the measure.
fn places(one: &[u8], other: &[u8]) -> usize {
    let [one, other] = [one, other].map(String::from_utf8_lossy);
    let diff = TextDiff::from_lines(one.as_ref(), other.as_ref());
    diff.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. })).count()
}

/// How many places differ between two samples; a file that only one of them has is one.
fn differences(failing: &Path, passing: &Path) -> usize {
    let (failing, passing) = (contents(failing), contents(passing));
    let in_both = failing.iter().filter_map(|(name, bytes)| Some(places(bytes, passing.get(name)?)));
    let only = |one: &BTreeMap<PathBuf, Vec<u8>>, other: &BTreeMap<PathBuf, Vec<u8>>| {
        one.keys().filter(|name| !other.contains_key(*name)).count()
    };
    in_both.sum::<usize>() + only(&failing, &passing).max(only(&passing, &failing))
}

#[test]
fn every_code_has_a_failing_and_a_passing_sample() {
    let mut problems = Vec::new();
    for code in codes() {
        let found = findings(&sample(code, "failing"), code);
        let belongs = |finding: &&Diagnostic| finding.code != code && !TOGETHER.contains(&(code, finding.code));
        let others: Vec<_> = found.iter().filter(belongs).collect();
        match found.iter().find(|finding| finding.code == code) {
            None => problems.push(format!("{code:?}: the failing sample gives {found:#?}")),
            Some(finding) if finding.help.is_none() => problems.push(format!("{code:?}: no help")),
            Some(finding) if finding.place.is_none() => problems.push(format!("{code:?}: no place")),
            Some(_) if !others.is_empty() => problems.push(format!("{code:?}: also {others:#?}")),
            Some(_) => {}
        }
        let found = findings(&sample(code, "passing"), code);
        if !found.is_empty() {
            problems.push(format!("{code:?}: the passing sample gives {found:#?}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn samples_differ_in_one_place() {
    let count = |code: &Code| differences(&sample(*code, "failing"), &sample(*code, "passing"));
    let wrong: Vec<String> =
        codes().iter().filter(|code| count(code) != 1).map(|code| format!("{code:?}: {}", count(code))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_sample_belongs_to_a_code() {
    for folder in fs::read_dir(project("testdata/rules")).expect("samples") {
        let name = folder.expect("readable").file_name().to_string_lossy().into_owned();
        assert!(catalogue::find(&name).is_some(), "{name}");
    }
}

#[test]
fn every_code_is_in_the_readme_and_explained() {
    let readme = fs::read_to_string(project("README.md")).expect("the README");
    for code in catalogue::all() {
        assert!(readme.contains(&format!("| {code} | `{}` |", code.name())), "{code:?} is missing in the README");
        for name in [code.to_string(), code.name().to_owned()] {
            let outcome = ttsr(["check-rules", "--explain", &name]);
            assert_eq!(outcome.status, 0, "{name}");
            assert!(outcome.out.contains(code.explanation()), "{name}: {}", outcome.out);
            let has_samples = outcome.out.contains("This is reported:") && outcome.out.contains("This is not:");
            assert_eq!(has_samples, code.number() < 100, "{name}: {}", outcome.out);
        }
    }
}

#[test]
fn what_is_explained_is_what_is_tested() {
    for code in codes() {
        for side in ["failing", "passing"] {
            let shown: Vec<_> = code.samples().iter().filter(|(name, _)| name.starts_with(side)).collect();
            let tested = contents(&sample(code, side));
            // A link that leads nowhere cannot be shown.
            let tested: Vec<_> = tested.into_values().filter(|bytes| !bytes.is_empty()).collect();
            assert_eq!(shown.len(), tested.len(), "{code:?} {side}");
            assert!(shown.iter().all(|(_, bytes)| tested.iter().any(|other| other == bytes)), "{code:?} {side}");
        }
    }
}
