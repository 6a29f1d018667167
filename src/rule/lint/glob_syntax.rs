//! Globs that are read as something else than people think: brackets without a partner, backslashes.

use std::collections::HashSet;

use super::Subject;
use crate::diagnostic::{Diagnostic, code};
use crate::glob::PathGlob;
use crate::rule::{ScopeToken, ToolScope};
use crate::text::JsString;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(rule) = subject.compiled else { return };
    for glob in rule.globs.globs() {
        findings.extend(finding(subject, "globs", glob.source(), glob));
    }
    // A token that a condition was turned into has its own finding.
    let fields = &subject.listed.rule.fields;
    let made: HashSet<&[u16]> = fields.glob_conditions.iter().map(JsString::units).collect();
    for token in fields.scope.iter().flatten() {
        let Some(ScopeToken::Tool(ToolScope { path: Some(path), .. })) = ScopeToken::parse(token) else { continue };
        if !made.contains(path.source().units()) {
            findings.extend(finding(subject, "scope", token, &path));
        }
    }
}

/// What is wrong with a glob; `item` is the item of `key` that it is written in.
fn finding(subject: &Subject<'_>, key: &str, item: &JsString, glob: &PathGlob) -> Option<Diagnostic> {
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
        (message, format!("write `{}`", text.replace('\\', "/")))
    };
    Some(subject.finding(code::INVALID_GLOB, message, subject.item_range(key, item)).with_help(help))
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
