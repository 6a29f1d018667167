//! The step-counted backtracker: exact for every pattern, as long as its budget lasts.
//!
//! It decides patterns with back-references and finds where a match begins and ends. Its stack is its own, so depth is
//! bounded by memory that is counted too. It goes through the ways of a pattern in one of three manners ([`Manner`]);
//! once many steps are taken, ways that are known to be in vain are cut ([`crate::pattern::backtrack::memo`]).

mod end;
mod repeat;

use std::ops::Range;

use crate::pattern::backtrack::code::{Code, Op};
use crate::pattern::backtrack::frontier::{Frontier, How, Suspended};
use crate::pattern::backtrack::memo::{KeyMaker, Memo};
use crate::pattern::syntax::charset::CharSet;
use crate::pattern::syntax::fold::canonical;
use crate::pattern::syntax::tree::{Assertion, Neighbour, UNBOUNDED};

/// The most entries the stack of choices may have.
const MAX_CHOICES: usize = 1 << 21;

/// Steps after which tried states are noted, or sooner when the budget is small. Before, that would cost more than it
/// saves.
const LIGHT: u64 = 100_000;

/// Steps that noting a state counts for: about the time it takes.
const NOTE: u64 = 12;

/// Steps that taking up a suspended way counts for.
const RESUMED: u64 = 4;

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// The leftmost match, as ECMAScript finds it.
    Found {
        range: Range<usize>,
        /// Whether the end of the text had a part in it: more text might undo the match.
        at_end: bool,
    },
    Nothing,
    /// The budget has run out.
    OutOfSteps,
}

/// The outcome of going through the ways from one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// A match ends here.
    Match(usize),
    Nothing,
    OutOfSteps,
}

/// How the ways of a pattern are gone through.
#[derive(Debug)]
pub(crate) enum Manner {
    /// Like an engine that knows no short cuts; for counts of its steps.
    Plain,
    /// To the first match, in the order of preference.
    First,
    /// To the first match that more text cannot undo; ways that end at the end of the text are kept.
    All(Frontier),
}

/// A capture that is not set.
pub(crate) const UNSET: usize = usize::MAX;

/// Something to undo or to try when a way turns out not to lead on.
pub(crate) enum Choice {
    Resume {
        pc: usize,
        at: usize,
    },
    Capture {
        slot: usize,
        old: usize,
    },
    Counter {
        counter: usize,
        old: (u32, usize),
    },
    Look {
        negative: bool,
        exit: usize,
        at: usize,
    },
    /// A greedy run that may give back units, down to a number.
    Longer {
        pc: usize,
        at: usize,
        spare: u32,
    },
    /// A lazy run that may take more units, up to a number.
    Shorter {
        pc: usize,
        at: usize,
        left: u32,
    },
}

/// A look-around under way.
pub(crate) struct OpenLook {
    pub(crate) pc: usize,
    /// Where on the stack of choices it begins.
    pub(crate) base: usize,
    pub(crate) mark: usize,
    /// Whether the end of the text had a part in it.
    pub(crate) touched: bool,
}

/// Looks for the leftmost match that starts at `from` or later. `first` holds the units a match can begin with, if that
/// is known; steps are taken off `budget`.
pub(crate) fn search(code: &Code, first: Option<&CharSet>, text: &[u16], manner: Manner, budget: &mut u64) -> Search {
    let mut run = Run::new(code, text, manner, budget);
    for start in 0..=text.len() {
        if run.is_anchored() && start > 0 {
            break;
        }
        if let Some(first) = first
            && !text.get(start).is_some_and(|&unit| first.contains(unit))
        {
            continue;
        }
        match run.start(start) {
            Attempt::Match(end) => return Search::Found { range: start..end, at_end: run.at_end },
            Attempt::Nothing => {}
            Attempt::OutOfSteps => return Search::OutOfSteps,
        }
    }
    Search::Nothing
}

pub(crate) struct Run<'r> {
    pub(crate) code: &'r Code,
    pub(crate) text: &'r [u16],
    pub(crate) captures: Vec<usize>,
    pub(crate) counters: Vec<(u32, usize)>,
    pub(crate) choices: Vec<Choice>,
    pub(crate) looks: Vec<OpenLook>,
    pub(crate) at_end: bool,
    pub(crate) manner: Manner,
    /// While the way depends on where the text ends: the length of the stack of choices when that began.
    pub(crate) tentative: Option<usize>,
    /// Whether such a way has come to a match.
    pub(crate) matches_at_end: bool,
    pub(crate) memo: Option<Memo>,
    /// The budget at which states begin to be noted.
    pub(crate) noting_from: u64,
    pub(crate) budget: &'r mut u64,
}

