//! A group of flags that is not at the start of a condition, or has another flag than `i`, `m` and `s`.

use super::shared::{in_condition, lint};
use crate::diagnostic::Diagnostic;
use crate::pattern::{CompileOptions, Pattern, PatternError};
use crate::rule::read::Rule;
use crate::rule::register::Flaw;
use crate::text::JsString;

lint! {
    number: 18,
    name: "untranslated-inline-flag",
    severity: Error,
    explanation: "Only one group of the flags `i`, `m` and `s` at the very start of a condition is understood. With any other flag group the condition does not compile, so the agent skips it.",
    samples: "failing.md" "passing.md",
    check: Flaw(check)
}

fn check(rule: &Rule, flaw: &Flaw) -> Option<Diagnostic> {
    let Flaw::InvalidCondition { source, error, leading_flags } = flaw else { return None };
    let flags = flags(source, error)?;
    let message = format!("the condition `{source}` does not compile: {}", error.message);
    let finding = in_condition(rule, CODE, source, error.span.clone(), message);
    Some(match flag_help(source, &flags, error.span.start, *leading_flags).or_else(|| error.help.clone()) {
        Some(help) => finding.with_help(help),
        None => finding,
    })
}

/// The letters of the group of flags alone at which a pattern fails to compile: `(?x)`, or an `(?i)` that is not at the
/// start.
pub(super) fn flags(source: &JsString, error: &PatternError) -> Option<String> {
    let text = source.units().get(error.span.start..)?.strip_prefix(&[u16::from(b'('), u16::from(b'?')])?;
    let end = text.iter().position(|&unit| unit == u16::from(b')'))?;
    let flags = String::from_utf16(&text[..end]).ok()?;
    let is_flag = |one: char| one.is_ascii_alphabetic() || one == '-';
    (!flags.is_empty() && flags.chars().all(is_flag)).then_some(flags)
}

/// How to write a pattern with such a group, where there is a way.
fn flag_help(source: &JsString, flags: &str, at: usize, leading_flags: bool) -> Option<String> {
    let options = CompileOptions { leading_flags, ..CompileOptions::default() };
    let end = at + flags.len() + "(?)".len();
    let (before, after) = (source.units().get(..at)?, source.units().get(end..)?);
    let (before, after) = (JsString::from_units(before), JsString::from_units(after));
    let whole = format!("(?{flags}){before}{after}");
    let part = format!("{before}(?{flags}:{after})");
    let compiles = |pattern: &&String| Pattern::compile(&pattern.as_str().into(), options).is_ok();
    let ways: Vec<String> = [whole, part].iter().filter(compiles).map(|pattern| format!("`{pattern}`")).collect();
    (!ways.is_empty()).then(|| format!("write {}", ways.join(" for all of it, or ")))
}
