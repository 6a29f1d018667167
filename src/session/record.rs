//! One JSONL record looked at just far enough for the index: type, id, parent and the few marks that audits
//! need of every entry. Nothing is copied but what is rare.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem::Finder;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::message::{Ending, INJECTION_TYPE, REMINDER_PREFIX};
use crate::text::JsString;
use crate::text::json::{self, MAX_DEPTH, Value};

use super::ecmascript::is_truthy;
use super::flags;
use super::kind::Role;

/// The members of a record that the index wants, unread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Peek<'a> {
    pub(super) kind: Option<&'a RawValue>,
    pub(super) id: Option<&'a RawValue>,
    pub(super) parent: Option<&'a RawValue>,
    pub(super) custom_type: Option<&'a RawValue>,
    pub(super) injected_rules: Option<&'a RawValue>,
    pub(super) message: Option<&'a RawValue>,
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

/// What the index keeps of the `message` of a `message` entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageLook {
    /// The record is no `message` entry.
    NoEntry,
    /// There is no message, or it is `null`: the agent raises when it opens the file.
    Missing,
    /// Neither an object nor `null`.
    NoObject,
    /// A message with this role and these flags of the index.
    Message(Role, u16),
}

/// Looks at the message of a record.
pub(super) fn look_at_message(peek: &Peek<'_>) -> MessageLook {
    if !is_string(peek.kind, "message") {
        return MessageLook::NoEntry;
    }
    match peek.message {
        Some(raw) if raw.get().starts_with('{') => match plain_role(raw.get()) {
            Some(role) => MessageLook::Message(role, 0),
            None => {
                let message = MessagePeek::read(raw);
                let role = message.role();
                MessageLook::Message(role, message.flags(role))
            }
        },
        Some(raw) if raw.get() != "null" => MessageLook::NoObject,
        _ => MessageLook::Missing,
    }
}

/// Whether the agent raises when it sums up the usage of an assistant's message.
pub(super) fn lacks_cost(peek: &Peek<'_>) -> bool {
    let MessageLook::Message(Role::Assistant, _) = look_at_message(peek) else { return false };
    let message = peek.message.and_then(|raw| json::parse_raw(raw).ok());
    let Some(usage) = message.as_ref().and_then(|message| message.get("usage")) else { return false };
    is_truthy(usage) && usage.get("cost").is_none_or(|cost| *cost == Value::Null)
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
    if let Ok((peek, keys)) = deserializer.deserialize_map(RecordVisitor)
        && deserializer.end().is_ok()
        && keys == Keys::Plain
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
    let (peek, _) = deserializer.deserialize_map(RecordVisitor).map_err(|error| unreadable(&error, text))?;
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
    if text.len() <= MAX_DEPTH || openings(text) <= MAX_DEPTH {
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

/// Number of bytes that may open a list or an object; few texts hold enough of them to need the exact depth.
fn openings(text: &str) -> usize {
    // `[` and `{` differ in one bit. Counting in bytes lets the compiler use wide registers.
    let count = |piece: &[u8]| piece.iter().map(|byte| u8::from(byte | 0x20 == b'{')).sum::<u8>();
    text.as_bytes().chunks(128).map(|piece| usize::from(count(piece))).sum()
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

/// What a plain message holds that is never more than it seems: see [`plain_role`].
static MARKS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let builder = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).clone();
    builder.build(["\"role\"", "\\u00", "rule_violation", "aborted", "\"error\""]).ok()
});

/// The role of a message of which the index wants nothing else, found without reading its members.
///
/// Nearly all messages are so, and a search for a few words is many times faster than going through the members.
/// Nothing is said of a message whose role does not stand first, that may have a second role or escaped keys, an
/// assistant's that may have ended `aborted` or `error`, and a tool result that may begin with a reminder.
fn plain_role(json: &str) -> Option<Role> {
    let known = [("user", Role::User), ("assistant", Role::Assistant), ("toolResult", Role::ToolResult)];
    let rest = json.strip_prefix("{\"role\":\"")?;
    let (_, role) =
        known.into_iter().find(|(name, _)| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('"')))?;
    let marks = MARKS.as_ref()?;
    let mut found = marks.find_iter(&json[1..]).map(|found| (found.start(), found.pattern().as_usize()));
    found
        .all(|(at, mark)| match mark {
            0 => at == 0,
            1 => false,
            2 => role != Role::ToolResult,
            _ => role != Role::Assistant,
        })
        .then_some(role)
}

impl<'a> MessagePeek<'a> {
    /// Reads what the index wants of a message object.
    pub(super) fn read(raw: &'a RawValue) -> Self {
        let mut deserializer = serde_json::Deserializer::from_str(raw.get());
        deserializer.deserialize_map(MessageVisitor).unwrap_or_default()
    }

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

    /// The flags that the index keeps of the message.
    fn flags(&self, role: Role) -> u16 {
        match role {
            Role::Assistant => match self.ending() {
                Ending::Rules(_) => flags::ABORTED | flags::RULE_ABORT,
                Ending::Aborted => flags::ABORTED,
                Ending::Failed => flags::ERROR,
                Ending::Complete => 0,
            },
            Role::ToolResult if self.begins_with_reminder() => flags::REMINDER,
            Role::Other if is_string(self.custom_type, INJECTION_TYPE) => flags::INJECTION_MESSAGE,
            _ => 0,
        }
    }

