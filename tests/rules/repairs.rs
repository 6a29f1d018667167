//! `check-rules --fix`: what is repaired, what is left to a person, and what is written.

use std::fs;
use std::path::Path;

use ttsr::generation::Lifecycle;
use ttsr::rule::{Fields, Rule, RuleFile};

use crate::support::program::{Outcome, surroundings, ttsr, ttsr_with};

fn check(folder: &Path, options: &[&str]) -> Outcome {
    let mut arguments = vec!["check-rules", folder.to_str().expect("a path"), "--fix"];
    arguments.extend(options);
    ttsr(arguments)
}

fn path(folder: &Path) -> &str {
    folder.to_str().expect("a path")
}

/// What is in a file after `--fix`.
fn repaired(text: &str) -> String {
    repaired_with(text, &[])
}

fn repaired_with(text: &str, options: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("r.md");
    fs::write(&file, text).expect("written");
    check(folder.path(), options);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing else is left behind");
    fs::read_to_string(&file).expect("the file")
}

fn fields(text: &str) -> Fields {
    let semantics = Lifecycle::V3.semantics();
    let file = RuleFile::read("r.md", text.as_bytes().to_vec(), &semantics);
    let fields = Rule::from_file("r.md", "/p/r.md".into(), file, &semantics).fields;
    Fields { interrupt_mode: None, description: None, ..fields }
}

/// Frontmatters, and what they become.
const MENDED: &[(&str, &str)] = &[
    ("condition: foo\nscope: \"text\",\"thinking\"", "condition: foo\nscope: '\"text\",\"thinking\"'"),
    ("condition: foo: bar", "condition: 'foo: bar'"),
    ("condition: it's: so # why", "condition: 'it''s: so # why'"),
    ("ttsr_trigger: foo", "condition: foo"),
    ("ttsrTrigger: foo\r\nscope: text", "condition: foo\r\nscope: text"),
    ("condition: foo\nttsrTrigger: bar\nscope: text", "condition: foo\nscope: text"),
    ("condition: foo\nttsr_trigger: a\nttsrTrigger: b", "condition: foo"),
    ("condition: foo\nglobs: *.ts, *.js", "condition: foo\nglobs: ['*.ts', '*.js']"),
    ("condition: foo\ninterruptmode: Never", "condition: foo\ninterruptMode: never"),
    ("Condition: foo\nglobs: \"*.ts, *.tsx\"", "condition: foo\nglobs: ['*.ts', '*.tsx']"),
    ("Condition: foo\nconditions: bar", "condition: foo\nconditions: bar"),
    ("condition: foo\ninterrupt_mode: never", "condition: foo\ninterruptMode: never"),
    ("condition: foo\ninterruptMode: \" Never \"", "condition: foo\ninterruptMode: never"),
    ("conditions: foo", "condition: foo"),
    ("\"conditions\": foo", "condition: foo"),
    ("ast_condition: foo($A)\nglobs: '*.ts'", "astCondition: foo($A)\nglobs: '*.ts'"),
    ("condition: foo\nglobs: '*.ts, *.tsx'", "condition: foo\nglobs: ['*.ts', '*.tsx']"),
];

