//! Structural patterns on syntax trees (engine.md E5.7, E5.8).
//!
//! The door to ast-grep and tree-sitter: nothing of them shows outside this folder. Grammars are loaded when a run
//! needs them; one that this build lacks is told by [`support`] and [`Outcome::NoGrammar`]. A build without any has
//! neither of the two crates, and nothing of C: `without` stands in for them.

#[cfg(feature = "grammars")]
mod document;
#[cfg(feature = "grammars")]
mod grammar;
mod language;
mod outcome;
#[cfg(feature = "grammars")]
mod parse;
#[cfg(feature = "grammars")]
mod pattern;
#[cfg(feature = "grammars")]
mod prefix;
#[cfg(feature = "grammars")]
mod reuse;
#[cfg(feature = "grammars")]
mod scanner;
#[cfg(feature = "grammars")]
mod search;
#[cfg(feature = "grammars")]
mod set;
#[cfg(feature = "grammars")]
mod snapshot;
#[cfg(not(feature = "grammars"))]
mod without;

pub use language::{Support, language_of, support};
#[cfg(feature = "internals")]
pub use language::{aliases_without_grammar, grammar_aliases};
pub use outcome::{Hit, Outcome};
#[cfg(feature = "grammars")]
pub use set::{AstSet, check_pattern};
#[cfg(feature = "grammars")]
pub use snapshot::Snapshot;
#[cfg(not(feature = "grammars"))]
pub use without::{AstSet, Snapshot, check_pattern};
