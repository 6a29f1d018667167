//! A file that begins with a byte order mark.

use super::shared::lint;
use crate::diagnostic::{Diagnostic, Effect, Fix};
use crate::rule::read::{Encoding, RuleFile};

lint! {
    number: 23,
    name: "byte-order-mark",
    severity: Note,
    explanation: "The file begins with a byte order mark. The agent drops it, other tools choke on it.",
    samples: "failing.md" "passing.md",
    check: File(check)
}

fn check(file: &RuleFile) -> Option<Diagnostic> {
    if file.encoding() != Encoding::Utf8Mark {
        return None;
    }
    let finding = file.finding(CODE, "the file begins with a byte order mark", 0..3);
    let fix = Fix::replace("remove the mark", 0..3, "", Effect::None);
    Some(finding.with_help("save the file as UTF-8 without a mark").with_fix(fix))
}
