//! What a recording says about the agent that made it.

pub mod marks;
