//! RPC frames that were split into parts (session.md S8.1).

use std::collections::BTreeMap;

use crate::text::JsString;

use super::envelope::Members;
use crate::limits;

/// Puts `rpc_chunk` parts together.
#[derive(Debug, Default)]
pub(super) struct FrameAssembler {
    open: BTreeMap<JsString, Frame>,
}

#[derive(Debug)]
struct Frame {
    /// Line of the first part.
    line: usize,
    parts: BTreeMap<usize, JsString>,
    count: usize,
    units: usize,
}

/// What became of a part.
#[derive(Debug)]
pub(super) enum Assembled {
    /// More parts are needed.
    Waiting,
    /// The whole frame.
    Frame(String),
    /// The part or its frame cannot be used, and why.
    Unusable(&'static str),
}

impl FrameAssembler {
    /// Takes one part.
    pub(super) fn add(&mut self, part: &Members<'_>, line: usize) -> Assembled {
        let (Some(id), Some(index), Some(count), Some(data)) =
            (part.string("chunkId"), part.index("index"), part.index("count"), part.string("data"))
        else {
            return Assembled::Unusable("a part of a split frame lacks `chunkId`, `index`, `count` or `data`");
        };
        if index >= count {
            return Assembled::Unusable("a part of a split frame has an `index` beyond its `count`");
        }
        if !self.open.contains_key(&id) && self.open.len() >= limits::OPEN_FRAMES.size() {
            return Assembled::Unusable("too many split frames are open at once");
        }
        let frame =
            self.open.entry(id.clone()).or_insert_with(|| Frame { line, parts: BTreeMap::new(), count, units: 0 });
        frame.units += data.len();
        if frame.count != count || limits::STREAM_FRAME.is_beyond(frame.units) {
            self.open.remove(&id);
            return Assembled::Unusable("the parts of a split frame disagree or are too large");
        }
        frame.parts.insert(index, data);
        if frame.parts.len() < frame.count {
            return Assembled::Waiting;
        }
        let Some(frame) = self.open.remove(&id) else { return Assembled::Waiting };
        join(frame.parts.into_values())
    }

    /// Lines at which frames begin that never became whole; they are given up.
    pub(super) fn unfinished(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.open).into_values().map(|frame| frame.line).collect()
    }
}

/// The parts are pieces of the frame's text, or that text's bytes in Base64.
fn join(parts: impl Iterator<Item = JsString>) -> Assembled {
    let parts: Vec<JsString> = parts.collect();
    let begins_object = parts.iter().find(|part| !part.is_blank()).is_some_and(|part| part.trim().starts_with("{"));
    if begins_object {
        let mut text = JsString::new();
        for part in &parts {
            text.push_units(part.units());
        }
        return Assembled::Frame(text.to_string_lossy());
    }
    let mut bytes = Vec::new();
    for part in &parts {
        if !decode_base64(part.units(), &mut bytes) {
            return Assembled::Unusable("the parts of a split frame are neither text of an object nor Base64");
        }
    }
    Assembled::Frame(String::from_utf8_lossy(&bytes).into_owned())
}

fn decode_base64(units: &[u16], out: &mut Vec<u8>) -> bool {
    let (mut bits, mut held) = (0_u32, 0_u32);
    for &unit in units {
        let digit = match u8::try_from(unit) {
            Ok(letter @ b'A'..=b'Z') => letter - b'A',
            Ok(letter @ b'a'..=b'z') => letter - b'a' + 26,
            Ok(digit @ b'0'..=b'9') => digit - b'0' + 52,
            Ok(b'+' | b'-') => 62,
            Ok(b'/' | b'_') => 63,
            Ok(b'=' | b'\n' | b'\r') => continue,
            _ => return false,
        };
        bits = (bits << 6) | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(frames: &mut FrameAssembler, index: usize, data: &str) -> Assembled {
        let part = format!(r#"{{"chunkId":"a","index":{index},"count":2,"data":{data:?}}}"#);
        frames.add(&Members::read(&part).expect("an object"), 7)
    }

    #[test]
    fn parts_come_in_any_order() {
        let mut frames = FrameAssembler::default();
        assert!(matches!(add(&mut frames, 1, "1}"), Assembled::Waiting));
        assert!(matches!(add(&mut frames, 0, "{\"a\":"), Assembled::Frame(text) if text == "{\"a\":1}"));
        assert!(frames.unfinished().is_empty());
    }

    #[test]
    fn parts_may_be_base64() {
        let mut frames = FrameAssembler::default();
        assert!(matches!(add(&mut frames, 0, "eyJh"), Assembled::Waiting));
        assert!(matches!(add(&mut frames, 1, "IjoxfQ=="), Assembled::Frame(text) if text == "{\"a\":1}"));
    }

    #[test]
    fn bad_parts_are_refused() {
        let mut frames = FrameAssembler::default();
        assert!(matches!(add(&mut frames, 2, ""), Assembled::Unusable(_)));
        assert!(matches!(add(&mut frames, 0, "*"), Assembled::Waiting));
        assert!(matches!(add(&mut frames, 1, "*"), Assembled::Unusable(_)));
        assert!(matches!(add(&mut frames, 0, "{"), Assembled::Waiting));
        assert_eq!(frames.unfinished(), [7]);
    }
}
