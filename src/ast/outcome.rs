//! [`Outcome`]: what the patterns of a rule say about a source.

use std::ops::Range;

/// Where a pattern matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Index of the pattern in the rule's list.
    pub pattern: usize,
    /// Code units of the source that the node spans.
    pub range: Range<usize>,
}

/// What a rule's patterns say about a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(any(feature = "grammars", feature = "internals")),
    expect(dead_code, reason = "a build without grammars decides nothing")
)]
pub enum Outcome {
    /// A node matches a pattern.
    Match(Hit),
    /// None does, or the agent refuses the language or all patterns.
    NoMatch,
    /// The agent accepts the language, this build lacks its grammar.
    NoGrammar,
    /// It could not be decided within the budget; the reason in a sentence without a full stop.
    Undecided(String),
}
