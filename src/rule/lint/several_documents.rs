//! A frontmatter of several YAML documents.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::rule::read::{Reading, RuleFile};

lint! {
    number: 48,
    name: "several-documents",
    severity: Warning,
    explanation: "The frontmatter holds more than one YAML document. The agent then reads no key at all, without a word.",
    samples: "failing.md" "passing.md",
    check: File(check)
}

fn check(file: &RuleFile) -> Option<Diagnostic> {
    let Reading::SeveralDocuments { at } = file.frontmatter.as_ref()?.reading else { return None };
    let message = "the frontmatter holds several YAML documents, so no key counts";
    let finding = file.finding(CODE, message, file.rest_of_line(at));
    Some(finding.with_help("remove the `...` or `---` line between them"))
}
