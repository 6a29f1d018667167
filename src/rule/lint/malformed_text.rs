//! Bytes that are no text.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::rule::read::RuleFile;

lint! {
    number: 25,
    name: "malformed-text",
    severity: Warning,
    explanation: "The file holds bytes that are not UTF-8. The agent reads U+FFFD in their place, so patterns there match something else.",
    samples: "failing.md" "passing.md",
    check: File(check)
}

fn check(file: &RuleFile) -> Option<Diagnostic> {
    let at = file.malformed()?;
    let message = "the file holds bytes that are no text; the agent reads U+FFFD there";
    Some(file.finding(CODE, message, at..at + 3).with_help("save the file as UTF-8"))
}
