//! An `interruptMode` beside a question (generation-v4.md W15.8).

use super::invalid_question::is_question;
use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;

lint! {
    number: 71,
    name: "ineffective-interrupt-mode",
    severity: Warning,
    explanation: "A rule with a `question` is judged when an output is complete, and gives a warning then. There is nothing left to interrupt, so `interruptMode` has no effect.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    if subject.judges() && subject.node("question").is_some_and(is_question) {
        findings.extend(finding(subject));
    }
}

fn finding(subject: &Subject<'_>) -> Option<Diagnostic> {
    subject.listed.rule.fields.interrupt_mode?;
    let member = subject.frontmatter()?.member("interruptMode")?;
    let message = "`interruptMode` has no effect beside a question: a judge's yes gives a warning, never an interrupt";
    let help = "remove it, or remove the question to have the conditions interrupt";
    Some(subject.finding(CODE, message, member.key_span.clone()).with_help(help))
}
