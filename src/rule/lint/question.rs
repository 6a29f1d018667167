//! Judged rules: questions that nobody is asked, and what stands beside a question without effect
//! (generation-v4.md W15.8).

use super::Subject;
use crate::diagnostic::{Diagnostic, code};
use crate::rule::{Node, Yaml};

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(node) = subject.node("question") else { return };
    match (subject.judges, is_question(node)) {
        (true, true) => findings.extend(interrupt_mode(subject).into_iter().chain(lost_gate(subject))),
        (true, false) => findings.push(invalid(subject, node)),
        (false, true) => findings.push(unknown(subject, node)),
        (false, false) => {}
    }
}

/// Whether there is a finding that the question itself has no effect.
pub(super) fn is_ineffective(subject: &Subject<'_>) -> bool {
    subject.node("question").is_some_and(|node| subject.judges != is_question(node))
}

fn is_question(node: &Node) -> bool {
    matches!(&node.value, Yaml::String(text) if !text.trim_matches(crate::rule::read::is_js_blank).is_empty())
}

fn invalid(subject: &Subject<'_>, node: &Node) -> Diagnostic {
    let what = if let Yaml::String(_) = node.value { "blank" } else { node.kind() };
    let matched = match subject.has_trigger() {
        true => ", and the conditions are matched against the stream",
        false => "",
    };
    let message = format!("`question` is {what}, so no judge is asked{matched}");
    let help = "write a question that is answered with yes where the rule is broken: `question: Does it …?`";
    subject.finding(code::INVALID_QUESTION, message, node.span.clone()).with_help(help)
}

fn unknown(subject: &Subject<'_>, node: &Node) -> Diagnostic {
    let message = if subject.has_trigger() {
        "this lifecycle does not know `question`: it matches the conditions against the stream, where v4 only asks a judge"
    } else {
        "this lifecycle does not know `question`, so the rule has nothing that triggers it"
    };
    let help = "check with `--lifecycle v4`, or give agents before 18.3 a rule of their own";
    subject.finding(code::QUESTION_BEFORE_V4, message, node.span.clone()).with_help(help)
}

fn interrupt_mode(subject: &Subject<'_>) -> Option<Diagnostic> {
    subject.listed.rule.fields.interrupt_mode?;
    let member = subject.frontmatter()?.member("interruptMode")?;
    let message = "`interruptMode` has no effect beside a question: a judge's yes gives a warning, never an interrupt";
    let help = "remove it, or remove the question to have the conditions interrupt";
    Some(subject.finding(code::INEFFECTIVE_INTERRUPT_MODE, message, member.key_span.clone()).with_help(help))
}

/// A gate is written and none is left.
fn lost_gate(subject: &Subject<'_>) -> Option<Diagnostic> {
    let rule = subject.compiled.filter(|rule| !rule.has_gate())?;
    let ast = || subject.frontmatter()?.member("astCondition");
    let member = subject.condition().or_else(ast)?;
    let message = format!(
        "nothing of `{}` is left, so the question of `{}` is asked about every output that scope and globs let in",
        member.written, rule.name
    );
    let help = "mend the condition, or remove it if every output is to be judged";
    Some(subject.finding(code::LOST_GATE, message, member.key_span.clone()).with_help(help))
}
