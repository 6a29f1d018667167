//! Globs that do not narrow as people think: a negated one lets base names through, one with a folder in front
//! misses absolute paths.

use super::Subject;
use crate::diagnostic::{Diagnostic, code};

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(rule) = subject.compiled else { return };
    for glob in rule.globs.globs() {
        let text = glob.source().to_string_lossy();
        let range = || subject.item_range("globs", glob.source());
        let body = text.trim_start_matches('!');
        if glob.is_negated() && !body.starts_with("**/") {
            let message = format!(
                "`{text}` lets `{body}` through: the path is tried in several forms, and one that differs suffices"
            );
            let help = format!("write `!**/{body}`");
            findings.push(subject.finding(code::NEGATED_GLOB, message, range()).with_help(help));
        } else if !glob.is_negated() && body.starts_with("./") {
            let message = format!("`{text}` matches only paths that are written with `./`");
            let help = format!("write `**/{}`", &body[2..]);
            findings.push(subject.finding(code::LITERAL_DOT_GLOB, message, range()).with_help(help));
        }
    }
}
