//! The forms of the first generation, `ttsr.…/1`: members are added, none are renamed.

pub mod change;
pub mod check;
pub mod files;
pub mod report;
pub mod trace;
