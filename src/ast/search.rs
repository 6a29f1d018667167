//! [`Search`]: one walk over a tree for the patterns of all rules.

use std::collections::BTreeMap;
use std::ops::Range;

use ast_grep_core::matcher::MatcherExt;
use tree_sitter::TreeCursor;

use super::document::{self, Document};
use super::pattern::Ready;

/// The matcher recurses as deep as the tree where it compares subtrees; deeper trees are left undecided then.
const MAX_COMPARED_DEPTH: usize = 1000;

/// Nodes that costly patterns may look at in one search, all attempts together.
const COSTLY_NODES: usize = 20_000_000;

/// Nodes below one node at which a costly pattern is tried: its cost may grow with their square.
const MAX_COSTLY_NODES: usize = 20_000;

const TOO_DEEP: &str = "the syntax tree nests too deeply to compare its parts";
const TOO_MUCH: &str = "comparing parts of the syntax tree takes more steps than the budget allows";

/// What is looked for.
pub(super) struct Search<'a> {
    patterns: Vec<Sought<'a>>,
    groups: Vec<Wanted>,
}

struct Sought<'a> {
    group: usize,
    place: usize,
    ready: &'a Ready,
    /// Nodes that end before this byte need not be tried.
    from: usize,
}

/// The result of one group of patterns, of which one match is enough.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// The place of the pattern in its rule and the bytes of the node.
    pub found: Option<(usize, Range<usize>)>,
    /// Why no match may have been missed or not.
    pub undecided: Option<&'static str>,
}

impl Wanted {
    /// Whether a pattern matched.
    pub(super) fn is_found(&self) -> bool {
        self.found.is_some()
    }
}

impl<'a> Search<'a> {
    pub(super) fn new() -> Self {
        Self { patterns: Vec::new(), groups: Vec::new() }
    }

    /// A further group of patterns.
    pub(super) fn group(&mut self) -> usize {
        self.groups.push(Wanted::default());
        self.groups.len() - 1
    }

    /// A pattern of a group.
    pub(super) fn add(&mut self, group: usize, place: usize, ready: &'a Ready, from: usize) {
        self.patterns.push(Sought { group, place, ready, from });
    }

    /// Walks the tree until each group has a match.
    pub(super) fn run(mut self, document: Document) -> Vec<Wanted> {
        let table = Table::new(&self.patterns);
        let from = self.patterns.iter().map(|sought| sought.from).min().unwrap_or(0);
        let mut budget = Budget { nodes: COSTLY_NODES, tree: document.tree().clone(), too_deep: None };
        let root = ast_grep_core::AstGrep::doc(document);
        let tree_root = root.root().get_inner_node();
        let mut open = self.groups.len();
        let mut walk = Walk { cursor: tree_root.walk(), from };
        let mut next = Some(tree_root);
        while let Some(node) = next {
            let (kind, end) = (node.kind_id(), node.end_byte());
            for &at in table.of_kind(kind).iter().chain(&table.any) {
                let sought = &self.patterns[at];
                let group = &mut self.groups[sought.group];
                if group.is_found() || end < sought.from {
                    continue;
                }
                if sought.ready.costly
                    && let Err(why) = budget.take(node.descendant_count())
                {
                    group.undecided = Some(why);
                    continue;
                }
                let candidate = root.adopt(node);
                if sought.ready.pattern.match_node(candidate).is_some() {
                    group.found = Some((sought.place, node.byte_range()));
                    group.undecided = None;
                    open -= 1;
                }
            }
            next = if open == 0 { None } else { walk.next() };
        }
        self.groups
    }
}

/// Patterns by the kind of node they match.
struct Table {
    kinds: BTreeMap<u16, Vec<usize>>,
    any: Vec<usize>,
}

impl Table {
    fn new(patterns: &[Sought<'_>]) -> Self {
        let mut table = Self { kinds: BTreeMap::new(), any: Vec::new() };
        for (at, sought) in patterns.iter().enumerate() {
            match sought.ready.kind {
                Some(kind) => table.kinds.entry(kind).or_default().push(at),
                None => table.any.push(at),
            }
        }
        table
    }

    fn of_kind(&self, kind: u16) -> &[usize] {
        self.kinds.get(&kind).map(Vec::as_slice).unwrap_or_default()
    }
}

/// What costly patterns may still spend.
struct Budget {
    nodes: usize,
    tree: tree_sitter::Tree,
    too_deep: Option<bool>,
}

impl Budget {
    fn take(&mut self, nodes: usize) -> Result<(), &'static str> {
        // No subtree is deeper than it has nodes.
        if nodes > MAX_COMPARED_DEPTH && self.tree_is_too_deep() {
            return Err(TOO_DEEP);
        }
        if nodes > MAX_COSTLY_NODES {
            return Err(TOO_MUCH);
        }
        self.nodes = self.nodes.checked_sub(nodes).ok_or(TOO_MUCH)?;
        Ok(())
    }

    fn tree_is_too_deep(&mut self) -> bool {
        let tree = &self.tree;
        *self.too_deep.get_or_insert_with(|| document::depth(tree, MAX_COMPARED_DEPTH) > MAX_COMPARED_DEPTH)
    }
}

/// The nodes of a tree, parents first, without the subtrees that end before a byte. No recursion.
struct Walk<'tree> {
    cursor: TreeCursor<'tree>,
    from: usize,
}

impl<'tree> Walk<'tree> {
    fn next(&mut self) -> Option<tree_sitter::Node<'tree>> {
        let descends = if self.from == 0 {
            self.cursor.goto_first_child()
        } else {
            // The cursor looks for a child that ends after the byte that it is given.
            self.cursor.goto_first_child_for_byte(self.from - 1).is_some()
        };
        if descends {
            return Some(self.cursor.node());
        }
        while !self.cursor.goto_next_sibling() {
            if !self.cursor.goto_parent() {
                return None;
            }
        }
        Some(self.cursor.node())
    }
}
