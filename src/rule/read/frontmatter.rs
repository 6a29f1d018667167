//! The metadata of a rule file as the agent reads it: YAML, else YAML with the bad lines quoted, else line by line
//! (engine.md E1.7, E1.8).

use std::collections::HashMap;
use std::ops::Range;

use super::node::{Key, Node, Style, Yaml};
use super::source::{Derived, is_js_blank};
use super::yaml::{self, Content, YamlError};
use crate::generation::Semantics;
use crate::limits;
use crate::text::JsString;
use crate::text::json;

/// What was read between the fences. Spans are byte ranges in the text of the file.
#[derive(Clone, Debug, Default)]
pub struct Frontmatter {
    /// The keys in the order of the agent's object, normalised (`ast-condition` is `astCondition`); of two
    /// spellings of a key the later one counts.
    pub members: Vec<Member>,
    /// What it took to read them.
    pub reading: Reading,
    /// Where the metadata stands.
    pub span: Range<usize>,
}

/// One key of the frontmatter.
#[derive(Clone, Debug)]
pub struct Member {
    /// The key after normalisation.
    pub key: String,
    /// The key as written.
    pub written: String,
    /// Where the key is written.
    pub key_span: Range<usize>,
    /// Where the same key is written before, to no effect.
    pub overridden: Vec<Range<usize>>,
    /// The value.
    pub value: Node,
}

/// How the metadata could be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Reading {
    /// As YAML.
    #[default]
    Plain,
    /// As YAML that is no mapping, so that there are no keys.
    NoMapping {
        /// What it is instead.
        kind: &'static str,
        /// Where.
        at: usize,
    },
    /// As several YAML documents, so that there are no keys.
    SeveralDocuments {
        /// Where the second begins.
        at: usize,
    },
    /// As YAML, after values that hold a colon were put into quotes.
    Quoted {
        /// Why it is not YAML as written.
        error: Problem,
        /// The values that were put into quotes.
        values: Vec<Range<usize>>,
    },
    /// Line by line: indented lines and list items are lost, and values that are not YAML stay as written.
    LineByLine {
        /// Why it is not YAML as written.
        error: Problem,
        /// The lines that were skipped, blank ones and comments aside.
        skipped: Vec<Range<usize>>,
    },
    /// Not at all: larger or deeper than this program goes. What the agent makes of it is not known.
    Beyond(Problem),
}

/// Why the metadata is not YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// Byte offset in the text of the file.
    pub at: usize,
}

/// Which generation's reader to follow (engine.md E11 G2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generation {
    /// YAML, else lines with raw values; keys as written.
    Early,
    /// As engine.md E1.7 and E1.8 say.
    Current,
}

impl Generation {
    /// The reader of this generation of the runtime.
    pub(super) fn of(semantics: &Semantics) -> Self {
        if semantics.legacy_trigger_only { Self::Early } else { Self::Current }
    }
}

impl Frontmatter {
    /// The member that counts for `key`, normalised.
    pub fn member(&self, key: &str) -> Option<&Member> {
        self.members.iter().rev().find(|member| member.key == key)
    }

    /// The value that counts for `key`, normalised.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.member(key).map(|member| &member.value)
    }

    /// Reads the metadata.
    pub(super) fn read(metadata: &Derived, generation: Generation) -> Self {
        let span = metadata.origin_range(0..metadata.text.len());
        if limits::FRONTMATTER.is_beyond(metadata.text.len()) {
            let message = format!("the frontmatter is longer than {}", limits::bytes(limits::FRONTMATTER.get()));
            let problem = Problem { message, at: span.start };
            return Self { members: Vec::new(), reading: Reading::Beyond(problem), span };
        }
        let without_tabs = replace_tabs(metadata.clone());
        let (mut members, reading) = match yaml::parse(&without_tabs.text) {
            Ok(content) => from_content(content, &without_tabs),
            Err(error) => repair(metadata, &without_tabs, error, generation),
        };
        if generation == Generation::Current {
            for member in &mut members {
                member.key = normalise_key(&member.written);
            }
        }
        Self { members, reading, span }
    }
}

fn replace_tabs(text: Derived) -> Derived {
    let tabs: Vec<_> =
        memchr::memchr_iter(b'\t', text.text.as_bytes()).map(|at| (at..at + 1, "  ".to_owned())).collect();
    text.edit(tabs)
}

