//! Conditions with ECMAScript meaning over UTF-16 code units (engine.md E4, matching.md).
//!
//! A [`Pattern`] is one compiled condition. A [`PatternSet`] joins the conditions of a rule set; a [`Scanner`] holds
//! the mutable caches of one worker and reads [`Buffer`]s, the texts that deltas extend or replace. After each delta
//! [`Scanner::verdicts`] tells which patterns match the text so far, with its end as the end of input.
//!
//! `syntax` reads what a pattern says. Patterns without back-references run in the one automaton of `linear`. Patterns
//! with back-references, and those too large, run on the step-counted engine of `backtrack`, behind a gate that the
//! automaton of an over-approximation opens.
//!
//! For the linter there are three questions more: what text to come can undo ([`Ending`]), what a backtracking engine
//! pays (`cost`), and whether any text can match (`reach`). For people who ask why nothing matched, there is one: how far a text got (`nearness`).

mod backtrack;
mod buffer;
mod chunk;
mod compile;
mod cost;
mod hash;
mod linear;
mod mask;
mod nearness;
mod reach;
mod scanner;
mod set;
mod syntax;
mod verdict;

pub use buffer::Buffer;
pub use chunk::ChunkDependence;
pub use compile::{CompileOptions, Pattern};
pub use cost::{Attack, Cost};
pub use mask::PatternMask;
pub use nearness::{Nearness, Wanted};
pub use reach::Texts;
pub use scanner::Scanner;
pub use set::PatternSet;
pub use syntax::ending::Ending;
pub use syntax::error::{PatternError, PatternErrorKind};
pub use verdict::Verdict;
