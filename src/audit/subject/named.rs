//! What the entries name outside of the file, and texts that are no text: one pass over the bytes.

use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;

use crate::session::{Session, SessionError};

/// What a session names beside its own entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Digests of blobs (session.md S6.9), each with the first entry that names it.
    pub blobs: Vec<(String, usize)>,
    /// `artifact://…` addresses.
    pub artifacts: BTreeSet<String>,
    /// `local://…` addresses.
    pub local_files: BTreeSet<String>,
    /// Entries that hold half of a surrogate pair, by index.
    pub(crate) surrogates: Vec<usize>,
}

/// Of each kind no more than this many are kept.
const KEPT: usize = 1000;
const NEEDLES: [&str; 5] = ["blob:sha256:", "artifact://", "local://", "\\ud", "\\uD"];

/// Looks through every entry.
pub(crate) fn named(session: &Session) -> Result<Named, SessionError> {
    let mut named = Named::default();
    // Five short patterns always make a searcher.
    let Ok(searcher) = AhoCorasick::new(NEEDLES) else { return Ok(named) };
    let mut digests = BTreeSet::new();
    for entry in session.entries() {
        let bytes = entry.bytes()?;
        let mut paired = 0;
        for found in searcher.find_iter(&*bytes) {
            let rest = bytes.get(found.end()..).unwrap_or_default();
            match found.pattern().as_usize() {
                0 => {
                    let digest = address(rest, |byte| byte.is_ascii_alphanumeric());
                    if digests.len() < KEPT && digests.insert(digest.clone()) {
                        named.blobs.push((digest, entry.index()));
                    }
                }
                1 | 2 => {
                    let kept =
                        if found.pattern().as_usize() == 1 { &mut named.artifacts } else { &mut named.local_files };
                    let address = address(rest, |byte| byte.is_ascii_alphanumeric() || b"-_./~%+@".contains(&byte));
                    let address = address.trim_end_matches('.').to_owned();
                    if kept.len() < KEPT && !address.is_empty() {
                        kept.insert(address);
                    }
                }
                _ => {
                    let is_lone = lone(&bytes, found.start(), &mut paired);
                    if is_lone && named.surrogates.last() != Some(&entry.index()) && named.surrogates.len() < KEPT {
                        named.surrogates.push(entry.index());
                    }
                }
            }
        }
    }
    Ok(named)
}

fn address(rest: &[u8], belongs: impl Fn(u8) -> bool) -> String {
    let bytes: Vec<u8> = rest.iter().copied().take_while(|byte| belongs(*byte)).take(256).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether the escape at `at` is a surrogate without its other half. `paired` is where the second half of the last pair
/// begins.
fn lone(bytes: &[u8], at: usize, paired: &mut usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    let escapes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    // Behind an odd number of backslashes this one is escaped, and `u` is a letter.
    let Some(own) = unit(at).filter(|_| escapes.is_multiple_of(2)) else { return false };
    if (0xDC00..0xE000).contains(&own) {
        return *paired != at || at == 0;
    }
    if unit(at + 6).is_some_and(|next| (0xDC00..0xE000).contains(&next)) {
        *paired = at + 6;
        return false;
    }
    (0xD800..0xDC00).contains(&own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::ReadMode;

    fn looked(text: &str) -> Named {
        let line = format!(r#"{{"type":"custom","id":"aaaaaaa1","parentId":null,"customType":"x","data":{text}}}"#);
        let bytes = format!("{{\"type\":\"session\",\"version\":3,\"id\":\"s\"}}\n{line}\n").into_bytes();
        named(&Session::from_bytes(bytes, "s", ReadMode::Tolerant).expect("a session")).expect("what it names")
    }

    #[test]
    fn a_surrogate_is_lone_without_its_other_half() {
        for lone in [
            r#""\ud800""#,
            r#""\udc00""#,
            r#""\ud83d\ud83d\ude00""#,
            r#""\ude00\ud83d""#,
            r#""\\\ud800""#,
            r#""\uDBFFx""#,
        ] {
            assert_eq!(looked(lone).surrogates, [0], "{lone}");
        }
        for whole in [
            r#""\ud83d\ude00""#,
            r#""\uD83D\uDE00\ud83d\ude00""#,
            r#""\\ud800""#,
            r#""\\\\ud800""#,
            r#""\udbff\udfff""#,
            r#""\ud7ff""#,
        ] {
            assert_eq!(looked(whole).surrogates, [0; 0], "{whole}");
        }
    }

    #[test]
    fn what_lies_outside_is_named_once() {
        let named = looked(r#"["blob:sha256:0aff","see local://plan.md.","artifact://12/x?y","blob:sha256:0aff"]"#);
        assert_eq!(named.blobs, [("0aff".to_owned(), 0)]);
        assert_eq!(named.local_files.iter().collect::<Vec<_>>(), ["plan.md"]);
        assert_eq!(named.artifacts.iter().collect::<Vec<_>>(), ["12/x"]);
    }
}
