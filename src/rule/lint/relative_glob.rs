//! Globs with a folder in front, which miss absolute paths.

use std::collections::HashSet;
use std::ops::Range;

use super::comma_in_glob::split_at_commas;
use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;
use crate::glob::PathGlob;
use crate::text::JsString;

lint! {
    number: 44,
    name: "relative-glob",
    severity: Note,
    explanation: "A glob with a folder in front matches a path as it is called and relative to the working directory. It does not match an absolute path elsewhere.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let globs = subject.written_globs();
    let written: HashSet<&JsString> = globs.iter().map(|(glob, _)| glob.source()).collect();
    let is_there = |glob: &str| written.contains(&JsString::from(glob));
    for (glob, range) in &globs {
        // Its twin for such a folder anywhere may be there already.
        let is_alone = |body: &str| !is_there(&format!("**/{body}"));
        findings.extend(finding(subject, glob, range.clone(), &is_alone));
    }
}

fn finding(
    subject: &Subject<'_>,
    glob: &PathGlob,
    range: Range<usize>,
    is_alone: &dyn Fn(&str) -> bool,
) -> Option<Diagnostic> {
    // One with a comma is to be split first.
    let text = Some(glob.source().to_string_lossy()).filter(|_| split_at_commas(glob.source()).is_none())?;
    let body = text.trim_start_matches('!');
    if glob.is_negated() || !is_relative(body) || !is_alone(body) {
        return None;
    }
    let message = format!("`{text}` matches below the working directory only, and no absolute path outside of it");
    let help = format!("write `**/{body}` for such a folder anywhere");
    Some(subject.finding(CODE, message, range).with_help(help))
}

/// Whether a glob has a folder in front that is named.
fn is_relative(glob: &str) -> bool {
    let plain = |one: char| one.is_alphanumeric() || matches!(one, '_' | '-' | '.' | '@');
    glob.split_once('/').is_some_and(|(folder, rest)| {
        !rest.is_empty() && !matches!(folder, "" | "." | "..") && folder.chars().all(plain)
    })
}

/// A glob as it should be written, which matches such paths anywhere.
pub(super) fn anywhere(glob: &str) -> String {
    let rest = glob.strip_prefix("./").unwrap_or(glob);
    if rest.len() < glob.len() || is_relative(glob) { format!("**/{rest}") } else { glob.to_owned() }
}
