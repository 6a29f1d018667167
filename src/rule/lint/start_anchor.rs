//! `^` without the flag `m`: it sees the start of all that was streamed, not of a line.

use super::shared::{Subject, in_quotes, lint, split_flags};
use crate::diagnostic::Diagnostic;

lint! {
    number: 45,
    name: "start-anchor",
    severity: Note,
    explanation: "`^` without the flag `m` matches at the very start of what was streamed so far, not at the start of each line.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

/// What stands behind a `^` that is meant for the start of the whole text: a line that only begins a file, or something
/// that goes on over all lines.
const WHOLE_TEXT: [&str; 8] = ["#!", "[\\s\\S]", "[\\S\\s]", "[^]", "(?=[\\s\\S]", "(?![\\s\\S]", "(?=[^]", "(?![^]"];

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    if subject.sees_arguments_alone() {
        // There is one line.
        return;
    }
    for (source, _) in subject.conditions() {
        let text = source.to_string_lossy();
        let (flags, rest) = split_flags(&text);
        let Some(behind) = rest.strip_prefix('^') else { continue };
        let over_lines = flags.contains('s') && behind.trim_start_matches("(?=").starts_with(".*");
        if behind.is_empty() || flags.contains('m') || over_lines {
            continue;
        }
        if WHOLE_TEXT.iter().any(|start| behind.starts_with(start)) {
            continue;
        }
        let message =
            format!("`^` in the condition `{source}` is the start of all that was streamed, not of each line");
        let flags: String = "ims".chars().filter(|&flag| flag == 'm' || flags.contains(flag)).collect();
        let help = format!("for the start of a line write `{}`", in_quotes(&format!("(?{flags}){rest}")));
        let range = subject.condition_range(source, None);
        findings.push(subject.finding(CODE, message, range).with_help(help));
    }
}
