//! From the bytes of a rule file to its frontmatter and body (engine.md E1.6), with the way back to the place in
//! the file of everything that is left.

use std::ops::Range;

use crate::text::is_js_white_space;

/// How a file was encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 without a mark.
    Utf8,
    /// UTF-8 behind a byte order mark.
    Utf8Mark,
    /// UTF-16, little endian, behind a byte order mark.
    Utf16,
}

/// The text of a file. Offsets of diagnostics refer to `text`: the bytes of the file, except that the bytes that
/// are not UTF-8 stand as U+FFFD, and that a UTF-16 file stands as UTF-8.
#[derive(Clone, Debug)]
pub(in super::super) struct Decoded {
    /// The text; a UTF-8 mark is still there.
    pub text: String,
    pub encoding: Encoding,
    /// Offset of the first malformed sequence.
    pub malformed: Option<usize>,
}

/// Decodes the bytes of a file: a mark decides, malformed sequences become U+FFFD.
pub(in super::super) fn decode(bytes: Vec<u8>) -> Decoded {
    if let Some(rest) = bytes.strip_prefix(b"\xFF\xFE") {
        let (pairs, odd) = rest.as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
        let mut malformed = None;
        let mut text = String::with_capacity(units.len());
        for unit in char::decode_utf16(units) {
            if unit.is_err() {
                malformed.get_or_insert(text.len());
            }
            text.push(unit.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        if !odd.is_empty() {
            malformed.get_or_insert(text.len());
            text.push(char::REPLACEMENT_CHARACTER);
        }
        return Decoded { text, encoding: Encoding::Utf16, malformed };
    }
    let encoding = if bytes.starts_with(b"\xEF\xBB\xBF") { Encoding::Utf8Mark } else { Encoding::Utf8 };
    match String::from_utf8(bytes) {
        Ok(text) => Decoded { text, encoding, malformed: None },
        Err(error) => {
            let malformed = Some(error.utf8_error().valid_up_to());
            Decoded { text: String::from_utf8_lossy(error.as_bytes()).into_owned(), encoding, malformed }
        }
    }
}

/// A text made from another by edits, which knows where each part came from.
#[derive(Clone, Debug)]
pub(super) struct Derived {
    pub text: String,
    /// From each `(here, there)` on, offsets here and in the original advance together, up to the next pair.
    anchors: Vec<(usize, usize)>,
    /// Length of the original.
    original_len: usize,
}

impl Derived {
    /// The part of `original` from `start` on, unchanged.
    pub(super) fn from_original(original: &str, start: usize) -> Self {
        Self { text: original[start..].to_owned(), anchors: vec![(0, start)], original_len: original.len() }
    }

    /// Replaces parts of the text; `edits` are in order and do not overlap.
    pub(super) fn edit(self, edits: impl IntoIterator<Item = (Range<usize>, String)>) -> Self {
        let mut edits = edits.into_iter().peekable();
        if edits.peek().is_none() {
            return self;
        }
        let mut made = Self { text: String::with_capacity(self.text.len()), anchors: Vec::new(), ..self };
        let mut at = 0;
        let mut anchor = 0;
        for (range, replacement) in edits {
            made.copy(&self.text, &self.anchors, at..range.start, &mut anchor);
            // What is inside a replacement comes from where the replaced text began.
            let there = origin(&self.anchors, range.start, &mut anchor);
            made.anchors.push((made.text.len(), there));
            made.text.push_str(&replacement);
            at = range.end;
        }
        made.copy(&self.text, &self.anchors, at..self.text.len(), &mut anchor);
        made
    }

    fn copy(&mut self, text: &str, anchors: &[(usize, usize)], range: Range<usize>, anchor: &mut usize) {
        let shift = |here: usize| self.text.len() + here - range.start;
        self.anchors.push((shift(range.start), origin(anchors, range.start, anchor)));
        let inner = anchors[*anchor..].iter().skip(1).take_while(|(here, _)| *here < range.end);
        let moved: Vec<_> = inner.filter(|(here, _)| *here > range.start).map(|&(h, t)| (shift(h), t)).collect();
        self.anchors.extend(moved);
        self.text.push_str(&text[range]);
    }

    /// The part `range` of the text.
    pub(super) fn slice(&self, range: Range<usize>) -> Self {
        let mut part = Self { text: String::new(), anchors: Vec::new(), original_len: self.original_len };
        let mut anchor = self.anchors.partition_point(|(here, _)| *here <= range.start).saturating_sub(1);
        part.copy(&self.text, &self.anchors, range, &mut anchor);
        part
    }

    /// Where `offset` came from.
    pub(super) fn origin(&self, offset: usize) -> usize {
        let anchor = self.anchors.partition_point(|(here, _)| *here <= offset).saturating_sub(1);
        let Some(&(here, there)) = self.anchors.get(anchor) else { return self.original_len };
        let limit = self.anchors.get(anchor + 1).map_or(self.original_len, |&(_, there)| there);
        (there + offset.saturating_sub(here)).min(limit.max(there))
    }

    /// Where `range` came from.
    pub(super) fn origin_range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.origin(range.start);
        // The end belongs to what stands before it, not to what follows.
        let last = self.text[range.clone()].chars().next_back().map_or(0, char::len_utf8);
        let end = if last == 0 { start } else { self.origin(range.end - last) + last };
        start..end.clamp(start, self.original_len)
    }
}

/// Where `offset` came from; `anchor` is the index of an anchor at or before it, and moves on.
fn origin(anchors: &[(usize, usize)], offset: usize, anchor: &mut usize) -> usize {
    while anchors.get(*anchor + 1).is_some_and(|(here, _)| *here <= offset) {
        *anchor += 1;
    }
    anchors.get(*anchor).map_or(0, |&(here, there)| there + offset.saturating_sub(here))
}

/// What the fences make of a file.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// The metadata between the fences, when there are two.
    pub metadata: Option<Derived>,
    /// The body.
    pub body: Derived,
    /// The file begins with a fence that is never closed.
    pub unclosed: bool,
}

