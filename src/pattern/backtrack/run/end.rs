//! What in the backtracker depends on where the text ends: ways that wait for more of it, and look-arounds, which may
//! have another outcome then.

use super::{Choice, Manner, OpenLook, Registers, Run, UNSET};
use crate::pattern::backtrack::frontier::{How, Suspended};

impl Run<'_> {
    /// Ends a look-around whose body matches.
    pub(crate) fn close_look(&mut self, pc: usize, negative: bool) -> Option<(usize, usize)> {
        let look = self.looks.pop()?;
        let (exit, at) = match self.choices[look.base] {
            Choice::Look { at, .. } => (pc + 1, at),
            _ => return None,
        };
        let entry = (look.touched && matches!(self.manner, Manner::All(_))).then(|| self.registers_at(look.base));
        if negative {
            while self.choices.len() > look.base {
                if let Some(choice) = self.choices.pop() {
                    self.undo(&choice);
                }
            }
        } else {
            // A look-around is not entered again, but captures set in it are unset when it is backed out of.
            let mut kept = look.base;
            for index in look.base..self.choices.len() {
                if matches!(self.choices[index], Choice::Capture { .. } | Choice::Counter { .. }) {
                    self.choices.swap(kept, index);
                    kept += 1;
                }
            }
            self.choices.truncate(kept);
        }
        self.leave_look(&look, at, false, entry.as_ref());
        if negative {
            return None;
        }
        if look.touched {
            self.depend_on_end();
        }
        Some((exit, at))
    }

    /// What both outcomes of a look-around share.
    pub(crate) fn leave_look(&mut self, look: &OpenLook, at: usize, failed: bool, entry: Option<&Registers>) {
        let is_outermost = self.looks.is_empty();
        if let Some(memo) = &mut self.memo {
            memo.close(look.mark, failed && !look.touched, is_outermost);
        }
        if look.touched {
            self.touch_with(look.pc, at, How::Again, entry);
        }
    }

    /// The registers as they were when the stack of choices was shorter.
    pub(crate) fn registers_at(&self, base: usize) -> Registers {
        let (mut captures, mut counters) = (self.captures.clone(), self.counters.clone());
        for choice in self.choices[base..].iter().rev() {
            match *choice {
                Choice::Capture { slot, old } => captures[slot] = old,
                Choice::Counter { counter, old } => counters[counter] = old,
                _ => {}
            }
        }
        (captures, counters)
    }

    /// Tells that the end of the text had a part in what becomes of the way: it is kept for when there is more text.
    pub(crate) fn touch(&mut self, pc: usize, at: usize, how: How) {
        self.touch_with(pc, at, how, None);
    }

    pub(crate) fn touch_with(&mut self, pc: usize, at: usize, how: How, entry: Option<&Registers>) {
        if let Some(look) = self.looks.last_mut() {
            look.touched = true;
            self.at_end = true;
            return;
        }
        if self.tentative.is_some() {
            return;
        }
        if let Manner::All(frontier) = &mut self.manner {
            let (captures, counters) =
                entry.map_or((&self.captures, &self.counters), |(captures, counters)| (captures, counters));
            let liveness = self.code.liveness();
            let slots = captures.iter().enumerate().map(|(slot, &value)| (slot, [value as u32, 0], 1));
            let counted = counters.iter().enumerate();
            let counted = counted.map(|(index, value)| (captures.len() + index, [value.0, value.1 as u32], 2));
            let alive = slots.chain(counted).filter(|(register, ..)| liveness.is_alive(pc, *register));
            frontier.push(Suspended { pc, at, how }, alive.flat_map(|(_, words, count)| words.into_iter().take(count)));
        }
    }

    pub(crate) fn restore(&mut self, pc: usize, registers: &[u32]) {
        let liveness = self.code.liveness();
        let mut words = registers.iter().copied();
        let mut word = || words.next().unwrap_or_default();
        for (slot, capture) in self.captures.iter_mut().enumerate() {
            let alive = liveness.is_alive(pc, slot).then(&mut word);
            *capture = alive.filter(|&value| value != UNSET as u32).map_or(UNSET, |value| value as usize);
        }
        for (index, counter) in self.counters.iter_mut().enumerate() {
            if liveness.is_alive(pc, self.code.slots + index) {
                *counter = (word(), word() as usize);
            }
        }
    }

    /// From here on the way depends on where the text ends.
    pub(crate) fn depend_on_end(&mut self) {
        if matches!(self.manner, Manner::All(_)) && self.looks.is_empty() {
            self.tentative.get_or_insert(self.choices.len());
        }
    }
}
