//! Entries of `examples` that are no samples.

use super::Subject;
use crate::diagnostic::{Diagnostic, code};
use crate::rule::Samples;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for problem in subject.frontmatter().map(Samples::read).unwrap_or_default().problems {
        findings.push(subject.finding(code::INVALID_EXAMPLE, problem.message, problem.span).with_help(problem.help));
    }
}