/// Splits the text of a file: line ends, comments, fences (engine.md E1.6).
pub(super) fn split(decoded: &Decoded) -> Parts {
    let start = if decoded.encoding == Encoding::Utf8Mark { '\u{FEFF}'.len_utf8() } else { 0 };
    let text = Derived::from_original(&decoded.text, start);
    let text = unify_line_ends(text);
    let text = drop_comments(text);
    let no_metadata = |text, unclosed| Parts { metadata: None, body: text, unclosed };
    if !text.text.starts_with("---") {
        return no_metadata(text, false);
    }
    let Some(end) = text.text[3..].find("\n---").map(|at| at + 3) else {
        return no_metadata(text, true);
    };
    // The metadata begins at the fifth character, whatever the fourth is.
    let fourth = text.text[3..].chars().next().map_or(0, char::len_utf8);
    let metadata = text.slice((3 + fourth).min(end)..end);
    let body = text.slice(trimmed(&text.text, end + 4..text.text.len()));
    Parts { metadata: Some(metadata), body, unclosed: false }
}

fn unify_line_ends(text: Derived) -> Derived {
    let edits: Vec<_> = memchr::memchr_iter(b'\r', text.text.as_bytes())
        .map(|at| {
            if text.text.as_bytes().get(at + 1) == Some(&b'\n') {
                (at..at + 1, String::new())
            } else {
                (at..at + 1, "\n".to_owned())
            }
        })
        .collect();
    text.edit(edits)
}

fn drop_comments(text: Derived) -> Derived {
    let mut edits = Vec::new();
    let mut at = 0;
    while let Some(start) = text.text[at..].find("<!--").map(|found| at + found) {
        let Some(end) = text.text[start + 4..].find("-->").map(|found| start + 4 + found + 3) else { break };
        edits.push((start..end, String::new()));
        at = end;
    }
    text.edit(edits)
}

/// The part of `range` without white space, in the sense of ECMAScript, at both ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start_matches(is_js_blank).len());
    start..start + part.trim_matches(is_js_blank).len()
}

/// Whether ECMAScript's `trim` takes the character off.
pub(in super::super) fn is_js_blank(one: char) -> bool {
    u16::try_from(u32::from(one)).is_ok_and(is_js_white_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (Option<String>, String) {
        let parts = split(&decode(text.as_bytes().to_vec()));
        (parts.metadata.map(|metadata| metadata.text), parts.body.text)
    }

    #[test]
    fn fences_are_found_as_the_agent_finds_them() {
        let some = |metadata: &str, body: &str| (Some(metadata.to_owned()), body.to_owned());
        assert_eq!(parts("<!-- c -->---\na: 1\n---\nb"), some("a: 1", "b"));
        assert_eq!(parts("---\n---\nb"), some("", "b"));
        assert_eq!(parts("----\na: 1\n----\nb"), some("\na: 1", "-\nb"));
        assert_eq!(parts("---foo: 1\na: 2\n---\nb"), some("oo: 1\na: 2", "b"));
        assert_eq!(parts("---😀: 1\n---\nb"), some(": 1", "b"));
        assert_eq!(parts("---\na: 1\n---\nx\n---\ny\n"), some("a: 1", "x\n---\ny"));
        assert_eq!(parts("\n---\na: 1\n---\nx"), (None, "\n---\na: 1\n---\nx".to_owned()));
        assert_eq!(parts("---\r\na: 1\rb: 2\r\n---\r\nx").0, Some("a: 1\nb: 2".to_owned()));
    }

    #[test]
    fn what_is_left_knows_its_place_in_the_file() {
        let text = "\u{FEFF}---\r\na: 'x<!-- y -->z'\r\nb: é\r\n---\r\nbody";
        let parts = split(&decode(text.as_bytes().to_vec()));
        let metadata = parts.metadata.expect("two fences");
        for needle in ["a: 'x", "z'", "b: é"] {
            let here = metadata.text.find(needle).expect("kept");
            let there = text.find(needle).expect("written");
            assert_eq!(metadata.origin_range(here..here + needle.len()), there..there + needle.len());
        }
        let x = metadata.text.find("xz").expect("joined");
        assert_eq!(&text[metadata.origin_range(x..x + 2)], "x<!-- y -->z");
        assert_eq!(&text[parts.body.origin_range(0..4)], "body");
    }

    #[test]
    fn malformed_bytes_are_replaced_and_pointed_at() {
        let decoded = decode(b"a\xFFb".to_vec());
        assert_eq!((decoded.text.as_str(), decoded.malformed), ("a\u{FFFD}b", Some(1)));
        let decoded = decode(b"\xFF\xFEa\0\x00\xD8b".to_vec());
        assert_eq!((decoded.text.as_str(), decoded.encoding), ("a\u{FFFD}\u{FFFD}", Encoding::Utf16));
    }
}
