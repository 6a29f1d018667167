//! The host of every run: one loop of agent, coordinator, clock and store (engine.md E7, session.md S5.6).
//!
//! A [`Run`] is the rules' side: decisions, virtual time, what is written, the trace. A [`Host`] plays an
//! [`Agent`](crate::agent::Agent) under it, be it scripted or recorded. Messages at an abort, placeholder results,
//! reminders, details and the order of persisted entries are made here and nowhere else.

mod drive;
mod journal;
mod observed;
mod reminder;
mod run;
mod sink;
mod totals;
pub mod trace;
mod whole;

pub use drive::{Host, Progress};
pub use journal::Journal;
pub use observed::{Batch, Observed, distinct};
pub use reminder::injected_message;
pub use run::Judge;
pub use run::{Effects, Run};
pub use sink::TraceSink;
