//! [`Buffer`]: the text of one buffer key and how far it has been read.

use crate::pattern::backtrack::live::Live;
use crate::pattern::linear::automaton::Position;
use crate::pattern::verdict::Verdict;

/// The least distance between two places to go back to, in code units.
const CHECKPOINT_DISTANCE: usize = 1024;

/// The text of one buffer key, and how far each automaton has read it.
#[derive(Debug, Default)]
pub struct Buffer {
    pub(crate) text: Vec<u16>,
    /// The set it is read for, once it has been read.
    pub(crate) set: Option<u64>,
    pub(crate) positions: Vec<Position>,
    /// Patterns that match whatever follows, with the length of the text at which that was known.
    pub(crate) confirmed: Vec<(usize, u32)>,
    /// One bit a pattern: whether it is in that list.
    pub(crate) is_confirmed: Vec<u64>,
    pub(crate) gates: Vec<Gate>,
    checkpoints: Vec<Checkpoint>,
}

/// What is known of a pattern that needs the backtracker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate {
    /// Where the automaton of the over-approximation first found a match whatever follows, and where it last did.
    pub(crate) hits: Option<(usize, usize)>,
    /// The latest decision, and the length of the text at which it was taken.
    pub(crate) decision: Option<(usize, Verdict)>,
    /// What the backtracker has left to try.
    pub(crate) live: Live,
    /// The same for a place before, from where the text was replaced once.
    pub(crate) before: Option<Live>,
    /// Where such a place is wanted: the text was replaced from here on.
    pub(crate) replaced_from: Option<usize>,
}

impl Gate {
    fn go_back(&mut self, length: usize) {
        self.before = self.before.take().filter(|before| before.length <= length);
        if self.live.length > length {
            let spent = self.live.spent;
            self.live = self.before.clone().unwrap_or_default();
            self.live.spent = spent;
            self.replaced_from = Some(length);
        }
    }
}

/// A place to go back to when the text behind it is replaced.
#[derive(Debug)]
struct Checkpoint {
    length: usize,
    positions: Vec<Position>,
}

impl Buffer {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text so far.
    pub fn text(&self) -> &[u16] {
        &self.text
    }

    /// Appends to the text. A long one grows by a quarter, so that no more room is taken than is needed.
    pub(crate) fn extend(&mut self, units: &[u16]) {
        /// From so many units on.
        const LONG: usize = 1 << 19;
        if self.text.len() >= LONG && self.text.capacity() - self.text.len() < units.len() {
            self.text.reserve_exact(units.len().max(self.text.len() / 4));
        }
        self.text.extend_from_slice(units);
    }

    /// Forgets what has been read, not the text.
    pub(crate) fn restart(&mut self, set: u64, automata: usize, patterns: usize, gates: usize) {
        self.set = Some(set);
        self.positions = vec![Position::default(); automata];
        self.confirmed.clear();
        self.is_confirmed = vec![0; patterns.div_ceil(64)];
        self.gates = vec![Gate::default(); gates];
        self.checkpoints.clear();
    }

    /// Notes the present place. Of the places before, only some well apart are kept.
    pub(crate) fn checkpoint(&mut self, length: usize) {
        if let [.., before, last] = self.checkpoints.as_slice()
            && last.length < before.length + CHECKPOINT_DISTANCE
        {
            self.checkpoints.pop();
        }
        if self.checkpoints.last().is_none_or(|last| last.length < length) {
            self.checkpoints.push(Checkpoint { length, positions: self.positions.clone() });
        }
    }

    /// Whether the latest place to go back to is far behind.
    pub(crate) fn wants_checkpoint(&self) -> bool {
        self.text.len() >= self.checkpoints.last().map_or(0, |last| last.length) + CHECKPOINT_DISTANCE
    }

    /// Goes back to the latest noted place at or before a length, and cuts the text to that length. Returns how much of
    /// the text counts as read.
    pub(crate) fn go_back(&mut self, length: usize) -> usize {
        self.text.truncate(length);
        while self.checkpoints.last().is_some_and(|last| last.length > length) {
            self.checkpoints.pop();
        }
        let read = match self.checkpoints.last() {
            Some(last) => {
                self.positions.clone_from(&last.positions);
                last.length
            }
            None => {
                self.positions.fill(Position::default());
                0
            }
        };
        while let Some(&(at, pattern)) = self.confirmed.last()
            && at > read
        {
            self.confirmed.pop();
            self.is_confirmed[pattern as usize / 64] &= !(1 << (pattern % 64));
        }
        for gate in &mut self.gates {
            gate.hits = gate.hits.filter(|(first, _)| *first <= read).map(|(first, last)| (first, last.min(read)));
            gate.decision = gate.decision.filter(|(at, _)| *at <= read);
            gate.go_back(length);
        }
        read
    }

    pub(crate) fn confirm(&mut self, pattern: u32, at: usize) {
        let word = &mut self.is_confirmed[pattern as usize / 64];
        let bit = 1 << (pattern % 64);
        if *word & bit == 0 {
            *word |= bit;
            self.confirmed.push((at, pattern));
        }
    }

    pub(crate) fn is_confirmed(&self, pattern: usize) -> bool {
        self.is_confirmed.get(pattern / 64).is_some_and(|word| word >> (pattern % 64) & 1 == 1)
    }
}
