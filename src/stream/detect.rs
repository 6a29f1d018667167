//! Which kind of JSONL an input is.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::text::json::{RawMembers, parse_raw};

use super::envelope::EventKind;

/// The kind of an input, found from its content (cli.md section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A session file (session.md S1).
    Session,
    /// An event stream in JSON or RPC form (session.md S8).
    Events,
    /// Neither.
    Unknown,
}

/// Entry types that only a session file holds, beside those that every line with a `parentId` shows.
const ENTRY_TYPES: &[&str] = &[
    "title",
    "message",
    "custom_message",
    "compaction",
    "branch_summary",
    "ttsr_injection",
    "model_change",
    "thinking_level_change",
    "service_tier_change",
    "mode_change",
    "reset_boundary",
    "label",
    "title_change",
    "custom",
    "session_init",
    "model_usage",
    "credential_pin",
    "mcp_tool_selection",
    "session_info",
];

/// Finds the kind of an input from its first bytes; the last line of `prefix` may be cut.
///
/// A header alone says nothing, since both kinds begin with one: the first line that only one of them can hold
/// decides. A file with nothing but a header is a session.
pub fn detect(prefix: &[u8]) -> InputKind {
    let prefix = prefix.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(prefix);
    let mut header_seen = false;
    for line in prefix.split(|&byte| byte == b'\n') {
        let Some((kind, has_parent)) = peek(line) else { continue };
        match kind.as_ref() {
            "session" => header_seen = true,
            name if ENTRY_TYPES.contains(&name) || has_parent => return InputKind::Session,
            name if EventKind::of(name).is_some_and(EventKind::is_of_the_stream) => return InputKind::Events,
            _ => {}
        }
    }
    if header_seen { InputKind::Session } else { InputKind::Unknown }
}

/// The `type` of a line and whether it has a `parentId`; of a cut line only the `type` at its very beginning.
fn peek(line: &[u8]) -> Option<(Cow<'static, str>, bool)> {
    let line = line.trim_ascii();
    if let Ok(RawMembers(members)) = serde_json::from_slice::<RawMembers<'_>>(line) {
        let kind = members.iter().rev().find(|(key, _)| *key == "type").and_then(|(_, raw)| string(raw))?;
        let has_parent = members.iter().any(|(key, _)| *key == "parentId");
        return Some((Cow::Owned(kind), has_parent));
    }
    let rest = line.strip_prefix(b"{\"type\":\"")?;
    let end = rest.iter().position(|&byte| byte == b'"')?;
    Some((Cow::Owned(String::from_utf8_lossy(&rest[..end]).into_owned()), false))
}

fn string(raw: &RawValue) -> Option<String> {
    raw.get().starts_with('"').then(|| parse_raw(raw).ok())??.as_string()?.to_utf8()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_alone_does_not_decide() {
        let header = r#"{"type":"session","id":"a","cwd":"/x"}"#;
        assert_eq!(detect(header.as_bytes()), InputKind::Session);
        let events = format!("{header}\n{{\"type\":\"advisor_cost_changed\"}}\n{{\"type\":\"agent_start\"}}\n");
        assert_eq!(detect(events.as_bytes()), InputKind::Events);
        let session = format!("{header}\n{{\"type\":\"new_kind\",\"id\":\"b\",\"parentId\":null}}\n");
        assert_eq!(detect(session.as_bytes()), InputKind::Session);
    }

    #[test]
    fn a_cut_line_is_known_by_its_beginning() {
        assert_eq!(detect(br#"{"type":"message_start","message":{"role":"us"#), InputKind::Events);
        assert_eq!(detect(br#"{"type":"message","message":{"role":"us"#), InputKind::Session);
    }

    #[test]
    fn anything_else_is_unknown() {
        for bytes in [&b""[..], b"\n\n", b"\x00\xFF\xFE", b"[1,2]", b"{\"a\":1}", b"plain text"] {
            assert_eq!(detect(bytes), InputKind::Unknown);
        }
    }
}
