//! [`Earlier`]: the tree that the present one was made of, and which of its nodes stand in the present one.

use std::ops::Range;

use tree_sitter::{Node, Tree, TreeCursor};

/// A tree whose nodes may stand in the present one too. While both trees are kept, a node of the same id is the same
/// node, with all that is below it.
pub(super) struct Earlier {
    tree: Tree,
    /// Leading bytes that the texts of both trees have in common.
    common: usize,
}

/// A node without its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub bytes: Range<usize>,
    pub kind: u16,
}

impl Place {
    pub(super) fn of(node: &Node<'_>) -> Self {
        Self { bytes: node.byte_range(), kind: node.kind_id() }
    }

    fn find<'tree>(&self, tree: &'tree Tree) -> Option<Node<'tree>> {
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            if Self::of(&node) == *self {
                return Some(node);
            }
            if node.start_byte() > self.bytes.start || node.end_byte() < self.bytes.end {
                return None;
            }
            cursor.goto_first_child_for_byte(self.bytes.start)?;
        }
    }
}

impl Earlier {
    /// The tree must have been edited to fit the text of the present one.
    pub(super) fn new(tree: Tree, common: usize) -> Self {
        Self { tree, common }
    }

    /// Whether the node at this place has the same text and the same children in both trees.
    pub(super) fn shares(&self, tree: &Tree, place: &Place) -> bool {
        if place.bytes.end > self.common {
            return false;
        }
        let (Some(old), Some(new)) = (place.find(&self.tree), place.find(tree)) else {
            return false;
        };
        if old.id() == new.id() {
            return true;
        }
        let (mut olds, mut news) = (old.walk(), new.walk());
        old.child_count() == new.child_count()
            && old.children(&mut olds).zip(new.children(&mut news)).all(|(old, new)| is_same(&old, &new))
    }

    /// To be asked about the nodes of the present tree, parents first, from left to right.
    pub(super) fn pass(&self) -> Pass<'_> {
        Pass { cursor: self.tree.walk(), common: self.common, is_over: false }
    }
}

fn is_same(old: &Node<'_>, new: &Node<'_>) -> bool {
    old.id() == new.id() && Place::of(old) == Place::of(new)
}

/// One pass over both trees.
pub(super) struct Pass<'e> {
    cursor: TreeCursor<'e>,
    common: usize,
    is_over: bool,
}

impl Pass<'_> {
    /// Whether the earlier tree has this very node. It may say no where it has, as far as the trees nest differently.
    pub(super) fn has(&mut self, node: &Node<'_>) -> bool {
        let Range { start, end } = node.byte_range();
        if end > self.common {
            return false;
        }
        while !self.is_over {
            let old = self.cursor.node();
            if is_same(&old, node) {
                return true;
            }
            let (old_start, old_end) = (old.start_byte(), old.end_byte());
            if old_start > start || (old_start == start && start < old_end && old_end <= end) {
                // It may be below the node that is asked about, or come after it.
                return false;
            }
            let descends = start < old_end && self.cursor.goto_first_child_for_byte(start).is_some();
            if !descends {
                self.advance();
            }
        }
        false
    }

    fn advance(&mut self) {
        while !self.is_over && !self.cursor.goto_next_sibling() {
            self.is_over = !self.cursor.goto_parent();
        }
    }
}
