//! A scope without any word that means something.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::rule::read::Rule;
use crate::rule::register::Flaw;

lint! {
    number: 7,
    name: "unreachable-scope",
    severity: Error,
    explanation: "No token of the scope is valid, so no stream can reach the rule and the agent does not register it.",
    samples: "failing.md" "passing.md",
    check: Flaw(check)
}

fn check(rule: &Rule, flaw: &Flaw) -> Option<Diagnostic> {
    let Flaw::UnreachableScope = flaw else { return None };
    let message = "no token of the scope is valid, so no stream can reach the rule";
    let located = rule.file.as_ref().and_then(|file| {
        let node = file.frontmatter.as_ref()?.get("scope")?;
        Some(file.finding(CODE, message, node.span.clone()))
    });
    let help = if rule.fields.condition.is_some() {
        "write `scope: text`, or leave `scope` out for prose and all tools"
    } else {
        "write `scope: tool:edit, tool:write`, or leave `scope` out"
    };
    Some(located.unwrap_or_else(|| Diagnostic::new(CODE, message)).with_help(help))
}
