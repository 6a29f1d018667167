//! YAML as the agent's reader resolves it, on the events of `saphyr-parser`: every node with its span, scalars by
//! the 1.2 core schema, merge keys, the last of equal keys.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};

use super::node::{Key, Node, Style, Yaml};
use super::yaml_text::YamlText;
use crate::limits;

/// Deeper nesting is refused: nobody writes it, and each level costs a call frame.
const MAX_DEPTH: usize = limits::YAML_NESTING;

/// What a YAML text holds.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Content {
    /// No document, or one.
    One(Node),
    /// Several documents; `at` is where the second begins.
    Several {
        /// Byte offset of the second document.
        at: usize,
    },
}

/// Why a YAML text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(in super::super) struct YamlError {
    /// What is wrong.
    pub message: String,
    /// Byte offset in the text that was read.
    pub offset: usize,
    /// The text may be valid, but is larger or deeper than this reader goes.
    pub beyond_limit: bool,
}

/// Reads a YAML text.
///
/// # Errors
/// When it is not YAML, nests deeper than the limit, or its aliases copy more than the limit.
pub(in super::super) fn parse(text: &str) -> Result<Content, YamlError> {
    let mut source = YamlText::new(text);
    loop {
        match parse_once(text, &source) {
            Ok(content) => return Ok(content),
            Err((error, character)) => {
                if !character.is_some_and(|character| source.repair(character)) {
                    return Err(error);
                }
            }
        }
    }
}

/// Reads the text as it is now. An error of the parser comes with the character at which it gave up.
fn parse_once(text: &str, source: &YamlText<'_>) -> Result<Content, (YamlError, Option<usize>)> {
    let mut builder = Builder::new(text, source);
    let mut parser = Parser::new_from_str(source.as_str());
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => builder.event(event, span).map_err(|error| (error, None))?,
            Err(error) => {
                let character = error.marker().index();
                let offset = builder.offsets.byte(character);
                let beyond_limit = error.info().contains("recursion limit");
                return Err((YamlError { message: error.info().to_owned(), offset, beyond_limit }, Some(character)));
            }
        }
    }
    Ok(builder.finish())
}

/// Where a `...` ends a document before any has begun.
fn ends_at_once(text: &str) -> bool {
    let content = text.split('\n').find(|line| !line.trim_start().is_empty() && !line.trim_start().starts_with('#'));
    content.and_then(|line| line.strip_prefix("...")).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Turns character indices into byte offsets; cheap when asked in about ascending order.
struct Offsets<'a> {
    text: &'a str,
    character: usize,
    byte: usize,
    ascii: bool,
}

impl Offsets<'_> {
    fn byte(&mut self, character: usize) -> usize {
        if self.ascii {
            return character.min(self.text.len());
        }
        if character >= self.character {
            let mut rest = self.text[self.byte..].chars();
            let wanted = character - self.character;
            let taken = rest.by_ref().take(wanted).count();
            self.character += taken;
            self.byte = self.text.len() - rest.as_str().len();
        } else {
            let mut before = self.text[..self.byte].chars();
            let wanted = self.character - character;
            before.by_ref().rev().take(wanted).for_each(drop);
            self.character = character;
            self.byte = before.as_str().len();
        }
        self.byte
    }
}

/// A collection that is not closed yet.
struct Open {
    anchor: usize,
    start: usize,
    value: OpenValue,
}

enum OpenValue {
    List(Vec<Node>),
    Map { members: Members, key: Option<Key> },
}

/// The members of a mapping with an index, so that many keys stay cheap.
#[derive(Default)]
struct Members {
    members: Vec<(Key, Node)>,
    index: HashMap<String, usize>,
}

impl Members {
    fn insert(&mut self, key: Key, value: Node) {
        match self.index.get(&key.text) {
            Some(&at) => {
                let old = &mut self.members[at];
                let mut overridden = std::mem::take(&mut old.0.overridden);
                overridden.push(old.0.span.clone());
                *old = (Key { overridden, ..key }, value);
            }
            None => {
                self.index.insert(key.text.clone(), self.members.len());
                self.members.push((key, value));
            }
        }
    }

