//! Sets of UTF-16 code units.

use crate::pattern::syntax::fold;

/// A set of code units: sorted, disjoint, non-adjacent inclusive ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct CharSet(Vec<(u16, u16)>);

impl CharSet {
    pub(crate) fn from_ranges(ranges: &[(u16, u16)]) -> Self {
        let mut set = Self(ranges.to_vec());
        set.normalise();
        set
    }

    pub(crate) fn single(unit: u16) -> Self {
        Self(vec![(unit, unit)])
    }

    pub(crate) fn all() -> Self {
        Self(vec![(0, u16::MAX)])
    }

    /// `\d` (ASCII only, engine.md E4.2).
    pub(crate) fn digits() -> Self {
        Self::from_ranges(&[(0x30, 0x39)])
    }

    /// `\w` (ASCII only, also when letter case is ignored).
    pub(crate) fn words() -> Self {
        Self::from_ranges(&[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
    }

    /// `\s`: white space and line terminators of ECMAScript.
    pub(crate) fn spaces() -> Self {
        Self::from_ranges(&[
            (0x09, 0x0D),
            (0x20, 0x20),
            (0xA0, 0xA0),
            (0x1680, 0x1680),
            (0x2000, 0x200A),
            (0x2028, 0x2029),
            (0x202F, 0x202F),
            (0x205F, 0x205F),
            (0x3000, 0x3000),
            (0xFEFF, 0xFEFF),
        ])
    }

    /// The four line terminators.
    pub(crate) fn line_ends() -> Self {
        Self::from_ranges(&[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)])
    }

    pub(crate) fn ranges(&self) -> &[(u16, u16)] {
        &self.0
    }

    pub(crate) fn contains(&self, unit: u16) -> bool {
        self.0
            .binary_search_by(|&(low, high)| {
                if high < unit {
                    std::cmp::Ordering::Less
                } else if low > unit {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Equal
                }
            })
            .is_ok()
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
        self.normalise();
    }

    #[must_use]
    pub(crate) fn negated(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.0.len() + 1);
        let mut next = Some(0_u16);
        for &(low, high) in &self.0 {
            if let Some(start) = next.filter(|&start| start < low) {
                ranges.push((start, low - 1));
            }
            next = high.checked_add(1);
        }
        if let Some(start) = next {
            ranges.push((start, u16::MAX));
        }
        Self(ranges)
    }

    /// All units that equal a member when letter case is ignored.
    #[must_use]
    pub(crate) fn folded(&self) -> Self {
        let mut ranges = self.0.clone();
        for (unit, peers) in fold::cased() {
            if self.contains(*unit) {
                ranges.extend(peers.iter().map(|&peer| (peer, peer)));
            }
        }
        Self::from_ranges(&ranges)
    }

    fn normalise(&mut self) {
        self.0.sort_unstable();
        let mut merged: Vec<(u16, u16)> = Vec::with_capacity(self.0.len());
        for &(low, high) in &self.0 {
            match merged.last_mut() {
                Some(last) if u32::from(low) <= u32::from(last.1) + 1 => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        self.0 = merged;
    }
}

/// Whether `\b` counts the unit as part of a word.
pub(crate) fn is_word(unit: u16) -> bool {
    matches!(unit, 0x30..=0x39 | 0x41..=0x5A | 0x5F | 0x61..=0x7A)
}

/// Whether `^` and `$` with the `m` flag see a line end here, and `.` without `s` refuses the unit.
pub(crate) fn is_line_end(unit: u16) -> bool {
    matches!(unit, 0x0A | 0x0D | 0x2028 | 0x2029)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_covers_both_ends() {
        assert_eq!(CharSet::all().negated(), CharSet::default());
        assert_eq!(CharSet::default().negated(), CharSet::all());
        assert_eq!(CharSet::from_ranges(&[(0, 5), (0xFFFF, 0xFFFF)]).negated().ranges(), [(6, 0xFFFE)]);
    }

    #[test]
    fn overlapping_and_adjacent_ranges_join() {
        assert_eq!(CharSet::from_ranges(&[(5, 9), (1, 3), (4, 4), (8, 12)]).ranges(), [(1, 12)]);
    }
}
