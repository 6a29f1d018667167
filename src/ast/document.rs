//! [`Document`]: a text with its syntax tree.

use std::borrow::Cow;
use std::sync::Arc;

use ast_grep_core::Doc;
use ast_grep_core::source::Edit;
use tree_sitter::{Node, Tree};

use super::grammar::Grammar;
use super::parse::{Spent, parse};

/// Patterns that nest deeper are not compiled: the matcher recurses over them.
const MAX_PATTERN_DEPTH: usize = crate::limits::AST_PATTERN_NESTING;

/// Longer patterns are not compiled.
const MAX_PATTERN_BYTES: usize = crate::limits::AST_PATTERN;

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
