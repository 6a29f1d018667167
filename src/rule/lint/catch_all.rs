//! A file glob as the only condition, and prose in the scope.

use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;

lint! {
    number: 41,
    name: "catch-all",
    severity: Warning,
    explanation: "A file glob as the only condition adds `.*`, which matches every piece of prose when prose is in the scope.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(rule) = subject.compiled.filter(|rule| !rule.is_judged()) else { return };
    // The `.*` stands for the globs; it is only wrong where prose comes in.
    if stands_for_globs(subject) && rule.globs.is_open() && (rule.scope.text || rule.scope.thinking) {
        let message =
            "a file glob as the only condition and prose in the scope: every piece of prose triggers the rule";
        let help = "remove `text` and `thinking` from the scope, or add a regular expression";
        let range = subject.condition_range(&subject.listed.rule.fields.glob_conditions[0], None);
        findings.push(subject.finding(CODE, message, range).with_help(help));
    }
}

/// Whether the only condition is the one that the agent puts in place of file globs.
pub(super) fn stands_for_globs(subject: &Subject<'_>) -> bool {
    let globs = &subject.listed.rule.fields.glob_conditions;
    !globs.is_empty() && matches!(subject.conditions(), [(source, _)] if *source == ".*")
}
