//! Several conditions of which one narrows and does not search: most likely all were meant to be needed.

use super::shared::{Subject, in_quotes, lint, split_flags};
use crate::diagnostic::Diagnostic;

lint! {
    number: 46,
    name: "any-condition",
    severity: Note,
    explanation: "One matching condition of a list is enough. A condition that names a place, files or an exception does not narrow the others; it triggers the rule alone.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

/// Words that hardly anybody looks for in a text, and many mean as a place to look in.
const PLACES: [&str; 7] = ["edit", "write", "apply_patch", "text", "thinking", "tool", "toolcall"];

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let fields = &subject.listed.rule.fields;
    if subject.conditions().len() < 2 {
        return;
    }
    let help = |condition: &str| {
        if fields.scope.is_none() && (PLACES.contains(&condition) || condition.starts_with("tool:")) {
            let tool =
                !matches!(condition, "text" | "thinking" | "tool" | "toolcall") && !condition.starts_with("tool:");
            return Some(format!("to ask for a place write `scope: {}{condition}`", if tool { "tool:" } else { "" }));
        }
        if fields.globs.is_none() && is_extension(condition) {
            return Some("to ask for files write `globs`, such as `globs: ['*.ts']`".to_owned());
        }
        let excluded = excluded(condition)?;
        let help = "to exclude what stands behind the match, put both into one pattern";
        Some(format!("{help}, such as {}", in_quotes(&format!("PATTERN(?![\\s\\S]*{excluded})"))))
    };
    for (source, _) in subject.conditions() {
        let Some(help) = help(&source.to_string_lossy()) else { continue };
        let message = format!("any one of the conditions is enough: `{source}` alone triggers the rule");
        let range = subject.condition_range(source, None);
        findings.push(subject.finding(CODE, message, range).with_help(help));
        return;
    }
}

/// `\.tsx?$` and the like.
fn is_extension(condition: &str) -> bool {
    let inner = condition.strip_prefix("\\.").and_then(|rest| rest.strip_suffix('$'));
    inner.is_some_and(|inner| {
        !inner.is_empty() && inner.chars().all(|one| one.is_ascii_alphanumeric() || "()[]|?:".contains(one))
    })
}

/// What a condition that is nothing but a refusal refuses: `^(?!.*foo)`.
fn excluded(condition: &str) -> Option<&str> {
    let inner = split_flags(condition).1.strip_prefix("^(?!")?;
    let end = ["", "$", ".*", ".*$", "[\\s\\S]*", "[\\s\\S]*$"];
    let close = inner.rfind(')').filter(|&close| end.contains(&&inner[close + 1..]))?;
    let inner = &inner[..close];
    let start = [".*", "[\\s\\S]*", "[^]*"].into_iter().find_map(|any| inner.strip_prefix(any));
    start.filter(|rest| !rest.is_empty() && rest.matches('(').count() == rest.matches(')').count())
}
