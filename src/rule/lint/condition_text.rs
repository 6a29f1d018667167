//! Conditions that are valid and yet mean something else than people think: control characters, kept quotes,
//! `/…/i`, POSIX classes, anchors of other languages.

use super::{Subject, in_quotes};
use crate::diagnostic::{Code, Diagnostic, code};
use crate::rule::{Reading, Style};
use crate::text::JsString;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for condition in subject.listed.rule.fields.condition.iter().flatten() {
        let text = condition.to_string_lossy();
        findings.extend(control_character(subject, condition, &text));
        findings.extend(kept_quotes(subject, condition, &text));
        findings.extend(regex_literal(subject, condition, &text));
        findings.extend(foreign_syntax(subject, condition, &text));
    }
}

/// A finding about the bytes `at..at + len` of the condition.
fn about(
    subject: &Subject<'_>,
    code: Code,
    message: String,
    condition: &JsString,
    text: &str,
    part: std::ops::Range<usize>,
) -> Diagnostic {
    let units = |end: usize| text[..end].encode_utf16().count();
    let range = subject.condition_range(condition, Some(units(part.start)..units(part.end)));
    subject.finding(code, message, range)
}

fn control_character(subject: &Subject<'_>, condition: &JsString, text: &str) -> Option<Diagnostic> {
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
    Some(about(subject, code::CONTROL_CHARACTER, message, condition, text, at..at + one.len_utf8()).with_help(help))
}

fn kept_quotes(subject: &Subject<'_>, condition: &JsString, text: &str) -> Option<Diagnostic> {
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
    Some(about(subject, code::QUOTED_CONDITION, message, condition, text, 0..text.len()).with_help(help))
}

fn regex_literal(subject: &Subject<'_>, condition: &JsString, text: &str) -> Option<Diagnostic> {
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
    let message = "the slashes are part of the pattern, and the letters behind them are no flags".to_owned();
    let help = format!("write `{}`", in_quotes(&format!("{group}{body}")));
    Some(about(subject, code::REGEX_LITERAL, message, condition, text, 0..text.len()).with_help(help))
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

fn foreign_syntax(subject: &Subject<'_>, condition: &JsString, text: &str) -> Option<Diagnostic> {
    if let Some(found) = posix_class(subject, condition, text) {
        return Some(found);
    }
    let mut escaped = false;
    for (at, one) in text.char_indices() {
        if escaped && matches!(one, 'A' | 'z' | 'Z' | 'Q' | 'h') {
            let (name, instead) = match one {
                'A' => ("the beginning of the text", "`^`"),
                'Q' => ("quoting", "a backslash before each special character"),
                'h' => ("horizontal space", "`[ \\t]`"),
                _ => ("the end of the text", "`$`"),
            };
            let message = format!("`\\{one}` is the letter `{one}` in ECMAScript, not {name}");
            let help = format!("write {instead}");
            return Some(
                about(subject, code::FOREIGN_SYNTAX, message, condition, text, at - 1..at + 1).with_help(help),
            );
        }
        escaped = one == '\\' && !escaped;
    }
    None
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
    Some(about(subject, code::FOREIGN_SYNTAX, message, condition, text, class).with_help(help))
}
