//! What becomes of rule files: reasons, buckets, lists, places of findings.

use ttsr::diagnostic::Severity;
use ttsr::generation::{Lifecycle, Semantics};
use ttsr::message::Source;
use ttsr::rule::{Bucket, Rule, RuleFile, RuleSet, lint};
use ttsr::settings::Settings;
use ttsr::text::JsString;

fn rule(name: &str, text: &str, semantics: &Semantics) -> Rule {
    let file = RuleFile::read(format!("rules/{name}"), text.as_bytes().to_vec(), semantics);
    Rule::from_file(name, format!("/p/.omp/rules/{name}").into(), file, semantics)
}

fn register(texts: &[&str], lifecycle: Lifecycle, settings: &Settings, agent: Option<&str>) -> RuleSet {
    let semantics = lifecycle.semantics();
    let rules = texts.iter().enumerate().map(|(at, text)| rule(&format!("r{at}.md"), text, &semantics));
    RuleSet::register(rules, settings, &semantics, agent.map(JsString::from).as_ref())
}

fn one(text: &str) -> (Bucket, Option<String>) {
    let set = register(&[text], Lifecycle::V3, &Settings::default(), Some("main"));
    (set.inventory[0].bucket, set.inventory[0].reason.as_ref().map(ToString::to_string))
}

#[test]
fn a_refused_rule_falls_through_to_the_later_buckets() {
    assert_eq!(one("---\ncondition: (\nalwaysApply: true\n---\nB").0, Bucket::Always);
    assert_eq!(one("---\ncondition: (\ndescription: d\n---\nB").0, Bucket::Rulebook);
    let (bucket, reason) = one("---\ncondition: (\n---\nB");
    assert_eq!((bucket, reason.as_deref()), (Bucket::None, Some("its condition does not compile")));
    assert_eq!(
        one("---\ncondition: a\nscope: 'tool: edit'\n---\nB").1.as_deref(),
        Some("its scope excludes all streams")
    );
    assert_eq!(one("---\ncondition: 5\n---\nB").1.as_deref(), Some("its condition is empty or no text"));
    assert_eq!(one("B").1.as_deref(), Some("no condition"));
    let off = Settings { enabled: false, ..Settings::default() };
    let text = "---\ncondition: a\ndescription: d\n---\nB";
    let set = register(&[text], Lifecycle::V2, &off, None);
    assert_eq!(set.inventory[0].bucket, Bucket::Rulebook);
    assert_eq!(register(&[&text.replace("condition", "ttsr_trigger")], Lifecycle::V1, &off, None).compiled.len(), 1);
}

#[test]
fn disabled_names_and_other_agents_are_left_out_with_the_reason() {
    let texts = [
        "---\ncondition: a\n---\nB",
        "---\ncondition: a\nagents: 'task*, !x'\n---\nB",
        "---\ncondition: a\nagents: '!main'\n---\nB",
    ];
    let settings = Settings { disabled_rules: vec!["r0".into()], ..Settings::default() };
    let reasons = |lifecycle, agent| -> Vec<Option<String>> {
        let set = register(&texts[..], lifecycle, &settings, agent);
        set.inventory.iter().map(|listed| listed.reason.as_ref().map(ToString::to_string)).collect()
    };
    let disabled = Some("named in `ttsr.disabledRules`".to_owned());
    let other = Some("not for the agent `main`".to_owned());
    assert_eq!(reasons(Lifecycle::V3, Some(" Main ")), [disabled.clone(), None, other.clone()]);
    assert_eq!(reasons(Lifecycle::V3, Some("task-1")), [disabled.clone(), None, None]);
    assert_eq!(reasons(Lifecycle::V3, None), [disabled.clone(), None, None]);
    assert_eq!(reasons(Lifecycle::V2, Some("main")), [disabled, None, None]);
    let narrow = ["---\ncondition: a\nagents: 'task*'\n---\nB"];
    assert_eq!(register(&narrow, Lifecycle::V3, &settings, Some("main")).inventory[0].bucket, Bucket::None);
}

#[test]
fn an_empty_first_file_hides_the_good_one_behind_it() {
    let semantics = Lifecycle::V3.semantics();
    let rules = [
        rule("r.md", "---\ncondition: a\nenabled: false\n---\nB", &semantics),
        rule("r.md", "---\ncondition: a\n---\n", &semantics),
        rule("r.md", "---\ncondition: a\n---\nB", &semantics),
    ];
    let set = RuleSet::register(rules, &Settings::default(), &semantics, None);
    assert!(set.compiled.is_empty());
    let reasons: Vec<_> =
        set.inventory.iter().filter_map(|listed| listed.reason.as_ref().map(ToString::to_string)).collect();
    assert_eq!(reasons, ["switched off by `enabled: false`", "it has no body", "shadowed by rules/r.md"]);
}

