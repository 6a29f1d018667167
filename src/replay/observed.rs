//! What the engine did at one recorded message, for the comparison with the recording.

use crate::lifecycle::Decision;
use crate::text::JsString;

/// What was decided from a message's start to the end of its turn, retries included.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Observed {
    /// Announced triggers in order: rules, decision, and which of the rules depend on the cut.
    pub announced: Vec<Announced>,
    /// Rules of all matches in order, a batch each, announced or not.
    pub batches: Vec<Vec<JsString>>,
    /// Rules of deferred matches, in order.
    pub deferred: Vec<JsString>,
    /// Rules of each reminder that was delivered or injected.
    pub injected: Vec<Vec<JsString>>,
    /// Rules of each persisted entry.
    pub persisted: Vec<Vec<JsString>>,
    /// Rules put in front of each tool result.
    pub folded: Vec<(JsString, Vec<JsString>)>,
    /// Rules whose match another cut of the text could change.
    pub chunk_dependent: Vec<JsString>,
}

/// One announced trigger.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Announced {
    /// The rules.
    pub rules: Vec<JsString>,
    /// What followed.
    pub decision: Decision,
}

impl Observed {
    /// The announced rules in order of first appearance.
    pub(super) fn rules(&self) -> Vec<JsString> {
        distinct(self.announced.iter().flat_map(|trigger| &trigger.rules))
    }

    /// Whether any trigger interrupted.
    pub(super) fn interrupted(&self) -> bool {
        self.announced.iter().any(|trigger| trigger.decision == Decision::Interrupt)
    }
}

/// Names in order of first appearance.
pub(super) fn distinct<'a>(names: impl IntoIterator<Item = &'a JsString>) -> Vec<JsString> {
    let mut seen: Vec<JsString> = Vec::new();
    for name in names {
        if !seen.contains(name) {
            seen.push(name.clone());
        }
    }
    seen
}
