//! The old name of the key for conditions.

use super::shared::{Subject, lint};
use crate::diagnostic::{Diagnostic, Effect, Fix};
use crate::rule::read::{CONDITION_KEYS, Member};

lint! {
    number: 19,
    name: "legacy-key",
    severity: Note,
    explanation: "The key is the old name of `condition`. The agent still reads it.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (member, _) in old_keys(subject).filter(|(_, instead)| instead.is_none()) {
        let (written, span) = (&member.written, member.key_span.clone());
        let effect = Effect::Rename { from: member.key.clone(), to: "condition".to_owned() };
        let fix = Fix::replace("rename the key", span.clone(), "condition", effect);
        let finding = subject.finding(CODE, format!("`{written}` is the old name of a key"), span);
        findings.push(finding.with_help("write `condition`").with_fix(fix));
    }
}

/// The members of an old name, each with the key that counts in its place, if one does.
pub(super) fn old_keys<'a>(subject: &Subject<'a>) -> impl Iterator<Item = (&'a Member, Option<&'a str>)> {
    let used = subject.condition().map(|member| member.key.as_str());
    let matter = subject.frontmatter();
    let members = CONDITION_KEYS[1..].iter().filter_map(move |key| matter?.member(key));
    members.map(move |member| (member, used.filter(|used| *used != member.key)))
}
