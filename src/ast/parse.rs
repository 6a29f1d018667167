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

/// Longer sources are not parsed: a tree takes some hundred times the memory of its text.
const MAX_SOURCE_BYTES: usize = 512 << 10;

/// What the parser gets when it asks for text.
const PIECE_BYTES: usize = 64;

/// Bytes of a long text that are parsed before their tree is looked at.
const PART_BYTES: usize = 4096;

/// And at most, when much of it is parsed already: each part takes a little time of its own.
const MAX_PART_BYTES: usize = 16 << 10;

/// What the parser may read in one call, whatever the length of the text, and further bytes for each of the text. Code
/// takes up to 3.
const MIN_READ: usize = 8 << 20;
const READ_PER_BYTE: usize = 40;

/// Reports for one part at most, whatever its length, and further ones: for so many new bytes, of which code takes 30 to
/// 270 for one, and for so many bytes before, which the parser takes up in as many steps as they have statements.
const MIN_REPORTS: usize = 200;
const NEW_BYTES_PER_REPORT: usize = 16;
const OLD_BYTES_PER_REPORT: usize = 150;

/// What a byte that was asked for takes, and a report on code, in nanoseconds, as measured.
const BYTE_COST: u64 = 8;
const REPORT_COST: u64 = 10_000;

/// What one call may take, in the same measure, and further for each byte of the text.
const CALL_COST: u64 = 300_000_000;
const CALL_COST_PER_BYTE: u64 = 1_000;

/// What all calls may take while one text grows, and further for each of them. In deltas of 40 units functions take 30
/// microseconds a call; a flat list of statements takes more with each, since the parser takes them up one by one.
const GROWTH_COST: u64 = 500_000_000;
const GROWTH_COST_PER_CALL: u64 = 100_000;

/// A part is bad that has an error for so many bytes.
const BYTES_PER_ERROR: usize = 64;

/// What was skipped is an error when it is shorter; longer pieces are the code around a bracket that is missing.
const SMALL_BYTES: usize = 16;

/// A part is bad, too, that nests deeper.
const MAX_CODE_DEPTH: usize = 250;

/// Why a text has no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ParseError {
    #[error("the source is longer than {} bytes", MAX_SOURCE_BYTES)]
    TooLong,
    #[error("parsing took more steps than its budget allows")]
    Budget,
    #[error("parsing and searching this text again and again while it grew took more steps than the budget allows")]
    GrowthBudget,
    #[error("the grammar cannot be used")]
    Grammar,
}

/// What parsing one growing text, and searching its trees, has cost so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    /// Estimated nanoseconds.
    cost: u64,
    calls: u64,
}

impl Spent {
    pub(super) fn add(&mut self, cost: u64) {
        self.cost = self.cost.saturating_add(cost);
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
    if text.len() > MAX_SOURCE_BYTES {
        return Err(ParseError::TooLong);
    }
    if spent.cost > GROWTH_COST + spent.calls * GROWTH_COST_PER_CALL {
        return Err(ParseError::GrowthBudget);
    }
    let language = grammar.load().ok_or(ParseError::Grammar)?;
    let mut parser = Parser::new();
    parser.set_language(&language).map_err(|_| ParseError::Grammar)?;
    let mut call = Call {
        parser,
        worst_report: grammar.worst_report(),
        bytes_left: MIN_READ + text.len() * READ_PER_BYTE,
        reports: 0,
        cost: 0,
    };
    let tree = call.run(text, old);
    spent.add(call.cost);
    spent.calls += 1;
    tree
}

/// One call of [`parse`].
struct Call {
    parser: Parser,
    worst_report: u64,
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
        let limit = CALL_COST + CALL_COST_PER_BYTE * u64::try_from(text.len()).unwrap_or(u64::MAX);
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
            let from = done.min(end.saturating_sub(PART_BYTES / 2));
            let is_bad = tree.as_ref().map_or(true, |tree| is_bad(tree, from, end));
            let report = if is_bad { self.worst_report } else { REPORT_COST };
            let read = u64::try_from(read - self.bytes_left).unwrap_or(u64::MAX);
            self.cost += reports * report + read * BYTE_COST;
            let tree = tree?;
            let is_last = end == text.len();
            if is_last && (!is_fresh || number == 0 || !tree.root_node().has_error()) {
                return Ok(tree);
            }
            if self.cost > limit {
                return Err(ParseError::Budget);
            }
            done = end;
            last = Some((tree, new_end));
        }
        // A tree made of an older one is not promised to equal a fresh one where the source has errors.
        let allowed = MIN_REPORTS + self.reports * 2;
        self.cost *= 2;
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
    depth > MAX_CODE_DEPTH || has_errors(tree, from, (to - from).max(PART_BYTES / 4) / BYTES_PER_ERROR)
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
