//! The ECMAScript grammar without the `u` and `v` flags, Annex B included (engine.md E4).
//!
//! The parser keeps its own stack of open groups, so nesting is bounded by the length of the source alone.

mod escape;
mod group;

use std::collections::HashMap;
use std::ops::Range;

use crate::pattern::syntax::charset::CharSet;
use crate::pattern::syntax::error::{PatternError, PatternErrorKind};
use crate::pattern::syntax::tree::{Assertion, Node, NodeId, Tree, UNBOUNDED};
use group::{GroupKind, Names, Opening};

/// The longest source that is read, in code units.
const MAX_SOURCE: usize = crate::limits::PATTERN_SOURCE;

/// A count without bound: an upper one that is absent, or one that 64 bits do not hold. As a least count it is refused.
const INFINITE: u64 = u64::MAX;

/// The flags that a rule can set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) ignore_case: bool,
    pub(crate) multiline: bool,
    pub(crate) dot_all: bool,
}

/// Parses a pattern; `start` units of `source` are a flag group that has been read already.
pub(crate) fn parse(source: &[u16], start: usize, flags: Flags) -> Result<Tree, PatternError> {
    if source.len() > MAX_SOURCE {
        return Err(PatternError {
            message: format!("the pattern has {} code units; at most {MAX_SOURCE} are read", source.len()),
            span: MAX_SOURCE..source.len(),
            help: Some("split it into several conditions".into()),
            kind: PatternErrorKind::TooLarge,
        });
    }
    let (captures, named) = group::count_captures(source, start);
    let mut parser = Parser {
        source,
        at: start,
        flags,
        captures,
        named,
        opened: 0,
        tree: Tree { nodes: Vec::new(), spans: Vec::new(), sets: Vec::new(), root: 0, captures },
        set_ids: HashMap::new(),
        names: Names::default(),
        references: Vec::new(),
    };
    parser.disjunction()?;
    parser.resolve_references()?;
    Ok(parser.tree)
}

pub(crate) struct Parser<'s> {
    pub(crate) source: &'s [u16],
    pub(crate) at: usize,
    flags: Flags,
    /// Groups in the whole pattern.
    pub(crate) captures: u32,
    /// Whether any group has a name: then `\k` must be a reference.
    pub(crate) named: bool,
    /// Groups opened so far.
    pub(crate) opened: u32,
    tree: Tree,
    set_ids: HashMap<CharSet, usize>,
    pub(crate) names: Names,
    /// References by name, resolved when all names are known.
    references: Vec<(NodeId, String, Range<usize>)>,
}

/// A group that has not been closed.
struct Open {
    kind: GroupKind,
    start: usize,
    alternatives: Vec<NodeId>,
    terms: Vec<NodeId>,
    /// Flags to go back to.
    flags: Flags,
    /// Number of groups opened before this one.
    captures_before: u32,
}

/// What a reader of one escape or class member found.
pub(crate) enum Atom {
    Unit(u16),
    Set(CharSet),
    Assert(Assertion),
    Reference(u32),
    NamedReference(String),
}

const fn unit(letter: char) -> u16 {
    letter as u16
}