/// Frontmatters that only a person can mend, since the rule lives and would match something else.
const LEFT: &[&str] = &[
    "condition: foo\nscop: text",
    "condition: foo\nalwaysapply: true",
    "condition: foo\nglobs: ['*.ts, *.tsx', '*.js']",
    "condition: \"foo\\sbar\"",
    "condition: \"\\bfoo\\b\"",
    "condition: /foo/i",
    "condition: foo\nenabld: false",
    "{condition: foo, ttsrTrigger: bar}",
    "condition: foo\nscope: \"text\",\"thinking\"\nglobs:\n  - '*.ts'",
    "condition:\nttsrTrigger: foo",
    "conditions: foo\ncondition: bar",
    "globs: |\n  a.ts, b.ts\ncondition: foo",
    "condition: foo\nglobs: >-\n  *.ts, *.js",
    "condition: foo\ninterruptMode: |\n  Never\ndescription: d",
    "condition: foo\nglobs: '!**/*.ts, *.js'",
    "condition: foo\nglobs: '*,*'",
    "condition: foo\tbar\nglobs: *.ts, *.js",
    "condition: foo\nglobs: &g '*.ts, *.js'\nscope: *g",
    "base: &b\n  condition: foo\n  globs: '*.ts, *.js'\n<<: *b",
    "condition: foo\nbase: &b {interrupt_mode: never, description: d}\n<<: *b",
    "condition: foo\nbase: &b {interruptMode: Never}\n<<: *b",
    "condition: foo\nbase: &b {ttsr_trigger: x, description: d}\n<<: *b",
    "{condition: foo,\nttsr_trigger: bar, description: important, examples: {fires: [foo]},\nx: y}",
    "condition: foo\nttsr_trigger:\n  - a\n# a note about what follows\ndescription: x",
    "condition: foo\nttsr_trigger: a <!-- x\ndescription: lost\n-->\nscope: text",
    "condition: foo\nttsr_trigger: &t bar\nscope: *t",
    "condition: foo\nttsr_trigger: bar # and why",
];

/// Frontmatters of which a repair must not touch a single byte.
const UNTOUCHED: &[&str] = &[
    "condition: foo\nttsr_trigger: 'bar' # keep me",
    "condition: foo\nttsr_trigger: [bar] # keep me",
    "condition: foo\nttsr_trigger:\n  - a\n# a note about what follows\ndescription: x",
    "condition: foo\nttsr_trigger: bar # and why",
    "condition: foo\nbase: &b {Description: x}\n<<: *b",
    "condition: foo\nDescription: a\ndescripton: b\ndescription: c",
    "condition: foo\ninterruptMode: >-\n  Never\nexamples:\n  fires: [foo]",
];

#[test]
fn what_needs_no_judgement_is_mended() {
    for (before, after) in MENDED {
        let whole = |frontmatter: &str| format!("---\n{frontmatter}\n---\nBody.\n");
        assert_eq!(repaired(&whole(before)), whole(after));
    }
    assert_eq!(repaired("\u{feff}---\ncondition: foo\n---\nB"), "---\ncondition: foo\n---\nB");
    assert_eq!(repaired(" \n\n---\ncondition: foo\n---\nB"), "---\ncondition: foo\n---\nB");
}

#[test]
fn what_would_match_something_else_is_left() {
    for frontmatter in LEFT {
        let text = format!("---\n{frontmatter}\n---\nBody.\n");
        let after = repaired(&text);
        assert_eq!(fields(&after), fields(&text), "{frontmatter}\nbecame\n{after}");
    }
    for frontmatter in UNTOUCHED {
        let text = format!("---\n{frontmatter}\n---\nBody.\n");
        assert_eq!(repaired(&text), text);
    }
    let prose = "Some text.\n\n---\ncondition: foo\n---\nB";
    assert_eq!(repaired(prose), prose);
}

#[test]
fn the_remedy_is_the_corrected_line() {
    for (frontmatter, line) in [
        ("condition: a: b", "write `condition: 'a: b'`"),
        ("condition: a\nscope: \"text\",\"thinking\"", "write `scope: '\"text\",\"thinking\"'`"),
        ("condition: \"\\s+\"\nscope:\n  - text", "indented lines and list items are lost"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("r.md"), format!("---\n{frontmatter}\n---\nBody.\n")).expect("written");
        let out = ttsr(["check-rules", path(folder.path()), "--format", "json"]).out.replace("\\\"", "\"");
        assert!(out.contains(line), "{line} is missing in\n{out}");
    }
}

#[test]
fn a_second_run_finds_nothing_to_mend() {
    for frontmatter in MENDED.iter().map(|(before, _)| before).chain(LEFT) {
        for text in [format!("---\n{frontmatter}\n---\nBody.\n"), format!("\n---\n{frontmatter}\n---\nBody.")] {
            let once = repaired(&text);
            assert_eq!(repaired(&once), once, "{text}");
        }
    }
}

