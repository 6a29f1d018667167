//! Look-aheads for the whole buffer whose other alternative is tried at its start only (generation-v4.md W4.2).

use super::shared::{Subject, in_quotes, lint, split_flags};
use crate::diagnostic::Diagnostic;

lint! {
    number: 74,
    name: "sticky-look-ahead",
    severity: Note,
    explanation: "From v4 on, a condition of nothing but look-aheads that begin with `[\\s\\S]*` is tried at the start of the buffer only. An alternative beside that beginning is then found nowhere else, though earlier agents find it.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (source, _) in subject.conditions().iter().filter(|(_, pattern)| pattern.has_sticky_alternatives()) {
        let message = format!(
            "the condition `{source}` is tried at the start of the buffer only, so an alternative without `[\\s\\S]*` \
             matches nowhere else"
        );
        let text = source.to_string_lossy();
        let (flags, rest) = split_flags(&text);
        let flags = if flags.is_empty() { String::new() } else { format!("(?{flags})") };
        let inner = rest.strip_prefix("(?=[\\s\\S]*").and_then(|rest| rest.strip_suffix(')'));
        let help = match inner.filter(|inner| !inner.contains("(?=[\\s\\S]*")) {
            Some(inner) => {
                format!("write `{}`", in_quotes(&format!("{flags}(?=[\\s\\S]*(?:{inner}))")))
            }
            None => "put the alternatives into a group behind `[\\s\\S]*`: `(?=[\\s\\S]*(?:A|B))`".to_owned(),
        };
        let range = subject.condition_range(source, None);
        findings.push(subject.finding(CODE, message, range).with_help(help));
    }
}
