//! Empty values: what was to narrow the rule does not.

use super::shared::{KEYS, RuleKey, Subject, Takes, lint};
use crate::diagnostic::Diagnostic;
use crate::rule::read::{Node, Yaml, is_js_blank};

lint! {
    number: 58,
    name: "empty-value",
    severity: Warning,
    explanation: "A key is there and its value is empty, which is the same to the agent as if the key were not there.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    // Without a trigger there is nothing to narrow; an empty condition has a finding of its own.
    if !subject.has_trigger() {
        return;
    }
    for RuleKey { name, without, .. } in KEYS.iter().filter(|key| key.takes == Takes::Texts) {
        if matches!(*name, "condition" | "astCondition") {
            continue;
        }
        let Some(node) = subject.node(name).filter(|node| is_empty(node)) else { continue };
        let message = format!("`{name}` is empty, so {without}");
        let help = format!("write what the rule is for, or remove `{name}`");
        findings.push(subject.finding(CODE, message, node.span.clone()).with_help(help));
    }
}

/// Whether nothing but blank texts is there. A key without any value is a form that was not filled in.
fn is_empty(node: &Node) -> bool {
    match &node.value {
        Yaml::String(text) => text.trim_matches(is_js_blank).is_empty(),
        Yaml::List(items) => items.iter().all(|item| matches!(item.value, Yaml::String(_)) && is_empty(item)),
        _ => false,
    }
}
