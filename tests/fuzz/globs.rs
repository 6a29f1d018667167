#[path = "../globs/reference.rs"]
pub mod reference;
