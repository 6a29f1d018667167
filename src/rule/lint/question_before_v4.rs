//! A `question` in generations without judged rules.

use super::invalid_question::is_question;
use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;

lint! {
    number: 73,
    name: "question-before-v4",
    severity: Warning,
    explanation: "Only the lifecycle v4 knows the key `question`. An earlier agent takes the conditions beside it for those of a stream rule, and interrupts; without conditions it has nothing that triggers the rule.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(node) = subject.node("question").filter(|node| !subject.judges() && is_question(node)) else { return };
    let message = if subject.has_trigger() {
        "this lifecycle does not know `question`: it matches the conditions against the stream, where v4 only asks a judge"
    } else {
        "this lifecycle does not know `question`, so the rule has nothing that triggers it"
    };
    let help = "check with `--lifecycle v4`, or give agents before 18.3 a rule of their own";
    findings.push(subject.finding(CODE, message, node.span.clone()).with_help(help));
}