fn from_content(content: Content, text: &Derived) -> (Vec<Member>, Reading) {
    let node = match content {
        Content::One(node) => node,
        Content::Several { at } => return (Vec::new(), Reading::SeveralDocuments { at: text.origin(at) }),
    };
    let (kind, at) = (node.kind(), text.origin(node.span.start));
    match node.value {
        Yaml::Map(members) => {
            let locate = |span: Range<usize>| text.origin_range(span);
            let member = |(key, mut value): (Key, Node)| {
                value.map_spans(&locate);
                Member {
                    key: key.text.clone(),
                    written: key.text,
                    key_span: locate(key.span),
                    overridden: key.overridden.into_iter().map(locate).collect(),
                    value,
                }
            };
            (members.into_iter().map(member).collect(), Reading::Plain)
        }
        Yaml::Null => (Vec::new(), Reading::Plain),
        _ => (Vec::new(), Reading::NoMapping { kind, at }),
    }
}

fn repair(
    metadata: &Derived,
    without_tabs: &Derived,
    error: YamlError,
    generation: Generation,
) -> (Vec<Member>, Reading) {
    let problem = Problem { message: error.message, at: without_tabs.origin(error.offset) };
    if error.beyond_limit {
        return (Vec::new(), Reading::Beyond(problem));
    }
    if generation == Generation::Early {
        return line_by_line(metadata, problem, |_| None);
    }
    let quoted = quote_values(metadata);
    if !quoted.is_empty() {
        let values: Vec<_> = quoted.iter().map(|(range, _)| metadata.origin_range(range.clone())).collect();
        let text = replace_tabs(metadata.clone().edit(quoted));
        match yaml::parse(&text.text) {
            Ok(content) => {
                let (members, reading) = from_content(content, &text);
                let reading =
                    if reading == Reading::Plain { Reading::Quoted { error: problem, values } } else { reading };
                return (members, reading);
            }
            Err(error) if error.beyond_limit => return (Vec::new(), Reading::Beyond(problem)),
            Err(_) => {}
        }
    }
    line_by_line(metadata, problem, parse_alone)
}

/// The values that hold `: ` and do not begin as YAML of another kind, as JSON strings.
fn quote_values(metadata: &Derived) -> Vec<(Range<usize>, String)> {
    let mut edits = Vec::new();
    for (start, line) in lines(&metadata.text) {
        let indented = line.trim_start_matches(is_js_blank);
        let key_len = indented.bytes().take_while(|byte| is_key_byte(*byte)).count();
        let begins_well = indented.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let Some(rest) = indented[key_len..].strip_prefix(':').filter(|_| begins_well) else { continue };
        if !rest.starts_with(is_js_blank) {
            continue;
        }
        let value = rest.trim_matches(is_js_blank);
        if !value.contains(": ")
            || value.contains(NO_DOT)
            || value.starts_with(['"', '\'', '[', '{', '|', '>', '!', '&', '*', '#'])
        {
            continue;
        }
        let at = start + line.len() - rest.trim_start_matches(is_js_blank).len();
        let mut quoted = String::new();
        json::write_string(&mut quoted, &JsString::from(value));
        edits.push((at..at + value.len(), quoted));
    }
    edits
}

/// Line ends that the agent's `.` does not take, so that a line with one in its value is none of its lines.
const NO_DOT: [char; 2] = ['\u{2028}', '\u{2029}'];

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The lines of a text, each with its byte offset.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len() + 1;
        Some((start, line))
    })
}

/// The value of one line read alone: a scalar other than null, or a list.
fn parse_alone(text: &str) -> Option<Node> {
    match yaml::parse(text) {
        Ok(Content::One(node)) if !matches!(node.value, Yaml::Null | Yaml::Map(_)) => Some(node),
        _ => None,
    }
}

/// Whether a value that is taken as written needs quotes to be the same text in YAML.
pub(in super::super) fn is_quoted_alone(written: &str) -> bool {
    !written.is_empty()
        && !matches!(parse_alone(written), Some(Node { value: Yaml::String(value), .. }) if value == written)
}

