//! Letters that Unicode also writes as a base and a mark: the pattern matches one of the two forms.

use super::shared::{Subject, in_quotes, lint};
use crate::diagnostic::Diagnostic;
use std::fmt::Write as _;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

lint! {
    number: 47,
    name: "normalisation-form",
    severity: Note,
    explanation: "Unicode has two forms of some letters: one character, or a base letter and a mark. The agent compares code units, so a pattern in one form does not match text in the other.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

/// Longer conditions are not looked into (bytes): each letter is sought in all of them.
const LONGEST: usize = 4_096;

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (source, _) in subject.conditions() {
        let text = source.to_string_lossy();
        if text.is_ascii() || text.len() > LONGEST {
            continue;
        }
        let Some((letter, help)) = rewrite(&text) else { continue };
        let message =
            format!("`{letter}` can also be written as a letter and a mark, which the condition does not match");
        let range = subject.condition_range(source, None);
        findings.push(subject.finding(CODE, message, range).with_help(help));
    }
}

/// The first letter that has another form which the condition lacks, and what to write.
fn rewrite(condition: &str) -> Option<(char, String)> {
    let letters: Vec<char> = condition.nfc().collect();
    let mut written = String::new();
    let mut first = None;
    let (mut escaped, mut in_class, mut class_hit) = (false, false, false);
    for (at, &one) in letters.iter().enumerate() {
        let is_range = in_class && (letters.get(at + 1) == Some(&'-') || (at > 0 && letters[at - 1] == '-'));
        let has_other_form = !one.is_ascii() && !is_combining_mark(one) && !is_range && is_composed(one);
        if has_other_form && !has_both(condition, one) {
            first.get_or_insert(one);
            class_hit |= in_class;
            let _ = write!(written, "(?:{one}|{})", escaped_form(one));
        } else {
            written.push(one);
        }
        match one {
            _ if escaped => {}
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
        escaped = one == '\\' && !escaped;
    }
    let help = if class_hit {
        "take the letter out of the brackets and write both forms, such as `(?:é|e\\u0301)`".to_owned()
    } else {
        format!("to match both forms write `{}`", in_quotes(&written))
    };
    first.map(|letter| (letter, help))
}

fn is_composed(letter: char) -> bool {
    let mut parts = 0;
    decompose_canonical(letter, |_| parts += 1);
    parts > 1
}

/// The letter taken apart, its marks as escapes, since marks are hard to see in a file.
fn escaped_form(letter: char) -> String {
    let mut text = String::new();
    decompose_canonical(letter, |part| {
        if is_combining_mark(part) && u32::from(part) <= 0xFFFF {
            let _ = write!(text, "\\u{:04X}", u32::from(part));
        } else {
            text.push(part);
        }
    });
    text
}

/// Whether the condition holds both forms of the letter already.
fn has_both(condition: &str, letter: char) -> bool {
    let apart: String = std::iter::once(letter).nfd().collect();
    let escaped = escaped_form(letter);
    let holds_escaped = condition.contains(&escaped) || condition.contains(&escaped.to_ascii_lowercase());
    condition.contains(letter) && (condition.contains(&apart) || holds_escaped)
}
