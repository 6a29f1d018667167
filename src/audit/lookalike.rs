//! What a file is that is no session: the transcripts of other agents, told by the keys of their first records.

use crate::text::json::{Value, parse};

/// How many records are looked at.
const LINES: usize = 20;

/// What other agent's transcript a file is, by its beginning; none when it is none that is known, or a session.
pub fn lookalike(head: &[u8]) -> Option<&'static str> {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let text = String::from_utf8_lossy(head);
    if text.trim_start().starts_with("# aider chat started at") {
        return Some("this is a chat history of Aider, not a session file");
    }
    let records = text.lines().filter_map(|line| parse(line.trim()).ok());
    for record in records.filter(|record| record.as_object().is_some()).take(LINES) {
        let has = |key: &str| record.get(key).is_some();
        let is = |key: &str, word: &str| record.get(key).and_then(Value::as_string).is_some_and(|text| *text == word);
        if is("type", "session") && has("id") {
            return None;
        }
        if is("type", "session_meta") || is("type", "response_item") && has("payload") {
            return Some("this is a rollout of Codex, not a session file");
        }
        if is("type", "thread.started") {
            return Some("this is the output of `codex exec --json`, not a session file");
        }
        if has("sessionId") && (has("parentUuid") || has("uuid") || is("type", "summary") || is("type", "mode")) {
            return Some("this is a transcript of Claude Code, not a session file");
        }
        if is("type", "system") && is("subtype", "init") || is("type", "stream_event") {
            return Some("this is the stream of Claude Code, not a session file");
        }
        if has("projectHash") {
            return Some("this is a transcript of Gemini CLI, not a session file");
        }
    }
    None
}
