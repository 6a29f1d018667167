//! What a tool call means to a rule: which files it touches and which text it introduces (engine.md E6).
//!
//! A [`CallReader`] takes the argument text of one call as it streams, reads each unit once, and answers after
//! each delta with a [`Step`]. Digests say how much of them is unchanged, so that buffers are extended and
//! not filled again. What cannot be reproduced yields a [`Note`], never a silent absence.

mod atom;
mod call;
mod digest;
mod edit_mode;
mod formats;
mod inspection;
mod open_string;
mod partial;
mod path_list;
pub mod paths;

pub use call::{ArgumentMode, CallReader, ReadOptions};
pub use edit_mode::EditMode;
pub use inspection::{Digest, Entry, Inspection, Note, Step, ToolKind};
