//! The coordinator against the reference, generation by generation.

mod explanations;
mod hand_derived;
pub(crate) mod host;
mod interleavings;
mod listeners;
pub(crate) mod reminders;
mod traces;
