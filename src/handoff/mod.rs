//! From a transcript to a new session that carries its handoff document (handoff.md).
//!
//! [`run`] takes a [`Process`] (the old session and what the agent holds in memory) through the guards, the request,
//! the generation, the capture and the switch, and gives a [`Report`]; the process then holds the sessions to be written.
//! Nothing here touches a file. Which of the five generations is followed is a [`Pipeline`](crate::generation::Pipeline).

mod capture;
mod compaction;
mod generation;
mod guard;
mod judge;
mod process;
mod replies;
mod reply;
mod report;
mod request;
mod run;
mod state;
mod unfinished;

#[cfg(feature = "internals")]
pub use capture::wrap_summary;
pub use capture::{CLOSING_SENTENCE, CLOSING_TAG, context_message, headings_found, headings_missing};
pub use compaction::{KeptTail, kept_tail};
pub use generation::{ABORTED_BY_SESSION, GenerationError, Model, ToolChoice, generate};
pub use guard::{Count, Refusal, check};
pub use judge::{Generated, Judgement, ReplyEnd, Status, Stop, Verdict, Written, judge};
pub use process::{Process, Queues, Rules};
pub use report::{DocumentOrigin, NewSession, Report, SourceInfo};
#[cfg(feature = "internals")]
pub use request::{FOCUS_LABEL, HEADINGS};
pub use request::{request_text, required_headings};
pub use run::{Answer, Options, Watch, run};
pub use state::{Event, Machine, State, Step, WrongTransition};
