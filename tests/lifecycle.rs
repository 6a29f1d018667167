//! The coordinator against the reference, generation by generation.

mod hand_derived;
mod host;
mod reminders;
mod traces;
