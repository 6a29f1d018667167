//! Escapes and character classes, with Annex B's second readings.

use super::{Atom, Parser, count};
use crate::pattern::syntax::charset::CharSet;
use crate::pattern::syntax::error::PatternError;
use crate::pattern::syntax::tree::Assertion;

impl Parser<'_> {
    /// An escape outside a class, from its back-slash on.
    pub(crate) fn read_escape(&mut self) -> Result<Atom, PatternError> {
        let start = self.at;
        match self.peek(1) {
            Some('b') => {
                self.at += 2;
                return Ok(Atom::Assert(Assertion::WordBoundary));
            }
            Some('B') => {
                self.at += 2;
                return Ok(Atom::Assert(Assertion::NotWordBoundary));
            }
            Some('1'..='9') => {
                let digits = self.source[start + 1..].iter().take_while(|&&unit| (0x30..=0x39).contains(&unit)).count();
                let index = count(&self.source[start + 1..start + 1 + digits]);
                if let Some(index) = u32::try_from(index).ok().filter(|&index| index <= self.captures) {
                    self.at += 1 + digits;
                    return Ok(Atom::Reference(index));
                }
            }
            Some('k') => {
                self.at += 2;
                let name = if self.eat("<") { self.read_reference(start)? } else { None };
                match name {
                    Some(name) if self.named => return Ok(Atom::NamedReference(name)),
                    _ if !self.named => {
                        // Without named groups the letter stands for itself, and what follows it is read again.
                        self.at = start + 2;
                        return Ok(Atom::Unit(0x6B));
                    }
                    _ => {}
                }
                return Err(PatternError::syntax("`\\k` needs a group name", start..self.at)
                    .with_help("write `\\k<name>`, or `k` for the letter"));
            }
            _ => {}
        }
        self.read_character_escape(false)
    }

    /// The escapes that mean the same inside and outside a class, and those a class reads its own way.
    fn read_character_escape(&mut self, in_class: bool) -> Result<Atom, PatternError> {
        let start = self.at;
        self.at += 1;
        let Some(&unit) = self.source.get(self.at) else {
            return Err(PatternError::syntax("the pattern ends in a back-slash", start..start + 1)
                .with_help("write `\\\\` for the character"));
        };
        let letter = char::from_u32(u32::from(unit)).unwrap_or('\u{FFFD}');
        self.at += 1;
        let set = |set: CharSet, lower: bool| Atom::Set(if lower { set } else { set.negated() });
        Ok(match letter {
            'd' | 'D' => set(CharSet::digits(), letter == 'd'),
            'w' | 'W' => set(CharSet::words(), letter == 'w'),
            's' | 'S' => set(CharSet::spaces(), letter == 's'),
            'f' => Atom::Unit(0x0C),
            'n' => Atom::Unit(0x0A),
            'r' => Atom::Unit(0x0D),
            't' => Atom::Unit(0x09),
            'v' => Atom::Unit(0x0B),
            'b' if in_class => Atom::Unit(0x08),
            'c' => match self.peek(0) {
                Some(control)
                    if control.is_ascii_alphabetic() || (in_class && (control.is_ascii_digit() || control == '_')) =>
                {
                    self.at += 1;
                    Atom::Unit(control as u16 % 32)
                }
                _ => {
                    // No control letter: the back-slash is a character, and the `c` follows as another.
                    self.at -= 1;
                    Atom::Unit(0x5C)
                }
            },
            '0'..='7' => {
                self.at -= 1;
                Atom::Unit(self.read_octal())
            }
            'x' => Atom::Unit(self.read_hex(2).unwrap_or(unit)),
            'u' => Atom::Unit(self.read_hex(4).unwrap_or(unit)),
            'k' if in_class && self.named => {
                return Err(PatternError::syntax(
                    "`\\k` cannot stand in a class when groups have names",
                    start..self.at,
                )
                .with_help("write `k` for the letter"));
            }
            _ => Atom::Unit(unit),
        })
    }

    /// Up to three octal digits with a value below 256.
    fn read_octal(&mut self) -> u16 {
        let mut value = 0;
        for _ in 0..3 {
            match self.peek(0).and_then(|digit| digit.to_digit(8)) {
                Some(digit) if value * 8 + digit < 256 => value = value * 8 + digit,
                _ => break,
            }
            self.at += 1;
        }
        value as u16
    }

    /// Exactly `digits` hexadecimal digits, or nothing is read.
    pub(crate) fn read_hex(&mut self, digits: usize) -> Option<u16> {
        let value = (0..digits).try_fold(0_u32, |value, index| {
            Some(value * 16 + self.peek(index).and_then(|digit| digit.to_digit(16))?)
        })?;
        self.at += digits;
        u16::try_from(value).ok()
    }

    /// A class, from its `[` on: its members, and whether it is negated.
    pub(crate) fn read_class(&mut self) -> Result<(CharSet, bool), PatternError> {
        let start = self.at;
        self.at += 1;
        let negated = self.eat("^");
        let mut ranges: Vec<(u16, u16)> = Vec::new();
        loop {
            let from = self.at;
            match self.peek(0) {
                None => {
                    return Err(PatternError::syntax("this class is never closed", start..start + 1)
                        .with_help(self.closing_help(start, ']', !self.source[..start].contains(&u16::from(b'(')))));
                }
                Some(']') => {
                    self.at += 1;
                    return Ok((CharSet::from_ranges(&ranges), negated));
                }
                Some(_) => {}
            }
            let first = self.read_member()?;
            if self.peek(0) != Some('-') || matches!(self.peek(1), Some(']') | None) {
                push(&mut ranges, &first);
                continue;
            }
            self.at += 1;
            let last = self.read_member()?;
            match (&first, &last) {
                (&Atom::Unit(low), &Atom::Unit(high)) if low <= high => ranges.push((low, high)),
                (Atom::Unit(_), Atom::Unit(_)) => {
                    let astral = self.source[from..self.at].iter().any(|unit| (0xD800..=0xDFFF).contains(unit));
                    return Err(PatternError::syntax("this range is out of order", from..self.at).with_help(
                        if astral {
                            "a character beyond U+FFFF is two units here and cannot end a range: use alternatives"
                        } else {
                            "swap its ends, or write `\\-` for the character"
                        },
                    ));
                }
                _ => {
                    // A class escape cannot end a range: the hyphen is a member.
                    push(&mut ranges, &first);
                    push(&mut ranges, &Atom::Unit(0x2D));
                    push(&mut ranges, &last);
                }
            }
        }
    }

    fn read_member(&mut self) -> Result<Atom, PatternError> {
        if self.peek(0) == Some('\\') {
            return self.read_character_escape(true);
        }
        let unit = self.source[self.at];
        self.at += 1;
        Ok(Atom::Unit(unit))
    }
}

fn push(ranges: &mut Vec<(u16, u16)>, atom: &Atom) {
    match atom {
        Atom::Unit(unit) => ranges.push((*unit, *unit)),
        Atom::Set(set) => ranges.extend_from_slice(set.ranges()),
        Atom::Assert(_) | Atom::Reference(_) | Atom::NamedReference(_) => {}
    }
}
