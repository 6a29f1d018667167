//! JSON values that keep what ECMAScript keeps: lone surrogates, key order, exact number text.
//!
//! `serde_json` does the scanning. Its own `Value` is no use here, since it refuses lone surrogates; so each
//! level is read as raw values and each string through bytes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{JsString, widen};

/// Deeper values are refused: nobody writes them, and each level costs a call frame.
pub const MAX_DEPTH: usize = crate::limits::JSON_NESTING;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was written.
    Number(Box<str>),
    /// A string.
    String(JsString),
    /// A list.
    Array(Vec<Value>),
    /// An object.
    Object(Object),
}

/// The members of a JSON object in the order of their first appearance; of equal keys the last value counts.
///
/// Clones share their members until one of them is changed: messages are handed around, and can be large.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(Arc<Vec<(JsString, Value)>>);

/// Objects of more members than this are read with an index over their keys.
const FEW_MEMBERS: usize = 16;

impl Object {
    /// An object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// The value of `key`, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        Arc::make_mut(&mut self.0).iter_mut().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Where `key` stands among the members, for [`Object::at`].
    pub fn position(&self, key: &str) -> Option<usize> {
        self.0.iter().position(|(name, _)| *name == key)
    }

    /// The value of the member at that place.
    pub fn at(&self, position: usize) -> Option<&Value> {
        self.0.get(position).map(|(_, value)| value)
    }

    /// Sets `key`, in place when it is there already.
    pub fn insert(&mut self, key: impl Into<JsString>, value: impl Into<Value>) {
        let (key, value) = (key.into(), value.into());
        let members = Arc::make_mut(&mut self.0);
        match members.iter_mut().find(|(name, _)| *name == key) {
            Some((_, old)) => *old = value,
            None => members.push((key, value)),
        }
    }

    /// Removes `key` and gives its value back.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.0.iter().position(|(name, _)| *name == key)?;
        Some(Arc::make_mut(&mut self.0).remove(at).1)
    }

    /// The members in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&JsString, &Value)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Number of members.
    #[cfg(feature = "internals")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Into<JsString>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let mut object: Vec<(JsString, Value)> = Vec::new();
        let mut seen = HashMap::new();
        for (key, value) in members {
            let (key, value) = (key.into(), value.into());
            if object.len() == FEW_MEMBERS {
                seen = object.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect();
            }
            let known = match object.len() {
                0..FEW_MEMBERS => object.iter().position(|(name, _)| *name == key),
                _ => seen.get(&key).copied(),
            };
            match known.and_then(|at| object.get_mut(at)) {
                Some((_, old)) => *old = value,
                None => {
                    if object.len() >= FEW_MEMBERS {
                        seen.insert(key.clone(), object.len());
                    }
                    object.push((key, value));
                }
            }
        }
        Self(Arc::new(object))
    }
}

/// Why a text is no JSON value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct JsonError {
    /// What is wrong.
    pub message: String,
    /// Byte offset of the place in the text that was read.
    pub offset: usize,
}

impl JsonError {
    fn new(error: &serde_json::Error, text: &str) -> Self {
        let line_start = match error.line() {
            0 | 1 => 0,
            line => memchr::memchr_iter(b'\n', text.as_bytes()).nth(line - 2).map_or(0, |at| at + 1),
        };
        let full = error.to_string();
        let message = full.split(" at line ").next().unwrap_or(&full).to_owned();
        Self { message, offset: (line_start + error.column().saturating_sub(1)).min(text.len()) }
    }
}

/// Reads one JSON value from `text`, which must hold nothing else but white space.
///
/// # Errors
/// When the text is no JSON value, or nests deeper than [`MAX_DEPTH`].
pub fn parse(text: &str) -> Result<Value, JsonError> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| JsonError::new(&error, text))?;
    from_raw(raw, 0).map_err(|message| JsonError { message, offset: text.len() - text.trim_start().len() })
}

/// Reads a raw value that `serde_json` has already checked for syntax.
///
/// # Errors
/// When it nests deeper than [`MAX_DEPTH`].
pub fn parse_raw(raw: &RawValue) -> Result<Value, JsonError> {
    from_raw(raw, 0).map_err(|message| JsonError { message, offset: 0 })
}

fn from_raw(raw: &RawValue, depth: usize) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err(format!("nested deeper than {MAX_DEPTH} levels"));
    }
    let text = raw.get();
    let read_error = |error: serde_json::Error| error.to_string();
    Ok(match text.as_bytes().first() {
        Some(b'n') => Value::Null,
        Some(b't') => Value::Bool(true),
        Some(b'f') => Value::Bool(false),
        Some(b'"') => Value::String(string(text).map_err(read_error)?),
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).map_err(read_error)?;
            Value::Array(items.into_iter().map(|item| from_raw(item, depth + 1)).collect::<Result<_, _>>()?)
        }
        Some(b'{') => {
            let RawMembers(members) = serde_json::from_str(text).map_err(read_error)?;
            let members = members.into_iter().map(|(key, value)| Ok((key.to_js(), from_raw(value, depth + 1)?)));
            Value::Object(members.collect::<Result<Object, String>>()?)
        }
        _ => Value::Number(text.into()),
    })
}

