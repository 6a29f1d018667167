//! [`RuleTotals`]: the sums of one rule, and the places that are shown of it.

use std::collections::BTreeMap;

use crate::host::trace::{At, Matched, TraceEvent, Trigger};
use crate::lifecycle::Decision;
use crate::message::Source;
use crate::text::JsString;

/// How many inputs are shown of each rule.
const SAMPLES: usize = 4;

/// How many places a sum shows.
const PLACES: usize = 3;

/// The sums of one rule.
#[derive(Clone, Debug, Default)]
pub struct RuleTotals {
    /// Whether it was given to any input; else only recordings name it.
    pub is_given: bool,
    /// Inputs for which it is registered.
    pub registered: usize,
    /// Why it is not, where it is not.
    pub reason: Option<String>,
    /// Inputs in which it matches.
    pub inputs: usize,
    /// Messages in which it matches.
    pub messages: usize,
    /// Triggers.
    pub triggers: usize,
    /// Triggers by decision.
    pub decisions: BTreeMap<&'static str, usize>,
    /// Triggers whose condition does not match the whole block.
    pub premature: usize,
    /// Decisions that could not be reached.
    pub undecided: usize,
    /// `ttsr_injection` entries that the run would have written.
    pub persisted: usize,
    /// By what makes it match, how often that is what matched first.
    pub matches: BTreeMap<(&'static str, JsString), usize>,
    /// Injections of the recordings by what came of them.
    pub outcomes: BTreeMap<&'static str, usize>,
    /// Injections behind which the rule matched ever again.
    pub again: usize,
    /// Messages at which the recordings do not inject it, by the likely reason.
    pub uninjected: BTreeMap<&'static str, usize>,
    /// The first match in each of the first inputs, by name.
    pub samples: BTreeMap<String, Sample>,
}

/// A place at which a rule matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Where.
    pub at: At,
    /// The stream.
    pub source: Source,
    /// The tool's name as called.
    pub tool: Option<JsString>,
    /// The first path of the call.
    pub path: Option<JsString>,
    /// What follows.
    pub decision: Decision,
    /// What matched.
    pub matched: Matched,
    /// At most 80 code points around the match.
    pub excerpt: JsString,
    /// Where in it the match begins and ends, in code points.
    pub marked: Option<(usize, usize)>,
    /// Whether the condition matches at this point but not the whole block.
    pub premature: bool,
}

impl RuleTotals {
    /// Takes what an input says of the rule.
    pub(super) fn listed(&mut self, registered: bool, reason: Option<&str>, matches: &[Matched]) {
        self.is_given = true;
        self.registered += usize::from(registered);
        if let Some(reason) = reason
            && self.reason.as_deref().is_none_or(|known| reason < known)
        {
            self.reason = Some(reason.to_owned());
        }
        for one in matches {
            self.matches.entry((one.kind(), one.text().clone())).or_default();
        }
    }

    /// Counts a trigger that names the rule.
    pub(super) fn triggered(&mut self, event: &TraceEvent, trigger: &Trigger, name: &JsString) {
        self.triggers += 1;
        *self.decisions.entry(trigger.decision.as_str()).or_default() += 1;
        let own: Vec<_> = trigger.by.iter().filter(|by| by.rule == *name).collect();
        let is_premature = own.iter().any(|by| by.premature);
        self.premature += usize::from(is_premature);
        let Some(by) = own.first() else { return };
        *self.matches.entry((by.matched.kind(), by.matched.text().clone())).or_default() += 1;
        let is_late = self.samples.len() >= SAMPLES
            && self.samples.last_key_value().is_some_and(|(last, _)| *last < event.at.input);
        if is_late || self.samples.contains_key(&event.at.input) {
            return;
        }
        let sample = Sample {
            at: event.at.clone(),
            source: trigger.source,
            tool: trigger.tool.clone(),
            path: trigger.paths.first().cloned(),
            decision: trigger.decision,
            matched: by.matched.clone(),
            excerpt: by.excerpt.clone(),
            marked: by.marked,
            premature: is_premature,
        };
        self.samples.insert(event.at.input.clone(), sample);
        if self.samples.len() > SAMPLES {
            self.samples.pop_last();
        }
    }
}

/// How often something was seen, and the first places of it by name.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// How often.
    pub times: usize,
    /// File and line, each once.
    pub first: std::collections::BTreeSet<(String, Option<usize>)>,
}

impl Places {
    pub(super) fn add(&mut self, event: &TraceEvent) {
        self.times += 1;
        self.first.insert((event.at.input.clone(), event.at.line));
        if self.first.len() > PLACES {
            self.first.pop_last();
        }
    }
}
