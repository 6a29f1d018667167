//! Globs that do not narrow as people think: a negated one lets base names through, one with a folder in front misses
//! absolute paths.

use std::ops::Range;

use super::Subject;
use crate::diagnostic::{Diagnostic, code};
use crate::glob::PathGlob;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    findings.extend(subject.written_globs().into_iter().filter_map(|(glob, range)| finding(subject, &glob, range)));
}

fn finding(subject: &Subject<'_>, glob: &PathGlob, range: Range<usize>) -> Option<Diagnostic> {
    let text = glob.source().to_string_lossy();
    let body = text.trim_start_matches('!');
    if glob.is_negated() {
        if body.starts_with("**/") {
            return None;
        }
        let message = format!(
            "`{text}` lets `{body}` through: the path is tried in several forms, and one that differs suffices"
        );
        return Some(subject.finding(code::NEGATED_GLOB, message, range).with_help(format!("write `!**/{body}`")));
    }
    if let Some(rest) = body.strip_prefix("./") {
        let message = format!("`{text}` matches only paths that are written with `./`");
        return Some(subject.finding(code::LITERAL_DOT_GLOB, message, range).with_help(format!("write `**/{rest}`")));
    }
    let (folder, rest) = body.split_once('/')?;
    let plain = |one: char| one.is_alphanumeric() || matches!(one, '_' | '-' | '.' | '@');
    if rest.is_empty() || matches!(folder, "" | "..") || !folder.chars().all(plain) {
        return None;
    }
    let message = format!("`{text}` matches below the working directory only, and no absolute path outside of it");
    let help = format!("write `**/{body}` for such a folder anywhere");
    Some(subject.finding(code::RELATIVE_GLOB, message, range).with_help(help))
}
