//! What a check finds: matches, undecided patterns, and the gates that held rules back.

use crate::message::Source;
use crate::text::JsString;

use super::Context;
use super::explain::{Closest, Searched};

/// What one check found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Check {
    /// Matching rules in registration order; with entries, file by file, so that a rule can occur twice
    /// (engine.md E5.6).
    pub matches: Vec<Match>,
    /// Patterns that could not be decided. They are reported once per buffer until the buffers are cleared.
    pub undecided: Vec<Undecided>,
}

impl Check {
    /// Adds what another check of the same batch found.
    pub fn merge(&mut self, other: Self) {
        self.matches.extend(other.matches);
        self.undecided.extend(other.undecided);
    }
}

/// A rule that matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Index among the manager's rules.
    pub rule: usize,
    /// What made it match.
    pub hit: Hit,
}

/// What made a rule match, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The rule's name.
    pub rule: JsString,
    /// The condition or structural pattern, as written; the first of the rule's list that matches.
    pub by: By,
    /// At most 80 code points around the match, `…` at cuts.
    pub excerpt: JsString,
    /// Where in the excerpt the match begins and ends, in code points, when its place is known.
    pub marked: Option<(usize, usize)>,
    /// Key of the buffer that matched, for [`Manager::buffer`](super::Manager::buffer).
    pub buffer: JsString,
    /// Length of the buffer at the check, in code units: the prefix of the block that had been seen.
    pub seen: usize,
    /// The match inside the buffer, in code units, when its place is known.
    pub span: Option<std::ops::Range<usize>>,
}

impl Hit {
    /// A judge's yes about a finished output: it is about all of the content.
    pub fn judged(rule: JsString, by: By, context: &Context, content: &[u16]) -> Self {
        let excerpt = super::excerpt::excerpt(content, &(0..0)).text;
        Self {
            rule,
            by,
            excerpt,
            marked: None,
            buffer: context.buffer_key().into_owned(),
            seen: content.len(),
            span: None,
        }
    }
}

/// What made a rule trigger.
#[derive(Clone, Debug, PartialEq)]
pub enum By {
    /// A regular expression.
    Condition {
        /// The condition as written.
        source: JsString,
        /// Its index in [`Manager::patterns`](super::Manager::patterns), for chunk dependence; beyond them for the gate
        /// of a judged rule.
        pattern: usize,
    },
    /// A structural pattern.
    Ast(JsString),
    /// The answer of a judge (generation-v4.md W6.4).
    Judged {
        /// The rule's question.
        question: JsString,
        /// How probable a yes is.
        probability: f64,
    },
}

impl By {
    /// The condition, pattern or question as written.
    pub fn source(&self) -> &JsString {
        match self {
            Self::Condition { source, .. } | Self::Ast(source) | Self::Judged { question: source, .. } => source,
        }
    }
}

/// A condition of which it cannot be said whether it matches. It is no match, and no "no match".
#[derive(Clone, Debug, PartialEq)]
pub struct Undecided {
    /// The rule's name.
    pub rule: JsString,
    /// The condition or structural pattern.
    pub by: By,
    /// Why, in a phrase.
    pub why: String,
}

/// What kept a rule from firing at a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gate {
    /// The engine is off.
    Disabled,
    /// Nothing streamed that its scope allows.
    Scope,
    /// No file that its globs allow.
    Globs,
    /// No grammar for the file.
    Language,
    /// No structural pattern matched.
    Ast,
    /// No condition matched.
    Condition,
    /// It matched, and the repeat policy held it back.
    Repeat,
}

impl Gate {
    /// The word in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Scope => "scope",
            Self::Globs => "globs",
            Self::Language => "language",
            Self::Ast => "ast",
            Self::Condition => "condition",
            Self::Repeat => "repeat",
        }
    }
}

/// Why a rule did not fire at a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The rule's name.
    pub rule: JsString,
    /// The last gate that it reached.
    pub gate: Gate,
    /// The reason, in a phrase.
    pub why: String,
    /// With [`Gate::Repeat`]: the record that closed it.
    pub record: Option<super::Record>,
    /// What was searched; none where the rule did not come that far.
    pub searched: Option<Searched>,
    /// With [`Gate::Scope`] and [`Gate::Globs`]: the globs that no path met.
    pub globs: Vec<JsString>,
    /// With [`Gate::Condition`]: where a condition came closest, where that can be told.
    pub closest: Option<Closest>,
    /// With [`Gate::Condition`]: the argument that a condition would match by itself, though rules see another text of
    /// the call; the empty name stands for the JSON text of all arguments.
    pub would_match: Option<JsString>,
}

/// What rules see of a message or call (engine.md E5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Prose.
    Text,
    /// Thinking.
    Thinking,
    /// The arguments of a call as JSON text, or as much of it as was streamed.
    Arguments,
    /// The content of a `write` call.
    Content,
    /// What an edit brings into a file.
    Added,
}

impl Subject {
    /// What a text is as far as its context tells.
    pub(super) fn of(context: &Context) -> Self {
        match context.source {
            Source::Text => Self::Text,
            Source::Thinking => Self::Thinking,
            Source::Tool => Self::Arguments,
        }
    }

    /// Whether it is something of a tool call.
    pub(super) fn is_of_a_call(self) -> bool {
        !matches!(self, Self::Text | Self::Thinking)
    }

    /// The word in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Thinking => "thinking",
            Self::Arguments => "arguments",
            Self::Content => "content",
            Self::Added => "added",
        }
    }
}
