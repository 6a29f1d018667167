//! Globs that are read as something else than people think: brackets without a partner, backslashes.

use super::relative_glob::anywhere;
use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;
use crate::glob::PathGlob;
use std::ops::Range;

lint! {
    number: 8,
    name: "invalid-glob",
    severity: Warning,
    explanation: "A bracket of a glob has no partner, or a backslash stands before a letter. The agent takes the one literally and lets the other match nothing, without a word.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    findings.extend(subject.written_globs().into_iter().filter_map(|(glob, range)| finding(subject, &glob, range)));
}

/// What is wrong with a glob that is written there.
fn finding(subject: &Subject<'_>, glob: &PathGlob, range: Range<usize>) -> Option<Diagnostic> {
    let text = glob.source().to_string_lossy();
    let (message, help) = if let Some((at, bracket)) = glob.unpaired_bracket() {
        let (before, after) = text.split_at(text.char_indices().nth(at).map_or(text.len(), |(at, _)| at));
        let message = format!("the `{bracket}` in `{text}` has no partner, so it stands for itself");
        (message, format!("close it, or write `{before}\\{after}` for the character"))
    } else {
        let at = wrong_backslash(&text)?;
        let message = match text[at + 1..].chars().next() {
            Some(one) => format!("`\\{one}` in `{text}` is no separator of folders: a backslash escapes what follows"),
            None => format!("the backslash at the end of `{text}` matches nothing"),
        };
        (message, format!("write `{}`", anywhere(&text.replace('\\', "/"))))
    };
    Some(subject.finding(CODE, message, range).with_help(help))
}

/// The first backslash that escapes nothing that needs it: brackets do.
fn wrong_backslash(text: &str) -> Option<usize> {
    let mut rest = text.char_indices().peekable();
    while let Some((at, one)) = rest.next() {
        if one == '\\' {
            match rest.next() {
                Some((_, '[' | ']' | '{' | '}' | '(' | ')' | '!' | '@' | '+' | ',' | '\\')) => {}
                _ => return Some(at),
            }
        }
    }
    None
}
