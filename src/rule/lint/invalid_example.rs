//! Entries of `examples` that are no samples.

use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;
use crate::rule::samples::Samples;

lint! {
    number: 50,
    name: "invalid-example",
    severity: Error,
    explanation: "An entry of `examples` is no sample: a string, or a mapping of `text` with `source`, `tool`, `path` and `verdict`. It is never run.",
    samples: "failing.md" "passing.md",
    check: Always(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for problem in subject.frontmatter().map(Samples::read).unwrap_or_default().problems {
        findings.push(subject.finding(CODE, problem.message, problem.span).with_help(problem.help));
    }
}
