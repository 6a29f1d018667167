//! Every code about rule files has a failing and a passing sample in `testdata/rules/<code-name>/`.

use std::fs;
use std::path::{Path, PathBuf};

use ttsr::diagnostic::{Code, Diagnostic};
use ttsr::rule::{Places, RuleFile, RuleSet, lint, load_paths};
use ttsr::settings::{Lifecycle, Settings};

use crate::support::project;

/// What loading, registering and linting a sample finds. A folder that holds a provider's folder is a project.
fn findings(sample: &Path, lifecycle: Lifecycle) -> Vec<Diagnostic> {
    let semantics = lifecycle.semantics();
    let loaded = if sample.join(".github").exists() {
        Places { project: sample.into(), home: sample.join("home"), ..Places::default() }.discover(&semantics)
    } else {
        load_paths(&[sample], "/project", &semantics)
    };
    assert!(loaded.failures.is_empty(), "{:?}", loaded.failures);
    let set = RuleSet::register(loaded.rules, &Settings::default(), &semantics, None);
    let lints = lint::run(&set, &semantics);
    [loaded.diagnostics, set.diagnostics, lints].concat()
}

fn sample(code: Code, side: &str) -> PathBuf {
    let folder = project("testdata/rules").join(code.name());
    let file = folder.join(format!("{side}.md"));
    if file.exists() { file } else { folder.join(side) }
}

#[test]
fn every_code_has_a_failing_and_a_passing_sample() {
    let codes = Code::all().into_iter().filter(|code| code.number() < 100);
    let mut problems = Vec::new();
    for code in codes {
        let lifecycle = if code.name() == "nothing-registered-in-v1" { Lifecycle::V1 } else { Lifecycle::V3 };
        let failing = findings(&sample(code, "failing"), lifecycle);
        match failing.iter().find(|finding| finding.code == code) {
            None => problems.push(format!("{code:?}: the failing sample gives {failing:#?}")),
            Some(finding) if finding.place.is_none() && code.name() != "nothing-registered-in-v1" => {
                problems.push(format!("{code:?}: no place"));
            }
            Some(_) => {}
        }
        let passing = findings(&sample(code, "passing"), lifecycle);
        if passing.iter().any(|finding| finding.code == code) {
            problems.push(format!("{code:?}: the passing sample gives {passing:#?}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Codes whose mistake is one of two that go together: the sample has to show both.
const TOGETHER: [(&str, &str); 3] = [
    ("quoted-condition", "invalid-frontmatter"),
    ("unreachable-scope", "invalid-scope-token"),
    ("nothing-registered-in-v1", ""),
];

#[test]
fn samples_give_their_code_alone_and_differ_in_one_line() {
    let mut problems = Vec::new();
    for code in Code::all().into_iter().filter(|code| code.number() < 100) {
        let name = code.name();
        let lifecycle = if name == "nothing-registered-in-v1" { Lifecycle::V1 } else { Lifecycle::V3 };
        assert!(!code.sample().is_empty(), "{name}: `--explain` has no sample");
        let with = TOGETHER.iter().find(|(one, _)| *one == name).map_or("", |(_, with)| *with);
        for found in findings(&sample(code, "failing"), lifecycle) {
            if found.code != code && found.code.name() != with {
                problems.push(format!("{name}: the failing sample also gives {found:#?}"));
            }
        }
        for found in findings(&sample(code, "passing"), lifecycle) {
            problems.push(format!("{name}: the passing sample gives {found:#?}"));
        }
        let read = |side| fs::read(sample(code, side));
        // Folders and encodings differ as a whole.
        let (Ok(failing), Ok(passing)) = (read("failing"), read("passing")) else { continue };
        let (Ok(failing), Ok(passing)) = (String::from_utf8(failing), String::from_utf8(passing)) else { continue };
        let (failing, passing): (Vec<&str>, Vec<&str>) = (failing.lines().collect(), passing.lines().collect());
        let same = failing.iter().zip(&passing).take_while(|(one, other)| one == other).count();
        let ends = failing[same..].iter().rev().zip(passing[same..].iter().rev());
        let end = ends.take_while(|(one, other)| one == other).count();
        if failing.len() > same + end + 1 || passing.len() > same + end + 1 {
            problems.push(format!("{name}: the samples differ in more than one line"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_sample_belongs_to_a_code() {
    for folder in fs::read_dir(project("testdata/rules")).expect("samples") {
        let name = folder.expect("readable").file_name().to_string_lossy().into_owned();
        assert!(Code::find(&name).is_some(), "{name}");
    }
}

/// The codes that a rule with this frontmatter gives, and the help of the first finding of `code`.
fn of(frontmatter: &str, code: &str) -> (Vec<&'static str>, Option<String>) {
    let semantics = Lifecycle::V3.semantics();
    let text = format!("---\n{frontmatter}\n---\nB");
    let file = RuleFile::read("r.md", text.into_bytes(), &semantics);
    let rule = ttsr::rule::Rule::from_file("r.md", "/p/r.md".into(), file, &semantics);
    let set = RuleSet::register([rule], &Settings::default(), &semantics, None);
    let found = [set.diagnostics.clone(), lint::run(&set, &semantics)].concat();
    let help = found.iter().find(|finding| finding.code.name() == code).and_then(|finding| finding.help.clone());
    (found.iter().map(|finding| finding.code.name()).collect(), help)
}

#[test]
fn a_good_rule_gives_nothing() {
    for good in [
        "condition: 'TODO: '",
        "condition: ['foo', 'bar[a-z]']\nscope: text, thinking, tool:edit(*.{ts,tsx})",
        "condition: foo\nscope: tool\nglobs: ['**/*.ts', '*.tsx']",
        "condition: '*.rs'",
        "ast-condition: foo($A)\nglobs: '*.ts'\nx-own: 1\nauthor: me\nmetadata: {a: b}",
        "description: d\nalwaysApply: true",
        "condition: 'a/b'",
        "condition: foo\ninterruptMode: tool-only\nagents: [main, task]",
    ] {
        assert_eq!(of(good, "").0, [""; 0], "{good}");
    }
}

#[test]
fn help_says_what_to_write() {
    for (frontmatter, code, wanted) in [
        ("condition: a\nalwaysapply: true", "unknown-key", "did you mean `alwaysApply`?"),
        ("conditions: a", "unknown-key", "did you mean `condition`?"),
        ("condition: a\ninterrupt_mode: never", "unknown-key", "did you mean `interruptMode`?"),
        ("condition: a\ninterruptMode: ' Never '", "invalid-interrupt-mode", "write `interruptMode: never`"),
        ("condition: /foo/gi", "regex-literal", "write `'(?i)foo'`"),
        ("condition: a\nscope: prose", "unknown-scope-tool", "did you mean `text`?"),
        ("condition: a\nscope: txt", "unknown-scope-tool", "did you mean `text`?"),
        ("condition: a\nscope: tools", "unknown-scope-tool", "did you mean `tool`?"),
        ("condition: a\nscope: tool:edti", "unknown-scope-tool", "did you mean `tool:edit`?"),
        ("condition: a\nglobs: '!*.ts'", "negated-glob", "write `!**/*.ts`"),
        ("condition: \"\\bfoo\\b\"", "control-character", "write the pattern in single quotes: `'\\bfoo\\b'`"),
        ("condition: \"foo\\sbar\"", "quoted-condition", "write the pattern in single quotes: `'foo\\sbar'`"),
        ("condition: '\\Afoo'", "foreign-syntax", "write `^`"),
    ] {
        assert_eq!(of(frontmatter, code).1.as_deref(), Some(wanted), "{frontmatter}");
    }
}
