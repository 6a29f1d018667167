//! Several conditions, none of which compiles.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::rule::read::{Rule, condition_member};
use crate::rule::register::Flaw;

lint! {
    number: 4,
    name: "no-valid-condition",
    severity: Error,
    explanation: "Each of several conditions fails to compile, so the agent does not register the rule.",
    samples: "failing.md" "passing.md",
    check: Flaw(check)
}

fn check(rule: &Rule, flaw: &Flaw) -> Option<Diagnostic> {
    let Flaw::NoValidCondition { count } = flaw else { return None };
    let message = format!("none of the {count} conditions compiles, so the rule is not registered");
    let located = rule.file.as_ref().and_then(|file| {
        let member = condition_member(file.frontmatter.as_ref()?)?;
        Some(file.finding(CODE, message.clone(), member.key_span.clone()))
    });
    Some(located.unwrap_or_else(|| Diagnostic::new(CODE, message)).with_help("mend at least one of them"))
}
