//! Sets of code units as the backtracker tests them: a table for ASCII, ranges for the rest.

use crate::pattern::syntax::charset::CharSet;

/// A set that is quick to ask for ASCII units.
#[derive(Clone, Debug)]
pub(crate) struct UnitSet {
    ascii: [u64; 2],
    all: CharSet,
}

impl UnitSet {
    pub(crate) fn new(set: &CharSet) -> Self {
        let mut ascii = [0; 2];
        for unit in 0..128_u16 {
            if set.contains(unit) {
                ascii[usize::from(unit / 64)] |= 1 << (unit % 64);
            }
        }
        Self { ascii, all: set.clone() }
    }

    pub(crate) fn contains(&self, unit: u16) -> bool {
        match self.ascii.get(usize::from(unit / 64)) {
            Some(word) => word >> (unit % 64) & 1 == 1,
            None => self.all.contains(unit),
        }
    }

    /// Whether no unit is in both sets.
    pub(crate) fn is_disjoint(&self, other: &Self) -> bool {
        let (left, right) = (self.all.ranges(), other.all.ranges());
        let mut right = right.iter().peekable();
        left.iter().all(|&(low, high)| {
            while right.peek().is_some_and(|range| range.1 < low) {
                right.next();
            }
            right.peek().is_none_or(|range| range.0 > high)
        })
    }
}