    /// Takes over what `<<` names: whole mappings only, and only keys that are not there yet.
    fn merge(&mut self, value: Node) {
        match value.value {
            Yaml::Map(members) => {
                for (key, value) in members {
                    if !self.index.contains_key(&key.text) {
                        self.insert(key, value);
                    }
                }
            }
            Yaml::List(items) => items.into_iter().for_each(|item| self.merge(item)),
            _ => {}
        }
    }
}

struct Builder<'a> {
    source: &'a YamlText<'a>,
    offsets: Offsets<'a>,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    copies: usize,
    documents: usize,
    second: Option<usize>,
    root: Option<Node>,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str, source: &'a YamlText<'a>) -> Self {
        Self {
            source,
            // The agent counts the empty document before a leading `...`.
            documents: usize::from(ends_at_once(text)),
            offsets: Offsets { text, character: 0, byte: 0, ascii: text.is_ascii() },
            open: Vec::new(),
            anchors: HashMap::new(),
            copies: 0,
            second: None,
            root: None,
        }
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), YamlError> {
        let start = self.offsets.byte(span.start.index());
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents == 2 {
                    self.second = Some(start);
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let end = self.offsets.byte(span.end.index());
                if style == ScalarStyle::Plain && text.starts_with(['|', '>']) {
                    // The parser takes it for a plain scalar within brackets.
                    return Err(self.error("a block scalar cannot stand within brackets", start, false));
                }
                let style = style.into();
                let value = resolve(self.source.restore(&text, style), style, tag.as_deref());
                self.place(Node { value, style, span: start..end.max(start) }, anchor)?;
            }
            Event::Alias(id) => {
                let end = self.offsets.byte(span.end.index());
                let Some(named) = self.anchors.get(&id) else {
                    return Err(self.error("an alias stands inside the value that it names", start, false));
                };
                if self.open.len() + named.depth() > MAX_DEPTH {
                    return Err(self.error("nested too deeply", start, true));
                }
                let mut node = named.clone();
                self.count_copies(&node)?;
                node.map_spans(&|_| start..end);
                self.place(node, 0)?;
            }
            Event::SequenceStart(anchor, _) => {
                self.push(Open { anchor, start, value: OpenValue::List(Vec::new()) })?;
            }
            Event::MappingStart(anchor, _) => {
                let value = OpenValue::Map { members: Members::default(), key: None };
                self.push(Open { anchor, start, value })?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let end = self.offsets.byte(span.end.index());
                if let Some(open) = self.open.pop() {
                    let value = match open.value {
                        OpenValue::List(items) => Yaml::List(items),
                        OpenValue::Map { members, .. } => Yaml::Map(members.members),
                    };
                    let span = open.start..end.max(open.start);
                    self.place(Node { value, style: Style::Plain, span }, open.anchor)?;
                }
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn push(&mut self, open: Open) -> Result<(), YamlError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(self.error("nested too deeply", open.start, true));
        }
        self.open.push(open);
        Ok(())
    }

    /// Puts a finished node where it belongs.
    fn place(&mut self, node: Node, anchor: usize) -> Result<(), YamlError> {
        if anchor != 0 {
            self.count_copies(&node)?;
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert(node);
            return Ok(());
        };
        match &mut open.value {
            OpenValue::List(items) => items.push(node),
            OpenValue::Map { members, key } => match key.take() {
                None => *key = Some(Key { text: key_text(&node), span: node.span, overridden: Vec::new() }),
                Some(key) if key.text == "<<" && matches!(node.value, Yaml::Map(_) | Yaml::List(_)) => {
                    members.merge(node);
                }
                Some(key) => members.insert(key, node),
            },
        }
        Ok(())
    }

    fn count_copies(&mut self, node: &Node) -> Result<(), YamlError> {
        self.copies += node.count();
        if limits::YAML_COPIES.is_beyond(self.copies) {
            return Err(self.error("anchors and aliases copy too much", node.span.start, true));
        }
        Ok(())
    }

    fn error(&self, message: &str, offset: usize, beyond_limit: bool) -> YamlError {
        YamlError { message: message.to_owned(), offset, beyond_limit }
    }

    fn finish(self) -> Content {
        match self.second {
            Some(at) => Content::Several { at },
            None => Content::One(self.root.unwrap_or(Node { value: Yaml::Null, style: Style::Plain, span: 0..0 })),
        }
    }
}

