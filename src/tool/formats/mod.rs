//! The edit formats, each one in the file of its name, and what the agent's generations make of them (engine.md E6.2,
//! E11 G10-G12).
//!
//! A format reads lines: [`lines::LineFormat`] says what they mean, [`lines::LineDriver`] hands on each unit of a text
//! that grows once, and [`sections::Sections`] holds what each file receives. `replace` and `write` show one argument
//! as it is and need no format.

pub(crate) mod apply_patch;
pub(crate) mod growing;
pub(crate) mod hashline;
pub(crate) mod lines;
pub(crate) mod patch;
pub(crate) mod sections;
pub(crate) mod sloppy;
pub(crate) mod without_entries;
