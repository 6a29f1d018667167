//! How groups begin: kinds, modifiers, names.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::Regex;

use super::{Flags, Parser};
use crate::pattern::syntax::error::PatternError;

/// What a pair of parentheses means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
    Plain,
    Capture(u32),
    Look { behind: bool, negative: bool },
}

/// The beginning of a group, with the flags that hold inside.
pub(crate) struct Opening {
    pub(crate) kind: GroupKind,
    pub(crate) flags: Flags,
}

/// What stands at one place of a group name.
enum NamePart {
    Point(char),
    /// What a `\u` escape stands for.
    Escaped(char),
    /// A back-slash that begins no such escape.
    BrokenEscape,
    /// Half of a surrogate pair.
    Half,
}

/// Whether a name may hold a character, as its first one or later.
fn is_in_name(point: char, first: bool) -> bool {
    static GRAMMAR: OnceLock<Option<[Regex; 2]>> = OnceLock::new();
    let grammar = GRAMMAR.get_or_init(|| {
        let start = Regex::new(r"^[\p{ID_Start}$_]$").ok()?;
        let part = Regex::new(r"^[\p{ID_Continue}$\x{200C}\x{200D}]$").ok()?;
        Some([start, part])
    });
    let mut buffer = [0; 4];
    grammar.as_ref().is_some_and(|grammar| grammar[usize::from(!first)].is_match(point.encode_utf8(&mut buffer)))
}

/// Counts the capture groups of a pattern, and tells whether any has a name. Both decide how escapes read, also those
/// before the group.
pub(crate) fn count_captures(source: &[u16], start: usize) -> (u32, bool) {
    let at = |index: usize| source.get(index).and_then(|&unit| char::from_u32(u32::from(unit)));
    let (mut captures, mut named, mut in_class) = (0, false, false);
    let mut index = start;
    while index < source.len() {
        match at(index) {
            Some('\\') => index += 1,
            Some('[') => in_class = true,
            Some(']') => in_class = false,
            Some('(') if !in_class => {
                if at(index + 1) != Some('?') {
                    captures += 1;
                } else if at(index + 2) == Some('<') && !matches!(at(index + 3), Some('=' | '!')) {
                    captures += 1;
                    named = true;
                }
            }
            _ => {}
        }
        index += 1;
    }
    (captures, named)
}

