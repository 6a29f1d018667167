//! One JSONL record looked at just far enough for the index: type, id, parent and the few marks that audits
//! need of every entry. Nothing is copied but what is rare.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::text::JsString;
use crate::text::json::{MAX_DEPTH, RawMembers};

use super::kind::Role;

/// The members of a record that the index wants, unread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Peek<'a> {
    pub(super) kind: Option<&'a RawValue>,
    pub(super) id: Option<&'a RawValue>,
    pub(super) parent: Option<&'a RawValue>,
    pub(super) custom_type: Option<&'a RawValue>,
    pub(super) injected_rules: Option<&'a RawValue>,
    pub(super) message: Payload<'a>,
}

/// The `message` member of a record.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Payload<'a> {
    /// There is none, or it is `null`: the agent raises when it opens the file.
    #[default]
    Missing,
    /// Neither an object nor `null`.
    NoObject,
    /// An object.
    Message(MessagePeek<'a>),
}

/// The members of a message that the index wants, unread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MessagePeek<'a> {
    pub(super) role: Option<&'a RawValue>,
    pub(super) stop_reason: Option<&'a RawValue>,
    pub(super) error_message: Option<&'a RawValue>,
    pub(super) custom_type: Option<&'a RawValue>,
    pub(super) content: Option<&'a RawValue>,
}

/// Why a text is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unreadable {
    /// What is wrong, in a sentence without a full stop.
    pub(super) message: String,
    /// Byte offset in the text that was read.
    pub(super) offset: usize,
    /// The text ended before the value did.
    pub(super) cut_short: bool,
}

/// What stands at the beginning of a text.
pub(super) enum Record<'a> {
    /// An object, and the number of bytes up to its end.
    Object(Peek<'a>, usize),
    /// Another JSON value, and the number of bytes up to its end.
    Other(&'a RawValue, usize),
}

/// Reads the JSON value at the beginning of `text`. What follows it is not looked at.
pub(super) fn read(text: &str) -> Result<Record<'_>, Unreadable> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    if let Ok(peek) = deserializer.deserialize_map(RecordVisitor)
        && deserializer.end().is_ok()
    {
        refuse_deep(text)?;
        return Ok(Record::Object(peek, text.len()));
    }
    read_slowly(text)
}

/// The way for everything unusual: trailing text, values that are no objects, errors.
fn read_slowly(text: &str) -> Result<Record<'_>, Unreadable> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let raw = match values.next() {
        Some(Ok(raw)) => raw,
        Some(Err(error)) => return Err(unreadable(&error, text)),
        None => return Err(Unreadable { message: "nothing but white space".to_owned(), offset: 0, cut_short: false }),
    };
    let start = text.len() - text.trim_start_matches([' ', '\t', '\r', '\n']).len();
    let end = start + raw.get().len();
    refuse_deep(raw.get())?;
    if !raw.get().starts_with('{') {
        return Ok(Record::Other(raw, end));
    }
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    if let Ok(peek) = deserializer.deserialize_map(RecordVisitor) {
        return Ok(Record::Object(peek, end));
    }
    // Valid JSON that the quick visitor refuses: a message that is a string with a lone surrogate.
    let RawMembers(members) =
        serde_json::from_str(raw.get()).map_err(|error: serde_json::Error| unreadable(&error, text))?;
    let mut peek = Peek::default();
    for (key, value) in members {
        match key.to_utf8().as_deref() {
            Some("type") => peek.kind = Some(value),
            Some("id") => peek.id = Some(value),
            Some("parentId") => peek.parent = Some(value),
            Some("customType") => peek.custom_type = Some(value),
            Some("injectedRules") => peek.injected_rules = Some(value),
            Some("message") => peek.message = Payload::NoObject,
            _ => {}
        }
    }
    Ok(Record::Object(peek, end))
}

