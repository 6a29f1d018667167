//! A frontmatter that never ends.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::rule::read::RuleFile;

lint! {
    number: 21,
    name: "unclosed-fence",
    severity: Error,
    explanation: "The file begins with a fence that is never closed, so the agent finds no frontmatter and takes all of the file for the body.",
    samples: "failing.md" "passing.md",
    check: File(check)
}

fn check(file: &RuleFile) -> Option<Diagnostic> {
    if !file.unclosed_fence {
        return None;
    }
    let fence = file.body_start..file.body_start + 3;
    let finding = file.finding(CODE, "the frontmatter is never closed, so all of the file is body", fence);
    Some(finding.with_help("put a line `---` behind the last key"))
}
