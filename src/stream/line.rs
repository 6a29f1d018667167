//! Lines that hold a delta, read without building anything of them.
//!
//! First by the form in which the agent writes the slim ones, byte by byte; then, where `serde` finds the three members
//! that count, whatever else is there. What fits neither goes to the reader of all lines, which alone judges.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::message::Source;
use crate::text::json::{Key, unescape};

/// A delta as its line has it; its text is in the buffer that was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeltaLine {
    pub(super) source: Source,
    pub(super) index: usize,
    /// Whether the line holds nothing else that says something about the message.
    pub(super) is_slim: bool,
}

const BEGIN: &[u8] = br#"{"type":"message_update","assistantMessageEvent":{"type":""#;
const KINDS: [(&[u8], Source); 3] = [
    (b"text_delta\",\"contentIndex\":", Source::Text),
    (b"thinking_delta\",\"contentIndex\":", Source::Thinking),
    (b"toolcall_delta\",\"contentIndex\":", Source::Tool),
];

/// Reads a line that holds a delta; its text replaces what is in `units`. Nothing when it may be anything else.
pub(super) fn read(line: &[u8], units: &mut Vec<u16>) -> Option<DeltaLine> {
    slim(line, units).or_else(|| typed(line, units))
}

/// `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"…"}}`
fn slim(line: &[u8], units: &mut Vec<u16>) -> Option<DeltaLine> {
    let rest = line.strip_prefix(BEGIN)?;
    let (rest, source) = KINDS.iter().find_map(|(kind, source)| Some((rest.strip_prefix(*kind)?, *source)))?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    // No leading zero, and no more than fits.
    if digits == 0 || digits > 9 || (digits > 1 && rest.first() == Some(&b'0')) {
        return None;
    }
    let (number, rest) = rest.split_at(digits);
    let index = number.iter().fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
    let rest = rest.strip_prefix(b",\"delta\":\"")?.strip_suffix(b"\"}}")?;
    unescape(rest, units)?;
    Some(DeltaLine { source, index, is_slim: true })
}

/// The members of a line, or of its update, that count. One that is there twice is refused.
#[derive(Default)]
struct Line<'a> {
    kind: Option<&'a str>,
    update: Option<Update<'a>>,
}

#[derive(Default)]
struct Update<'a> {
    kind: Option<&'a str>,
    index: Option<u32>,
    delta: Option<&'a RawValue>,
}

/// Objects only: a derived reader takes lists for them.
macro_rules! read_members {
    ($type:ident, $($key:literal => $field:ident),+) => {
        impl<'de: 'a, 'a> Deserialize<'de> for $type<'a> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Members;
                impl<'de> Visitor<'de> for Members {
                    type Value = $type<'de>;

                    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                        formatter.write_str("an object")
                    }

                    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                        let mut members = $type::default();
                        while let Some(key) = map.next_key::<Key<'de>>()? {
                            $(if key == $key {
                                if members.$field.replace(map.next_value()?).is_some() {
                                    return Err(M::Error::duplicate_field($key));
                                }
                                continue;
                            })+
                            map.next_value::<IgnoredAny>()?;
                        }
                        Ok(members)
                    }
                }
                deserializer.deserialize_map(Members)
            }
        }
    };
}

read_members!(Line, "type" => kind, "assistantMessageEvent" => update);
read_members!(Update, "type" => kind, "contentIndex" => index, "delta" => delta);

fn typed(line: &[u8], units: &mut Vec<u16>) -> Option<DeltaLine> {
    /// As far into a line its kind is looked for.
    const HEAD: usize = 120;
    let head = line.get(..HEAD.min(line.len()))?;
    memchr::memmem::find(head, b"message_update")?;
    memchr::memmem::find(head, b"_delta\"")?;
    let Line { kind: Some("message_update"), update: Some(update) } = serde_json::from_slice(line).ok()? else {
        return None;
    };
    // Members that are not asked for may hold what is no UTF-8.
    std::str::from_utf8(line).ok()?;
    let source = match update.kind? {
        "text_delta" => Source::Text,
        "thinking_delta" => Source::Thinking,
        "toolcall_delta" => Source::Tool,
        _ => return None,
    };
    let text = update.delta?.get().strip_prefix('"')?.strip_suffix('"')?;
    unescape(text.as_bytes(), units)?;
    Some(DeltaLine { source, index: update.index? as usize, is_slim: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_delta_lines_are_taken() {
        let mut units = Vec::new();
        let line =
            r#"{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":12,"delta":"a"}}"#;
        let found = read(line.as_bytes(), &mut units);
        assert_eq!(found, Some(DeltaLine { source: Source::Text, index: 12, is_slim: true }));
        assert_eq!(units, [0x61]);
        let full = line.replace("\"a\"}", "\"a\",\"partial\":{\"content\":[]}}");
        let found = read(full.as_bytes(), &mut units);
        assert_eq!(found, Some(DeltaLine { source: Source::Text, index: 12, is_slim: false }));
        for (from, to) in [
            ("12", "-1"),
            ("12", "01"),
            ("12", "1.5"),
            ("12", "99999999999"),
            ("\"a\"", "\"a\"\""),
            ("\"a\"", "3"),
            ("\"a\"", "\"a\",\"delta\":\"b\""),
            ("}}", "}"),
            ("}}", "}}}"),
            ("text_delta", "text_end"),
            ("message_update", "message_updated"),
            ("\"a\"", "\"a\",\"partial\":tru"),
            ("{\"type\":\"text_delta\",\"contentIndex\":12,\"delta\":\"a\"}", "[\"text_delta\",12,\"a\"]"),
        ] {
            assert_eq!(read(line.replace(from, to).as_bytes(), &mut units), None, "{from} {to}");
        }
        // A second member of the same name, which counts instead, and bytes that are no text.
        let twice = line.replacen("{\"type\"", "{\"type\":\"agent_end\",\"type\"", 1);
        assert_eq!(read(twice.as_bytes(), &mut units), None);
        let mut bytes = full.into_bytes();
        let at = bytes.len() - 4;
        bytes.splice(at..at, *b",\"x\":\"\xFF\"");
        assert_eq!(read(&bytes, &mut units), None);
    }
}
