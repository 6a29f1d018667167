//! Conditions that the agent tries at the buffer's start only (generation-v4.md W4.2).

use crate::pattern::syntax::tree::{Assertion, Node, Tree};

/// Whether the pattern, without a leading group of flags, is nothing but positive look-aheads that each begin with a
/// greedy `[\s\S]*`. The agent takes such a condition for a test of the whole buffer and does not try it further on.
/// That costs a match only where a look-ahead has another alternative, which may begin anywhere.
pub(crate) fn is_whole_buffer(pattern: &[u16]) -> bool {
    const OPEN: &str = "(?=[\\s\\S]*";
    let open: Vec<u16> = OPEN.encode_utf16().collect();
    let mut rest = pattern;
    while let Some(inner) = rest.strip_prefix(open.as_slice()) {
        // `*?` is lazy.
        if inner.first() == Some(&u16::from(b'?')) {
            return false;
        }
        match behind_group(inner) {
            Some([]) => return true,
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    false
}

/// What stands behind the parenthesis that closes the group whose inside this is.
fn behind_group(inside: &[u16]) -> Option<&[u16]> {
    let (mut depth, mut in_class, mut escaped) = (1_usize, false, false);
    for (at, &unit) in inside.iter().enumerate() {
        let unit = u8::try_from(unit).unwrap_or(0);
        match unit {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b']' if in_class => in_class = false,
            _ if in_class => {}
            b'[' => in_class = true,
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(&inside[at + 1..]),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Whether one of the look-aheads has alternatives at its top level. Only the first of them begins with `[\s\S]*`.
pub(crate) fn has_alternatives(tree: &Tree) -> bool {
    let is_choice = |node: &Node| match node {
        Node::Look { child, .. } => matches!(tree.nodes[*child], Node::Alternate(_)),
        _ => false,
    };
    match &tree.nodes[tree.root] {
        Node::Concat(parts) => parts.iter().any(|&part| is_choice(&tree.nodes[part])),
        node => is_choice(node),
    }
}

/// The pattern, tried at the start of the text only.
pub(crate) fn at_start(mut tree: Tree) -> Tree {
    let span = tree.spans.get(tree.root).cloned().unwrap_or_default();
    let start = tree.nodes.len();
    tree.nodes.push(Node::Assert(Assertion::Start));
    tree.nodes.push(Node::Concat(vec![start, tree.root]));
    tree.spans.extend([span.start..span.start, span]);
    tree.root = start + 1;
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(pattern: &str) -> bool {
        is_whole_buffer(&pattern.encode_utf16().collect::<Vec<_>>())
    }

    #[test]
    fn only_greedy_positive_look_aheads_ask_for_the_whole_buffer() {
        for pattern in ["(?=[\\s\\S]*foo)", "(?=[\\s\\S]*a)(?=[\\s\\S]*[)(]b\\))", "(?=[\\s\\S]*(?:a|(b))|c)"] {
            assert!(whole(pattern), "{pattern}");
        }
        for pattern in [
            "",
            "foo",
            "(?=[\\s\\S]*?foo)",
            "(?=[\\s\\S]*foo)bar",
            "(?=[\\s\\S]*foo)(?![\\s\\S]*bar)",
            "(?=[\\s\\S]*foo)(?=bar)",
            "(?=[\\s\\S]*foo)*",
            "(?=[\\S\\s]*foo)",
            "(?=.*foo)",
            "^(?=[\\s\\S]*foo)",
            "(?=[\\s\\S]*foo)|bar",
        ] {
            assert!(!whole(pattern), "{pattern}");
        }
    }
}
