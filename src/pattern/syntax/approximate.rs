//! A tree without back-references that matches at least what a tree with them matches, at the same places: the gate
//! before the backtracker (matching.md M3).

use std::collections::HashMap;

use crate::pattern::syntax::analysis::{self, Facts};
use crate::pattern::syntax::charset::CharSet;
use crate::pattern::syntax::tree::{Node, NodeId, Tree, UNBOUNDED};

/// A group this large or larger is not copied for each reference to it.
const MAX_COPY: u64 = 64;

/// Replaces back-references: by the language of their group where that is simple, else by any text. Look-arounds that
/// hold references are left out.
pub(crate) fn without_references(tree: &Tree) -> Tree {
    let facts = analysis::facts(tree);
    let groups: HashMap<u32, NodeId> = tree
        .nodes
        .iter()
        .filter_map(|node| match node {
            Node::Capture { child, index } => Some((*index, *child)),
            _ => None,
        })
        .collect();
    let mut result =
        Tree { nodes: Vec::new(), spans: Vec::new(), sets: tree.sets.clone(), root: 0, captures: tree.captures };
    let mut ids: Vec<NodeId> = Vec::with_capacity(tree.nodes.len());
    for (id, node) in tree.nodes.iter().enumerate() {
        let replaced = match node {
            Node::BackReference { groups: wanted, fold } => {
                let mut alternatives = vec![add(&mut result, Node::Empty)];
                for group in wanted.iter().filter_map(|group| groups.get(group)) {
                    alternatives.push(if is_simple(facts[*group]) {
                        copy(tree, *group, *fold, &mut result)
                    } else {
                        anything(&mut result)
                    });
                }
                add(&mut result, Node::Alternate(alternatives))
            }
            Node::Look { child, .. } if facts[*child].back_references => add(&mut result, Node::Empty),
            _ => add(&mut result, renumbered(node, |child| ids[child])),
        };
        ids.push(replaced);
        debug_assert_eq!(ids.len(), id + 1);
    }
    result.root = ids[tree.root];
    result
}

fn is_simple(facts: Facts) -> bool {
    !facts.back_references && facts.looks == 0 && facts.size < MAX_COPY
}

fn add(tree: &mut Tree, node: Node) -> NodeId {
    tree.nodes.push(node);
    tree.spans.push(0..0);
    tree.nodes.len() - 1
}

fn anything(tree: &mut Tree) -> NodeId {
    tree.sets.push(CharSet::all());
    let child = add(tree, Node::Set(tree.sets.len() - 1));
    add(tree, Node::Repeat { child, min: 0, max: UNBOUNDED, greedy: true, captures: 0..0 })
}

/// Copies the content of a group; a reference repeats its text whatever the neighbours.
fn copy(from: &Tree, root: NodeId, fold: bool, to: &mut Tree) -> NodeId {
    let mut members = vec![root];
    let mut next = 0;
    while let Some(&node) = members.get(next) {
        next += 1;
        match &from.nodes[node] {
            Node::Concat(children) | Node::Alternate(children) => members.extend(children),
            Node::Repeat { child, .. } | Node::Capture { child, .. } => members.push(*child),
            _ => {}
        }
    }
    members.sort_unstable();
    let mut ids: HashMap<NodeId, NodeId> = HashMap::new();
    for member in members {
        let node = match &from.nodes[member] {
            Node::Assert(_) => Node::Empty,
            Node::Set(set) if fold => {
                let folded = from.sets[*set].folded();
                to.sets.push(folded);
                Node::Set(to.sets.len() - 1)
            }
            node => renumbered(node, |child| ids[&child]),
        };
        let id = add(to, node);
        ids.insert(member, id);
    }
    ids[&root]
}

fn renumbered(node: &Node, id: impl Fn(NodeId) -> NodeId) -> Node {
    let mut node = node.clone();
    match &mut node {
        Node::Concat(children) | Node::Alternate(children) => {
            for child in children {
                *child = id(*child);
            }
        }
        Node::Repeat { child, .. } | Node::Capture { child, .. } | Node::Look { child, .. } => *child = id(*child),
        Node::Empty | Node::Set(_) | Node::Assert(_) | Node::BackReference { .. } => {}
    }
    node
}