impl<'r> Run<'r> {
    pub(crate) fn new(code: &'r Code, text: &'r [u16], manner: Manner, budget: &'r mut u64) -> Self {
        Self {
            code,
            text,
            captures: vec![UNSET; code.slots],
            counters: vec![(0, 0); code.counters],
            choices: Vec::new(),
            looks: Vec::new(),
            at_end: false,
            noting_from: if matches!(manner, Manner::Plain) { 0 } else { *budget - LIGHT.min(*budget / 1024) },
            manner,
            tentative: None,
            matches_at_end: false,
            memo: None,
            budget,
        }
    }

    /// Whether a match can begin at the start of the text only.
    pub(crate) fn is_anchored(&self) -> bool {
        matches!(self.code.ops.first(), Some(Op::Assert(Assertion::Start)))
    }

    /// Goes through all ways that begin at a place.
    pub(crate) fn start(&mut self, start: usize) -> Attempt {
        self.captures.fill(UNSET);
        self.reset();
        self.attempt(Some((0, start)))
    }

    /// Goes on with a suspended way.
    pub(crate) fn resume(&mut self, way: Suspended, registers: &[u32]) -> Attempt {
        self.reset();
        *self.budget = self.budget.saturating_sub(RESUMED);
        self.restore(way.pc, registers);
        let Suspended { pc, at, how } = way;
        let next = match how {
            How::Again => Some((pc, at)),
            How::Run { taken } => self.take(pc, at, taken, true),
            How::Shorter { left } => self.take_one(pc, at, left),
        };
        self.attempt(next)
    }

    fn reset(&mut self) {
        self.choices.clear();
        self.looks.clear();
        self.at_end = false;
        self.tentative = None;
    }

    /// Goes on from a state, or if there is none from the latest choice.
    fn attempt(&mut self, mut next: Option<(usize, usize)>) -> Attempt {
        loop {
            let Some((pc, at)) = next else {
                next = match self.back() {
                    Some(Some(next)) => Some(next),
                    Some(None) => return Attempt::Nothing,
                    None => return Attempt::OutOfSteps,
                };
                continue;
            };
            if !self.pay(1) || self.choices.len() > MAX_CHOICES {
                return Attempt::OutOfSteps;
            }
            next = match &self.code.ops[pc] {
                Op::Match if self.tentative.is_none() => return Attempt::Match(at),
                Op::Match => {
                    self.matches_at_end = true;
                    None
                }
                Op::Split { .. } | Op::Test { .. } | Op::Run { .. }
                    if *self.budget < self.noting_from && !self.note(pc, at) =>
                {
                    None
                }
                _ => self.go(pc, at),
            };
        }
    }

    /// Takes steps off the budget; false when it ends.
    fn pay(&mut self, steps: u64) -> bool {
        match self.budget.checked_sub(steps) {
            Some(left) => {
                *self.budget = left;
                true
            }
            None => {
                *self.budget = 0;
                false
            }
        }
    }

    /// Notes a state; false when it has been tried before.
    fn note(&mut self, pc: usize, at: usize) -> bool {
        *self.budget = self.budget.saturating_sub(NOTE);
        let Some(mut alive) = self.code.liveness().mask(pc) else { return true };
        let in_look = !self.looks.is_empty();
        let mut key = KeyMaker::new(pc, at, self.tentative.is_some() && !in_look);
        while alive != 0 {
            let register = alive.trailing_zeros() as usize;
            alive &= alive - 1;
            let fits = match register.checked_sub(self.code.slots) {
                None => key.push(self.captures[register] as u32),
                Some(counter) => {
                    // Of the start of a round counts only whether anything has been read since.
                    let (rounds, start) = self.counters[counter];
                    key.push(rounds).and_then(|()| key.push(u32::from(start == at)))
                }
            };
            if fits.is_none() {
                return true;
            }
        }
        self.memo.get_or_insert_default().add(key.key(), in_look)
    }

