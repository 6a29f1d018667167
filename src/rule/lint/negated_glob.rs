//! Negated globs, which let base names through.

use std::ops::Range;

use super::comma_in_glob::split_at_commas;
use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;
use crate::glob::PathGlob;

lint! {
    number: 34,
    name: "negated-glob",
    severity: Warning,
    explanation: "A glob is tried on each form of a path and on its base name, and one match suffices. A negated glob therefore matches almost always.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    findings.extend(subject.written_globs().into_iter().filter_map(|(glob, range)| finding(subject, &glob, range)));
}

fn finding(subject: &Subject<'_>, glob: &PathGlob, range: Range<usize>) -> Option<Diagnostic> {
    // One with a comma is to be split first.
    let text = Some(glob.source().to_string_lossy()).filter(|_| split_at_commas(glob.source()).is_none())?;
    let body = text.trim_start_matches('!');
    if !glob.is_negated() || body.starts_with("**/") {
        return None;
    }
    let message =
        format!("`{text}` lets `{body}` through: the path is tried in several forms, and one that differs suffices");
    Some(subject.finding(CODE, message, range).with_help(format!("write `!**/{body}`")))
}
