//! The forms of the first generation, `ttsr.…/1`: members are added, none are renamed.

pub mod baseline;
pub mod change;
pub mod check;
mod course;
pub mod files;
pub mod report;
pub mod session;
pub mod sessions;
pub mod trace;
