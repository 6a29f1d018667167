//! The forms of the first generation, `ttsr.…/1`: members are added, none are renamed.

pub mod baseline;
pub mod check;
