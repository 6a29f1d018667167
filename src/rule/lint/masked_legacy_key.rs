//! The old name of the key for conditions beside one that counts before it.

use super::legacy_key::old_keys;
use super::shared::{Subject, lint};
use crate::diagnostic::{Diagnostic, Effect, Fix};

lint! {
    number: 32,
    name: "masked-legacy-key",
    severity: Warning,
    explanation: "Two keys for conditions stand side by side; only the first of `condition`, `ttsr_trigger`, `ttsrTrigger` that has a value counts.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (member, used) in old_keys(subject) {
        let Some(used) = used else { continue };
        let message = format!("`{}` has no effect beside `{used}`", member.written);
        let remove = |line| Fix::replace("remove the key", line, "", Effect::Remove(member.key.clone()));
        let finding = subject.finding(CODE, message, member.key_span.clone());
        let help = format!("remove it, or make it an item of `{used}`");
        findings.push(finding.with_help(help).with_fix(subject.only_line_of(member).map(remove)));
    }
}
