//! What is said of transcripts of other agents.

use super::escape;
use crate::foreign::Facts;
use crate::replay::trace::ForeignRun;

/// What an input was read as: "read as a Claude Code session, version 2.1.209".
pub fn read_as(foreign: &ForeignRun) -> String {
    match &foreign.version {
        Some(version) => format!("read as {}, version {}", foreign.words, escape(&version.to_string_lossy())),
        None => format!("read as {}", foreign.words),
    }
}

/// What a reader has to know of a transcript beside its decisions, a sentence each.
pub fn notes(facts: &Facts) -> Vec<String> {
    let mut notes = Vec::new();
    let mut say = |count: usize, what: &str| {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    };
    say(facts.thinking_absent, "thinking block(s) without text in the record: rules on thinking see nothing there");
    say(facts.rejected, "call(s) that the user did not allow: the model wrote them, so rules decide on them");
    say(facts.subagents_left_out, "message(s) of sub-agents left out; --subagents plays them");
    say(facts.added_files, "new file(s) in patches, taken as `write`");
    say(facts.opaque_calls, "call(s) whose files or commands the record does not show");
    say(facts.malformed, "line(s) that are no JSON object");
    if !facts.unknown.is_empty() {
        let kinds = facts.unknown.iter().map(|(kind, count)| format!("{} ({count})", escape(kind)));
        notes.push(format!("unknown records left out: {}", kinds.collect::<Vec<_>>().join(", ")));
    }
    notes
}
