//! [`Nearness`]: how far into a pattern a text got that does not match it, for people who ask why a rule is silent.

use std::collections::VecDeque;
use std::ops::Range;

use super::compile::Pattern;
use super::linear::program::{Inst, Pc, Program};
use super::syntax::tree::{Assertion, Neighbour};

/// Steps that one search may take.
const STEPS: usize = 8_000_000;

/// No way there.
const NEVER: u32 = u32::MAX;

/// The place of a text at which a pattern came closest to a match: the part of the text that is the longest beginning
/// of a match, counted in units that the pattern demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearness {
    /// The beginning of a match, in code units; empty where nothing in the text begins one.
    pub range: Range<usize>,
    /// How many units of the pattern that is, at least.
    pub units: u32,
    /// The fewest units that a match has.
    pub least: u32,
    /// What the pattern demands next.
    pub wanted: Wanted,
}

/// What a pattern demands behind the beginning of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// This character.
    Character(char),
    /// One character of several.
    OneOf,
    /// A test that does not hold there, as it is written.
    Test(&'static str),
}

impl Pattern {
    /// Where a text that does not match came closest. Nothing for patterns with look-arounds or back-references, and
    /// for texts that are too long for them: there the live ways do not tell.
    pub fn nearest(&self, text: &[u16]) -> Option<Nearness> {
        if self.needs_backtracking() {
            return None;
        }
        let program = self.program(0);
        let is_plain =
            |inst: &Inst| !matches!(inst, Inst::Ahead { .. } | Inst::Behind { .. } | Inst::Done | Inst::BehindDone(_));
        if !program.insts.iter().all(is_plain) || text.len().saturating_mul(program.insts.len()) > STEPS {
            return None;
        }
        Some(Search::new(&program).run(text))
    }
}

struct Search<'a> {
    program: &'a Program,
    /// The fewest units from the start of the pattern to each instruction.
    depth: Vec<u32>,
    /// The live ways before a unit: the instruction, and where the text that led there begins. Later beginnings win.
    ways: Vec<(Pc, usize)>,
    /// Where each instruction was reached last.
    marks: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program) -> Self {
        Self { program, depth: depths(program), ways: Vec::new(), marks: vec![usize::MAX; program.insts.len()] }
    }

    fn run(mut self, text: &[u16]) -> Nearness {
        let least = self.program.insts.iter().zip(&self.depth);
        let least = least.filter(|(inst, _)| matches!(inst, Inst::Match(_))).map(|(_, depth)| *depth).min();
        let mut best: Option<(u32, Pc, Range<usize>)> = None;
        for at in 0..text.len() {
            let class = self.program.alphabet.class(text[at]);
            let (before, after) = neighbours(text, at);
            let mut next: Vec<(Pc, usize)> = Vec::new();
            for (pc, start) in self.closure(at, before, after) {
                if let Inst::Set { set, next: to } = self.program.insts[pc as usize]
                    && self.program.alphabet.contains(set, class)
                {
                    next.push((to, start));
                    let depth = self.depth[to as usize];
                    if best.as_ref().is_none_or(|(deepest, ..)| depth > *deepest) {
                        best = Some((depth, to, start..at + 1));
                    }
                }
            }
            self.ways = next;
        }
        let (units, pc, range) = best.unwrap_or_else(|| {
            let root = self.program.plain_roots.first().or(self.program.other_roots.first());
            (0, root.copied().unwrap_or_default(), 0..0)
        });
        let wanted = self.wanted(pc, text, range.end);
        Nearness { range, units, least: least.unwrap_or_default(), wanted }
    }

    /// The instructions that read a unit, reached from the live ways and from a new beginning at `at`.
    fn closure(&mut self, at: usize, before: Neighbour, after: Neighbour) -> Vec<(Pc, usize)> {
        let roots = self.program.plain_roots.iter().chain(&self.program.other_roots);
        // The stack gives the last first: later beginnings take an instruction before earlier ones.
        let mut ways = std::mem::take(&mut self.ways);
        ways.sort_by_key(|(_, start)| *start);
        ways.extend(roots.map(|&root| (root, at)));
        let mut found = Vec::new();
        while let Some((pc, start)) = ways.pop() {
            if std::mem::replace(&mut self.marks[pc as usize], at) == at {
                continue;
            }
            match self.program.insts[pc as usize] {
                Inst::Set { .. } => found.push((pc, start)),
                Inst::Split { first, second } => ways.extend([(second, start), (first, start)]),
                Inst::Assert { assertion, next } if assertion.holds(before, after) => ways.push((next, start)),
                _ => {}
            }
        }
        found
    }

    /// What is demanded at an instruction that is reached at `at`.
    fn wanted(&mut self, pc: Pc, text: &[u16], at: usize) -> Wanted {
        let (before, after) = neighbours(text, at);
        let (mut test, mut sets, mut stack) = (None, Vec::new(), vec![pc]);
        self.marks.fill(usize::MAX);
        while let Some(pc) = stack.pop() {
            if std::mem::replace(&mut self.marks[pc as usize], at) == at {
                continue;
            }
            match self.program.insts[pc as usize] {
                Inst::Set { set, .. } => sets.push(set),
                Inst::Split { first, second } => stack.extend([second, first]),
                Inst::Assert { assertion, next } if assertion.holds(before, after) => stack.push(next),
                Inst::Assert { assertion, .. } => test = Some(written(assertion)),
                _ => {}
            }
        }
        if let (Some(test), []) = (test, sets.as_slice()) {
            return Wanted::Test(test);
        }
        let alphabet = &self.program.alphabet;
        let mut units =
            (0..=u16::MAX).filter(|&unit| sets.iter().any(|&set| alphabet.contains(set, alphabet.class(unit)))).take(2);
        match (units.next().and_then(|unit| char::from_u32(u32::from(unit))), units.next()) {
            (Some(character), None) => Wanted::Character(character),
            _ => Wanted::OneOf,
        }
    }
}

