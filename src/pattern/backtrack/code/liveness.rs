//! Which registers of the backtracker can still matter: captures that a back-reference may read, and counters of the
//! repeats that are under way. Two ways to the same place that agree in these go on alike.

use super::{Code, Op};

/// The most registers that are told apart.
const MOST: usize = 64;

/// The most passes over the code; nested repeats take one each.
const PASSES: usize = 200;

/// Registers that are alive at each instruction. Captures come first, then counters.
#[derive(Debug)]
pub(crate) enum Liveness {
    /// One bit a register.
    Each(Vec<u64>),
    /// Too many to tell apart: all are taken to be alive.
    All,
}

impl Liveness {
    pub(crate) fn is_alive(&self, pc: usize, register: usize) -> bool {
        match self {
            Self::Each(masks) => masks[pc] >> register & 1 == 1,
            Self::All => true,
        }
    }

    /// The mask of an instruction, if registers are told apart.
    pub(crate) fn mask(&self, pc: usize) -> Option<u64> {
        match self {
            Self::Each(masks) => Some(masks[pc]),
            Self::All => None,
        }
    }
}

pub(crate) fn of(code: &Code) -> Liveness {
    if code.slots + code.counters > MOST {
        return Liveness::All;
    }
    let slot = |slot: usize| 1_u64 << slot;
    let counter = |counter: usize| 1_u64 << (code.slots + counter);
    let mut alive = vec![0_u64; code.ops.len() + 1];
    for _ in 0..PASSES {
        let mut changed = false;
        for (pc, op) in code.ops.iter().enumerate().rev() {
            let next = alive[pc + 1];
            let here = match op {
                // What follows a look-around has no part in whether its body matches.
                Op::Match | Op::LookEnd { .. } => 0,
                Op::Set { .. } | Op::Run { .. } | Op::Assert(_) => next,
                Op::Split { now, later } => alive[*now] | alive[*later],
                Op::Jump(target) => alive[*target],
                Op::Save(saved) => next & !slot(*saved),
                Op::Clear(slots) => slots.clone().fold(next, |alive, cleared| alive & !slot(cleared)),
                Op::Repeat { counter: begun } => next & !counter(*begun),
                Op::Test { counter: tested, exit, .. } => next | alive[*exit] | counter(*tested),
                Op::Enter { counter: entered } => next | counter(*entered),
                Op::Next { counter: ended, test, .. } => alive[*test] | counter(*ended),
                Op::Look { exit, .. } => next | alive[*exit],
                Op::BackReference { groups, .. } => {
                    groups.iter().fold(next, |alive, &start| alive | slot(start) | slot(start + 1))
                }
            };
            changed |= here != alive[pc];
            alive[pc] = here;
        }
        if !changed {
            return Liveness::Each(alive);
        }
    }
    Liveness::All
}
