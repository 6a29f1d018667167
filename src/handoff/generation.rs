//! The side request of the later generations: one question to the model, outside the session (handoff.md H3.2).

use crate::message::{Ending, Message};
use crate::text::JsString;
use crate::text::json::Value;

use super::capture::captured_text;

/// Requests that a passing failure is worth, the first included.
const MAX_ATTEMPTS: usize = 3;

/// HTTP statuses of failures that pass.
const PASSING_STATUSES: [u16; 9] = [408, 409, 425, 429, 500, 502, 503, 504, 529];

/// Words of failures that pass, lower case.
const PASSING_WORDS: [&str; 16] = [
    "overloaded",
    "rate limit",
    "rate_limit",
    "ratelimit",
    "too many requests",
    "temporarily",
    "unavailable",
    "timeout",
    "timed out",
    "econnreset",
    "econnrefused",
    "connection",
    "network",
    "socket",
    "fetch failed",
    "internal server error",
];

/// What an abort of the agent itself gives as the reason of the aborted request (17.2.15, 18.2.3).
pub const ABORTED_BY_SESSION: &str = "Handoff aborted by session";

/// Whether the model may call tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolChoice {
    /// It may not, though the tools stay listed.
    None,
    /// It may; for providers that know nothing else.
    Auto,
}

impl ToolChoice {
    /// The word in the request.
    #[cfg(feature = "internals")]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Auto => "auto",
        }
    }
}

/// Who answers the side request.
pub trait Model {
    /// Answers with an assistant message, which may have ended `error` or `aborted`.
    ///
    /// # Errors
    /// When there is nobody to ask, or the handoff is cancelled.
    fn complete(&mut self, request: &JsString, tool_choice: ToolChoice) -> Result<Message, GenerationError>;
}

/// Why no document was generated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "internals"), expect(dead_code, reason = "the program always has a model: the script"))]
pub enum GenerationError {
    /// No model is selected. The command never says so: the script is the model.
    NoModel,
    /// The provider's key is missing. The command never says so.
    NoKey {
        /// The provider.
        provider: JsString,
    },
    /// It was cancelled, with a reason of its own perhaps.
    Cancelled {
        /// What the abort says.
        reason: Option<JsString>,
    },
    /// The reply has no text, or blanks only.
    NoContent,
    /// The provider failed.
    Failed {
        /// What it says.
        message: JsString,
    },
}

impl GenerationError {
    /// What the error says (handoff.md H1.4, H4).
    pub fn message(&self) -> JsString {
        let with = |head: &str, tail: &JsString| {
            let mut text = JsString::from(head);
            text.push_units(tail.units());
            text
        };
        match self {
            Self::NoModel => "No model selected for handoff".into(),
            Self::NoKey { provider } => with("No API key for ", provider),
            Self::Cancelled { reason } => reason.clone().unwrap_or_else(|| "Handoff cancelled".into()),
            Self::NoContent => "Handoff generation produced no content".into(),
            Self::Failed { message } => with("Handoff generation failed: ", message),
        }
    }
}

/// Asks the model for the document and gives the reply that has it. An automatic handoff takes a reply without text
/// for none; a manual one fails then.
///
/// A failure that passes is tried again; a provider that takes no other tool choice than `auto` is asked with that.
///
/// # Errors
/// When there is no document.
pub fn generate(
    model: &mut dyn Model,
    request: &JsString,
    automatic: bool,
) -> Result<Option<(JsString, Message)>, GenerationError> {
    let mut tool_choice = ToolChoice::None;
    let mut attempts = 1;
    let reply = loop {
        let reply = model.complete(request, tool_choice)?;
        if reply.ending() != Ending::Failed {
            break reply;
        }
        let failure = Failure::of(&reply);
        if tool_choice == ToolChoice::None && failure.wants_auto() {
            tool_choice = ToolChoice::Auto;
        } else if failure.passes() && attempts < MAX_ATTEMPTS {
            attempts += 1;
        } else {
            return Err(GenerationError::Failed { message: failure.message });
        }
    };
    match captured_text(&reply).filter(|text| !text.is_blank()) {
        Some(document) => Ok(Some((document, reply))),
        None if automatic => Ok(None),
        None => Err(GenerationError::NoContent),
    }
}

struct Failure {
    status: Option<u16>,
    message: JsString,
}

impl Failure {
    fn of(reply: &Message) -> Self {
        let status = reply.raw.get("errorStatus").and_then(Value::as_f64).map(|status| status as u16);
        Self { status, message: reply.failure_text() }
    }

    fn wants_auto(&self) -> bool {
        let text = self.message.to_string_lossy().to_lowercase();
        self.status == Some(400) && ["tool_choice", "auto", "supported"].iter().all(|word| text.contains(word))
    }

    fn passes(&self) -> bool {
        match self.status {
            Some(status) => PASSING_STATUSES.contains(&status),
            None => {
                let text = self.message.to_string_lossy().to_lowercase();
                PASSING_WORDS.iter().any(|word| text.contains(word))
            }
        }
    }
}
