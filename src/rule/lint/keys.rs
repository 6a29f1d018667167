//! Keys that the agent does not know: slips, and settings that are no rule keys.

use super::{Subject, nearest};
use crate::diagnostic::{Diagnostic, Fix, code};
use crate::rule::SAMPLES_KEY;
use crate::rule::frontmatter::normalise_key;
use crate::settings::SETTING_KEYS;

/// The keys that a rule file may have for the agent, as people write them, and the one that this program reads.
const KNOWN: [&str; 13] = [
    "condition",
    "astCondition",
    "ast-condition",
    "scope",
    "globs",
    "alwaysApply",
    "description",
    "agents",
    "interruptMode",
    "enabled",
    "ttsrTrigger",
    "applyTo",
    SAMPLES_KEY,
];

/// The keys without one of which no rule triggers.
const TRIGGERS: [&str; 4] = ["condition", "astCondition", "ast-condition", "ttsrTrigger"];

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for member in subject.frontmatter().iter().flat_map(|matter| &matter.members) {
        let key = member.key.as_str();
        if KNOWN.contains(&key) || key == "ttsr_trigger" {
            continue;
        }
        let written = &member.written;
        if SETTING_KEYS.contains(&key) {
            let message = format!("`{written}` is a setting, not a rule key, so the agent ignores it here");
            let help = format!("set `ttsr.{key}` in the agent's `config.yml`; it holds for all rules");
            findings.push(subject.finding(code::SETTING_AS_KEY, message, member.key_span.clone()).with_help(help));
            continue;
        }
        let plain = |text: &str| text.to_ascii_lowercase().replace(['-', '_'], "");
        let same = KNOWN.iter().copied().find(|known| plain(known) == plain(written));
        let Some(meant) = same.or_else(|| nearest(written, &KNOWN)) else { continue };
        let reader = if meant == SAMPLES_KEY { "nothing reads" } else { "the agent does not know" };
        let is_dead = subject.is_dead();
        let loss =
            if is_dead && TRIGGERS.contains(&meant) { ", so the rule has no condition and never fires" } else { "" };
        let message = format!("{reader} the key `{written}`{loss}");
        let help = format!("did you mean `{meant}`?");
        // A key beside the one that is meant would only hide it, or be hidden.
        let fix = subject
            .frontmatter()
            .is_some_and(|matter| matter.member(&normalise_key(meant)).is_none())
            .then(|| Fix::replace("rename the key", member.key_span.clone(), meant));
        let fix = fix.map(|fix| if is_dead { fix.of_dead_rule() } else { fix });
        findings
            .push(subject.finding(code::UNKNOWN_KEY, message, member.key_span.clone()).with_help(help).with_fix(fix));
    }
}
