//! What the agent does, and this tool with it: the chapters that the code cites, and how to work on it.
//!
//! A citation such as `engine.md E7.5` names a section of the chapter [`engine`]; `cli.md` is [`command_line`],
//! `generation-v4.md` [`generation_v4`].

#[doc = include_str!("command_line.md")]
pub mod command_line {}
#[doc = include_str!("engine.md")]
pub mod engine {}
#[doc = include_str!("generation_v4.md")]
pub mod generation_v4 {}
#[doc = include_str!("handoff.md")]
pub mod handoff {}
#[doc = include_str!("matching.md")]
pub mod matching {}
#[doc = include_str!("session.md")]
pub mod session {}

#[doc = include_str!("changelog.md")]
pub mod changelog {}
#[doc = include_str!("contributing.md")]
pub mod contributing {}
