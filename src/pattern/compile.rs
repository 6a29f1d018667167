//! [`Pattern`]: one compiled condition.

use std::fmt;
use std::sync::Arc;

use crate::generation::Semantics;
use crate::limits;
use crate::pattern::backtrack::code::Code;
use crate::pattern::backtrack::live::{self, Live};
use crate::pattern::backtrack::run::{self, Manner, Search};
use crate::pattern::linear::lower::Lowering;
use crate::pattern::linear::program::Program;
use crate::pattern::syntax::analysis::{self, Facts};
use crate::pattern::syntax::approximate;
use crate::pattern::syntax::charset::CharSet;
use crate::pattern::syntax::ending::{self, Ending};
use crate::pattern::syntax::error::PatternError;
use crate::pattern::syntax::parse::{self, Flags};
use crate::pattern::syntax::sticky;
use crate::pattern::syntax::tree::{Node, Tree};
use crate::pattern::verdict::Verdict;
use crate::text::JsString;

/// The most states one pattern may have in the automaton; larger ones are left to the backtracker.
const MAX_STATES: u64 = limits::PATTERN_STATES as u64;

/// How deep look-arounds may nest in the automaton.
const MAX_LOOKS: u32 = limits::PATTERN_LOOKS as u32;

/// How a pattern is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// Whether a leading group of only `i`, `m`, `s` letters sets flags for the whole pattern (engine.md E4.1). Agents
    /// of early generations compile the text as it stands.
    pub leading_flags: bool,
    /// Whether a pattern of nothing but look-aheads for the whole buffer is tried at its start only
    /// (generation-v4.md W4.2).
    pub sticky_look_aheads: bool,
}

impl CompileOptions {
    /// As a generation compiles.
    pub fn of(semantics: &Semantics) -> Self {
        Self { leading_flags: semantics.leading_flags, sticky_look_aheads: semantics.sticky_look_aheads }
    }
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self { leading_flags: true, sticky_look_aheads: false }
    }
}

/// A compiled condition; cheap to clone.
#[derive(Clone)]
pub struct Pattern(Arc<Inner>);

struct Inner {
    source: JsString,
    facts: Facts,
    ending: Ending,
    code: Code,
    first: Option<CharSet>,
    linear: Option<Linear>,
    sticky_alternatives: bool,
}

/// What the automaton is built from.
pub(crate) struct Linear {
    pub(crate) tree: Tree,
    root: Facts,
    /// Whether each new match shows up as a new match here. It does not where a look-around with back-references had to
    /// be left out: that can come true later.
    pub(crate) tells_all: bool,
}

impl Linear {
    pub(crate) fn root(&self) -> Facts {
        self.root
    }

    /// Facts about all nodes. They take more room than the tree, and are wanted once or never.
    pub(crate) fn facts(&self) -> Vec<Facts> {
        analysis::facts(&self.tree)
    }

    fn of(mut tree: Tree, tells_all: bool) -> Option<Self> {
        let root = analysis::facts(&tree)[tree.root];
        if root.size > MAX_STATES || root.looks > MAX_LOOKS {
            return None;
        }
        // Only errors point into the source.
        tree.spans = Vec::new();
        tree.nodes.shrink_to_fit();
        tree.sets.shrink_to_fit();
        Some(Self { tree, root, tells_all })
    }
}