fn line_by_line(metadata: &Derived, error: Problem, parse: impl Fn(&str) -> Option<Node>) -> (Vec<Member>, Reading) {
    let mut members: Vec<Member> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    let mut skipped = Vec::new();
    for (start, line) in lines(&metadata.text) {
        let key_len = line.bytes().take_while(|byte| is_key_byte(*byte)).count();
        let rest = line[key_len..].strip_prefix(':').filter(|_| key_len > 0);
        let rest = rest.filter(|rest| !rest.trim_start_matches(is_js_blank).contains(NO_DOT));
        let Some(rest) = rest else {
            let content = line.trim_matches(is_js_blank);
            if !content.is_empty() && !content.starts_with('#') {
                skipped.push(metadata.origin_range(start..start + line.len()));
            }
            continue;
        };
        let text = rest.trim_matches(is_js_blank);
        let at = start + line.len() - rest.trim_start_matches(is_js_blank).len();
        let raw = || Node { value: Yaml::String(text.to_owned()), style: Style::Plain, span: 0..text.len() };
        let mut value = if text.is_empty() { raw() } else { parse(text).unwrap_or_else(raw) };
        value.map_spans(&|span| metadata.origin_range(at + span.start..at + span.end));
        let written = line[..key_len].to_owned();
        let key_span = metadata.origin_range(start..start + key_len);
        let member = Member { key: written.clone(), written: written.clone(), key_span, overridden: Vec::new(), value };
        match index.get(&written) {
            Some(&at) => {
                let mut overridden = std::mem::take(&mut members[at].overridden);
                overridden.push(members[at].key_span.clone());
                members[at] = Member { overridden, ..member };
            }
            None => {
                index.insert(written, members.len());
                members.push(member);
            }
        }
    }
    (members, Reading::LineByLine { error, skipped })
}

/// `ast-condition` → `astCondition`: a dash goes and raises the lower-case letter behind it.
pub(in super::super) fn normalise_key(key: &str) -> String {
    let mut normal = String::with_capacity(key.len());
    let mut rest = key.chars().peekable();
    while let Some(one) = rest.next() {
        match rest.next_if(|next| one == '-' && next.is_ascii_lowercase()) {
            Some(letter) => normal.push(letter.to_ascii_uppercase()),
            None => normal.push(one),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Frontmatter {
        Frontmatter::read(&Derived::from_original(text, 0), Generation::Current)
    }

    fn string(frontmatter: &Frontmatter, key: &str) -> String {
        match frontmatter.get(key).map(|node| &node.value) {
            Some(Yaml::String(text)) => text.clone(),
            other => panic!("{key}: {other:?}"),
        }
    }

    #[test]
    fn keys_lose_their_dashes() {
        for (written, normal) in
            [("ast-condition", "astCondition"), ("X-Y", "X-Y"), ("a-1b", "a-1b"), ("a--b", "a-B"), ("a_b", "a_b")]
        {
            assert_eq!(normalise_key(written), normal);
        }
    }

    #[test]
    fn a_value_with_a_colon_is_quoted_and_keeps_its_comment() {
        let text = "condition: foo: bar # c\nscope: text";
        let frontmatter = read(text);
        assert_eq!(string(&frontmatter, "condition"), "foo: bar # c");
        let Reading::Quoted { values, .. } = &frontmatter.reading else { panic!("{:?}", frontmatter.reading) };
        assert_eq!(&text[values[0].clone()], "foo: bar # c");
        assert_eq!(&text[frontmatter.get("scope").expect("scope").span.clone()], "text");
    }

    #[test]
    fn the_last_resort_reads_line_by_line() {
        let text = "condition: \"\\s+\"\nscope: \"text\",\"thinking\"\nglobs: [a, b] # c\nx: null\nobj: {a: 1}\nempty:\nmulti: |\n  gone\nn: 5";
        let frontmatter = read(text);
        assert_eq!(string(&frontmatter, "condition"), "\"\\s+\"");
        assert_eq!(string(&frontmatter, "scope"), "\"text\",\"thinking\"");
        assert_eq!(string(&frontmatter, "x"), "null");
        assert_eq!(string(&frontmatter, "obj"), "{a: 1}");
        assert_eq!(string(&frontmatter, "empty"), "");
        assert_eq!(string(&frontmatter, "multi"), "");
        assert!(
            matches!(frontmatter.get("globs").map(|node| &node.value), Some(Yaml::List(items)) if items.len() == 2)
        );
        let Reading::LineByLine { skipped, error } = &frontmatter.reading else { panic!("{:?}", frontmatter.reading) };
        assert_eq!(&text[skipped[0].clone()], "  gone");
        assert_eq!(&text[error.at..error.at + 3], "\"\\s");
        assert_eq!(&text[frontmatter.get("condition").expect("there").span.clone()], "\"\\s+\"");
    }

    #[test]
    fn no_mapping_means_no_keys() {
        assert!(matches!(read("- a").reading, Reading::NoMapping { kind: "a list", .. }));
        assert!(matches!(read("a: 1\n...\nb: 2").reading, Reading::SeveralDocuments { .. }));
        assert!(read("# c").members.is_empty());
    }

    #[test]
    fn huge_metadata_is_refused_not_misread() {
        let text = "a: b\n".repeat(1 << 20);
        assert!(matches!(read(&text).reading, Reading::Beyond(_)));
    }
}
