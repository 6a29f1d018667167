//! Settings that are written as keys of a rule.

use super::shared::{Subject, lint};
use crate::diagnostic::Diagnostic;
use crate::settings::SETTING_KEYS;

lint! {
    number: 31,
    name: "setting-as-key",
    severity: Warning,
    explanation: "The key is a setting of the agent, which holds for all rules. In a rule file nothing reads it.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for member in subject.frontmatter().iter().flat_map(|matter| &matter.members) {
        let (key, written) = (member.key.as_str(), &member.written);
        if !SETTING_KEYS.contains(&key) || subject.is_read(key) {
            continue;
        }
        let message = format!("`{written}` is a setting, not a rule key, so the agent ignores it here");
        let help = format!("set `ttsr.{key}` in the agent's `config.yml`; it holds for all rules");
        findings.push(subject.finding(CODE, message, member.key_span.clone()).with_help(help));
    }
}
