//! A condition that is no ECMAScript regular expression.

use super::shared::{in_condition, lint};
use super::untranslated_inline_flag;
use crate::diagnostic::Diagnostic;
use crate::rule::read::Rule;
use crate::rule::register::Flaw;

lint! {
    number: 3,
    name: "invalid-condition",
    severity: Error,
    explanation: "A condition does not compile as an ECMAScript regular expression, so the agent skips it, and only it, without telling the author.",
    samples: "failing.md" "passing.md",
    check: Flaw(check)
}

fn check(rule: &Rule, flaw: &Flaw) -> Option<Diagnostic> {
    let Flaw::InvalidCondition { source, error, .. } = flaw else { return None };
    if untranslated_inline_flag::flags(source, error).is_some() {
        return None;
    }
    let message = format!("the condition `{source}` does not compile: {}", error.message);
    let finding = in_condition(rule, CODE, source, error.span.clone(), message);
    Some(match &error.help {
        Some(help) => finding.with_help(help),
        None => finding,
    })
}
