//! Why a session cannot be read, or something in it not be told.

use std::io;

use crate::diagnostic::Diagnostic;
use crate::text::json::Value;

use super::slot::TitleSlot;

/// A file that is not opened as a session (session.md S1.8).
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// At which step.
    pub step: RefusedStep,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// Number of records that could not be read.
    pub malformed: usize,
    /// The version that the header names, 1 when it names none; none without a header.
    pub version_before: Option<Value>,
    /// Whether the agent would migrate: always so without a header.
    pub migrated: bool,
    /// The title slot, when the first line is one.
    pub title_slot: Option<TitleSlot>,
    /// The findings up to then.
    pub diagnostics: Vec<Diagnostic>,
}

/// The step at which a file is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedStep {
    /// The first record is no header with a string id.
    Header,
    /// The migration from version 1 or 2 raises (faithful mode only).
    Migration,
    /// Opening raises: a line `null`, a `message` entry without message, or a usage without cost (faithful mode
    /// only).
    Opening,
}

/// Why a session could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The input could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The input was read and is no session, or one that the agent would not open.
    #[error("{}", .0.message)]
    Refused(Box<Refusal>),
}

/// Why something could not be taken from a session that was read.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The file could not be read again, or changed meanwhile.
    #[error("cannot read line {line} of the session again: {error}")]
    Io {
        /// 1-based line of the entry.
        line: usize,
        /// What happened.
        error: io::Error,
    },
    /// The agent raises here (faithful mode only).
    #[error("line {line}: {message}")]
    Raises {
        /// 1-based line of the entry.
        line: usize,
        /// What the agent stumbles over.
        message: &'static str,
    },
}
