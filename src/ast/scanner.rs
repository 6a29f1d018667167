//! [`fits`]: texts on which the scanner of a grammar would keep more than its buffer holds.
//!
//! Many grammars have a scanner of their own, in C, that keeps a state: open here-documents, tags, columns of
//! indentation. The parser gives it 1024 bytes to write that state to, after each of its tokens. Most scanners keep
//! less, or drop what does not fit. Five do not: they write behind the buffer, write what they cannot read back, or
//! give up, and the process ends. So what their state may come to is told from the text, before it is parsed, never too low.

use std::collections::{BTreeMap, HashSet};

use ast_grep_language::SupportLang as S;

use super::grammar::{Extra, Grammar};

/// What a scanner may write.
const BUFFER_BYTES: usize = 1024;

/// Whether the scanner of the grammar can keep its state on any part of this text.
pub(super) fn fits(text: &str, grammar: Grammar) -> bool {
    match grammar {
        Grammar::Builtin(S::Kotlin) => kotlin_bytes(text) <= BUFFER_BYTES,
        Grammar::Builtin(S::Python) => python_bytes(text) <= BUFFER_BYTES,
        Grammar::Builtin(S::Ruby) => ruby_bytes(text).is_some_and(|bytes| bytes <= BUFFER_BYTES),
        Grammar::Builtin(S::Yaml) => yaml_bytes(text) <= BUFFER_BYTES,
        Grammar::Extra(Extra::TlaPlus) => tla_bytes(text) <= BUFFER_BYTES,
        _ => true,
    }
}

/// Two bytes for each string that is open; one stands within another only behind an interpolation that is open.
fn kotlin_bytes(text: &str) -> usize {
    let all = text.matches("${").count();
    // Most texts have few.
    let nested = if 2 * (all + 1) <= BUFFER_BYTES { all } else { all - simple_interpolations(text, "${") };
    2 * (nested + 1)
}

/// Two bytes, up to 255 for the strings that are open, and two for each indentation, which grows from one to the next.
fn python_bytes(text: &str) -> usize {
    const OPEN_STRINGS: usize = 255;
    let mut widths: HashSet<u16> = HashSet::new();
    // A NUL ends a comment too, after which the width is counted again.
    for line in text.split(['\n', '\0']) {
        let mut width = 0_u16;
        let mut characters = line.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                ' ' => width = width.wrapping_add(1),
                '\t' => width = width.wrapping_add(8),
                '\r' | '\u{c}' => width = 0,
                // The next line goes on with the width of this one, which is then more than that line shows.
                '\\' if matches!(characters.peek(), None | Some('\r')) => {}
                _ => break,
            }
        }
        widths.insert(width);
    }
    // A line that goes on behind a backslash adds its own width to that of the lines before.
    2 + OPEN_STRINGS + 2 * (widths.len() + joined_widths(text))
}

/// Lines of nothing but white space and a backslash, each of which may make a width of its own.
fn joined_widths(text: &str) -> usize {
    text.split('\n').filter(|line| line.trim_matches([' ', '\t', '\r', '\u{c}']) == "\\").count()
}

/// Two bytes, five for each literal that is open, four and its word for each here-document; none when a word is longer
/// than its length can be told.
fn ruby_bytes(text: &str) -> Option<usize> {
    const MAX_WORD: usize = 255;
    const MAX_LITERALS: usize = 204;
    let mut documents = 0;
    for (at, _) in text.match_indices("<<") {
        let rest = &text[at + 2..];
        let rest = rest.strip_prefix(['-', '~']).unwrap_or(rest);
        let length = match rest.chars().next() {
            Some(quote @ ('\'' | '"' | '`')) => {
                rest[1..].chars().take_while(|&character| character != quote).take(MAX_WORD + 1).count()
            }
            _ => rest.chars().take_while(|&character| is_word(character)).take(MAX_WORD + 1).count(),
        };
        if length > MAX_WORD {
            return None;
        }
        documents += if length == 0 { 0 } else { 4 + length };
    }
    if documents == 0 {
        return Some(0);
    }
    // A literal stands within another one only behind an interpolation that is open.
    let all = text.matches("#{").count();
    let bytes = |interpolations: usize| 2 + 5 * (interpolations + 1).min(MAX_LITERALS) + documents;
    if bytes(all) <= BUFFER_BYTES { Some(bytes(all)) } else { Some(bytes(all - simple_interpolations(text, "#{"))) }
}

