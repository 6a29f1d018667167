//! Turn counting along a branch (session.md S10.2 A3, engine.md E8).

use std::collections::BTreeMap;

use crate::session::{EntryKind, Role};

use super::subject::Subject;

/// Where an entry stands on a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// Position on the branch.
    pub(super) position: usize,
    /// Turns completed before: assistant messages that no rule interrupted, with their results.
    pub(super) completed: usize,
    /// Turns ended before, interrupted ones included: what the agent counts.
    pub(super) ended: usize,
    /// The same count where the process that wrote the entry began.
    pub(super) process_start: usize,
    /// Which process, by `session_exit` entries.
    pub(super) process: usize,
}

/// The turns of a branch.
pub(super) struct Turns {
    marks: BTreeMap<usize, Mark>,
    /// At the last entry of the branch.
    pub(super) last: Mark,
    /// At the end of the branch.
    pub(super) end: Mark,
}

impl Turns {
    /// Counts along `branch` and marks the places that matter.
    pub(super) fn count(subject: &Subject<'_>, branch: &[u32]) -> Self {
        let mut marks = BTreeMap::new();
        let mut mark = Mark::default();
        // The running turn, and whether a rule interrupted it.
        let mut open: Option<bool> = None;
        for (position, at) in branch.iter().enumerate() {
            let Some(entry) = subject.entry(*at as usize) else { continue };
            mark.position = position;
            let closes = match entry.kind() {
                Some(EntryKind::Message) => entry.role() != Role::ToolResult,
                Some(EntryKind::CustomMessage) => true,
                _ => entry.is_session_exit(),
            };
            if closes && let Some(interrupted) = open.take() {
                mark.ended += 1;
                mark.completed += usize::from(!interrupted);
            }
            if entry.is_session_exit() {
                mark.process += 1;
                mark.process_start = mark.ended;
            }
            if subject.places.contains(&entry.index()) {
                marks.insert(entry.index(), mark);
            }
            if entry.role() == Role::Assistant {
                open = Some(subject.interrupted.contains_key(&entry.index()));
            }
        }
        let last = mark;
        if let Some(interrupted) = open {
            mark.ended += 1;
            mark.completed += usize::from(!interrupted);
        }
        Self { marks, last, end: mark }
    }

    /// Where an entry stands, when it is one of the places and on the branch.
    pub(super) fn mark(&self, at: usize) -> Option<&Mark> {
        self.marks.get(&at)
    }
}
