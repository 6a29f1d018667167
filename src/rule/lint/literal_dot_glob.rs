//! Globs that begin with `./`.

use std::ops::Range;

use super::comma_in_glob::split_at_commas;
use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;
use crate::glob::PathGlob;

lint! {
    number: 43,
    name: "literal-dot-glob",
    severity: Warning,
    explanation: "A leading `./` in a glob is literal, and paths are rarely written so.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    findings.extend(subject.written_globs().into_iter().filter_map(|(glob, range)| finding(subject, &glob, range)));
}

fn finding(subject: &Subject<'_>, glob: &PathGlob, range: Range<usize>) -> Option<Diagnostic> {
    // One with a comma is to be split first.
    let text = Some(glob.source().to_string_lossy()).filter(|_| split_at_commas(glob.source()).is_none())?;
    let rest = text.trim_start_matches('!').strip_prefix("./").filter(|_| !glob.is_negated())?;
    let message = format!("`{text}` matches only paths that are written with `./`");
    Some(subject.finding(CODE, message, range).with_help(format!("write `**/{rest}`")))
}
