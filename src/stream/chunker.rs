//! Recorded whole messages to deltas (session.md S9.4, S9.5).

use std::fmt;
use std::str::FromStr;

use crate::message::{AgentEvent, ContentBlock, Message, Source, ToolCall};
use crate::text::json::{self, Object, Value};
use crate::text::{JsString, is_js_white_space};

use super::{Delta, Origin};

/// How a recorded block is cut into deltas (cli.md section 2, `--chunk`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkMode {
    /// This many code units, one more where a surrogate pair would be cut. At least 1.
    Chars(usize),
    /// A word and the white space behind it.
    Words,
    /// A line and its LF.
    Lines,
    /// The whole block.
    Block,
    /// Each code unit.
    All,
}

impl Default for ChunkMode {
    fn default() -> Self {
        Self::Chars(4)
    }
}

/// The text names no chunk mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no way to cut deltas: use chars:N with N from 1, words, lines, block or all")]
pub struct InvalidChunkMode(String);

impl FromStr for ChunkMode {
    type Err = InvalidChunkMode;

    fn from_str(text: &str) -> Result<Self, InvalidChunkMode> {
        match text {
            "words" => Ok(Self::Words),
            "lines" => Ok(Self::Lines),
            "block" => Ok(Self::Block),
            "all" => Ok(Self::All),
            _ => {
                let count = text.strip_prefix("chars:").and_then(|count| count.parse().ok());
                count.filter(|&count| count > 0).map(Self::Chars).ok_or_else(|| InvalidChunkMode(text.to_owned()))
            }
        }
    }
}

impl fmt::Display for ChunkMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chars(count) => write!(formatter, "chars:{count}"),
            Self::Words => formatter.write_str("words"),
            Self::Lines => formatter.write_str("lines"),
            Self::Block => formatter.write_str("block"),
            Self::All => formatter.write_str("all"),
        }
    }
}

impl ChunkMode {
    /// Length of the first delta of `rest`, which is not empty.
    pub fn cut(self, rest: &[u16]) -> usize {
        match self {
            Self::Chars(count) => {
                let end = count.clamp(1, rest.len());
                let splits_pair = end < rest.len()
                    && (0xD800..0xDC00).contains(&rest[end - 1])
                    && (0xDC00..0xE000).contains(&rest[end]);
                end + usize::from(splits_pair)
            }
            Self::Words => {
                let word = rest.iter().position(|&unit| !is_js_white_space(unit)).unwrap_or(rest.len());
                let space = rest[word..].iter().position(|&unit| is_js_white_space(unit));
                let space = space.map_or(rest.len(), |at| word + at);
                let next = rest[space..].iter().position(|&unit| !is_js_white_space(unit));
                next.map_or(rest.len(), |at| space + at)
            }
            Self::Lines => rest.iter().position(|&unit| unit == 0x0A).map_or(rest.len(), |at| at + 1),
            Self::Block => rest.len(),
            Self::All => 1,
        }
    }
}

/// Makes the events of a recorded message again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chunker {
    mode: ChunkMode,
}

impl Chunker {
    /// Cuts blocks by `mode`.
    pub fn new(mode: ChunkMode) -> Self {
        Self { mode }
    }

    /// The events between the message's start and end: the deltas of each text, thinking and tool-call block in
    /// order, and the end of each complete call (session.md S9.4).
    ///
    /// A call streams as `partialArgs` where that is kept, else as compact JSON of its arguments. A call in a
    /// message that was cut short counts as incomplete when its `partialArgs` are no whole JSON value. `origin`
    /// gives what the events share; block and delta are filled in.
    pub fn events(self, message: &Message, origin: &Origin) -> impl Iterator<Item = (AgentEvent, Origin)> + use<> {
        let mut cutter = Cutter::new(self, message, origin);
        std::iter::from_fn(move || cutter.next_piece().map(Piece::into_event))
    }
}

/// The next thing that streams.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece<'a> {
    /// Text.
    Delta(Delta<'a>),
    /// Anything else.
    Event(AgentEvent, Origin),
}

impl Piece<'_> {
    /// The event with its place.
    pub fn into_event(self) -> (AgentEvent, Origin) {
        match self {
            Self::Delta(delta) => (delta.event(), delta.origin()),
            Self::Event(event, origin) => (event, origin),
        }
    }
}

/// Cuts a message as it is asked for pieces. Text is not copied.
#[derive(Clone, Debug)]
pub struct Cutter {
    mode: ChunkMode,
    message: Message,
    origin: Origin,
    cut_short: bool,
    /// Blocks that were begun.
    begun: usize,
    block: Option<Block>,
}

#[derive(Clone, Debug)]
struct Block {
    index: usize,
    source: Source,
    text: Text,
    position: usize,
    deltas: usize,
    start: Option<AgentEvent>,
    end: Option<AgentEvent>,
}

/// Where the text of a block stands.
#[derive(Clone, Debug)]
enum Text {
    /// The member of an object that shares its members with the message.
    Member(Object, usize),
    Own(JsString),
}

impl Text {
    fn units(&self) -> &[u16] {
        match self {
            Self::Member(object, at) => object.at(*at).and_then(Value::as_string).map_or(&[], JsString::units),
            Self::Own(text) => text.units(),
        }
    }
}

impl Cutter {
    /// A cutter before its first piece; see [`Chunker::events`].
    pub fn new(chunker: Chunker, message: &Message, origin: &Origin) -> Self {
        Self {
            mode: chunker.mode,
            message: message.clone(),
            origin: origin.clone(),
            cut_short: message.is_cut_short(),
            begun: 0,
            block: None,
        }
    }

