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
}

impl LineIndex {
    /// Indexes `text`; only LF ends a line.
    pub fn new(text: &str) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self { starts: std::iter::once(0).chain(ends).collect() }
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
        Position { line, column: text[start..end].chars().count() + 1, offset }
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
