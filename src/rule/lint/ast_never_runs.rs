//! AST conditions that can never run.

use super::shared::{Subject, lint};
use crate::ast::{Support, support};
use crate::diagnostic::Diagnostic;
use crate::rule::register::CompiledRule;
use crate::text::JsString;

lint! {
    number: 15,
    name: "ast-never-runs",
    severity: Error,
    explanation: "Nothing that the rule lets in is ever parsed, so its AST condition is dead.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(rule) = subject.compiled.filter(|rule| !rule.ast.is_empty()) else { return };
    let Some((message, help)) = why(rule) else { return };
    let span = subject.node("astCondition").map_or(0..0, |node| node.span.clone());
    findings.push(subject.finding(CODE, message, span).with_help(help));
}

/// Why nothing is ever parsed for a rule with AST conditions, and what to do about it.
pub(super) fn why(rule: &CompiledRule) -> Option<(String, &'static str)> {
    if rule.is_judged() {
        // The finished arguments of any call are parsed.
        let what = if rule.conditions.is_empty() && rule.undecidable.is_empty() {
            "the question is never asked"
        } else {
            "the AST condition never runs"
        };
        let message = format!("{what}: only tool calls are parsed, and the scope lets none in");
        let help = "add `tool` to the scope, or write a `condition`";
        return (!rule.scope.allows_some_tool()).then_some((message, help));
    }
    // Only these tools have a digest to parse.
    let digests = ["edit", "write"].map(JsString::from);
    let reaches = rule.scope.any_tool
        || rule.scope.tools.iter().any(|tool| tool.name.as_ref().is_none_or(|name| digests.contains(name)));
    if !reaches {
        let message =
            "the AST condition never runs: only `edit` and `write` calls are parsed, and the scope excludes both";
        return Some((message.to_owned(), "write `scope: tool:edit, tool:write`"));
    }
    let aliases = languages(rule);
    let alias = aliases.first()?;
    if !aliases.iter().all(|alias| support(alias) == Support::Refused) {
        return None;
    }
    let message = format!("the AST condition never runs: the agent has no grammar for `.{alias}`");
    Some((message, "name files of a language that the agent parses, or write a `condition`"))
}

/// The languages of the files that the rule is for, as extensions, as far as its globs name some.
pub(super) fn languages(rule: &CompiledRule) -> Vec<JsString> {
    let gates = rule.globs.globs().iter().chain(rule.scope.tools.iter().filter_map(|tool| tool.path.as_ref()));
    gates.filter_map(|glob| extension(&glob.source().to_string_lossy())).collect()
}

/// The extension at the end of a glob, if it is a plain word.
fn extension(glob: &str) -> Option<JsString> {
    let (_, extension) = glob.rsplit_once('.')?;
    let plain = !extension.is_empty() && extension.chars().all(|one| one.is_ascii_alphanumeric());
    plain.then(|| extension.to_ascii_lowercase().into())
}
