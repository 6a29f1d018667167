//! From what was generated to what becomes of it: our verdict, and beside it what the generation's agent would have
//! shown (handoff.md H4).

use crate::generation::Pipeline;
use crate::text::JsString;

use super::Event;

/// What the user sees of a cancelled handoff.
const CANCELLED: &str = "Handoff cancelled";

/// How a handoff ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The document is in place.
    Done,
    /// Cancelled, or without text in a generation that takes this for it.
    Cancelled,
    /// Something failed.
    Failed,
    /// It did not begin, or we do not write what came of it.
    Refused,
}

impl Status {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }
}

/// How the reply ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyEnd {
    /// As it should.
    Complete,
    /// A plain abort cut it short.
    Aborted,
    /// The agent was aborted while the side request ran: the request throws this reason, whatever had streamed
    /// (handoff.md H4).
    Stopped {
        /// What the abort says.
        reason: JsString,
    },
    /// The request failed.
    Failed {
        /// Name of the error, such as `AbortError`.
        name: Option<JsString>,
        /// What it says.
        message: JsString,
    },
    /// The handoff was cancelled, whatever the reply holds (handoff.md H6.3).
    Cancelled,
}

/// What the generation gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The text blocks of the last reply; none when it has none.
    pub document: Option<JsString>,
    /// How that reply ended.
    pub end: ReplyEnd,
    /// The text of the answer before it that has a text block.
    pub older: Option<JsString>,
}

/// Which text is written as the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The reply's own, complete.
    Own,
    /// Blanks only.
    Blank,
    /// What had streamed of an aborted reply.
    Aborted,
    /// What had streamed of a failed reply.
    Failed,
    /// An older answer's.
    Older,
}

/// An end without document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Which kind of end.
    pub status: Status,
    /// Why, in a word for programs.
    pub reason: &'static str,
    /// What is said.
    pub message: JsString,
}

impl Stop {
    fn cancelled(reason: &'static str) -> Self {
        Self { status: Status::Cancelled, reason, message: CANCELLED.into() }
    }

    fn failed(reason: &'static str, message: &JsString) -> Self {
        Self { status: Status::Failed, reason, message: failed_text(message) }
    }

    /// What happens to the state machine.
    pub(super) fn event(&self) -> Event {
        match (self.status, self.reason) {
            (_, "no-text") => Event::NoText,
            (Status::Cancelled, _) => Event::Abort,
            _ => Event::Error,
        }
    }
}

/// What becomes of the generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// This document is written.
    Write(JsString, Written),
    /// Nothing is.
    Stop(Stop),
}

/// A verdict, and what the generation's agent would have shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Ours.
    pub verdict: Verdict,
    /// The agent's.
    pub reference: JsString,
}

/// `Handoff failed: …`
pub(super) fn failed_text(message: &JsString) -> JsString {
    let mut text = JsString::from("Handoff failed: ");
    text.push_units(message.units());
    text
}

/// Judges what was generated. A text that is not the reply's own and complete is written only when `faithful`, and
/// only where the generation does so.
pub fn judge(pipeline: Pipeline, faithful: bool, generated: &Generated) -> Judgement {
    let taken = taken(pipeline, generated);
    let reference = match &taken {
        Ok(_) => pipeline.success().into(),
        Err(shown) => shown.clone(),
    };
    let verdict = match taken {
        Ok((document, written)) if faithful || written == Written::Own => Verdict::Write(document, written),
        _ => Verdict::Stop(stop(pipeline, generated)),
    };
    Judgement { verdict, reference }
}

/// What the generation's agent takes as the document, or what it shows without one.
fn taken(pipeline: Pipeline, generated: &Generated) -> Result<(JsString, Written), JsString> {
    if let ReplyEnd::Failed { name, message } = &generated.end {
        let is_abort = name.as_ref().is_some_and(|name| *name == "AbortError") || *message == CANCELLED;
        match pipeline {
            _ if is_abort => return Err(CANCELLED.into()),
            Pipeline::G1 | Pipeline::G4 | Pipeline::G5 => return Err(failed_text(message)),
            Pipeline::G2 | Pipeline::G3 => {}
        }
    }
    let written = match &generated.end {
        ReplyEnd::Complete => Written::Own,
        ReplyEnd::Aborted => Written::Aborted,
        ReplyEnd::Failed { .. } => Written::Failed,
        ReplyEnd::Stopped { reason } => return Err(reason.clone()),
        ReplyEnd::Cancelled => return Err(CANCELLED.into()),
    };
    let (document, written) = match (&generated.document, &generated.older) {
        (None, Some(older)) if pipeline.walks_back() => (older, Written::Older),
        (Some(text), _) if written == Written::Own && text.is_blank() => (text, Written::Blank),
        (Some(text), _) => (text, written),
        (None, _) => return Err(without_text(pipeline)),
    };
    let counts = if pipeline.prompts_in_session() { !document.is_empty() } else { !document.is_blank() };
    if counts { Ok((document.clone(), written)) } else { Err(without_text(pipeline)) }
}

/// What the agent shows without a text.
fn without_text(pipeline: Pipeline) -> JsString {
    if pipeline.prompts_in_session() { CANCELLED.into() } else { failed_text(&no_content()) }
}

fn no_content() -> JsString {
    "Handoff generation produced no content".into()
}

/// Our end of a generation that is not written.
fn stop(pipeline: Pipeline, generated: &Generated) -> Stop {
    match &generated.end {
        ReplyEnd::Cancelled => Stop::cancelled("user"),
        ReplyEnd::Aborted => Stop::cancelled("aborted-reply"),
        ReplyEnd::Stopped { reason } => Stop { message: reason.clone(), ..Stop::cancelled("aborted-reply") },
        ReplyEnd::Failed { name, message } => {
            if name.as_ref().is_some_and(|name| *name == "AbortError") || *message == CANCELLED {
                return Stop::cancelled("abort-error");
            }
            Stop::failed("provider-error", message)
        }
        ReplyEnd::Complete => match &generated.document {
            Some(text) if pipeline.prompts_in_session() && !text.is_empty() => Stop {
                status: Status::Refused,
                reason: "blank-document",
                message: "The document holds nothing but blanks".into(),
            },
            _ if pipeline.prompts_in_session() => Stop::cancelled("no-text"),
            _ => Stop::failed("no-text", &no_content()),
        },
    }
}
