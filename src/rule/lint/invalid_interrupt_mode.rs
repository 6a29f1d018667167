//! An `interruptMode` that is none.

use super::shared::{Subject, lint};
use crate::diagnostic::{Diagnostic, Effect, Fix};
use crate::rule::read::Yaml;
use crate::settings::InterruptMode;
use crate::text::JsString;

lint! {
    number: 11,
    name: "invalid-interrupt-mode",
    severity: Error,
    explanation: "The value of `interruptMode` must be exactly `never`, `prose-only`, `tool-only` or `always`; any other is ignored and the global mode applies.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(node) = subject.node("interruptMode").filter(|node| node.value != Yaml::Null) else { return };
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
    let finding = subject.finding(CODE, message, node.span.clone());
    findings.push(finding.with_help(help).with_fix(fix));
}
