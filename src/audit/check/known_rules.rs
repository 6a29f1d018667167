//! A8: names that no given rule has, rules that the settings disable, reminders that the rule file contradicts.

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;
use crate::text::JsString;

use super::super::KnownRule;
use super::super::report::{ChangedRule, Reminder};
use super::super::subject::Subject;
use super::{Check, Input, finding, quoted};

pub(super) struct KnownRules;

impl Check for KnownRules {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        let subject = input.subject;
        let options = subject.options;
        for recorded in &subject.recorded {
            let disabled: Vec<_> =
                recorded.names().filter(|name| options.settings.disabled_rules.contains(name)).collect();
            if !disabled.is_empty() {
                let message = format!("the settings disable {}", quoted(disabled));
                findings.push(finding(subject.session, code::DISABLED_RULE_INJECTED, recorded.entry, message));
            }
            let Some(rules) = options.rules else { continue };
            let unknown: Vec<_> = recorded
                .names()
                .filter(|name| !rules.iter().any(|rule| rule.name == **name || rule.name.trim() == **name))
                .collect();
            if !unknown.is_empty() {
                let message = format!("{} is none of the given rules", quoted(unknown));
                findings.push(finding(subject.session, code::UNKNOWN_RULE, recorded.entry, message));
            }
        }
        for changed in changed_rules(subject) {
            let message = format!("the reminder of `{}` is not what the rule file says now", changed.rule);
            findings.push(finding(subject.session, code::CHANGED_RULE, changed.entry, message));
        }
        Ok(())
    }
}

/// Every reminder of the file.
pub(crate) fn reminders(subject: &Subject<'_>) -> Vec<Reminder> {
    let tags = subject.shown.iter().flat_map(|shown| shown.tags.iter().map(|tag| (shown.entry, tag)));
    tags.map(|(entry, tag)| Reminder { rule: tag.rule.clone(), entry, content: without_introduction(&tag.body) })
        .collect()
}

/// The reminders of given rules that say something else than the rule.
pub(crate) fn changed_rules(subject: &Subject<'_>) -> Vec<ChangedRule> {
    let rules = subject.options.rules.unwrap_or_default();
    let mut changed = Vec::new();
    for shown in &subject.shown {
        for tag in &shown.tags {
            let rule = rules.iter().find(|rule| rule.name.trim() == tag.rule);
            if let Some(rule) = rule.filter(|rule| !shows(&tag.body, rule)) {
                changed.push(ChangedRule {
                    rule: rule.name.clone(),
                    entry: shown.entry,
                    reminder: without_introduction(&tag.body),
                    content: rule.content.clone(),
                });
            }
        }
    }
    changed
}

/// Whether the body of a reminder ends with the rule's content. White space and the rulers of tables do not count,
/// since rendering tidies both.
pub(crate) fn shows(body: &JsString, rule: &KnownRule) -> bool {
    let essence = |text: &JsString| -> String {
        text.to_string_lossy().chars().filter(|c| !c.is_whitespace() && *c != '-').collect()
    };
    essence(body).ends_with(&essence(&rule.content))
}

/// The body behind the sentences of the template, which end with the first blank line.
pub(crate) fn without_introduction(body: &JsString) -> JsString {
    let blank = body.units().windows(2).position(|pair| pair == [0x0A, 0x0A]);
    blank.map_or_else(|| body.clone(), |at| JsString::from_units(&body.units()[at + 2..])).trim()
}
