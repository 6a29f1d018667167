//! The kinds of findings: number, name, default severity, explanation, samples; and those about sessions, streams,
//! scripts, handoffs and settings. The ones about rules are `rule::lint`'s, and `output::catalogue` has them all.
//!
//! Numbers are never reused: 0xx rule files, 1xx session structure, 2xx persisted injections, 3xx streams and
//! scripts, 4xx handoff, 5xx settings and circumstances.

mod adoption;
mod handoff;
mod kind;
mod list;
mod replay;
mod session;
mod settings;
mod stream;

pub use adoption::*;
pub use handoff::*;
pub use kind::{Code, CodeInfo, SampleFile, Severity};
pub use list::all;
pub use replay::*;
pub use session::*;
pub use settings::*;
pub use stream::*;
