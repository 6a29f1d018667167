//! Globs on a rule that only prose can reach: prose has no paths, so the rule is dead.

use super::shared::{Subject, lint};
use crate::diagnostic::{Diagnostic, Severity};

lint! {
    number: 16,
    name: "globs-exclude-prose",
    severity: Error,
    explanation: "Prose and thinking have no paths, so a rule with `globs` never fires on them.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(rule) = subject.compiled.filter(|rule| !rule.globs.is_open()) else { return };
    let span = subject.node("globs").map_or(0..0, |node| node.span.clone());
    if !rule.scope.allows_some_tool() {
        let what = if rule.is_judged() { "its question is never asked" } else { "the rule can never fire" };
        let message = format!("{what}: prose has no paths, and its scope lets only prose in");
        let help = "remove `globs`, or add `tool` to the scope";
        findings.push(subject.finding(CODE, message, span).with_help(help));
    } else if subject.node("scope").is_some() && (rule.scope.text || rule.scope.thinking) {
        let what = if rule.is_judged() { "is never asked about" } else { "never fires on" };
        let message = format!("prose has no paths, so with `globs` the rule {what} prose, though its scope names it");
        let help = "move the globs into the scope: `tool(GLOB)`";
        let finding = subject.finding(CODE, message, span).with_help(help);
        findings.push(finding.with_severity(Severity::Warning));
    }
}
