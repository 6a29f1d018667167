//! Conditions whose verdict depends on where the stream is cut.

use super::shared::{Subject, in_quotes, lint, split_flags};
use crate::diagnostic::{Diagnostic, Severity};
use crate::pattern::{CompileOptions, Ending, Pattern};

lint! {
    number: 20,
    name: "chunk-dependent-pattern",
    severity: Note,
    explanation: "The condition asks what follows its match: a note for `$` and `\\b`, a warning for a negative look-ahead. A stream arrives in pieces, so the rule may fire at the end of a piece though the next piece undoes the match.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

/// Longer conditions get no line to paste (bytes).
const LONGEST: usize = 1_000;

/// A look-ahead that looks further is hardly waited for.
const FARTHEST: usize = 8;

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    if subject.is_judged() {
        return;
    }
    for (source, pattern) in subject.conditions() {
        if pattern.matches_everything() {
            continue;
        }
        let text = source.to_string_lossy();
        let (severity, looks, help) = match pattern.ending() {
            Ending::Settled => continue,
            Ending::Edge => (Severity::Note, "asks with `$` or `\\b` whether its match ends here", edge_help(&text)),
            Ending::LookAhead => {
                (Severity::Warning, "asks with a negative look-ahead what does not follow", look_help(&text))
            }
        };
        let message = format!("the condition `{source}` {looks}, so it may fire before the rest has arrived");
        let finding = subject.finding(CODE, message, subject.condition_range(source, None));
        findings.push(finding.with_severity(severity).with_help(help));
    }
}

/// Behind a letter, a `\b` at the very end means that no letter follows; a positive look-ahead waits to see that.
fn edge_help(condition: &str) -> String {
    let waiting = condition.strip_suffix("\\b").and_then(|rest| {
        let is_word = rest.ends_with(|one: char| one.is_ascii_alphanumeric() || one == '_');
        let is_group = rest.ends_with(')') && !rest.ends_with("\\)");
        (is_word || is_group).then(|| format!("{rest}(?=\\W)"))
    });
    match waiting.filter(|waiting| is_settled(waiting)) {
        Some(waiting) => {
            let written = in_quotes(&waiting);
            format!("to wait for the next character write `{written}`, which then has to be there for the rule to fire")
        }
        None => "demand the character that ends the match instead, such as `\\W` or `\\n`".to_owned(),
    }
}

fn look_help(condition: &str) -> String {
    let (flags, rest) = split_flags(condition);
    let flags = if flags.is_empty() { String::new() } else { format!("(?{flags})") };
    let rest = if rest.contains('|') { format!("(?:{rest})") } else { rest.to_owned() };
    let waiting = (1..=FARTHEST).find_map(|count| {
        let times = if count == 1 { String::new() } else { format!("{{{count}}}") };
        let waiting = format!("{flags}{rest}[\\s\\S]{times}");
        is_settled(&waiting).then_some((count, waiting))
    });
    match waiting {
        Some((1, waiting)) => format!("to wait for the next character write `{}`", in_quotes(&waiting)),
        Some((count, waiting)) => format!("to wait for {count} more characters write `{}`", in_quotes(&waiting)),
        None => {
            "what must not follow can still arrive: ask with `(?=…)` for what shows that it does not, such as `(?=\\n)`"
                .to_owned()
        }
    }
}

fn is_settled(condition: &str) -> bool {
    // A longer one is not worth the time; nobody pastes it.
    condition.len() <= LONGEST
        && Pattern::compile(&condition.into(), CompileOptions::default())
            .is_ok_and(|pattern| pattern.ending() == Ending::Settled)
}
