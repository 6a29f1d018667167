//! How much a decision owes to where the text was cut (cli.md, "Terms").

use std::sync::Arc;

use crate::limits::PATTERN_STEPS;
use crate::pattern::backtrack::live::Live;
use crate::pattern::compile::Pattern;
use crate::pattern::linear::automaton::{Automaton, Position};
use crate::pattern::syntax::ending::Ending;
use crate::pattern::verdict::Verdict;

/// Cache for one pass over one block, in bytes.
const CACHE: usize = 8 << 20;

/// How the decision for one pattern depends on where the block was cut (cli.md, "Terms").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkDependence {
    /// The pattern matches at the check point but not the whole block.
    pub premature: bool,
    /// Premature, or there is a prefix that matches and a longer one that does not, so that some other cut of the block
    /// decides otherwise.
    pub chunk_dependent: bool,
    /// A step budget ended before the answer was certain; the two flags then say what was found until then.
    pub undecided: bool,
}

/// What is known of the prefixes read so far.
#[derive(Default)]
struct Prefixes {
    /// Whether a prefix has matched.
    matched: bool,
    at_check: bool,
    result: ChunkDependence,
}

impl Prefixes {
    fn add(&mut self, length: usize, at: usize, matches: bool) {
        self.result.chunk_dependent |= self.matched && !matches;
        self.matched |= matches;
        if length == at {
            self.at_check = matches;
        }
        self.result.premature = self.at_check && !matches;
    }
}

pub(crate) fn dependence(pattern: &Pattern, whole: &[u16], at: usize) -> ChunkDependence {
    let at = at.min(whole.len());
    if pattern.ending() == Ending::Settled {
        // A match stays one, whatever follows.
        return ChunkDependence::default();
    }
    if pattern.needs_backtracking() { by_backtracking(pattern, whole, at) } else { by_automaton(pattern, whole, at) }
}

fn by_automaton(pattern: &Pattern, whole: &[u16], at: usize) -> ChunkDependence {
    let mut automaton = Automaton::new(Arc::new(pattern.program(0)), CACHE);
    let mut position = Position::default();
    let mut prefixes = Prefixes::default();
    let mut confirmed = false;
    for length in 0..=whole.len() {
        if length > 0 {
            automaton.feed(&mut position, &whole[length - 1..length], |_, _| confirmed = true);
        }
        if confirmed {
            // All longer prefixes match too.
            prefixes.at_check |= at >= length;
            prefixes.result.premature = false;
            break;
        }
        let matches = !automaton.at_end(&mut position).is_empty();
        prefixes.add(length, at, matches);
    }
    prefixes.result
}

fn by_backtracking(pattern: &Pattern, whole: &[u16], at: usize) -> ChunkDependence {
    // All prefixes together.
    let mut budget = PATTERN_STEPS.get();
    let mut live = Live::default();
    let mut prefixes = Prefixes::default();
    for length in 0..=whole.len() {
        match pattern.advance(&mut live, &whole[..length], &mut budget) {
            Verdict::Confirmed => {
                prefixes.at_check |= at >= length;
                prefixes.result.premature = false;
                break;
            }
            Verdict::Undecided => {
                prefixes.result.undecided = true;
                break;
            }
            verdict => prefixes.add(length, at, verdict == Verdict::Tentative),
        }
    }
    prefixes.result
}
