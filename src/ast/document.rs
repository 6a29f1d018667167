//! [`Document`]: a text with its syntax tree, parsed within a budget.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use ast_grep_core::Doc;
use ast_grep_core::source::Edit;
use tree_sitter::{InputEdit, Node, ParseOptions, Parser, Point, Tree};

use super::grammar::Grammar;

/// Longer sources are not parsed: a tree takes some hundred times the memory of its text.
const MAX_SOURCE_BYTES: usize = 512 << 10;

/// Patterns that nest deeper are not compiled: the matcher recurses over them.
const MAX_PATTERN_DEPTH: usize = 256;

/// Longer patterns are not compiled.
const MAX_PATTERN_BYTES: usize = 1 << 16;

/// How often a parser may report, whatever the length of the text. It reports once in a hundred steps.
const MIN_REPORTS: usize = 2_000;

/// One further report for so many bytes. Real code takes one in 70 to 270 bytes, text that is nothing but errors one
/// in 20 to 40, and each of those takes a hundred times as long.
const BYTES_PER_REPORT: usize = 50;

/// How often the parser may report in all while one text grows, whatever its length.
const MIN_GROWTH_REPORTS: usize = 20_000;

/// One further report for so many bytes of a text that grows. Clean code of 150 KB in deltas of 40 units takes 10 000 in
/// all; after an error that spans the rest of the text each step reads all of it again.
const BYTES_PER_GROWTH_REPORT: usize = 8;

/// Further reports for each time that the text is parsed. Functions take 3 a time in deltas of 40 units and up to 8 in
/// deltas of a few; a long list of statements, and text that is nothing but errors, take more with each time.
const REPORTS_PER_GROWTH: usize = 8;

/// What a report counts when the text takes more of them than code does: such a report takes far longer.
const ERROR_WEIGHT: usize = 3;

/// Why a text has no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ParseError {
    #[error("the source is longer than {} bytes", MAX_SOURCE_BYTES)]
    TooLong,
    #[error("parsing took more steps than its budget allows")]
    Budget,
    #[error("parsing this text again and again while it grew took more steps than the budget allows")]
    GrowthBudget,
    #[error("the grammar cannot be used")]
    Grammar,
}

/// A text and its tree. Copies share both.
#[derive(Clone)]
pub(super) struct Document {
    text: Arc<String>,
    tree: Tree,
    grammar: Grammar,
}

impl Document {
    pub(super) fn new(text: Arc<String>, tree: Tree, grammar: Grammar) -> Self {
        Self { text, tree, grammar }
    }

    /// The text.
    pub(super) fn text(&self) -> &Arc<String> {
        &self.text
    }

    /// The tree.
    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The document that a pattern is made of.
    pub(super) fn of_pattern(source: &str, grammar: Grammar) -> Result<Self, String> {
        if source.len() > MAX_PATTERN_BYTES {
            return Err(format!("the pattern is longer than {MAX_PATTERN_BYTES} bytes"));
        }
        let tree = parse(source, grammar, None, &mut Spent::default()).map_err(|error| error.to_string())?;
        if depth(&tree, MAX_PATTERN_DEPTH) > MAX_PATTERN_DEPTH {
            return Err(format!("the pattern nests deeper than {MAX_PATTERN_DEPTH} levels"));
        }
        Ok(Self::new(Arc::new(source.to_owned()), tree, grammar))
    }
}

impl Doc for Document {
    type Source = String;
    type Lang = Grammar;
    type Node<'r> = Node<'r>;

    fn get_lang(&self) -> &Grammar {
        &self.grammar
    }

    fn get_source(&self) -> &String {
        &self.text
    }

    fn do_edit(&mut self, _edit: &Edit<String>) -> Result<(), String> {
        Err("documents are not edited".to_owned())
    }

    fn root_node(&self) -> Node<'_> {
        self.tree.root_node()
    }

    fn get_node_text<'a>(&'a self, node: &Node<'a>) -> Cow<'a, str> {
        // A few grammars report ranges past the end or inside a character.
        Cow::Borrowed(self.text.get(node.byte_range()).unwrap_or_default())
    }
}

/// What parsing one growing text has cost so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    /// Reports of the parser, weighted.
    reports: usize,
    /// How often the text was parsed.
    times: usize,
}

/// Parses a text, reusing the parts of an old tree that an edit left alone.
pub(super) fn parse(text: &str, grammar: Grammar, old: Option<&Tree>, spent: &mut Spent) -> Result<Tree, ParseError> {
    if text.len() > MAX_SOURCE_BYTES {
        return Err(ParseError::TooLong);
    }
    let allowance = MIN_GROWTH_REPORTS + text.len() / BYTES_PER_GROWTH_REPORT + spent.times * REPORTS_PER_GROWTH;
    if spent.reports > allowance {
        return Err(ParseError::GrowthBudget);
    }
    let mut parser = Parser::new();
    let language = grammar.load().ok_or(ParseError::Grammar)?;
    parser.set_language(&language).map_err(|_| ParseError::Grammar)?;
    let mut reports = 0_usize;
    let allowed = MIN_REPORTS + text.len() / BYTES_PER_REPORT;
    let mut progress = |_: &tree_sitter::ParseState| {
        reports += 1;
        if reports > allowed { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |at: usize, _: Point| text.as_bytes().get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut read, old, Some(options));
    let is_like_code = reports <= REPORTS_PER_GROWTH + text.len() / BYTES_PER_REPORT;
    spent.reports += if is_like_code { reports } else { reports * ERROR_WEIGHT };
    spent.times += 1;
    tree.ok_or(ParseError::Budget)
}

/// The depth of a tree, counted no further than just above `limit`.
pub(super) fn depth(tree: &Tree, limit: usize) -> usize {
    let mut cursor = tree.walk();
    let (mut deepest, mut level) = (1, 1);
    loop {
        if cursor.goto_first_child() {
            level += 1;
            deepest = deepest.max(level);
            if deepest > limit {
                return deepest;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return deepest;
            }
            level -= 1;
        }
    }
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
