//! Path filters on tools whose calls name no path.

use super::shared::{Subject, lint};
use crate::builtin::tools;
use crate::diagnostic::{Diagnostic, Severity};
use crate::rule::register::{ScopeToken, ToolScope};
use crate::text::JsString;

lint! {
    number: 60,
    name: "pathless-tool",
    severity: Error,
    explanation: "A path filter, in the scope or as `globs`, demands a path of each call. Calls of this tool name none, so the filter lets nothing through. A warning where something else reaches the rule.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(rule) = subject.compiled else { return };
    let gated = !rule.globs.is_open();
    // With globs, prose cannot reach the rule either.
    let others = rule.scope.any_tool || rule.scope.tools.iter().any(|tool| pathless(tool).is_none());
    let is_reached = subject.is_reached();
    for token in subject.listed.rule.fields.scope.iter().flatten() {
        let Some(ScopeToken::Tool(tool)) = ScopeToken::parse(token) else { continue };
        let Some(name) = pathless(&tool).filter(|_| gated || tool.path.is_some()) else { continue };
        let range = subject.item_range("scope", token);
        let (message, severity) = if tool.path.is_some() {
            let severity = if is_reached { Severity::Warning } else { Severity::Error };
            (format!("calls of `{name}` name no path, so `{token}` lets none of them in"), severity)
        } else if others {
            (format!("calls of `{name}` name no path, so with `globs` the rule is never for them"), Severity::Warning)
        } else {
            (format!("calls of `{name}` name no path, so with `globs` the rule can never fire"), Severity::Error)
        };
        let what = if tool.path.is_some() { format!("write `tool:{name}`") } else { "remove `globs`".to_owned() };
        let help = format!("{what}, and ask for the rest in the condition: it sees the arguments as JSON");
        findings.push(subject.finding(CODE, message, range).with_severity(severity).with_help(help));
    }
}

/// The name of a tool whose calls name no path.
pub(super) fn pathless(tool: &ToolScope) -> Option<&'static str> {
    let name = tool.name.as_ref().map(JsString::to_string_lossy)?;
    tools::tool(&name).filter(|tool| !tool.names_files).map(|tool| tool.name)
}
