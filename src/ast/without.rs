//! AST conditions in a build without grammars: nothing is decided, and what the agent would have looked at is told.

use super::language::{Resolved, resolve};
use super::outcome::Outcome;
use crate::text::JsString;

/// The last source of one buffer key.
#[derive(Debug, Default)]
pub struct Snapshot {
    units: Option<Vec<u16>>,
}

impl Snapshot {
    /// No snapshot yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the last run was on this very text (engine.md E5.4: then the reference returns nothing).
    pub fn holds(&self, source: &[u16]) -> bool {
        self.units.as_deref() == Some(source)
    }
}

/// Whether the rules have patterns.
#[derive(Debug)]
pub struct AstSet {
    rules: Vec<bool>,
}

impl AstSet {
    /// One list of patterns a rule; a rule is addressed by its index. Blank patterns never match.
    pub fn new(rules: Vec<Vec<JsString>>) -> Self {
        let has_pattern = |patterns: Vec<JsString>| patterns.iter().any(|pattern| !pattern.trim().is_empty());
        Self { rules: rules.into_iter().map(has_pattern).collect() }
    }

    /// Gives one outcome a candidate (rule indices), in order: [`Outcome::NoGrammar`] where the agent would look for a
    /// pattern.
    pub fn run(
        &mut self,
        snapshot: &mut Snapshot,
        alias: &JsString,
        source: &[u16],
        _unchanged: usize,
        candidates: &[usize],
    ) -> Vec<Outcome> {
        snapshot.units = Some(source.to_vec());
        let is_refused = resolve(alias) == Resolved::Refused;
        let outcome = |rule: &usize| match self.rules.get(*rule) {
            Some(true) if !is_refused => Outcome::NoGrammar,
            _ => Outcome::NoMatch,
        };
        candidates.iter().map(outcome).collect()
    }
}

/// Why a pattern does not compile: without a grammar that is never known.
pub fn check_pattern(_alias: &JsString, _pattern: &JsString) -> Option<String> {
    None
}
