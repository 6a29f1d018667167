//! A rule without a body, or without a name or path.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::rule::read::Rule;
use crate::rule::register::Flaw;

lint! {
    number: 12,
    name: "empty-content",
    severity: Error,
    explanation: "The rule has no body. The agent drops it, after it has already hidden every later rule of the same name.",
    samples: "failing.md" "passing.md",
    check: Flaw(check)
}

fn check(rule: &Rule, flaw: &Flaw) -> Option<Diagnostic> {
    let Flaw::Lacks { what } = flaw else { return None };
    let message = format!("the rule has no {what}, so the agent drops it");
    let finding = match &rule.file {
        Some(file) => file.finding(CODE, message, 0..0),
        None => Diagnostic::new(CODE, message),
    };
    Some(finding.with_help("write below the frontmatter what the agent is to do"))
}
