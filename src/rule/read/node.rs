//! [`Node`]: a value of a YAML text, and where it was written.

use std::ops::Range;

use saphyr_parser::ScalarStyle;

use crate::text::json::{Object, Value};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Yaml {
    /// `~`, `null`, nothing
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number; the text is the one that was written.
    Number(f64, String),
    /// Everything else that is a scalar.
    String(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping; of equal keys only the last is there.
    Map(Vec<(Key, Node)>),
}

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes; also every list and mapping.
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|` or `>`
    Block,
}

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Yaml,
    /// How it was written.
    pub style: Style,
    /// Byte range in the text that was read; quotes and brackets belong to it.
    pub span: Range<usize>,
}

/// A key of a mapping and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The key as text, whatever its type.
    pub text: String,
    /// Byte range in the text that was read.
    pub span: Range<usize>,
    /// Where the same key was written before; those values count for nothing.
    pub overridden: Vec<Range<usize>>,
}

impl Node {
    /// The value of `key`, when this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Yaml::Map(members) = &self.value else { return None };
        members.iter().find(|(name, _)| name.text == key).map(|(_, value)| value)
    }

    /// What the value is, in a word for a message.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Yaml::Null => "null",
            Yaml::Bool(_) => "a boolean",
            Yaml::Number(..) => "a number",
            Yaml::String(_) => "a string",
            Yaml::List(_) => "a list",
            Yaml::Map(_) => "a mapping",
        }
    }

    /// The value as JSON.
    pub fn to_json(&self) -> Value {
        match &self.value {
            Yaml::Null => Value::Null,
            Yaml::Bool(value) => Value::Bool(*value),
            Yaml::Number(number, _) => Value::from(*number),
            Yaml::String(text) => Value::from(text.as_str()),
            Yaml::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            Yaml::Map(members) => Value::Object(
                members.iter().map(|(key, value)| (key.text.as_str(), value.to_json())).collect::<Object>(),
            ),
        }
    }

    /// Changes every span in the value.
    pub(in super::super) fn map_spans(&mut self, map: &impl Fn(Range<usize>) -> Range<usize>) {
        self.span = map(self.span.clone());
        match &mut self.value {
            Yaml::List(items) => items.iter_mut().for_each(|item| item.map_spans(map)),
            Yaml::Map(members) => {
                for (key, value) in members {
                    key.span = map(key.span.clone());
                    key.overridden.iter_mut().for_each(|span| *span = map(span.clone()));
                    value.map_spans(map);
                }
            }
            _ => {}
        }
    }

    /// How many nodes the value holds, itself and the keys included.
    pub(super) fn count(&self) -> usize {
        match &self.value {
            Yaml::List(items) => 1 + items.iter().map(Self::count).sum::<usize>(),
            Yaml::Map(members) => 1 + members.iter().map(|(_, value)| 1 + value.count()).sum::<usize>(),
            _ => 1,
        }
    }

    /// How deep the value nests.
    pub(super) fn depth(&self) -> usize {
        match &self.value {
            Yaml::List(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Yaml::Map(members) => 1 + members.iter().map(|(_, value)| value.depth()).max().unwrap_or(0),
            _ => 1,
        }
    }
}

impl From<ScalarStyle> for Style {
    fn from(style: ScalarStyle) -> Self {
        match style {
            ScalarStyle::Plain => Self::Plain,
            ScalarStyle::SingleQuoted => Self::SingleQuoted,
            ScalarStyle::DoubleQuoted => Self::DoubleQuoted,
            ScalarStyle::Literal | ScalarStyle::Folded => Self::Block,
        }
    }
}
