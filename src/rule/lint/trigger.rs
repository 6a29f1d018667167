//! A trigger key whose value is no condition.

use super::Subject;
use crate::diagnostic::{Diagnostic, code};
use crate::rule::Yaml;

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let fields = &subject.listed.rule.fields;
    if fields.condition.is_some() || fields.ast_condition.is_some() {
        return;
    }
    let ast = || subject.frontmatter()?.member("astCondition");
    let Some(member) = subject.condition().or_else(ast) else { return };
    let what = match &member.value.value {
        Yaml::String(_) => "blank",
        Yaml::List(items) if items.is_empty() => "an empty list",
        Yaml::List(_) => "a list without any text",
        _ => member.value.kind(),
    };
    let message = format!("no usable condition: `{}` is {what}, so the rule never triggers", member.written);
    let help = format!("write a regular expression in single quotes: `{}: 'TODO'`", member.written);
    findings.push(subject.finding(code::MISSING_TRIGGER, message, member.value.span.clone()).with_help(help));
}
