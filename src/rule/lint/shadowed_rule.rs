//! A rule behind another one of its name.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::rule::read::Rule;
use crate::rule::register::Flaw;

lint! {
    number: 9,
    name: "shadowed-rule",
    severity: Note,
    explanation: "Another file of the same rule name comes first in discovery order, so this one is never used.",
    samples: "failing/r.md" "failing/a/r.md" "passing/r.md" "passing/a/s.md",
    check: Flaw(check)
}

fn check(rule: &Rule, flaw: &Flaw) -> Option<Diagnostic> {
    let Flaw::Shadowed { by } = flaw else { return None };
    let message = format!("the rule `{}` is shadowed by {by}", rule.name);
    let finding = match &rule.file {
        Some(file) => file.finding(CODE, message, 0..0),
        None => Diagnostic::new(CODE, message),
    };
    Some(finding.with_help("rename one of the two files"))
}
