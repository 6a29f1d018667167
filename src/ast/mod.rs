//! Structural patterns on syntax trees (engine.md E5.7, E5.8).
//!
//! The door to ast-grep: nothing of it shows outside this folder.

mod language;
mod set;

pub use language::{Support, language_of, support};
pub use set::{AstSet, Hit, Outcome, Snapshot, check_pattern};
