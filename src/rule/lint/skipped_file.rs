//! What looks like a rule file and is not read; found on the way through folders.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::text::Place;

lint! {
    number: 27,
    name: "skipped-file",
    severity: Note,
    explanation: "An entry looks like a rule file but is none: a folder, a special file, or an extension in upper case.",
    samples: "failing/r.MD" "failing/s.md" "passing/r.md" "passing/s.md",
    check: Elsewhere
}

/// The finding about a file of this name; `message` says why.
pub(in super::super) fn finding(name: String, message: &str, help: &str) -> Diagnostic {
    Diagnostic::new(CODE, message).with_help(help).at(Place::line(name, 1, 0))
}
