//! Values of the wrong type, which the agent ignores without a word.

use super::shared::{KEYS, RuleKey, Subject, Takes, lint};
use crate::diagnostic::Diagnostic;
use crate::rule::read::Yaml;

lint! {
    number: 36,
    name: "wrong-type",
    severity: Warning,
    explanation: "A value has a type that the agent ignores without a word.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for RuleKey { name, takes, without } in KEYS {
        let Some(node) = subject.node(name).filter(|node| node.value != Yaml::Null) else { continue };
        // What narrows matters to stream rules alone.
        let narrows = matches!(name, "scope" | "globs" | "agents");
        let without = if narrows && !subject.has_trigger() { "the agent ignores it" } else { without };
        let is_condition = matches!(name, "condition" | "astCondition");
        match (takes, &node.value) {
            (Takes::Own, _) | (Takes::Flag, Yaml::Bool(_)) | (Takes::Text | Takes::Texts, Yaml::String(_)) => {}
            (Takes::Flag, _) => {
                let message = format!("`{name}` should be true or false, not {}; {without}", node.kind());
                let help = format!("write `{name}: true` or `{name}: false`, without quotes");
                findings.push(subject.finding(CODE, message, node.span.clone()).with_help(help));
            }
            (Takes::Texts, Yaml::List(items)) => {
                for item in items.iter().filter(|item| !matches!(item.value, Yaml::String(_))) {
                    let message = format!("an item of `{name}` is {}, so the agent drops it", item.kind());
                    let help = "put the item into single quotes";
                    findings.push(subject.finding(CODE, message, item.span.clone()).with_help(help));
                }
            }
            // Where nothing else triggers the rule, there is a finding about that.
            (Takes::Texts, _) if is_condition && !subject.has_trigger() => {}
            (Takes::Text | Takes::Texts, _) => {
                let message = format!("`{name}` is {}, not a text, so {without}", node.kind());
                let help = match takes {
                    Takes::Texts => "write a text in single quotes, or a list of such texts",
                    _ => "write a text in single quotes",
                };
                findings.push(subject.finding(CODE, message, node.span.clone()).with_help(help));
            }
        }
    }
}
