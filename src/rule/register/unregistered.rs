//! [`Unregistered`]: why a rule is not registered (engine.md E2.2 to E2.5, E3.1).

use std::fmt;

use super::compile::Refusal;
use crate::text::JsString;

/// Why a rule is not registered. Shown as a sentence without its full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unregistered {
    /// Its own `enabled: false`.
    SwitchedOff,
    /// `ttsr.disabledRules` names it.
    Disabled,
    /// It is bundled with the agent, and those are off.
    BundledOff,
    /// It is for other agents than this one.
    OtherAgent(JsString),
    /// A rule of this file has the name already.
    Shadowed(String),
    /// Its frontmatter is beyond what can be read.
    Unreadable(String),
    /// It has no name, path or body.
    Lacks(&'static str),
    /// The early generation reads another key than this one.
    OtherKey(&'static str),
    /// The early generation finds no key that it reads.
    NoTrigger,
    /// Its condition is there and holds nothing.
    EmptyCondition,
    /// Its question is there and holds nothing.
    EmptyQuestion,
    /// It has neither condition nor question.
    NoCondition,
    /// The engine refuses it.
    Refused(Refusal),
}

impl Unregistered {
    /// Whether a switch keeps it out, its own or one of the settings.
    pub fn is_switched_off(&self) -> bool {
        matches!(self, Self::SwitchedOff | Self::Disabled | Self::BundledOff | Self::Refused(Refusal::Disabled))
    }
}

impl fmt::Display for Unregistered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SwitchedOff => formatter.write_str("switched off by `enabled: false`"),
            Self::Disabled => formatter.write_str("named in `ttsr.disabledRules`"),
            Self::BundledOff => formatter.write_str("bundled, and `ttsr.builtinRules` is false"),
            Self::OtherAgent(agent) => write!(formatter, "not for the agent `{agent}`"),
            Self::Shadowed(by) => write!(formatter, "shadowed by {by}"),
            Self::Unreadable(why) => write!(formatter, "its frontmatter cannot be read: {why}"),
            Self::Lacks(what) => write!(formatter, "it has no {what}"),
            Self::OtherKey(key) => write!(formatter, "v1 reads `ttsr_trigger` only, not `{key}`"),
            Self::NoTrigger => formatter.write_str("no `ttsr_trigger`"),
            Self::EmptyCondition => formatter.write_str("its condition is empty or no text"),
            Self::EmptyQuestion => formatter.write_str("its question is empty or no text"),
            Self::NoCondition => formatter.write_str("no condition"),
            Self::Refused(refusal) => refusal.fmt(formatter),
        }
    }
}
