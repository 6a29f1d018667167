//! [`PatternMask`]: which patterns of a set count.

/// A set of pattern indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternMask(Vec<u64>);

impl PatternMask {
    /// A mask without patterns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a pattern.
    pub fn insert(&mut self, pattern: usize) {
        if self.0.len() <= pattern / 64 {
            self.0.resize(pattern / 64 + 1, 0);
        }
        self.0[pattern / 64] |= 1 << (pattern % 64);
    }

    /// Removes a pattern.
    #[cfg(feature = "internals")]
    pub fn remove(&mut self, pattern: usize) {
        if let Some(word) = self.0.get_mut(pattern / 64) {
            *word &= !(1 << (pattern % 64));
        }
    }

    /// Whether a pattern is in the mask.
    pub fn contains(&self, pattern: usize) -> bool {
        self.word(pattern / 64) >> (pattern % 64) & 1 == 1
    }

    pub(crate) fn word(&self, index: usize) -> u64 {
        self.0.get(index).copied().unwrap_or(0)
    }
}

impl FromIterator<usize> for PatternMask {
    fn from_iter<T: IntoIterator<Item = usize>>(patterns: T) -> Self {
        let mut mask = Self::new();
        for pattern in patterns {
            mask.insert(pattern);
        }
        mask
    }
}
