//! Event streams of a run: read, written, and made again from recorded whole messages.
//!
//! [`EventReader`] turns the agent's JSON or RPC event lines into [`AgentEvent`](crate::message::AgentEvent)s with
//! their place; [`Chunker`] makes such events of a message that a session keeps whole; [`EventWriter`] writes events
//! in the agent's own form. Nothing here decides whether a rule fires, and nothing builds messages.

mod chunker;
mod detect;
mod envelope;
mod frame;
mod item;
mod look_ahead;
mod reader;
mod writer;

pub use chunker::{ChunkMode, Chunker, InvalidChunkMode};
pub use detect::{InputKind, detect};
pub use item::{Item, Origin, StreamHeader, StreamItem};
pub use reader::{EventReader, StreamCounts};
pub use writer::EventWriter;
