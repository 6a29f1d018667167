//! [`Scanner`]: reads buffers for a pattern set.

use std::sync::{Arc, LazyLock};

use crate::limits::PATTERN_STEPS;
use crate::pattern::buffer::{Buffer, Gate};
use crate::pattern::compile::Pattern;
use crate::pattern::linear::automaton::{Automaton, Position};
use crate::pattern::mask::PatternMask;
use crate::pattern::set::PatternSet;
use crate::pattern::verdict::Verdict;

/// Memory that the cache of one automaton may take, in bytes.
const CACHE: usize = 32 << 20;

/// The part of the step budget that each unit of a text adds to what all decisions about the text may take together.
const UNIT_SHARE: u64 = 2048;

/// The mutable caches of one worker; they stay warm across buffers.
#[derive(Debug)]
pub struct Scanner {
    set: Arc<PatternSet>,
    automata: Vec<Automaton>,
    budget: u64,
    steps: u64,
}

impl Scanner {
    /// A scanner with cold caches.
    pub fn new(set: Arc<PatternSet>) -> Self {
        Self::with_limits(set, CACHE, PATTERN_STEPS.get())
    }

    /// A scanner whose caches take about `cache` bytes each at most, which never changes a decision, and whose
    /// backtracker takes `steps` at most for one decision.
    pub fn with_limits(set: Arc<PatternSet>, cache: usize, steps: u64) -> Self {
        let automata = set.programs().iter().map(|program| Automaton::new(Arc::clone(program), cache)).collect();
        Self { set, automata, budget: steps, steps: 0 }
    }

    /// A scanner in the place of one that went elsewhere.
    pub fn retired() -> Self {
        static NOTHING: LazyLock<Arc<PatternSet>> = LazyLock::new(|| Arc::new(PatternSet::new(Vec::new())));
        Self { set: Arc::clone(&NOTHING), automata: Vec::new(), budget: 0, steps: 0 }
    }

    /// Counts backtracking steps from nothing again: another run begins.
    pub fn reset_steps(&mut self) {
        self.steps = 0;
    }

    /// The set that is scanned for.
    pub fn set(&self) -> &Arc<PatternSet> {
        &self.set
    }

    /// Number of states in the caches now; for benches.
    #[cfg(feature = "internals")]
    pub fn states(&self) -> usize {
        self.automata.iter().map(Automaton::states).sum()
    }

    /// Steps that the backtracker has taken so far, for a caller who has to bound many decisions together.
    pub fn backtracking_steps(&self) -> u64 {
        self.steps
    }

    /// Appends a delta to a buffer. It may cut a surrogate pair in two.
    pub fn append(&mut self, buffer: &mut Buffer, units: &[u16]) {
        self.prepare(buffer);
        let read = buffer.text.len();
        buffer.text.extend_from_slice(units);
        self.read(buffer, read);
    }

    /// Replaces the text of a buffer. The first `unchanged` units are known to equal those of the present text; reading
    /// goes on from there, or from a place not far before, instead of from the start.
    pub fn replace(&mut self, buffer: &mut Buffer, text: &[u16], unchanged: usize) {
        self.prepare(buffer);
        let shorter = buffer.text.len().min(text.len());
        let known = unchanged.min(shorter);
        let more = buffer.text[known..shorter].iter().zip(&text[known..shorter]).take_while(|(old, new)| old == new);
        let common = known + more.count();
        if common < buffer.text.len() {
            let read = buffer.go_back(common);
            self.read(buffer, read);
            // The next replacement will probably differ from here on again.
            buffer.checkpoint(common);
        }
        buffer.text.extend_from_slice(&text[common..]);
        self.read(buffer, common);
    }

    /// The verdict for one pattern on the text so far.
    #[cfg(feature = "internals")]
    pub fn verdict(&mut self, buffer: &mut Buffer, pattern: usize) -> Verdict {
        self.prepare(buffer);
        if self.set.gate(pattern).is_some() {
            return self.gated(buffer, pattern);
        }
        if buffer.is_confirmed(pattern) {
            return Verdict::Confirmed;
        }
        if self.holds_at_end(buffer, pattern) { Verdict::Tentative } else { Verdict::No }
    }

    /// The patterns for which the verdict is not [`Verdict::No`], in ascending order.
    pub fn verdicts(&mut self, buffer: &mut Buffer) -> Vec<(usize, Verdict)> {
        self.verdicts_among(buffer, None)
    }

