//! The automaton of a pattern set before determinisation, over classes of code units.

use std::collections::HashMap;

use crate::pattern::syntax::charset::CharSet;
use crate::pattern::syntax::tree::{Assertion, Neighbour};

/// Index of an instruction.
pub(crate) type Pc = u32;

/// One instruction. Those with a `next` go on there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inst {
    /// One unit of a set.
    Set {
        set: u32,
        next: Pc,
    },
    /// Both ways, without order: only whether there is a match counts.
    Split {
        first: Pc,
        second: Pc,
    },
    Assert {
        assertion: Assertion,
        next: Pc,
    },
    /// A look-ahead: its body ends in [`Inst::Done`].
    Ahead {
        body: Pc,
        negative: bool,
        next: Pc,
    },
    /// A look-behind: whether one of its matches ends here.
    Behind {
        id: u32,
        negative: bool,
        next: Pc,
    },
    /// The pattern with this index matches.
    Match(u32),
    /// The body of a look-ahead matches.
    Done,
    /// A match of this look-behind ends here.
    BehindDone(u32),
    /// No way on.
    Fail,
}

/// Place in a chain of copies that a bounded repeat makes. Of two threads at the same place of two copies of one chain,
/// the one of lower rank can do all that the other can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) chain: u32,
    pub(crate) rank: u32,
}

/// The owner of instructions that belong to no look-behind.
pub(crate) const NO_BEHIND: u32 = u32::MAX;

/// The joint automaton of some patterns.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) insts: Vec<Inst>,
    /// For each instruction, its place in the innermost and the outermost chain of copies.
    pub(crate) links: Vec<[Option<Link>; 2]>,
    /// For each instruction, the look-behind to whose body it belongs, or [`NO_BEHIND`].
    pub(crate) owners: Vec<u32>,
    /// Beginnings of the patterns without look-behind: what they do next depends on the neighbours alone.
    pub(crate) plain_roots: Vec<Pc>,
    /// Beginnings of the patterns with look-behind.
    pub(crate) other_roots: Vec<Pc>,
    /// Beginnings of the look-behind bodies, inner ones before those that use them.
    pub(crate) behind_roots: Vec<Pc>,
    /// Number of chains.
    pub(crate) chains: u32,
    pub(crate) alphabet: Alphabet,
    /// Which kinds of neighbour before a position the assertions can tell apart.
    pub(crate) kinds: [Neighbour; 4],
}

impl Program {
    /// The neighbour before a position, as far as any assertion of the program can tell.
    pub(crate) fn kind(&self, neighbour: Neighbour) -> Neighbour {
        self.kinds[neighbour as usize]
    }
}

/// Code units grouped into classes that no set of the program tells apart.
#[derive(Debug)]
pub(crate) struct Alphabet {
    /// The class of each unit.
    pub(crate) classes: Vec<u16>,
    /// The kind of each class as a neighbour.
    pub(crate) kinds: Vec<Neighbour>,
    /// One row of bits a set: whether it holds a class.
    members: Vec<u64>,
    words: usize,
    /// For each class its first unit beyond ASCII, where it has one.
    pub(crate) beyond_ascii: Vec<Option<u16>>,
}

impl Alphabet {
    pub(crate) fn new(sets: &[CharSet]) -> Self {
        let mut bounds: Vec<u32> = vec![0, 0x1_0000];
        let (words, lines) = (CharSet::words(), CharSet::line_ends());
        let all: Vec<&CharSet> = sets.iter().chain([&words, &lines]).collect();
        for set in &all {
            bounds.extend(set.ranges().iter().flat_map(|&(low, high)| [u32::from(low), u32::from(high) + 1]));
        }
        bounds.sort_unstable();
        bounds.dedup();
        let starts = &bounds[..bounds.len() - 1];
        // Refine by one set after the other: the parts of a class inside and outside the set get numbers of their own.
        let mut part = vec![0_u32; starts.len()];
        for set in &all {
            let mut numbers: HashMap<(u32, bool), u32> = HashMap::new();
            let mut ranges = set.ranges().iter().peekable();
            for (part, &start) in part.iter_mut().zip(starts) {
                while ranges.peek().is_some_and(|range| u32::from(range.1) < start) {
                    ranges.next();
                }
                let inside = ranges.peek().is_some_and(|range| u32::from(range.0) <= start);
                let next = numbers.len() as u32;
                *part = *numbers.entry((*part, inside)).or_insert(next);
            }
        }
        let count = part.iter().max().map_or(0, |&greatest| greatest as usize + 1);
        let mut samples = vec![0_u16; count];
        let mut classes = vec![0_u16; 0x1_0000];
        for (index, &class) in part.iter().enumerate() {
            classes[bounds[index] as usize..bounds[index + 1] as usize].fill(class as u16);
            samples[class as usize] = bounds[index] as u16;
        }
        let mut beyond_ascii = vec![None; count];
        for (&class, range) in part.iter().zip(bounds.windows(2)) {
            if let (Some(first @ None), [start, end]) = (beyond_ascii.get_mut(class as usize), range)
                && *end > 0x80
            {
                *first = u16::try_from(*start.max(&0x80)).ok();
            }
        }
        let words = count.div_ceil(64);
        let mut members = vec![0_u64; words * sets.len()];
        for (row, set) in members.chunks_mut(words.max(1)).zip(sets) {
            for (class, &sample) in samples.iter().enumerate() {
                if set.contains(sample) {
                    row[class / 64] |= 1 << (class % 64);
                }
            }
        }
        let kinds = samples.iter().map(|&sample| Neighbour::of(Some(sample))).collect();
        Self { classes, kinds, members, words, beyond_ascii }
    }

    /// Number of classes.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn class(&self, unit: u16) -> u16 {
        self.classes[usize::from(unit)]
    }

    pub(crate) fn contains(&self, set: u32, class: u16) -> bool {
        let class = usize::from(class);
        self.members[set as usize * self.words + class / 64] >> (class % 64) & 1 == 1
    }
}
