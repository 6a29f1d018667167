//! The old key for conditions, in use or masked by the new one.

use super::Subject;
use crate::diagnostic::{Diagnostic, Effect, Fix, code};
use crate::rule::{CONDITION_KEYS, Member};

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(matter) = subject.frontmatter() else { return };
    let used = subject.condition().map(|member| member.key.as_str());
    for key in &CONDITION_KEYS[1..] {
        let Some(member) = matter.member(key) else { continue };
        let written = &member.written;
        findings.push(match used {
            Some(used) if used != *key => subject
                .finding(
                    code::MASKED_LEGACY_KEY,
                    format!("`{written}` has no effect beside `{used}`"),
                    member.key_span.clone(),
                )
                .with_help(format!("remove it, or make it an item of `{used}`"))
                .with_fix(
                    subject
                        .only_line_of(member)
                        .map(|line| Fix::replace("remove the key", line, "", Effect::Remove(member.key.clone()))),
                ),
            _ => subject
                .finding(code::LEGACY_KEY, format!("`{written}` is the old name of a key"), member.key_span.clone())
                .with_help("write `condition`")
                .with_fix(Fix::replace("rename the key", member.key_span.clone(), "condition", renamed(member))),
        });
    }
}

fn renamed(member: &Member) -> Effect {
    Effect::Rename { from: member.key.clone(), to: "condition".to_owned() }
}
