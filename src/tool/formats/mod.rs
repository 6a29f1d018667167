//! The edit formats, each one in the file of its name, and what the agent's generations make of them (engine.md E6.2,
//! E11 G10-G12).
//!
//! A format reads lines: [`lines::LineFormat`] says what they mean, [`lines::LineDriver`] hands on each unit of a text
//! that grows once, and [`sections::Sections`] holds what each file receives. `replace` and `write` show one argument
//! as it is and need no format.

pub(in crate::tool) mod apply_patch;
pub(in crate::tool) mod growing;
pub(in crate::tool) mod hashline;
pub(in crate::tool) mod lines;
pub(in crate::tool) mod patch;
pub(in crate::tool) mod sections;
pub(in crate::tool) mod sloppy;
pub(in crate::tool) mod without_entries;
