//! The agent without a model: it answers from a script, in virtual time, and obeys what it is told.
//!
//! [`ScriptedAgent`] plays prompts and the replies of a [`Script`] as [`AgentEvent`](crate::message::AgentEvent)s in the
//! order of session.md S8.5. What a host sees of it, and of every other agent that plays a run, is [`Agent`]. It knows nothing of rules: it is told to abort, to continue, to deliver a follow-up. It
//! keeps no memory of the conversation and writes nothing.

mod finished;
mod occurrence;
mod partial;
mod retry;
mod run;
mod script;
mod source;
mod tools;

pub use finished::{Abort, CallScope, aborted_message, placeholder, stopped};
pub use occurrence::{Agent, Due, Occurrence, Step};
pub use partial::{Partial, cut_call};
pub use retry::WholeReply;
pub use run::ScriptedAgent;
pub use script::{
    CallRef, Chunks, DEFAULT_CHUNK, Failure, Part, PartContent, Script, ScriptReply, ScriptedHandoff, ScriptedResult,
};
pub use source::{EndOfScript, ScriptSource};
