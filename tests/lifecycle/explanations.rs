//! Why rules did not fire, and what a trigger says of its match.

use ttsr::engine::{By, Context, Manager};
use ttsr::generation::Lifecycle;
use ttsr::message::Source;
use ttsr::rule::{Fields, Rule, RuleSet};
use ttsr::settings::Settings;
use ttsr::text::JsString;

use super::host::Host;

fn rule(name: &str, condition: &[&str], fields: Fields) -> Rule {
    let list: Vec<JsString> = condition.iter().map(|one| JsString::from(*one)).collect();
    let fields = Fields { condition: (!list.is_empty()).then_some(list), enabled: true, ..fields };
    Rule::from_fields(name.into(), format!("/proj/{name}.md").into(), "BODY".into(), fields)
}

fn list(items: &[&str]) -> Option<Vec<JsString>> {
    Some(items.iter().map(|one| JsString::from(*one)).collect())
}

#[test]
fn each_silent_rule_names_the_last_gate_that_it_reached() {
    let rules = [
        rule("fires", &["foo"], Fields::default()),
        rule("scope", &["foo"], Fields { scope: list(&["thinking"]), ..Fields::default() }),
        rule("globs", &["foo"], Fields { globs: list(&["*.ts"]), ..Fields::default() }),
        rule("condition", &["quux", "zzz"], Fields::default()),
        rule("language", &[], Fields { ast_condition: list(&["foo($A)"]), ..Fields::default() }),
        rule("repeat", &["foo"], Fields::default()),
    ];
    let (settings, semantics) = (Settings::default(), Lifecycle::V3.semantics());
    let set = RuleSet::offer(rules, &settings, &semantics);
    let mut host = Host::new(set, settings, semantics, true);
    host.play("restore repeat; user; turn; msg; text foo; call 0 c1 write; args 0 {\"content\":\"foo\"}; done stop");
    let gates: Vec<&String> = host.trace.iter().filter(|line| line.starts_with("gate")).collect();
    let wanted = ["scope scope", "globs globs", "condition condition", "language language", "repeat repeat"];
    assert_eq!(gates, wanted.map(|gate| format!("gate {gate}")).iter().collect::<Vec<_>>());
    host.trace.clear();
    host.play("turn; msg 2; done stop");
    assert_eq!(host.trace.len(), 6, "an empty message is explained for every rule: {:?}", host.trace);
}

#[test]
fn a_match_names_its_condition_place_and_surroundings() {
    let (settings, semantics) = (Settings::default(), Lifecycle::V3.semantics());
    let set = RuleSet::offer([rule("r", &["zzz", "fo+"], Fields::default())], &settings, &semantics);
    let mut manager = Manager::new(set.compiled, settings, semantics);
    let context = Context::prose(Source::Text);
    let lead = "x".repeat(200);
    assert!(manager.check_delta(&context, JsString::from(lead.as_str()).units()).matches.is_empty());
    let check = manager.check_delta(&context, JsString::from("foo!").units());
    let hit = &check.matches[0].hit;
    assert_eq!(hit.by, By::Condition { source: "fo+".into(), pattern: 1 });
    assert_eq!((hit.span.clone(), hit.seen), (Some(200..203), 204));
    assert_eq!(manager.buffer(&hit.buffer).map(<[u16]>::len), Some(204));
    let excerpt = hit.excerpt.to_string_lossy();
    assert!(excerpt.starts_with('…') && excerpt.ends_with("foo!") && excerpt.chars().count() <= 80, "{excerpt}");
}
