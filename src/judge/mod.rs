//! Judged rules without a judge (generation-v4.md W5 to W7, W15): the outputs of a finished message, which rules a judge
//! is asked about each of them, and verdicts that somebody else has given.
//!
//! Nothing here asks a model. [`asks`] says what would be asked; a [`Verdict`] comes from the host, which may look it up
//! among [`Verdicts`]. What follows from it is the coordinator's business.

mod asks;
mod outputs;
mod verdicts;

pub use asks::{Ask, THRESHOLD, asks};
pub use outputs::{Output, outputs};
pub use verdicts::{Answer, Verdict, VerdictError, Verdicts};