/// Reads a JSON string with its quotes.
fn string(text: &str) -> serde_json::Result<JsString> {
    let mut units = Vec::new();
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    match inside.and_then(|inside| unescape(inside.as_bytes(), &mut units)) {
        Some(()) => {
            if units.capacity() > units.len() * 2 {
                units.shrink_to_fit();
            }
            Ok(JsString::from_units(units))
        }
        // What is wrong with it.
        None => serde_json::from_str(text),
    }
}

/// Reads the inside of a JSON string; its code units replace what is in `units`. Nothing when it is none.
pub fn unescape(mut text: &[u8], units: &mut Vec<u16>) -> Option<()> {
    units.clear();
    units.reserve(text.len());
    while !text.is_empty() {
        let is_plain = |&byte: &u8| (0x20..0x80).contains(&byte) && byte != b'"' && byte != b'\\';
        let plain = text.iter().position(|byte| !is_plain(byte)).unwrap_or(text.len());
        let (ascii, rest) = text.split_at(plain);
        units.extend(ascii.iter().map(|&byte| u16::from(byte)));
        text = match *rest {
            [] => break,
            [b'\\', escape, ref rest @ ..] => {
                let (unit, rest) = match escape {
                    b'n' => (0x0A, rest),
                    b'"' | b'\\' | b'/' => (u16::from(escape), rest),
                    b't' => (0x09, rest),
                    b'r' => (0x0D, rest),
                    b'b' => (0x08, rest),
                    b'f' => (0x0C, rest),
                    b'u' => {
                        let (digits, rest) = rest.split_at_checked(4)?;
                        (hex(digits)?, rest)
                    }
                    _ => return None,
                };
                units.push(unit);
                rest
            }
            [0x80..=0xFF, ..] => {
                let wide = rest.iter().position(u8::is_ascii).unwrap_or(rest.len());
                let (wide, rest) = rest.split_at(wide);
                widen(std::str::from_utf8(wide).ok()?, units);
                rest
            }
            _ => return None,
        };
    }
    Some(())
}

fn hex(digits: &[u8]) -> Option<u16> {
    digits.iter().try_fold(0_u16, |sum, &digit| {
        let value = char::from(digit).to_digit(16)?;
        Some(sum << 4 | u16::try_from(value).ok()?)
    })
}

/// The members of an object, values unread.
pub struct RawMembers<'a>(pub Vec<(Key<'a>, &'a RawValue)>);

impl<'a> RawMembers<'a> {
    /// The members with their keys as text.
    pub fn named(self) -> Vec<(JsString, &'a RawValue)> {
        self.0.into_iter().map(|(key, value)| (key.to_js(), value)).collect()
    }
}

/// The key of a member as it stands in the text wherever that can be: WTF-8, escapes resolved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key<'a>(Cow<'a, [u8]>);

impl Key<'_> {
    /// The key as text.
    pub fn to_js(&self) -> JsString {
        JsString::from_wtf8(&self.0)
    }
}

impl PartialEq<str> for Key<'_> {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other.as_bytes()
    }
}

impl PartialEq<&str> for Key<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Key<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_borrowed_bytes<E: serde::de::Error>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(bytes)))
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(bytes.to_vec())))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = RawMembers<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    members.push(member);
                }
                Ok(RawMembers(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl Value {
    /// The string, when it is one.
    pub fn as_string(&self) -> Option<&JsString> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The truth value, when it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The number as a double, when it is one.
    pub fn as_f64(&self) -> Option<f64> {
        if let Self::Number(text) = self { text.parse().ok() } else { None }
    }

    /// The list, when it is one.
    pub fn as_array(&self) -> Option<&[Value]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The object, when it is one.
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// The member `key`, when this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.get(key)
    }

    /// What the value is, in a word for a message.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// Compact JSON, numbers and key order as they were read.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        write(&mut out, self, NumberStyle::Verbatim);
        out
    }

    /// Compact JSON as ECMAScript's `JSON.stringify` prints it: numbers in its own notation, array-index keys
    /// first.
    pub fn stringify(&self) -> String {
        let mut out = String::new();
        write(&mut out, self, NumberStyle::EcmaScript);
        out
    }
}

macro_rules! from_number {
    ($($number:ty),*) => {$(
        impl From<$number> for Value {
            fn from(number: $number) -> Self {
                Self::Number(number.to_string().into())
            }
        }
    )*};
}
from_number!(u32, u64, i64, usize);

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(format_number(number).into())
    }
}
impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}
impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}
impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}
impl From<JsString> for Value {
    fn from(text: JsString) -> Self {
        Self::String(text)
    }
}
impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Self::Array(items)
    }
}
impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

