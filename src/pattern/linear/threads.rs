//! Threads of the automaton, and the obligations they carry.
//!
//! A thread is an address plus obligations: look-aheads it has passed that are not decided yet. An obligation is a set of
//! threads of the look-ahead's body with a polarity: a positive one is met when any thread gets through, a negative one
//! when all have died. Bodies run as sets, so an obligation takes one step at a time, whatever the body.

use std::sync::Arc;

use crate::pattern::hash::FastMap;
use crate::pattern::linear::program::Pc;

/// One way in which a match may be going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Thread {
    pub(crate) pc: Pc,
    /// All of these obligations must be met; see [`Obligations`].
    pub(crate) obligations: u32,
}

/// The obligations of a thread that has none.
pub(crate) const NONE: u32 = 0;

impl Thread {
    pub(crate) const fn free(pc: Pc) -> Self {
        Self { pc, obligations: NONE }
    }
}

/// One look-ahead under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Obligation {
    /// Number of the thread set.
    pub(crate) set: u32,
    pub(crate) negative: bool,
}

/// Numbers thread sets and conjunctions of obligations.
#[derive(Debug)]
pub(crate) struct Obligations {
    sets: Vec<Arc<[Thread]>>,
    set_ids: FastMap<Arc<[Thread]>, u32>,
    all: Vec<Arc<[Obligation]>>,
    ids: FastMap<Arc<[Obligation]>, u32>,
    size: usize,
}

impl Obligations {
    pub(crate) fn new() -> Self {
        let none: Arc<[Obligation]> = Arc::from([]);
        let mut ids = FastMap::default();
        ids.insert(Arc::clone(&none), NONE);
        Self { sets: Vec::new(), set_ids: FastMap::default(), all: vec![none], ids, size: 0 }
    }

    /// Rough memory use in bytes.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn set(&self, id: u32) -> Arc<[Thread]> {
        Arc::clone(&self.sets[id as usize])
    }

    pub(crate) fn get(&self, id: u32) -> Arc<[Obligation]> {
        Arc::clone(&self.all[id as usize])
    }

    /// Numbers a sorted set of threads.
    pub(crate) fn add_set(&mut self, threads: &[Thread]) -> u32 {
        if let Some(&id) = self.set_ids.get(threads) {
            return id;
        }
        let id = self.sets.len() as u32;
        let threads: Arc<[Thread]> = Arc::from(threads);
        self.size += 96 + size_of_val(&*threads);
        self.sets.push(Arc::clone(&threads));
        self.set_ids.insert(threads, id);
        id
    }

    /// Numbers a conjunction; obligations implied by others are left out.
    pub(crate) fn add(&mut self, mut wanted: Vec<Obligation>) -> u32 {
        wanted.sort_unstable();
        wanted.dedup();
        if wanted.len() > 1 {
            let sets: Vec<Arc<[Thread]>> = wanted.iter().map(|one| self.set(one.set)).collect();
            let implied = |index: usize| {
                (0..wanted.len()).any(|other| {
                    other != index && wanted[other].negative == wanted[index].negative && {
                        // All of a larger set dying means all of the smaller die; a smaller set getting through means
                        // the larger does.
                        let (small, large) = if wanted[index].negative { (index, other) } else { (other, index) };
                        is_subset(&sets[small], &sets[large])
                    }
                })
            };
            let kept: Vec<Obligation> =
                (0..wanted.len()).filter(|&index| !implied(index)).map(|index| wanted[index]).collect();
            wanted = kept;
        }
        if let Some(&id) = self.ids.get(wanted.as_slice()) {
            return id;
        }
        let id = self.all.len() as u32;
        let wanted: Arc<[Obligation]> = Arc::from(wanted);
        self.size += 96 + size_of_val(&*wanted);
        self.all.push(Arc::clone(&wanted));
        self.ids.insert(wanted, id);
        id
    }

    /// Whether a thread with the obligations `many` can do nothing that one with `few` cannot.
    pub(crate) fn implies(&self, many: u32, few: u32) -> bool {
        few == NONE || many == few || {
            let (many, few) = (&self.all[many as usize], &self.all[few as usize]);
            few.iter().all(|one| many.binary_search(one).is_ok())
        }
    }

    /// Copies threads, and what they refer to, into another table.
    pub(crate) fn migrate(&self, threads: &[Thread], to: &mut Self) -> Vec<Thread> {
        let mut moved: Vec<Thread> = threads
            .iter()
            .map(|thread| {
                if thread.obligations == NONE {
                    return *thread;
                }
                let wanted = self.all[thread.obligations as usize]
                    .iter()
                    .map(|one| {
                        let set = self.migrate(&self.sets[one.set as usize], to);
                        Obligation { set: to.add_set(&set), negative: one.negative }
                    })
                    .collect();
                Thread { pc: thread.pc, obligations: to.add(wanted) }
            })
            .collect();
        moved.sort_unstable();
        moved
    }
}

/// Whether a sorted list holds all of another; both have distinct members.
fn is_subset(small: &[Thread], large: &[Thread]) -> bool {
    small.len() <= large.len() && {
        let mut large = large.iter();
        small.iter().all(|wanted| large.any(|thread| thread == wanted))
    }
}
