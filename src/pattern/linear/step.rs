//! One step of the automaton: from the threads before a unit to those after it.

use std::collections::HashSet;
use std::sync::Arc;

use crate::pattern::hash::FastMap;
use crate::pattern::linear::program::{Inst, NO_BEHIND, Pc, Program};
use crate::pattern::linear::threads::{NONE, Obligation, Obligations, Thread};
use crate::pattern::syntax::tree::Neighbour;

/// What a step leads to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stepped {
    /// The threads, sorted.
    pub(crate) threads: Vec<Thread>,
    /// Patterns found to match, whatever follows; at the end of the text, those that match there.
    pub(crate) matches: Vec<u32>,
}

/// Computes steps. All results refer to the obligations in here.
#[derive(Debug)]
pub(crate) struct Stepper {
    pub(crate) obligations: Obligations,
    /// For each address, what it reaches without reading or testing anything.
    free: Vec<Free>,
    done: Option<Pc>,
    marks: Vec<u32>,
    mark: u32,
    seen: HashSet<Thread>,
    chain_marks: Vec<(u32, u32)>,
    roots: FastMap<(Neighbour, u32), Arc<Stepped>>,
    // The present step.
    before: Neighbour,
    after: Neighbour,
    class: Option<u16>,
    behinds: Vec<Behind>,
    stepped_sets: FastMap<u32, Outcome>,
    stepped: FastMap<u32, Option<u32>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Free {
    Nothing,
    Match(u32),
    Done,
}

/// Whether a look-behind holds at the present place.
#[derive(Clone, Copy, Debug)]
enum Behind {
    No,
    Yes,
    /// It holds if one of the threads of this set gets through.
    If(u32),
}

/// What a set of look-ahead threads comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Through,
    Dead,
    Open(u32),
}

/// Where the threads of one place can go.
#[derive(Debug, Default)]
struct Closed {
    /// Threads after reading the unit; their obligations have not been stepped yet.
    read: Vec<Thread>,
    /// Threads at a [`Inst::Match`] with that pattern.
    matches: Vec<(u32, Thread)>,
    /// Threads at a [`Inst::Done`].
    done: Vec<Thread>,
    /// Obligations under which the look-behind in question ends here.
    behind: Vec<u32>,
}

impl Stepper {
    pub(crate) fn new(program: &Program) -> Self {
        let count = program.insts.len();
        let mut free: Vec<Free> = program
            .insts
            .iter()
            .map(|inst| match inst {
                Inst::Match(pattern) => Free::Match(*pattern),
                Inst::Done => Free::Done,
                _ => Free::Nothing,
            })
            .collect();
        let mut changed = true;
        while changed {
            changed = false;
            for pc in 0..count {
                if let Inst::Split { first, second } = program.insts[pc]
                    && free[pc] == Free::Nothing
                {
                    let (first, second) = (free[first as usize], free[second as usize]);
                    free[pc] = if first == Free::Nothing { second } else { first };
                    changed |= free[pc] != Free::Nothing;
                }
            }
        }
        Self {
            obligations: Obligations::new(),
            free,
            done: program.insts.iter().position(|inst| matches!(inst, Inst::Done)).map(|pc| pc as Pc),
            marks: vec![0; count],
            mark: 0,
            seen: HashSet::new(),
            chain_marks: vec![(0, 0); program.chains as usize],
            roots: FastMap::default(),
            before: Neighbour::Edge,
            after: Neighbour::Edge,
            class: None,
            behinds: Vec::new(),
            stepped_sets: FastMap::default(),
            stepped: FastMap::default(),
        }
    }

    /// Starts afresh with an empty table of obligations; the threads are carried over.
    pub(crate) fn reset(&mut self, threads: &[Thread]) -> Vec<Thread> {
        let mut fresh = Obligations::new();
        let moved = self.obligations.migrate(threads, &mut fresh);
        self.obligations = fresh;
        self.roots.clear();
        self.stepped_sets.clear();
        self.stepped.clear();
        moved
    }

    /// Steps over a unit of a class, or looks at what holds when the text ends (`None`); `before` is what stands before
    /// the place.
    pub(crate) fn step(
        &mut self,
        program: &Program,
        threads: &[Thread],
        before: Neighbour,
        class: Option<u16>,
    ) -> Stepped {
        self.begin(program, before, class);
        let mut result = Stepped::default();
        let key = (before, class.map_or(u32::MAX, u32::from));
        if let Some(known) = self.roots.get(&key) {
            result.threads.extend_from_slice(&known.threads);
            result.matches.extend_from_slice(&known.matches);
        } else {
            let roots: Vec<Thread> = program.plain_roots.iter().map(|&pc| Thread::free(pc)).collect();
            let closed = self.closure(program, &roots);
            self.advance(program, closed, &mut result);
            self.normalise(program, &mut result.threads);
            self.roots.insert(key, Arc::new(result.clone()));
        }
        let closed = if program.behind_roots.is_empty() {
            self.closure(program, threads)
        } else {
            self.look_behind(program, threads, &mut result);
            let mut main: Vec<Thread> = program.other_roots.iter().map(|&pc| Thread::free(pc)).collect();
            main.extend(threads.iter().filter(|thread| program.owners[thread.pc as usize] == NO_BEHIND));
            self.closure(program, &main)
        };
        self.advance(program, closed, &mut result);
        self.normalise(program, &mut result.threads);
        result.matches.sort_unstable();
        result.matches.dedup();
        result
    }