/// The kinds of the units before and behind a place.
fn neighbours(text: &[u16], at: usize) -> (Neighbour, Neighbour) {
    let before = at.checked_sub(1).and_then(|at| text.get(at)).copied();
    (Neighbour::of(before), Neighbour::of(text.get(at).copied()))
}

/// The fewest units from the start of the pattern to each instruction.
fn depths(program: &Program) -> Vec<u32> {
    let mut depth = vec![NEVER; program.insts.len()];
    let roots = program.plain_roots.iter().chain(&program.other_roots);
    let mut queue: VecDeque<(Pc, u32)> = roots.map(|&root| (root, 0)).collect();
    while let Some((pc, units)) = queue.pop_front() {
        if depth[pc as usize] <= units {
            continue;
        }
        depth[pc as usize] = units;
        match program.insts[pc as usize] {
            Inst::Set { next, .. } => queue.push_back((next, units + 1)),
            Inst::Split { first, second } => {
                queue.push_front((second, units));
                queue.push_front((first, units));
            }
            Inst::Assert { next, .. } => queue.push_front((next, units)),
            _ => {}
        }
    }
    depth
}

fn written(assertion: Assertion) -> &'static str {
    match assertion {
        Assertion::Start | Assertion::LineStart => "^",
        Assertion::End | Assertion::LineEnd => "$",
        Assertion::WordBoundary => "\\b",
        Assertion::NotWordBoundary => "\\B",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::CompileOptions;
    use crate::text::JsString;

    fn nearest(pattern: &str, text: &str) -> Option<(String, u32, u32, Wanted)> {
        let pattern = Pattern::compile(&pattern.into(), CompileOptions::default()).expect("a pattern");
        let text = JsString::from(text);
        let near = pattern.nearest(text.units())?;
        let read = JsString::from_units(&text.units()[near.range]).to_string_lossy();
        Some((read, near.units, near.least, near.wanted))
    }

    #[test]
    fn the_longest_beginning_of_a_match_is_found() {
        let near = |pattern, text| nearest(pattern, text).expect("known");
        assert_eq!(near("console\\.log", "a console.lag"), ("console.l".into(), 9, 11, Wanted::Character('o')));
        assert_eq!(near(".*foo", "a fo b"), ("fo".into(), 2, 3, Wanted::Character('o')));
        assert_eq!(near("\\w+\\.unwrap\\(\\)", "x.unwrap ()"), ("x.unwrap".into(), 8, 10, Wanted::Character('(')));
        assert_eq!(near("foo\\b", "food"), ("foo".into(), 3, 3, Wanted::Test("\\b")));
        assert_eq!(near("^git", "a git"), (String::new(), 0, 3, Wanted::Character('g')));
        assert_eq!(near("a[0-9]", "xa"), ("a".into(), 1, 2, Wanted::OneOf));
        assert_eq!(near("q", "abc"), (String::new(), 0, 1, Wanted::Character('q')));
        assert_eq!(near("(?:ab){3}", "ababa"), ("ababa".into(), 5, 6, Wanted::Character('b')));
    }

    #[test]
    fn where_live_ways_do_not_tell_nothing_is_said() {
        for pattern in ["foo(?!bar)", "(a)\\1", "(?<=x)y"] {
            assert_eq!(nearest(pattern, "fo"), None, "{pattern}");
        }
        assert_eq!(nearest("abc", &"a".repeat(STEPS)), None);
    }
}
