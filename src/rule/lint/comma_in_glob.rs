//! Several globs in one string: the agent takes the commas literally.

use super::pathless_tool::pathless;
use super::shared::{Subject, flow_list, lint};
use crate::diagnostic::{Diagnostic, Effect, Fix};
use crate::rule::read::{Node, Yaml};
use crate::rule::register::{ScopeToken, ToolScope};
use crate::text::JsString;

lint! {
    number: 33,
    name: "comma-in-glob",
    severity: Error,
    explanation: "The agent does not split globs at commas, so a glob with a comma outside braces is one path with a comma in its name.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    in_scopes(subject, findings);
    // Where nothing triggers, the globs are for people and for other tools, some of which do split at commas.
    if !subject.has_trigger() {
        return;
    }
    for glob in subject.listed.rule.fields.globs.iter().flatten() {
        if let Some(parts) = split_at_commas(glob) {
            let parts: Vec<String> = parts.iter().map(|part| without_dot(part)).collect();
            let help = split_help(&parts);
            let message = format!("`{glob}` is one glob with a comma in it, which matches no usual path");
            let range = subject.item_range("globs", &glob.trim());
            // With one string as the only glob, and paths in it, the rule is dead as it is.
            let names_files = |part: &String| !part.starts_with('!') && part.contains(['.', '/']);
            let fix = match subject.node("globs") {
                Some(Node { value: Yaml::String(_), span, .. }) if parts.iter().all(names_files) => {
                    let effect = Effect::Set { key: "globs".to_owned(), to: parts.clone() };
                    Some(Fix::replace("split the glob", span.clone(), flow_list(&parts), effect).of_dead_rule())
                }
                _ => None,
            };
            findings.push(subject.finding(CODE, message, range).with_help(help).with_fix(fix));
        }
    }
}

/// The parts of a glob that has a comma outside braces.
pub(super) fn split_at_commas(glob: &JsString) -> Option<Vec<String>> {
    let text = glob.to_string_lossy();
    let mut depth = 0_usize;
    let mut parts = vec![String::new()];
    for one in text.chars() {
        match one {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match parts.last_mut() {
            Some(part) if one != ',' || depth > 0 => part.push(one),
            _ => parts.push(String::new()),
        }
    }
    let parts: Vec<String> = parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
    (parts.len() > 1).then_some(parts)
}

/// A part as it should be written: a leading `./` is taken literally.
fn without_dot(part: &str) -> String {
    part.strip_prefix("./").map_or_else(|| part.to_owned(), |rest| format!("**/{rest}"))
}

/// How to write several globs.
fn split_help(parts: &[String]) -> String {
    format!("write `globs: {}`, or as one glob `globs: '{{{}}}'`", flow_list(parts), parts.join(","))
}

/// Paths of tools in the scope.
fn in_scopes(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for token in subject.listed.rule.fields.scope.iter().flatten() {
        let Some(ScopeToken::Tool(tool)) = ScopeToken::parse(token) else { continue };
        // No glob helps a tool whose calls name no path.
        if pathless(&tool).is_some() {
            continue;
        }
        let ToolScope { name, path: Some(path) } = tool else { continue };
        let Some(parts) = split_at_commas(path.source()) else { continue };
        let message = format!("`{token}` names one path with a comma in it, which hardly any call has");
        let name = name.map(|name| format!(":{name}")).unwrap_or_default();
        let parts: Vec<String> = parts.iter().map(|part| without_dot(part)).collect();
        let help = format!("write `tool{name}({{{}}})`", parts.join(","));
        findings.push(subject.finding(CODE, message, subject.item_range("scope", token)).with_help(help));
    }
}
