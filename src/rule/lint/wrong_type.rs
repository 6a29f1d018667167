//! Values of the wrong type, which the agent ignores without a word.

use super::shared::{Subject, lint};
use crate::builtin::keys::{OLDEST_TRIGGER, Reader, RuleKey, Takes};
use crate::diagnostic::Diagnostic;
use crate::rule::read::{Node, Yaml};

lint! {
    number: 36,
    name: "wrong-type",
    severity: Warning,
    explanation: "A value has a type that the agent ignores without a word.",
    samples: "failing.md" "passing.md",
    check: Always(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for key in subject.keys_read() {
        // Modes, questions and samples have lints of their own.
        if key.reader == Reader::Linter || matches!(key.name, "interruptMode" | "question") {
            continue;
        }
        let Some(node) = subject.node(key.name).filter(|node| node.value != Yaml::Null) else { continue };
        of_value(subject, key, node, findings);
    }
}

/// What there is to say of the value of a key that is read.
fn of_value(subject: &Subject<'_>, key: &RuleKey, node: &Node, findings: &mut Vec<Diagnostic>) {
    let RuleKey { name, takes, without, .. } = *key;
    // What narrows matters to stream rules alone.
    let without = if key.narrows() && !subject.has_trigger() { "the agent ignores it" } else { without };
    let early = subject.semantics.legacy_trigger_only;
    match (takes, &node.value) {
        (Takes::Flag, Yaml::Bool(_)) | (Takes::Text | Takes::Texts, Yaml::String(_)) => {}
        (Takes::Mode | Takes::Samples, _) => {}
        (Takes::Flag, _) => {
            let message = format!("`{name}` should be true or false, not {}; {without}", node.kind());
            let help = format!("write `{name}: true` or `{name}: false`, without quotes");
            findings.push(subject.finding(CODE, message, node.span.clone()).with_help(help));
        }
        (Takes::Texts, Yaml::List(items)) if !(early && name == OLDEST_TRIGGER) => {
            for item in items.iter().filter(|item| !matches!(item.value, Yaml::String(_))) {
                let message = format!("an item of `{name}` is {}, so the agent drops it", item.kind());
                let help = "put the item into single quotes";
                findings.push(subject.finding(CODE, message, item.span.clone()).with_help(help));
            }
        }
        // Where nothing else triggers the rule, there is a finding about that.
        (Takes::Texts, _) if key.triggers() && !subject.has_trigger() && !early => {}
        (Takes::Text | Takes::Texts, _) => {
            let message = format!("`{name}` is {}, not a text, so {without}", node.kind());
            let help = match takes {
                Takes::Texts if !early => "write a text in single quotes, or a list of such texts",
                _ => "write a text in single quotes",
            };
            findings.push(subject.finding(CODE, message, node.span.clone()).with_help(help));
        }
    }
}
