//! Keys that only a later generation of the agent reads.

use super::shared::{Subject, lint};
use crate::builtin::keys::{self, Reader, RuleKey};
use crate::diagnostic::{Diagnostic, Severity};
use crate::rule::read::{Member, Yaml};

lint! {
    number: 80,
    name: "later-key",
    severity: Warning,
    explanation: "Agents before a certain release do not know the key, and ignore it without a word: what it narrows or switches off is wider there. A note where the rule has no condition for such an agent.",
    samples: "failing.md" "passing.md",
    check: Always(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for member in subject.frontmatter().iter().flat_map(|matter| &matter.members) {
        let later = |key: &&RuleKey| key.reader == Reader::Agent && key.since > subject.semantics.lifecycle;
        let Some(key) = keys::key(&member.key).filter(later) else { continue };
        findings.extend(finding(subject, member, key));
    }
}

fn finding(subject: &Subject<'_>, member: &Member, key: &RuleKey) -> Option<Diagnostic> {
    // `enabled: true` is what is without it, and a question has a lint of its own where other keys are looked at.
    let is_idle = match &member.value.value {
        Yaml::Null => true,
        Yaml::Bool(value) => key.name == "enabled" && *value,
        _ => false,
    };
    if is_idle || (key.name == "question" && !subject.semantics.legacy_trigger_only) {
        return None;
    }
    let has_trigger = subject.has_trigger();
    // What narrows a rule that never fires does no harm.
    if !has_trigger && !key.triggers() {
        return None;
    }
    let (written, lifecycle) = (&member.written, subject.semantics.lifecycle.as_str());
    let message = format!("the lifecycle {lifecycle} does not know `{written}`, so {}", key.without);
    let help = if has_trigger {
        format!("check with `--lifecycle {}`, or give earlier agents a rule of their own", key.since.as_str())
    } else {
        format!("check with `--lifecycle {}`; {lifecycle} knows only a `ttsr_trigger` string", key.since.as_str())
    };
    let severity = if has_trigger { CODE.severity() } else { Severity::Note };
    let finding = subject.finding(CODE, message, member.key_span.clone());
    Some(finding.with_severity(severity).with_help(help))
}
