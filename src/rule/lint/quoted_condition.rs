//! A condition that has kept its quotes.

use super::shared::{Subject, in_quotes, lint};
use crate::diagnostic::Diagnostic;
use crate::rule::read::{Reading, Style};
use crate::text::JsString;

lint! {
    number: 38,
    name: "quoted-condition",
    severity: Error,
    explanation: "The frontmatter is not valid YAML, often because of a backslash in double quotes. The agent then keeps the raw text, quotes included.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for condition in subject.listed.rule.fields.condition.iter().flatten() {
        findings.extend(finding(subject, condition, &condition.to_string_lossy()));
    }
}

fn finding(subject: &Subject<'_>, condition: &JsString, text: &str) -> Option<Diagnostic> {
    let repaired = matches!(subject.frontmatter()?.reading, Reading::LineByLine { .. } | Reading::Quoted { .. });
    if !repaired || subject.condition()?.value.style != Style::Plain {
        return None;
    }
    let (message, help) = if text.len() >= 2 && text.starts_with('"') && text.ends_with('"') {
        let help = format!("write the pattern in single quotes: `{}`", in_quotes(&text[1..text.len() - 1]));
        ("the quotes are part of the pattern, since the frontmatter is not valid YAML", help)
    } else {
        let list = text.strip_prefix('[')?.strip_suffix(']').filter(|inner| inner.trim_start().starts_with('"'))?;
        let items: Vec<String> =
            list.split('"').skip(1).step_by(2).filter(|item| !item.is_empty()).map(in_quotes).collect();
        let help = format!("write the items in single quotes: `[{}]`", items.join(", "));
        ("the whole list is one pattern, a set of characters, since the frontmatter is not valid YAML", help)
    };
    let message = message.to_owned();
    Some(subject.about(CODE, message, condition, text, 0..text.len()).with_help(help))
}