    /// Runs one instruction; nothing when it leads nowhere.
    fn go(&mut self, pc: usize, at: usize) -> Option<(usize, usize)> {
        let code = self.code;
        match &code.ops[pc] {
            Op::Match => Some((pc, at)),
            Op::Set { set, backward } => {
                let Some(unit) = self.unit(at, *backward) else {
                    if !backward {
                        self.touch(pc, at, How::Again);
                    }
                    return None;
                };
                code.sets[*set].contains(unit).then(|| (pc + 1, moved(at, 1, *backward)))
            }
            Op::Run { .. } => self.take(pc, at, 0, false),
            Op::Assert(assertion) => {
                let before = at.checked_sub(1).map(|before| self.text[before]);
                let after = self.text.get(at).copied();
                let holds = assertion.holds(Neighbour::of(before), Neighbour::of(after));
                if after.is_none() && !matches!(assertion, Assertion::Start | Assertion::LineStart) {
                    self.at_end |= holds;
                    // Where the text ended once it never ends again.
                    if *assertion != Assertion::End || !self.looks.is_empty() {
                        self.touch(pc, at, How::Again);
                    }
                    if holds {
                        self.depend_on_end();
                    }
                }
                holds.then_some((pc + 1, at))
            }
            Op::Split { now, later } => {
                self.choices.push(Choice::Resume { pc: *later, at });
                Some((*now, at))
            }
            Op::Jump(target) => Some((*target, at)),
            Op::Save(slot) => {
                self.save(*slot, at);
                Some((pc + 1, at))
            }
            Op::Clear(slots) => {
                for slot in slots.clone() {
                    self.save(slot, UNSET);
                }
                Some((pc + 1, at))
            }
            Op::Repeat { counter } => {
                self.count(*counter, (0, at));
                Some((pc + 1, at))
            }
            Op::Test { counter, min, max, greedy, exit } => {
                let (rounds, _) = self.counters[*counter];
                if rounds < *min {
                    return Some((pc + 1, at));
                }
                if *max != UNBOUNDED && rounds >= *max {
                    return Some((*exit, at));
                }
                let (now, later) = if *greedy { (pc + 1, *exit) } else { (*exit, pc + 1) };
                self.choices.push(Choice::Resume { pc: later, at });
                Some((now, at))
            }
            Op::Enter { counter } => {
                let (rounds, _) = self.counters[*counter];
                self.count(*counter, (rounds, at));
                Some((pc + 1, at))
            }
            Op::Next { counter, min, max, test, backward } => {
                self.end_round(pc, at, *counter, (*min, *max), *test, *backward)
            }
            Op::Look { negative, exit } => {
                let mark = self.memo.as_ref().map_or(0, Memo::open);
                self.looks.push(OpenLook { pc, base: self.choices.len(), mark, touched: false });
                self.choices.push(Choice::Look { negative: *negative, exit: *exit, at });
                Some((pc + 1, at))
            }
            Op::LookEnd { negative } => self.close_look(pc, *negative),
            Op::BackReference { groups, fold, backward } => {
                let set = groups.iter().find_map(|&slot| {
                    let (start, end) = (self.captures[slot], self.captures[slot + 1]);
                    (start != UNSET && end != UNSET).then_some(start..end)
                });
                let Some(range) = set else {
                    return Some((pc + 1, at));
                };
                let length = range.len();
                let start = if *backward { at.checked_sub(length)? } else { at };
                let there = &self.text[start..(start + length).min(self.text.len())];
                let same =
                    |(left, right): (&u16, &u16)| left == right || (*fold && canonical(*left) == canonical(*right));
                let equal = self.text[range].iter().zip(there).take_while(|&pair| same(pair)).count();
                *self.budget = self.budget.saturating_sub(equal as u64 / 8);
                if equal < there.len() {
                    return None;
                }
                if equal < length {
                    self.touch(pc, at, How::Again);
                    return None;
                }
                Some((pc + 1, if *backward { start } else { start + length }))
            }
        }
    }

    /// Takes the latest choice that is left: nothing when the budget ends, else where to go on if there is a choice.
    fn back(&mut self) -> Option<Option<(usize, usize)>> {
        while let Some(choice) = self.choices.pop() {
            if !self.pay(1) {
                return None;
            }
            if self.tentative.is_some_and(|base| self.choices.len() < base) {
                self.tentative = None;
            }
            let next = match choice {
                Choice::Resume { pc, at } => Some((pc, at)),
                Choice::Capture { .. } | Choice::Counter { .. } => {
                    self.undo(&choice);
                    None
                }
                Choice::Look { negative, exit, at } => {
                    let Some(look) = self.looks.pop() else { continue };
                    self.leave_look(&look, at, true, None);
                    if negative && look.touched {
                        self.depend_on_end();
                    }
                    negative.then_some((exit, at))
                }
                Choice::Longer { pc, at, spare } => self.less(pc, at, spare),
                Choice::Shorter { pc, at, left } => self.take_one(pc, at, left),
            };
            if next.is_some() {
                return Some(next);
            }
        }
        Some(None)
    }

    pub(crate) fn undo(&mut self, choice: &Choice) {
        match *choice {
            Choice::Capture { slot, old } => self.captures[slot] = old,
            Choice::Counter { counter, old } => self.counters[counter] = old,
            _ => {}
        }
    }

    fn save(&mut self, slot: usize, at: usize) {
        let old = std::mem::replace(&mut self.captures[slot], at);
        if old != at {
            self.choices.push(Choice::Capture { slot, old });
        }
    }

    pub(crate) fn count(&mut self, counter: usize, value: (u32, usize)) {
        let old = std::mem::replace(&mut self.counters[counter], value);
        self.choices.push(Choice::Counter { counter, old });
    }

    pub(crate) fn unit(&self, at: usize, backward: bool) -> Option<u16> {
        if backward { at.checked_sub(1).map(|before| self.text[before]) } else { self.text.get(at).copied() }
    }
}

/// Captures and counters.
pub(crate) type Registers = (Vec<usize>, Vec<(u32, usize)>);

pub(crate) const fn moved(at: usize, by: usize, backward: bool) -> usize {
    if backward { at - by } else { at + by }
}
