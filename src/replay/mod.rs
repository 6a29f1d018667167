//! The loop that runs engine, coordinator, agent and session together.
//!
//! A [`Plan`] holds what all inputs share: rules, settings, generation, how to cut. It plays recorded sessions and
//! event streams, whole texts and scripts, and sends each decision to a [`TraceSink`].

mod examples;
mod journal;
mod observed;
mod plan;
mod play;
mod recorded;
mod run;
mod scripted;
mod session_steps;
mod sink;
mod text_turn;
pub mod trace;
mod verify;
mod whole;

pub use examples::{Example, Examples, Moment, Verdict, run_examples, run_examples_of};
pub use journal::Journal;
pub use plan::{Plan, Report, RuleLine};
pub use sink::TraceSink;
pub use text_turn::TextInput;
