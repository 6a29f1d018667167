//! [`OpenString`]: a string of tool arguments that is being read, escapes included (engine.md E6.6).
//!
//! Models forget to escape quotes inside of strings, so a quote ends a string only where JSON goes on behind it: after
//! white space comes a comma, a colon, a closing brace or bracket, or nothing yet. Any other quote is text. A comment
//! behind the quote does not count as JSON going on (vectors-wide: `{"a": "b" /`).

use crate::text::{JsString, is_js_white_space};

const BACKSLASH: u16 = b'\\' as u16;
const LOWER_U: u16 = b'u' as u16;

/// Units of a whole `\uXXXX`.
const HEX_ESCAPE: usize = 6;

/// A string whose end has not been read.
#[derive(Debug, Default)]
pub(super) struct OpenString {
    quote: u16,
    units: Vec<u16>,
    /// An escape that is not complete yet, from its backslash on.
    escape: Vec<u16>,
    /// A quote that may be the end, and the white space behind it.
    end: Vec<u16>,
}

impl OpenString {
    /// An empty string that this quote ends.
    pub(super) fn new(quote: u16) -> Self {
        Self { quote, ..Self::default() }
    }

    /// What stays, and the units of an escape that is not complete.
    pub(super) fn shown(&self) -> (&[u16], &[u16]) {
        (&self.units, &self.escape)
    }

    /// Takes the leading units that stand for themselves, and says how many those are.
    pub(super) fn take_plain(&mut self, units: &[u16]) -> usize {
        if !self.escape.is_empty() || !self.end.is_empty() {
            return 0;
        }
        let special = units.iter().position(|&unit| unit == self.quote || unit == BACKSLASH);
        let plain = special.unwrap_or(units.len());
        self.units.extend_from_slice(&units[..plain]);
        plain
    }

    /// Takes the next unit. When it shows that the string has ended before it, gives the text and leaves the unit.
    pub(super) fn step(&mut self, unit: u16) -> Option<JsString> {
        if !self.end.is_empty() {
            if is_js_white_space(unit) {
                self.end.push(unit);
                return None;
            }
            if [b',', b':', b'}', b']'].map(u16::from).contains(&unit) {
                return Some(JsString::from_units(std::mem::take(&mut self.units)));
            }
            self.units.append(&mut self.end);
        }
        match self.escape.len() {
            0 if unit == self.quote => self.end.push(unit),
            0 if unit == BACKSLASH => self.escape.push(unit),
            0 => self.units.push(unit),
            1 => match simple_escape(unit) {
                Some(meant) => {
                    self.escape.clear();
                    self.units.push(meant);
                }
                None if unit == LOWER_U => self.escape.push(unit),
                None => {
                    // An unknown escape stands for itself, backslash included.
                    self.units.append(&mut self.escape);
                    self.units.push(unit);
                }
            },
            _ if hex_digit(unit).is_none() => {
                self.units.append(&mut self.escape);
                return self.step(unit);
            }
            _ => {
                self.escape.push(unit);
                if self.escape.len() == HEX_ESCAPE {
                    let digits = self.escape[2..].iter().filter_map(|&digit| hex_digit(digit));
                    self.units.push(digits.fold(0, |sum, digit| sum * 16 + digit));
                    self.escape.clear();
                }
            }
        }
        None
    }
}

fn simple_escape(unit: u16) -> Option<u16> {
    Some(match u8::try_from(unit).ok()? {
        quoted @ (b'"' | b'\'' | b'\\' | b'/') => u16::from(quoted),
        b'b' => 0x08,
        b'f' => 0x0C,
        b'n' => 0x0A,
        b'r' => 0x0D,
        b't' => 0x09,
        _ => return None,
    })
}

fn hex_digit(unit: u16) -> Option<u16> {
    char::from_u32(unit.into())?.to_digit(16).and_then(|digit| u16::try_from(digit).ok())
}
