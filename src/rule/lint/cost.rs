//! Conditions that take very many steps, by count.

use super::Subject;
use crate::diagnostic::{Diagnostic, code};
use crate::pattern::{Attack, Cost};
use crate::text::JsString;
use crate::text::json;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (source, pattern) in subject.conditions() {
        let (what, help) = match pattern.cost() {
            None => continue,
            Some(Cost::Ordinary { units, steps, attack }) => (
                format!(
                    "takes the agent more than {steps} steps on {units} characters of ordinary text{}",
                    attack.map(|attack| format!(", or on the text {}", shown(&attack))).unwrap_or_default()
                ),
                "begin the pattern with what is rare, and bound what it repeats, such as `{0,200}`",
            ),
            Some(Cost::Repetition { attack, steps }) => (
                format!("takes the agent more than {steps} steps on the text {}", shown(&attack)),
                "let only one repeat read this text: the ways to divide it among several multiply with its length",
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

/// The text as an expression that JavaScript reads.
fn shown(attack: &Attack) -> String {
    let quoted = |text: &JsString| {
        let mut quoted = String::new();
        json::write_string(&mut quoted, text);
        quoted
    };
    let pump = format!("{}.repeat({})", quoted(&attack.pump), attack.count);
    let parts = [quoted(&attack.prefix), pump, quoted(&attack.suffix)];
    parts.into_iter().filter(|part| part != "\"\"").collect::<Vec<_>>().join(" + ")
}
