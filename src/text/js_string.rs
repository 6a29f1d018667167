//! [`JsString`]: a string as ECMAScript has it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, Visitor};

/// A string of UTF-16 code units, which may hold unpaired surrogates.
///
/// Lengths and offsets are code units. Order is by code unit, as ECMAScript compares strings.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JsString(Vec<u16>);

impl JsString {
    /// The empty string.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Takes code units as they are.
    pub fn from_units(units: impl Into<Vec<u16>>) -> Self {
        Self(units.into())
    }

    /// Decodes WTF-8, that is UTF-8 in which a lone surrogate may stand as three bytes.
    ///
    /// Any other malformed sequence becomes U+FFFD, as a text decoder does.
    pub fn from_wtf8(bytes: &[u8]) -> Self {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Self::from(text);
        }
        let mut units = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    units.extend(text.encode_utf16());
                    break;
                }
                Err(error) => {
                    let (good, bad) = rest.split_at(error.valid_up_to());
                    units.extend(String::from_utf8_lossy(good).encode_utf16());
                    if let [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ..] = *bad {
                        units.push(0xD000 | (u16::from(second & 0x3F) << 6) | u16::from(third & 0x3F));
                        rest = &bad[3..];
                    } else {
                        units.push(0xFFFD);
                        rest = &bad[error.error_len().unwrap_or(bad.len())..];
                    }
                }
            }
        }
        Self(units)
    }

    /// The code units.
    pub fn units(&self) -> &[u16] {
        &self.0
    }

    /// The code units, owned.
    pub fn into_units(self) -> Vec<u16> {
        self.0
    }

    /// Length in code units.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no code unit.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends code units.
    pub fn push_units(&mut self, units: &[u16]) {
        self.0.extend_from_slice(units);
    }

    /// Appends text.
    pub fn push_str(&mut self, text: &str) {
        widen(text, &mut self.0);
    }

    /// Removes everything, keeping the allocation.
    #[cfg(feature = "internals")]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The text without leading and trailing ECMAScript white space and line terminators (U+FEFF included,
    /// U+0085 not).
    #[must_use]
    pub fn trim(&self) -> Self {
        let is_blank = |unit: &u16| is_js_white_space(*unit);
        let Some(start) = self.0.iter().position(|unit| !is_blank(unit)) else {
            return Self::new();
        };
        let end = self.0.iter().rposition(|unit| !is_blank(unit)).map_or(start, |last| last + 1);
        Self(self.0[start..end].to_vec())
    }

    /// Whether the text is empty or white space only.
    pub fn is_blank(&self) -> bool {
        self.0.iter().all(|unit| is_js_white_space(*unit))
    }

    /// Whether the text begins with `prefix`.
    pub fn starts_with(&self, prefix: &str) -> bool {
        let mut units = self.0.iter().copied();
        prefix.encode_utf16().all(|unit| units.next() == Some(unit))
    }

    /// Whether `needle` occurs in the text.
    pub fn contains(&self, needle: &str) -> bool {
        let needle: Vec<u16> = needle.encode_utf16().collect();
        needle.is_empty() || self.0.windows(needle.len()).any(|window| window == needle)
    }

    /// The text as a message quotes it: its first 80 characters.
    pub fn quotable(&self) -> String {
        let text = self.to_string_lossy();
        match text.char_indices().nth(80) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    /// The text for people: each lone surrogate shown as U+FFFD.
    pub fn to_string_lossy(&self) -> String {
        String::from_utf16_lossy(&self.0)
    }

    /// The text, or nothing when it holds a lone surrogate.
    pub fn to_utf8(&self) -> Option<String> {
        String::from_utf16(&self.0).ok()
    }

    /// ECMAScript `toLowerCase` for the ASCII letters only.
    #[must_use]
    pub fn to_ascii_lowercase(&self) -> Self {
        let lower = |&unit: &u16| if (0x41..=0x5A).contains(&unit) { unit + 0x20 } else { unit };
        Self(self.0.iter().map(lower).collect())
    }

    /// Number of bytes of the text in UTF-8, a lone surrogate counting three.
    pub fn utf8_len(&self) -> usize {
        utf8_len(&self.0)
    }
}

/// Whether ECMAScript counts the code unit as white space or a line terminator (`trim`, `\s`).
pub fn is_js_white_space(unit: u16) -> bool {
    matches!(
        unit,
        0x09..=0x0D
            | 0x20
            | 0xA0
            | 0x1680
            | 0x2000..=0x200A
            | 0x2028
            | 0x2029
            | 0x202F
            | 0x205F
            | 0x3000
            | 0xFEFF
    )
}

impl From<&str> for JsString {
    fn from(text: &str) -> Self {
        let mut units = Vec::new();
        widen(text, &mut units);
        Self(units)
    }
}

/// Appends the code units of `text`; ASCII goes without a detour.
pub fn widen(text: &str, units: &mut Vec<u16>) {
    let bytes = text.as_bytes();
    let ascii = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(bytes.len());
    units.reserve(bytes.len());
    let (ascii, rest) = text.split_at(ascii);
    units.extend(ascii.bytes().map(u16::from));
    units.extend(rest.encode_utf16());
}

/// Number of bytes of code units in UTF-8, a lone surrogate counting three.
pub fn utf8_len(units: &[u16]) -> usize {
    if units.iter().all(|&unit| unit < 0x80) {
        return units.len();
    }
    char::decode_utf16(units.iter().copied()).map(|unit| unit.map_or(3, char::len_utf8)).sum()
}

impl From<String> for JsString {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl PartialEq<str> for JsString {
    fn eq(&self, other: &str) -> bool {
        self.0.iter().copied().eq(other.encode_utf16())
    }
}

impl PartialEq<&str> for JsString {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl fmt::Display for JsString {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_string_lossy())
    }
}

impl fmt::Debug for JsString {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut json = String::new();
        super::json::write_string(&mut json, self);
        formatter.write_str(&json)
    }
}

/// Reads a JSON string through bytes, since that is the only way in which `serde_json` hands on lone surrogates.
impl<'de> Deserialize<'de> for JsString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = JsString;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<JsString, E> {
                Ok(JsString::from_wtf8(bytes))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<JsString, E> {
                Ok(JsString::from(text))
            }
        }
        deserializer.deserialize_bytes(Bytes).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_survive_reading_and_writing() {
        let text: JsString = serde_json::from_str(r#""a\ud83d\ude00\ud83dz\udc00""#).expect("a string");
        assert_eq!(text.units(), [0x61, 0xD83D, 0xDE00, 0xD83D, 0x7A, 0xDC00]);
        let mut json = String::new();
        super::super::json::write_string(&mut json, &text);
        assert_eq!(json, "\"a😀\\ud83dz\\udc00\"");
    }

    #[test]
    fn malformed_bytes_become_replacement_characters() {
        assert_eq!(JsString::from_wtf8(b"a\xFFb").units(), [0x61, 0xFFFD, 0x62]);
        assert_eq!(JsString::from_wtf8(b"\xED\xA0\xBD").units(), [0xD83D]);
    }

    #[test]
    fn trim_follows_ecmascript() {
        assert_eq!(JsString::from("\u{FEFF}\u{2028} a\u{85} \n").trim(), "a\u{85}");
        assert!(JsString::from(" \u{3000}\u{FEFF}").is_blank());
    }
}
