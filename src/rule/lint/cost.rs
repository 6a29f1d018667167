//! Conditions that take very many steps, by count.

use super::Subject;
use crate::diagnostic::{Diagnostic, code};
use crate::pattern::Cost;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (source, pattern) in subject.conditions() {
        let (what, help) = match pattern.cost() {
            None => continue,
            Some(Cost::Ordinary { units, steps }) => (
                format!("takes the agent more than {steps} steps on {units} characters of ordinary text"),
                "begin the pattern with what is rare, and bound what it repeats, such as `{0,200}`",
            ),
            Some(Cost::Repetition { text, steps }) => (
                format!("takes the agent more than {steps} steps on a text such as `{}`", shorten(&text)),
                "do not repeat what is itself a repeat: the ways to match multiply with each round",
            ),
            Some(Cost::Large) => (
                "is so large that it is decided by counted steps, and may be left undecided".to_owned(),
                "use smaller counts",
            ),
        };
        let message = format!("the condition `{source}` {what}");
        let range = subject.condition_range(source, None);
        findings.push(subject.finding(code::SUPERLINEAR_PATTERN, message, range).with_help(help));
    }
}

fn shorten(text: &str) -> String {
    const SHOWN: usize = 20;
    let shown: String = text.chars().filter(|one| !one.is_control()).take(SHOWN).collect();
    format!("{shown}…")
}
