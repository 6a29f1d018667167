//! `alwaysApply: true` on a stream rule.

use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;
use crate::rule::read::{Node, Yaml};

lint! {
    number: 62,
    name: "lost-always-apply",
    severity: Warning,
    explanation: "A rule with a condition or a question is a stream rule, and nothing else. What `alwaysApply: true` asks for, a place in every prompt, it does not get.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let is_true = |node: &&Node| node.value == Yaml::Bool(true);
    let Some(node) = subject.node("alwaysApply").filter(is_true) else { return };
    let Some(rule) = subject.compiled else { return };
    let what = if rule.is_judged() { "a question" } else { "a condition" };
    let message = format!("`alwaysApply` has no effect beside {what}: the rule is a stream rule, and in no prompt");
    let help = "remove it, or write what every prompt is to hold as a rule of its own without a condition";
    findings.push(subject.finding(CODE, message, node.span.clone()).with_help(help));
}
