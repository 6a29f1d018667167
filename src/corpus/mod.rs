//! [`Corpus`]: what rules do over many inputs, summed up from their traces (cli.md section 2, the report).
//!
//! Nothing here depends on the order of the inputs or on how they were shared among processes: counts are sums, and
//! what is shown of places is chosen by their names. So a report from one process equals that from the traces of several
//! ([`read`]). Memory grows with the rules, not with the inputs; what was refused is kept by name.

pub mod read;
mod rule;

use std::collections::{BTreeMap, BTreeSet};

use crate::host::trace::{Counting, TraceEvent, TraceKind};
use crate::text::JsString;

pub use rule::{Places, RuleTotals, Sample};

/// An input that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefusedInput {
    /// Its name.
    pub input: String,
    /// The kind of failure.
    pub code: JsString,
    /// The failure in words.
    pub why: JsString,
}

/// The sums over many inputs.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// How many inputs were played.
    pub inputs: usize,
    /// By kind of input, how many.
    pub kinds: BTreeMap<&'static str, usize>,
    /// By generation, how many.
    pub lifecycles: BTreeMap<&'static str, usize>,
    /// By the way recorded messages were cut, how many.
    pub chunks: BTreeMap<String, usize>,
    /// What was counted; none for a run that stands for itself.
    pub counted: BTreeSet<Option<Counting>>,
    /// The earliest and the latest time in a header.
    pub times: Option<(JsString, JsString)>,
    /// Assistant messages that ended.
    pub messages: usize,
    /// Those that rules interrupted, the user aborted, or that ended in an error.
    pub cut_short: [usize; 3],
    /// UTF-8 bytes of delta text.
    pub bytes: usize,
    /// Deltas.
    pub deltas: usize,
    /// Triggers; one that names several rules counts once.
    pub triggers: usize,
    /// Premature triggers, with places.
    pub premature: Places,
    /// Decisions that could not be reached, with places.
    pub undecided: Places,
    /// By name.
    pub rules: BTreeMap<JsString, RuleTotals>,
    /// Pairs of rules that match in the same message, with the number of such messages.
    pub together: BTreeMap<(JsString, JsString), usize>,
    /// What could not be read.
    pub refused: BTreeSet<RefusedInput>,
    /// The rules that matched in the messages of the present input.
    matched: BTreeMap<usize, BTreeSet<JsString>>,
}

impl Corpus {
    /// Takes the next event. The events of an input come together, in their order.
    pub fn event(&mut self, event: &TraceEvent) {
        match &event.kind {
            TraceKind::Run { input_kind, lifecycle, chunk, count, .. } => {
                self.end_input();
                self.inputs += 1;
                *self.kinds.entry(input_kind).or_default() += 1;
                *self.lifecycles.entry(lifecycle).or_default() += 1;
                if *input_kind == "session" {
                    *self.chunks.entry(chunk.clone()).or_default() += 1;
                }
                self.counted.insert(*count);
            }
            TraceKind::Rule { name, registered, reason, matches, .. } => {
                self.rule(name).listed(*registered, reason.as_deref(), matches);
            }
            TraceKind::Trigger(trigger) => {
                self.triggers += 1;
                if trigger.by.iter().any(|by| by.premature) {
                    self.premature.add(event);
                }
                let rules: BTreeSet<&JsString> = trigger.rules.iter().collect();
                for rule in rules {
                    self.rule(rule).triggered(event, trigger, rule);
                    self.matched.entry(event.at.message.unwrap_or_default()).or_default().insert(rule.clone());
                }
            }
            TraceKind::Undecided { rule, .. } => {
                self.undecided.add(event);
                self.rule(rule).undecided += 1;
            }
            TraceKind::Persist { rules, .. } => {
                for rule in rules {
                    self.rule(rule).persisted += 1;
                }
            }
            TraceKind::Followed { rule, outcome, again, .. } => {
                let rule = self.rule(rule);
                *rule.outcomes.entry(outcome.as_str()).or_default() += 1;
                rule.again += usize::from(*again);
            }
            TraceKind::Uninjected { rule, why, messages } => {
                *self.rule(rule).uninjected.entry(why.as_str()).or_default() += messages;
            }
            TraceKind::Input { time: Some(time), .. } => {
                let (first, last) = self.times.take().unwrap_or_else(|| (time.clone(), time.clone()));
                self.times = Some((first.min(time.clone()), last.max(time.clone())));
            }
            TraceKind::Refused { code, why } => {
                let (code, why) = (code.clone(), why.clone());
                self.refused.insert(RefusedInput { input: event.at.input.clone(), code, why });
            }
            TraceKind::Summary(summary) => {
                self.messages += summary.messages;
                let ends = [summary.interrupted_messages, summary.aborted_messages, summary.failed_messages];
                self.cut_short.iter_mut().zip(ends).for_each(|(sum, more)| *sum += more);
                self.bytes += summary.bytes;
                self.deltas += summary.deltas;
                self.end_input();
            }
            _ => {}
        }
    }

    fn rule(&mut self, name: &JsString) -> &mut RuleTotals {
        self.rules.entry(name.clone()).or_default()
    }

    /// Counts the messages and the inputs of the rules that matched in the input that ends.
    fn end_input(&mut self) {
        let mut inputs: BTreeSet<JsString> = BTreeSet::new();
        for rules in std::mem::take(&mut self.matched).into_values() {
            for (at, rule) in rules.iter().enumerate() {
                self.rule(rule).messages += 1;
                for other in rules.iter().skip(at + 1) {
                    *self.together.entry((rule.clone(), other.clone())).or_default() += 1;
                }
            }
            inputs.extend(rules);
        }
        for rule in inputs {
            self.rule(&rule).inputs += 1;
        }
    }

    /// The rules that are registered for some input.
    pub fn registered(&self) -> impl Iterator<Item = (&JsString, &RuleTotals)> {
        self.rules.iter().filter(|(_, rule)| rule.registered > 0)
    }

    /// How often a rule triggers in 1,000 assistant messages.
    pub fn rate(&self, rule: &RuleTotals) -> f64 {
        per_thousand(rule.triggers, self.messages)
    }
}

/// Assistant messages that a rate refers to.
const RATE_MESSAGES: f64 = 1_000.0;

fn per_thousand(times: usize, messages: usize) -> f64 {
    times as f64 * RATE_MESSAGES / messages.max(1) as f64
}

/// What part of the whole something is, in percent. All of nothing is all.
pub fn percentage(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 }
}
