//! The agent without a model: it plays scripted or recorded replies in virtual time and obeys what it is told.
//!
//! A [`ReplySource`] gives prompts and replies: [`ScriptSource`] from a [`Script`], [`Recording`] from an event stream
//! or the branch of a session. [`ScriptedAgent`] plays them as [`AgentEvent`](crate::message::AgentEvent)s, so that a
//! replay has one loop whatever its input. It knows nothing of rules: it is told to abort, to continue, to deliver a
//! follow-up, and holds no memory of the conversation.

mod branch;
mod partial;
mod recording;
mod reply;
mod run;
mod script;
mod scripted;
mod transcript;

pub use branch::Branch;
pub use recording::{Act, ActSource, Recording};
pub use reply::{After, Failure, Input, Purpose, Reply, ReplyEnd, ReplySource, ReplyStep, Results};
pub use run::{Abort, Due, Occurrence, ScriptedAgent, Step};
pub use script::{CallRef, Chunks, DEFAULT_CHUNK, Part, PartContent, Script, ScriptReply, ScriptedResult};
pub use scripted::{EndOfScript, ScriptSource, ScriptedRetries};
pub use transcript::Transcript;
