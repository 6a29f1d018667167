//! A frontmatter that is no YAML, or no mapping: what the agent makes of it, and how to write it so that YAML reads the
//! same.

use super::shared::{in_quotes, lint};
use crate::diagnostic::{Diagnostic, Effect, Fix};
use crate::rule::read::{CONDITION_KEYS, Frontmatter, Member, Reading, RuleFile, Style, Yaml, is_quoted_alone};

lint! {
    number: 1,
    name: "invalid-frontmatter",
    severity: Warning,
    explanation: "The frontmatter is not valid YAML, so the agent repairs it line by line and values may not be what was written.",
    samples: "failing.md" "passing.md",
    check: File(check)
}

fn check(file: &RuleFile) -> Option<Diagnostic> {
    let frontmatter = file.frontmatter.as_ref()?;
    match &frontmatter.reading {
        Reading::NoMapping { kind, at } => {
            let message = format!("the frontmatter is {kind}, so it has no keys");
            Some(file.finding(CODE, message, file.rest_of_line(*at)).with_help("write `key: value` lines"))
        }
        Reading::Quoted { error, values } => {
            let message =
                format!("the frontmatter is not valid YAML ({}); the agent puts this value into quotes", error.message);
            let fix = quoting(frontmatter, file.text());
            let place = values.first().cloned().unwrap_or(file.rest_of_line(error.at));
            let help = written_so(file, "put the value into single quotes", fix.as_ref());
            Some(file.finding(CODE, message, place).with_help(help).with_fix(fix))
        }
        Reading::LineByLine { error, skipped } => {
            let message = format!(
                "the frontmatter is not valid YAML ({}); the agent reads it line by line{}",
                error.message,
                if skipped.is_empty() { "" } else { ", and indented lines and list items are lost" },
            );
            let fix = quoting(frontmatter, file.text());
            let advice = "put the value into single quotes; what is not valid YAML stays as it is, quotes and \
                          backslashes included";
            let help = written_so(file, advice, fix.as_ref());
            Some(file.finding(CODE, message, file.rest_of_line(error.at)).with_help(help).with_fix(fix))
        }
        Reading::Plain | Reading::SeveralDocuments { .. } | Reading::Beyond(_) => None,
    }
}

/// The line that a fix changes as it should be, where it is one short line; else the advice.
fn written_so(file: &RuleFile, advice: &str, fix: Option<&Fix>) -> String {
    const LONGEST: usize = 200;
    let Some([(range, replacement)]) = fix.map(|fix| fix.edits.as_slice()) else { return advice.to_owned() };
    let text = file.text();
    let start = text[..range.start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let end = text[range.end..].find(['\n', '\r']).map_or(text.len(), |at| range.end + at);
    let line = format!("{}{replacement}{}", &text[start..range.start], &text[range.end..end]);
    if line.len() > LONGEST { advice.to_owned() } else { format!("write `{}`", line.trim()) }
}

/// How to write the values so that YAML reads what the agent makes of them now; `text` is the file's. None when the
/// repair lost lines, or kept quotes that nobody meant as part of the value.
fn quoting(frontmatter: &Frontmatter, text: &str) -> Option<Fix> {
    let title = "put what is not YAML into single quotes";
    let edits: Vec<_> = match &frontmatter.reading {
        Reading::Quoted { values, .. } => {
            values.iter().map(|range| (range.clone(), in_quotes(&text[range.clone()]))).collect()
        }
        Reading::LineByLine { skipped, .. } if skipped.is_empty() => {
            let raw = |member: &&Member| {
                let Yaml::String(value) = &member.value.value else { return false };
                let written = &text[member.value.span.clone()];
                member.value.style == Style::Plain && value == written && is_quoted_alone(written)
            };
            let raw: Vec<&Member> = frontmatter.members.iter().filter(raw).collect();
            let keeps_quotes = |member: &&Member| {
                let key = member.key.as_str();
                (CONDITION_KEYS.contains(&key) || key == "astCondition")
                    && text[member.value.span.clone()].starts_with(['"', '\''])
            };
            if raw.iter().any(keeps_quotes) {
                return None;
            }
            let edit = |member: &Member| (member.value.span.clone(), in_quotes(&text[member.value.span.clone()]));
            raw.into_iter().map(edit).collect()
        }
        _ => return None,
    };
    (!edits.is_empty()).then_some(Fix {
        title,
        edits,
        effect: Effect::None,
        revives: false,
        is_safe: true,
        places: Vec::new(),
    })
}