#[test]
fn a_diff_writes_nothing_and_fails_where_it_would() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("r.md");
    let text = "\u{feff}---\nttsr_trigger: foo\n---\nA\u{1b}[31mB";
    fs::write(&file, text).expect("written");
    for options in [&["--diff"][..], &["--fix", "--diff"], &["--diff", "--fix", "--write"]] {
        let outcome = ttsr(["check-rules", path(folder.path())].iter().chain(options));
        assert_eq!(fs::read_to_string(&file).expect("the file"), text);
        for line in ["-\\u{feff}---\n", "-ttsr_trigger: foo\n", "+---\n", "+condition: foo\n", " A\\u{1b}[31mB\n"] {
            assert!(outcome.out.contains(line), "{line} is missing in\n{}", outcome.out);
        }
        assert!(!outcome.out.contains('\u{1b}'));
        assert_eq!(outcome.status, 1, "{options:?}");
    }
    for format in ["json", "sarif", "github", "junit"] {
        let outcome = ttsr(["check-rules", path(folder.path()), "--diff", "--format", format]);
        assert_eq!(outcome.status, 1, "{format}");
    }
    assert_eq!(ttsr(["check-rules", path(folder.path()), "--diff", "--exit-zero"]).status, 0);
    // What is to be mended counts, not what is found: without --diff these are notes.
    assert_eq!(ttsr(["check-rules", path(folder.path())]).status, 0);
    assert_eq!(ttsr(["check-rules", path(folder.path()), "--fail-on", "note"]).status, 1);
    assert_eq!(check(folder.path(), &["--fail-on", "note"]).status, 0);
    let outcome = ttsr(["check-rules", path(folder.path()), "--diff"]);
    assert!(outcome.status == 0 && !outcome.out.contains("+++"), "{}", outcome.out);
}

#[test]
fn a_repair_ends_as_what_is_left_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("r.md");
    for (text, status) in [
        ("---\ncondition: foo\nglobs: '*.ts, *.tsx'\n---\nB", 0),
        ("---\ncondition: foo\nfoo: x\nglobs: '*.ts, *.tsx'\n---\nB", 0),
        ("---\ncondition: '('\nglobs: '*.ts, *.tsx'\n---\nB", 1),
    ] {
        fs::write(&file, text).expect("written");
        let outcome = check(folder.path(), &[]);
        assert_eq!(outcome.status, status, "{text}: {}", outcome.out);
        assert!(!outcome.out.contains("comma-in-glob") && !outcome.out.contains("+++"), "{}", outcome.out);
        assert!(outcome.err.contains("mended 1 finding in 1 file"), "{}", outcome.err);
        assert!(fs::read_to_string(&file).expect("the file").contains("['*.ts', '*.tsx']"));
    }
}

/// Frontmatters whose repair changes what the rule matches, and what they become when that is asked for.
const RISKY: &[(&str, &str)] = &[
    ("condition: foo\nscop: text", "condition: foo\nscope: text"),
    ("condition: foo\nenabld: false", "condition: foo\nenabled: false"),
];

