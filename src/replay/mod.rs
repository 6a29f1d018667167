//! The loop that runs engine, coordinator, agent and session together.

pub mod trace;
