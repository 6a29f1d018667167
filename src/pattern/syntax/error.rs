//! Why a pattern cannot be used.

use std::ops::Range;

use thiserror::Error;

/// A pattern that does not compile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct PatternError {
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// Where, in code units of the source as given (a leading flag group counts).
    pub span: Range<usize>,
    /// How to mend it, where that is known.
    pub help: Option<String>,
    /// Whether the grammar or a limit of this tool refuses the pattern.
    pub kind: PatternErrorKind,
}

/// The two grounds for refusing a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternErrorKind {
    /// ECMAScript refuses it, so the agent skips it too.
    Syntax,
    /// ECMAScript takes it, but it is larger than this tool evaluates; the agent may match it.
    TooLarge,
}

impl PatternError {
    pub(crate) fn syntax(message: impl Into<String>, span: Range<usize>) -> Self {
        Self { message: message.into(), span, help: None, kind: PatternErrorKind::Syntax }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
