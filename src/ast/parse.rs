//! [`parse`]: from texts to trees, within a budget that depends on nothing but the text.
//!
//! Two things are counted. The parser reports once in a hundred steps, and it asks for the text in small pieces, which
//! also counts what scanners read: one call of a scanner may read the whole text. Reports on ordinary code take a
//! hundredth of those on text that is nothing but errors or nests without end. Which of them they are shows only in
//! the tree, so a long text is parsed a part at a time, each on the tree of the parts before.

use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{InputEdit, ParseOptions, Parser, Point, Tree, TreeCursor};

use super::grammar::Grammar;
use super::scanner;
use crate::limits;

/// What the parser gets when it asks for text.
const PIECE_BYTES: usize = 64;

/// Bytes of a long text that are parsed before their tree is looked at.
const PART_BYTES: usize = 2048;

/// And at most, when much of it is parsed already: each part takes a little time of its own.
const MAX_PART_BYTES: usize = 16 << 10;

/// What the parser may read in one call, whatever the length of the text, and further bytes for each of the text. Code
/// takes up to 3.
const MIN_READ: usize = 2 << 20;
const READ_PER_BYTE: usize = 20;

/// Reports for one part at most, whatever its length, and further ones: for so many new bytes, of which code takes 30 to
/// 270 for one, and for so many bytes before, which the parser takes up in as many steps as they have statements.
const MIN_REPORTS: usize = 200;
const NEW_BYTES_PER_REPORT: usize = 16;
const OLD_BYTES_PER_REPORT: usize = 150;

/// What a byte that was asked for takes, in nanoseconds, as measured.
const BYTE_COST: u64 = 15;

/// Bytes for each report that code asks for at most. Further ones are those of long tokens, and those that the lexer
/// skips one by one without a step of the parser; such a byte takes more.
const CODE_BYTES_PER_REPORT: u64 = 1024;
const FURTHER_BYTE_COST: u64 = 60;

/// Reports for one part of a text with errors that code takes at most, and further ones for so many nodes that stand on
/// the way to its end, which the parser takes up one by one. What is beyond them takes this much, however few errors the
/// tree shows: many ways to read the text are followed at once.
const CODE_REPORTS: u64 = 40;
const NODES_PER_REPORT: u64 = 25;
const FURTHER_REPORT_COST: u64 = 130_000;

/// What one call may take, in the same measure, and further for each byte of the text. What is parsed a second time,
/// since its parts have errors, counts twice.
const CALL_COST: u64 = 200_000_000;
const CALL_COST_PER_BYTE: u64 = 1_000;

/// What one call may take at most beyond what is left for the text.
const MAX_EXCESS: u64 = 100_000_000;

/// What all calls may take while one text grows, and further for each byte that is added, and for the square of the
/// kilobytes, of which no more than so many count. The parser takes up the statements of a flat list one by one at each
/// call, so code takes the more the longer it is.
const GROWTH_COST: u64 = 200_000_000;
const GROWTH_COST_PER_BYTE: u64 = 2_000;
const GROWTH_COST_PER_SQUARE: u64 = 40_000;
const MAX_SQUARED_BYTES: u64 = 150_000;

/// The end of a text that is looked at at least to tell whether its last part is bad.
const LOOKED_AT_BYTES: usize = 2048;

/// A part is bad that has an error for so many bytes.
const BYTES_PER_ERROR: usize = 64;

/// What was skipped is an error when it is shorter; longer pieces are the code around a bracket that is missing.
const SMALL_BYTES: usize = 16;

/// A part is bad, too, that nests deeper.
const MAX_CODE_DEPTH: usize = 250;

/// Why a text has no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ParseError {
    #[error("the source is longer than {} bytes", limits::AST_SOURCE.get())]
    TooLong,
    #[error("parsing took more steps than its budget allows")]
    Budget,
    #[error("parsing and searching this text again and again while it grew took more steps than the budget allows")]
    GrowthBudget,
    #[error("what is open at once in the source may be more than the scanner of its grammar keeps")]
    Scanner,
    #[error("the grammar cannot be used")]
    Grammar,
}

/// What parsing one growing text, and searching its trees, has cost so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    /// Estimated nanoseconds.
    cost: u64,
    /// Bytes that were added to the text.
    bytes: u64,
}

impl Spent {
    #[cfg(feature = "internals")]
    pub(super) fn cost(&self) -> u64 {
        self.cost
    }

    pub(super) fn add(&mut self, cost: u64) {
        self.cost = self.cost.saturating_add(cost);
    }

