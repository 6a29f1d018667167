//! Keys that the agent does not know: slips.

use super::shared::{Subject, lint, nearest};
use crate::builtin::keys::{self, KEYS, OLDEST_TRIGGER, SAMPLES_KEY};
use crate::diagnostic::{Diagnostic, Effect, Fix};
use crate::rule::read::{Member, Node, Yaml, normalise_key};
use crate::settings::SETTING_KEYS;

lint! {
    number: 10,
    name: "unknown-key",
    severity: Warning,
    explanation: "A key is close to a known one but not the same. The agent ignores keys that it does not know, without a word.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for member in subject.frontmatter().iter().flat_map(|matter| &matter.members) {
        let key = member.key.as_str();
        if subject.is_read(key) || SETTING_KEYS.contains(&key) {
            continue;
        }
        let written = &member.written;
        let is_dead = subject.is_dead();
        // Such words are of use to others; only where nothing makes the rule fire are they most likely meant for it.
        let condition = (is_dead && is_called_condition(written)).then_some("condition");
        let Some(meant) = meant(written).or(condition) else {
            findings.extend(narrowing(subject, member));
            continue;
        };
        if meant == SAMPLES_KEY && !holds_samples(&member.value) {
            // An example of something else.
            continue;
        }
        let reader = if meant == SAMPLES_KEY { "nothing reads" } else { "the agent does not know" };
        let message = format!("{reader} the key `{written}`");
        // The key that is meant would have no effect beside a condition.
        let is_idle = meant == "alwaysApply" && subject.has_trigger();
        let help = match is_idle {
            true => format!("remove it: `{meant}` has no effect beside a condition either"),
            false => format!("did you mean `{meant}`?"),
        };
        // A key beside the one that is meant would only hide it, or be hidden.
        let fix = subject
            .frontmatter()
            .is_some_and(|matter| !is_idle && matter.member(&normalise_key(meant)).is_none())
            .then(|| {
                let effect = Effect::Rename { from: member.key.clone(), to: normalise_key(meant) };
                Fix::replace("rename the key", member.key_span.clone(), meant, effect)
            });
        let fix = fix.map(|fix| if is_dead { fix.of_dead_rule() } else { fix });
        findings.push(subject.finding(CODE, message, member.key_span.clone()).with_help(help).with_fix(fix));
    }
}

/// A key by which rules of other tools say what they are for: without a word the stream rule is for more.
fn narrowing(subject: &Subject<'_>, member: &Member) -> Option<Diagnostic> {
    let written = &member.written;
    let meant = keys::instead_of(written).filter(|_| member.value.value != Yaml::Null)?;
    if !subject.has_trigger() || subject.node(meant.name).is_some() {
        return None;
    }
    let message = format!("the agent does not know the key `{written}`, so {}", meant.without);
    let what = match meant.name {
        "globs" => "files",
        "agents" => "agents",
        _ => "streams and tools",
    };
    let help = format!("to name {what} write `{}`", meant.name);
    Some(subject.finding(CODE, message, member.key_span.clone()).with_help(help))
}

/// What people call a condition.
const MEANT_FOR_CONDITION: [&str; 10] =
    ["regex", "regexp", "pattern", "patterns", "trigger", "triggers", "match", "matches", "when", "ttsr"];

/// The key that is most likely meant.
fn meant(written: &str) -> Option<&'static str> {
    let plain = keys::plain(written);
    let known = KEYS.map(|key| key.name);
    let same = known.iter().copied().find(|known| *known != "applyTo" && keys::plain(known) == plain);
    same.or_else(|| nearest(written, &known).filter(|_| keys::instead_of(written).is_none()))
}

/// Whether a key that the agent does not know was meant to make the rule fire.
pub(super) fn is_meant_for_trigger(written: &str) -> bool {
    // The oldest name counts too when it has no value.
    let is_known = keys::key(&normalise_key(written)).is_some() || SETTING_KEYS.contains(&written);
    let unknown = written == OLDEST_TRIGGER || !is_known;
    let triggers = |key: &str| keys::key(key).is_some_and(keys::RuleKey::triggers);
    unknown && (meant(written).is_some_and(triggers) || is_called_condition(written))
}

/// Whether a value is like that of the key for samples.
fn holds_samples(value: &Node) -> bool {
    match &value.value {
        Yaml::Map(members) => members.iter().any(|(key, _)| matches!(key.text.as_str(), "fires" | "silent")),
        _ => false,
    }
}

fn is_called_condition(written: &str) -> bool {
    MEANT_FOR_CONDITION.contains(&written.to_ascii_lowercase().as_str())
}
