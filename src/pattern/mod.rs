//! Conditions with ECMAScript meaning over UTF-16 code units (engine.md E4, performance.md sections 2 and 3).
//!
//! A [`Pattern`] is one compiled condition. A [`PatternSet`] joins the conditions of a rule set; a [`Scanner`] holds
//! the mutable caches of one worker and reads [`Buffer`]s, the texts that deltas extend or replace. After each delta
//! [`Scanner::verdicts`] tells which patterns match the text so far, with its end as the end of input.

mod error;
mod scanner;

pub use error::{PatternError, PatternErrorKind};
pub use scanner::{Buffer, ChunkDependence, CompileOptions, Pattern, PatternSet, Scanner, Verdict};
