//! [`Diagnostic`]: one finding about rule files, sessions, streams or scripts, with its place and remedy.
//!
//! Findings are data. They are collected by the reader that makes them and rendered by `output` alone.

pub mod code;

use std::ops::Range;

pub use code::{Code, CodeInfo, SampleFile, Severity};

use crate::text::Place;

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Which kind of finding.
    pub code: Code,
    /// Its gravity here; the default is the code's own.
    pub severity: Severity,
    /// One sentence without a full stop: what is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where.
    pub place: Option<Place>,
    /// The text of the lines that `place` spans, and the byte offset in the file at which it begins.
    pub snippet: Option<(String, usize)>,
    /// The session entry it is about.
    pub entry: Option<String>,
    /// How the file can be repaired without a person's judgement.
    pub fix: Option<Fix>,
    /// What tells it from other findings over time, where somebody keeps account of them.
    pub fingerprint: Option<String>,
    /// Whether the file says that it is accepted, and why.
    pub accepted: Option<Accepted>,
}

/// A finding is accepted where it is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Why, as written.
    pub reason: Option<String>,
}

/// A repair of the file that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What the repair does, as an order: `rename the key`.
    pub title: &'static str,
    /// Byte ranges of the file and what to write there instead, in order and apart from each other.
    pub edits: Vec<(Range<usize>, String)>,
    /// What becomes of the frontmatter, and nothing else does: a repair that does more is refused.
    pub effect: Effect,
    /// The rule can never fire as it is, so whatever the repair makes of it, it takes nothing away.
    pub revives: bool,
    /// The repair cannot change what a valid rule matches, as far as is known: whoever plans the repair looks.
    pub is_safe: bool,
    /// Where the edits stand in the file, one for each; filled in by whoever plans the repair.
    pub places: Vec<Place>,
}

/// What a repair does to a frontmatter. Keys are as the agent reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Every value stays what it is.
    None,
    /// A frontmatter is found where there was none.
    Frontmatter,
    /// A key goes.
    Remove(String),
    /// The value of one key stands under another that was not there.
    Rename {
        /// The key before.
        from: String,
        /// The key behind.
        to: String,
    },
    /// A key that is there gets another value: this text, or a list of these.
    Set {
        /// The key.
        key: String,
        /// One text, or several.
        to: Vec<String>,
    },
}

impl Fix {
    /// One edit.
    pub fn replace(title: &'static str, range: Range<usize>, text: impl Into<String>, effect: Effect) -> Self {
        Self { title, edits: vec![(range, text.into())], effect, revives: false, is_safe: true, places: Vec::new() }
    }

    /// A repair of a rule that can never fire.
    #[must_use]
    pub fn of_dead_rule(mut self) -> Self {
        self.revives = true;
        self
    }
}

impl Diagnostic {
    /// A finding of `code` at its default severity.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            help: None,
            place: None,
            snippet: None,
            entry: None,
            fix: None,
            fingerprint: None,
            accepted: None,
        }
    }

    /// The message, and the remedy on a line of its own.
    pub fn with_remedy(&self) -> String {
        match &self.help {
            Some(help) => format!("{}\n{help}", self.message),
            None => self.message.clone(),
        }
    }

    /// Says what to do.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says where.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Adds the source text around the place; `offset` is the byte at which `text` begins in the file.
    #[must_use]
    pub fn with_snippet(mut self, text: impl Into<String>, offset: usize) -> Self {
        self.snippet = Some((text.into(), offset));
        self
    }

    /// Names the session entry.
    #[must_use]
    pub fn with_entry(mut self, id: impl Into<String>) -> Self {
        self.entry = Some(id.into());
        self
    }

    /// Says how to repair the file.
    #[must_use]
    pub fn with_fix(mut self, fix: impl Into<Option<Fix>>) -> Self {
        self.fix = fix.into();
        self
    }

    /// Overrides the gravity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}