#[test]
fn findings_point_at_the_offending_characters() {
    let text = "---\ncondition:\n  - foo\n  - 'a(b'\nscope: text, tool:mcp.x\n---\nB";
    let set = register(&[text], Lifecycle::V3, &Settings::default(), None);
    assert_eq!(set.compiled.len(), 1);
    let findings = lint::of_registration(&set);
    let found = |name: &str| {
        let finding = findings.iter().find(|finding| finding.code.name() == name).expect("found");
        let place = finding.place.as_ref().expect("a place");
        (place.start.line, place.start.column, &text[place.start.offset..place.end.offset], finding.severity)
    };
    let (line, column, _, severity) = found("invalid-condition");
    assert_eq!((line, severity), (4, Severity::Error));
    assert!((6..=8).contains(&column), "within `a(b`, not {column}");
    assert_eq!(found("invalid-scope-token"), (5, 14, "tool:mcp.x", Severity::Warning));
    let dead = register(&["---\ncondition: '('\n---\nB"], Lifecycle::V3, &Settings::default(), None);
    assert_eq!(lint::of_registration(&dead)[0].severity, Severity::Error);
}

#[test]
fn the_list_shows_what_the_engine_uses() {
    let text = "---\ncondition: ['*.rs', '(', x]\nscope: [' text ', 'tool:mcp.x']\nglobs: [' *.rs ', ' ']\nast-condition: ' foo($A) '\n---\nB";
    let set = register(&[text], Lifecycle::V3, &Settings::default(), None);
    let row = set.rows().next().expect("a rule");
    assert_eq!(row.conditions, ["x"]);
    assert_eq!(row.scope, ["text", "tool:edit(*.rs)", "tool:write(*.rs)"]);
    assert_eq!(row.globs, ["*.rs"]);
    assert_eq!(row.ast_conditions, ["foo($A)"]);
    assert_eq!((row.path.as_str(), row.bucket), ("rules/r0.md", Bucket::Ttsr));
}

#[test]
fn the_early_lifecycle_knows_a_trigger_string_only() {
    let v1 = |text: &str| register(&[text], Lifecycle::V1, &Settings::default(), Some("main"));
    let set = v1("---\ncondition: foo\n---\nB");
    assert_eq!(set.inventory[0].bucket, Bucket::None);
    assert_eq!(
        set.inventory[0].reason.as_ref().map(ToString::to_string).as_deref(),
        Some("v1 reads `ttsr_trigger` only, not `condition`")
    );
    let codes: Vec<_> = lint::of_registration(&set).iter().map(|finding| finding.code.name()).collect();
    assert_eq!(codes, ["nothing-registered-in-v1"]);
    assert!(lint::of_registration(&v1("B")).is_empty());

    let set = v1("---\nttsr_trigger: foo\nscope: thinking\nglobs: '*.ts'\nagents: other\n---\nB");
    let rule = &set.compiled[0];
    assert!(rule.allows(Source::Text, None, &[]) && rule.globs_allow(&[]));
    assert!(rule.allows(Source::Tool, Some(&"x".into()), &[]) && !rule.allows(Source::Thinking, None, &[]));

    assert!(v1("---\nttsr_trigger: '(?i)foo'\n---\nB").compiled.is_empty());
    assert!(v1("---\nttsr_trigger: [foo]\n---\nB").compiled.is_empty());
    assert!(v1("---\nttsr-trigger: foo\n---\nB").compiled.is_empty());
    assert!(v1("---\nttsrTrigger: foo\n---\nB").compiled.is_empty());
    let glob = v1("---\nttsr_trigger: 'a/b?'\n---\nB");
    assert_eq!(glob.compiled[0].conditions[0].0, "a/b?");
    let raw = v1("---\nttsr_trigger: foo: bar # c\n---\nB");
    assert_eq!(raw.compiled[0].conditions[0].0, "foo: bar # c");
    let settings = Settings { disabled_rules: vec!["r0".into()], ..Settings::default() };
    assert_eq!(register(&["---\nttsr_trigger: foo\n---\nB"], Lifecycle::V1, &settings, None).compiled.len(), 1);
}

#[test]
fn the_rule_key_enabled_is_of_the_last_generation() {
    let text = "---\ncondition: foo\nenabled: false\n---\nB";
    let count = |lifecycle| register(&[text], lifecycle, &Settings::default(), None).compiled.len();
    assert_eq!((count(Lifecycle::V2), count(Lifecycle::V3)), (1, 0));
}
