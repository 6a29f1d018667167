//! [`Cost`]: patterns that a backtracking engine is slow with, told by counting its steps.

use std::sync::OnceLock;

use super::backtrack::{Manner, Search};
use super::compile::{Linear, Pattern};
use super::syntax::{Node, Tree, UNBOUNDED};

/// Length of the ordinary text in code units.
const ORDINARY: usize = 4_096;

/// Steps that a pattern may take on the ordinary text. A pattern that is held up at each line stays below; one that goes
/// through the rest of the text from each place takes several times as many.
const ORDINARY_STEPS: u64 = 250 * ORDINARY as u64;

/// Rounds that a nested repeat is given to multiply its ways.
const ROUNDS: u32 = 40;

/// Steps for one such text: cubic growth stays below, doubling with each round does not.
const PUMPED_STEPS: u64 = 200_000;

/// Longer texts are not made.
const LONGEST: usize = 512;

/// Patterns with more nodes are not looked into.
const MOST_NODES: usize = 4_000;

/// Lines without anything special: prose, code, a list, long and short words.
const LINES: [&str; 12] = [
    "The parser reads one line and moves on.\n",
    "    let value = table.get(index, 12);\n",
    "\n",
    "- first point, then the second one\n",
    "const total = items.length * 3;\n",
    "A longer sentence follows here, with some words (and a remark) in it.\n",
    "    return result;\n",
    "}\n",
    "function sum(left, right) {\n",
    "| name | size |  1,024 |\n",
    "See https://example.org/path/to/page.html for \"more\".\n",
    "\tif (a < b && b != 'c') { swap(a, b) }\n",
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
    },
    /// It takes more than `steps` steps on this short text, which repeats what the pattern repeats.
    Repetition {
        /// The text.
        text: String,
        /// The budget.
        steps: u64,
    },
    /// It is too large for the automaton of this program, so that a decision may have to be given up.
    Large,
}

impl Pattern {
    /// Whether a backtracking engine is slow with the pattern, by a count of steps that is the same everywhere; nothing
    /// when it is not known to be.
    pub fn cost(&self) -> Option<Cost> {
        let Some(linear) = self.linear() else { return Some(Cost::Large) };
        if !linear.tree.nodes.iter().any(|node| matches!(node, Node::Repeat { max, .. } if *max >= ROUNDS)) {
            return None;
        }
        if self.exceeds(ordinary(), ORDINARY_STEPS) {
            return Some(Cost::Ordinary { units: ORDINARY, steps: ORDINARY_STEPS });
        }
        let text = hard_texts(linear).into_iter().find(|text| self.exceeds(text, PUMPED_STEPS))?;
        Some(Cost::Repetition { text: String::from_utf16_lossy(&text), steps: PUMPED_STEPS })
    }

    fn exceeds(&self, text: &[u16], steps: u64) -> bool {
        self.search(text, Manner::Plain, &mut steps.clone()) == Search::OutOfSteps
    }
}

fn ordinary() -> &'static [u16] {
    static TEXT: OnceLock<Vec<u16>> = OnceLock::new();
    TEXT.get_or_init(|| LINES.concat().encode_utf16().cycle().take(ORDINARY).collect())
}

/// Texts that match up to their end, which they miss. There are some only for nested repeats, whose ways to match can
/// multiply with each round.
fn hard_texts(linear: &Linear) -> Vec<Vec<u16>> {
    if linear.tree.nodes.len() > MOST_NODES {
        return Vec::new();
    }
    let nested = nested_repeats(&linear.tree);
    if !nested.contains(&true) {
        return Vec::new();
    }
    let mut texts = Vec::new();
    for optional in [Optional::None, Optional::Unbounded, Optional::All] {
        let whole = sample(&linear.tree, &nested, optional);
        for keep in [whole.len(), whole.len().saturating_sub(1)] {
            let mut text = whole[..keep].to_vec();
            text.push(0);
            if keep > 0 && !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    texts
}

/// For each node: whether it repeats, without a near bound, what can itself be matched in several ways.
fn nested_repeats(tree: &Tree) -> Vec<bool> {
    let mut varies: Vec<bool> = Vec::with_capacity(tree.nodes.len());
    let mut nested = vec![false; tree.nodes.len()];
    for (index, node) in tree.nodes.iter().enumerate() {
        varies.push(match node {
            Node::Repeat { child, min, max, .. } => {
                nested[index] = *max >= ROUNDS && varies[*child];
                min < max || varies[*child]
            }
            Node::Alternate(_) => true,
            Node::Capture { child, .. } => varies[*child],
            Node::Concat(children) => children.iter().any(|&child| varies[child]),
            Node::Empty | Node::Set(_) | Node::Assert(_) | Node::Look { .. } | Node::BackReference { .. } => false,
        });
    }
    nested
}

/// Which optional repeats a sample takes once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Optional {
    None,
    Unbounded,
    All,
}

/// A text that the pattern matches, tests of the neighbours aside; nested repeats are repeated.
fn sample(tree: &Tree, nested: &[bool], optional: Optional) -> Vec<u16> {
    let mut samples: Vec<Vec<u16>> = Vec::with_capacity(tree.nodes.len());
    for (index, node) in tree.nodes.iter().enumerate() {
        let mut text = Vec::new();
        match node {
            Node::Empty | Node::Assert(_) | Node::Look { .. } | Node::BackReference { .. } => {}
            Node::Set(set) => {
                let set = &tree.sets[*set];
                let usual = ['a', '0', ' ', '-', '\n'].map(|one| one as u16);
                let other = || set.ranges().first().map(|(low, _)| *low);
                text.extend(usual.into_iter().find(|&unit| set.contains(unit)).or_else(other));
            }
            Node::Capture { child, .. } => text.clone_from(&samples[*child]),
            Node::Concat(children) => children.iter().for_each(|&child| text.extend_from_slice(&samples[child])),
            Node::Alternate(children) => text.clone_from(&samples[children[0]]),
            Node::Repeat { child, min, max, .. } => {
                let once = match optional {
                    Optional::None => false,
                    Optional::Unbounded => *max == UNBOUNDED,
                    Optional::All => true,
                };
                let rounds = if nested[index] { (*min).max(ROUNDS) } else { (*min).max(u32::from(once)) };
                for _ in 0..rounds.min(LONGEST as u32) {
                    text.extend_from_slice(&samples[*child]);
                    if text.len() > LONGEST {
                        break;
                    }
                }
            }
        }
        text.truncate(LONGEST);
        samples.push(text);
    }
    samples.pop().unwrap_or_default()
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
        for source in ["(?:[^\\n]*\\n){600,}", "[\\s\\S]*zzz", "(?s).*zzz", "(?:\\w+\\s?)+;;", "^(?:\\w+\\s*)+$"] {
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
