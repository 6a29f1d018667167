//! What the engine did at one message, for the comparison with a recording.

use crate::lifecycle::{Decision, Fold, Injection};
use crate::text::JsString;

/// What was decided from a message's start to the end of its turn, retries included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// The matches in order, a batch each, announced or not.
    pub batches: Vec<Batch>,
    /// Reminders that were delivered or injected as messages.
    pub injected: Vec<Injection>,
    /// Warnings after a judge's yes that were delivered.
    pub warned: Vec<Injection>,
    /// The rules of each follow-up after a match.
    pub delivered: Vec<Vec<JsString>>,
    /// Rules of each persisted entry.
    pub persisted: Vec<Vec<JsString>>,
    /// Reminders put in front of tool results.
    pub folded: Vec<Fold>,
    /// Rules whose match another cut of the text could change.
    pub chunk_dependent: Vec<JsString>,
    /// Rules of decisions that could not be reached.
    pub undecided: Vec<JsString>,
}

/// Rules that matched together.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Their names in order.
    pub rules: Vec<JsString>,
    /// What followed.
    pub decision: Decision,
    /// Content block and delta at which they matched.
    pub delta: (Option<usize>, Option<usize>),
    /// The call that matched, where it has an id.
    pub tool_call: Option<JsString>,
}

impl Observed {
    /// The announced rules in order of first appearance: deferred matches are not announced.
    pub fn announced(&self) -> Vec<JsString> {
        distinct(self.batches.iter().filter(|batch| batch.decision != Decision::Defer).flat_map(|batch| &batch.rules))
    }

    /// The batches that interrupted, in order.
    pub fn interrupts(&self) -> Vec<&Batch> {
        self.batches.iter().filter(|batch| batch.decision == Decision::Interrupt).collect()
    }

    /// Whether any batch interrupted.
    pub fn interrupted(&self) -> bool {
        self.batches.iter().any(|batch| batch.decision == Decision::Interrupt)
    }
}

/// Names in order of first appearance.
pub fn distinct<'a>(names: impl IntoIterator<Item = &'a JsString>) -> Vec<JsString> {
    let mut seen: Vec<JsString> = Vec::new();
    for name in names {
        if !seen.contains(name) {
            seen.push(name.clone());
        }
    }
    seen
}
