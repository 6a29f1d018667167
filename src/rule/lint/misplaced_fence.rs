//! A fence that is not at the very beginning of the file.

use super::shared::{Subject, lint};
use crate::diagnostic::{Diagnostic, Effect, Fix};
use crate::rule::read::{CONDITION_KEYS, Encoding};

lint! {
    number: 35,
    name: "misplaced-fence",
    severity: Error,
    explanation: "The frontmatter must begin with the first character of the file. Behind a blank line or other text it is body.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    findings.extend(finding(subject));
}

/// Whether the frontmatter is not where the agent looks for it.
pub(super) fn is_misplaced(subject: &Subject<'_>) -> bool {
    finding(subject).is_some()
}

fn finding(subject: &Subject<'_>) -> Option<Diagnostic> {
    if subject.frontmatter().is_some() || subject.file.unclosed_fence {
        return None;
    }
    let text = subject.file.text();
    let mark = if subject.file.encoding() == Encoding::Utf8Mark { '\u{FEFF}'.len_utf8() } else { 0 };
    let mut offset = mark;
    for line in text[mark..].split_inclusive('\n').take(20) {
        if line.trim_end().trim_start() == "---" {
            let rest = &text[offset + line.len()..];
            let is_frontmatter = rest.lines().take(40).any(|line| {
                let key = line.split(':').next().unwrap_or_default().trim();
                CONDITION_KEYS.contains(&key) || matches!(key, "astCondition" | "ast-condition" | "description")
            });
            if is_frontmatter {
                let start = offset + (line.len() - line.trim_start().len());
                let message = "the frontmatter does not begin in the first line, so all of the file is body";
                let help = "move the line `---` to the very beginning of the file";
                // Other text in front may be meant for the body.
                let blank = text[mark..start].trim().is_empty();
                let fix = blank.then(|| {
                    Fix::replace("remove what is in front", mark..start, "", Effect::Frontmatter).of_dead_rule()
                });
                let finding = subject.finding(CODE, message, start..start + 3);
                return Some(finding.with_help(help).with_fix(fix));
            }
            return None;
        }
        offset += line.len();
    }
    None
}
