//! A question whose gate is written and not there (generation-v4.md W15.8).

use super::invalid_question::is_question;
use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;

lint! {
    number: 72,
    name: "lost-gate",
    severity: Warning,
    explanation: "Beside a `question`, conditions choose the outputs that a judge is asked about. None of these can be used, so the judge is asked about each output, which costs a request.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    if subject.judges() && subject.node("question").is_some_and(is_question) {
        findings.extend(finding(subject));
    }
}

/// A gate is written and none is left.
fn finding(subject: &Subject<'_>) -> Option<Diagnostic> {
    let rule = subject.compiled.filter(|rule| !rule.has_gate())?;
    let ast = || subject.frontmatter()?.member("astCondition");
    let member = subject.condition().or_else(ast)?;
    let message = format!(
        "nothing of `{}` is left, so the question of `{}` is asked about every output that scope and globs let in",
        member.written, rule.name
    );
    let help = "mend the condition, or remove it if every output is to be judged";
    Some(subject.finding(CODE, message, member.key_span.clone()).with_help(help))
}
