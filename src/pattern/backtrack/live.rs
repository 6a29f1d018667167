//! [`Live`]: deciding a growing text by backtracking, without reading any of it twice.

use crate::pattern::backtrack::code::Code;
use crate::pattern::backtrack::frontier::Frontier;
use crate::pattern::backtrack::run::{self, Attempt, Manner, Run, Search};
use crate::pattern::syntax::charset::CharSet;
use crate::pattern::verdict::Verdict;

/// What is left to try for one pattern on one text, once all of the text so far has been read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    /// Length of the text read.
    pub(crate) length: usize,
    /// The first place that no match has been tried from.
    next: usize,
    frontier: Frontier,
    /// How the text read was decided.
    decided: Option<Verdict>,
    /// Steps taken for this text.
    pub(crate) spent: u64,
}

impl Live {
    /// Reads the text on, and decides it as it stands; steps are taken off `budget`. After [`Verdict::Confirmed`] and
    /// [`Verdict::Undecided`] it would begin anew.
    pub(crate) fn advance(&mut self, code: &Code, first: Option<&CharSet>, text: &[u16], budget: &mut u64) -> Verdict {
        if let Some(verdict) = self.decided.filter(|_| self.length == text.len()) {
            return verdict;
        }
        let granted = *budget;
        let verdict = self.read(code, first, text, budget);
        self.spent += granted - *budget;
        self.length = text.len();
        self.decided = Some(verdict);
        if matches!(verdict, Verdict::Confirmed | Verdict::Undecided) {
            // The ways have been left in the middle.
            *self = Self { spent: self.spent, ..Self::default() };
        }
        verdict
    }

    fn read(&mut self, code: &Code, first: Option<&CharSet>, text: &[u16], budget: &mut u64) -> Verdict {
        if self.frontier.is_too_large {
            return whole(code, first, text, budget);
        }
        let old = std::mem::take(&mut self.frontier);
        let mut run = Run::new(code, text, Manner::All(old.successor()), budget);
        let last = if first.is_some() { text.len() } else { text.len() + 1 };
        let last = if run.is_anchored() { last.min(1) } else { last };
        let ways = (0..old.len()).map(Err).chain((self.next..last).map(Ok));
        for way in ways {
            let outcome = match way {
                Ok(start) if first.is_some_and(|first| !first.contains(text[start])) => continue,
                Ok(start) => run.start(start),
                Err(index) => {
                    let (way, registers) = old.get(index);
                    run.resume(way, registers)
                }
            };
            match outcome {
                Attempt::Match(_) => return Verdict::Confirmed,
                Attempt::Nothing => {}
                Attempt::OutOfSteps => return Verdict::Undecided,
            }
        }
        self.next = self.next.max(last);
        let matches = run.matches_at_end;
        if let Manner::All(frontier) = run.manner {
            self.frontier = frontier;
        }
        self.frontier.tidy();
        if self.frontier.is_too_large {
            self.frontier = Frontier::too_large();
        }
        if matches { Verdict::Tentative } else { Verdict::No }
    }
}

/// Decides a text from its start.
pub(crate) fn whole(code: &Code, first: Option<&CharSet>, text: &[u16], budget: &mut u64) -> Verdict {
    match run::search(code, first, text, Manner::First, budget) {
        Search::Nothing => Verdict::No,
        Search::Found { at_end: true, .. } => Verdict::Tentative,
        Search::Found { at_end: false, .. } => Verdict::Confirmed,
        Search::OutOfSteps => Verdict::Undecided,
    }
}
