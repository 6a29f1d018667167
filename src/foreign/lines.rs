//! The records of a file of lines.

use std::io::{self, BufReader, Read};

use crate::text::json::{self, Value};
use crate::text::{LineReader, RawLine};

use super::model::Facts;

/// Reads JSON records line by line, in the memory of the longest one.
pub(super) struct Lines<R> {
    reader: LineReader<BufReader<R>>,
    line: RawLine,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { reader: LineReader::new(BufReader::with_capacity(1 << 16, input)), line: RawLine::default() }
    }

    /// The input, wherever it stands.
    pub(super) fn into_inner(self) -> R {
        self.reader.into_inner().into_inner()
    }

    /// The next record with its line number and offset; what is no JSON object is counted.
    pub(super) fn next(&mut self, facts: &mut Facts) -> io::Result<Option<(usize, usize, Value)>> {
        while self.reader.read(&mut self.line)? {
            if self.line.is_blank() {
                continue;
            }
            let (number, offset) = (self.line.number, self.line.offset);
            let record = parse(self.line.text());
            self.line.let_go();
            match record {
                Some(record) => return Ok(Some((number, offset, record))),
                None => facts.malformed += 1,
            }
        }
        Ok(None)
    }
}

/// A line as a JSON object.
pub(super) fn parse(line: &[u8]) -> Option<Value> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    json::parse(&String::from_utf8_lossy(line)).ok().filter(|value| value.as_object().is_some())
}
