//! AST conditions that can never run, and patterns that no language of their paths reads.

use super::Subject;
use crate::ast::{Support, check_pattern, support};
use crate::diagnostic::{Diagnostic, code};
use crate::text::JsString;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(rule) = subject.compiled.filter(|rule| !rule.ast.is_empty()) else { return };
    let span = || subject.node("astCondition").map_or(0..0, |node| node.span.clone());
    if rule.is_judged() {
        // The finished arguments of any call are parsed.
        if !rule.scope.allows_some_tool() {
            let message = if rule.conditions.is_empty() && rule.undecidable.is_empty() {
                "the question is never asked: only tool calls are parsed, and the scope lets none in"
            } else {
                "the AST condition never runs: only tool calls are parsed, and the scope lets none in"
            };
            let help = "add `tool` to the scope, or write a `condition`";
            findings.push(subject.finding(code::AST_NEVER_RUNS, message, span()).with_help(help));
        }
        return;
    }
    // Only these tools have a digest to parse.
    let digests = ["edit", "write"].map(JsString::from);
    let reaches = rule.scope.any_tool
        || rule.scope.tools.iter().any(|tool| tool.name.as_ref().is_none_or(|name| digests.contains(name)));
    if !reaches {
        let message =
            "the AST condition never runs: only `edit` and `write` calls are parsed, and the scope excludes both";
        let help = "write `scope: tool:edit, tool:write`";
        findings.push(subject.finding(code::AST_NEVER_RUNS, message, span()).with_help(help));
        return;
    }
    let gates = rule.globs.globs().iter().chain(rule.scope.tools.iter().filter_map(|tool| tool.path.as_ref()));
    let aliases: Vec<JsString> = gates.filter_map(|glob| extension(&glob.source().to_string_lossy())).collect();
    if aliases.is_empty() {
        return;
    }
    if aliases.iter().all(|alias| support(alias) == Support::Refused) {
        let message = format!("the AST condition never runs: the agent has no grammar for `.{}`", aliases[0]);
        let help = "name files of a language that the agent parses, or write a `condition`";
        findings.push(subject.finding(code::AST_NEVER_RUNS, message, span()).with_help(help));
        return;
    }
    for pattern in &rule.ast {
        let errors: Vec<String> = aliases.iter().filter_map(|alias| check_pattern(alias, pattern)).collect();
        if errors.len() == aliases.len() && !errors.is_empty() {
            let message = format!("the AST pattern does not parse as `.{}`: {}", aliases[0], errors[0]);
            let help = "a pattern is one node of code: an expression, a statement or a declaration";
            let range = subject.item_range("astCondition", pattern);
            findings.push(subject.finding(code::INVALID_AST_CONDITION, message, range).with_help(help));
        }
    }
}

/// The extension at the end of a glob, if it is a plain word.
fn extension(glob: &str) -> Option<JsString> {
    let (_, extension) = glob.rsplit_once('.')?;
    let plain = !extension.is_empty() && extension.chars().all(|one| one.is_ascii_alphanumeric());
    plain.then(|| extension.to_ascii_lowercase().into())
}