    /// Counts bytes that are new to the text.
    pub(super) fn grow(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    /// What may still be spent on the text; none when more than that was.
    fn left(&self) -> Option<u64> {
        let kilobytes = self.bytes.min(MAX_SQUARED_BYTES) / 1000;
        let allowed = self.bytes.saturating_mul(GROWTH_COST_PER_BYTE) + kilobytes * kilobytes * GROWTH_COST_PER_SQUARE;
        (GROWTH_COST + allowed).checked_sub(self.cost)
    }
}

/// A tree of an older text.
pub(super) struct Old<'a> {
    pub tree: &'a Tree,
    /// Where its text ended.
    pub end: (usize, Point),
    /// Leading bytes that both texts have in common.
    pub common: usize,
}

/// Parses a text, reusing the parts of an old tree that it still has.
pub(super) fn parse(text: &str, grammar: Grammar, old: Option<Old<'_>>, spent: &mut Spent) -> Result<Tree, ParseError> {
    if limits::AST_SOURCE.is_beyond(text.len()) {
        return Err(ParseError::TooLong);
    }
    let left = spent.left().ok_or(ParseError::GrowthBudget)?;
    if !scanner::fits(text, grammar) {
        return Err(ParseError::Scanner);
    }
    let language = grammar.load().ok_or(ParseError::Grammar)?;
    let mut parser = Parser::new();
    parser.set_language(&language).map_err(|_| ParseError::Grammar)?;
    let mut call = Call {
        parser,
        report: grammar.report(),
        worst_report: grammar.worst_report(),
        limit: call_cost(text.len()).min(left + MAX_EXCESS),
        bytes_left: MIN_READ + text.len() * READ_PER_BYTE,
        reports: 0,
        cost: 0,
    };
    let tree = call.run(text, old);
    spent.add(call.cost);
    tree
}

/// One call of [`parse`].
struct Call {
    parser: Parser,
    /// What a report takes on code, and at worst.
    report: u64,
    worst_report: u64,
    /// What the call may take, but for the part that it is at then.
    limit: u64,
    bytes_left: usize,
    reports: usize,
    cost: u64,
}

impl Call {
    fn run(&mut self, text: &str, old: Option<Old<'_>>) -> Result<Tree, ParseError> {
        let is_fresh = old.is_none();
        let start = old.as_ref().map_or(0, |old| old.common);
        let (mut done, mut last) = match old {
            Some(old) => (start, Some((old.tree.clone(), old.end))),
            None => (0, None),
        };
        for (number, end) in parts(text, start).into_iter().enumerate() {
            let part = &text[..end];
            let new_end = (end, point(text, end));
            let edited = last.map(|(mut tree, old_end)| {
                tree.edit(&tail_edit((done, point(text, done)), old_end, new_end));
                tree
            });
            let (reports, read) = (self.reports, self.bytes_left);
            let allowed = MIN_REPORTS + (end - done) / NEW_BYTES_PER_REPORT + done / OLD_BYTES_PER_REPORT;
            let tree = self.parse(part, edited.as_ref(), allowed);
            let reports = u64::try_from(self.reports - reports).unwrap_or(u64::MAX);
            // What is parsed again begins before the change where that stands in an error.
            let from = done.min(end.saturating_sub(LOOKED_AT_BYTES));
            let is_bad = tree.as_ref().map_or(true, |tree| is_bad(tree, from, end));
            let read = u64::try_from(read - self.bytes_left).unwrap_or(u64::MAX);
            self.cost += match &tree {
                Ok(tree) if !is_bad => cost_of_code(tree, reports, self.report, end - done),
                _ => reports * self.worst_report,
            };
            self.cost += read * BYTE_COST;
            self.cost += read.saturating_sub((reports + 1) * CODE_BYTES_PER_REPORT) * FURTHER_BYTE_COST;
            let tree = tree?;
            let is_last = end == text.len();
            if is_last && (!is_fresh || number == 0 || !tree.root_node().has_error()) {
                return Ok(tree);
            }
            if self.cost > self.limit {
                return Err(ParseError::Budget);
            }
            done = end;
            last = Some((tree, new_end));
        }
        // A tree made of an older one is not promised to equal a fresh one where the source has errors.
        let allowed = MIN_REPORTS + self.reports * 2;
        self.cost *= 2;
        if self.cost > self.limit * 3 / 2 {
            return Err(ParseError::Budget);
        }
        self.parse(text, None, allowed)
    }

