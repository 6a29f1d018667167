//! Several globs in one string: the agent takes the commas literally.

use super::{Subject, in_quotes};
use crate::diagnostic::{Diagnostic, Effect, Fix, code};
use crate::rule::{Node, Yaml};
use crate::text::JsString;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    // Where nothing triggers, the globs are for people and for other tools, some of which do split at commas.
    if !subject.has_trigger() {
        return;
    }
    for glob in subject.listed.rule.fields.globs.iter().flatten() {
        if let Some(parts) = split_at_commas(glob) {
            let help = split_help(&parts);
            let message = format!("`{glob}` is one glob with a comma in it, which matches no usual path");
            let range = subject.item_range("globs", &glob.trim());
            // With one string as the only glob, and paths in it, the rule is dead as it is.
            let names_files = |part: &String| !part.starts_with('!') && part.contains(['.', '/']);
            let fix = match subject.node("globs") {
                Some(Node { value: Yaml::String(_), span, .. }) if parts.iter().all(names_files) => {
                    let effect = Effect::Set { key: "globs".to_owned(), to: parts.clone() };
                    Some(Fix::replace("split the glob", span.clone(), flow_list(&parts), effect).of_dead_rule())
                }
                _ => None,
            };
            findings.push(subject.finding(code::COMMA_IN_GLOB, message, range).with_help(help).with_fix(fix));
        }
    }
}

/// The parts of a glob that has a comma outside braces.
pub(super) fn split_at_commas(glob: &JsString) -> Option<Vec<String>> {
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
    let parts: Vec<String> = parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
    (parts.len() > 1).then_some(parts)
}

/// How to write several globs.
fn split_help(parts: &[String]) -> String {
    format!("write `globs: {}`, or as one glob `globs: '{{{}}}'`", flow_list(parts), parts.join(","))
}

fn flow_list(parts: &[String]) -> String {
    let list: Vec<String> = parts.iter().map(|part| in_quotes(part)).collect();
    format!("[{}]", list.join(", "))
}