impl Pattern {
    /// Compiles `source` as the agent does: ECMAScript without the `u` and `v` flags (engine.md E4.1).
    ///
    /// # Errors
    /// The source is no such expression, or it is larger than this tool evaluates.
    pub fn compile(source: &JsString, options: CompileOptions) -> Result<Self, PatternError> {
        let units = source.units();
        let (start, flags) = if options.leading_flags { leading_flags(units) } else { (0, Flags::default()) };
        let mut tree = parse::parse(units, start, flags)?;
        let is_sticky = options.sticky_look_aheads && sticky::is_whole_buffer(&units[start..]);
        let sticky_alternatives = is_sticky && sticky::has_alternatives(&tree);
        if is_sticky {
            tree = sticky::at_start(tree);
        }
        let all = analysis::facts(&tree);
        let facts = all[tree.root];
        let first = analysis::first_units(&tree, &all);
        let ending = if facts.end_sensitive { ending::of(&tree, &all) } else { Ending::Settled };
        let code = Code::new(&tree, &all);
        let tells_all =
            !tree.nodes.iter().any(|node| matches!(node, Node::Look { child, .. } if all[*child].back_references));
        let linear = if facts.back_references { approximate::without_references(&tree) } else { tree };
        let linear = Linear::of(linear, tells_all);
        Ok(Self(Arc::new(Inner { source: source.clone(), facts, ending, code, first, linear, sticky_alternatives })))
    }

    /// Whether both are clones of one compiled condition.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The source as given.
    pub fn source(&self) -> &JsString {
        &self.0.source
    }

    /// Whether the pattern matches every text, since it can match the empty text anywhere.
    pub fn matches_everything(&self) -> bool {
        self.0.facts.free_empty
    }

    /// What text to come can do to a match at the end of the text so far. What a test
    /// looks at may be text that the match demands anyway, as in `\bfoo`: then nothing can undo it.
    pub fn ending(&self) -> Ending {
        self.0.ending
    }

    /// Whether the pattern is left to the step-counted backtracker: it has back-references, or is too large for the
    /// automaton. Only such a pattern can be [`crate::pattern::Verdict::Undecided`].
    pub fn needs_backtracking(&self) -> bool {
        self.0.facts.back_references || self.0.linear.is_none()
    }

    /// Whether the pattern is tried at the start of the text only ([`CompileOptions::sticky_look_aheads`]) and has an
    /// alternative that could match further on.
    pub fn has_sticky_alternatives(&self) -> bool {
        self.0.sticky_alternatives
    }

    /// Decides one whole text by backtracking, with `steps` steps at most: slower than a [`crate::pattern::Scanner`], and
    /// independent of it.
    pub fn test(&self, text: &[u16], steps: u64) -> Verdict {
        live::whole(&self.0.code, self.0.first.as_ref(), text, &mut steps.clone())
    }

    /// What the automaton is built from: the pattern itself, or, when it has back-references, an over-approximation.
    /// Nothing when it is too large.
    pub(crate) fn linear(&self) -> Option<&Linear> {
        self.0.linear.as_ref()
    }

    /// A program of this pattern alone, which tells of its matches by this number.
    pub(crate) fn program(&self, number: u32) -> Program {
        let mut lowering = Lowering::new();
        if let Some(linear) = self.linear() {
            lowering.add(number, &linear.tree, &linear.facts());
        }
        lowering.finish()
    }

    /// The leftmost match, by backtracking.
    pub(crate) fn search(&self, text: &[u16], manner: Manner, budget: &mut u64) -> Search {
        run::search(&self.0.code, self.0.first.as_ref(), text, manner, budget)
    }

    /// Decides a text that begins with the one read before, by backtracking.
    pub(crate) fn advance(&self, live: &mut Live, text: &[u16], budget: &mut u64) -> Verdict {
        live.advance(&self.0.code, self.0.first.as_ref(), text, budget)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Pattern").field(&self.0.source).finish()
    }
}

/// A leading `(?` + `i`, `m`, `s` letters + `)`: its length, and the flags.
fn leading_flags(source: &[u16]) -> (usize, Flags) {
    let mut flags = Flags::default();
    let letter = |index: usize| source.get(index).and_then(|&unit| char::from_u32(u32::from(unit)));
    if (letter(0), letter(1)) == (Some('('), Some('?')) {
        for at in 2.. {
            match letter(at) {
                Some('i') => flags.ignore_case = true,
                Some('m') => flags.multiline = true,
                Some('s') => flags.dot_all = true,
                Some(')') if at > 2 => return (at + 1, flags),
                _ => break,
            }
        }
    }
    (0, Flags::default())
}
