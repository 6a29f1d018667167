//! Conditions that match the empty text, and so every text.

use super::Subject;
use crate::diagnostic::{Diagnostic, code};

/// Ways to say "anything".
const EVERYTHING: [&str; 4] = [".*", "[\\s\\S]*", "[^]*", "(?s).*"];

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    // A gate that lets everything through is no mistake.
    let Some(rule) = subject.compiled.filter(|rule| !rule.is_judged()) else { return };
    let globs = &subject.listed.rule.fields.glob_conditions;
    if !globs.is_empty() && rule.conditions.len() == 1 && rule.conditions[0].0 == ".*" {
        // The `.*` stands for the globs; it is only wrong where prose comes in.
        if rule.scope.text || rule.scope.thinking {
            let message =
                "a file glob as the only condition and prose in the scope: every piece of prose triggers the rule";
            let help = "remove `text` and `thinking` from the scope, or add a regular expression";
            let range = subject.condition_range(&globs[0], None);
            findings.push(subject.finding(code::CATCH_ALL, message, range).with_help(help));
        }
        return;
    }
    for (source, pattern) in &rule.conditions {
        let deliberate = EVERYTHING.contains(&source.to_string_lossy().as_str());
        if deliberate && !rule.scope.text && !rule.scope.thinking {
            // "On each call of this tool": nobody writes that by mistake.
            continue;
        }
        if pattern.matches_everything() {
            let message = format!("the condition `{source}` matches every text, even the empty one");
            let help = "make the pattern demand at least one character that is not optional";
            let range = subject.condition_range(source, None);
            findings.push(subject.finding(code::MATCHES_EMPTY, message, range).with_help(help));
        }
    }
}
