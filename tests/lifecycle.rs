//! The coordinator against the reference's traces, generation by generation.

mod reminders;
mod traces;
