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
        Pass { cursor: self.tree.walk(), common: self.common, is_over: false, steps: 0 }
    }
}

/// Where two trees begin to differ, of texts that have so many leading bytes in common, and the pairs of nodes that were
/// looked at. All nodes that end before are the same in both, whether one was made of the other or not. The older tree
/// must have been edited to fit the text of the newer one.
///
/// `Tree::changed_ranges` tells the same, but not what it takes: all statements of a flat list, at times.
pub(super) fn first_difference(old: &Tree, new: &Tree, common: usize) -> (usize, u64) {
    let (mut olds, mut news, mut pairs) = (old.walk(), new.walk(), 0);
    loop {
        pairs += 1;
        let (old, new) = (olds.node(), news.node());
        let is_kept = old.id() == new.id() && Place::of(&old) == Place::of(&new) && new.end_byte() <= common;
        if !is_kept {
            let start = old.start_byte().min(new.start_byte());
            if start >= common {
                return (common, pairs);
            }
            if !is_alike(&old, &new, common) {
                return (start, pairs);
            }
            match (olds.goto_first_child(), news.goto_first_child()) {
                (true, true) => continue,
                (false, false) if Place::of(&old) == Place::of(&new) => {}
                _ => return (start, pairs),
            }
        }
        loop {
            let end = news.node().end_byte();
            match (olds.goto_next_sibling(), news.goto_next_sibling()) {
                (true, true) => break,
                (false, false) => {}
                _ => return (end.min(common), pairs),
            }
            if !(olds.goto_parent() && news.goto_parent()) {
                return (common, pairs);
            }
        }
    }
}

/// Whether two nodes are the same but for what is below them, or behind the common bytes.
fn is_alike(old: &Node<'_>, new: &Node<'_>, common: usize) -> bool {
    let has_same_end = old.end_byte() == new.end_byte() || old.end_byte().min(new.end_byte()) > common;
    old.kind_id() == new.kind_id()
        && old.start_byte() == new.start_byte()
        && has_same_end
        && old.is_missing() == new.is_missing()
        && old.is_extra() == new.is_extra()
}

fn is_same(old: &Node<'_>, new: &Node<'_>) -> bool {
    old.id() == new.id() && Place::of(old) == Place::of(new)
}

/// One pass over both trees.
pub(super) struct Pass<'e> {
    cursor: TreeCursor<'e>,
    common: usize,
    is_over: bool,
    steps: u64,
}

impl Pass<'_> {
    /// Whether the earlier tree has this very node. It may say no where it has, as far as the trees nest differently.
    pub(super) fn has(&mut self, node: &Node<'_>) -> bool {
        let Range { start, end } = node.byte_range();
        if end > self.common {
            return false;
        }
        while !self.is_over {
            self.steps += 1;
            let old = self.cursor.node();
            if is_same(&old, node) {
                // Nobody asks about what is below it.
                self.advance();
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

    /// The nodes of the earlier tree that were looked at.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    fn advance(&mut self) {
        while !self.is_over && !self.cursor.goto_next_sibling() {
            self.is_over = !self.cursor.goto_parent();
        }
    }
}

#[cfg(test)]
#[cfg(feature = "languages-common")]
mod tests {
    use ast_grep_language::{LanguageExt, SupportLang};
    use tree_sitter::{InputEdit, Parser, Point};

    use super::*;

    fn parse(text: &str, old: Option<&Tree>) -> Tree {
        let mut parser = Parser::new();
        parser.set_language(&SupportLang::TypeScript.get_ts_language()).expect("the grammar fits");
        parser.parse(text, old).expect("a tree")
    }

    /// All nodes that end before this byte.
    fn nodes_before(tree: &Tree, end: usize) -> Vec<(Place, bool)> {
        let (mut cursor, mut nodes) = (tree.walk(), Vec::new());
        loop {
            let node = cursor.node();
            if node.end_byte() < end {
                nodes.push((Place::of(&node), node.is_missing()));
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return nodes;
                }
            }
        }
    }

    fn difference(start: &str, before: &str, after: &str) -> usize {
        let (before, after) = (format!("{start}{before}"), format!("{start}{after}"));
        let mut old = parse(&before, None);
        let point = |text: &str| Point::new(0, text.len());
        old.edit(&InputEdit {
            start_byte: start.len(),
            old_end_byte: before.len(),
            new_end_byte: after.len(),
            start_position: point(start),
            old_end_position: point(&before),
            new_end_position: point(&after),
        });
        for new in [parse(&after, Some(&old)), parse(&after, None)] {
            let (at, _) = first_difference(&old, &new, start.len());
            assert!(at <= start.len());
            assert_eq!(nodes_before(&old, at), nodes_before(&new, at), "{after:?} up to {at}");
        }
        first_difference(&old, &parse(&after, Some(&old)), start.len()).0
    }

    #[test]
    fn what_stands_before_the_first_difference_is_the_same() {
        let list = "a(1); b(2); c(3); d(4); ";
        assert!(difference(list, "", "e(5);") >= list.len() - 1);
        assert!(difference(list, "e(", "e(5);") >= list.len() - 1);
        // What closes here was open from the first byte on, and was no node before.
        assert_eq!(difference("{ a(1); b(2); c(3) ", "", "}"), 0);
        for (start, before, after) in [
            ("f(a, b; c(d); ", "", ")"),
            ("x; `t ${a} u; v; ", "", "`; w"),
            ("a; /* b; c; ", "", "*/ d"),
            ("if (a) { b; } else { c; ", "", "}"),
            ("a < b; c; d", "", ">(e)"),
            ("x = { a: 1, b", "", ": 2 }"),
            ("\"a; b", "; c", "\"; c"),
            ("", "a", "b"),
        ] {
            difference(start, before, after);
        }
    }
}
