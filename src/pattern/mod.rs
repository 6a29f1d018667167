//! Conditions with ECMAScript meaning over UTF-16 code units (engine.md E4, performance.md sections 2 and 3).
//!
//! A [`Pattern`] is one compiled condition. A [`PatternSet`] joins the conditions of a rule set; a [`Scanner`] holds
//! the mutable caches of one worker and reads [`Buffer`]s, the texts that deltas extend or replace. After each delta
//! [`Scanner::verdicts`] tells which patterns match the text so far, with its end as the end of input.
//!
//! The parser (`parse`, `group`, `escape`) gives a tree (`syntax`); `analysis` gathers facts about it. Patterns without
//! back-references are lowered (`lower`) to one joint `program`, whose steps (`step`, `threads`) a lazily built
//! `automaton` remembers. Patterns with back-references, and those too large, run on the step-counted `backtrack`er,
//! behind a gate that the automaton of an over-approximation (`approximate`) opens. It keeps the ways that have come to the
//! end of the text (`live`, `frontier`) and cuts those known to be in vain (`memo`, `liveness`).
//!
//! For the linter there are two questions more: what text to come can undo (`ending`), and what a backtracking engine
//! pays (`cost`, by texts that `ambiguity` finds). For people who ask why nothing matched, there is one: how far a text
//! got (`nearness`).

mod ambiguity;
mod analysis;
mod approximate;
mod automaton;
mod backtrack;
mod backtrack_code;
mod backtrack_end;
mod backtrack_repeat;
mod buffer;
mod charset;
mod chunk;
mod compile;
mod cost;
mod ending;
mod error;
mod escape;
mod fold;
mod frontier;
mod group;
mod hash;
mod live;
mod liveness;
mod lower;
mod mask;
mod memo;
mod nearness;
mod parse;
mod program;
mod scanner;
mod set;
mod step;
mod sticky;
mod syntax;
mod threads;
mod unit_set;

pub use buffer::Buffer;
pub use chunk::ChunkDependence;
pub use compile::{CompileOptions, Pattern};
pub use cost::{Attack, Cost};
pub use ending::Ending;
pub use error::{PatternError, PatternErrorKind};
pub use mask::PatternMask;
pub use nearness::{Nearness, Wanted};
pub use scanner::{Scanner, Verdict};
pub use set::PatternSet;
