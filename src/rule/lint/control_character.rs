//! Control characters in a condition: `"\b"` is one.

use super::shared::{Subject, in_quotes, lint};
use crate::diagnostic::Diagnostic;
use crate::text::JsString;

lint! {
    number: 37,
    name: "control-character",
    severity: Error,
    explanation: "YAML reads `\\b` in double quotes as a backspace. The pattern then demands a character that no text has.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for condition in subject.listed.rule.fields.condition.iter().flatten() {
        findings.extend(finding(subject, condition, &condition.to_string_lossy()));
    }
}

fn finding(subject: &Subject<'_>, condition: &JsString, text: &str) -> Option<Diagnostic> {
    let (at, one) = text.char_indices().find(|(_, one)| one.is_control() && !matches!(one, '\n' | '\t' | '\r'))?;
    let name = match one {
        '\u{8}' => "a backspace (`\\b` in double quotes)".to_owned(),
        _ => format!("the control character U+{:04X}", u32::from(one)),
    };
    let message = format!("the condition holds {name}, which no text has");
    let mut shown = String::new();
    for one in text.chars() {
        match one {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            '\u{8}' => shown.push_str("\\b"),
            '\u{b}' => shown.push_str("\\v"),
            '\u{c}' => shown.push_str("\\f"),
            one if one.is_control() => shown.push_str(&format!("\\x{:02x}", u32::from(one))),
            one => shown.push(one),
        }
    }
    let help = format!("write the pattern in single quotes: `{}`", in_quotes(&shown));
    Some(subject.about(CODE, message, condition, text, at..at + one.len_utf8()).with_help(help))
}
