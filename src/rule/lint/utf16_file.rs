//! A file in UTF-16.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::rule::read::{Encoding, RuleFile};

lint! {
    number: 24,
    name: "utf16-file",
    severity: Warning,
    explanation: "The file is encoded as UTF-16. The agent reads it because of its mark; hardly any other tool does.",
    samples: "failing.md" "passing.md",
    check: File(check)
}

fn check(file: &RuleFile) -> Option<Diagnostic> {
    let found = file.encoding() == Encoding::Utf16;
    found.then(|| file.finding(CODE, "the file is encoded as UTF-16", 0..0).with_help("save the file as UTF-8"))
}
