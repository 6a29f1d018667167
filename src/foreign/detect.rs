//! Which agent wrote a transcript: found from its content, never from its name, never guessed.

use crate::text::JsString;
use crate::text::json::{self, Value};

use super::lines;
use super::model::{is, member, text};

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A session of Claude Code.
    Claude,
    /// What `claude -p --output-format stream-json` prints.
    ClaudeStream,
    /// A rollout of Codex.
    Codex,
    /// What `codex exec --json` prints.
    CodexExec,
    /// What `opencode export` prints.
    Opencode,
    /// A chat of Gemini CLI.
    Gemini,
}

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detected {
    /// A format that is read.
    Known(Format),
    /// The transcript of an agent that is not read: whose, and what to do.
    NotRead(&'static str, &'static str),
}

impl Format {
    /// The word in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::ClaudeStream => "claude-stream",
            Self::Codex => "codex",
            Self::CodexExec => "codex-exec",
            Self::Opencode => "opencode",
            Self::Gemini => "gemini",
        }
    }

    /// That it is no session of this agent, in a sentence.
    pub fn not_own(self) -> &'static str {
        match self {
            Self::Claude => "this is a Claude Code session, not one of this agent",
            Self::ClaudeStream => "this is a stream of Claude Code, not a session of this agent",
            Self::Codex => "this is a Codex rollout, not a session of this agent",
            Self::CodexExec => "this is the output of codex exec, not a session of this agent",
            Self::Opencode => "this is an opencode export, not a session of this agent",
            Self::Gemini => "this is a Gemini CLI chat, not a session of this agent",
        }
    }

    /// What it is, in words that follow "read as".
    pub fn words(self) -> &'static str {
        match self {
            Self::Claude => "a Claude Code session",
            Self::ClaudeStream => "a stream of Claude Code",
            Self::Codex => "a Codex rollout",
            Self::CodexExec => "the output of codex exec",
            Self::Opencode => "an opencode export",
            Self::Gemini => "a Gemini CLI chat",
        }
    }
}

/// How many parsable lines are looked at for the first record that tells. Side records of Claude Code do not count: a
/// file may begin with many.
const LINES: usize = 20;

/// Finds the format from the beginning of an input, whose last line may be cut; none for the agent's own recordings
/// and for what is no transcript. A document must be there whole.
pub fn detect(head: &[u8]) -> Option<Detected> {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    if head.starts_with(b"# aider chat started at ") {
        return Some(Detected::NotRead(
            "a chat history of Aider",
            "its prose and edits cannot be told apart surely; `--text-file FILE` tries rules on it as one text",
        ));
    }
    let (mut seen, mut first, mut side) = (0, true, false);
    for line in head.split(|&byte| byte == b'\n') {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Some(record) = lines::parse(line.trim_ascii()) else {
            if std::mem::take(&mut first) && line.starts_with(b"{") && !line.trim_ascii_end().ends_with(b"}")
                || line.starts_with(b"[")
            {
                return document(head);
            }
            continue;
        };
        match line_of(&record, first) {
            Told::Own => return None,
            Told::Side => side = true,
            Told::Nothing => seen += 1,
            Told::Format(format) => return Some(Detected::Known(format)),
        }
        if first && let Some(found) = of_document(&record) {
            return Some(found);
        }
        first = false;
        if seen >= LINES {
            break;
        }
    }
    side.then_some(Detected::Known(Format::Claude))
}

enum Told {
    Own,
    /// A side record that only Claude Code writes.
    Side,
    Nothing,
    Format(Format),
}

/// Side records that Claude Code may begin a file with, and a member that each has.
const SIDE: [(&str, &str); 5] = [
    ("summary", "leafUuid"),
    ("last-prompt", "lastPrompt"),
    ("file-history-snapshot", "snapshot"),
    ("queue-operation", "operation"),
    ("mode", "mode"),
];

fn line_of(record: &Value, first: bool) -> Told {
    let kind = text(record, &["type"]).map(JsString::to_string_lossy).unwrap_or_default();
    let has = |key: &str| record.get(key).is_some();
    match kind.as_str() {
        "session" | "title" | "turn_start" | "agent_start" | "ready" => return Told::Own,
        _ if has("parentId") => return Told::Own,
        "session_meta" | "response_item"
            if record.get("payload").is_some_and(|payload| payload.as_object().is_some()) =>
        {
            return Told::Format(Format::Codex);
        }
        "" if first && has("instructions") && has("timestamp") && text(record, &["id"]).is_some() => {
            return Told::Format(Format::Codex);
        }
        "thread.started" if text(record, &["thread_id"]).is_some() => return Told::Format(Format::CodexExec),
        "system"
            if is(record, &["subtype"], "init")
                && text(record, &["session_id"]).is_some()
                && has("tools")
                && !has("_audit_timestamp") =>
        {
            return Told::Format(Format::ClaudeStream);
        }
        "stream_event" if has("event") && text(record, &["session_id"]).is_some() => {
            return Told::Format(Format::ClaudeStream);
        }
        "user" | "assistant" if is_conversation(record, &kind) => return Told::Format(Format::Claude),
        _ => {}
    }
    if SIDE.iter().any(|(side, key)| kind == *side && has(key))
        && (has("sessionId") || has("leafUuid") || has("messageId"))
    {
        return Told::Side;
    }
    if text(record, &["projectHash"]).is_some()
        && text(record, &["sessionId"]).is_some()
        && text(record, &["startTime"]).is_some()
    {
        return Told::Format(Format::Gemini);
    }
    Told::Nothing
}

/// Whether a record is one of Claude Code's. Others copy its envelope: Qwen's messages have `parts`, iFlow's sessions
/// other ids.
fn is_conversation(record: &Value, kind: &str) -> bool {
    let session = text(record, &["sessionId"]);
    let content = member(record, &["message", "content"]);
    session.is_some_and(|id| !id.starts_with("session-"))
        && record.get("parentUuid").is_some()
        && is(record, &["message", "role"], kind)
        && content.is_some_and(|content| content.as_string().is_some() || content.as_array().is_some())
        && member(record, &["message", "parts"]).is_none()
}

/// A file that is one JSON value.
fn document(bytes: &[u8]) -> Option<Detected> {
    of_document(&json::parse(&String::from_utf8_lossy(bytes)).ok()?)
}

fn of_document(value: &Value) -> Option<Detected> {
    if let Some(messages) = value.as_array() {
        let is_message = |message: &Value| {
            matches!(text(message, &["role"]), Some(role) if *role == "user" || *role == "assistant")
                && message.get("content").is_some_and(|content| content.as_array().is_some())
        };
        let is_chat = !messages.is_empty() && messages.iter().all(is_message);
        return is_chat.then_some(Detected::NotRead(
            "the API history of a task of Cline or Roo",
            "calls stand inside its prose in two styles; `--text-file FILE` tries rules on it as one text",
        ));
    }
    let messages = value.get("messages")?.as_array()?;
    let is_opencode = value.get("info").is_some_and(|info| text(info, &["id"]).is_some())
        && messages.iter().all(|message| {
            text(message, &["info", "role"]).is_some()
                && message.get("parts").is_some_and(|parts| parts.as_array().is_some())
        });
    if is_opencode {
        return Some(Detected::Known(Format::Opencode));
    }
    let is_gemini = text(value, &["projectHash"]).is_some() && text(value, &["sessionId"]).is_some();
    is_gemini.then_some(Detected::Known(Format::Gemini))
}
