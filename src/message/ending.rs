//! How an assistant message ended and what became of a call, as the agent's own fields tell (session.md S9.4d,
//! S9.4e; engine.md E7.5a). No other place reads `errorMessage`, `stopReason` or the texts of placeholder results.

use crate::text::JsString;
use crate::text::json::Value;

use super::Message;

/// What the error message of a message says that rules interrupted (engine.md E7.4 step 3).
const MATCHED: &str = "TTSR matched rule";

/// What an aborted message says when nobody gave a reason.
pub const PLAIN_ABORT: &str = "Request was aborted";

/// What stands before the reason in the result of a call that was complete when its message was aborted.
pub const PLACEHOLDER_PREFIX: &str = "Tool execution was aborted: ";

/// The result of such a call in the early generation.
pub const EARLY_PLACEHOLDER: &str = "Tool execution was aborted.";

/// What stands before the reason in the result of a call that the abort found waiting for its turn.
pub const NOT_EXECUTED_PREFIX: &str = "Tool was not executed because the run was aborted: ";

/// The result of a call that the abort found running.
pub const CANCELLED_CALL: &str = "Aborted: Cancelled";

/// How an assistant message ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself.
    Complete,
    /// Rules interrupted it: the text that names those of the interrupting batch, as in `a` or `a, b`.
    Rules(JsString),
    /// Aborted for any other reason: the user, or an agent that gives none.
    Aborted,
    /// The request failed.
    Failed,
}

impl Ending {
    /// Reads the two fields that tell.
    pub fn of(stop_reason: Option<&JsString>, error_message: Option<&JsString>) -> Self {
        match stop_reason.and_then(JsString::to_utf8).as_deref() {
            Some("aborted") => match error_message.and_then(names_of) {
                Some(names) => Self::Rules(names),
                None => Self::Aborted,
            },
            Some("error") => Self::Failed,
            _ => Self::Complete,
        }
    }

    /// Whether the message ended aborted or failed.
    pub fn is_cut_short(&self) -> bool {
        *self != Self::Complete
    }

    /// Whether it was aborted, by rules or otherwise.
    pub fn is_aborted(&self) -> bool {
        matches!(self, Self::Rules(_) | Self::Aborted)
    }
}

/// The text behind `TTSR matched rule: ` or `TTSR matched rules: `. Names keep their blanks: a rule file may be called
/// `a .md`.
fn names_of(error_message: &JsString) -> Option<JsString> {
    let rest = error_message.units().strip_prefix(JsString::from(MATCHED).units())?;
    let rest = rest.strip_prefix(&[u16::from(b's')]).unwrap_or(rest);
    let colon = JsString::from(": ");
    Some(JsString::from_units(rest.strip_prefix(colon.units()).unwrap_or(rest)))
}

/// The reason of an interrupt: `TTSR matched rule: NAME`, or `TTSR matched rules: A, B`.
pub fn interrupt_reason(names: &[JsString]) -> JsString {
    let mut reason = JsString::from(if names.len() == 1 { "TTSR matched rule: " } else { "TTSR matched rules: " });
    reason.push_units(joined_names(names).units());
    reason
}

/// Names as an interrupt's reason lists them.
pub fn joined_names(names: &[JsString]) -> JsString {
    let mut joined = JsString::new();
    for (at, name) in names.iter().enumerate() {
        if at > 0 {
            joined.push_str(", ");
        }
        joined.push_units(name.units());
    }
    joined
}

/// The names in a text of [`Ending::Rules`]. A name may hold a comma itself, so the text is divided into `known` names
/// where that is possible, and at commas otherwise.
pub fn split_names(text: &JsString, known: &[JsString]) -> Vec<JsString> {
    let units = text.units();
    let comma = JsString::from(", ");
    // For each place from which known names lead to the end: the length of the first of them.
    let mut step: Vec<Option<usize>> = vec![None; units.len() + 1];
    for at in (0..units.len()).rev() {
        let fits = |name: &&JsString| {
            let end = at + name.units().len();
            !name.is_empty()
                && units[at..].starts_with(name.units())
                && (end == units.len()
                    || (units[end..].starts_with(comma.units()) && step[(end + 2).min(units.len())].is_some()))
        };
        step[at] = known.iter().filter(fits).map(|name| name.units().len()).max();
    }
    if step[0].is_none() {
        let text = text.to_string_lossy();
        return text.split(", ").filter(|name| !name.is_empty()).map(JsString::from).collect();
    }
    let (mut names, mut at) = (Vec::new(), 0);
    while let Some(length) = step.get(at).copied().flatten() {
        names.push(JsString::from_units(&units[at..at + length]));
        at += length + comma.units().len();
    }
    names
}