fn unreadable(error: &serde_json::Error, text: &str) -> Unreadable {
    let full = error.to_string();
    let message = full.split(" at line ").next().unwrap_or(&full).to_owned();
    let line_start = match error.line() {
        0 | 1 => 0,
        line => memchr::memchr_iter(b'\n', text.as_bytes()).nth(line - 2).map_or(0, |at| at + 1),
    };
    let offset = (line_start + error.column().saturating_sub(1)).min(text.len());
    Unreadable { message, offset, cut_short: error.is_eof() }
}

/// Refuses a value that nests too deep to be read later.
fn refuse_deep(text: &str) -> Result<(), Unreadable> {
    // `[` and `{` differ in one bit; few texts hold enough of them to need the exact count.
    let openings = text.bytes().map(|byte| usize::from(byte | 0x20 == b'{')).sum::<usize>();
    if openings <= MAX_DEPTH {
        return Ok(());
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > MAX_DEPTH {
                    let message = format!("nested deeper than {MAX_DEPTH} levels");
                    return Err(Unreadable { message, offset, cut_short: false });
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

/// The string that a raw value is, when it is one.
pub(super) fn string(raw: &RawValue) -> Option<JsString> {
    raw.get().starts_with('"').then(|| serde_json::from_str(raw.get()).ok()).flatten()
}

/// Whether a raw value is exactly this string; `text` needs no escapes.
pub(super) fn is_string(raw: Option<&RawValue>, text: &str) -> bool {
    raw.is_some_and(|raw| {
        let json = raw.get();
        match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(inner) if inner == text => true,
            Some(inner) => inner.contains('\\') && string(raw).is_some_and(|string| string == text),
            None => false,
        }
    })
}

/// The start of the opening tag of every reminder (session.md S10.1).
pub const REMINDER_START: &str = "<system-reminder reason=\"rule_violation\"";

impl<'a> MessagePeek<'a> {
    pub(super) fn role(&self) -> Role {
        let Some(raw) = self.role else { return Role::None };
        match raw.get() {
            "\"user\"" => Role::User,
            "\"assistant\"" => Role::Assistant,
            "\"toolResult\"" => Role::ToolResult,
            _ => match string(raw).and_then(|role| role.to_utf8()).as_deref() {
                Some("user") => Role::User,
                Some("assistant") => Role::Assistant,
                Some("toolResult") => Role::ToolResult,
                Some(_) => Role::Other,
                None => Role::None,
            },
        }
    }

    /// Whether the error message is the one of an abort by rules (session.md S5.6).
    pub(super) fn is_rule_abort(&self) -> bool {
        self.error_message.and_then(string).is_some_and(|text| text.starts_with("TTSR matched rule"))
    }

    /// Whether the first text block begins with a reminder.
    pub(super) fn begins_with_reminder(&self) -> bool {
        let Some(content) = self.content else { return false };
        // Escapes of plain letters are legal, so a backslash-u needs the slow way.
        let json = content.get().as_bytes();
        if memchr::memmem::find(json, b"rule_violation").is_none() && memchr::memmem::find(json, b"\\u00").is_none() {
            return false;
        }
        let Ok(content) = crate::text::json::parse_raw(content) else { return false };
        first_text(&content).is_some_and(|text| text.starts_with(REMINDER_START))
    }
}

/// The first text block of a message's content, or the content that is a string.
pub fn first_text(content: &crate::text::json::Value) -> Option<&JsString> {
    if let Some(text) = content.as_string() {
        return Some(text);
    }
    let is_text = |block: &&crate::text::json::Value| {
        block.get("type").and_then(|kind| kind.as_string()).is_some_and(|kind| *kind == "text")
    };
    content.as_array()?.iter().find(is_text)?.get("text")?.as_string()
}

enum Field {
    Type,
    Id,
    ParentId,
    CustomType,
    InjectedRules,
    Message,
    Role,
    StopReason,
    ErrorMessage,
    Content,
    /// The key under which serde_json hands on a number that is no 64-bit integer.
    Number,
    Other,
}

impl<'de> serde::Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Key;
        impl Visitor<'_> for Key {
            type Value = Field;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a key")
            }

            fn visit_bytes<E>(self, key: &[u8]) -> Result<Field, E> {
                Ok(match key {
                    b"type" => Field::Type,
                    b"id" => Field::Id,
                    b"parentId" => Field::ParentId,
                    b"customType" => Field::CustomType,
                    b"injectedRules" => Field::InjectedRules,
                    b"message" => Field::Message,
                    b"role" => Field::Role,
                    b"stopReason" => Field::StopReason,
                    b"errorMessage" => Field::ErrorMessage,
                    b"content" => Field::Content,
                    b"$serde_json::private::Number" => Field::Number,
                    _ => Field::Other,
                })
            }

            fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<Field, E> {
                self.visit_bytes(key.as_bytes())
            }
        }
        deserializer.deserialize_bytes(Key)
    }
}

