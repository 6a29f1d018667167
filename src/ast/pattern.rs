//! [`Compiled`]: one AST pattern for one grammar, with what is known beforehand about its matches.

use ast_grep_core::matcher::PatternNode;
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::{MatchStrictness, Pattern, PatternError};

use super::grammar::Grammar;

/// Literals of one pattern that are looked for before anything is parsed.
const MAX_LITERALS: usize = 4;

/// What a pattern comes to.
pub(super) enum Compiled {
    Pattern(Box<Ready>),
    /// `$$$` or `$$$NAME` alone, where the grammar takes it for one node: any tree matches (engine.md E5.8).
    AnyTree,
    /// It does not compile: ignored.
    Broken(String),
    /// It is beyond the limits of this build.
    TooLarge(String),
}

/// A pattern to match with.
pub(super) struct Ready {
    pub pattern: Pattern,
    /// Texts without each of which nothing matches, long ones first.
    pub literals: Vec<String>,
    /// Whether a variable stands twice.
    pub repeats: bool,
    /// Whether the matcher compares whole subtrees or copies long lists of nodes: it then takes more than a few steps
    /// a node, and recurses as deep as the tree.
    pub costly: bool,
}

impl Compiled {
    /// Compiles a pattern that is not blank.
    pub(super) fn new(source: &str, grammar: Grammar) -> Self {
        match Pattern::try_new(source, grammar) {
            Ok(pattern) => Self::Pattern(Box::new(Ready::new(pattern.with_strictness(MatchStrictness::Smart)))),
            Err(PatternError::RootMultiMetaVar(_)) => Self::AnyTree,
            Err(PatternError::Parse(why)) => Self::TooLarge(why),
            Err(why) => Self::Broken(why.to_string()),
        }
    }
}

impl Ready {
    fn new(pattern: Pattern) -> Self {
        let mut facts = Facts::default();
        facts.read(&pattern.node);
        let costly = facts.repeats || facts.lists > 1;
        Self { literals: facts.few_literals(), repeats: facts.repeats, costly, pattern }
    }
}

#[derive(Default)]
struct Facts {
    literals: Vec<String>,
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
                self.literals.push(text.clone());
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

    /// The longest literals, none of them part of another.
    fn few_literals(&mut self) -> Vec<String> {
        let mut all = std::mem::take(&mut self.literals);
        all.sort_by_key(|literal| std::cmp::Reverse(literal.len()));
        let mut few: Vec<String> = Vec::new();
        for literal in all {
            if few.len() < MAX_LITERALS && !few.iter().any(|longer| longer.contains(&literal)) {
                few.push(literal);
            }
        }
        few
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
    fn the_literals_are_the_named_tokens() {
        let literals = |source| match compile(source) {
            Compiled::Pattern(ready) => ready.literals,
            _ => panic!("{source} compiles"),
        };
        assert_eq!(literals("console.log($A, con)"), ["console", "log"]);
        assert!(literals("function $F() {}").is_empty());
        assert!(literals("$A").is_empty());
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
