//! What a handoff came to (handoff.md H7.7, cli.md section 5).

use crate::diagnostic::Diagnostic;
use crate::generation::Pipeline;
use crate::session::Session;
use crate::text::JsString;
use crate::text::json::Value;

use super::Status;

/// Where the document comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentOrigin {
    /// The scripted agent.
    Script,
    /// Given as text.
    Given,
    /// The handoff exchange at the end of the branch.
    Session,
}

impl DocumentOrigin {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::Given => "document",
            Self::Session => "session",
        }
    }
}

/// The session that is handed off.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceInfo {
    /// The file as the user named it.
    pub file: String,
    /// The session's id.
    pub id: Option<JsString>,
    /// The id of the leaf.
    pub leaf: Option<JsString>,
    /// Messages on its branch, a handoff exchange at its end left out.
    pub messages: usize,
}

impl SourceInfo {
    pub(super) fn of(session: &Session, messages: usize) -> Self {
        let leaf = session.leaf().and_then(|leaf| session.entry(leaf)).and_then(|entry| entry.id());
        Self { file: session.file().to_owned(), id: session.id().cloned(), leaf, messages }
    }
}

/// The session that carries the document on.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSession {
    /// Its id.
    pub id: JsString,
    /// When it began, ISO 8601.
    pub timestamp: JsString,
    /// Its `parentSession`.
    pub parent: Option<JsString>,
}

impl NewSession {
    pub(super) fn of(store: &crate::session::Store) -> Self {
        let text = |key: &str| store.header().get(key).and_then(Value::as_string).cloned();
        Self { id: store.id(), timestamp: text("timestamp").unwrap_or_default(), parent: text("parentSession") }
    }
}

/// The result of a handoff.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// Why it did not end `done`, or why what is written is not the reply's own.
    pub reason: Option<&'static str>,
    /// The same for people.
    pub message: JsString,
    /// The generation that was followed.
    pub pipeline: Pipeline,
    /// What that generation's agent would have shown.
    pub reference: JsString,
    /// The old session.
    pub source: SourceInfo,
    /// The session with the document: a new one, or in the fifth generation the old one.
    pub session: Option<NewSession>,
    /// The document, when one was captured.
    pub document: Option<JsString>,
    /// Where it comes from.
    pub origin: DocumentOrigin,
    /// The id of the entry that holds it.
    pub entry: Option<JsString>,
    /// Headings of the request that it lacks.
    pub headings_missing: Vec<&'static str>,
    /// Rules that were spent on the source's path and are armed in the new session (handoff.md H5.3).
    pub rules_rearmed: Vec<JsString>,
    /// What else is to be known.
    pub warnings: Vec<Diagnostic>,
}
