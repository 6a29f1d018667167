//! What waits to be injected: the pending queue, the buckets of tool calls, the reservations of deliveries.

use std::collections::{HashMap, HashSet};

use crate::engine::Record;
use crate::text::JsString;

/// Rules that wait for a retry or a follow-up, by index, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    rules: Vec<usize>,
    /// Deliveries that are under way, with the rules that they hold (engine.md E7.6).
    reserved: Vec<(u64, Vec<usize>)>,
}

impl Pending {
    /// Queues a rule unless it is queued or reserved already; tells whether it was added.
    pub(crate) fn add(&mut self, rule: usize) -> bool {
        let known = self.rules.contains(&rule) || self.reserved.iter().any(|(_, rules)| rules.contains(&rule));
        if !known {
            self.rules.push(rule);
        }
        !known
    }

    /// Queues a rule even when it is queued already.
    pub(crate) fn push(&mut self, rule: usize) {
        self.rules.push(rule);
    }

    #[cfg(feature = "internals")]
    pub(crate) fn rules(&self) -> &[usize] {
        &self.rules
    }

    pub(crate) fn take(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.rules)
    }

    pub(crate) fn reserve(&mut self, delivery: u64, rules: Vec<usize>) {
        self.reserved.push((delivery, rules));
    }

    pub(crate) fn reserved(&self) -> &[(u64, Vec<usize>)] {
        &self.reserved
    }

    /// Ends a reservation; an unknown delivery changes nothing.
    pub(crate) fn release(&mut self, delivery: u64) {
        self.reserved.retain(|(id, _)| *id != delivery);
    }

    pub(crate) fn release_all(&mut self) {
        self.reserved.clear();
    }
}

/// What was announced for each call of the turn, by the call's stream key (generation-v4.md W11.1).
#[derive(Clone, Debug, Default)]
pub(crate) struct Announced(HashMap<JsString, HashSet<usize>>);

impl Announced {
    /// Notes rules as announced; tells whether any of them is news for the key.
    pub(crate) fn add(&mut self, key: &JsString, rules: &[usize]) -> bool {
        let known = self.0.entry(key.clone()).or_default();
        let before = known.len();
        known.extend(rules);
        known.len() > before
    }

    /// The turn has ended.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// A rule whose reminder is to go into a tool result.
#[derive(Clone, Debug)]
pub(crate) struct Folded {
    pub(crate) rule: usize,
    /// The rule's record before the match marked it.
    pub(crate) before: Option<Record>,
    /// The record that the mark left.
    pub(crate) after: Option<Record>,
}

/// The reminders of each tool call, by call id, in order of first match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets(Vec<(JsString, Vec<Folded>)>);

impl Buckets {
    /// Whether some call holds the rule already: the first sibling keeps it.
    pub(crate) fn holds(&self, rule: usize) -> bool {
        self.0.iter().any(|(_, rules)| rules.iter().any(|folded| folded.rule == rule))
    }

    pub(crate) fn add(&mut self, call: &JsString, folded: Folded) {
        match self.0.iter_mut().find(|(id, _)| id == call) {
            Some((_, rules)) => rules.push(folded),
            None => self.0.push((call.clone(), vec![folded])),
        }
    }

    /// The reminders of one call.
    pub(crate) fn take(&mut self, call: &JsString) -> Vec<Folded> {
        let at = self.0.iter().position(|(id, _)| id == call);
        at.map(|at| self.0.remove(at).1).unwrap_or_default()
    }

    /// All reminders, in order.
    pub(crate) fn clear(&mut self) -> Vec<Folded> {
        std::mem::take(&mut self.0).into_iter().flat_map(|(_, rules)| rules).collect()
    }
}