    fn begin(&mut self, program: &Program, before: Neighbour, class: Option<u16>) {
        self.before = before;
        self.class = class;
        self.after = class.map_or(Neighbour::Edge, |class| program.alphabet.kinds[usize::from(class)]);
        self.behinds.clear();
        self.stepped_sets.clear();
        self.stepped.clear();
    }

    /// Moves the look-behind bodies, inner ones first, and notes which end here.
    fn look_behind(&mut self, program: &Program, threads: &[Thread], result: &mut Stepped) {
        for (id, &root) in program.behind_roots.iter().enumerate() {
            let mut own = vec![Thread::free(root)];
            own.extend(threads.iter().filter(|thread| program.owners[thread.pc as usize] == id as u32));
            let closed = self.closure(program, &own);
            let behind = if closed.behind.is_empty() {
                Behind::No
            } else if closed.behind.contains(&NONE) {
                Behind::Yes
            } else {
                // Obligations exist only where a look-ahead, and so its end, does.
                let pc = self.done.unwrap_or_default();
                let mut set: Vec<Thread> =
                    closed.behind.iter().map(|&obligations| Thread { pc, obligations }).collect();
                set.sort_unstable();
                set.dedup();
                Behind::If(self.obligations.add_set(&set))
            };
            self.behinds.push(behind);
            self.advance(program, closed, result);
        }
    }

    /// Follows all ways from the threads up to the next unit.
    fn closure(&mut self, program: &Program, threads: &[Thread]) -> Closed {
        self.next_mark();
        self.seen.clear();
        let mut closed = Closed::default();
        // Threads without obligations go first: they make others at the same address superfluous.
        let mut stack: Vec<Thread> =
            threads.iter().rev().filter(|thread| thread.obligations == NONE).copied().collect();
        let mut late: Vec<Thread> = threads.iter().filter(|thread| thread.obligations != NONE).copied().collect();
        loop {
            let Some(thread) = stack.pop() else {
                if late.is_empty() {
                    return closed;
                }
                std::mem::swap(&mut stack, &mut late);
                continue;
            };
            let Thread { pc, obligations } = thread;
            let mark = &mut self.marks[pc as usize];
            if *mark == self.mark {
                continue;
            }
            if obligations == NONE {
                *mark = self.mark;
            } else if !self.seen.insert(thread) {
                continue;
            }
            match program.insts[pc as usize] {
                Inst::Set { set, next } => {
                    if self.class.is_some_and(|class| program.alphabet.contains(set, class)) {
                        closed.read.push(Thread { pc: next, obligations });
                    }
                }
                Inst::Split { first, second } => {
                    stack.push(Thread { pc: second, obligations });
                    stack.push(Thread { pc: first, obligations });
                }
                Inst::Assert { assertion, next } => {
                    if assertion.holds(self.before, self.after) {
                        stack.push(Thread { pc: next, obligations });
                    }
                }
                Inst::Ahead { body, negative, next } => {
                    let set = self.obligations.add_set(&[Thread::free(body)]);
                    let obligations = self.with(obligations, Obligation { set, negative });
                    late.push(Thread { pc: next, obligations });
                }
                Inst::Behind { id, negative, next } => match (self.behinds[id as usize], negative) {
                    (Behind::Yes, false) | (Behind::No, true) => stack.push(Thread { pc: next, obligations }),
                    (Behind::No, false) | (Behind::Yes, true) => {}
                    (Behind::If(set), _) => {
                        let obligations = self.with(obligations, Obligation { set, negative });
                        late.push(Thread { pc: next, obligations });
                    }
                },
                Inst::Match(pattern) => closed.matches.push((pattern, thread)),
                Inst::Done => closed.done.push(thread),
                Inst::BehindDone(_) => closed.behind.push(obligations),
                Inst::Fail => {}
            }
        }
    }

    /// Makes all marks stale.
    fn next_mark(&mut self) -> u32 {
        self.mark = self.mark.wrapping_add(1);
        if self.mark == 0 {
            self.marks.fill(0);
            self.chain_marks.fill((0, 0));
            self.mark = 1;
        }
        self.mark
    }