fn key_text(node: &Node) -> String {
    match &node.value {
        Yaml::Null => "null".to_owned(),
        Yaml::Bool(value) => value.to_string(),
        Yaml::Number(_, text) | Yaml::String(text) => text.clone(),
        Yaml::List(_) | Yaml::Map(_) => "[object Object]".to_owned(),
    }
}

/// The value of a scalar.
fn resolve(text: String, style: Style, tag: Option<&Tag>) -> Yaml {
    // Quotes win over every tag; `!` alone is a tag of strings.
    if style != Style::Plain || tag.is_some_and(is_string_tag) {
        return Yaml::String(text);
    }
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => Yaml::Null,
        "true" | "True" | "TRUE" => Yaml::Bool(true),
        "false" | "False" | "FALSE" => Yaml::Bool(false),
        _ => match number(&text) {
            Some(number) => Yaml::Number(number, text),
            None => Yaml::String(text),
        },
    }
}

fn is_string_tag(tag: &Tag) -> bool {
    let verbatim = tag.handle.is_empty() && matches!(tag.suffix.as_str(), "!" | "tag:yaml.org,2002:str");
    verbatim || (tag.is_yaml_core_schema() && tag.suffix == "str")
}

/// The number that the core schema reads.
fn number(text: &str) -> Option<f64> {
    let radix = |digits: &str, radix: u32| {
        let valid = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
        let value = |digit: char| f64::from(digit.to_digit(radix).unwrap_or(0));
        valid.then(|| digits.chars().fold(0.0, |sum, digit| sum * f64::from(radix) + value(digit)))
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(f64::NAN);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Some(sign * f64::INFINITY);
    }
    // Rust reads the same decimals as the schema, once words and lone signs are out.
    let first = unsigned.as_bytes().first()?;
    let decimal = first.is_ascii_digit() || (*first == b'.' && unsigned.as_bytes().get(1)?.is_ascii_digit());
    if !decimal { None } else { unsigned.parse::<f64>().ok().map(|number| sign * number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Node {
        match parse(text) {
            Ok(Content::One(node)) => node,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn scalars_follow_the_core_schema() {
        for text in ["0x1F", "0o17", "017", "1e3", ".5", "1.", "+1", "-1", ".inf", "-.inf", ".nan", "1.5E-3"] {
            assert!(matches!(one(text).value, Yaml::Number(..)), "{text}");
        }
        for text in ["0b11", "1_000", "1.2.3", "1:30", "2024-01-01", "yes", "nUll", "+", ".", "0x", "inf", "e3", "-"] {
            assert!(!matches!(parse(text), Ok(Content::One(Node { value: Yaml::Number(..), .. }))), "{text}");
        }
    }

    #[test]
    fn spans_are_bytes() {
        let text = "é: [a, 'ß']\nb: \"x\"";
        let node = one(text);
        let list = node.get("é").expect("a list");
        assert_eq!(&text[list.span.clone()], "[a, 'ß']");
        let Yaml::List(items) = &list.value else { panic!("{list:?}") };
        assert_eq!(&text[items[1].span.clone()], "'ß'");
        assert_eq!(&text[node.get("b").expect("b").span.clone()], "\"x\"");
    }

    #[test]
    fn merge_keys_yield_to_written_keys_and_the_last_of_equal_keys_wins() {
        let node = one("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  x: 3\nuse2:\n  x: 4\n  <<: [*b]\n  z: 5\n  z: 6");
        let text = |path: [&str; 2]| match &node.get(path[0]).and_then(|n| n.get(path[1])).expect("there").value {
            Yaml::Number(_, text) => text.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(text(["use", "x"]), "3");
        assert_eq!(text(["use", "y"]), "2");
        assert_eq!(text(["use2", "x"]), "4");
        assert_eq!(text(["use2", "z"]), "6");
    }

    #[test]
    fn bombs_are_errors() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..20 {
            let list = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{list}]\n"));
        }
        assert!(parse(&bomb).expect_err("a bomb").beyond_limit);
        assert!(!parse("&a [x, *a]").expect_err("a cycle").beyond_limit);
        for open in ["[", "{", "- ", "? "] {
            assert!(parse(&open.repeat(10_000)).is_err(), "{open}");
        }
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert!(parse(&deep).expect_err("deep").beyond_limit);
    }
}
