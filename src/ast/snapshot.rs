//! [`Snapshot`]: the last source of one buffer key and what is known about it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use memchr::memmem::Finder;
use tree_sitter::{Point, Tree};

use super::grammar::Grammar;
use super::parse::{Old, ParseError, Spent, parse, tail_edit};
use super::reuse::{Earlier, Place, first_difference};

/// Shorter sources are parsed afresh: that is cheaper than to edit a tree.
const MIN_INCREMENTAL_BYTES: usize = 2048;

/// What it takes to compare two nodes, in nanoseconds, as measured.
const PAIR_COST: u64 = 130;

/// A search that resumes looks back so many bytes before the first change.
const LOOK_BACK_BYTES: usize = 64;

/// The last AST snapshot of one buffer key and what may be reused for the next one.
#[derive(Debug, Default)]
pub struct Snapshot {
    units: Option<Vec<u16>>,
    text: Arc<String>,
    /// Byte offsets of the line feeds in `text`.
    line_ends: Vec<usize>,
    grammar: Option<Grammar>,
    parsed: Option<Parsed>,
    spent: Spent,
    literals: HashMap<usize, Literal>,
}

/// A tree, of the text as it was when it was parsed.
#[derive(Debug)]
struct Parsed {
    tree: Tree,
    end: (usize, Point),
    /// Leading bytes that the text still has in common with the text of the tree.
    common: usize,
    known: Known,
}

/// What is known about the patterns and a tree, by pattern number.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Patterns that match no node.
    pub absent: HashSet<usize>,
    /// Patterns that match this node.
    pub present: HashMap<usize, Place>,
}

/// How far a literal was looked for.
#[derive(Clone, Copy, Debug, Default)]
struct Literal {
    looked: usize,
    /// End of its first occurrence.
    found: Option<usize>,
}

/// The tree of the present text.
pub(super) struct CurrentTree {
    pub tree: Tree,
    /// The tree of which this one was made.
    pub earlier: Option<Earlier>,
    /// Nodes that end before this byte are those of the older tree.
    pub changed_from: usize,
    /// What is known about the older tree.
    pub known: Known,
}

impl Snapshot {
    /// No snapshot yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the last run was on this very text (engine.md E5.4: then the reference returns nothing).
    pub fn holds(&self, source: &[u16]) -> bool {
        self.units.as_deref() == Some(source)
    }

    /// Takes a source of a language without a grammar.
    pub(super) fn forget(&mut self, source: &[u16]) {
        *self = Self { units: Some(source.to_vec()), ..Self::default() };
    }

    /// The text as UTF-8, lone surrogates replaced.
    pub(super) fn text(&self) -> &Arc<String> {
        &self.text
    }

    /// Takes the next source, of which `unchanged` leading units are known to equal those of the last one.
    pub(super) fn set(&mut self, source: &[u16], unchanged: usize, grammar: Grammar) {
        if self.grammar != Some(grammar) {
            *self = Self { grammar: Some(grammar), ..Self::default() };
        }
        let units = self.units.get_or_insert_default();
        let known = unchanged.min(units.len()).min(source.len());
        let same = units[known..].iter().zip(&source[known..]).take_while(|(old, new)| old == new).count();
        let mut kept = known + same;
        if kept > 0 && kept < units.len().max(source.len()) && (0xD800..0xDC00).contains(&units[kept - 1]) {
            // Half a pair: what follows decides what it stands for.
            kept -= 1;
        }
        let dropped: usize = lossy_len(&units[kept..]);
        units.truncate(kept);
        units.extend_from_slice(&source[kept..]);
        if kept == 0 {
            // Another text, with a budget of its own.
            self.spent = Spent::default();
        }
        let text = Arc::make_mut(&mut self.text);
        let kept_bytes = text.len() - dropped;
        text.truncate(kept_bytes);
        text.push_str(&String::from_utf16_lossy(&source[kept..]));
        self.spent.grow(text.len() - kept_bytes);
        self.line_ends.truncate(self.line_ends.partition_point(|&at| at < kept_bytes));
        let added = memchr::memchr_iter(b'\n', &text.as_bytes()[kept_bytes..]);
        self.line_ends.extend(added.map(|at| kept_bytes + at));
        if let Some(parsed) = &mut self.parsed {
            parsed.common = parsed.common.min(kept_bytes);
        }
        for literal in self.literals.values_mut() {
            literal.looked = literal.looked.min(kept_bytes);
            literal.found = literal.found.filter(|&end| end <= kept_bytes);
        }
    }

