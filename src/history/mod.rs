//! What happened in a recording: the one reading of sessions and event streams (session.md S9.4 to S9.4f).
//!
//! A session's branch ([`BranchHistory`]) and an event stream ([`StreamHistory`]) become the same list of [`Step`]s:
//! prompts, assistant messages with their results and with every record of an injection, entries between, ends of
//! processes. How a message ended and what became of a call is read off it by [`crate::message`]. Replay, its
//! comparison, resuming and inspection look at nothing else.

mod branch;
pub mod marks;
mod pi;
mod stream;
mod turn;

pub use branch::{BranchHistory, Cut};
pub use stream::StreamHistory;
pub use turn::{
    Announced, LateHalf, Record, RecordedEntry, RecordedFold, Reminder, Step, Turn, fold_of, without_reminders,
};
