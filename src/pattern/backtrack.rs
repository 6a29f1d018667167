//! The step-counted backtracker: exact for every pattern, as long as its budget lasts.
//!
//! It decides patterns with back-references and finds where a match begins and ends. Its stack is its own, so depth is
//! bounded by memory that is counted too.

use std::ops::Range;

use super::backtrack_code::{Code, Op};
use super::charset::CharSet;
use super::fold::canonical;
use super::syntax::{Neighbour, UNBOUNDED};

/// The most entries the stack of choices may have.
const MAX_CHOICES: usize = 1 << 21;

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Search {
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

/// A capture that is not set.
const UNSET: usize = usize::MAX;

/// Something to undo or to try when a way turns out not to lead on.
enum Choice {
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
        spare: usize,
        backward: bool,
    },
    /// A lazy run that may take more units, up to a number.
    Shorter {
        pc: usize,
        at: usize,
        set: usize,
        left: u32,
        backward: bool,
    },
}

/// Looks for the leftmost match that starts at `from` or later. `first` holds the units a match can begin with, if that
/// is known; steps are taken off `budget`.
pub(super) fn search(code: &Code, first: Option<&CharSet>, text: &[u16], from: usize, budget: &mut u64) -> Search {
    let anchored = matches!(code.ops.first(), Some(Op::Assert(super::syntax::Assertion::Start)));
    let mut run = Run {
        code,
        text,
        captures: vec![UNSET; code.groups * 2],
        counters: vec![(0, 0); code.counters],
        choices: Vec::new(),
        looks: Vec::new(),
        at_end: false,
        budget,
    };
    for start in from..=text.len() {
        if anchored && start > 0 {
            break;
        }
        if let Some(first) = first
            && !text.get(start).is_some_and(|&unit| first.contains(unit))
        {
            continue;
        }
        match run.attempt(start) {
            Some(Some(end)) => return Search::Found { range: start..end, at_end: run.at_end },
            Some(None) => {}
            None => return Search::OutOfSteps,
        }
    }
    Search::Nothing
}

struct Run<'r> {
    code: &'r Code,
    text: &'r [u16],
    captures: Vec<usize>,
    counters: Vec<(u32, usize)>,
    choices: Vec<Choice>,
    /// Where on the stack of choices the open look-arounds begin.
    looks: Vec<usize>,
    at_end: bool,
    budget: &'r mut u64,
}

