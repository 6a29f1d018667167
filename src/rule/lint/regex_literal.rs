//! A condition between slashes, with or without flags behind.

use super::shared::{Subject, in_quotes, lint};
use crate::diagnostic::Diagnostic;
use crate::text::JsString;

lint! {
    number: 39,
    name: "regex-literal",
    severity: Warning,
    explanation: "A condition is the pattern alone, not a JavaScript literal: slashes and flags are taken literally.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for condition in subject.listed.rule.fields.condition.iter().flatten() {
        findings.extend(finding(subject, condition, &condition.to_string_lossy()));
    }
}

fn finding(subject: &Subject<'_>, condition: &JsString, text: &str) -> Option<Diagnostic> {
    let (body, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    if body.is_empty() || has_bare_slash(body) || !flags.chars().all(|flag| "dgimsuvy".contains(flag)) {
        return None;
    }
    // Without flags it may be a path; a path has no other special character.
    if flags.is_empty() && !body.contains(['\\', '^', '$', '+', '|', '(', '*', '?', '[']) {
        return None;
    }
    let kept: String = flags.chars().filter(|flag| "ims".contains(*flag)).collect();
    let group = if kept.is_empty() { String::new() } else { format!("(?{kept})") };
    // Where no line begins, a `^` would make the rule dead.
    let body = if subject.sees_arguments_alone() { body.strip_prefix('^').unwrap_or(body) } else { body };
    let message = "the slashes are part of the pattern, and the letters behind them are no flags".to_owned();
    let help = format!("write `{}`", in_quotes(&format!("{group}{body}")));
    Some(subject.about(CODE, message, condition, text, 0..text.len()).with_help(help))
}

/// Whether a slash stands there that would end a literal: then it is the pattern of a path.
fn has_bare_slash(body: &str) -> bool {
    let (mut escaped, mut in_class) = (false, false);
    body.chars().any(|one| {
        let bare = one == '/' && !escaped && !in_class;
        match one {
            '[' if !escaped => in_class = true,
            ']' if !escaped => in_class = false,
            _ => {}
        }
        escaped = one == '\\' && !escaped;
        bare
    })
}
