//! The coordinator against the reference, generation by generation.

mod explanations;
mod hand_derived;
mod host;
mod interleavings;
mod listeners;
mod reminders;
mod traces;
