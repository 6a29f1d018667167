//! What can still be read of a damaged line (session.md S1.6; field report 71).

use serde_json::value::RawValue;

use super::record::{self, Record};

/// A record inside a damaged line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Byte offset in the line.
    pub(super) offset: usize,
    /// What it is, for a message.
    pub(super) what: String,
}

/// How many places of a line are tried; each try may read the line to its end.
const TRIES: usize = 32;
/// In longer lines only the first places are tried.
const LONG_LINE: usize = 1 << 20;

/// The first whole record with a type at or behind byte `from` of the line.
pub(super) fn find(text: &str, from: usize) -> Option<Found> {
    let tries = if text.len() > LONG_LINE { 2 } else { TRIES };
    let starts = memchr::memmem::find_iter(text.as_bytes().get(from..)?, b"{\"").map(|at| at + from);
    for offset in starts.filter(|offset| looks_like_record(&text[*offset..])).take(tries) {
        if let Ok(Record::Object(peek, _)) = record::read(&text[offset..])
            && let Some(kind) = peek.kind.and_then(record::string)
        {
            let id = |raw: &RawValue| record::string(raw).map(|id| format!(" `{id}`"));
            let id = peek.id.and_then(id).unwrap_or_default();
            return Some(Found { offset, what: format!("a whole record, `{kind}`{id}, that is not read") });
        }
    }
    None
}

/// Whether the object has the members of a record, not of a message or block inside one.
fn looks_like_record(text: &str) -> bool {
    let mut head = text.len().min(4096);
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let head = &text[..head];
    head.contains("\"type\"") && (head.contains("\"parentId\"") || head.starts_with("{\"type\":\"session\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_behind_a_torn_one_is_named() {
        let torn = r#"{"type":"message","id":"aaaa0001","parentId":null,"messa"#;
        let line =
            format!(r#"{torn}{{"type":"ttsr_injection","id":"aaaa0002","parentId":null,"injectedRules":["r"]}}"#);
        let found = find(&line, 1).expect("a record");
        assert_eq!(found.offset, torn.len());
        assert!(found.what.contains("`ttsr_injection` `aaaa0002`"));
        assert_eq!(find("plain text", 1), None);
    }
}
