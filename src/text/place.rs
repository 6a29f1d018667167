//! Where something stands in a file.

/// A place in a file, for a diagnostic. Lines and columns are 1-based, columns count Unicode scalar values,
/// offsets are bytes (cli.md section 3).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file as the user named it, `-` for standard input.
    pub file: String,
    /// First character of the span.
    pub start: Position,
    /// First character behind the span.
    pub end: Position,
}

/// One point in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// 1-based line.
    pub line: usize,
    /// 1-based column in Unicode scalar values.
    pub column: usize,
    /// 0-based byte offset in the file.
    pub offset: usize,
}

impl Place {
    /// The place that spans nothing at `position`.
    pub fn point(file: impl Into<String>, position: Position) -> Self {
        Self { file: file.into(), start: position, end: position }
    }

    /// The first column of line `line`, which begins at byte `offset`.
    pub fn line(file: impl Into<String>, line: usize, offset: usize) -> Self {
        Self::point(file, Position { line, column: 1, offset })
    }
}

/// Byte offsets of the line starts of a text, to turn offsets into positions.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<usize>,
    /// For each block of the text, how many characters begin before it: a line may be all of a large file.
    characters: Vec<usize>,
}

/// Bytes of a block.
const BLOCK: usize = 1 << 10;

/// How many characters begin in a part of a text.
fn begun(part: &[u8]) -> usize {
    part.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

impl LineIndex {
    /// Indexes `text`; only LF ends a line.
    pub fn new(text: &str) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let mut count = 0;
        let mut characters = Vec::with_capacity(text.len() / BLOCK + 1);
        for block in text.as_bytes().chunks(BLOCK) {
            characters.push(count);
            count += begun(block);
        }
        Self { starts: std::iter::once(0).chain(ends).collect(), characters }
    }

    /// The line of the same `text` in which byte `offset` is, without its end.
    pub fn line(&self, text: &str, offset: usize) -> std::ops::Range<usize> {
        let next = self.starts.partition_point(|&start| start <= offset.min(text.len()));
        let end = self.starts.get(next).map_or(text.len(), |&start| start - 1);
        self.starts.get(next - 1).copied().unwrap_or(0)..end
    }

    /// The position of byte `offset` of the same `text`.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1];
        let mut end = offset;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Position { line, column: self.before(text, end) - self.before(text, start) + 1, offset }
    }

    /// How many characters begin before byte `offset`.
    fn before(&self, text: &str, offset: usize) -> usize {
        let block = offset / BLOCK;
        let part = text.as_bytes().get(block * BLOCK..offset).unwrap_or_default();
        match self.characters.get(block) {
            Some(count) => count + begun(part),
            // The end of a text that ends with a block.
            None => self
                .characters
                .last()
                .map_or(0, |count| count + begun(text.as_bytes().get((block - 1) * BLOCK..offset).unwrap_or_default())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_scalar_values() {
        let text = "a😀b\nc";
        let index = LineIndex::new(text);
        assert_eq!(index.position(text, 5), Position { line: 1, column: 3, offset: 5 });
        assert_eq!(index.position(text, 7), Position { line: 2, column: 1, offset: 7 });
    }
}
