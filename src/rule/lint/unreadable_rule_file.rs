//! A rule file or folder that cannot be read; found on the way through folders.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::text::Place;

lint! {
    number: 26,
    name: "unreadable-rule-file",
    severity: Error,
    explanation: "A rule file or folder cannot be read, such as a link that leads nowhere, so the agent goes on without it.",
    samples: "failing/r.md" "passing/r.md",
    check: Elsewhere
}

/// The finding about a file of this name; `message` says why.
pub(in super::super) fn finding(name: String, message: String) -> Diagnostic {
    Diagnostic::new(CODE, message).with_help("make it readable, or remove it").at(Place::line(name, 1, 0))
}
