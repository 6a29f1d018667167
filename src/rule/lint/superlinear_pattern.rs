//! Conditions that take very many steps, by count.

use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;
use crate::pattern::{Attack, Cost};
use crate::text::JsString;
use crate::text::json;

lint! {
    number: 17,
    name: "superlinear-pattern",
    severity: Warning,
    explanation: "The agent tests a condition by backtracking over all of the text so far, at each piece of the stream. By count, this one takes very many steps on ordinary text, or on a short text that it can read in many ways, which the message gives. Such a text blocks the agent; after about half a second it gives up and takes the condition for unmatched.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
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
        findings.push(subject.finding(CODE, message, range).with_help(help));
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