    /// The patterns of a mask (all without one) for which the verdict is not [`Verdict::No`], in ascending order.
    ///
    /// The cost grows with the matches listed, not with the patterns of the set: leave out those that no longer count.
    pub fn verdicts_among(&mut self, buffer: &mut Buffer, mask: Option<&PatternMask>) -> Vec<(usize, Verdict)> {
        self.prepare(buffer);
        let mut verdicts = Vec::new();
        for (word, &confirmed) in buffer.is_confirmed.iter().enumerate() {
            let mut bits = confirmed & mask.map_or(u64::MAX, |mask| mask.word(word));
            while bits != 0 {
                let pattern = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if self.set.gate(pattern).is_none() {
                    verdicts.push((pattern, Verdict::Confirmed));
                }
            }
        }
        let sorted = verdicts.len();
        let wanted = |pattern: usize| mask.is_none_or(|mask| mask.contains(pattern));
        for index in 0..self.automata.len() {
            self.catch_up(buffer, index);
            for &pattern in self.automata[index].at_end(&mut buffer.positions[index]) {
                let pattern = pattern as usize;
                if wanted(pattern) && self.set.gate(pattern).is_none() && !buffer.is_confirmed(pattern) {
                    verdicts.push((pattern, Verdict::Tentative));
                }
            }
        }
        for gate in 0..self.set.gated().len() {
            let pattern = self.set.gated()[gate];
            if wanted(pattern) {
                let verdict = self.gated(buffer, pattern);
                if verdict != Verdict::No {
                    verdicts.push((pattern, verdict));
                }
            }
        }
        if verdicts.len() > sorted {
            verdicts.sort_unstable_by_key(|(pattern, _)| *pattern);
        }
        verdicts
    }

    /// Makes sure that the buffer is read for this set.
    fn prepare(&mut self, buffer: &mut Buffer) {
        if buffer.set != Some(self.set.id()) {
            buffer.restart(self.set.id(), self.automata.len(), self.set.len(), self.set.gated().len());
            self.read(buffer, 0);
        }
    }

    /// Reads the text of a buffer from a place on.
    fn read(&mut self, buffer: &mut Buffer, from: usize) {
        for index in 0..self.automata.len() {
            if self.automata[index].knows(&buffer.positions[index]) {
                self.feed(buffer, index, from);
            } else {
                self.reread(buffer, index);
            }
        }
        if buffer.wants_checkpoint() {
            buffer.checkpoint(buffer.text.len());
        }
    }

    /// Reads the text again for one automaton if it has forgotten where it was.
    fn catch_up(&mut self, buffer: &mut Buffer, index: usize) {
        if !self.automata[index].knows(&buffer.positions[index]) {
            self.reread(buffer, index);
        }
    }

    fn reread(&mut self, buffer: &mut Buffer, index: usize) {
        buffer.positions[index] = Position::default();
        self.feed(buffer, index, 0);
    }

    fn feed(&mut self, buffer: &mut Buffer, index: usize, from: usize) {
        let mut position = std::mem::take(&mut buffer.positions[index]);
        let text = std::mem::take(&mut buffer.text);
        let set = &self.set;
        self.automata[index].feed(&mut position, &text[from..], |units, patterns| {
            let at = from + units;
            for &pattern in patterns {
                buffer.confirm(pattern, at);
                if let Some(gate) = set.gate(pattern as usize) {
                    let gate = &mut buffer.gates[gate];
                    gate.hits = Some(gate.hits.map_or((at, at), |(first, last)| (first.min(at), last.max(at))));
                }
            }
        });
        buffer.text = text;
        buffer.positions[index] = position;
    }

    fn holds_at_end(&mut self, buffer: &mut Buffer, pattern: usize) -> bool {
        (0..self.automata.len()).any(|index| {
            self.catch_up(buffer, index);
            self.automata[index].at_end(&mut buffer.positions[index]).contains(&(pattern as u32))
        })
    }

    /// The verdict for a pattern that needs the backtracker.
    fn gated(&mut self, buffer: &mut Buffer, index: usize) -> Verdict {
        let set = Arc::clone(&self.set);
        let (Some(gate), Some(pattern)) = (set.gate(index), set.pattern(index)) else {
            return Verdict::No;
        };
        let decided = buffer.gates[gate].decision;
        if let Some((at, verdict)) = decided
            && (verdict == Verdict::Confirmed || at == buffer.text.len())
        {
            return verdict;
        }
        if let Some(linear) = pattern.linear() {
            let here = self.holds_at_end(buffer, index);
            let hits = buffer.gates[gate].hits;
            let hit = match (decided, hits) {
                (_, None) => false,
                (Some((at, Verdict::No)), Some((_, last))) if linear.tells_all => last > at,
                (_, Some(_)) => true,
            };
            if !here && !hit {
                return Verdict::No;
            }
        }
        let Buffer { text, gates, .. } = buffer;
        let gate = &mut gates[gate];
        let verdict = match decided {
            // What made it run out is still there.
            Some((_, Verdict::Undecided)) => Verdict::Undecided,
            _ => {
                let all = self.budget.saturating_add((self.budget / UNIT_SHARE).saturating_mul(text.len() as u64));
                let granted = self.budget.min(all.saturating_sub(gate.live.spent));
                let mut left = granted;
                let verdict = gate.decide(pattern, text, &mut left);
                self.steps += granted - left;
                verdict
            }
        };
        gate.decision = Some((text.len(), verdict));
        verdict
    }
}

impl Gate {
    /// Reads the text on and decides it.
    fn decide(&mut self, pattern: &Pattern, text: &[u16], budget: &mut u64) -> Verdict {
        if let Some(place) = self.replaced_from.take().filter(|&place| self.live.length < place && place < text.len()) {
            // The next text will probably differ from here on again.
            match pattern.advance(&mut self.live, &text[..place], budget) {
                verdict @ (Verdict::Confirmed | Verdict::Undecided) => return verdict,
                Verdict::No | Verdict::Tentative => self.before = Some(self.live.clone()),
            }
        }
        pattern.advance(&mut self.live, text, budget)
    }
}