impl Parser<'_> {
    /// Reads `(`, `(?:`, `(?=`, `(?<name>` and so on. A capture group still lacks its number.
    pub(crate) fn read_opening(&mut self, flags: Flags) -> Result<Opening, PatternError> {
        let start = self.at;
        let looks = [("(?=", false, false), ("(?!", false, true), ("(?<=", true, false), ("(?<!", true, true)];
        for (text, behind, negative) in looks {
            if self.eat(text) {
                return Ok(Opening { kind: GroupKind::Look { behind, negative }, flags });
            }
        }
        if self.eat("(?:") {
            return Ok(Opening { kind: GroupKind::Plain, flags });
        }
        if self.eat("(?<") {
            let Some(name) = self.read_name() else {
                let end = (self.at + 1).min(self.source.len());
                return Err(PatternError::syntax("this group name is malformed", start..end)
                    .with_help("a name is letters, digits, `$` and `_`, not beginning with a digit, then `>`"));
            };
            if !self.names.add(name.clone(), self.opened + 1) {
                let error = PatternError::syntax(format!("the group name `{name}` is taken"), start..self.at);
                return Err(error.with_help("the same name may stand only in different alternatives"));
            }
            return Ok(Opening { kind: GroupKind::Capture(0), flags });
        }
        if self.eat("(?") {
            let flags = self.read_modifiers(start, flags)?;
            return Ok(Opening { kind: GroupKind::Plain, flags });
        }
        self.at += 1;
        Ok(Opening { kind: GroupKind::Capture(0), flags })
    }

    /// `i`, `m`, `s` letters, a `-` and more of them, then `:`.
    fn read_modifiers(&mut self, start: usize, mut flags: Flags) -> Result<Flags, PatternError> {
        let mut seen = String::new();
        let mut adding = true;
        loop {
            match self.peek(0) {
                Some(letter @ ('i' | 'm' | 's')) if !seen.contains(letter) => {
                    seen.push(letter);
                    match letter {
                        'i' => flags.ignore_case = adding,
                        'm' => flags.multiline = adding,
                        _ => flags.dot_all = adding,
                    }
                }
                Some('-') if adding => adding = false,
                Some(':') if !seen.is_empty() => {
                    self.at += 1;
                    return Ok(flags);
                }
                found => return Err(self.bad_group(start, found, &seen)),
            }
            self.at += 1;
        }
    }

    fn bad_group(&self, start: usize, found: Option<char>, seen: &str) -> PatternError {
        let end = (self.at + 1).min(self.source.len());
        let error = PatternError::syntax("no group begins like this", start..end);
        let first = self.source.get(start + 2).and_then(|&unit| char::from_u32(u32::from(unit)));
        match (first, found) {
            (Some('P'), _) if self.peek(1) == Some('=') => error.with_help("write `\\k<name>` for `(?P=name)`"),
            (Some('P'), _) => error.with_help("write `(?<name>…)` for `(?P<name>…)`"),
            (Some('\''), _) => error.with_help("write `(?<name>…)` for `(?'name'…)`"),
            (Some('>'), _) => error.with_help("ECMAScript has no atomic groups: write `(?:…)`"),
            (Some('#'), _) => error.with_help("ECMAScript has no comments in patterns: remove it"),
            (Some('|'), _) => error.with_help("ECMAScript has no branch reset: write `(?:…|…)`"),
            (_, Some(')')) if !seen.is_empty() || start + 3 == self.at => error.with_help(
                "a flag group without `:` may stand only at the very start and hold only `i`, `m`, `s`; elsewhere write `(?i:…)`",
            ),
            (_, Some('x' | 'u' | 'U' | 'g' | 'y' | 'L' | 'a')) => {
                error.with_help("the only flags are `i`, `m` and `s`; ECMAScript has no verbose mode")
            }
            (_, Some('i' | 'm' | 's')) => error.with_help("name each flag once"),
            _ => error.with_help("write `(?:…)` for a group without capture, or `\\(` for the character"),
        }
    }

    /// A group name up to and including `>`; nothing when it is malformed.
    pub(crate) fn read_name(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            match self.read_name_part()? {
                NamePart::Point('>') => return (!name.is_empty()).then_some(name),
                NamePart::Point(point) | NamePart::Escaped(point) if is_in_name(point, name.is_empty()) => {
                    name.push(point)
                }
                _ => return None,
            }
        }
    }

    /// The name of a reference, from behind its `\k<` on. The agent reads it whether or not any group has a name, and
    /// refuses the pattern when it meets a broken escape before anything else that ends the name.
    pub(crate) fn read_reference(&mut self, start: usize) -> Result<Option<String>, PatternError> {
        let mut name = String::new();
        while let Some(part) = self.read_name_part() {
            match part {
                NamePart::BrokenEscape => {
                    return Err(PatternError::syntax("this group name holds a broken escape", start..self.at)
                        .with_help("write the name as it is, or `k<` for the characters"));
                }
                NamePart::Point('>') => return Ok((!name.is_empty()).then_some(name)),
                NamePart::Point(point) | NamePart::Escaped(point) if is_in_name(point, name.is_empty()) => {
                    name.push(point)
                }
                NamePart::Point(_) | NamePart::Escaped(_) | NamePart::Half => break,
            }
        }
        Ok(None)
    }

    /// One character of a name, or the `>` that ends it; nothing at the end of the pattern.
    fn read_name_part(&mut self) -> Option<NamePart> {
        let unit = *self.source.get(self.at)?;
        self.at += 1;
        if unit == 0x5C {
            let escaped = self.read_name_escape();
            return Some(escaped.map_or(NamePart::BrokenEscape, |value| {
                char::from_u32(value).map_or(NamePart::Half, NamePart::Escaped)
            }));
        }
        let point = match (unit, self.source.get(self.at)) {
            (0xD800..=0xDBFF, Some(&low @ 0xDC00..=0xDFFF)) => {
                self.at += 1;
                pair(unit, low)
            }
            _ => u32::from(unit),
        };
        Some(char::from_u32(point).map_or(NamePart::Half, NamePart::Point))
    }

    /// `\uXXXX` (two of them for a pair) or `\u{…}` inside a name; the back-slash has been read.
    fn read_name_escape(&mut self) -> Option<u32> {
        if !self.eat("u") {
            return None;
        }
        if self.eat("{") {
            let mut value = 0_u32;
            let mut digits = 0;
            while let Some(digit) = self.peek(0).and_then(|digit| digit.to_digit(16)) {
                value = value.saturating_mul(16).saturating_add(digit);
                digits += 1;
                self.at += 1;
            }
            return (digits > 0 && self.eat("}")).then_some(value);
        }
        let high = self.read_hex(4)?;
        if (0xD800..=0xDBFF).contains(&high) {
            let before = self.at;
            if self.eat("\\u")
                && let Some(low @ 0xDC00..=0xDFFF) = self.read_hex(4)
            {
                return Some(pair(high, low));
            }
            self.at = before;
        }
        Some(u32::from(high))
    }
}