    /// Whether the literal of this number occurs.
    pub(super) fn has_literal(&mut self, number: usize, finder: &Finder<'_>) -> bool {
        let literal = self.literals.entry(number).or_default();
        if literal.found.is_none() && literal.looked < self.text.len() {
            let length = finder.needle().len();
            let mut from = literal.looked.saturating_sub(length.saturating_sub(1));
            while !self.text.is_char_boundary(from) {
                from -= 1;
            }
            literal.found = finder.find(&self.text.as_bytes()[from..]).map(|at| from + at + length);
            literal.looked = self.text.len();
        }
        literal.found.is_some()
    }

    /// The tree of the present text; of a long text it is made of the last tree where there is one.
    pub(super) fn tree(&mut self) -> Result<CurrentTree, ParseError> {
        let grammar = self.grammar.ok_or(ParseError::Grammar)?;
        let old = self.parsed.take().filter(|_| self.text.len() >= MIN_INCREMENTAL_BYTES);
        let Some(mut old) = old else {
            return self.fresh_tree();
        };
        let end = self.text.len();
        let start = old.common;
        let before = Old { tree: &old.tree, end: old.end, common: start };
        let tree = parse(&self.text, grammar, Some(before), &mut self.spent)?;
        old.tree.edit(&tail_edit((start, self.point(start)), old.end, (end, self.point(end))));
        let (difference, pairs) = first_difference(&old.tree, &tree, start);
        self.spent.add(pairs * PAIR_COST);
        let changed_from = difference.saturating_sub(LOOK_BACK_BYTES);
        let earlier = Some(Earlier::new(old.tree, start));
        Ok(CurrentTree { tree, earlier, changed_from, known: old.known })
    }

    /// The tree of the present text, parsed from nothing.
    pub(super) fn fresh_tree(&mut self) -> Result<CurrentTree, ParseError> {
        let grammar = self.grammar.ok_or(ParseError::Grammar)?;
        let tree = parse(&self.text, grammar, None, &mut self.spent)?;
        Ok(CurrentTree { tree, earlier: None, changed_from: 0, known: Known::default() })
    }

    /// The work on the texts so far as the budget has it, which counts it without a clock.
    pub fn estimate(&self) -> Duration {
        Duration::from_nanos(self.spent.cost())
    }

    /// Counts what a search took, in estimated nanoseconds.
    pub(super) fn spend(&mut self, cost: u64) {
        self.spent.add(cost);
    }

    /// Keeps the tree of the present text, and what is known about it.
    pub(super) fn keep(&mut self, tree: Tree, known: Known) {
        let end = self.text.len();
        self.parsed = Some(Parsed { tree, end: (end, self.point(end)), common: end, known });
    }

    /// The code units that a range of bytes spans.
    pub(super) fn unit_range(&self, bytes: Range<usize>) -> Range<usize> {
        let count = |end: usize| self.text.get(..end).map_or(0, |text| text.encode_utf16().count());
        let end = bytes.end.min(self.text.len());
        count(bytes.start)..count(end)
    }

    fn point(&self, at: usize) -> Point {
        let row = self.line_ends.partition_point(|&end| end < at);
        let line_start = if row == 0 { 0 } else { self.line_ends[row - 1] + 1 };
        Point::new(row, at - line_start)
    }
}

/// Bytes of the units in UTF-8, lone surrogates replaced by U+FFFD.
fn lossy_len(units: &[u16]) -> usize {
    char::decode_utf16(units.iter().copied()).map(|unit| unit.map_or(3, char::len_utf8)).sum()
}

#[cfg(test)]
mod tests {
    use ast_grep_language::SupportLang;

    use super::*;

    #[test]
    fn the_text_follows_the_units() {
        let mut snapshot = Snapshot::new();
        let grammar = Grammar::Builtin(SupportLang::TypeScript);
        let steps: [&[u16]; 6] = [
            &[0x61, 0xD83D],
            &[0x61, 0xD83D, 0xDE00, 0x0A],
            &[0x61, 0xD83D, 0xDE00, 0x0A, 0x62],
            &[0x61, 0xD83D],
            &[0x78],
            &[],
        ];
        for units in steps {
            snapshot.set(units, 0, grammar);
            assert_eq!(**snapshot.text(), String::from_utf16_lossy(units));
            assert!(snapshot.holds(units));
            let feeds = snapshot.text().bytes().filter(|&byte| byte == b'\n').count();
            assert_eq!(snapshot.line_ends.len(), feeds);
        }
    }

    #[test]
    fn a_literal_is_found_across_two_additions_and_lost_with_the_text() {
        let mut snapshot = Snapshot::new();
        let grammar = Grammar::Builtin(SupportLang::TypeScript);
        let finder = Finder::new("console");
        let mut has = |text: &str, unchanged| {
            let units: Vec<u16> = text.encode_utf16().collect();
            snapshot.set(&units, unchanged, grammar);
            snapshot.has_literal(0, &finder)
        };
        assert!(!has("é cons", 0));
        assert!(has("é console.", 6));
        assert!(has("é console.log", 10));
        assert!(!has("é consul", 6));
    }
}
