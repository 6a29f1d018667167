//! Conditions that are valid and yet mean something else than people think: control characters, kept quotes,
//! `/…/i`, POSIX classes, anchors of other languages.

use super::Subject;
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
    let shown = text.replace('\u{8}', "\\b").replace('\u{7}', "\\a").replace('\u{c}', "\\f").replace('\u{b}', "\\v");
    let help = format!("write the pattern in single quotes: `'{shown}'`");
    Some(about(subject, code::CONTROL_CHARACTER, message, condition, text, at..at + one.len_utf8()).with_help(help))
}

fn kept_quotes(subject: &Subject<'_>, condition: &JsString, text: &str) -> Option<Diagnostic> {
    let repaired = matches!(subject.frontmatter()?.reading, Reading::LineByLine { .. } | Reading::Quoted { .. });
    let quoted = text.len() >= 2 && text.starts_with('"') && text.ends_with('"');
    if !repaired || !quoted || subject.condition()?.value.style != Style::Plain {
        return None;
    }
    let message = "the quotes are part of the pattern, since the frontmatter is not valid YAML".to_owned();
    let help = format!("write the pattern in single quotes: `'{}'`", text[1..text.len() - 1].replace('\'', "''"));
    Some(about(subject, code::QUOTED_CONDITION, message, condition, text, 0..text.len()).with_help(help))
}

fn regex_literal(subject: &Subject<'_>, condition: &JsString, text: &str) -> Option<Diagnostic> {
    let (body, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    if body.is_empty() || !flags.chars().all(|flag| "dgimsuvy".contains(flag)) {
        return None;
    }
    // Without flags it may be a path; a path has no other special character.
    if flags.is_empty() && !body.contains(['\\', '^', '$', '+', '|', '(', '*', '?', '[']) {
        return None;
    }
    let kept: String = flags.chars().filter(|flag| "ims".contains(*flag)).collect();
    let group = if kept.is_empty() { String::new() } else { format!("(?{kept})") };
    let message = "the slashes are part of the pattern, and the letters behind them are no flags".to_owned();
    let help = format!("write `'{group}{body}'`");
    Some(about(subject, code::REGEX_LITERAL, message, condition, text, 0..text.len()).with_help(help))
}

fn foreign_syntax(subject: &Subject<'_>, condition: &JsString, text: &str) -> Option<Diagnostic> {
    if let Some(at) = text.find("[[:").filter(|&at| text[at..].contains(":]]")) {
        let end = at + text[at..].find(":]]").map_or(3, |end| end + 3);
        let message =
            format!("`{}` is no class in ECMAScript: it matches one of its letters and a `]`", &text[at..end]);
        let help = "write `\\s`, `\\d`, `\\w` or `[A-Za-z]`";
        return Some(about(subject, code::FOREIGN_SYNTAX, message, condition, text, at..end).with_help(help));
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
