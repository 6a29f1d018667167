//! A frontmatter that this program does not read.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::rule::read::{Reading, RuleFile};

lint! {
    number: 22,
    name: "frontmatter-beyond-limits",
    severity: Error,
    explanation: "The frontmatter is larger, deeper or more repetitive than this program reads, so it cannot tell what the agent makes of the rule.",
    samples: "failing.md" "passing.md",
    check: File(check)
}

fn check(file: &RuleFile) -> Option<Diagnostic> {
    let Reading::Beyond(problem) = &file.frontmatter.as_ref()?.reading else { return None };
    let message = format!("the frontmatter cannot be read: {}", problem.message);
    let help = "keep the frontmatter to the keys of the rule, and move everything else into the body";
    Some(file.finding(CODE, message, file.rest_of_line(problem.at)).with_help(help))
}
