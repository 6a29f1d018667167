//! [`Ending`]: what text to come can do to a match.

use crate::pattern::syntax::analysis::Facts;
use crate::pattern::syntax::tree::{Assertion, Node, NodeId, Tree};

/// What text to come can do to a match at the end of a text. The greater one counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    /// Nothing: once the pattern matches, it matches.
    #[default]
    Settled,
    /// The next unit may undo it: `$`, `\b` or `\B` can stand at the end of a match.
    Edge,
    /// Any later text may undo it: a negative look-ahead looks past what the match itself demands.
    LookAhead,
}

/// Goes through the tree with the number of units that a match demands behind each node; a test that looks no further
/// never sees the end of the text.
pub(crate) fn of(tree: &Tree, facts: &[Facts]) -> Ending {
    let mut ending = Ending::Settled;
    let mut pending: Vec<(NodeId, u64)> = vec![(tree.root, 0)];
    // A back-reference depends on the way that a look-ahead took, and that on what it saw.
    let tells_its_way = facts[tree.root].back_references;
    while let Some((node, after)) = pending.pop() {
        if !facts[node].end_sensitive {
            continue;
        }
        match &tree.nodes[node] {
            Node::Assert(Assertion::Start | Assertion::LineStart) => {}
            Node::Assert(_) if after == 0 => ending = ending.max(Ending::Edge),
            Node::Empty | Node::Set(_) | Node::Assert(_) | Node::BackReference { .. } => {}
            Node::Capture { child, .. } | Node::Repeat { child, .. } => pending.push((*child, after)),
            Node::Alternate(children) => pending.extend(children.iter().map(|&child| (child, after))),
            Node::Concat(children) => {
                let mut after = after;
                for &child in children.iter().rev() {
                    pending.push((child, after));
                    after = after.saturating_add(facts[child].min);
                }
            }
            // What a refusal does not see yet may come.
            Node::Look { behind: true, negative: true, .. } => ending = Ending::LookAhead,
            Node::Look { child, behind: true, .. } => pending.push((*child, after)),
            Node::Look { child, negative, .. } => {
                let inside = facts[*child];
                let is_end = matches!(tree.nodes[*child], Node::Assert(Assertion::End | Assertion::LineEnd));
                if inside.reach <= after || (*negative && is_end) {
                    continue;
                }
                if *negative && inside.max == 0 {
                    ending = ending.max(Ending::Edge);
                } else if *negative || tells_its_way {
                    ending = Ending::LookAhead;
                } else {
                    pending.push((*child, 0));
                }
            }
        }
    }
    ending
}

#[cfg(test)]
mod tests {
    use super::Ending;
    use crate::pattern::{CompileOptions, Pattern};

    #[test]
    fn only_what_can_see_the_end_counts() {
        let ending =
            |source: &str| Pattern::compile(&source.into(), CompileOptions::default()).expect("a pattern").ending();
        for source in ["foo", "\\bfoo", "^foo", "foo(?=bar)", "(?!foo)bar", "foo(?!b).", "(?<=\\b)x", "foo(?!$)", "a$b"]
        {
            assert_eq!(ending(source), Ending::Settled, "{source}");
        }
        for source in
            ["foo(?!\\B)", "foo\\b", "foo$", "(?:foo\\b|x)", "(?:a\\b ?)+", "foo(?=bar\\b)", "\\bx?", "a(?<=a\\b)"]
        {
            assert_eq!(ending(source), Ending::Edge, "{source}");
        }
        for source in [
            "(?=(aab|a))\\1a",
            "(?<!a(?=b))",
            "foo(?!bar)",
            "(?!foo)ba",
            "a(?=b(?!c))",
            "(?:x(?!y))?\\b",
            "^(?![\\s\\S]*x)",
        ] {
            assert_eq!(ending(source), Ending::LookAhead, "{source}");
        }
    }
}
