//! A condition that this program does not evaluate.

use super::shared::{in_key, lint};
use crate::diagnostic::Diagnostic;
use crate::rule::read::Rule;
use crate::rule::register::Flaw;

lint! {
    number: 30,
    name: "condition-beyond-limits",
    severity: Error,
    explanation: "A condition is valid but larger than this program evaluates, so it cannot tell when the rule triggers.",
    samples: "failing.md" "passing.md",
    check: Flaw(check)
}

fn check(rule: &Rule, flaw: &Flaw) -> Option<Diagnostic> {
    let Flaw::ConditionBeyondLimits { source, error } = flaw else { return None };
    let message = format!("`{}` is beyond what this program evaluates: {}", source.quotable(), error.message);
    let help = "split the pattern into several conditions; one match suffices";
    Some(in_key(rule, CODE, "condition", source, message).with_help(help))
}
