//! [`PatternSet`]: the patterns of a rule set, joined.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::limits::PATTERN_STEPS;
use crate::pattern::backtrack::run::{Manner, Search};
use crate::pattern::chunk::{self, ChunkDependence};
use crate::pattern::compile::Pattern;
use crate::pattern::linear::lower::Lowering;
use crate::pattern::linear::program::Program;

/// Patterns of this many states or more get an automaton of their own, lest they swell the states of the others.
const ALONE: u64 = 3_000;

/// An immutable set of patterns, shared by all scanners; a pattern is addressed by its index.
#[derive(Debug)]
pub struct PatternSet {
    patterns: Vec<Pattern>,
    programs: Vec<Arc<Program>>,
    /// For each pattern, its number among those that need the backtracker.
    gates: Vec<Option<usize>>,
    /// The patterns that need the backtracker, in order of these numbers.
    gated: Vec<usize>,
    id: u64,
}

impl PatternSet {
    /// Joins patterns; their order gives the indices.
    pub fn new(patterns: Vec<Pattern>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut programs = Vec::new();
        let mut joint = Lowering::new();
        for (index, pattern) in patterns.iter().enumerate() {
            let Some(linear) = pattern.linear() else {
                continue;
            };
            if linear.root().size < ALONE {
                joint.add(index as u32, &linear.tree, &linear.facts());
            } else {
                programs.push(Arc::new(pattern.program(index as u32)));
            }
        }
        programs.insert(0, Arc::new(joint.finish()));
        let mut gated = Vec::new();
        let gates = patterns
            .iter()
            .enumerate()
            .map(|(index, pattern)| {
                pattern.needs_backtracking().then(|| {
                    gated.push(index);
                    gated.len() - 1
                })
            })
            .collect();
        Self { patterns, programs, gates, gated, id: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// Number of patterns.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there is no pattern.
    #[cfg(feature = "internals")]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether the set was made of these very patterns.
    pub fn is_of(&self, patterns: &[Pattern]) -> bool {
        self.patterns.len() == patterns.len()
            && self.patterns.iter().zip(patterns).all(|(own, other)| own.is_same(other))
    }

    /// The pattern with this index.
    pub fn pattern(&self, index: usize) -> Option<&Pattern> {
        self.patterns.get(index)
    }

    /// The leftmost match of a pattern in a text, as a range of code units; for the excerpt of a report.
    ///
    /// Nothing when there is no match, or when the search ran out of its step budget.
    pub fn find(&self, pattern: usize, text: &[u16]) -> Option<Range<usize>> {
        match self.patterns.get(pattern)?.search(text, Manner::First, &mut PATTERN_STEPS.get()) {
            Search::Found { range, .. } => Some(range),
            Search::Nothing | Search::OutOfSteps => None,
        }
    }

    /// How the decision for a pattern depends on the cut of a block: `whole` is the block's final text, `at` the length
    /// of the prefix at which the decision was taken. The text is read once.
    pub fn chunk_dependence(&self, pattern: usize, whole: &[u16], at: usize) -> ChunkDependence {
        self.patterns.get(pattern).map(|pattern| chunk::dependence(pattern, whole, at)).unwrap_or_default()
    }

    pub(crate) fn programs(&self) -> &[Arc<Program>] {
        &self.programs
    }

    pub(crate) fn gate(&self, pattern: usize) -> Option<usize> {
        self.gates.get(pattern).copied().flatten()
    }

    /// The patterns that need the backtracker, in order of their gates.
    pub(crate) fn gated(&self) -> &[usize] {
        &self.gated
    }

    /// Tells sets apart.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }
}
