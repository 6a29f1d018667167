//! [`Search`]: one walk over a tree for the patterns of all rules.

use std::collections::BTreeMap;
use std::sync::Arc;

use ast_grep_core::matcher::MatcherExt;
use tree_sitter::TreeCursor;

use super::document::{self, Document};
use super::pattern::Ready;
use super::prefix::{Look, Prefixes};
use super::reuse::{Pass, Place};
use super::snapshot::CurrentTree;

/// The matcher recurses as deep as the tree where it compares subtrees; deeper trees are left undecided then.
const MAX_COMPARED_DEPTH: usize = 1000;

/// Nodes that costly patterns may look at in one search, all attempts together.
const COSTLY_NODES: usize = 20_000_000;

/// Nodes below one node at which a costly pattern is tried: its cost may grow with their square.
const MAX_COSTLY_NODES: usize = 20_000;

/// What it takes to go to a node, to try a pattern there, and to look at a child then, in nanoseconds, as measured.
const NODE_COST: u64 = 170;
const ATTEMPT_COST: u64 = 750;
const CHILD_COST: u64 = 75;

/// What it takes to look at a node of the earlier tree, in nanoseconds, as measured.
const STEP_COST: u64 = 50;

const TOO_DEEP: &str = "the syntax tree nests too deeply to compare its parts";
const TOO_MUCH: &str = "comparing parts of the syntax tree takes more steps than the budget allows";

/// What is looked for.
pub(super) struct Search<'a> {
    prefixes: &'a Prefixes,
    patterns: BTreeMap<usize, Sought<'a>>,
    groups: Vec<Wanted>,
}

struct Sought<'a> {
    ready: &'a Ready,
    /// Whether it matches no node of the tree that the present one was made of.
    was_absent: bool,
    /// The groups that want it, and its place in each.
    wanted_by: Vec<(usize, usize)>,
}

/// The result of one group of patterns, of which one match is enough.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// The place of the pattern in its rule and the node.
    pub found: Option<(usize, Place)>,
    /// Why no match may have been missed or not.
    pub undecided: Option<&'static str>,
}

impl Wanted {
    /// Whether a pattern matched.
    pub(super) fn is_found(&self) -> bool {
        self.found.is_some()
    }

    /// Whether a match of the pattern at this place of the rule would count: the first node does, and of several
    /// patterns that match it the first.
    fn wants(&self, place: usize, node: &Place) -> bool {
        self.found.as_ref().is_none_or(|(found, at)| at == node && place < *found)
    }
}

impl<'a> Search<'a> {
    /// `prefixes` must be those of the patterns to be added, by number.
    pub(super) fn new(prefixes: &'a Prefixes) -> Self {
        Self { prefixes, patterns: BTreeMap::new(), groups: Vec::new() }
    }

    /// A further group of patterns.
    pub(super) fn group(&mut self) -> usize {
        self.groups.push(Wanted::default());
        self.groups.len() - 1
    }

    /// A pattern of a group.
    pub(super) fn add(&mut self, group: usize, place: usize, number: usize, ready: &'a Ready, was_absent: bool) {
        let sought = Sought { ready, was_absent, wanted_by: Vec::new() };
        self.patterns.entry(number).or_insert(sought).wanted_by.push((group, place));
    }

    /// Walks the tree until each group has a match. Adds what it took to the cost, in estimated nanoseconds.
    pub(super) fn run(mut self, document: Document, current: &CurrentTree, cost: &mut u64) -> Vec<Wanted> {
        let all_were_absent = self.patterns.values().all(|sought| sought.was_absent);
        let mut budget = Budget { nodes: COSTLY_NODES, tree: document.tree().clone(), too_deep: None };
        let text = Arc::clone(document.text());
        let root = ast_grep_core::AstGrep::doc(document);
        let tree_root = root.root().get_inner_node();
        let mut look = Look::new(self.prefixes, &text, tree_root);
        let mut open = self.groups.len();
        let from = if all_were_absent { current.changed_from } else { 0 };
        let earlier = current.earlier.as_ref().map(|earlier| earlier.pass());
        let mut walk = Walk { cursor: tree_root.walk(), from, depth: 0, earlier, reused: None };
        let mut next = Some(tree_root);
        while let Some(node) = next {
            *cost += NODE_COST;
            let is_old = walk.is_reused() || node.end_byte() < current.changed_from;
            if is_old && all_were_absent {
                next = walk.next(false);
                continue;
            }
            for &number in look.at(node) {
                let Some(sought) = self.patterns.get(&number) else { continue };
                let here = Place::of(&node);
                let is_wanted = |&(group, place): &(usize, usize)| self.groups[group].wants(place, &here);
                if (is_old && sought.was_absent) || !sought.wanted_by.iter().any(is_wanted) {
                    continue;
                }
                if sought.ready.costly
                    && let Err(why) = budget.take(node.descendant_count())
                {
                    for &(group, _) in &sought.wanted_by {
                        self.groups[group].undecided.get_or_insert(why);
                    }
                    continue;
                }
                let children = u64::try_from(node.child_count()).unwrap_or(u64::MAX);
                *cost += ATTEMPT_COST + children.saturating_mul(CHILD_COST);
                if sought.ready.pattern.match_node(root.adopt(node)).is_none() {
                    continue;
                }
                for &(group, place) in &sought.wanted_by {
                    let wanted = &mut self.groups[group];
                    if wanted.wants(place, &here) {
                        open -= usize::from(!wanted.is_found());
                        wanted.found = Some((place, here.clone()));
                    }
                }
            }
            next = if open == 0 { None } else { walk.next(true) };
        }
        *cost += walk.earlier.as_ref().map_or(0, Pass::steps) * STEP_COST;
        self.groups
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

/// The nodes of a tree, parents first, without most that end before a byte. No recursion.
struct Walk<'tree, 'e> {
    cursor: TreeCursor<'tree>,
    from: usize,
    depth: usize,
    earlier: Option<Pass<'e>>,
    /// The depth of a node that stands in the earlier tree too, at or above the present one.
    reused: Option<usize>,
}

impl<'tree> Walk<'tree, '_> {
    /// Whether the present node stands in the earlier tree too.
    fn is_reused(&self) -> bool {
        self.reused.is_some()
    }

    /// The next node, below the present one only where that is wanted.
    fn next(&mut self, below: bool) -> Option<tree_sitter::Node<'tree>> {
        if below && self.descend() {
            self.depth += 1;
        } else {
            while !self.cursor.goto_next_sibling() {
                if !self.cursor.goto_parent() {
                    return None;
                }
                self.depth -= 1;
            }
        }
        let node = self.cursor.node();
        self.reused = self.reused.filter(|&depth| depth < self.depth);
        if self.reused.is_none() && self.earlier.as_mut().is_some_and(|earlier| earlier.has(&node)) {
            self.reused = Some(self.depth);
        }
        Some(node)
    }

    /// Goes to a child, passing over most of those that end before the byte.
    fn descend(&mut self) -> bool {
        // The cursor looks for a child that ends after the byte that it is given. It finds none where a hidden token
        // comes first, whatever comes behind.
        let jumps = self.from > 0 && self.cursor.goto_first_child_for_byte(self.from - 1).is_some();
        jumps || self.cursor.goto_first_child()
    }
}
