//! Structural patterns on syntax trees (engine.md E5.7, E5.8).
//!
//! The door to ast-grep and tree-sitter: nothing of them shows outside this folder. Grammars are loaded when a run
//! needs them; one that this build lacks is told by [`support`] and [`Outcome::NoGrammar`].

mod document;
mod grammar;
mod language;
mod parse;
mod pattern;
mod prefix;
mod reuse;
mod scanner;
mod search;
mod set;
mod snapshot;

pub use language::{Support, language_of, support};
#[cfg(feature = "internals")]
pub use language::{aliases_without_grammar, grammar_aliases};
pub use set::{AstSet, Hit, Outcome, check_pattern};
pub use snapshot::Snapshot;
