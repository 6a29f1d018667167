//! The ways of the backtracker that have come to the end of the text so far. More text lets them go on; all other ways
//! are dead for good (matching.md M3).

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use crate::pattern::hash::WordHasher;

/// The most words that suspended ways may take together.
const MOST: usize = 1 << 22;

/// Words of a way before its registers.
pub(crate) const HEAD: usize = 4;

/// How a suspended way goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// With the instruction, from anew.
    Again,
    /// In a run that has taken so many units.
    Run { taken: u32 },
    /// In a lazy run that may take so many more.
    Shorter { left: u32 },
}

/// A suspended way, without its registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspended {
    pub(crate) pc: usize,
    pub(crate) at: usize,
    pub(crate) how: How,
}

/// Suspended ways, one after the other in one row of words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frontier {
    words: Vec<u32>,
    /// Where each way begins.
    starts: Vec<usize>,
    /// Number of ways after duplicates were last looked for.
    distinct: usize,
    /// There were too many to keep.
    pub(crate) is_too_large: bool,
}

impl Frontier {
    pub(crate) fn push(&mut self, way: Suspended, registers: impl Iterator<Item = u32>) {
        if self.words.len() > MOST {
            self.is_too_large = true;
            return;
        }
        self.starts.push(self.words.len());
        let (tag, value) = match way.how {
            How::Again => (0, 0),
            How::Run { taken } => (1, taken),
            How::Shorter { left } => (2, left),
        };
        self.words.extend([way.pc as u32, way.at as u32, tag, value]);
        self.words.extend(registers);
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// A way, and its registers.
    pub(crate) fn get(&self, index: usize) -> (Suspended, &[u32]) {
        let words = self.words(index);
        let how = match words[2] {
            0 => How::Again,
            1 => How::Run { taken: words[3] },
            _ => How::Shorter { left: words[3] },
        };
        (Suspended { pc: words[0] as usize, at: words[1] as usize, how }, &words[HEAD..])
    }

    fn words(&self, index: usize) -> &[u32] {
        let end = self.starts.get(index + 1).copied().unwrap_or(self.words.len());
        &self.words[self.starts[index]..end]
    }

    /// Drops ways that are there twice, once there are many more than the last time.
    pub(crate) fn tidy(&mut self) {
        /// So few are never looked at.
        const FEW: usize = 64;
        if self.len() < self.distinct * 2 + FEW {
            return;
        }
        let mut seen: HashSet<&[u32], BuildHasherDefault<WordHasher>> = HashSet::default();
        let mut kept = Self { is_too_large: self.is_too_large, ..Self::default() };
        for index in 0..self.len() {
            let words = self.words(index);
            if seen.insert(words) {
                kept.starts.push(kept.words.len());
                kept.words.extend_from_slice(words);
            }
        }
        kept.distinct = kept.len();
        *self = kept;
    }

    /// In the place of one that had too many.
    pub(crate) fn too_large() -> Self {
        Self { is_too_large: true, ..Self::default() }
    }

    /// An empty one that knows how many ways to expect.
    pub(crate) fn successor(&self) -> Self {
        Self { distinct: self.distinct, ..Self::default() }
    }
}
