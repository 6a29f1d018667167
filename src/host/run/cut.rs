//! How matches depend on where the deltas end: settled once the whole block is known.

use std::collections::HashMap;

use crate::pattern::ChunkDependence;
use crate::text::JsString;

use super::Run;
use crate::host::trace::{TraceEvent, TraceKind};

/// A match whose dependence on the cut is known only when the whole block is.
#[derive(Debug)]
pub(crate) struct OpenHit {
    /// Index of the trigger among the held events.
    pub(crate) event: usize,
    /// Index in the trigger's `by`.
    pub(crate) by: usize,
    pub(crate) pattern: usize,
    pub(crate) buffer: JsString,
    pub(crate) seen: usize,
}

impl Run<'_> {
    /// Whether something matched since the last [`Run::settle`].
    pub fn has_open_hits(&self) -> bool {
        !self.hits.is_empty()
    }

    /// The buffers in which something matched since the last [`Run::settle`], with their present text.
    pub fn open_buffers(&self) -> Vec<(JsString, Vec<u16>)> {
        let mut buffers: Vec<(JsString, Vec<u16>)> = Vec::new();
        for hit in &self.hits {
            if buffers.iter().all(|(key, _)| *key != hit.buffer) {
                let text = self.coordinator.manager().buffer(&hit.buffer).unwrap_or_default();
                buffers.push((hit.buffer.clone(), text.to_vec()));
            }
        }
        buffers
    }

    /// Settles how matches depend on the cut, given the whole text of their buffers.
    ///
    /// The answer is the same for every check point at which a condition matched, so it is found once per buffer.
    pub fn settle(&mut self, whole: &HashMap<JsString, Vec<u16>>) {
        let patterns = self.coordinator.manager().patterns().clone();
        let mut known: HashMap<(usize, JsString), ChunkDependence> = HashMap::new();
        for hit in std::mem::take(&mut self.hits) {
            let Some(text) = whole.get(&hit.buffer).filter(|text| text.len() >= hit.seen) else { continue };
            let dependence = known
                .entry((hit.pattern, hit.buffer.clone()))
                .or_insert_with(|| patterns.chunk_dependence(hit.pattern, text, hit.seen));
            let ChunkDependence { premature, chunk_dependent, undecided } = *dependence;
            let Some(TraceEvent { kind: TraceKind::Trigger(trigger), .. }) = self.held.get_mut(hit.event) else {
                continue;
            };
            let by = &mut trigger.by[hit.by];
            (by.premature, by.chunk_dependent) = (premature, chunk_dependent);
            let (rule, matched) = (by.rule.clone(), by.matched.clone());
            if (chunk_dependent || undecided) && !self.observed.chunk_dependent.contains(&rule) {
                self.observed.chunk_dependent.push(rule.clone());
            }
            if undecided {
                let why = "whether another cut of the text decides otherwise: the step budget ended".to_owned();
                self.emit(TraceKind::Undecided { rule, matched, why });
            }
        }
    }
}
