//! Recorded whole messages to deltas (session.md S9.4, S9.5).

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use crate::message::{AgentEvent, ContentBlock, Message};
use crate::text::json::{self, Value};
use crate::text::{JsString, is_js_white_space};

use super::Origin;

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
        let cut_short = message.is_cut_short();
        let blocks = message.blocks().into_iter().enumerate();
        let blocks: VecDeque<BlockCutter> =
            blocks.filter_map(|(index, block)| BlockCutter::new(self.mode, index, block, cut_short)).collect();
        Cutters { blocks, origin: origin.clone() }
    }
}

struct Cutters {
    blocks: VecDeque<BlockCutter>,
    origin: Origin,
}

impl Iterator for Cutters {
    type Item = (AgentEvent, Origin);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let block = self.blocks.front_mut()?;
            if let Some((event, delta)) = block.next() {
                let origin = Origin { block: Some(block.index), delta, ..self.origin.clone() };
                return Some((event, origin));
            }
            self.blocks.pop_front();
        }
    }
}

struct BlockCutter {
    mode: ChunkMode,
    index: usize,
    units: Vec<u16>,
    position: usize,
    deltas: usize,
    kind: Kind,
}

enum Kind {
    Text,
    Thinking,
    Call { start: Option<AgentEvent>, end: Option<AgentEvent> },
}

impl BlockCutter {
    fn new(mode: ChunkMode, index: usize, block: ContentBlock, cut_short: bool) -> Option<Self> {
        let (text, kind) = match block {
            ContentBlock::Text(text) => (text, Kind::Text),
            ContentBlock::Thinking(text) => (text, Kind::Thinking),
            ContentBlock::ToolCall(call) => {
                let whole =
                    !cut_short || call.partial_args.as_ref().is_none_or(|text| is_whole_json(text) || text.is_empty());
                let text = call.partial_args.filter(|text| !text.is_empty());
                let text = text.unwrap_or_else(|| call.arguments.stringify().into());
                let start =
                    AgentEvent::ToolCallStart { index, id: Some(call.id.clone()), name: Some(call.name.clone()) };
                let end =
                    AgentEvent::ToolCallEnd { index, id: call.id, name: call.name, arguments: Some(call.arguments) };
                (text, Kind::Call { start: Some(start), end: whole.then_some(end) })
            }
            ContentBlock::Other(_) => return None,
        };
        Some(Self { mode, index, units: text.into_units(), position: 0, deltas: 0, kind })
    }

    fn next(&mut self) -> Option<(AgentEvent, Option<usize>)> {
        if let Kind::Call { start, .. } = &mut self.kind
            && let Some(start) = start.take()
        {
            return Some((start, None));
        }
        let rest = &self.units[self.position..];
        if rest.is_empty() {
            let Kind::Call { end, .. } = &mut self.kind else { return None };
            return end.take().map(|end| (end, None));
        }
        let length = self.mode.cut(rest);
        let (index, delta) = (self.index, JsString::from_units(&rest[..length]));
        self.position += length;
        self.deltas += 1;
        let event = match self.kind {
            Kind::Text => AgentEvent::TextDelta { index, delta },
            Kind::Thinking => AgentEvent::ThinkingDelta { index, delta },
            Kind::Call { .. } => AgentEvent::ToolCallDelta { index, delta },
        };
        Some((event, Some(self.deltas - 1)))
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