/// Builds an [`Object`] value from `key: value` pairs, in the order written.
#[macro_export]
macro_rules! json_object {
    ($($key:tt : $value:expr),* $(,)?) => {{
        let mut object = $crate::text::json::Object::new();
        $(object.insert($key, $value);)*
        object
    }};
}

#[derive(Clone, Copy, PartialEq)]
enum NumberStyle {
    Verbatim,
    EcmaScript,
}

/// A double as ECMAScript prints it; `null` where JSON has no number for it.
fn format_number(number: f64) -> String {
    if number.is_finite() { ryu_js::Buffer::new().format(number).to_owned() } else { "null".to_owned() }
}

fn write(out: &mut String, value: &Value, style: NumberStyle) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(text) if style == NumberStyle::Verbatim => out.push_str(text),
        Value::Number(text) => out.push_str(&format_number(text.parse().unwrap_or(f64::NAN))),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(out, item, style);
            }
            out.push(']');
        }
        Value::Object(object) => {
            let mut members: Vec<(&JsString, &Value)> = object.iter().collect();
            if style == NumberStyle::EcmaScript {
                members.sort_by_key(|(key, _)| array_index(key).unwrap_or(u32::MAX));
            }
            out.push('{');
            for (at, (key, member)) in members.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write(out, member, style);
            }
            out.push('}');
        }
    }
}

/// The key as an array index, which ECMAScript lists before all other keys, in numeric order.
fn array_index(key: &JsString) -> Option<u32> {
    let text = key.to_utf8()?;
    let number: u32 = text.parse().ok()?;
    (number != u32::MAX && number.to_string() == text).then_some(number)
}

/// Appends `text` as a JSON string: non-ASCII raw, only the mandatory escapes, lone surrogates as `\udXXX`
/// (session.md S1.1).
pub fn write_string(out: &mut String, text: &JsString) {
    use fmt::Write as _;
    out.push('"');
    for unit in char::decode_utf16(text.units().iter().copied()) {
        match unit {
            Ok('"') => out.push_str("\\\""),
            Ok('\\') => out.push_str("\\\\"),
            Ok('\n') => out.push_str("\\n"),
            Ok('\r') => out.push_str("\\r"),
            Ok('\t') => out.push_str("\\t"),
            Ok('\u{8}') => out.push_str("\\b"),
            Ok('\u{c}') => out.push_str("\\f"),
            Ok(control @ '\0'..='\u{1f}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            Ok(other) => out.push(other),
            Err(lone) => {
                let _ = write!(out, "\\u{:04x}", lone.unpaired_surrogate());
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_keeps_order_numbers_and_surrogates() {
        let text = r#"{"b":1.0,"a":[null,true,"\ud800"],"b":12345678901234567890}"#;
        let value = parse(text).expect("valid");
        assert_eq!(value.to_json(), r#"{"b":12345678901234567890,"a":[null,true,"\ud800"]}"#);
    }

    #[test]
    fn stringify_prints_as_ecmascript() {
        let value = parse(r#"{"x":1.0,"10":1e3,"2":-0,"01":1E400}"#).expect("valid");
        assert_eq!(value.stringify(), r#"{"2":0,"10":1000,"x":1,"01":null}"#);
    }

    #[test]
    fn errors_carry_the_byte_offset() {
        let error = parse("{\"a\": tru}").expect_err("not JSON");
        assert_eq!(error.offset, 9);
        assert_eq!(parse("{\"a\":1").expect_err("cut").message, "EOF while parsing an object");
    }

    fn inside(text: &str) -> Option<Vec<u16>> {
        let mut units = vec![1];
        unescape(text.as_bytes(), &mut units).map(|()| units)
    }

    /// The reader of all lines takes strings by `serde_json`; both must agree on every text.
    #[test]
    fn strings_are_read_as_the_slow_reader_reads_them() {
        let pieces = [
            "a",
            "é",
            "😀",
            "\\n",
            "\\\"",
            "\\\\",
            "\\/",
            "\\b\\f\\r\\t",
            "\\u0041",
            "\\ud83d",
            "\\ude00",
            "\\uD83D\\uDE00",
            "\\u12",
            "\\x",
            "\\",
            "\u{1}",
            "\n",
            "\"",
            "\u{7f}",
            "\\uZZZZ",
            "\\u+123",
            "",
        ];
        for one in pieces {
            for two in pieces {
                for three in pieces {
                    let inner = format!("{one}{two}{three}");
                    let text = format!("\"{inner}\"");
                    let raw = serde_json::from_str::<&RawValue>(&text).ok();
                    let slow: Option<JsString> = raw.and_then(|raw| serde_json::from_str(raw.get()).ok());
                    assert_eq!(inside(&inner), slow.map(JsString::into_units), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn deep_nesting_is_an_error_not_a_crash() {
        assert!(parse(&"[".repeat(100_000)).is_err());
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(parse(&deep).is_err());
        let fine = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert!(parse(&fine).is_ok());
    }
}
