//! What can be told from the tree alone: lengths, size, dependence on the end.

use crate::pattern::syntax::charset::CharSet;
use crate::pattern::syntax::tree::{Assertion, Node, NodeId, Tree, UNBOUNDED};

/// No text reaches this many code units, so that a repeat that needs more never matches and one that allows more is
/// without bound.
pub(crate) const TEXT_LIMIT: u64 = 1 << 31;

/// Facts about one node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// The least number of units matched.
    pub(crate) min: u64,
    /// The greatest number of units matched; saturates.
    pub(crate) max: u64,
    /// How far past its end the node may look, or how far it reaches itself: an upper bound for the distance from its
    /// start to the last unit that matters; saturates.
    pub(crate) reach: u64,
    /// Whether it matches the empty text at any place whatever.
    pub(crate) free_empty: bool,
    /// States of the automaton; saturates.
    pub(crate) size: u64,
    /// Nesting of look-arounds.
    pub(crate) looks: u32,
    pub(crate) back_references: bool,
    /// Whether text after the match can matter.
    pub(crate) end_sensitive: bool,
}

/// How often the automaton repeats a node, after limits that no text can tell (engine.md E4.2, "huge counts").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounds {
    /// More text is needed than can exist.
    Never,
    Between {
        min: u32,
        max: Option<u32>,
    },
}

/// The repeat counts that matter for whether there is a match.
pub(crate) fn rounds(child: Facts, min: u32, max: u32) -> Rounds {
    if child.min > 0 && u64::from(min).saturating_mul(child.min) > TEXT_LIMIT {
        return Rounds::Never;
    }
    // A round that may be empty anywhere need not be taken. Rounds beyond the length of the text are empty ones.
    let min = if child.free_empty { 0 } else { min };
    let unlimited = max == UNBOUNDED || u64::from(max).saturating_mul(child.min.max(1)) > TEXT_LIMIT;
    let max = if unlimited {
        None
    } else if child.max == 0 {
        // Rounds without text test the same place again.
        Some(max.min(1))
    } else {
        Some(max)
    };
    Rounds::Between { min: if child.max == 0 { min.min(1) } else { min }, max }
}

/// Facts about all nodes, in the order of the tree.
pub(crate) fn facts(tree: &Tree) -> Vec<Facts> {
    let mut all: Vec<Facts> = Vec::with_capacity(tree.nodes.len());
    let empty = Facts {
        min: 0,
        max: 0,
        reach: 0,
        free_empty: true,
        size: 1,
        looks: 0,
        back_references: false,
        end_sensitive: false,
    };
    for node in &tree.nodes {
        let found = match node {
            Node::Empty => empty,
            Node::Set(_) => Facts { min: 1, max: 1, reach: 1, free_empty: false, ..empty },
            Node::Assert(assertion) => Facts {
                reach: 1,
                free_empty: false,
                end_sensitive: !matches!(assertion, Assertion::Start | Assertion::LineStart),
                ..empty
            },
            Node::BackReference { .. } => {
                Facts { max: u64::MAX, reach: u64::MAX, free_empty: false, back_references: true, ..empty }
            }
            Node::Capture { child, .. } => all[*child],
            Node::Look { child, behind, .. } => {
                let child = all[*child];
                Facts {
                    min: 0,
                    max: 0,
                    // What follows the look-around starts at its start.
                    reach: if *behind { 1 } else { child.reach.saturating_add(1) },
                    free_empty: false,
                    size: child.size.saturating_add(2),
                    looks: child.looks + 1,
                    back_references: child.back_references,
                    end_sensitive: !behind || child.end_sensitive,
                }
            }
            Node::Concat(children) => children.iter().map(|&child| all[child]).fold(empty, |sum, child| Facts {
                min: sum.min.saturating_add(child.min),
                max: sum.max.saturating_add(child.max),
                reach: sum.reach.max(sum.max.saturating_add(child.reach)),
                free_empty: sum.free_empty && child.free_empty,
                ..join(sum, child)
            }),
            Node::Alternate(children) => {
                let mut children = children.iter().map(|&child| all[child]);
                let first = children.next().unwrap_or(empty);
                let mut sum = children.fold(first, |sum, child| Facts {
                    min: sum.min.min(child.min),
                    max: sum.max.max(child.max),
                    reach: sum.reach.max(child.reach),
                    free_empty: sum.free_empty || child.free_empty,
                    ..join(sum, child)
                });
                sum.size = sum.size.saturating_add(1);
                sum
            }
            Node::Repeat { child, min, max, .. } => {
                let child = all[*child];
                let copies = match rounds(child, *min, *max) {
                    Rounds::Never => 0,
                    Rounds::Between { min, max } => u64::from(max.unwrap_or(min.max(1)).max(min)),
                };
                let times = |count: u32, length: u64| {
                    if count == UNBOUNDED && length > 0 { u64::MAX } else { u64::from(count).saturating_mul(length) }
                };
                let max_length = times(*max, child.max);
                Facts {
                    min: u64::from(*min).saturating_mul(child.min),
                    max: max_length,
                    reach: max_length.saturating_add(child.reach),
                    free_empty: *min == 0 || child.free_empty,
                    size: copies.saturating_mul(child.size.saturating_add(1)).saturating_add(2),
                    ..child
                }
            }
        };
        all.push(found);
    }
    all
}

/// What adds up the same way in sequences and alternatives.
fn join(left: Facts, right: Facts) -> Facts {
    Facts {
        size: left.size.saturating_add(right.size),
        looks: left.looks.max(right.looks),
        back_references: left.back_references || right.back_references,
        end_sensitive: left.end_sensitive || right.end_sensitive,
        ..left
    }
}

/// The units with which a match can begin; nothing when a match may be empty, or begins with a back-reference.
pub(crate) fn first_units(tree: &Tree, facts: &[Facts]) -> Option<CharSet> {
    let mut firsts = CharSet::default();
    let mut pending: Vec<NodeId> = vec![tree.root];
    if facts[tree.root].min == 0 {
        return None;
    }
    while let Some(node) = pending.pop() {
        match &tree.nodes[node] {
            Node::Set(set) => firsts.add(&tree.sets[*set]),
            Node::Capture { child, .. } | Node::Repeat { child, .. } => pending.push(*child),
            Node::Alternate(children) => pending.extend(children),
            Node::Concat(children) => {
                for &child in children {
                    if matches!(tree.nodes[child], Node::BackReference { .. }) {
                        return None;
                    }
                    if facts[child].max > 0 {
                        pending.push(child);
                    }
                    if facts[child].min > 0 {
                        break;
                    }
                }
            }
            Node::BackReference { .. } => return None,
            Node::Empty | Node::Assert(_) | Node::Look { .. } => {}
        }
    }
    Some(firsts)
}
