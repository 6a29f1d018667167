//! Conditions that are words of the scope.

use super::shared::{Subject, in_quotes, lint};
use crate::builtin::tools;
use crate::diagnostic::Diagnostic;
use crate::rule::register::ScopeToken;
use crate::text::JsString;

lint! {
    number: 63,
    name: "scope-as-condition",
    severity: Warning,
    explanation: "A condition is a word of the scope. As a condition it is a pattern for text, and nothing narrows the rule.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let conditions = subject.conditions();
    let has_scope = subject.listed.rule.fields.scope.is_some();
    // Beside other conditions, one that is meant for a scope has a finding of its own.
    if conditions.len() > 1 && !has_scope {
        return;
    }
    for (source, _) in conditions.iter().filter(|(source, _)| is_scope(source)) {
        let message =
            format!("the condition `{source}` is a word of the scope: here it matches that text, and no call");
        let written = in_quotes(&source.to_string_lossy());
        let help = format!("write `scope: {written}`, and a condition for what the call must hold");
        let range = subject.condition_range(source, None);
        findings.push(subject.finding(CODE, message, range).with_help(help));
    }
}

/// `tool:NAME` with or without a path, for a tool of the agent.
fn is_scope(condition: &JsString) -> bool {
    let text = condition.to_string_lossy();
    let Some(ScopeToken::Tool(tool)) = ScopeToken::parse(condition).filter(|_| text.starts_with("tool:")) else {
        return false;
    };
    tool.name.is_some_and(|name| tools::may_be_there(&name.to_string_lossy()))
}
