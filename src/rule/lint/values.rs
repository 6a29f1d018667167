//! Values of the wrong type, which the agent ignores without a word.

use super::Subject;
use crate::diagnostic::{Diagnostic, Effect, Fix, code};
use crate::rule::{Node, Yaml};
use crate::settings::InterruptMode;
use crate::text::JsString;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for key in ["alwaysApply", "enabled"] {
        let Some(node) = subject.node(key).filter(|node| !matches!(node.value, Yaml::Bool(_) | Yaml::Null)) else {
            continue;
        };
        let message = format!("`{key}` should be true or false, not {}; the agent ignores it", node.kind());
        findings.push(
            subject
                .finding(code::WRONG_TYPE, message, node.span.clone())
                .with_help(format!("write `{key}: true` or `{key}: false`, without quotes")),
        );
    }
    if let Some(node) = subject.node("interruptMode").filter(|node| node.value != Yaml::Null) {
        interrupt_mode(subject, node, findings);
    }
    for key in ["condition", "astCondition", "scope", "agents", "globs"] {
        let Some(Node { value: Yaml::List(items), .. }) = subject.node(key) else { continue };
        for item in items.iter().filter(|item| !matches!(item.value, Yaml::String(_))) {
            let message = format!("an item of `{key}` is {}, so the agent drops it", item.kind());
            let help = "put the item into single quotes";
            findings.push(subject.finding(code::WRONG_TYPE, message, item.span.clone()).with_help(help));
        }
    }
}

fn interrupt_mode(subject: &Subject<'_>, node: &Node, findings: &mut Vec<Diagnostic>) {
    let text = if let Yaml::String(text) = &node.value { JsString::from(text.as_str()) } else { JsString::new() };
    if InterruptMode::parse(&text).is_some() {
        return;
    }
    let written = &subject.file.text()[node.span.clone()];
    let message = format!(
        "`{written}` is none of `never`, `prose-only`, `tool-only`, `always`, so the setting `ttsr.interruptMode` applies"
    );
    let meant = InterruptMode::parse(&text.trim().to_ascii_lowercase());
    let fix = meant.map(|mode| {
        let effect = Effect::Set { key: "interruptMode".to_owned(), to: vec![mode.as_str().to_owned()] };
        Fix::replace("write the value as the agent reads it", node.span.clone(), mode.as_str(), effect)
    });
    let help = match meant {
        Some(mode) => format!("write `interruptMode: {}`", mode.as_str()),
        None => "write one of the four, in lower case and without blanks around it".to_owned(),
    };
    let finding = subject.finding(code::INVALID_INTERRUPT_MODE, message, node.span.clone());
    findings.push(finding.with_help(help).with_fix(fix));
}
