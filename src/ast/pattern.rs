//! [`Compiled`]: one AST pattern for one grammar, with what is known beforehand about its matches.

use ast_grep_core::matcher::{PatternNode, kind_utils};
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::{MatchStrictness, Matcher, Pattern, PatternError};

use super::grammar::Grammar;

/// What a pattern comes to.
pub(super) enum Compiled {
    Pattern(Box<Ready>),
    /// `$$$` or `$$$NAME` alone: any tree matches (engine.md E5.8).
    AnyTree,
    /// It does not compile: ignored.
    Broken(String),
    /// It is beyond the limits of this build.
    TooLarge(String),
}

/// A pattern to match with.
pub(super) struct Ready {
    pub pattern: Pattern,
    /// A text without which nothing matches.
    pub literal: Option<String>,
    /// The kind of every node that matches; none when any kind may.
    pub kind: Option<u16>,
    /// Whether the matcher compares whole subtrees or copies long lists of nodes: it then takes more than a few steps
    /// a node, and recurses as deep as the tree.
    pub costly: bool,
}

impl Compiled {
    /// Compiles a pattern that is not blank.
    pub(super) fn new(source: &str, grammar: Grammar) -> Self {
        if is_any_tree(source) {
            return Self::AnyTree;
        }
        match Pattern::try_new(source, grammar) {
            Ok(pattern) => Self::Pattern(Box::new(Ready::new(pattern.with_strictness(MatchStrictness::Smart)))),
            Err(PatternError::Parse(why)) => Self::TooLarge(why),
            Err(why) => Self::Broken(why.to_string()),
        }
    }
}

impl Ready {
    fn new(pattern: Pattern) -> Self {
        let mut facts = Facts::default();
        facts.read(&pattern.node);
        let kinds = pattern.potential_kinds();
        let kind = kinds.and_then(|kinds| kinds.iter().next()).and_then(|kind| u16::try_from(kind).ok());
        Self {
            literal: facts.literal,
            kind: kind.filter(|kind| !kind_utils::is_error_kind(*kind)),
            costly: facts.repeats || facts.lists > 1,
            pattern,
        }
    }
}

/// `$$$` and `$$$NAME`.
fn is_any_tree(source: &str) -> bool {
    let name = |name: &str| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    source.strip_prefix("$$$").is_some_and(name)
}

#[derive(Default)]
struct Facts {
    literal: Option<String>,
    names: std::collections::HashSet<String>,
    repeats: bool,
    lists: usize,
}

impl Facts {
    /// Reads a node of the pattern. Depth is bounded where patterns are parsed.
    fn read(&mut self, node: &PatternNode) {
        match node {
            // Unnamed tokens are compared by kind alone, so their text need not occur.
            PatternNode::Terminal { text, is_named: true, .. } => {
                let longest = self.literal.as_ref().map_or(0, String::len);
                if text.len() > longest {
                    self.literal = Some(text.clone());
                }
            }
            PatternNode::Terminal { .. } => {}
            PatternNode::MetaVar { meta_var } => match meta_var {
                MetaVariable::Capture(name, _) => self.repeats |= !self.names.insert(name.clone()),
                MetaVariable::MultiCapture(name) => {
                    self.repeats |= !self.names.insert(name.clone());
                    self.lists += 1;
                }
                MetaVariable::Multiple => self.lists += 1,
                MetaVariable::Dropped(_) => {}
            },
            PatternNode::Internal { children, .. } => children.iter().for_each(|child| self.read(child)),
        }
    }
}

#[cfg(test)]
#[cfg(feature = "languages-common")]
mod tests {
    use ast_grep_language::SupportLang;

    use super::*;

    fn compile(source: &str) -> Compiled {
        Compiled::new(source, Grammar::Builtin(SupportLang::TypeScript))
    }

    #[test]
    fn the_literal_is_the_longest_named_token() {
        let literal = |source| match compile(source) {
            Compiled::Pattern(ready) => ready.literal,
            _ => panic!("{source} compiles"),
        };
        assert_eq!(literal("console.log($A)").as_deref(), Some("console"));
        assert_eq!(literal("function $F() {}"), None);
        assert_eq!(literal("$A"), None);
    }

    #[test]
    fn lone_lists_match_anything_and_two_statements_do_not_compile() {
        assert!(matches!(compile("$$$"), Compiled::AnyTree));
        assert!(matches!(compile("$$$ARGS"), Compiled::AnyTree));
        assert!(matches!(compile("foo($X); bar($Y)"), Compiled::Broken(_)));
        assert!(matches!(compile(&format!("{}1{}", "(".repeat(2000), ")".repeat(2000))), Compiled::TooLarge(_)));
    }

    #[test]
    fn repeated_variables_are_costly() {
        let costly = |source| matches!(compile(source), Compiled::Pattern(ready) if ready.costly);
        assert!(costly("foo($A, $A)"));
        assert!(!costly("foo($A, $B)"));
        assert!(!costly("foo($_, $_)"));
        assert!(costly("foo($$$A, 1, $$$B)"));
    }
}
