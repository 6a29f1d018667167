//! Conditions that match the empty text, and so every text.

use super::catch_all::stands_for_globs;
use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;

lint! {
    number: 14,
    name: "matches-empty",
    severity: Warning,
    explanation: "The condition matches the empty text, so the rule triggers on the first piece of any output.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

/// Ways to say "anything".
const EVERYTHING: [&str; 4] = [".*", "[\\s\\S]*", "[^]*", "(?s).*"];

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    // A gate that lets everything through is no mistake.
    let Some(rule) = subject.compiled.filter(|rule| !rule.is_judged()) else { return };
    // Where nothing comes in, there is a finding about that.
    if stands_for_globs(subject) || !subject.is_reached() {
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
            findings.push(subject.finding(CODE, message, range).with_help(help));
        }
    }
}
