//! `ttsr`: stream rules of coding agents, replayed, linted and audited.
//!
//! A library that does everything and never prints, and a binary that calls [`cli::run`].
//!
//! | layer | modules | may know |
//! |---|---|---|
//! | L0 | [`text`], [`diagnostic`], [`settings`], [`clock`] | `std`, serde; diagnostic may use text |
//! | L1 | [`pattern`], [`glob`], [`ast`], [`message`] | L0 |
//! | L2 | [`rule`], [`session`], [`stream`], [`tool`] | L0 to L1 |
//! | L3 | [`engine`] | L2 and below |
//! | L4 | [`judge`] | L3 and below |
//! | L5 | [`lifecycle`], [`agent`] | lifecycle: engine, judge, tool; agent: stream, session |
//! | L6 | [`replay`], [`handoff`] | L5 and below |
//! | L7 | [`audit`] | L6 and below |
//! | L8 | [`output`] | reports of all of them |
//! | L9 | [`cli`] | everything |

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod agent;
pub mod ast;
pub mod audit;
pub mod cli;
pub mod clock;
pub mod diagnostic;
pub mod engine;
pub mod glob;
pub mod handoff;
pub mod judge;
pub mod lifecycle;
pub mod message;
pub mod output;
pub mod pattern;
pub mod replay;
pub mod rule;
pub mod session;
pub mod settings;
pub mod stream;
pub mod text;
pub mod tool;
