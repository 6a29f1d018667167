//! Repeats in the backtracker: runs of one set, and the ends of counted rounds.

use super::{Choice, Manner, Run, moved};
use crate::pattern::backtrack::code::{Behind, Op};
use crate::pattern::backtrack::frontier::How;
use crate::pattern::syntax::tree::UNBOUNDED;

impl Run<'_> {
    pub(crate) fn end_round(
        &mut self,
        pc: usize,
        at: usize,
        counter: usize,
        (min, max): (u32, u32),
        test: usize,
        backward: bool,
    ) -> Option<(usize, usize)> {
        let (rounds, start) = self.counters[counter];
        let mut next = rounds.saturating_add(1);
        if at == start {
            if rounds >= min {
                return None;
            }
            // Rounds that match no text come at most once between any two that do, and the others leave room.
            let left = if backward { at } else { self.text.len() - at };
            let room = u32::try_from(left * 2 + 2).unwrap_or(UNBOUNDED);
            let skipped = min.saturating_sub(room);
            if skipped > next {
                next = skipped;
                // With more text there is more room.
                self.touch(pc, at, How::Again);
                self.depend_on_end();
            }
        }
        if max == UNBOUNDED {
            // Rounds beyond those that are needed make no difference.
            next = next.min(min);
        }
        self.count(counter, (next, start));
        Some((test, at))
    }

    /// Takes units in a run that has taken some already. One that goes on where the text ended has shown the way from
    /// there before.
    pub(crate) fn take(&mut self, pc: usize, at: usize, before: u32, goes_on: bool) -> Option<(usize, usize)> {
        let code = self.code;
        let Op::Run { set, backward, min, max, greedy, next } = &code.ops[pc] else { return None };
        let set = &code.sets[*set];
        let limit = if *greedy { *max } else { *min };
        let (mut taken, mut place) = (before, at);
        while taken < limit {
            match self.unit(place, *backward) {
                Some(unit) if set.contains(unit) => {}
                None if !backward => {
                    self.touch(pc, place, How::Run { taken });
                    break;
                }
                _ => break,
            }
            place = moved(place, 1, *backward);
            taken += 1;
        }
        *self.budget = self.budget.saturating_sub(u64::from((taken - before) / 8));
        let least = if goes_on { before.saturating_add(1).max(*min) } else { *min };
        let spare = taken.checked_sub(least)?;
        if *greedy {
            let stopped = taken < limit;
            let spare = if stopped && matches!(next, Behind::Apart(_)) && self.cuts() { 0 } else { spare };
            return self.give_back(pc, place, spare);
        }
        let left = if *max == UNBOUNDED { UNBOUNDED } else { max - min };
        if left > 0 {
            self.choices.push(Choice::Shorter { pc, at: place, left });
        }
        Some((pc + 1, place))
    }

    /// Whether short cuts are allowed.
    pub(crate) fn cuts(&self) -> bool {
        !matches!(self.manner, Manner::Plain)
    }

    /// Whether what has to follow a run may stand at a place.
    pub(crate) fn may_end(&self, next: Behind, at: usize, backward: bool) -> bool {
        let (Behind::Within(wanted) | Behind::Apart(wanted)) = next else { return true };
        !self.cuts() || self.unit(at, backward).is_none_or(|unit| self.code.sets[wanted].contains(unit))
    }

    /// Leaves a greedy run at the last place where that may lead on, with up to `spare` units fewer than it has taken.
    pub(crate) fn give_back(&mut self, pc: usize, mut at: usize, mut spare: u32) -> Option<(usize, usize)> {
        let code = self.code;
        let Op::Run { backward, next, .. } = &code.ops[pc] else { return None };
        let all = spare;
        while !self.may_end(*next, at, *backward) {
            spare = spare.checked_sub(1)?;
            at = moved(at, 1, !backward);
        }
        *self.budget = self.budget.saturating_sub(u64::from((all - spare) / 8));
        if spare > 0 {
            self.choices.push(Choice::Longer { pc, at, spare });
        }
        Some((pc + 1, at))
    }

    /// Gives back one unit of a greedy run, or more.
    pub(crate) fn less(&mut self, pc: usize, at: usize, spare: u32) -> Option<(usize, usize)> {
        let Op::Run { backward, .. } = &self.code.ops[pc] else { return None };
        self.give_back(pc, moved(at, 1, !backward), spare - 1)
    }

    /// Takes units in a lazy run, at least one, up to the first place where leaving it may lead on.
    pub(crate) fn take_one(&mut self, pc: usize, mut at: usize, mut left: u32) -> Option<(usize, usize)> {
        let code = self.code;
        let Op::Run { set, backward, next, .. } = &code.ops[pc] else { return None };
        let set = &code.sets[*set];
        let mut taken = 0_u64;
        loop {
            let Some(unit) = self.unit(at, *backward) else {
                if !backward {
                    self.touch(pc, at, How::Shorter { left });
                }
                break;
            };
            if !set.contains(unit) {
                break;
            }
            at = moved(at, 1, *backward);
            taken += 1;
            left = if left == UNBOUNDED { left } else { left - 1 };
            if self.may_end(*next, at, *backward) {
                *self.budget = self.budget.saturating_sub(taken / 8);
                if left > 0 {
                    self.choices.push(Choice::Shorter { pc, at, left });
                }
                return Some((pc + 1, at));
            }
            if left == 0 {
                break;
            }
        }
        *self.budget = self.budget.saturating_sub(taken / 8);
        None
    }
}