/// What became of a tool call, as its result shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// The tool ran, well or not.
    Ran,
    /// The result was pruned later: its text is gone, and with it any reminder (session.md S9.4e).
    Pruned,
    /// The call was refused before it ran: its arguments do not fit, or there is no such tool.
    Refused,
    /// The call never ran, or was stopped: its message was aborted, or the user came first.
    Stopped,
}

impl CallOutcome {
    /// Whether the agent's after-tool step was reached, in which a reminder is put in front (engine.md E7.5a).
    pub fn delivers_reminders(self) -> bool {
        matches!(self, Self::Ran | Self::Pruned)
    }
}

impl Message {
    /// How this assistant message ended.
    pub fn ending(&self) -> Ending {
        let string = |key: &str| self.raw.get(key).and_then(Value::as_string);
        Ending::of(string("stopReason"), string("errorMessage"))
    }

    /// What a failed message says of its failure.
    pub fn failure_text(&self) -> JsString {
        let stated = self.string("errorMessage").filter(|text| !text.is_empty());
        stated.unwrap_or_else(|| "Unknown error".into())
    }

    /// What became of the call whose result this is.
    pub fn call_outcome(&self) -> CallOutcome {
        if self.raw.get("prunedAt").is_some_and(|at| !matches!(at, Value::Null)) {
            return CallOutcome::Pruned;
        }
        if self.raw.get("isError").and_then(Value::as_bool) != Some(true) {
            return CallOutcome::Ran;
        }
        let details = self.raw.get("details");
        let flag = |key: &str| details.and_then(|details| details.get(key)?.as_bool());
        if flag("__synthetic") == Some(true) || flag("executed") == Some(false) {
            return CallOutcome::Stopped;
        }
        if flag("isError") == Some(true) && details.is_some_and(|details| details.get("error").is_some()) {
            return CallOutcome::Refused;
        }
        let text = self.text();
        let stopped = [PLACEHOLDER_PREFIX.trim_end_matches(": "), NOT_EXECUTED_PREFIX, CANCELLED_CALL];
        let is_last_line = |line: &str| text.to_string_lossy().trim_end().lines().last() == Some(line);
        if stopped.iter().any(|prefix| text.starts_with(prefix)) || is_last_line("Command aborted") {
            return CallOutcome::Stopped;
        }
        CallOutcome::Ran
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<JsString> {
        texts.iter().copied().map(JsString::from).collect()
    }

    #[test]
    fn names_with_commas_are_divided_as_the_known_ones_stand() {
        let known = names(&["a", "a, b", "b", "c ", "x"]);
        for list in [&["a"][..], &["a, b"], &["a, b", "c "], &["x", "a, b", "a"], &["b", "a"]] {
            let list = names(list);
            let divided = split_names(&joined_names(&list), &known);
            assert_eq!(joined_names(&divided), joined_names(&list));
            assert!(divided.iter().all(|name| known.contains(name)), "{divided:?}");
        }
        assert_eq!(split_names(&"a, unknown".into(), &known), names(&["a", "unknown"]));
        assert_eq!(split_names(&"".into(), &known), names(&[]));
    }

    #[test]
    fn an_abort_by_rules_is_told_from_one_by_the_user() {
        let of = |reason: &str, text: &str| Ending::of(Some(&reason.into()), Some(&text.into()));
        assert_eq!(of("aborted", "TTSR matched rule: a "), Ending::Rules("a ".into()));
        assert_eq!(of("aborted", "TTSR matched rules: a, b"), Ending::Rules("a, b".into()));
        assert_eq!(of("aborted", "Interrupted by user"), Ending::Aborted);
        assert_eq!(of("error", "TTSR matched rule: a"), Ending::Failed);
        assert_eq!(of("stop", "TTSR matched rule: a"), Ending::Complete);
        assert_eq!(Ending::of(None, None), Ending::Complete);
    }
}