    /// The next piece; none at the end.
    pub fn next_piece(&mut self) -> Option<Piece<'_>> {
        loop {
            if let Some(block) = &mut self.block {
                let place = |index| Origin { block: Some(index), delta: None, ..self.origin.clone() };
                if let Some(start) = block.start.take() {
                    return Some(Piece::Event(start, place(block.index)));
                }
                if block.position < block.text.units().len() {
                    return self.next_delta().map(Piece::Delta);
                }
                if let Some(end) = block.end.take() {
                    return Some(Piece::Event(end, place(block.index)));
                }
            }
            self.block = self.next_block()?;
        }
    }

    /// The next piece when it is a delta; otherwise nothing moves.
    pub fn next_delta(&mut self) -> Option<Delta<'_>> {
        let block = self.block.as_mut().filter(|block| block.start.is_none())?;
        let rest = block.text.units().get(block.position..).filter(|rest| !rest.is_empty())?;
        let from = block.position;
        block.position += self.mode.cut(rest);
        block.deltas += 1;
        Some(Delta {
            source: block.source,
            index: block.index,
            units: block.text.units().get(from..block.position)?,
            line: self.origin.line,
            entry: self.origin.entry.as_ref(),
            message: self.origin.message,
            number: Some(block.deltas - 1),
        })
    }

    /// The next block, if there is one; nothing inside where it does not stream.
    #[expect(clippy::option_option, reason = "the end of the content is not a block that does not stream")]
    fn next_block(&mut self) -> Option<Option<Block>> {
        let index = self.begun;
        self.begun += 1;
        let content = self.message.raw.position("content")?;
        let items = match self.message.raw.at(content)? {
            Value::String(_) if index == 0 => {
                let text = Text::Member(self.message.raw.clone(), content);
                return Some(Some(Block::new(index, Source::Text, text)));
            }
            Value::Array(items) => items,
            _ => return None,
        };
        let item = items.get(index)?;
        let Value::Object(object) = item else { return Some(None) };
        let text = |source: Source, key: &str| {
            let at = object.position(key).filter(|&at| object.at(at).is_some_and(|text| text.as_string().is_some()))?;
            Some(Block::new(index, source, Text::Member(object.clone(), at)))
        };
        let kind = object.get("type").and_then(Value::as_string);
        Some(match kind {
            Some(kind) if *kind == "text" => text(Source::Text, "text"),
            Some(kind) if *kind == "thinking" => text(Source::Thinking, "thinking"),
            Some(kind) if *kind == "toolCall" => match ContentBlock::read(item) {
                ContentBlock::ToolCall(call) => Some(Block::call(index, call, self.cut_short)),
                _ => None,
            },
            _ => None,
        })
    }
}

impl Block {
    fn new(index: usize, source: Source, text: Text) -> Self {
        Self { index, source, text, position: 0, deltas: 0, start: None, end: None }
    }

    fn call(index: usize, call: ToolCall, cut_short: bool) -> Self {
        let whole = !cut_short || call.partial_args.as_ref().is_none_or(|text| is_whole_json(text) || text.is_empty());
        let text = call.partial_args.filter(|text| !text.is_empty());
        let text = text.unwrap_or_else(|| call.arguments.stringify().into());
        let start = AgentEvent::ToolCallStart { index, id: Some(call.id.clone()), name: Some(call.name.clone()) };
        let end = AgentEvent::ToolCallEnd { index, id: call.id, name: call.name, arguments: Some(call.arguments) };
        Self { start: Some(start), end: whole.then_some(end), ..Self::new(index, Source::Tool, Text::Own(text)) }
    }
}

/// Whether `text` is one whole JSON value. A lone surrogate stands raw in such a text, so it is read as U+FFFD.
fn is_whole_json(text: &JsString) -> bool {
    json::parse(&text.to_string_lossy()).is_ok_and(|value| matches!(value, Value::Object(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(mode: &str, text: &str) -> Vec<String> {
        let mode: ChunkMode = mode.parse().expect("a mode");
        let units: Vec<u16> = text.encode_utf16().collect();
        let (mut at, mut cuts) = (0, Vec::new());
        while at < units.len() {
            let length = mode.cut(&units[at..]);
            cuts.push(JsString::from_units(&units[at..at + length]).to_string_lossy());
            at += length;
        }
        cuts
    }

    #[test]
    fn every_mode_cuts_where_it_says() {
        assert_eq!(cuts("chars:2", "abcde"), ["ab", "cd", "e"]);
        assert_eq!(cuts("chars:1", "a😀b"), ["a", "😀", "b"]);
        assert_eq!(cuts("words", " a  bc\n\nd"), [" a  ", "bc\n\n", "d"]);
        assert_eq!(cuts("lines", "a\n\nb"), ["a\n", "\n", "b"]);
        assert_eq!(cuts("block", "a b\nc"), ["a b\nc"]);
        assert_eq!(cuts("all", "a😀").len(), 3);
    }

    #[test]
    fn modes_read_back_what_they_print() {
        for text in ["chars:4", "words", "lines", "block", "all"] {
            assert_eq!(text.parse::<ChunkMode>().expect("a mode").to_string(), text);
        }
        for text in ["", "chars", "chars:0", "chars:-1", "chars:x", "line"] {
            assert!(text.parse::<ChunkMode>().is_err(), "{text}");
        }
    }
}
