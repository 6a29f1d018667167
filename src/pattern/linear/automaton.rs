//! The lazily built deterministic automaton (matching.md M2).
//!
//! A state is a set of threads before zero-width tests are resolved, plus the kind of the unit before; tests are resolved
//! when the next unit is known. The end of the text is one more symbol: what matches there is remembered for each state,
//! and looking it up moves nothing. The holder of a position keeps its thread set, so that dropping the cache loses none.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::pattern::hash::FastMap;
use crate::pattern::linear::program::Program;
use crate::pattern::linear::step::Stepper;
use crate::pattern::linear::threads::Thread;
use crate::pattern::syntax::tree::Neighbour;

/// Marks the number of a state that is entered by a match.
const MATCHED: u32 = 1 << 31;
/// A transition that has not been computed.
const UNKNOWN: u32 = u32::MAX;

/// Tells caches apart, over all automata of the process.
fn unique() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    before: Neighbour,
    /// Number of the list of patterns found to match on the way in.
    matches: u32,
    threads: Box<[Thread]>,
}

/// How far one automaton has read one text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Position {
    /// Nothing at the start of a text.
    reached: Option<Reached>,
}

#[derive(Clone, Debug)]
struct Reached {
    id: u32,
    generation: u64,
    table: u64,
    state: Arc<State>,
}

/// A program with the cache of what has been computed of its states.
#[derive(Debug)]
pub(crate) struct Automaton {
    program: Arc<Program>,
    stepper: Stepper,
    states: Vec<Arc<State>>,
    ids: FastMap<Arc<State>, u32>,
    /// The next state for each state and class.
    next: Vec<u32>,
    /// For each state, one more than the number of the list of patterns that match if the text ends.
    ends: Vec<u32>,
    lists: Vec<Arc<[u32]>>,
    list_ids: FastMap<Arc<[u32]>, u32>,
    /// Binary logarithm of the length of a row of `next`.
    shift: u32,
    ascii: [u16; 128],
    size: usize,
    limit: usize,
    /// Changes when state numbers lose their meaning.
    generation: u64,
    /// Changes when the numbers of obligations do.
    table: u64,
}

impl Automaton {
    /// An automaton whose cache takes about `limit` bytes at most.
    pub(crate) fn new(program: Arc<Program>, limit: usize) -> Self {
        let shift = program.alphabet.len().next_power_of_two().trailing_zeros();
        let mut ascii = [0; 128];
        ascii.copy_from_slice(&program.alphabet.classes[..128]);
        let stepper = Stepper::new(&program);
        let mut automaton = Self {
            program,
            stepper,
            states: Vec::new(),
            ids: FastMap::default(),
            next: Vec::new(),
            ends: Vec::new(),
            lists: Vec::new(),
            list_ids: FastMap::default(),
            shift,
            ascii,
            size: 0,
            limit,
            generation: 0,
            table: unique(),
        };
        automaton.clear();
        automaton
    }

    /// Number of states built since the cache was last dropped.
    #[cfg(feature = "internals")]
    pub(crate) fn states(&self) -> usize {
        self.states.len()
    }

    /// Whether a position can be continued; otherwise the text has to be read again.
    pub(crate) fn knows(&self, position: &Position) -> bool {
        position.reached.as_ref().is_none_or(|reached| reached.table == self.table)
    }

    /// Reads units. `report` is told, after how many units, of each list of patterns found to match whatever follows.
    pub(crate) fn feed(&mut self, position: &mut Position, units: &[u16], mut report: impl FnMut(usize, &[u32])) {
        let mut id = self.enter(position);
        for (index, &unit) in units.iter().enumerate() {
            let class = match self.ascii.get(usize::from(unit)) {
                Some(&class) => class,
                None => self.program.alphabet.class(unit),
            };
            let mut next = self.next[((id as usize) << self.shift) + usize::from(class)];
            if next >= MATCHED {
                if next == UNKNOWN {
                    next = self.compute(id, class);
                }
                if next & MATCHED != 0 {
                    next &= !MATCHED;
                    let list = self.states[next as usize].matches as usize;
                    report(index + 1, &self.lists[list]);
                }
            }
            id = next;
        }
        if position.reached.as_ref().is_none_or(|reached| reached.id != id || reached.generation != self.generation) {
            position.reached = Some(self.reached(id));
        }
    }

