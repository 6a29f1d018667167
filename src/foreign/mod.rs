//! Transcripts of other coding agents as inputs of a replay.
//!
//! One adapter a format reads what its agent wrote and gives [`Happening`]s: prompts, and assistant messages as
//! `Said`, with each call finished and handed over as what it introduces in which file. [`ForeignHistory`] makes the
//! steps of a recording of them, which replay plays as its own. The formats are internal to their vendors: unknown
//! keys, types, blocks and tools are counted, never fatal.

mod claude;
mod claude_stream;
mod codex;
mod codex_exec;
mod detect;
mod gemini;
mod history;
mod lines;
mod model;
mod opencode;
mod tools;

pub use detect::{Detected, Format, detect};
pub use history::ForeignHistory;
pub use model::{Adapter, Facts, Gathered as Nothing, Happening, Options};

use std::io::{self, Read, Seek};

/// What is read: files are sought in, everything else is held.
pub trait Input: Read + Seek + Send {}
impl<T: Read + Seek + Send> Input for T {}

/// The adapter of a format.
///
/// # Errors
/// When the input cannot be read.
pub fn open(format: Format, input: Box<dyn Input>, options: Options) -> io::Result<Box<dyn Adapter>> {
    Ok(match format {
        Format::Claude => Box::new(claude::Session::open(input, options)?),
        Format::ClaudeStream => Box::new(claude_stream::Stream::new(input, options)),
        Format::Codex => Box::new(codex::Rollout::new(input, options)),
        Format::CodexExec => Box::new(codex_exec::Events::new(input)),
        Format::Opencode => Box::new(opencode::Export::open(input, options)?),
        Format::Gemini => Box::new(gemini::Chat::open(input, options)?),
    })
}
