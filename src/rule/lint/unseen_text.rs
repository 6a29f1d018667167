//! Conditions that are written for another text than the one that the tools of the scope show.

use super::shared::{Subject, in_quotes, lint, split_flags};
use crate::builtin::tools::{self, Shows, Tool};
use crate::diagnostic::Diagnostic;
use crate::text::JsString;

lint! {
    number: 61,
    name: "unseen-text",
    severity: Error,
    explanation: "Conditions see the content of `write`, the lines that `edit` adds, and of every other call the arguments as JSON. This condition asks for a text that its tools do not show so.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (source, _) in subject.conditions() {
        let Some((message, help)) = mistake(subject, source) else { continue };
        findings.push(subject.finding(CODE, message, subject.condition_range(source, None)).with_help(help));
    }
}

/// Whether conditions see nothing but JSON on one line.
pub(super) fn sees_arguments_alone(subject: &Subject<'_>) -> bool {
    tools(subject).is_some_and(|tools| tools.iter().all(|tool| tool.shows == Shows::Arguments))
}

/// What is wrong with a condition, and what to do about it.
fn mistake(subject: &Subject<'_>, source: &JsString) -> Option<(String, String)> {
    let tools = tools(subject)?;
    let text = source.to_string_lossy();
    if tools.iter().all(|tool| tool.shows == Shows::Arguments) {
        line_start(&tools, &text).or_else(|| bare_quote(&tools, &text))
    } else if tools.iter().all(|tool| tool.shows == Shows::Content) {
        argument(&tools, &text)
    } else {
        None
    }
}

/// The only tools that can reach the rule, if they are the agent's own and nothing else can.
fn tools(subject: &Subject<'_>) -> Option<Vec<&'static Tool>> {
    let rule = subject.compiled.filter(|rule| !rule.is_judged())?;
    if rule.scope.text || rule.scope.thinking || rule.scope.any_tool {
        return None;
    }
    let tool = |name: Option<&JsString>| tools::tool(&name?.to_string_lossy());
    rule.scope.tools.iter().map(|scope| tool(scope.name.as_ref())).collect()
}

/// `^git`: arguments begin with a brace, and hold no line ends.
fn line_start(tools: &[&Tool], condition: &str) -> Option<(String, String)> {
    let (flags, rest) = split_flags(condition);
    let behind = rest.strip_prefix('^')?.trim_start_matches("\\s*");
    let begins_otherwise = behind.starts_with(|one: char| one.is_alphanumeric() || one == '_');
    // Of alternatives another one may match.
    if !begins_otherwise || behind.contains('|') {
        return None;
    }
    let flags = if flags.is_empty() { String::new() } else { format!("(?{flags})") };
    let name = tools[0].name;
    let (shown, written) = match tools[0].required().collect::<Vec<_>>().as_slice() {
        [argument] => (format!("`{{\"{argument}\":\"…\"}}`"), format!("{flags}\"{argument}\"\\s*:\\s*\"{behind}")),
        _ => ("`{`".to_owned(), format!("{flags}\"{behind}")),
    };
    let message = format!(
        "`^` never meets `{}` in a call of `{name}`: conditions see its arguments as JSON, which begin with {shown}",
        behind.chars().take_while(|one| one.is_alphanumeric()).collect::<String>()
    );
    Some((message, format!("write `{}`", in_quotes(&written))))
}

/// A quote within a value, which has a backslash in JSON.
fn bare_quote(tools: &[&Tool], condition: &str) -> Option<(String, String)> {
    let quotes = bare_quotes(condition);
    if quotes.is_empty() {
        return None;
    }
    let mut written = condition.to_owned();
    for &at in quotes.iter().rev() {
        let start = if written[..at].ends_with('\\') { at - 1 } else { at };
        written.replace_range(start..=at, "\\\\\"");
    }
    let name = tools[0].name;
    let message =
        format!("`\"` is `\\\"` in a call of `{name}`: conditions see its arguments as JSON, quotes in values escaped");
    Some((message, format!("write `{}`", in_quotes(&written))))
}

/// Where quotes stand, if one of them is between letters of a value: neither opens nor closes a value of JSON.
fn bare_quotes(condition: &str) -> Vec<usize> {
    // Sets, groups and repeats may have other ways to match.
    if condition.contains(['[', '(', '|', '*', '?', '{']) {
        return Vec::new();
    }
    let quotes: Vec<usize> = condition.match_indices('"').map(|(at, _)| at).collect();
    let is_escaped = |at: usize| condition[..at].ends_with("\\\\");
    let is_inside = |at: usize| {
        let before = condition[..at].strip_suffix('\\').unwrap_or(&condition[..at]);
        let before = before.trim_end_matches(' ').trim_end_matches("\\s+").chars().next_back();
        let word = |one: char| one.is_alphanumeric() || matches!(one, '_' | '-' | '=' | '$' | '/');
        before.is_some_and(word) && condition[at + 1..].starts_with(word)
    };
    match quotes.iter().any(|&at| is_inside(at)) && !quotes.iter().any(|&at| is_escaped(at)) {
        true => quotes,
        false => Vec::new(),
    }
}

/// `"path": …`: the JSON around the content is not matched.
fn argument(tools: &[&Tool], condition: &str) -> Option<(String, String)> {
    let rest = split_flags(condition).1.trim_start_matches("\\s*").trim_start_matches("\\{").trim_start_matches('{');
    let (argument, behind) = rest.strip_prefix('"')?.split_once('"')?;
    let behind = behind.trim_start_matches("\\s*").trim_start_matches(' ');
    if !behind.starts_with(':') || !tools.iter().all(|tool| tool.required().any(|name| name == argument)) {
        return None;
    }
    let name = tools[0].name;
    let message = format!(
        "`\"{argument}\":` is not in what a call of `{name}` shows: once its content begins, conditions see that alone"
    );
    let help = match argument {
        "path" => "to ask for files write `globs`, and what their content must hold as `condition`",
        _ => "write what the content must hold, without the JSON around it",
    };
    Some((message, help.to_owned()))
}
