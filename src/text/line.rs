//! Physical lines of a JSONL file, read one by one and kept verbatim.

use std::io::{self, BufRead};

/// One physical line, without its LF and, in [`RawLine::text`], without a CR before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawLine {
    /// 1-based line number.
    pub number: usize,
    /// Byte offset of the line in the file.
    pub offset: usize,
    /// The bytes, line end excluded (a CR is still there).
    pub bytes: Vec<u8>,
    /// Whether the line ended with LF. Only the last line of a file may lack it.
    pub terminated: bool,
}

impl RawLine {
    /// The bytes without a trailing CR.
    pub fn text(&self) -> &[u8] {
        self.bytes.strip_suffix(b"\r").unwrap_or(&self.bytes)
    }

    /// Gives the bytes up once they are read, when there is room for a long line: few lines are long.
    pub fn let_go(&mut self) {
        /// As much room is kept, in bytes.
        const KEPT: usize = 1 << 18;
        if self.bytes.capacity() > KEPT {
            self.bytes = Vec::new();
        }
    }

    /// Whether only JSON white space stands here.
    pub fn is_blank(&self) -> bool {
        self.bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
    }
}

/// Reads lines in constant memory beside the longest line.
pub struct LineReader<R> {
    input: R,
    number: usize,
    offset: usize,
}

impl<R: BufRead> LineReader<R> {
    /// Starts at the first line of `input`.
    pub fn new(input: R) -> Self {
        Self { input, number: 0, offset: 0 }
    }

    /// Gives the input back.
    pub fn into_inner(self) -> R {
        self.input
    }

    /// Reads the next line into `line`, whose allocation is used again; gives whether there was one.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub fn read(&mut self, line: &mut RawLine) -> io::Result<bool> {
        line.bytes.clear();
        let read = self.read_until_end(&mut line.bytes)?;
        if read == 0 {
            return Ok(false);
        }
        line.terminated = line.bytes.last() == Some(&b'\n');
        if line.terminated {
            line.bytes.pop();
        }
        self.number += 1;
        (line.number, line.offset) = (self.number, self.offset);
        self.offset += read;
        Ok(true)
    }

    /// As [`BufRead::read_until`] a line feed, which looks for it more slowly.
    fn read_until_end(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let mut read = 0;
        loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = memchr::memchr(b'\n', available);
            let used = end.map_or(available.len(), |at| at + 1);
            bytes.extend_from_slice(&available[..used]);
            self.input.consume(used);
            read += used;
            if end.is_some() || used == 0 {
                return Ok(read);
            }
        }
    }
}
