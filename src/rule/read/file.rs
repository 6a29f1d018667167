//! [`RuleFile`]: one rule file as it was read, kept so that findings can point into it.

use std::ops::Range;
use std::path::PathBuf;

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
        let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
        Diagnostic::new(code, message).at(self.place(range)).with_snippet(shorten(&text[start..end]), start)
    }

    /// Where the part `units` of `token` is written in `node`: exactly, when the node holds the token as it is
    /// written, else the whole node.
    pub fn locate(&self, node: &Node, token: &JsString, units: Range<usize>) -> Range<usize> {
        let utf8 = token.to_utf8();
        let node = utf8.as_ref().and_then(|token| find_token(node, token)).unwrap_or(node);
        let written = &self.text()[node.span.clone()];
        let whole = node.span.clone();
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

/// The node in `node` whose string is the token.
fn find_token<'a>(node: &'a Node, token: &str) -> Option<&'a Node> {
    match &node.value {
        Yaml::String(text) => (text == token || text.trim_matches(source::is_js_blank) == token).then_some(node),
        Yaml::List(items) => items.iter().find_map(|item| find_token(item, token)),
        _ => None,
    }
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
