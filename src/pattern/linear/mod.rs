//! Matching in time that grows with the text only: all patterns of a set in one automaton, built as it is needed.
//!
//! [`lower`] makes a joint [`program`] of trees; `step` and `threads` run it one unit further; [`automaton`] remembers
//! the steps.

pub(crate) mod automaton;
pub(crate) mod lower;
pub(crate) mod program;
mod step;
mod threads;
