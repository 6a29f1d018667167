//! `ttsr`: stream rules of coding agents, replayed, linted and audited.
//!
//! A library that does everything and never prints, and a binary that calls [`cli::run`].
//!
//! The chapters of [`behaviour`] say what the agent does and what the code cites.
//!
//! **The way of a delta**: `stream` or `history` reads it from a recording, or `agent` says it from a script; `host` hands
//! it to `lifecycle`, which knows the message and, for a call, asks `tool` what it shows; `engine` appends it to its
//! buffer and asks `pattern` and `ast`; what matches goes back to `lifecycle`, which decides, and `host` acts: it aborts,
//! injects, schedules, writes and tells of it.
//!
//! **The way of an entry**: `session` indexes a file and reads entries on demand; `history` makes turns of a branch;
//! `host` writes what follows through `session`'s store; `audit` looks at what is recorded.
//!
//! | layer | modules | may know |
//! |---|---|---|
//! | L0 | [`text`], [`diagnostic`], [`generation`], [`runtime`], [`settings`], [`clock`], [`files`], [`interrupt`], [`limits`] | `std`, serde; diagnostic may use text |
//! | L1 | [`pattern`], [`glob`], [`ast`], [`message`], [`builtin`] | L0 |
//! | L2 | [`rule`], [`session`], [`stream`], [`tool`] | L0 to L1 |
//! | L3 | [`history`] | L2 and below |
//! | L4 | [`foreign`] | L3 and below |
//! | L5 | [`engine`] | L4 and below |
//! | L6 | [`judge`] | L5 and below |
//! | L7 | [`lifecycle`], [`agent`] | lifecycle: engine, judge, tool; agent: stream, session, tool |
//! | L8 | [`host`] | L7 and below |
//! | L9 | [`handoff`] | L8 and below |
//! | L10 | [`replay`] | L9 and below: a script hands off between prompts |
//! | L11 | [`audit`], [`corpus`] | L10 and below |
//! | L12 | [`output`] | reports of all of them |
//! | L13 | [`cli`] | everything |

#![cfg_attr(not(feature = "internals"), expect(unused_imports, reason = "the rooms re-export what only tests name"))]
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod behaviour;
pub mod cli;
mod facade;

pub use facade::{Audit, Error, Finding, Injection, Replay, Rules, Trigger};
pub use generation::Lifecycle;
pub use lifecycle::Decision;
pub use message::Source;
pub use rooms::diagnostic::Severity;

// The rooms are nobody's business outside of this package; its own tests and benches see them by the feature.
#[cfg(feature = "internals")]
pub use rooms::*;
#[cfg(not(feature = "internals"))]
use rooms::*;

#[path = "."]
mod rooms {
    pub mod agent;
    pub mod ast;
    pub mod audit;
    pub mod builtin;
    pub mod clock;
    pub mod corpus;
    pub mod diagnostic;
    pub mod engine;
    pub mod files;
    pub mod foreign;
    pub mod generation;
    pub mod glob;
    pub mod handoff;
    pub mod history;
    pub mod host;
    pub mod interrupt;
    pub mod judge;
    pub mod lifecycle;
    pub mod limits;
    pub mod message;
    pub mod output;
    pub mod pattern;
    pub mod replay;
    pub mod rule;
    pub mod runtime;
    pub mod session;
    pub mod settings;
    pub mod stream;
    pub mod text;
    pub mod tool;
}