    fn reached(&self, id: u32) -> Reached {
        Reached { id, generation: self.generation, table: self.table, state: Arc::clone(&self.states[id as usize]) }
    }

    /// The patterns that match if the text ends at the position. Those reported by [`Self::feed`] need not be among them.
    pub(crate) fn at_end(&mut self, position: &mut Position) -> &[u32] {
        let id = self.enter(position) as usize;
        if self.ends[id] == 0 {
            let state = Arc::clone(&self.states[id]);
            let stepped = self.stepper.step(&self.program, &state.threads, state.before, None);
            self.ends[id] = self.list(&stepped.matches) + 1;
        }
        &self.lists[self.ends[id] as usize - 1]
    }

    /// The number of the state of a position, after that of the cache in which it has a meaning.
    pub(crate) fn number(&mut self, position: &mut Position) -> (u64, u32) {
        let id = self.enter(position);
        (self.generation, id)
    }

    /// The number of the state of a position.
    fn enter(&mut self, position: &mut Position) -> u32 {
        if let Some(reached) = &position.reached
            && reached.generation == self.generation
        {
            return reached.id;
        }
        let (threads, before) = match &position.reached {
            // The caller has made sure that the position is known.
            Some(reached) if reached.table == self.table => (reached.state.threads.to_vec(), reached.state.before),
            _ => (Vec::new(), self.program.kind(Neighbour::Edge)),
        };
        let id = self.add(&threads, before, 0) & !MATCHED;
        position.reached = Some(self.reached(id));
        id
    }

    /// Computes a transition.
    fn compute(&mut self, id: u32, class: u16) -> u32 {
        let state = Arc::clone(&self.states[id as usize]);
        let stepped = self.stepper.step(&self.program, &state.threads, state.before, Some(class));
        let before = self.program.kind(self.program.alphabet.kinds[usize::from(class)]);
        let mut threads = stepped.threads;
        let full = self.size > self.limit;
        if full {
            self.clear();
        }
        if self.stepper.obligations.size() > self.limit {
            threads = self.stepper.reset(&threads);
            self.table = unique();
            self.clear();
            let matches = self.list(&stepped.matches);
            return self.add(&threads, before, matches);
        }
        let matches = self.list(&stepped.matches);
        let next = self.add(&threads, before, matches);
        if !full {
            self.next[((id as usize) << self.shift) + usize::from(class)] = next;
        }
        next
    }

    /// The number of a state, which is built if it is new.
    fn add(&mut self, threads: &[Thread], before: Neighbour, matches: u32) -> u32 {
        let state = State { before, matches, threads: threads.into() };
        let flag = if matches == 0 { 0 } else { MATCHED };
        if let Some(&id) = self.ids.get(&state) {
            return id | flag;
        }
        let id = self.states.len() as u32;
        let state = Arc::new(state);
        self.size += 96 + size_of_val(&*state.threads) + (4 << self.shift);
        self.states.push(Arc::clone(&state));
        self.ids.insert(state, id);
        self.next.resize(self.states.len() << self.shift, UNKNOWN);
        self.ends.push(0);
        id | flag
    }

    /// The number of a list of patterns; the empty one has 0.
    fn list(&mut self, patterns: &[u32]) -> u32 {
        if let Some(&id) = self.list_ids.get(patterns) {
            return id;
        }
        let id = self.lists.len() as u32;
        let patterns: Arc<[u32]> = Arc::from(patterns);
        self.size += 96 + size_of_val(&*patterns);
        self.lists.push(Arc::clone(&patterns));
        self.list_ids.insert(patterns, id);
        id
    }

    fn clear(&mut self) {
        self.states.clear();
        self.ids.clear();
        self.next.clear();
        self.ends.clear();
        self.lists.clear();
        self.list_ids.clear();
        self.size = 0;
        self.generation = unique();
        self.list(&[]);
    }
}
