//! Conditions whose verdict depends on where the stream is cut.

use super::Subject;
use crate::diagnostic::{Diagnostic, Severity, code};
use crate::pattern::Ending;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (source, pattern) in subject.conditions() {
        if pattern.matches_everything() {
            continue;
        }
        let (severity, looks, help) = match pattern.ending() {
            Ending::Settled => continue,
            Ending::Edge => (
                Severity::Note,
                "asks with `$` or `\\b` whether its match ends here",
                "demand the character that ends the match instead, such as `[^\\w]` or `\\n`",
            ),
            Ending::LookAhead => (
                Severity::Warning,
                "asks with a negative look-ahead what does not follow",
                "demand behind the look-ahead as many characters as it looks at, or match what may follow instead",
            ),
        };
        let message = format!("the condition `{source}` {looks}, so it may fire before the rest has arrived");
        let finding = subject.finding(code::CHUNK_DEPENDENT_PATTERN, message, subject.condition_range(source, None));
        findings.push(finding.with_severity(severity).with_help(help));
    }
}