struct RecordVisitor;

impl<'de> Visitor<'de> for RecordVisitor {
    type Value = Peek<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut peek = Peek::default();
        while let Some(field) = map.next_key::<Field>()? {
            match field {
                Field::Type => peek.kind = Some(map.next_value()?),
                Field::Id => peek.id = Some(map.next_value()?),
                Field::ParentId => peek.parent = Some(map.next_value()?),
                Field::CustomType => peek.custom_type = Some(map.next_value()?),
                Field::InjectedRules => peek.injected_rules = Some(map.next_value()?),
                Field::Message => peek.message = map.next_value_seed(MessageSeed)?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(peek)
    }
}

struct MessageSeed;

impl<'de> DeserializeSeed<'de> for MessageSeed {
    type Value = Payload<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MessageSeed {
    type Value = Payload<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a message")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut peek = MessagePeek::default();
        let mut number = false;
        while let Some(field) = map.next_key::<Field>()? {
            match field {
                Field::Role => peek.role = Some(map.next_value()?),
                Field::StopReason => peek.stop_reason = Some(map.next_value()?),
                Field::ErrorMessage => peek.error_message = Some(map.next_value()?),
                Field::CustomType => peek.custom_type = Some(map.next_value()?),
                Field::Content => peek.content = Some(map.next_value()?),
                other => {
                    number |= matches!(other, Field::Number);
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(if number { Payload::NoObject } else { Payload::Message(peek) })
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Payload::Missing)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Payload::NoObject)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Payload::NoObject)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Payload::NoObject)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Payload::NoObject)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Self::Value, S::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Payload::NoObject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Peek<'_> {
        match read(text) {
            Ok(Record::Object(peek, _)) => peek,
            _ => panic!("no object: {text}"),
        }
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        let peek = object(r#"{"id":"a","type":"x","id":"b","message":1,"message":{"role":"user"}}"#);
        assert!(is_string(peek.id, "b"));
        assert!(matches!(peek.message, Payload::Message(message) if message.role() == Role::User));
    }

    #[test]
    fn a_message_of_any_shape_is_no_error() {
        for (json, missing) in [("null", true), ("1.5", false), ("\"\\ud800\"", false), ("[1]", false), ("true", false)]
        {
            let text = format!(r#"{{"type":"message","message":{json}}}"#);
            let peek = object(&text);
            assert!(is_string(peek.kind, "message"));
            assert_eq!(matches!(peek.message, Payload::Missing), missing, "{json}");
            assert!(!matches!(peek.message, Payload::Message(_)));
        }
    }

    #[test]
    fn text_behind_the_first_value_is_left() {
        assert!(matches!(read(r#" {"a":1}{"b":2}"#), Ok(Record::Object(_, 8))));
        assert!(matches!(read("42 x"), Ok(Record::Other(_, 2))));
    }

    #[test]
    fn a_torn_record_is_told_from_a_wrong_one() {
        assert!(read(r#"{"a":"#).is_err_and(|error| error.cut_short && error.offset >= 4));
        assert!(read(r#"{"a":}"#).is_err_and(|error| !error.cut_short));
        let deep = format!("{}{}", r#"{"a":"#.repeat(100_000), "1");
        assert!(read(&format!("{deep}{}", "}".repeat(100_000))).is_err());
    }
}
