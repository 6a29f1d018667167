//! [`Summary`]: the totals of a run, counted from its trace.

use std::collections::HashMap;

use crate::json_object;
use crate::lifecycle::Decision;
use crate::text::JsString;
use crate::text::json::Value;

use super::trace::TraceKind;

/// Totals of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Counts over all rules: what names several counts once.
    pub all: Totals,
    /// Counts per rule, in registration order.
    pub per_rule: Vec<(JsString, Totals)>,
    /// Where each rule stands in that list.
    places: HashMap<JsString, usize>,
    /// Recorded matches that the file does not allow to reproduce.
    pub not_reproducible: usize,
    /// Recorded matches that are a race in the agent itself (engine.md E6.6).
    pub races: usize,
    /// UTF-8 bytes of delta text.
    pub bytes: usize,
    /// Deltas fed.
    pub deltas: usize,
    /// Assistant messages that ended.
    pub messages: usize,
    /// Those that rules interrupted: no failures.
    pub interrupted_messages: usize,
    /// Those that the user aborted.
    pub aborted_messages: usize,
    /// Those that ended in an error.
    pub failed_messages: usize,
}

/// What happened, of one rule or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Triggers.
    pub triggers: usize,
    /// Those that interrupt.
    pub interrupts: usize,
    /// Those that defer.
    pub deferred: usize,
    /// Those that fold.
    pub folded: usize,
    /// Warnings after a judge's yes.
    pub warned: usize,
    /// `ttsr_injection` entries written.
    pub persisted: usize,
    /// Triggers whose condition does not match the whole block.
    pub premature: usize,
    /// Verdicts that could not be reached.
    pub undecided: usize,
}

impl Totals {
    /// The counts as a member of a trace's last line.
    pub fn to_value(self) -> Value {
        Value::Object(json_object! {
            "triggers": self.triggers,
            "interrupts": self.interrupts,
            "deferred": self.deferred,
            "folded": self.folded,
            "warned": self.warned,
            "persisted": self.persisted,
            "premature": self.premature,
            "undecided": self.undecided,
        })
    }

    fn trigger(&mut self, decision: Decision, premature: bool) {
        self.triggers += 1;
        self.premature += usize::from(premature);
        match decision {
            Decision::Interrupt => self.interrupts += 1,
            Decision::Defer => self.deferred += 1,
            Decision::Fold => self.folded += 1,
            Decision::Warn => self.warned += 1,
        }
    }
}

impl Summary {
    /// The totals of `rule`, made when there are none yet.
    fn of(&mut self, rule: &JsString) -> &mut Totals {
        let at = self.places.get(rule).copied().unwrap_or_else(|| {
            self.places.insert(rule.clone(), self.per_rule.len());
            self.per_rule.push((rule.clone(), Totals::default()));
            self.per_rule.len() - 1
        });
        &mut self.per_rule[at].1
    }

    /// Counts one event.
    pub fn count(&mut self, kind: &TraceKind) {
        match kind {
            TraceKind::Rule { name, registered: true, .. } => {
                self.of(name);
            }
            TraceKind::Trigger(trigger) => {
                self.all.trigger(trigger.decision, trigger.by.iter().any(|by| by.premature));
                for (at, rule) in trigger.rules.iter().enumerate() {
                    if !trigger.rules[..at].contains(rule) {
                        let premature = trigger.by.iter().any(|by| by.rule == *rule && by.premature);
                        self.of(rule).trigger(trigger.decision, premature);
                    }
                }
            }
            TraceKind::Persist { rules, .. } => {
                self.all.persisted += 1;
                rules.iter().for_each(|rule| self.of(rule).persisted += 1);
            }
            TraceKind::Undecided { rule, .. } => {
                self.all.undecided += 1;
                self.of(rule).undecided += 1;
            }
            _ => {}
        }
    }
}
