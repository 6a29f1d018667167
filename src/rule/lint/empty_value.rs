//! Empty values: what was to narrow the rule does not.

use super::shared::{Subject, lint};
use crate::builtin::keys::{OLDEST_TRIGGER, RuleKey, Takes};
use crate::diagnostic::Diagnostic;
use crate::rule::read::{Node, Yaml, is_js_blank};

lint! {
    number: 58,
    name: "empty-value",
    severity: Warning,
    explanation: "A key is there and its value is empty, which is the same to the agent as if the key were not there.",
    samples: "failing.md" "passing.md",
    check: Always(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let early = subject.semantics.legacy_trigger_only;
    for key in subject.keys_read().filter(|key| key.takes == Takes::Texts) {
        let RuleKey { name, without, .. } = *key;
        let says_all = match early {
            // There it is the only one, and nothing else says so.
            true => name == OLDEST_TRIGGER,
            // Without a trigger there is nothing to narrow, and a lost gate or condition has a finding of its own.
            false => subject.has_trigger() && !(key.triggers() && subject.is_judged()),
        };
        let Some(node) = subject.node(name).filter(|node| says_all && is_empty(node, early)) else { continue };
        // Beside one that counts before it, the old name has a finding of its own.
        if key.triggers() && name != "astCondition" && subject.condition().is_some_and(|used| used.key != name) {
            continue;
        }
        let message = format!("`{name}` is empty, so {without}");
        let help = match key.triggers() {
            true => format!("write a regular expression in single quotes, or remove `{name}`"),
            false => format!("write what the rule is for, or remove `{name}`"),
        };
        findings.push(subject.finding(CODE, message, node.span.clone()).with_help(help));
    }
}

/// Whether nothing but blank texts is there. A key without any value is a form that was not filled in.
fn is_empty(node: &Node, early: bool) -> bool {
    match &node.value {
        // The early agent takes blanks for a pattern.
        Yaml::String(text) if early => text.is_empty(),
        Yaml::String(text) => text.trim_matches(is_js_blank).is_empty(),
        Yaml::List(items) => {
            !early && items.iter().all(|item| matches!(item.value, Yaml::String(_)) && is_empty(item, early))
        }
        _ => false,
    }
}
