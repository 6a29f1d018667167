//! An instructions file that does not say which files it is for; found by the provider that reads such files.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::rule::read::RuleFile;

lint! {
    number: 28,
    name: "missing-apply-to",
    severity: Warning,
    explanation: "An instructions file does not say with `applyTo` which files it is for, so the agent gives it no globs.",
    samples: "failing/.github/instructions/a.instructions.md" "passing/.github/instructions/a.instructions.md",
    check: Elsewhere
}

/// The finding about an instructions file.
pub(in super::super) fn finding(file: &RuleFile) -> Diagnostic {
    let help = "say with `applyTo: \"**\"` or a glob which files it is for";
    file.finding(CODE, "an instructions file without `applyTo`", 0..0).with_help(help)
}
