//! Scopes that name a tool which most likely does not exist.

use super::shared::{Subject, lint, nearest};
use crate::builtin::tools::{self, TOOLS};
use crate::diagnostic::{Diagnostic, Severity};
use crate::rule::register::ScopeToken;

lint! {
    number: 42,
    name: "unknown-scope-tool",
    severity: Warning,
    explanation: "Any word in a scope that is no stream is taken for the name of a tool. If there is no such tool, the rule is registered and never fires. A note where the word is near to none that the agent knows: an extension or a server may bring the tool.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

/// The words that are no tools.
const WORDS: [&str; 4] = ["text", "thinking", "tool", "toolcall"];

/// Words that people write for a stream.
const MEANT_FOR_TEXT: [&str; 9] =
    ["prose", "txt", "assistant", "message", "output", "response", "content", "code", "all"];

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let declared = subject.listed.rule.fields.scope.iter().flatten();
    let is_only = declared.clone().count() == 1;
    for token in declared {
        let Some(ScopeToken::Tool(tool)) = ScopeToken::parse(token) else { continue };
        let Some(name) = tool.name.map(|name| name.to_string_lossy()) else { continue };
        if tools::may_be_there(&name) {
            continue;
        }
        let has_prefix = token.to_ascii_lowercase().starts_with("tool:");
        let known: Vec<&str> =
            TOOLS.iter().map(|tool| tool.name).chain((!has_prefix).then_some(WORDS).into_iter().flatten()).collect();
        let meant = if MEANT_FOR_TEXT.contains(&name.as_str()) && !has_prefix {
            Some("text")
        } else if WORDS.contains(&name.as_str()) {
            // `toolcall(…)`, `text(…)`: a tool literally so named.
            Some(if name == "toolcall" { "tool(GLOB)" } else { "tool:NAME(GLOB)" })
        } else {
            nearest(&name, &known)
        };
        let loss = if is_only { ", so the rule never fires unless there is such a tool" } else { "" };
        let message =
            format!("the scope `{token}` is for a tool named `{name}`, which is none of the agent's own{loss}");
        let help = match meant {
            Some(meant) => {
                let path =
                    tool.path.as_ref().filter(|_| !meant.contains('(')).map(|path| format!("({})", path.source()));
                let prefix = if has_prefix && !meant.contains(':') { "tool:" } else { "" };
                format!("did you mean `{prefix}{meant}{}`?", path.unwrap_or_default())
            }
            None => {
                "unknown here; fine if an extension or an MCP server brings it, else write `text`, `thinking`, `tool`, or \
                     the name of a tool as the model calls it"
                    .to_owned()
            }
        };
        // What is near to no tool of the agent is more likely another's than a slip.
        let severity = if meant.is_some() { CODE.severity() } else { Severity::Note };
        findings.push(
            subject.finding(CODE, message, subject.item_range("scope", token)).with_severity(severity).with_help(help),
        );
    }
}
