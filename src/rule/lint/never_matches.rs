//! Conditions that contradict themselves.

use super::foreign_syntax::is_foreign;
use super::shared::{Subject, in_quotes, lint, split_flags};
use crate::diagnostic::Diagnostic;
use crate::pattern::{Pattern, Texts};

lint! {
    number: 81,
    name: "never-matches",
    severity: Error,
    explanation: "No text whatever matches the condition: an anchor, a look-around or a set in it refuses what the rest demands.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (source, pattern) in subject.conditions() {
        if !is_empty(pattern) || is_foreign(subject, source) {
            continue;
        }
        let text = source.to_string_lossy();
        let message = format!("no text matches the condition `{source}`: it refuses what it demands");
        let help = match over_lines(subject, &text) {
            Some(written) => format!("for the start or the end of a line write `{}`", in_quotes(&written)),
            None => "look for a `^` behind, or a `$` in front of what must be there, for a look-around that excludes \
                     its neighbour, and for an empty set `[]`"
                .to_owned(),
        };
        findings.push(subject.finding(CODE, message, subject.condition_range(source, None)).with_help(help));
    }
}

/// Whether no text matches.
pub(super) fn is_empty(pattern: &Pattern) -> bool {
    pattern.can_match(Texts::Any) == Some(false)
}

/// The condition with anchors that see lines, if that helps.
fn over_lines(subject: &Subject<'_>, condition: &str) -> Option<String> {
    let (flags, rest) = split_flags(condition);
    let flags: String = "ims".chars().filter(|&flag| flag == 'm' || flags.contains(flag)).collect();
    Some(format!("(?{flags}){rest}")).filter(|written| subject.is_live(written))
}