    fn parse(&mut self, text: &str, old: Option<&Tree>, allowed: usize) -> Result<Tree, ParseError> {
        let is_over = Cell::new(false);
        let reports = &mut self.reports;
        let allowed = *reports + allowed;
        let mut progress = |_: &tree_sitter::ParseState| {
            *reports += 1;
            is_over.set(is_over.get() || *reports > allowed);
            if is_over.get() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let bytes_left = &mut self.bytes_left;
        let mut read = |at: usize, _: Point| {
            let piece = piece(text, at);
            is_over.set(is_over.get() || piece.len() > *bytes_left);
            // An empty piece is the end of the text, so that scanners stop too.
            if is_over.get() {
                return &[][..];
            }
            *bytes_left -= piece.len();
            piece.as_bytes()
        };
        let tree = self.parser.parse_with_options(&mut read, old, Some(options));
        self.parser.reset();
        tree.filter(|_| !is_over.get()).ok_or(ParseError::Budget)
    }
}

/// The next piece of a text, of whole characters: the parser reads on where one is cut, even when nothing follows.
fn piece(text: &str, at: usize) -> &str {
    let mut end = text.len().min(at.saturating_add(PIECE_BYTES));
    while !text.is_char_boundary(end) {
        end += 1;
    }
    text.get(at..end).unwrap_or_default()
}

/// Where the parts of a text end of which the bytes before `start` are parsed already.
fn parts(text: &str, start: usize) -> Vec<usize> {
    let (mut ends, mut end) = (Vec::new(), start);
    while text.len() - end > 2 * PART_BYTES {
        end += ((end - start) / 2).clamp(PART_BYTES, MAX_PART_BYTES);
        if end >= text.len() {
            break;
        }
        while !text.is_char_boundary(end) {
            end += 1;
        }
        ends.push(end);
    }
    ends.push(text.len());
    ends
}

/// Whether a part of a text is nothing but errors, or nests without end.
fn is_bad(tree: &Tree, from: usize, to: usize) -> bool {
    let mut cursor = tree.walk();
    let mut depth = 0;
    while cursor.goto_first_child_for_byte(to.saturating_sub(1)).is_some() {
        depth += 1;
    }
    depth > MAX_CODE_DEPTH || has_errors(tree, from, (to - from).max(LOOKED_AT_BYTES / 2) / BYTES_PER_ERROR)
}

/// Whether more than so many errors stand behind a byte: nodes that are missing or hold what was skipped, and what was
/// skipped itself unless it is a larger piece of code.
fn has_errors(tree: &Tree, from: usize, limit: usize) -> bool {
    let mut cursor = tree.walk();
    let (mut errors, mut depth) = (0, 0_usize);
    // The depths of the nodes above that hold what was skipped.
    let mut skipped: Vec<usize> = Vec::new();
    loop {
        let node = cursor.node();
        let is_skipped = depth > 0 && skipped.last() == Some(&(depth - 1)) && node.byte_range().len() < SMALL_BYTES;
        let is_error = node.is_error() || node.is_missing() || is_skipped;
        errors += usize::from(is_error && node.end_byte() > from);
        if errors > limit {
            return true;
        }
        if node.has_error() && node.end_byte() > from && descend(&mut cursor, from) {
            if node.is_error() {
                skipped.push(depth);
            }
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
            if skipped.last() == Some(&depth) {
                skipped.pop();
            }
        }
    }
}

/// Goes to a child, passing over most of those that end before the byte.
fn descend(cursor: &mut TreeCursor<'_>, from: usize) -> bool {
    // The cursor finds no child where a hidden token comes first, whatever comes behind.
    (from > 0 && cursor.goto_first_child_for_byte(from).is_some()) || cursor.goto_first_child()
}

/// What one call may take.
fn call_cost(bytes: usize) -> u64 {
    CALL_COST + CALL_COST_PER_BYTE * u64::try_from(bytes).unwrap_or(u64::MAX / CALL_COST_PER_BYTE / 2)
}

/// What the parser took for a part that is not bad.
fn cost_of_code(tree: &Tree, reports: u64, report: u64, new_bytes: usize) -> u64 {
    if !tree.root_node().has_error() {
        return reports * report;
    }
    let for_new = u64::try_from(new_bytes / NEW_BYTES_PER_REPORT).unwrap_or(u64::MAX);
    let further = reports.saturating_sub(CODE_REPORTS + for_new + nodes_on_the_way(tree) / NODES_PER_REPORT);
    (reports - further) * report + further * FURTHER_REPORT_COST
}

/// Nodes that stand beside those at the end of a text.
fn nodes_on_the_way(tree: &Tree) -> u64 {
    let (mut cursor, mut nodes) = (tree.walk(), 0);
    loop {
        nodes += u64::try_from(cursor.node().child_count()).unwrap_or(u64::MAX);
        if !cursor.goto_last_child() {
            return nodes;
        }
    }
}

/// The line of a byte and its place there.
fn point(text: &str, at: usize) -> Point {
    let before = &text.as_bytes()[..at];
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    Point::new(memchr::memchr_iter(b'\n', before).count(), at - line_start)
}

/// The edit that replaces everything from `start` on. Points are those of the texts before and after.
pub(super) fn tail_edit(start: (usize, Point), old_end: (usize, Point), new_end: (usize, Point)) -> InputEdit {
    InputEdit {
        start_byte: start.0,
        old_end_byte: old_end.0,
        new_end_byte: new_end.0,
        start_position: start.1,
        old_end_position: old_end.1,
        new_end_position: new_end.1,
    }
}
