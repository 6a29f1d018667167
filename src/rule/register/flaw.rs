//! [`Flaw`]: what registration leaves out of a rule, or why it refuses it; `rule::lint` says it.

use crate::pattern::PatternError;
use crate::text::JsString;

/// One thing that is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A condition that does not compile, so that the agent skips it.
    InvalidCondition {
        /// The condition.
        source: JsString,
        /// Why.
        error: PatternError,
        /// Whether the generation knows flags at the start of a condition.
        leading_flags: bool,
    },
    /// A condition that the agent compiles and this program does not evaluate.
    ConditionBeyondLimits {
        /// The condition.
        source: JsString,
        /// The limit.
        error: PatternError,
    },
    /// None of several conditions compiles.
    NoValidCondition {
        /// How many there are.
        count: usize,
    },
    /// A token of the scope that means nothing, so that the agent skips it.
    InvalidScopeToken {
        /// The token.
        token: JsString,
    },
    /// No token of the scope means anything.
    UnreachableScope,
    /// An earlier rule has the name.
    Shadowed {
        /// The file of that rule.
        by: String,
    },
    /// The agent drops the rule for want of something that every rule has.
    Lacks {
        /// What it is, in a word.
        what: &'static str,
    },
}
