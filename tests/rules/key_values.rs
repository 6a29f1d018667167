//! Every key of the table with values of every type, in every generation: each is taken, or something is said of it.

use ttsr::builtin::keys::{KEYS, Reader, RuleKey};
use ttsr::diagnostic::Diagnostic;
use ttsr::generation::Lifecycle;
use ttsr::rule::{Fields, Rule, RuleFile, RuleSet, lint};
use ttsr::settings::Settings;

const LIFECYCLES: [Lifecycle; 4] = [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3, Lifecycle::V4];

/// A value of each type, and of lists of each type.
const VALUES: [&str; 22] = [
    "text",
    "''",
    "' '",
    "true",
    "false",
    "5",
    "1.5",
    "0",
    ".inf",
    "yes",
    "[]",
    "[a]",
    "['']",
    "[5]",
    "[true]",
    "[~]",
    "[[a]]",
    "[{a: b}]",
    "{a: b}",
    "{}",
    "never",
    "2024-01-01",
];

/// Lists of which a part is dropped.
const MIXED: [&str; 4] = ["[a, 5]", "[a, true]", "[a, [b]]", "[a, {b: c}]"];

/// What a frontmatter gives: the fields, and the findings.
fn read(frontmatter: &str, lifecycle: Lifecycle) -> (Fields, Vec<Diagnostic>) {
    let semantics = lifecycle.semantics();
    let file = RuleFile::read("r.md", format!("---\n{frontmatter}---\nB").into_bytes(), &semantics);
    let rule = Rule::from_file("r.md", "/p/r.md".into(), file, &semantics);
    let fields = rule.fields.clone();
    let set = RuleSet::register([rule], &Settings::default(), &semantics, None);
    (fields, lint::run(&set, &semantics))
}

/// The key as it is written with hyphens.
fn with_hyphens(name: &str) -> String {
    let hyphen =
        |one: char| if one.is_ascii_uppercase() { format!("-{}", one.to_ascii_lowercase()) } else { one.into() };
    name.chars().map(hyphen).collect()
}

/// What triggers the rule beside the key, in the line in front of it.
fn beside(key: &RuleKey, lifecycle: Lifecycle) -> Vec<&'static str> {
    match (lifecycle, key.triggers()) {
        (_, true) => vec!["note: x\n"],
        (Lifecycle::V1, false) => vec!["ttsr_trigger: foo\n"],
        (_, false) => vec!["condition: foo\n", "astCondition: foo($A)\n", "ttsr_trigger: foo\n"],
    }
}

/// Whether the value is what holds without the key.
fn is_default(key: &RuleKey, value: &str) -> bool {
    matches!((key.name, value), ("alwaysApply", "false") | ("enabled", "true"))
}

/// Whether the value is an empty one of a key for people.
fn is_plain(key: &RuleKey, value: &str) -> bool {
    key.name == "examples" && value == "{}"
}

#[test]
fn each_value_of_each_key_is_taken_or_told() {
    let (mut told, mut taken, mut silent) = (0, 0, Vec::new());
    for key in KEYS.iter().filter(|key| key.reader != Reader::Instructions) {
        for lifecycle in LIFECYCLES {
            for other in beside(key, lifecycle) {
                let (without, _) = read(other, lifecycle);
                for value in VALUES.iter().chain(&MIXED) {
                    let mut names = vec![key.name.to_owned(), with_hyphens(key.name)];
                    names.dedup();
                    // The early generation takes hyphens as they are.
                    names.truncate(if lifecycle == Lifecycle::V1 { 1 } else { 2 });
                    for name in names {
                        let frontmatter = format!("{other}{name}: {value}\n");
                        let (fields, findings) = read(&frontmatter, lifecycle);
                        let is_told = findings.iter().any(|finding| {
                            let place = finding.place.as_ref();
                            place.is_some_and(|place| place.start.line == 3) || finding.code.name() == "missing-trigger"
                        });
                        let is_taken = fields != without && !MIXED.contains(value);
                        told += usize::from(is_told);
                        taken += usize::from(is_taken);
                        if !is_told && !is_taken && !is_default(key, value) && !is_plain(key, value) {
                            silent.push(format!("{}: {frontmatter:?}", lifecycle.as_str()));
                        }
                    }
                }
            }
        }
    }
    assert!(silent.is_empty(), "{} of {}: {silent:#?}", silent.len(), told + taken);
    assert!(told > 1_000 && taken > 200, "{told}, {taken}");
}

#[test]
fn what_a_value_of_the_wrong_type_costs_is_what_the_table_says() {
    for key in KEYS.iter().filter(|key| key.narrows()) {
        for value in ["5", "true", "{a: b}", "[]", "''"] {
            let (fields, findings) = read(&format!("condition: foo\n{}: {value}\n", key.name), Lifecycle::V4);
            let (without, _) = read("condition: foo\n", Lifecycle::V4);
            assert_eq!(fields.scope, without.scope, "{}: {value}", key.name);
            let said = findings.iter().any(|finding| finding.message.contains(key.without));
            assert!(said, "{}: {value}: {findings:#?}", key.name);
        }
    }
}

#[test]
fn keys_of_other_tools_that_narrow_are_told_where_nothing_here_does() {
    use ttsr::builtin::keys::FOREIGN;
    for foreign in FOREIGN {
        let (_, findings) = read(&format!("condition: foo\n{}: [a]\n", foreign.name), Lifecycle::V4);
        let found: Vec<_> = findings.iter().filter(|finding| finding.code.name() == "unknown-key").collect();
        assert_eq!(found.len(), 1, "{foreign:?}: {findings:#?}");
        let help = found[0].help.as_deref().unwrap_or_default();
        assert!(help.contains(&format!("`{}`", foreign.instead)), "{foreign:?}: {help}");
        let beside = format!("condition: foo\n{}: 'tool:edit'\n{}: [a]\n", foreign.instead, foreign.name);
        let (_, findings) = read(&beside, Lifecycle::V4);
        assert!(findings.iter().all(|finding| finding.code.name() != "unknown-key"), "{foreign:?}: {findings:#?}");
    }
}

#[test]
fn what_only_later_agents_read_is_told() {
    for (lifecycle, frontmatter, told) in [
        (Lifecycle::V1, "ttsr_trigger: foo\nscope: text\n", Some("the rule is for prose and all tools")),
        (Lifecycle::V1, "ttsr_trigger: foo\nglobs: '*.ts'\n", Some("the rule is for every file, and for prose")),
        (Lifecycle::V1, "ttsr_trigger: foo\nquestion: Is it?\n", Some("no judge is asked")),
        (Lifecycle::V1, "condition: foo\n", Some("it gives the rule no condition")),
        (Lifecycle::V1, "ttsr_trigger: foo\ndescription: d\nalwaysApply: true\n", None),
        (Lifecycle::V2, "condition: foo\nagents: [main]\n", Some("the rule is for every agent")),
        (Lifecycle::V2, "condition: foo\nenabled: false\n", Some("the rule is on")),
        (Lifecycle::V2, "condition: foo\nenabled: true\nscope: text\n", None),
        (Lifecycle::V3, "condition: foo\nagents: [main]\ninterruptMode: never\n", None),
    ] {
        let (_, findings) = read(frontmatter, lifecycle);
        let found: Vec<&str> = findings
            .iter()
            .filter(|finding| finding.code.name() == "later-key")
            .map(|finding| finding.message.as_str())
            .collect();
        assert_eq!(found.len(), usize::from(told.is_some()), "{frontmatter}: {findings:#?}");
        assert!(found.iter().all(|message| told.is_some_and(|told| message.contains(told))), "{found:?}");
    }
}
