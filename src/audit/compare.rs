//! What the agent reads of a file beside what is there (session.md S1.0).

use crate::session::{ReadError, Session, SessionError};
use crate::text::JsString;

/// One thing that the two readings may see differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aspect {
    /// What it is.
    pub name: &'static str,
    /// What is there.
    pub here: String,
    /// What the agent reads; none where it reads nothing.
    pub agent: Option<String>,
}

/// Both readings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Why the agent cannot open the file, or fails on it.
    pub refused: Option<String>,
    /// What each sees.
    pub aspects: Vec<Aspect>,
}

/// How many names of a list are told.
const NAMES: usize = 20;

/// Reads the file as the agent does and puts both side by side; none when it is too large for that.
///
/// # Errors
/// When the file cannot be read again.
pub fn compare(session: &Session) -> Result<Option<Comparison>, SessionError> {
    let here = facts(session)?;
    let agent = session.as_the_agent().map_err(|error| SessionError::Io { line: 1, error })?;
    let (refused, agent) = match agent {
        None | Some(Err(ReadError::Io(_))) => return Ok(None),
        Some(Err(ReadError::Refused(refusal))) => {
            (Some(format!("the agent cannot open this file: {}", refusal.message)), None)
        }
        Some(Ok(agent)) => match facts(&agent) {
            Ok(facts) => (None, Some(facts)),
            Err(error) => (Some(format!("the agent opens this file and fails on it: {error}")), None),
        },
    };
    let mut agent = agent.map(Vec::into_iter);
    let aspects = here.into_iter().map(|(name, here)| {
        let agent = agent.as_mut().and_then(Iterator::next).map(|(_, read)| read);
        Aspect { name, here, agent }
    });
    Ok(Some(Comparison { refused, aspects: aspects.collect() }))
}

fn facts(session: &Session) -> Result<Vec<(&'static str, String)>, SessionError> {
    let leaf = session.leaf();
    let id = leaf.and_then(|leaf| session.entry(leaf)).and_then(|entry| entry.id());
    let context = session.context(leaf)?;
    let title = session.title()?;
    let shown = |text: Option<JsString>| text.map_or("none".to_owned(), |text| text.to_string_lossy());
    let labels = session.labels()?.len();
    Ok(vec![
        ("entries", session.len().to_string()),
        ("lines that are no record", session.malformed().to_string()),
        ("leaf", shown(id)),
        ("branch", format!("{} entries", session.branch(leaf).len())),
        ("messages of the context", context.messages.len().to_string()),
        ("rules that a resume restores", names(session.injected_rules(leaf)?)),
        ("title", shown(title)),
        ("labels", labels.to_string()),
        ("mode", context.mode.as_string().map_or_else(|| context.mode.to_json(), JsString::to_string_lossy)),
    ])
}

fn names(names: Vec<JsString>) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let mut shown: Vec<String> = names.iter().take(NAMES).map(JsString::to_string_lossy).collect();
    if names.len() > NAMES {
        shown.push(format!("{} more", names.len() - NAMES));
    }
    shown.join(", ")
}
