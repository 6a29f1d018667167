//! A `question` that is no text, so that nobody is asked (generation-v4.md W15.8).

use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;
use crate::rule::read::{Node, Yaml, is_js_blank};

lint! {
    number: 70,
    name: "invalid-question",
    severity: Error,
    explanation: "The value of `question` is blank or no text, so the agent ignores it. No judge is asked; conditions beside it are matched against the stream.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let node = subject.node("question").filter(|node| subject.judges() && !is_question(node));
    findings.extend(node.map(|node| finding(subject, node)));
}

/// Whether the value of `question` is one.
pub(super) fn is_question(node: &Node) -> bool {
    matches!(&node.value, Yaml::String(text) if !text.trim_matches(is_js_blank).is_empty())
}

/// Whether there is a finding that the question itself has no effect.
pub(super) fn is_ineffective(subject: &Subject<'_>) -> bool {
    subject.node("question").is_some_and(|node| subject.judges() != is_question(node))
}

fn finding(subject: &Subject<'_>, node: &Node) -> Diagnostic {
    let what = if let Yaml::String(_) = node.value { "blank" } else { node.kind() };
    let matched = match subject.has_trigger() {
        true => ", and the conditions are matched against the stream",
        false => "",
    };
    let message = format!("`question` is {what}, so no judge is asked{matched}");
    let help = "write a question that is answered with yes where the rule is broken: `question: Does it …?`";
    subject.finding(CODE, message, node.span.clone()).with_help(help)
}
