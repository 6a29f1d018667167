//! The syntax tree of a pattern: an arena in which children stand before their parents, so that analyses are loops and
//! deep nesting costs no call stack.

use std::ops::Range;

use crate::pattern::syntax::charset::CharSet;

/// Index of a node in its [`Tree`].
pub(crate) type NodeId = usize;

/// A repeat count that means "any number", and to which greater counts saturate.
pub(crate) const UNBOUNDED: u32 = u32::MAX;

/// One construct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// Matches the empty text.
    Empty,
    /// One code unit of the set with this index.
    Set(usize),
    /// A zero-width test of the neighbours.
    Assert(Assertion),
    Concat(Vec<NodeId>),
    /// Alternatives, in order of preference.
    Alternate(Vec<NodeId>),
    Repeat {
        child: NodeId,
        min: u32,
        max: u32,
        greedy: bool,
        /// Capture groups inside the child: they are unset at the start of each round.
        captures: Range<u32>,
    },
    /// A capture group; groups count from 1.
    Capture {
        child: NodeId,
        index: u32,
    },
    Look {
        child: NodeId,
        behind: bool,
        negative: bool,
    },
    /// The text of the first set group of the list (a name may belong to several groups).
    BackReference {
        groups: Vec<u32>,
        fold: bool,
    },
}

/// The zero-width tests that need one neighbour on each side at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Assertion {
    Start,
    End,
    LineStart,
    LineEnd,
    WordBoundary,
    NotWordBoundary,
}

/// A parsed pattern.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// Where each node stands in the source, in code units.
    pub(crate) spans: Vec<Range<usize>>,
    pub(crate) sets: Vec<CharSet>,
    pub(crate) root: NodeId,
    /// Number of capture groups.
    pub(crate) captures: u32,
}

impl Assertion {
    /// Whether the test holds between two units.
    pub(crate) fn holds(self, before: Neighbour, after: Neighbour) -> bool {
        match self {
            Self::Start => before == Neighbour::Edge,
            Self::End => after == Neighbour::Edge,
            Self::LineStart => matches!(before, Neighbour::Edge | Neighbour::LineEnd),
            Self::LineEnd => matches!(after, Neighbour::Edge | Neighbour::LineEnd),
            Self::WordBoundary => (before == Neighbour::Word) != (after == Neighbour::Word),
            Self::NotWordBoundary => (before == Neighbour::Word) == (after == Neighbour::Word),
        }
    }
}

/// What stands beside a position, as far as an assertion can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Neighbour {
    /// The start or the end of the text.
    Edge,
    Word,
    LineEnd,
    Other,
}

impl Neighbour {
    pub(crate) fn of(unit: Option<u16>) -> Self {
        match unit {
            None => Self::Edge,
            Some(unit) if crate::pattern::syntax::charset::is_word(unit) => Self::Word,
            Some(unit) if crate::pattern::syntax::charset::is_line_end(unit) => Self::LineEnd,
            Some(_) => Self::Other,
        }
    }
}
