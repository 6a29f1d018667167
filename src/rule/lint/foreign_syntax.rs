//! Classes of POSIX and of Unicode, code points in braces, and anchors of other languages.

use super::shared::{Subject, in_quotes, lint};
use super::unseen_text::sees_arguments_alone;
use crate::diagnostic::Diagnostic;
use crate::text::JsString;

lint! {
    number: 40,
    name: "foreign-syntax",
    severity: Error,
    explanation: "The pattern uses syntax of another kind of regular expression, which ECMAScript reads as plain letters.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for condition in subject.listed.rule.fields.condition.iter().flatten() {
        findings.extend(finding(subject, condition, &condition.to_string_lossy()));
    }
}

/// The classes of POSIX, and what to write for them between brackets.
const POSIX: [(&str, &str); 13] = [
    ("[:alnum:]", "A-Za-z0-9"),
    ("[:alpha:]", "A-Za-z"),
    ("[:blank:]", " \\t"),
    ("[:cntrl:]", "\\x00-\\x1f\\x7f"),
    ("[:digit:]", "\\d"),
    ("[:graph:]", "!-~"),
    ("[:lower:]", "a-z"),
    ("[:print:]", " -~"),
    ("[:punct:]", "!-\\/:-@\\[-`{-~"),
    ("[:space:]", "\\s"),
    ("[:upper:]", "A-Z"),
    ("[:word:]", "\\w"),
    ("[:xdigit:]", "0-9A-Fa-f"),
];

fn finding(subject: &Subject<'_>, condition: &JsString, text: &str) -> Option<Diagnostic> {
    if let Some(found) = posix_class(subject, condition, text) {
        return Some(found);
    }
    let mut escaped = false;
    for (at, one) in text.char_indices() {
        if escaped && let Some(found) = braced(subject, condition, text, at) {
            return Some(found);
        }
        if escaped && matches!(one, 'A' | 'z' | 'Z' | 'Q' | 'h') {
            let (name, instead) = match one {
                'A' if sees_arguments_alone(subject) => {
                    ("the beginning of the text", "the pattern without it: conditions see the arguments as JSON")
                }
                'A' => ("the beginning of the text", "`^`"),
                'Q' => ("quoting", "a backslash before each special character"),
                'h' => ("horizontal space", "`[ \\t]`"),
                _ => ("the end of the text", "`$`"),
            };
            let message = format!("`\\{one}` is the letter `{one}` in ECMAScript, not {name}");
            let help = format!("write {instead}");
            return Some(subject.about(CODE, message, condition, text, at - 1..at + 1).with_help(help));
        }
        escaped = one == '\\' && !escaped;
    }
    None
}

/// `\p{Han}`, `\x{41}`, `\u{1F600}` with the letter at `at`: without the flag `u`, which the agent does not set, letters.
fn braced(subject: &Subject<'_>, condition: &JsString, text: &str, at: usize) -> Option<Diagnostic> {
    let (letter, rest) = (text[at..].chars().next()?, text[at + 1..].strip_prefix('{')?);
    let (inside, _) = rest.split_once('}')?;
    let end = at + 1 + inside.len() + 2;
    let is_name = |one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | '=');
    let help = match letter {
        'p' | 'P' if !inside.is_empty() && inside.chars().all(is_name) => {
            "name the characters, such as `[\\u4E00-\\u9FFF]` or `[A-Za-zÀ-ɏ]`".to_owned()
        }
        'x' | 'u' => {
            let one = u32::from_str_radix(inside, 16).ok().and_then(char::from_u32)?;
            let units = one.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect::<String>();
            format!("write `{units}`")
        }
        _ => return None,
    };
    let part = at - 1..end;
    let message =
        format!("`{}` is the letter `{letter}` and a brace to the agent, which sets no flag `u`", &text[part.clone()]);
    Some(subject.about(CODE, message, condition, text, part).with_help(help))
}

fn posix_class(subject: &Subject<'_>, condition: &JsString, text: &str) -> Option<Diagnostic> {
    let found = |(name, _): &(&'static str, _)| {
        let at = text.find(name).filter(|&at| !text[..at].ends_with('\\'));
        at.map(|at| at..at + name.len())
    };
    let class = POSIX.iter().find_map(found)?;
    let mut written = text.to_owned();
    for (name, inside) in POSIX {
        // Without brackets around it, it has to bring its own.
        written = written.replace(&format!("[{name}"), &format!("[{inside}"));
        written = written.replace(&format!("[^{name}"), &format!("[^{inside}"));
        if let Some(at) = written.find(name) {
            let open = written[..at].rfind('[').is_some_and(|open| !written[open..at].contains(']'));
            written = written.replace(name, &if open { inside.to_owned() } else { format!("[{inside}]") });
        }
    }
    let name = &text[class.clone()];
    let message = format!(
        "`{name}` is no class to the agent: between brackets it stands for its own characters, one of `{}`",
        name.trim_matches(['[', ']'])
    );
    let help = format!("write `{}`", in_quotes(&written));
    Some(subject.about(CODE, message, condition, text, class).with_help(help))
}
