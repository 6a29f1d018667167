//! A YAML text changed, character for character, where the parser is stricter than the agent's reader.
//!
//! No character is added or lost, so that places in the changed text are places in the written one.

use std::borrow::Cow;

use super::node::Style;

/// So many places are changed because the parser stumbled there; each costs another reading.
const MAX_REPAIRS: usize = 64;

/// The text for the parser.
pub(super) struct YamlText<'a> {
    text: Cow<'a, str>,
    /// Stands for the backslash of an escape that is half of a surrogate pair.
    escape: Option<char>,
    /// Characters that stand for others, which belong to a plain scalar.
    instead: Vec<(char, char)>,
    repairs: usize,
}

impl<'a> YamlText<'a> {
    /// Puts away what the parser could not read: the halves of `"\ud83d\ude00"`.
    pub(super) fn new(written: &'a str) -> Self {
        let mut text = Self { text: Cow::Borrowed(written), escape: None, instead: Vec::new(), repairs: 0 };
        let pairs = surrogate_pairs(written);
        if !pairs.is_empty()
            && let Some(escape) = unused(written)
        {
            let mut changed = String::with_capacity(written.len());
            let mut done = 0;
            for at in pairs.into_iter().flat_map(|at| [at, at + ESCAPE_LEN]) {
                changed.push_str(&written[done..at]);
                changed.push(escape);
                done = at + 1;
            }
            changed.push_str(&written[done..]);
            text.text = Cow::Owned(changed);
            text.escape = Some(escape);
        }
        text
    }

    /// The text to be parsed.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Changes the character at which the parser gave up, when the agent reads on there: a byte order mark, which counts
    /// only within a scalar, or a comma at the beginning of a plain scalar outside of brackets.
    pub(super) fn repair(&mut self, character: usize) -> bool {
        let Some((at, one)) = self.text.char_indices().nth(character) else { return false };
        if self.repairs == MAX_REPAIRS {
            return false;
        }
        let before = &self.text[..at];
        let line = before.rsplit('\n').next().unwrap_or_default().trim_end_matches(' ');
        let spaced = before.ends_with(' ');
        let begins_block = spaced && line.ends_with([':', '-', '?']);
        let instead = match one {
            '\u{FEFF}' if before.is_empty() || before.ends_with('\n') => return false,
            '\u{FEFF}' if line.is_empty() || begins_block || line.ends_with(['[', '{', ',']) => Some(' '),
            '\u{FEFF}' => self.stand_in(one),
            ',' if begins_block || (line.is_empty() && !before.trim_end().ends_with(['[', '{', ','])) => {
                self.stand_in(one)
            }
            _ => return false,
        };
        let Some(instead) = instead else { return false };
        self.repairs += 1;
        let mut changed = self.text[..at].to_owned();
        changed.push(instead);
        changed.push_str(&self.text[at + one.len_utf8()..]);
        self.text = Cow::Owned(changed);
        true
    }

    /// A character that stands for `one` where the parser would not take that.
    fn stand_in(&mut self, one: char) -> Option<char> {
        let known = self.instead.iter().find(|(_, other)| *other == one).map(|(instead, _)| *instead);
        let instead = known.or_else(|| unused(&self.text))?;
        if known.is_none() {
            self.instead.push((instead, one));
        }
        Some(instead)
    }

    /// A scalar as it was written.
    pub(super) fn restore(&self, scalar: &str, style: Style) -> String {
        let mut scalar = scalar.to_owned();
        for &(instead, one) in &self.instead {
            scalar = scalar.replace(instead, one.encode_utf8(&mut [0; 4]));
        }
        match self.escape {
            Some(escape) if style == Style::DoubleQuoted => join_pairs(&scalar, escape),
            Some(escape) => scalar.replace(escape, "\\"),
            None => scalar,
        }
    }
}

/// `\uXXXX`
const ESCAPE_LEN: usize = 6;

/// Where two escapes stand that are the halves of a surrogate pair.
fn surrogate_pairs(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(next) = memchr::memchr(b'\\', &bytes[at..]) {
        at += next;
        let high = half(bytes, at).is_some_and(|unit| (0xD800..0xDC00).contains(&unit));
        let low = half(bytes, at + ESCAPE_LEN).is_some_and(|unit| (0xDC00..0xE000).contains(&unit));
        if high && low {
            found.push(at);
            at += 2 * ESCAPE_LEN;
        } else {
            // What a backslash escapes begins no escape.
            at += 2;
        }
        if at >= bytes.len() {
            break;
        }
    }
    found
}

/// The code unit of the escape at `at`.
fn half(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + ESCAPE_LEN)?.strip_prefix(b"\\u")?;
    let digits =
        std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

/// Puts the pairs back as the characters that they are.
fn join_pairs(scalar: &str, escape: char) -> String {
    let escaped = scalar.replace(escape, "\\");
    let mut joined = String::with_capacity(scalar.len());
    let mut rest = scalar;
    while let Some(at) = rest.find(escape) {
        joined.push_str(&rest[..at]);
        // Both halves stand together, since neither a line nor a scalar ends between them.
        let pair: String = rest[at..].chars().take(2 * ESCAPE_LEN).collect();
        let plain = pair.replace(escape, "\\");
        match (half(plain.as_bytes(), 0), half(plain.as_bytes(), ESCAPE_LEN)) {
            (Some(high), Some(low)) if high >= 0xD800 && low >= 0xDC00 => {
                let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                joined.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => return escaped,
        }
        rest = &rest[at + pair.len()..];
    }
    joined.push_str(rest);
    joined
}

/// A character of the private use area that a text does not hold.
fn unused(text: &str) -> Option<char> {
    ('\u{E000}'..='\u{F8FF}').find(|&one| !text.contains(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_put_away_and_come_back_where_they_count() {
        let written = r#"a: "\ud83d\ude00 \\ud83d\ude00""#;
        let text = YamlText::new(written);
        assert_eq!(text.as_str().chars().count(), written.chars().count());
        let scalar = text.as_str().split('"').nth(1).expect("a scalar");
        assert_eq!(text.restore(scalar, Style::DoubleQuoted), r"😀 \\ud83d\ude00");
        assert_eq!(text.restore(scalar, Style::Plain), r"\ud83d\ude00 \\ud83d\ude00");
        assert!(surrogate_pairs(r"\ud83d \ude00 \ude00\ud83d \ud83d\u0041 \ud83").is_empty());
    }
}
