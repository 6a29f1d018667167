//! Values of the wrong type, which the agent ignores without a word.

use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;
use crate::rule::read::{Node, Yaml};

lint! {
    number: 36,
    name: "wrong-type",
    severity: Warning,
    explanation: "A value has a type that the agent ignores without a word.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for key in ["alwaysApply", "enabled"] {
        let Some(node) = subject.node(key).filter(|node| !matches!(node.value, Yaml::Bool(_) | Yaml::Null)) else {
            continue;
        };
        let message = format!("`{key}` should be true or false, not {}; the agent ignores it", node.kind());
        findings.push(
            subject
                .finding(CODE, message, node.span.clone())
                .with_help(format!("write `{key}: true` or `{key}: false`, without quotes")),
        );
    }
    for key in ["condition", "astCondition", "scope", "agents", "globs"] {
        let Some(Node { value: Yaml::List(items), .. }) = subject.node(key) else { continue };
        for item in items.iter().filter(|item| !matches!(item.value, Yaml::String(_))) {
            let message = format!("an item of `{key}` is {}, so the agent drops it", item.kind());
            let help = "put the item into single quotes";
            findings.push(subject.finding(CODE, message, item.span.clone()).with_help(help));
        }
    }
}
