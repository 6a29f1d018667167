//! What a tool call means to a rule: which files it touches and which text it introduces (engine.md E6).
//!
//! A [`CallReader`] takes the argument text of one call as it streams, reads each unit once, and answers after
//! each delta with a [`Step`]. Digests say how much of them is unchanged, so that buffers are extended and
//! not filled again. What cannot be reproduced yields a [`Note`], never a silent absence.

mod atom;
mod call;
mod digest;
mod formats;
mod mode;
mod open_string;
mod partial;
mod path_list;
pub mod paths;

pub use call::{ArgumentMode, CallReader, Digest, EditMode, Entry, Inspection, Note, ReadOptions, Step, ToolKind};
