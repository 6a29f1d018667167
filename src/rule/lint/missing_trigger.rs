//! Rules without a condition: a trigger key whose value is none, or no such key at all.

use super::invalid_question::is_ineffective;
use super::misplaced_fence::is_misplaced;
use super::shared::{Subject, lint};
use super::unknown_key::is_meant_for_trigger;
use crate::diagnostic::{Diagnostic, Severity};
use crate::rule::read::{Reading, Yaml};
use crate::rule::register::Bucket;

lint! {
    number: 2,
    name: "missing-trigger",
    severity: Error,
    explanation: "The key for conditions is there, but its value is none: blank, an empty list, a number, a mapping. The agent says nothing and the rule never triggers. A warning for `scope` and `interruptMode` on a rule that is none of the stream.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    if subject.has_trigger() || is_ineffective(subject) {
        return;
    }
    let ast = || subject.frontmatter()?.member("astCondition");
    let Some(member) = subject.condition().or_else(ast) else {
        return findings.extend(no_trigger(subject).or_else(|| of_stream_rules(subject)));
    };
    let what = match &member.value.value {
        Yaml::String(_) => "blank",
        Yaml::List(items) if items.is_empty() => "an empty list",
        Yaml::List(_) => "a list without any text",
        _ => member.value.kind(),
    };
    let message = format!("no usable condition: `{}` is {what}, so the rule never triggers", member.written);
    let help = format!("write a regular expression in single quotes: `{}: 'TODO'`", member.written);
    findings.push(subject.finding(CODE, message, member.value.span.clone()).with_help(help));
}

/// A key that only stream rules have, on a rule that is none.
fn of_stream_rules(subject: &Subject<'_>) -> Option<Diagnostic> {
    let matter = subject.frontmatter().filter(|_| subject.listed.bucket != Bucket::None)?;
    let member = ["scope", "interruptMode"].into_iter().find_map(|key| matter.member(key))?;
    let instead =
        if subject.listed.bucket == Bucket::Always { "is in every prompt" } else { "is only offered to the model" };
    let message = format!("`{}` has no effect without a condition: the rule {instead}", member.written);
    let finding = subject.finding(CODE, message, member.key_span.clone()).with_severity(Severity::Warning);
    Some(finding.with_help(format!("write a condition, or remove `{}`", member.written)))
}

/// A file that the agent does nothing with, since it has neither a condition nor anything else that puts a rule to use.
fn no_trigger(subject: &Subject<'_>) -> Option<Diagnostic> {
    if !subject.is_dead() || subject.file.unclosed_fence || is_misplaced(subject) {
        return None;
    }
    let help = "write a regular expression in single quotes: `condition: 'TODO'`";
    let Some(matter) = subject.frontmatter() else {
        let message = "the file has no frontmatter, so the agent makes no use of it as a rule";
        let finding = subject.finding(CODE, message, 0..0).with_severity(Severity::Note);
        return Some(finding.with_help("begin the file with `---`, keys such as `condition: 'TODO'`, and `---`"));
    };
    let meant = matter.members.iter().find(|member| is_meant_for_trigger(&member.written));
    if matches!(matter.reading, Reading::NoMapping { .. } | Reading::SeveralDocuments { .. }) {
        // There is a finding about that.
        return None;
    }
    let fields = &subject.listed.rule.fields;
    let (message, severity, span) = match meant {
        // The key itself has a finding; this one says what it costs.
        Some(member) => {
            let message = format!("the rule has no condition, since `{}` is none, so it never fires", member.written);
            (message, Severity::Error, member.key_span.clone())
        }
        // It is dropped for another reason.
        None if fields.always_apply || fields.description.is_some() => return None,
        None => {
            let message =
                "the rule has no condition, no description and no `alwaysApply: true`, so the agent makes no use of it";
            (message.to_owned(), Severity::Warning, matter.span.start..matter.span.start)
        }
    };
    let finding = subject.finding(CODE, message, span).with_severity(severity);
    Some(finding.with_help(match meant {
        Some(_) => "write `condition` for a regular expression, `astCondition` for a piece of code",
        None => help,
    }))
}
