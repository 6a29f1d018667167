//! Keys that are there twice.

use super::shared::{Subject, lint};
use crate::builtin::keys::{self, SAMPLES_KEY, Takes};
use crate::diagnostic::Diagnostic;
use crate::rule::read::Member;

lint! {
    number: 59,
    name: "repeated-key",
    severity: Error,
    explanation: "A key is there twice. The agent takes the last one and says nothing about the others.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let members = subject.frontmatter().map_or(&[][..], |matter| &matter.members);
    for (at, member) in members.iter().enumerate() {
        // Lost samples have findings of their own.
        if !subject.is_read(&member.key) || member.key == SAMPLES_KEY {
            continue;
        }
        // Two spellings of a key are two members.
        let is_lost = members[at + 1..].iter().any(|later| later.key == member.key);
        let lost = is_lost.then(|| member.key_span.clone());
        for span in member.overridden.iter().cloned().chain(lost) {
            let message = format!("`{}` is there again below, and only the last one counts", member.written);
            findings.push(subject.finding(CODE, message, span).with_help(help(member)));
        }
    }
}

fn help(member: &Member) -> String {
    let takes_list = keys::key(&member.key).is_some_and(|key| key.takes == Takes::Texts);
    match takes_list {
        true => format!("write one list, `{}: [A, B]`, or remove one of the two", member.written),
        false => "remove one of the two".to_owned(),
    }
}
