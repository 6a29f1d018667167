//! What looks like a rule file and is not read; found on the way through folders.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::text::Place;

lint! {
    number: 27,
    name: "skipped-file",
    severity: Note,
    explanation: "A file looks like a rule and is none to the agent: it is a folder or a special file, its extension is in upper case, or it lies where the agent does not look: hidden, ignored by git, or in a folder below the one for rules.",
    samples: "failing/r.MD" "failing/s.md" "passing/r.md" "passing/s.md",
    check: Elsewhere
}

/// The finding about a file of this name; `message` says why.
pub(in super::super) fn finding(name: String, message: &str, help: &str) -> Diagnostic {
    Diagnostic::new(CODE, message).with_help(help).at(Place::line(name, 1, 0))
}