impl Run<'_> {
    /// Tries one start: nothing when the budget ends, else the end of the match if there is one.
    fn attempt(&mut self, start: usize) -> Option<Option<usize>> {
        self.captures.fill(UNSET);
        self.choices.clear();
        self.looks.clear();
        self.at_end = false;
        let (mut pc, mut at) = (0, start);
        loop {
            *self.budget = self.budget.checked_sub(1)?;
            if self.choices.len() > MAX_CHOICES {
                return None;
            }
            if matches!(self.code.ops[pc], Op::Match) {
                return Some(Some(at));
            }
            match self.go(pc, at) {
                Some(next) => (pc, at) = next,
                None => match self.back()? {
                    Some(next) => (pc, at) = next,
                    None => return Some(None),
                },
            }
        }
    }

    /// Runs one instruction; nothing when it leads nowhere.
    fn go(&mut self, pc: usize, at: usize) -> Option<(usize, usize)> {
        let code = self.code;
        match &code.ops[pc] {
            Op::Match => Some((pc, at)),
            Op::Set { set, backward } => {
                let unit = self.unit(at, *backward)?;
                code.sets[*set].contains(unit).then(|| (pc + 1, moved(at, 1, *backward)))
            }
            Op::Run { set, backward, min, max, greedy } => {
                let limit = if *greedy { *max } else { *min };
                let mut taken = 0_u32;
                let mut place = at;
                while limit == UNBOUNDED || taken < limit {
                    match self.unit(place, *backward) {
                        Some(unit) if code.sets[*set].contains(unit) => {}
                        _ => break,
                    }
                    place = moved(place, 1, *backward);
                    taken += 1;
                }
                *self.budget = self.budget.saturating_sub(u64::from(taken / 8));
                if taken < *min {
                    return None;
                }
                let spare = (taken - min) as usize;
                if *greedy && spare > 0 {
                    self.choices.push(Choice::Longer { pc: pc + 1, at: place, spare, backward: *backward });
                } else if !greedy && max > min {
                    let left = if *max == UNBOUNDED { UNBOUNDED } else { max - min };
                    self.choices.push(Choice::Shorter { pc: pc + 1, at: place, set: *set, left, backward: *backward });
                }
                Some((pc + 1, place))
            }
            Op::Assert(assertion) => {
                let before = at.checked_sub(1).map(|before| self.text[before]);
                let after = self.text.get(at).copied();
                let holds = assertion.holds(Neighbour::of(before), Neighbour::of(after));
                if after.is_none() && (holds || !self.looks.is_empty()) {
                    self.at_end = true;
                }
                holds.then_some((pc + 1, at))
            }
            Op::Split { later } => {
                self.choices.push(Choice::Resume { pc: *later, at });
                Some((pc + 1, at))
            }
            Op::Jump(target) => Some((*target, at)),
            Op::Save(slot) => {
                self.save(*slot, at);
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
            Op::Enter { counter, captures } => {
                let (rounds, _) = self.counters[*counter];
                self.count(*counter, (rounds, at));
                for slot in captures.start as usize * 2..captures.end as usize * 2 {
                    self.save(slot, UNSET);
                }
                Some((pc + 1, at))
            }
            Op::Next { counter, min, test, backward } => {
                let (rounds, start) = self.counters[*counter];
                let mut next = rounds.saturating_add(1);
                if at == start {
                    if rounds >= *min {
                        return None;
                    }
                    // Rounds that match no text come at most once between any two that do, and the others leave room.
                    let left = if *backward { at } else { self.text.len() - at };
                    let room = u32::try_from(left * 2 + 2).unwrap_or(UNBOUNDED);
                    next = next.max(min.saturating_sub(room));
                }
                self.count(*counter, (next, start));
                Some((*test, at))
            }
            Op::Look { negative, exit } => {
                self.looks.push(self.choices.len());
                self.choices.push(Choice::Look { negative: *negative, exit: *exit, at });
                Some((pc + 1, at))
            }
            Op::LookEnd { negative } => {
                let base = self.looks.pop()?;
                if *negative {
                    while self.choices.len() > base {
                        if let Some(choice) = self.choices.pop() {
                            self.undo(&choice);
                        }
                    }
                    return None;
                }
                // A look-around is not entered again, but captures set in it are unset when it is backed out of.
                let place = match self.choices[base] {
                    Choice::Look { at, .. } => at,
                    _ => at,
                };
                let mut kept = base;
                for index in base..self.choices.len() {
                    if matches!(self.choices[index], Choice::Capture { .. } | Choice::Counter { .. }) {
                        self.choices.swap(kept, index);
                        kept += 1;
                    }
                }
                self.choices.truncate(kept);
                Some((pc + 1, place))
            }
            Op::BackReference { groups, fold, backward } => {
                let set = groups.iter().map(|&group| group as usize * 2).find_map(|slot| {
                    let (start, end) = (self.captures[slot], self.captures[slot + 1]);
                    (start != UNSET && end != UNSET).then_some(start..end)
                });
                let Some(range) = set else {
                    return Some((pc + 1, at));
                };
                let length = range.len();
                *self.budget = self.budget.saturating_sub(length as u64 / 8);
                let start = if *backward { at.checked_sub(length)? } else { at };
                if start + length > self.text.len() {
                    self.at_end |= !self.looks.is_empty();
                    return None;
                }
                let same =
                    |(left, right): (&u16, &u16)| left == right || (*fold && canonical(*left) == canonical(*right));
                let equal = self.text[range].iter().zip(&self.text[start..start + length]).all(same);
                equal.then(|| (pc + 1, if *backward { start } else { start + length }))
            }
        }
    }

    /// Takes the latest choice that is left: nothing when the budget ends, else where to go on if there is a choice.
    fn back(&mut self) -> Option<Option<(usize, usize)>> {
        let code = self.code;
        while let Some(choice) = self.choices.pop() {
            *self.budget = self.budget.checked_sub(1)?;
            match choice {
                Choice::Resume { pc, at } => return Some(Some((pc, at))),
                Choice::Capture { .. } | Choice::Counter { .. } => self.undo(&choice),
                Choice::Look { negative, exit, at } => {
                    self.looks.pop();
                    if negative {
                        return Some(Some((exit, at)));
                    }
                }
                Choice::Longer { pc, at, spare, backward } => {
                    let at = moved(at, 1, !backward);
                    if spare > 1 {
                        self.choices.push(Choice::Longer { pc, at, spare: spare - 1, backward });
                    }
                    return Some(Some((pc, at)));
                }
                Choice::Shorter { pc, at, set, left, backward } => {
                    if let Some(unit) = self.unit(at, backward)
                        && code.sets[set].contains(unit)
                    {
                        let at = moved(at, 1, backward);
                        if left > 1 {
                            let left = if left == UNBOUNDED { left } else { left - 1 };
                            self.choices.push(Choice::Shorter { pc, at, set, left, backward });
                        }
                        return Some(Some((pc, at)));
                    }
                }
            }
        }
        Some(None)
    }

    fn undo(&mut self, choice: &Choice) {
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

    fn count(&mut self, counter: usize, value: (u32, usize)) {
        let old = std::mem::replace(&mut self.counters[counter], value);
        self.choices.push(Choice::Counter { counter, old });
    }

    fn unit(&mut self, at: usize, backward: bool) -> Option<u16> {
        if backward {
            return at.checked_sub(1).map(|before| self.text[before]);
        }
        let unit = self.text.get(at).copied();
        if unit.is_none() && !self.looks.is_empty() {
            self.at_end = true;
        }
        unit
    }
}

const fn moved(at: usize, by: usize, backward: bool) -> usize {
    if backward { at - by } else { at + by }
}
