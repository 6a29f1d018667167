//! Text from sessions, streams and rules made harmless for a terminal (cli.md section 1).

use std::fmt::Write as _;

/// `text` with control characters, escape sequences and bidirectional controls shown as escapes, on one line.
pub fn escape(text: &str) -> String {
    escape_where(text, |_| false)
}

/// As [`escape`], line feeds and tabs kept.
pub fn escape_lines(text: &str) -> String {
    escape_where(text, |character| matches!(character, '\n' | '\t'))
}

fn escape_where(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            kept if keep(kept) => out.push(kept),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            hidden if drives_terminal(hidden) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(hidden));
            }
            plain => out.push(plain),
        }
    }
    out
}

/// Whether a terminal may act on the character or be misled by it: controls, bidirectional marks, overrides and
/// isolates, line and paragraph separators, invisible fillers.
pub fn drives_terminal(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_drives_a_terminal_passes() {
        assert_eq!(escape("a\u{1b}[31mb\u{202e}c\nd\u{9b}"), "a\\u{1b}[31mb\\u{202e}c\\nd\\u{9b}");
        assert_eq!(escape_lines("a\n\u{7}é😀"), "a\n\\u{7}é😀");
    }
}
