//! The text around a match, for traces (cli.md, "Terms").

use std::ops::Range;

use crate::text::JsString;

/// Code points that an excerpt shows at most, the marks of cuts included.
const EXCERPT: usize = 80;

/// The text around a match.
pub(super) struct Excerpt {
    /// At most [`EXCERPT`] code points, with `…` where something is cut off.
    pub(super) text: JsString,
    /// Where in it the match begins and ends, as far as it is shown, in code points.
    pub(super) marked: (usize, usize),
}

/// At most [`EXCERPT`] code points around a match, with `…` where something is cut off.
pub(super) fn excerpt(text: &[u16], span: &Range<usize>) -> Excerpt {
    let begin = span.start.min(text.len());
    let (mut before, mut after) = (begin, begin);
    let mut shown = 0;
    while shown < EXCERPT && after < span.end.min(text.len()) {
        after = next(text, after);
        shown += 1;
    }
    // What remains goes to both sides in equal parts; a side that ends leaves its part to the other.
    while shown < EXCERPT && (before > 0 || after < text.len()) {
        if before > 0 {
            before = previous(text, before);
            shown += 1;
        }
        if shown < EXCERPT && after < text.len() {
            after = next(text, after);
            shown += 1;
        }
    }
    // Room for the marks comes from the sides that are cut, then from the end of the match.
    let marks = |before: usize, after: usize| usize::from(before > 0) + usize::from(after < text.len());
    while shown + marks(before, after) > EXCERPT {
        shown -= 1;
        if after < text.len() && after > span.end {
            after = previous(text, after);
        } else if before > 0 && before < begin {
            before = next(text, before);
        } else {
            after = previous(text, after);
        }
    }
    let mut excerpt = JsString::new();
    if before > 0 {
        excerpt.push_str("…");
    }
    excerpt.push_units(&text[before..after]);
    if after < text.len() {
        excerpt.push_str("…");
    }
    let end = span.end.min(after).max(begin);
    let from = code_points(&text[before..begin]) + usize::from(before > 0);
    Excerpt { text: excerpt, marked: (from, from + code_points(&text[begin..end])) }
}

fn code_points(text: &[u16]) -> usize {
    char::decode_utf16(text.iter().copied()).count()
}

fn is_low(text: &[u16], at: usize) -> bool {
    text.get(at).is_some_and(|unit| (0xDC00..0xE000).contains(unit))
}

fn is_high(text: &[u16], at: usize) -> bool {
    text.get(at).is_some_and(|unit| (0xD800..0xDC00).contains(unit))
}

/// Where the code point before `at` begins.
fn previous(text: &[u16], at: usize) -> usize {
    if at >= 2 && is_low(text, at - 1) && is_high(text, at - 2) { at - 2 } else { at - 1 }
}

/// Where the code point at `at` ends.
fn next(text: &[u16], at: usize) -> usize {
    if is_high(text, at) && is_low(text, at + 1) { at + 2 } else { at + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, span: Range<usize>) -> String {
        let Excerpt { text: shown, marked } = excerpt(JsString::from(text).units(), &span);
        let shown = shown.to_string_lossy();
        let part: String = shown.chars().skip(marked.0).take(marked.1 - marked.0).collect();
        let whole = JsString::from_units(&JsString::from(text).units()[span]).to_string_lossy();
        assert!(whole.starts_with(&part) && (part == whole || shown.ends_with('…')), "{part} of {whole}");
        shown
    }

    #[test]
    fn excerpts_have_at_most_80_code_points() {
        assert_eq!(shown("a foo b", 2..5), "a foo b");
        let long = format!("{}foo{}", "x".repeat(100), "😀".repeat(100));
        let text = shown(&long, 100..103);
        assert_eq!(text.chars().count(), EXCERPT);
        assert!(text.starts_with('…') && text.ends_with('…') && text.contains("foo"));
        let huge = shown(&"y".repeat(500), 0..500);
        assert_eq!((huge.chars().count(), huge.ends_with('…')), (EXCERPT, true));
        assert_eq!(shown(&"z".repeat(80), 10..12).chars().count(), 80);
        assert!(!shown(&"z".repeat(80), 10..12).contains('…'));
        assert_eq!(shown(&"z".repeat(81), 0..1), format!("{}…", "z".repeat(79)));
        assert_eq!(shown(&format!("{}foo!", "x".repeat(200)), 200..203), format!("…{}foo!", "x".repeat(75)));
        assert_eq!(shown(&format!("{}foo", "x".repeat(200)), 200..200), format!("…{}foo", "x".repeat(76)));
        assert_eq!(shown(&"y".repeat(81), 1..81).chars().count(), EXCERPT);
    }
}