#[test]
fn a_repair_that_changes_what_a_rule_matches_has_to_be_asked_for() {
    for (before, after) in RISKY {
        let whole = |frontmatter: &str| format!("---\n{frontmatter}\n---\nBody.\n");
        assert_eq!(repaired(&whole(before)), whole(before));
        assert_eq!(repaired_with(&whole(before), &["--unsafe-fixes"]), whole(after));

        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("r.md"), whole(before)).expect("written");
        let named = path(folder.path());
        let human = ttsr(["check-rules", named]);
        assert!(
            human.out.contains("--fix --unsafe-fixes does this, and changes what the rule matches"),
            "{}",
            human.out
        );
        assert!(
            human.err.contains("--fix --unsafe-fixes mends 1 finding and changes what rules match"),
            "{}",
            human.err
        );
        assert_eq!(ttsr(["check-rules", named, "--diff"]).status, 0);
        assert_eq!(ttsr(["check-rules", named, "--diff", "--unsafe-fixes"]).status, 1);
        let safe = |options: &[&str]| {
            let out = ttsr(["check-rules", named, "--format", "json"].iter().chain(options)).out;
            let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
            let findings = document["diagnostics"].as_array().expect("findings").iter();
            findings
                .filter(|finding| !finding["fix"].is_null())
                .map(|finding| finding["fix"]["safe"].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(safe(&[]), [serde_json::Value::Null; 0]);
        assert_eq!(safe(&["--unsafe-fixes"]), [false]);
    }
    // Whatever is asked for, no repair does more than it says.
    for frontmatter in UNTOUCHED {
        let text = format!("---\n{frontmatter}\n---\nBody.\n");
        let again = repaired_with(&text, &["--unsafe-fixes"]);
        assert_eq!(again.matches('\n').count(), text.matches('\n').count(), "{again}");
        assert!(again.contains("# ") == text.contains("# "), "{again}");
    }
}

#[test]
fn a_finding_that_is_left_out_is_not_mended() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("r.md");
    fs::write(&file, "---\nttsr_trigger: foo\n---\nB").expect("written");
    check(folder.path(), &["--allow", "legacy-key"]);
    assert_eq!(fs::read_to_string(&file).expect("the file"), "---\nttsr_trigger: foo\n---\nB");
}

#[test]
fn files_that_are_not_utf8_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let utf16: Vec<u8> = "\u{feff}---\nttsr_trigger: foo\n---\nB".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [utf16, b"---\nttsr_trigger: foo\n---\nB\xff".to_vec()] {
        let file = folder.path().join("r.md");
        fs::write(&file, &bytes).expect("written");
        check(folder.path(), &[]);
        assert_eq!(fs::read(&file).expect("the file"), bytes);
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let (real, link) = (folder.path().join("real.txt"), folder.path().join("r.md"));
    fs::write(&real, "---\nttsr_trigger: foo\n---\nB").expect("written");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("permissions");
    symlink("real.txt", &link).expect("a link");
    check(folder.path(), &[]);
    assert!(link.symlink_metadata().expect("the link").is_symlink());
    assert_eq!(fs::read_to_string(&real).expect("the file"), "---\ncondition: foo\n---\nB");
    assert_eq!(fs::metadata(&real).expect("the file").permissions().mode() & 0o777, 0o640);
    // A file that may not be written is said so, and stays.
    fs::write(&real, "---\nttsr_trigger: foo\n---\nB").expect("written");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o440)).expect("permissions");
    let outcome = check(folder.path(), &[]);
    assert_eq!(outcome.status, 3);
    assert!(outcome.err.contains("not written: permission denied"), "{}", outcome.err);
}

#[test]
fn only_the_project_is_repaired_when_no_path_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (project, home) = (folder.path().join("project"), folder.path().join("home"));
    let rules = [project.join(".omp/rules/a.md"), home.join(".omp/agent/rules/b.md")];
    for file in &rules {
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, "---\nttsr_trigger: foo\n---\nB").expect("written");
    }
    let mut surroundings = surroundings();
    surroundings.cwd.clone_from(&project);
    surroundings.home = Some(home);
    let outcome = ttsr_with(["check-rules", "--fix", "--lifecycle", "v3"], b"", &surroundings);
    assert_eq!(fs::read_to_string(&rules[0]).expect("a file"), "---\ncondition: foo\n---\nB");
    assert_eq!(fs::read_to_string(&rules[1]).expect("a file"), "---\nttsr_trigger: foo\n---\nB");
    assert_eq!(outcome.status, 3, "{}", outcome.err);
    assert!(outcome.err.contains("outside of the project"), "{}", outcome.err);
}
