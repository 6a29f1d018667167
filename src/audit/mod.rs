//! What a session file really holds: injections, the evidence for each, and what does not add up
//! (session.md S10).
//!
//! The audit reads; it decides nothing about rules and writes nothing. Its cost is one pass over the bytes of the file,
//! which looks for what they name, and a look at the payload of the few entries that concern rules. What many sessions
//! come to together is [`Survey`]'s, which keeps sums; what an answer made of its reminder would be one more of them.

mod check;
mod compare;
mod follow;
pub mod lineage;
mod lookalike;
mod report;
mod state;
mod subject;
mod survey;
mod tag;
mod timeline;
mod turns;

pub use compare::{Aspect, Comparison, compare};
pub use follow::{Follow, FollowedRule, Passage, Repetition};
pub use lookalike::lookalike;
pub use report::{AuditReport, ChangedRule, Injection, JudgeTotals, MessageTotals, Reminder, RuleSummary};
pub use state::{RuleState, Standing, State};
pub use subject::{Evidence, EvidenceKind, Named};
pub use survey::{CodeTotals, DisabledRule, ProjectTotals, Refused, RuleLife, Seen, Survey, Wording};
pub use tag::{Tag, tags};
pub use timeline::{Moment, MomentKind};

use crate::generation::Semantics;
use crate::session::{Session, SessionError};
use crate::settings::Settings;
use crate::text::JsString;

/// A rule that the session's names are compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownRule {
    /// The name.
    pub name: JsString,
    /// The content that a reminder shows.
    pub content: JsString,
}

/// What an audit depends on besides the session.
#[derive(Clone, Debug)]
pub struct AuditOptions<'a> {
    /// The settings whose repeat policy is checked.
    pub settings: &'a Settings,
    /// The generation: the early one persists and restores nothing.
    pub semantics: &'a Semantics,
    /// The rules to resolve names with, when given.
    pub rules: Option<&'a [KnownRule]>,
    /// The leaf, by index; the session's own when there is none.
    pub leaf: Option<usize>,
    /// Whether every leaf's branch is checked, not only the one.
    pub all_branches: bool,
    /// Whether the context is rebuilt for the report.
    pub context: bool,
    /// Whether the report tells what happened on the branch, in order.
    pub timeline: bool,
    /// The entry at which the report tells how the rules stand, by index.
    pub state_at: Option<usize>,
    /// The entry whose injection the report follows, by index.
    pub follow: Option<usize>,
}

impl<'a> AuditOptions<'a> {
    /// The defaults: the session's leaf, no rules, no context.
    pub fn new(settings: &'a Settings, semantics: &'a Semantics) -> Self {
        Self {
            settings,
            semantics,
            rules: None,
            leaf: None,
            all_branches: false,
            context: false,
            timeline: false,
            state_at: None,
            follow: None,
        }
    }
}

/// Audits a session.
///
/// # Errors
/// When the file cannot be read again, or the session was read in faithful mode and the agent raises.
pub fn audit(session: &Session, options: &AuditOptions<'_>) -> Result<AuditReport, SessionError> {
    report::build(session, options)
}