impl Parser<'_> {
    pub(crate) fn peek(&self, ahead: usize) -> Option<char> {
        // A surrogate is never syntax; U+FFFD stands for it here.
        let found = *self.source.get(self.at + ahead)?;
        Some(char::from_u32(u32::from(found)).unwrap_or('\u{FFFD}'))
    }

    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let found = text.chars().enumerate().all(|(index, letter)| self.peek(index) == Some(letter));
        if found {
            self.at += text.len();
        }
        found
    }

    fn add(&mut self, node: Node, span: Range<usize>) -> NodeId {
        self.tree.nodes.push(node);
        self.tree.spans.push(span);
        self.tree.nodes.len() - 1
    }

    fn set(&mut self, set: CharSet, span: Range<usize>) -> NodeId {
        let next = self.tree.sets.len();
        let id = *self.set_ids.entry(set).or_insert_with_key(|set| {
            self.tree.sets.push(set.clone());
            next
        });
        self.add(Node::Set(id), span)
    }

    fn literal(&mut self, unit: u16, span: Range<usize>) -> NodeId {
        let single = CharSet::single(unit);
        let set = if self.flags.ignore_case { single.folded() } else { single };
        self.set(set, span)
    }

    fn class(&mut self, members: CharSet, negated: bool, span: Range<usize>) -> NodeId {
        let folded = if self.flags.ignore_case { members.folded() } else { members };
        let set = if negated { folded.negated() } else { folded };
        self.set(set, span)
    }

    fn disjunction(&mut self) -> Result<(), PatternError> {
        let mut open = vec![Open {
            kind: GroupKind::Plain,
            start: self.at,
            alternatives: Vec::new(),
            terms: Vec::new(),
            flags: self.flags,
            captures_before: 0,
        }];
        while let Some(letter) = self.peek(0) {
            let start = self.at;
            match letter {
                '|' => {
                    self.at += 1;
                    self.end_alternative(&mut open);
                    self.names.next_alternative();
                }
                '(' => {
                    let opened = self.open_group()?;
                    open.push(opened);
                }
                ')' => {
                    if open.len() == 1 {
                        return Err(PatternError::syntax("`)` closes no group", start..start + 1)
                            .with_help("write `\\)` for the character, or open the group with `(`"));
                    }
                    self.at += 1;
                    self.close_group(&mut open)?;
                }
                _ => {
                    let node = self.term(letter)?;
                    if let Some(current) = open.last_mut() {
                        current.terms.push(node);
                    }
                }
            }
        }
        if let [_, .., unclosed] = open.as_slice() {
            return Err(PatternError::syntax("this group is never closed", unclosed.start..unclosed.start + 1)
                .with_help(self.closing_help(unclosed.start, ')', open.len() == 2)));
        }
        self.end_alternative(&mut open);
        if let Some(whole) = open.pop() {
            self.tree.root = self.join_alternatives(whole.alternatives, whole.start..self.at);
        }
        Ok(())
    }

    /// How to mend a bracket at `start` that is never closed; when it is the only one, with the pattern written out.
    pub(crate) fn closing_help(&self, start: usize, bracket: char, is_only: bool) -> String {
        const LONGEST: usize = 80;
        let opening = if bracket == ')' { '(' } else { '[' };
        let (before, after) = self.source.split_at(start);
        match (String::from_utf16(before), String::from_utf16(after)) {
            (Ok(before), Ok(after)) if is_only && self.source.len() <= LONGEST => format!(
                "add the missing `{bracket}`, as in `{before}{after}{bracket}`, or write `{before}\\{after}` for the character"
            ),
            _ => format!("add the missing `{bracket}`, or write `\\{opening}` for the character"),
        }
    }

    fn end_alternative(&mut self, open: &mut [Open]) {
        let end = self.at;
        if let Some(current) = open.last_mut() {
            let terms = std::mem::take(&mut current.terms);
            let node = match terms.as_slice() {
                [] => self.add(Node::Empty, end..end),
                [single] => *single,
                [first, .., last] => {
                    let span = self.tree.spans[*first].start..self.tree.spans[*last].end;
                    self.add(Node::Concat(terms), span)
                }
            };
            current.alternatives.push(node);
        }
    }

    fn join_alternatives(&mut self, alternatives: Vec<NodeId>, span: Range<usize>) -> NodeId {
        match alternatives.as_slice() {
            [single] => *single,
            _ => self.add(Node::Alternate(alternatives), span),
        }
    }

    fn open_group(&mut self) -> Result<Open, PatternError> {
        let start = self.at;
        let captures_before = self.opened;
        let Opening { mut kind, flags } = self.read_opening(self.flags)?;
        if let GroupKind::Capture(index) = &mut kind {
            self.opened += 1;
            *index = self.opened;
        }
        let before = std::mem::replace(&mut self.flags, flags);
        self.names.open_group();
        Ok(Open { kind, start, alternatives: Vec::new(), terms: Vec::new(), flags: before, captures_before })
    }

    fn close_group(&mut self, open: &mut Vec<Open>) -> Result<(), PatternError> {
        let end = self.at - 1;
        self.at = end;
        self.end_alternative(open);
        self.at = end + 1;
        let Some(closed) = open.pop() else {
            return Ok(());
        };
        self.names.close_group();
        self.flags = closed.flags;
        let span = closed.start..self.at;
        let child = self.join_alternatives(closed.alternatives, span.clone());
        let node = match closed.kind {
            GroupKind::Plain => child,
            GroupKind::Capture(index) => self.add(Node::Capture { child, index }, span.clone()),
            GroupKind::Look { behind, negative } => self.add(Node::Look { child, behind, negative }, span.clone()),
        };
        let node = if matches!(closed.kind, GroupKind::Look { behind: true, .. }) {
            if let Some(length) = self.quantifier_length() {
                return Err(PatternError::syntax("a look-behind cannot be repeated", self.at..self.at + length)
                    .with_help("drop the quantifier, or wrap the look-behind in `(?:…)`"));
            }
            node
        } else {
            self.quantified(node, span.start, closed.captures_before)?
        };
        if let Some(parent) = open.last_mut() {
            parent.terms.push(node);
        }
        Ok(())
    }

    /// One term that is no group.
    fn term(&mut self, letter: char) -> Result<NodeId, PatternError> {
        let start = self.at;
        let node = match letter {
            '^' | '$' => {
                self.at += 1;
                let assertion = match (letter, self.flags.multiline) {
                    ('^', false) => Assertion::Start,
                    ('^', true) => Assertion::LineStart,
                    (_, false) => Assertion::End,
                    (_, true) => Assertion::LineEnd,
                };
                return Ok(self.add(Node::Assert(assertion), start..self.at));
            }
            '*' | '+' | '?' => return Err(self.nothing_to_repeat(1)),
            '{' => match self.quantifier_length() {
                Some(length) => return Err(self.nothing_to_repeat(length)),
                None => {
                    self.at += 1;
                    self.literal(unit('{'), start..start + 1)
                }
            },
            '.' => {
                self.at += 1;
                let set = if self.flags.dot_all { CharSet::all() } else { CharSet::line_ends().negated() };
                self.set(set, start..self.at)
            }
            '[' => {
                let (members, negated) = self.read_class()?;
                self.class(members, negated, start..self.at)
            }
            '\\' => match self.read_escape()? {
                Atom::Unit(found) => self.literal(found, start..self.at),
                Atom::Set(set) => self.class(set, false, start..self.at),
                Atom::Assert(assertion) => return Ok(self.add(Node::Assert(assertion), start..self.at)),
                Atom::Reference(index) => {
                    let node = Node::BackReference { groups: vec![index], fold: self.flags.ignore_case };
                    self.add(node, start..self.at)
                }
                Atom::NamedReference(name) => {
                    let node = Node::BackReference { groups: Vec::new(), fold: self.flags.ignore_case };
                    let id = self.add(node, start..self.at);
                    self.references.push((id, name, start..self.at));
                    id
                }
            },
            _ => {
                let found = self.source[self.at];
                self.at += 1;
                self.literal(found, start..self.at)
            }
        };
        self.quantified(node, start, self.opened)
    }

    fn nothing_to_repeat(&self, length: usize) -> PatternError {
        let quantifier = String::from_utf16_lossy(&self.source[self.at..self.at + length]);
        let error = PatternError::syntax(format!("`{quantifier}` has nothing to repeat"), self.at..self.at + length);
        let before = self.at.checked_sub(1).map(|before| self.source[before]);
        let help = if matches!(before, Some(before) if [unit('+'), unit('*'), unit('?'), unit('}')].contains(&before)) {
            "ECMAScript has no possessive or doubled quantifiers: drop one, or group the first with `(?:…)`".to_owned()
        } else if quantifier == "*" {
            "write `.*` for any text, or `\\*` for the character; a file glob belongs under `globs`".to_owned()
        } else {
            format!("write `\\{quantifier}` for the character")
        };
        error.with_help(help)
    }

    /// Length of a quantifier at the present place, the lazy mark not counted. `{` that begins none is a character.
    fn quantifier_length(&self) -> Option<usize> {
        match self.peek(0)? {
            '*' | '+' | '?' => Some(1),
            '{' => {
                let digits =
                    |from: usize| (from..).take_while(|&at| self.peek(at).is_some_and(|d| d.is_ascii_digit())).count();
                let first = digits(1);
                if first == 0 {
                    return None;
                }
                let mut length = 1 + first;
                if self.peek(length) == Some(',') {
                    length += 1 + digits(length + 1);
                }
                (self.peek(length) == Some('}')).then_some(length + 1)
            }
            _ => None,
        }
    }

    /// Wraps a node in the quantifier that follows it, if one does.
    fn quantified(&mut self, child: NodeId, start: usize, captures_before: u32) -> Result<NodeId, PatternError> {
        let Some(length) = self.quantifier_length() else {
            return Ok(child);
        };
        let text = &self.source[self.at..self.at + length];
        let (min, max) = match self.peek(0) {
            Some('*') => (0, INFINITE),
            Some('+') => (1, INFINITE),
            Some('?') => (0, 1),
            _ => {
                let counts = &text[1..length - 1];
                let comma = counts.iter().position(|&found| found == unit(','));
                let (first, second) = comma.map_or((counts, None), |at| (&counts[..at], Some(&counts[at + 1..])));
                let min = count(first);
                (min, second.map_or(min, |digits| if digits.is_empty() { INFINITE } else { count(digits) }))
            }
        };
        if min == INFINITE {
            return Err(PatternError::syntax(
                "the least count of this quantifier is too great",
                self.at..self.at + length,
            )
            .with_help("no text is that long: use a smaller count"));
        }
        // The counts as written are compared, not what they are cut down to.
        if min > max {
            return Err(PatternError::syntax(
                "the counts of this quantifier are out of order",
                self.at..self.at + length,
            )
            .with_help(format!("write `{{{max},{min}}}`")));
        }
        self.at += length;
        let greedy = !self.eat("?");
        if let Some(second) = self.quantifier_length() {
            return Err(self.nothing_to_repeat(second));
        }
        let captures = captures_before + 1..self.opened + 1;
        let node = Node::Repeat { child, min: saturated(min), max: saturated(max), greedy, captures };
        Ok(self.add(node, start..self.at))
    }

    fn resolve_references(&mut self) -> Result<(), PatternError> {
        for (node, name, span) in std::mem::take(&mut self.references) {
            let found = self.names.groups(&name);
            if found.is_empty() {
                return Err(PatternError::syntax(format!("no group has the name `{name}`"), span)
                    .with_help("name the group with `(?<name>…)`"));
            }
            if let Node::BackReference { groups, .. } = &mut self.tree.nodes[node] {
                *groups = found;
            }
        }
        Ok(())
    }
}

/// A decimal count; what does not fit is infinite.
pub(crate) fn count(digits: &[u16]) -> u64 {
    digits
        .iter()
        .fold(0_u64, |value, &digit| value.saturating_mul(10).saturating_add(u64::from(digit.wrapping_sub(unit('0')))))
}

/// A count as the tree holds it.
fn saturated(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(UNBOUNDED)
}
