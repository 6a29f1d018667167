//! [`RuleFile`]: one rule file as it was read, kept so that findings can point into it.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::frontmatter::{Frontmatter, Generation};
use super::node::{Node, Yaml};
use super::outline::Outline;
use super::source::{self, Decoded, Encoding};
use crate::diagnostic::{Code, Diagnostic};
use crate::generation::Semantics;
use crate::text::{JsString, LineIndex, Place};

/// A rule file as it was read.
#[derive(Clone, Debug)]
pub struct RuleFile {
    /// The file as the user named it; one that discovery found is named from the project or the home.
    pub name: String,
    /// Where it lies.
    pub(in super::super) path: PathBuf,
    /// The frontmatter; none when the file has no two fences.
    pub frontmatter: Option<Frontmatter>,
    /// The body as the agent has it, until a rule takes it.
    pub(in super::super) body: JsString,
    /// Where the body begins (byte offset in [`RuleFile::text`]).
    pub body_start: usize,
    /// The file begins with a fence that is never closed, so that all of it is body.
    pub unclosed_fence: bool,
    decoded: Decoded,
    lines: LineIndex,
    /// Where tokens are written, once somebody asks.
    tokens: OnceLock<Tokens>,
    generation: Generation,
}

impl RuleFile {
    /// Reads the bytes of a file as the generation does.
    pub fn read(name: impl Into<String>, bytes: Vec<u8>, semantics: &Semantics) -> Self {
        Self::from_decoded(name.into(), source::decode(bytes), Generation::of(semantics))
    }

    /// The same file as another generation reads it.
    #[must_use]
    pub fn reread(&self, semantics: &Semantics) -> Self {
        let file = Self::from_decoded(self.name.clone(), self.decoded.clone(), Generation::of(semantics));
        Self { path: self.path.clone(), ..file }
    }

    /// The file as the same generation would read it if it had this text.
    pub(in super::super) fn with_text(&self, text: String) -> Self {
        let file = Self::from_decoded(self.name.clone(), source::decode(text.into_bytes()), self.generation);
        Self { path: self.path.clone(), ..file }
    }

    fn from_decoded(name: String, decoded: Decoded, generation: Generation) -> Self {
        let parts = source::split(&decoded);
        let frontmatter = parts.metadata.map(|metadata| Frontmatter::read(&metadata, generation));
        Self {
            path: PathBuf::from(&name),
            name,
            frontmatter,
            body: parts.body.text.as_str().into(),
            body_start: parts.body.origin(0),
            unclosed_fence: parts.unclosed,
            lines: LineIndex::new(&decoded.text),
            tokens: OnceLock::new(),
            generation,
            decoded,
        }
    }

    /// The text that every byte offset refers to: the bytes of the file, except that malformed sequences stand as
    /// U+FFFD and UTF-16 stands as UTF-8. A byte order mark is part of it.
    pub fn text(&self) -> &str {
        &self.decoded.text
    }

    /// How the file was encoded.
    pub fn encoding(&self) -> Encoding {
        self.decoded.encoding
    }

    /// Whether bytes were no text, so that U+FFFD stands for them.
    pub fn is_malformed(&self) -> bool {
        self.decoded.malformed.is_some()
    }

    /// Where the first bytes stand that were no text (byte offset).
    pub(in super::super) fn malformed(&self) -> Option<usize> {
        self.decoded.malformed
    }

    /// The place of a byte range of the text.
    pub fn place(&self, range: Range<usize>) -> Place {
        let position = |offset| self.lines.position(self.text(), offset);
        Place { file: self.name.clone(), start: position(range.start), end: position(range.end) }
    }

    /// A finding about a byte range of the text.
    pub fn finding(&self, code: Code, message: impl Into<String>, range: Range<usize>) -> Diagnostic {
        let text = self.text();
        let (start, end) = (self.lines.line(text, range.start).start, self.lines.line(text, range.end).end);
        Diagnostic::new(code, message).at(self.place(range)).with_snippet(shorten(&text[start..end]), start)
    }

    /// Where the part `units` of `token` is written in `node`: exactly, when the node holds the token as it is
    /// written, else the whole node.
    pub fn locate(&self, node: &Node, token: &JsString, units: Range<usize>) -> Range<usize> {
        let utf8 = token.to_utf8();
        let tokens = self.tokens.get_or_init(|| tokens(self.text(), self.frontmatter.as_ref()));
        let known = utf8.as_deref().and_then(|token| tokens.get(&node.span.start)?.get(token));
        let whole = known.unwrap_or(&node.span).clone();
        let written = &self.text()[whole.clone()];
        let Some(start) = utf8.and_then(|token| written.find(&token)) else { return whole };
        let part = |end: usize| JsString::from_units(&token.units()[..end.min(token.len())]).utf8_len();
        let at = |end: usize| {
            let mut offset = whole.start + start + part(end);
            while !self.text().is_char_boundary(offset) {
                offset -= 1;
            }
            offset.min(whole.end)
        };
        at(units.start)..at(units.end).max(at(units.start))
    }

    /// Which key stands where.
    pub fn outline(&self) -> Outline {
        Outline::of(self.frontmatter.as_ref())
    }

    /// The part of the line from `at` on.
    pub(in super::super) fn rest_of_line(&self, at: usize) -> Range<usize> {
        let end = self.text()[at..].find(['\n', '\r']).map_or(self.text().len(), |end| at + end);
        at..end
    }
}

/// Where tokens are written, by the value that they are in.
type Tokens = HashMap<usize, HashMap<String, Range<usize>>>;

/// The tokens of all values: whole strings, and what stands between the commas of one.
fn tokens(text: &str, frontmatter: Option<&Frontmatter>) -> Tokens {
    let mut tokens = Tokens::new();
    for member in frontmatter.iter().flat_map(|matter| &matter.members) {
        let known = tokens.entry(member.value.span.start).or_default();
        let mut pending = vec![&member.value];
        let mut strings = Vec::new();
        while let Some(node) = pending.pop() {
            match &node.value {
                Yaml::String(value) => strings.push((value, node)),
                Yaml::List(items) => pending.extend(items.iter().rev()),
                _ => {}
            }
        }
        // Of equal ones the first counts, and whole strings count before parts.
        for (value, node) in &strings {
            for token in [value.as_str(), value.trim_matches(source::is_js_blank)] {
                known.entry(token.to_owned()).or_insert_with(|| node.span.clone());
            }
        }
        for (_, node) in &strings {
            for range in pieces(&text[node.span.clone()]) {
                let part = node.span.start + range.start..node.span.start + range.end;
                known.entry(text[part.clone()].to_owned()).or_insert(part);
            }
        }
    }
    tokens
}

/// What stands between commas outside of brackets, without blanks and quotes around it; nothing where there is none.
fn pieces(written: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    let mut add = |range: Range<usize>| {
        let part = &written[range.clone()];
        let is_edge = |one: char| source::is_js_blank(one) || matches!(one, '"' | '\'' | '|' | '>');
        let begin = range.start + (part.len() - part.trim_start_matches(is_edge).len());
        pieces.push(begin..(begin + part.trim_matches(is_edge).len()).min(range.end));
    };
    for (at, one) in written.bytes().enumerate() {
        match one {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                add(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start > 0 {
        add(start..written.len());
    }
    pieces
}

/// A snippet is for people; nobody reads more than this.
fn shorten(text: &str) -> String {
    const LONGEST: usize = 4096;
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}