fn pair(high: u16, low: u16) -> u32 {
    0x10000 + (u32::from(high & 0x3FF) << 10) + u32::from(low & 0x3FF)
}

/// The names given so far. The same name may be given again only where the two groups cannot both take part, that is in
/// different alternatives of one disjunction.
#[derive(Debug)]
pub(crate) struct Names {
    groups: BTreeMap<String, Vec<(u32, usize)>>,
    /// The alternatives met: parent alternative, disjunction, depth.
    alternatives: Vec<(usize, usize, usize)>,
    current: usize,
    disjunctions: usize,
}

impl Default for Names {
    fn default() -> Self {
        Self { groups: BTreeMap::new(), alternatives: vec![(0, 0, 0)], current: 0, disjunctions: 1 }
    }
}

impl Names {
    pub(crate) fn groups(&self, name: &str) -> Vec<u32> {
        self.groups.get(name).map(|groups| groups.iter().map(|(index, _)| *index).collect()).unwrap_or_default()
    }

    pub(crate) fn open_group(&mut self) {
        let depth = self.alternatives[self.current].2 + 1;
        self.alternatives.push((self.current, self.disjunctions, depth));
        self.disjunctions += 1;
        self.current = self.alternatives.len() - 1;
    }

    pub(crate) fn next_alternative(&mut self) {
        let sibling = self.alternatives[self.current];
        self.alternatives.push(sibling);
        self.current = self.alternatives.len() - 1;
    }

    pub(crate) fn close_group(&mut self) {
        self.current = self.alternatives[self.current].0;
    }

    /// Names the capture group with this number; false when the name is taken.
    fn add(&mut self, name: String, index: u32) -> bool {
        let here = self.current;
        let free = self.groups.get(&name).is_none_or(|taken| taken.iter().all(|&(_, there)| self.exclude(there, here)));
        if free {
            self.groups.entry(name).or_default().push((index, here));
        }
        free
    }

    /// Whether two alternatives cannot both take part in a match.
    fn exclude(&self, mut left: usize, mut right: usize) -> bool {
        while self.alternatives[left].2 > self.alternatives[right].2 {
            left = self.alternatives[left].0;
        }
        while self.alternatives[right].2 > self.alternatives[left].2 {
            right = self.alternatives[right].0;
        }
        while left != right {
            let ((left_parent, left_in, _), (right_parent, right_in, _)) =
                (self.alternatives[left], self.alternatives[right]);
            if left_in == right_in {
                return true;
            }
            (left, right) = (left_parent, right_parent);
        }
        false
    }
}
