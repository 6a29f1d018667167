//! [`Cost`]: patterns that a backtracking engine is slow with, told by counting its steps.

use std::sync::OnceLock;

use crate::pattern::backtrack::run::{Manner, Search};
use crate::pattern::compile::Pattern;
use crate::pattern::syntax::ambiguity;
use crate::pattern::syntax::tree::{Node, Tree};
use crate::text::JsString;

/// Length of the ordinary text in code units.
const ORDINARY: usize = 4_096;

/// Steps that a pattern may take on the ordinary text. A pattern that is held up at each line stays below; one that goes
/// through the rest of the text from each place takes several times as many.
const ORDINARY_STEPS: u64 = 250 * ORDINARY as u64;

/// Units of a text whose repetitions multiply the ways, and the steps for it: growth by the fifth power stays below,
/// doubling with each repetition does not.
const DOUBLING: (usize, u64) = (64, 1_000_000);

/// The same for texts whose repetitions add to several repeats: quadratic growth stays below, cubic does not.
const SHARED: (usize, u64) = (512, 2_000_000);

/// The fewest repetitions.
const FEWEST: usize = 24;

/// Ends of such texts, one of which the pattern cannot go on with. With the front ones, it mostly cannot.
const SUFFIXES: [&str; 7] = ["\0", "!", "\n", "\\", "\"", " ", ""];

/// Ends that are tried where each costs many steps though the pattern is not slow.
const FEW_SUFFIXES: usize = 3;

/// Repeats of so many rounds or more count as unbounded.
const ROUNDS: u32 = 8;

/// Lines without anything special: prose, code, a list, long and short words. `#` stands for a number, so that no two
/// lines in a row come back.
const LINES: [&str; 12] = [
    "The parser reads line # and moves on.\n",
    "    let value# = table.get(index, #);\n",
    "\n",
    "- first point, then the second one\n",
    "const total# = items.length * 3;\n",
    "A longer sentence follows here, with some words (and remark #) in it.\n",
    "    return result#;\n",
    "}\n",
    "function sum#(left, right) {\n",
    "| name | size |  #,024 |\n",
    "See https://example.org/path/to/page#.html for \"more\".\n",
    "\tif (a < b && b != 'c') { swap(a, #) }\n",
];

/// Why a pattern is slow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cost {
    /// It takes more than `steps` steps to find no match in ordinary text of `units` code units.
    Ordinary {
        /// Length of the text.
        units: usize,
        /// The budget.
        steps: u64,
        /// A short text that takes very many steps too, if one is known.
        attack: Option<Attack>,
    },
    /// It takes more than `steps` steps on a short text, which repeats what the pattern can read in several ways.
    Repetition {
        /// The text.
        attack: Attack,
        /// The budget.
        steps: u64,
    },
    /// It is too large for the automaton of this program, so that a decision may have to be given up.
    Large,
}

/// A text that shows that a pattern is slow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attack {
    /// What it begins with.
    pub prefix: JsString,
    /// What it repeats.
    pub pump: JsString,
    /// How often.
    pub count: usize,
    /// What it ends with.
    pub suffix: JsString,
}

impl Attack {
    /// The text.
    pub fn text(&self) -> JsString {
        let mut units = self.prefix.units().to_vec();
        for _ in 0..self.count {
            units.extend_from_slice(self.pump.units());
        }
        units.extend_from_slice(self.suffix.units());
        JsString::from_units(units)
    }
}

impl Pattern {
    /// Whether a backtracking engine is slow with the pattern, by a count of steps that is the same everywhere; nothing
    /// when it is not known to be.
    pub fn cost(&self) -> Option<Cost> {
        let Some(linear) = self.linear() else { return Some(Cost::Large) };
        if !linear.tree.nodes.iter().any(|node| matches!(node, Node::Repeat { max, .. } if *max >= ROUNDS)) {
            return None;
        }
        let attack = self.attack(&linear.tree);
        if self.exceeds(ordinary(), ORDINARY_STEPS) {
            let attack = attack.map(|(attack, _)| attack);
            return Some(Cost::Ordinary { units: ORDINARY, steps: ORDINARY_STEPS, attack });
        }
        attack.map(|(attack, steps)| Cost::Repetition { attack, steps })
    }

    /// A short text that takes more than so many steps.
    fn attack(&self, tree: &Tree) -> Option<(Attack, u64)> {
        ambiguity::suspects(tree).into_iter().find_map(|suspect| {
            let (units, steps) = if suspect.doubles { DOUBLING } else { SHARED };
            let suffixes = if suspect.doubles { SUFFIXES.len() } else { FEW_SUFFIXES };
            let count = (units / suspect.pump.len().max(1)).max(FEWEST);
            SUFFIXES.into_iter().take(suffixes).find_map(|suffix| {
                let attack = Attack {
                    prefix: JsString::from_units(suspect.prefix.clone()),
                    pump: JsString::from_units(suspect.pump.clone()),
                    count,
                    suffix: suffix.into(),
                };
                self.exceeds(attack.text().units(), steps).then_some((attack, steps))
            })
        })
    }

    fn exceeds(&self, text: &[u16], steps: u64) -> bool {
        self.search(text, Manner::Plain, &mut steps.clone()) == Search::OutOfSteps
    }
}

fn ordinary() -> &'static [u16] {
    static TEXT: OnceLock<Vec<u16>> = OnceLock::new();
    TEXT.get_or_init(|| {
        let lines = LINES.iter().cycle().enumerate();
        let lines =
            lines.flat_map(|(number, line)| line.replace('#', &number.to_string()).encode_utf16().collect::<Vec<_>>());
        lines.take(ORDINARY).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::Cost;
    use crate::pattern::{CompileOptions, Pattern};

    fn cost(source: &str) -> Option<Cost> {
        Pattern::compile(&source.into(), CompileOptions::default()).expect("a pattern").cost()
    }

    #[test]
    fn slow_patterns_are_told_from_usual_ones() {
        for source in [
            "(?:^|\\n)(?<dup>[^\\n]{20,}\\n[^\\n]{16,}\\n[^\\n]{16,})[\\s\\S]{1,4000}?\\n\\k<dup>",
            "(?:[^\\n]*\\n){600,}",
            "[\\s\\S]*zzz",
            "(?s).*zzz",
            "(?:\\w+\\s?)+;;",
            "^(?:\\w+\\s*)+$",
        ] {
            assert!(matches!(cost(source), Some(Cost::Ordinary { .. })), "{source}");
        }
        for source in ["(q+)+z", "^(?:q|qq)+$", "(?:q*)*z", "(Q+Q+)+z", "#(?:q+q?)+#", "(?i)^(?:(q+)\\1?)+z"] {
            assert!(matches!(cost(source), Some(Cost::Repetition { .. })), "{source}: {:?}", cost(source));
        }
        assert_eq!(cost("(?:ab){99999}"), Some(Cost::Large));
        for source in [
            "foo",
            "foo.*bar",
            ".*foo",
            "\\s*any\\b",
            "(?m)^\\s*import .* from ",
            "(?:a|b)+c",
            "(?:ab+)+c",
            "(['\"]).*\\1;",
            "\\w+\\s*=\\s*\\w+\\s*;;",
            "try(?!.*catch)",
            "(?<!`[^`\\n]{0,200})[가-힣]{2,}",
            "W[\\s\\S]{0,400}?V",
            "import[\\s\\S]*from 'zzz'",
        ] {
            assert_eq!(cost(source), None, "{source}");
        }
    }
}
