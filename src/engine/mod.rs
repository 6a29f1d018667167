//! The rule manager: buffers, gates, repeat ledger, checks (engine.md E5, E8).
//!
//! It says which rules match a text. What follows from a match is the coordinator's business.

mod check;
mod context;
mod excerpt;
mod explain;
mod judged;
mod ledger;
mod manager;
mod streams;
mod warm;

pub use check::{By, Check, Explanation, Gate, Hit, Match, Subject, Undecided};
pub use context::Context;
pub use explain::{Closest, Searched};
pub use judged::Asked;
pub use ledger::{Ledger, Record};
pub use manager::Manager;
pub use warm::Warm;
