//! A word of the scope that means nothing.

use super::shared::{in_key, lint};
use crate::diagnostic::Diagnostic;
use crate::rule::read::Rule;
use crate::rule::register::{Flaw, Scope};
use crate::text::JsString;

lint! {
    number: 6,
    name: "invalid-scope-token",
    severity: Warning,
    explanation: "A token of the scope is neither `text`, `thinking`, `tool` nor a tool with an optional path, so the agent skips it.",
    samples: "failing.md" "passing.md",
    check: Flaw(check)
}

fn check(rule: &Rule, flaw: &Flaw) -> Option<Diagnostic> {
    let Flaw::InvalidScopeToken { token } = flaw else { return None };
    let message = format!("`{}` is no scope, so it is skipped", token.quotable());
    Some(in_key(rule, CODE, "scope", token, message).with_help(help(token)))
}

/// How to write a token that is no scope.
fn help(token: &JsString) -> String {
    let text = token.to_string_lossy();
    let words: Vec<JsString> = text.split_whitespace().map(JsString::from).collect();
    if words.len() > 1 && words.iter().all(|word| Scope::new(std::slice::from_ref(word)).is_reachable()) {
        return format!("write `scope: {}`", text.split_whitespace().collect::<Vec<_>>().join(", "));
    }
    let without_blanks: JsString = text.split_whitespace().collect::<String>().into();
    if without_blanks != *token && Scope::new(std::slice::from_ref(&without_blanks)).is_reachable() {
        return format!("write `{without_blanks}`");
    }
    "write `text`, `thinking`, `tool`, `tool:NAME`, `tool:NAME(GLOB)` or `tool(GLOB)`, with commas between them"
        .to_owned()
}
