//! The guards before a handoff (handoff.md H1).

use crate::generation::Pipeline;
use crate::session::{EntryKind, Session, SessionError};

use super::kept_tail;

/// How many `message` entries there are; nothing else counts (handoff.md H1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// In the whole file.
    pub file: usize,
    /// On the branch of the leaf, a handoff exchange at its end left out.
    pub branch: usize,
}

impl Count {
    /// Counts over `session`; `branch` are the entries of the branch.
    pub fn of(session: &Session, branch: &[usize]) -> Self {
        let is_message = |at: usize| session.entry(at).and_then(|entry| entry.kind()) == Some(EntryKind::Message);
        Self {
            file: (0..session.len()).filter(|at| is_message(*at)).count(),
            branch: branch.iter().filter(|at| is_message(**at)).count(),
        }
    }
}

/// Why a handoff does not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Fewer than two messages in the whole file: already the user interface warns.
    TooFewInFile,
    /// Fewer than two messages on the branch.
    TooFewOnBranch,
    /// Nothing lies before what would be kept (fifth generation).
    AlreadyCompacted,
}

/// Fewer messages are no conversation.
const LEAST_MESSAGES: usize = 2;

impl Refusal {
    /// What is said, by us and by the agent.
    pub fn message(self) -> &'static str {
        match self {
            Self::TooFewInFile | Self::TooFewOnBranch => "Nothing to hand off (no messages yet)",
            Self::AlreadyCompacted => "Nothing to hand off (already compacted)",
        }
    }

    /// What the generation's agent would have shown: the first guard warns, the second raises (handoff.md H1.1, H1.3).
    pub fn reference(self) -> String {
        match self {
            Self::TooFewInFile => self.message().to_owned(),
            Self::TooFewOnBranch | Self::AlreadyCompacted => format!("Handoff failed: {}", self.message()),
        }
    }
}

/// Applies the guards in their order.
///
/// # Errors
/// When an entry cannot be read.
pub fn check(session: &Session, branch: &[usize], pipeline: Pipeline) -> Result<Result<Count, Refusal>, SessionError> {
    let count = Count::of(session, branch);
    if count.file < LEAST_MESSAGES {
        return Ok(Err(Refusal::TooFewInFile));
    }
    if count.branch < LEAST_MESSAGES {
        return Ok(Err(Refusal::TooFewOnBranch));
    }
    if pipeline == Pipeline::G5 && kept_tail(session, branch)?.is_none() {
        return Ok(Err(Refusal::AlreadyCompacted));
    }
    Ok(Ok(count))
}