    /// How the assistant message ended.
    fn ending(&self) -> Ending {
        Ending::of(self.stop_reason.and_then(string).as_ref(), self.error_message.and_then(string).as_ref())
    }

    /// Whether the first text block begins with a reminder.
    pub(super) fn begins_with_reminder(&self) -> bool {
        let Some(content) = self.content else { return false };
        // Escapes of plain letters are legal, so a backslash-u needs the slow way.
        static MARK: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("rule_violation"));
        static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\\u00"));
        let json = content.get().as_bytes();
        if MARK.find(json).is_none() && ESCAPE.find(json).is_none() {
            return false;
        }
        let Ok(content) = json::parse_raw(content) else { return false };
        first_text(&content).is_some_and(|text| text.starts_with(REMINDER_PREFIX))
    }
}

/// The first text block of a message's content, or the content that is a string.
pub fn first_text(content: &Value) -> Option<&JsString> {
    if let Some(text) = content.as_string() {
        return Some(text);
    }
    let is_text =
        |block: &&Value| block.get("type").and_then(|kind| kind.as_string()).is_some_and(|kind| *kind == "text");
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
    Other(Keys),
}

/// What the keys of a record hold.
#[derive(Clone, Copy, PartialEq)]
enum Keys {
    Plain,
    /// Control characters. Read as bytes, a key does not tell escaped ones from raw ones, which JSON forbids.
    Controls,
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
                    _ if key.iter().any(|byte| *byte < 0x20) => Field::Other(Keys::Controls),
                    _ => Field::Other(Keys::Plain),
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
    type Value = (Peek<'de>, Keys);

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let (mut peek, mut keys) = (Peek::default(), Keys::Plain);
        while let Some(field) = map.next_key::<Field>()? {
            match field {
                Field::Type => peek.kind = Some(map.next_value()?),
                Field::Id => peek.id = Some(map.next_value()?),
                Field::ParentId => peek.parent = Some(map.next_value()?),
                Field::CustomType => peek.custom_type = Some(map.next_value()?),
                Field::InjectedRules => peek.injected_rules = Some(map.next_value()?),
                Field::Message => peek.message = Some(map.next_value()?),
                field => {
                    if let Field::Other(Keys::Controls) = field {
                        keys = Keys::Controls;
                    }
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok((peek, keys))
    }
}

struct MessageVisitor;

impl<'de> Visitor<'de> for MessageVisitor {
    type Value = MessagePeek<'de>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a message")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut peek = MessagePeek::default();
        while let Some(field) = map.next_key::<Field>()? {
            match field {
                Field::Role => peek.role = Some(map.next_value()?),
                Field::StopReason => peek.stop_reason = Some(map.next_value()?),
                Field::ErrorMessage => peek.error_message = Some(map.next_value()?),
                Field::CustomType => peek.custom_type = Some(map.next_value()?),
                Field::Content => peek.content = Some(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(peek)
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
        assert_eq!(peek.message.map(RawValue::get), Some(r#"{"role":"user"}"#));
    }

    #[test]
    fn a_raw_control_character_is_an_error_wherever_it_stands() {
        for control in ['\t', '\u{1}', '\u{1F}', '\r', '\n'] {
            for text in [format!("{{\"a{control}b\":1}}"), format!("{{\"type\":\"x\",\"a\":{{\"{control}\":1}}}}")] {
                assert!(read(&text).is_err(), "{text:?}");
            }
        }
        assert!(is_string(object(r#"{"a\tb\u0001":1,"id":"x"}"#).id, "x"));
    }

    #[test]
    fn a_message_of_any_shape_is_no_error() {
        for json in ["null", "1.5", "-1", "\"\\ud800\"", "[1]", "true"] {
            let text = format!(r#"{{"type":"message","message":{json}}}"#);
            assert_eq!(object(&text).message.map(RawValue::get), Some(json));
        }
    }

    #[test]
    fn a_plain_role_is_given_only_where_nothing_else_matters() {
        let plain = |json| plain_role(json);
        assert_eq!(plain(r#"{"role":"user","content":"aborted, \"role\", rule_violation"}"#), Some(Role::User));
        assert_eq!(plain(r#"{"role":"toolResult","content":"aborted"}"#), Some(Role::ToolResult));
        assert_eq!(plain(r#"{"role":"assistant","content":[],"stopReason":"stop"}"#), Some(Role::Assistant));
        for unclear in [
            r#"{"role":"assistant","stopReason":"aborted"}"#,
            r#"{"role":"assistant","stopReason":"error"}"#,
            r#"{"role":"assistant","stopReason":"err\u006fr"}"#,
            r#"{"role":"toolResult","content":"<system-reminder reason=\"rule_violation\""}"#,
            r#"{"role":"user","role":"assistant"}"#,
            r#"{"role":"custom"}"#,
            r#"{"content":"","role":"user"}"#,
        ] {
            assert_eq!(plain(unclear), None, "{unclear}");
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
