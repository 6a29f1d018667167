//! Several globs in one string: the agent takes the commas literally.

use super::Subject;
use crate::diagnostic::{Diagnostic, code};
use crate::text::JsString;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for glob in subject.listed.rule.fields.globs.iter().flatten() {
        if let Some(help) = comma_outside_braces(glob) {
            let message = format!("`{glob}` is one glob with a comma in it, which matches no usual path");
            let range = subject.item_range("globs", &glob.trim());
            findings.push(subject.finding(code::COMMA_IN_GLOB, message, range).with_help(help));
        }
    }
}

/// How to write a glob that has a comma outside braces, when it has one.
pub(super) fn comma_outside_braces(glob: &JsString) -> Option<String> {
    let text = glob.to_string_lossy();
    let mut depth = 0_usize;
    let mut parts = vec![String::new()];
    for one in text.chars() {
        match one {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match parts.last_mut() {
            Some(part) if one != ',' || depth > 0 => part.push(one),
            _ => parts.push(String::new()),
        }
    }
    let parts: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
    if parts.len() < 2 {
        return None;
    }
    let list: Vec<String> = parts.iter().map(|part| format!("'{part}'")).collect();
    Some(format!("write a list, `globs: [{}]`, or braces, `{{{}}}`", list.join(", "), parts.join(",")))
}
