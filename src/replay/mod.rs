//! The loop that runs engine, coordinator, agent and session together.
//!
//! A [`Plan`] holds what all inputs share: rules, settings, generation, how to cut. It plays recorded sessions and
//! event streams, whole texts and scripts, and sends each decision to a [`TraceSink`].

mod assumed;
pub mod change;
mod examples;
pub mod files;
mod followed;
mod handed_off;
mod plan;
mod recorded;
mod recording;
mod text_turn;
mod verify;

pub use crate::host::{Journal, TraceSink, trace};
pub use assumed::Assumed;
#[cfg(feature = "internals")]
pub use examples::run_examples;
pub use examples::{Example, Examples, Moment, Verdict, run_examples_of};
pub use plan::{Plan, Report, Resumed, RuleLine};
pub use text_turn::TextInput;
