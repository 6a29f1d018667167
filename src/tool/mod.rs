//! What a tool call means to a rule: which files it touches and which text it introduces (engine.md E6).
//!
//! A [`CallReader`] takes the argument text of one call as it streams, reads each unit once, and answers after
//! each delta with an [`Inspection`]. Digests say how much of them is unchanged, so that buffers are extended and
//! not filled again. What cannot be reproduced yields a [`Note`], never a silent absence.

mod apply_patch;
mod atom;
mod call;
mod digest;
mod growing;
mod hashline;
mod lines;
mod mode;
mod open_string;
mod partial;
mod patch;
mod path_list;
pub mod paths;
mod sections;
mod sloppy;

pub use call::{ArgumentMode, CallReader, Digest, EditMode, Entry, Inspection, Note, ReadOptions, ToolKind};