/// Interpolations of nothing but a name, or of names with dots between, in which no literal can begin.
fn simple_interpolations(text: &str, open: &str) -> usize {
    const KEYWORDS: &[&str] = &[
        "alias",
        "and",
        "begin",
        "break",
        "case",
        "class",
        "def",
        "defined",
        "do",
        "else",
        "elsif",
        "end",
        "ensure",
        "for",
        "if",
        "in",
        "module",
        "next",
        "not",
        "or",
        "redo",
        "rescue",
        "retry",
        "return",
        "super",
        "then",
        "undef",
        "unless",
        "until",
        "when",
        "while",
        "yield",
        "BEGIN",
        "END",
        "as",
        "fun",
        "interface",
        "is",
        "object",
        "throw",
        "try",
        "typealias",
        "typeof",
        "val",
        "var",
    ];
    let is_name = |name: &str| {
        let name = name.trim_start_matches('@');
        let is_start = |character: char| character.is_ascii_alphabetic() || character == '_';
        name.starts_with(is_start)
            && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
            && !KEYWORDS.contains(&name)
    };
    let is_simple = |at: usize| {
        let rest = &text[at + 2..];
        rest.find('}').is_some_and(|end| end < 256 && rest[..end].split('.').all(is_name))
    };
    text.match_indices(open).filter(|(at, _)| is_simple(*at)).count()
}

/// Letters and digits of any script.
fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric() || !character.is_ascii()
}

/// Ten bytes, and four for each collection or block text that is open. One begins at a mark before white space, or at
/// the key before a colon, further to the right than the one that it stands in; only a list in a mapping may stand in
/// the same column.
fn yaml_bytes(text: &str) -> usize {
    let mut all = 0;
    let mut columns: HashSet<usize> = HashSet::new();
    let mut most: BTreeMap<usize, usize> = BTreeMap::new();
    let mut is_wide = false;
    for line in text.split(['\n', '\r']) {
        let (mut marks, mut first, mut is_key_next) = (0, None, true);
        let mut characters = line.chars().enumerate().peekable();
        while let Some((column, character)) = characters.next() {
            let is_blank = |next: &(usize, char)| matches!(next.1, ' ' | '\t' | '\0');
            let ends = characters.peek().is_none_or(is_blank);
            is_wide |= column >= usize::from(i16::MAX.unsigned_abs());
            if matches!(character, ' ' | '\t') {
                continue;
            }
            first = first.or(Some(column));
            if matches!(character, '-' | '?' | ':') && ends {
                columns.insert(column);
                marks += 1 + usize::from(character == ':');
            } else {
                if matches!(character, '|' | '>') {
                    marks += 1;
                }
                if is_key_next {
                    columns.insert(column);
                }
                is_key_next = false;
            }
        }
        all += marks;
        if let Some(first) = first {
            let most = most.entry(first).or_default();
            *most = marks.max(*most);
        }
    }
    // A line closes what stands no further to the left than it does, so no two lines that begin alike add up.
    let by_lines = most.values().sum::<usize>() + most.len();
    let open = if is_wide { all } else { all.min(2 * columns.len() + 2).min(by_lines) };
    10 + 4 * open
}

/// Two bytes, and thirteen for each algorithm within another and around them; three for each list of conjunctions or
/// disjunctions that is open, four for each proof. Each begins further to the right, or at a higher level, than the one
/// that it stands in.
fn tla_bytes(text: &str) -> usize {
    let contexts = 1 + text.matches("algorithm").count();
    let mut columns: HashSet<usize> = HashSet::new();
    let mut lists = 0;
    for line in text.split('\n') {
        let mut before = None;
        for (column, character) in line.chars().enumerate() {
            let is_word = before == Some('\\') && character == 'l';
            if matches!((before, character), (Some('/'), '\\') | (Some('\\'), '/')) || is_word {
                columns.insert(column);
                lists += 1;
            }
            if matches!(character, '∧' | '∨' | '⋀' | '⋁') {
                columns.insert(column + 1);
                lists += 1;
            }
            before = Some(character);
        }
    }
    let mut levels: HashSet<&str> = HashSet::new();
    let mut steps = 0;
    for (at, open) in text.match_indices(['<', '⟨']) {
        let rest = &text[at + open.len()..];
        if rest.starts_with(['*', '+']) {
            steps += 1;
        } else {
            let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
            if end > 0 {
                levels.insert(&rest[..end]);
            }
        }
    }
    let lists = lists.min(columns.len() * contexts);
    2 + 13 * contexts + 3 * lists + 4 * (levels.len() * contexts + steps)
}
