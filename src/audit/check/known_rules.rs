//! A8: names that no given rule has, rules that the settings disable, reminders that the rule file contradicts.

use crate::diagnostic::{Diagnostic, code};
use crate::session::SessionError;
use crate::text::JsString;

use super::super::KnownRule;
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
            let unknown: Vec<_> =
                recorded.names().filter(|name| !rules.iter().any(|rule| rule.name == **name)).collect();
            if !unknown.is_empty() {
                let message = format!("{} is none of the given rules", quoted(unknown));
                findings.push(finding(subject.session, code::UNKNOWN_RULE, recorded.entry, message));
            }
        }
        for shown in &subject.shown {
            for tag in &shown.tags {
                let rule = options.rules.unwrap_or_default().iter().find(|rule| rule.name == tag.rule);
                if let Some(rule) = rule
                    && !shows(&tag.body, rule)
                {
                    let message = format!("the reminder of `{}` is not what the rule file says now", tag.rule);
                    let found = finding(subject.session, code::CHANGED_RULE, shown.entry, message);
                    findings.push(found.with_help(difference(&tag.body, rule)));
                }
            }
        }
        Ok(())
    }
}

/// Whether the body of a reminder ends with the rule's content. White space and the rulers of tables do not count,
/// since rendering tidies both.
fn shows(body: &JsString, rule: &KnownRule) -> bool {
    let essence = |text: &JsString| -> String {
        text.to_string_lossy().chars().filter(|c| !c.is_whitespace() && *c != '-').collect()
    };
    essence(body).ends_with(&essence(&rule.content))
}

/// The lines that differ, as a unified diff from the reminder to the rule.
fn difference(body: &JsString, rule: &KnownRule) -> String {
    let (body, content) = (body.to_string_lossy(), rule.content.to_string_lossy());
    // The sentences in front of the rule's content are the template's.
    let body = body.trim().split_once("\n\n").map_or(body.trim(), |(_, content)| content);
    let diff = similar::TextDiff::from_lines(body, content.trim());
    diff.unified_diff().header("reminder", "rule").to_string()
}
