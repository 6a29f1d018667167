//! Matching with back-references, and finding where a match begins and ends: a backtracker that counts its steps.
//!
//! [`code`] is what it runs, [`run`] runs it. [`live`] decides a text that grows: it keeps the ways that have come to
//! the end of the text (`frontier`). Ways known to be in vain are cut (`memo`).

pub(crate) mod code;
mod frontier;
pub(crate) mod live;
mod memo;
pub(crate) mod run;