    fn with(&mut self, obligations: u32, one: Obligation) -> u32 {
        let mut all = self.obligations.get(obligations).to_vec();
        all.push(one);
        self.obligations.add(all)
    }

    /// Turns what a closure found into threads after the unit and matches.
    fn advance(&mut self, program: &Program, closed: Closed, result: &mut Stepped) {
        for thread in closed.read {
            let Some(obligations) = self.step_obligations(program, thread.obligations) else {
                continue;
            };
            match self.free[thread.pc as usize] {
                Free::Match(pattern) if obligations == NONE => {
                    result.matches.push(pattern);
                    // Nothing is left to find on this way.
                    if !matches!(program.insts[thread.pc as usize], Inst::Match(_)) {
                        result.threads.push(Thread { pc: thread.pc, obligations });
                    }
                }
                _ => result.threads.push(Thread { pc: thread.pc, obligations }),
            }
        }
        for (pattern, thread) in closed.matches {
            match self.step_obligations(program, thread.obligations) {
                Some(NONE) => result.matches.push(pattern),
                Some(obligations) => result.threads.push(Thread { pc: thread.pc, obligations }),
                None => {}
            }
        }
    }

    /// The obligations after the unit; nothing when one has failed.
    fn step_obligations(&mut self, program: &Program, id: u32) -> Option<u32> {
        if id == NONE {
            return Some(NONE);
        }
        if let Some(&known) = self.stepped.get(&id) {
            return known;
        }
        let mut open = Vec::new();
        let mut failed = false;
        for one in self.obligations.get(id).iter() {
            match self.step_set(program, one.set) {
                Outcome::Open(set) => open.push(Obligation { set, negative: one.negative }),
                outcome => failed |= (outcome == Outcome::Through) == one.negative,
            }
            if failed {
                break;
            }
        }
        let result = if failed { None } else { Some(self.obligations.add(open)) };
        self.stepped.insert(id, result);
        result
    }

    fn step_set(&mut self, program: &Program, id: u32) -> Outcome {
        if let Some(&known) = self.stepped_sets.get(&id) {
            return known;
        }
        let threads = self.obligations.set(id);
        let closed = self.closure(program, &threads);
        let mut next = Vec::new();
        let mut outcome = Outcome::Dead;
        for thread in closed.done.iter().chain(&closed.read) {
            let Some(obligations) = self.step_obligations(program, thread.obligations) else {
                continue;
            };
            if obligations == NONE && self.free[thread.pc as usize] == Free::Done {
                outcome = Outcome::Through;
                break;
            }
            next.push(Thread { pc: thread.pc, obligations });
        }
        if outcome == Outcome::Dead && !next.is_empty() {
            self.normalise(program, &mut next);
            outcome = Outcome::Open(self.obligations.add_set(&next));
        }
        self.stepped_sets.insert(id, outcome);
        outcome
    }

    /// Sorts threads and drops those that can do nothing that another cannot.
    fn normalise(&mut self, program: &Program, threads: &mut Vec<Thread>) {
        threads.sort_unstable();
        threads.dedup();
        if threads.len() < 2 {
            return;
        }
        let obligations = &self.obligations;
        if threads.iter().any(|thread| thread.obligations != NONE) {
            let mut kept: Vec<Thread> = Vec::with_capacity(threads.len());
            for group in threads.chunk_by(|left, right| left.pc == right.pc) {
                kept.extend(group.iter().filter(|thread| {
                    !group
                        .iter()
                        .any(|other| other != *thread && obligations.implies(thread.obligations, other.obligations))
                }));
            }
            *threads = kept;
        }
        if program.chains == 0 {
            return;
        }
        for slot in 0..2 {
            let mark = self.next_mark();
            let mut bound: Vec<Thread> = Vec::new();
            for thread in threads.iter() {
                if let Some(link) = program.links[thread.pc as usize][slot] {
                    if thread.obligations != NONE {
                        bound.push(*thread);
                        continue;
                    }
                    let best = &mut self.chain_marks[link.chain as usize];
                    if best.0 != mark || best.1 > link.rank {
                        *best = (mark, link.rank);
                    }
                }
            }
            let mut best_bound: FastMap<(u32, u32), u32> = FastMap::default();
            for thread in bound {
                if let Some(link) = program.links[thread.pc as usize][slot] {
                    let best = best_bound.entry((link.chain, thread.obligations)).or_insert(link.rank);
                    *best = link.rank.min(*best);
                }
            }
            let chain_marks = &self.chain_marks;
            threads.retain(|thread| {
                let Some(link) = program.links[thread.pc as usize][slot] else {
                    return true;
                };
                let best = chain_marks[link.chain as usize];
                if thread.obligations == NONE {
                    best.1 == link.rank
                } else {
                    !(best.0 == mark && best.1 <= link.rank)
                        && best_bound.get(&(link.chain, thread.obligations)) == Some(&link.rank)
                }
            });
        }
    }
}
