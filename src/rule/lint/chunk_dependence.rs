//! Conditions whose verdict depends on where the stream is cut, and conditions that are slow to decide.

use super::Subject;
use crate::diagnostic::{Diagnostic, code};

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (source, pattern) in subject.conditions() {
        let range = || subject.condition_range(source, None);
        if pattern.is_end_sensitive() && !pattern.matches_everything() {
            let message =
                format!("the condition `{source}` looks behind its match, so it may fire before the rest has arrived");
            let help = "demand the character that ends the match instead of `$`, `\\b` or a look-ahead at the end";
            findings.push(subject.finding(code::CHUNK_DEPENDENT_PATTERN, message, range()).with_help(help));
        }
        if pattern.needs_backtracking() {
            let message =
                format!("the condition `{source}` is decided by backtracking, which can take long on long texts");
            let help = "avoid back-references and huge counts";
            findings.push(subject.finding(code::SUPERLINEAR_PATTERN, message, range()).with_help(help));
        }
    }
}
