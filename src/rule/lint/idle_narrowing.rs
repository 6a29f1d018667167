//! Items of a list that are there to narrow, beside one that lets everything in.

use std::collections::{HashMap, HashSet};

use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;
use crate::glob::PathGlob;
use crate::rule::register::ScopeToken;
use crate::text::JsString;

lint! {
    number: 82,
    name: "idle-narrowing",
    severity: Warning,
    explanation: "Of scopes, globs and agents one that fits is enough. An item that is there to narrow the rule does not, since another one lets in what it is to keep out.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    if subject.compiled.is_none() {
        return;
    }
    scopes(subject, findings);
    globs(subject, findings);
    agents(subject, findings);
}

/// `tool, tool:edit(*.ts)`: any call passes.
fn scopes(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let fields = &subject.listed.rule.fields;
    let tokens = || fields.scope.iter().flatten();
    let any = tokens().find(|token| matches!(ScopeToken::parse(token), Some(ScopeToken::AnyTool)));
    // The names that stand without a path.
    let whole: HashMap<JsString, &JsString> = tokens()
        .filter_map(|token| match ScopeToken::parse(token)? {
            ScopeToken::Tool(tool) if tool.path.is_none() => Some((tool.name?, token)),
            _ => None,
        })
        .collect();
    let made: HashSet<&JsString> = fields.glob_conditions.iter().collect();
    let mut said = HashSet::new();
    for token in tokens() {
        let Some(ScopeToken::Tool(tool)) = ScopeToken::parse(token) else { continue };
        let Some(path) = &tool.path else { continue };
        let same = tool.name.as_ref().and_then(|name| whole.get(name)).copied();
        let Some(by) = any.or(same) else { continue };
        let of_condition = made.contains(path.source());
        let range = match of_condition {
            true => subject.condition_range(path.source(), None),
            false => subject.item_range("scope", token),
        };
        let shown = if of_condition { path.source() } else { token };
        // One condition gives a scope for each of two tools.
        let message = format!("`{shown}` narrows nothing, since `{by}` lets every such call in");
        if !said.insert(message.clone()) {
            continue;
        }
        let help = format!("remove `{by}`, or `{shown}` if every call is meant");
        findings.push(subject.finding(CODE, message, range).with_help(help));
    }
}

/// `*.ts, !**/*.d.ts`: the second lets in all but what it names.
fn globs(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let globs = subject.compiled.map_or(&[][..], |rule| rule.globs.globs());
    let Some(other) = globs.iter().find(|glob| !glob.is_negated()) else { return };
    for glob in globs.iter().filter(|glob| is_plainly_negated(glob)) {
        let source = glob.source();
        let message = format!(
            "`{source}` keeps nothing out, it lets every other path in: one glob that matches suffices, so `{}` no longer \
             narrows the rule",
            other.source()
        );
        let help = "name with globs what the rule is for, and nothing that it is not for; or keep the refusal alone";
        findings.push(subject.finding(CODE, message, subject.item_range("globs", source)).with_help(help));
    }
}

/// Negated in the form that does refuse: the other one has a finding of its own.
fn is_plainly_negated(glob: &PathGlob) -> bool {
    glob.is_negated() && glob.source().to_string_lossy().trim_start_matches('!').starts_with("**/")
}

/// `main, !task`: the second lets in every agent but one.
fn agents(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let agents = subject.listed.rule.fields.agents.as_deref().unwrap_or_default();
    if agents.len() < 2 {
        return;
    }
    for agent in agents {
        let text = agent.to_string_lossy();
        let is_wide = text == "*" || text == "**" || (text.starts_with('!') && !text.starts_with("!!"));
        if is_wide {
            let message = format!("`{text}` lets every other agent in, so the agents beside it narrow nothing");
            let help = "name the agents that the rule is for, or keep the one pattern alone";
            let span = subject.node("agents").map_or(0..0, |node| node.span.clone());
            findings.push(subject.finding(CODE, message, span).with_help(help));
            return;
        }
    }
}
