//! The forms of the first generation, `ttsr.…/1`: members are added, none are renamed.

mod course;
pub mod session;
pub mod sessions;
