//! Event streams of a run: read, written, and made again from recorded whole messages.
//!
//! [`EventReader`] turns the agent's JSON or RPC event lines into [`AgentEvent`](crate::message::AgentEvent)s with
//! their place; [`Chunker`] makes such events of a message that a session keeps whole; [`EventWriter`] writes events
//! in the agent's own form. Nothing here decides whether a rule fires, and nothing builds messages.
//!
//! Nearly all of a stream is deltas: their lines are told by their form (`line`), and they go on borrowed ([`Delta`]),
//! into one row per message ([`Events`]) and out of it.

mod chunker;
mod delta;
mod detect;
mod envelope;
mod events;
mod frame;
mod item;
mod line;
mod log;
mod look_ahead;
mod reader;
mod writer;

pub use chunker::{ChunkMode, Chunker, Cutter, InvalidChunkMode, Piece};
pub use delta::Delta;
pub use detect::{InputKind, detect};
pub use events::{Events, Player};
pub use item::{Item, Origin, StreamHeader, StreamItem};
pub use reader::{EventReader, Read, StreamCounts};
pub use writer::EventWriter;
