//! Patterns, sets of them, and the scanner that reads buffers.

use std::ops::Range;
use std::sync::Arc;

use super::error::PatternError;
use crate::text::JsString;

/// How a pattern is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// Whether a leading group of only `i`, `m`, `s` letters sets flags for the whole pattern (engine.md E4.1). Agents
    /// of early generations compile the text as it stands.
    pub leading_flags: bool,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self { leading_flags: true }
    }
}

/// A compiled condition; cheap to clone.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: JsString,
    regex: Arc<regress::Regex>,
}

impl Pattern {
    /// Compiles `source` as the agent does: ECMAScript without the `u` and `v` flags (engine.md E4.1).
    ///
    /// # Errors
    /// The source is no such expression, or it is larger than this tool evaluates.
    pub fn compile(source: &JsString, options: CompileOptions) -> Result<Self, PatternError> {
        let text = source.to_string_lossy();
        let (flags, rest) = match text.strip_prefix("(?").and_then(|rest| rest.split_once(')')) {
            Some((flags, rest))
                if options.leading_flags && !flags.is_empty() && flags.chars().all(|flag| "ims".contains(flag)) =>
            {
                (flags, rest)
            }
            _ => ("", text.as_str()),
        };
        let regex = regress::Regex::with_flags(rest, flags)
            .map_err(|error| PatternError::syntax(error.text, 0..source.len()))?;
        Ok(Self { source: source.clone(), regex: Arc::new(regex) })
    }

    /// The source as given.
    pub fn source(&self) -> &JsString {
        &self.source
    }
}

/// An immutable set of patterns, shared by all scanners; a pattern is addressed by its index.
#[derive(Debug)]
pub struct PatternSet {
    patterns: Vec<Pattern>,
}

/// What holds for one pattern at the present end of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The text so far holds no match.
    No,
    /// The text so far matches, but only because it ends here; text to come may undo that.
    Tentative,
    /// The text so far matches, whatever follows.
    Confirmed,
    /// A pattern with back-references ran out of its step budget: whether the text matches is unknown.
    Undecided,
}

impl Verdict {
    /// Whether the pattern matches the text so far.
    pub fn is_match(self) -> bool {
        matches!(self, Self::Tentative | Self::Confirmed)
    }
}

/// How the decision for one pattern depends on where the block was cut (cli.md, "Terms").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkDependence {
    /// The pattern matches at the check point but not the whole block.
    pub premature: bool,
    /// Premature, or there is a prefix that matches and a longer one that does not, so that some other cut of the block
    /// decides otherwise.
    pub chunk_dependent: bool,
    /// A step budget ended before the answer was certain; the two flags then say what was found until then.
    pub undecided: bool,
}

impl PatternSet {
    /// Joins patterns; their order gives the indices.
    pub fn new(patterns: Vec<Pattern>) -> Self {
        Self { patterns }
    }

    /// Number of patterns.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The pattern with this index.
    pub fn pattern(&self, index: usize) -> Option<&Pattern> {
        self.patterns.get(index)
    }

    /// The leftmost match of a pattern in a text, as a range of code units; for the excerpt of a report.
    ///
    /// Nothing when there is no match, or when a pattern with back-references ran out of its step budget.
    pub fn find(&self, pattern: usize, text: &[u16]) -> Option<Range<usize>> {
        let found = self.patterns.get(pattern)?.regex.find(&String::from_utf16_lossy(text))?;
        Some(found.range())
    }

    /// How the decision for a pattern depends on the cut of a block: `whole` is the block's final text, `at` the length
    /// of the prefix at which the decision was taken.
    pub fn chunk_dependence(&self, pattern: usize, whole: &[u16], at: usize) -> ChunkDependence {
        let matches = |end: usize| self.find(pattern, &whole[..end.min(whole.len())]).is_some();
        let premature = matches(at) && !matches(whole.len());
        let prefixes: Vec<bool> = (0..=whole.len()).map(matches).collect();
        let chunk_dependent = prefixes.windows(2).any(|pair| pair[0] && !pair[1]);
        ChunkDependence { premature, chunk_dependent, undecided: false }
    }
}

/// The text of one buffer key, and how far each pattern has read it.
#[derive(Debug, Default)]
pub struct Buffer {
    text: Vec<u16>,
}

impl Buffer {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text so far.
    pub fn text(&self) -> &[u16] {
        &self.text
    }
}

/// The mutable caches of one worker; they stay warm across buffers.
#[derive(Debug)]
pub struct Scanner {
    set: Arc<PatternSet>,
}

impl Scanner {
    /// A scanner with cold caches.
    pub fn new(set: Arc<PatternSet>) -> Self {
        Self { set }
    }

    /// The set that is scanned for.
    pub fn set(&self) -> &Arc<PatternSet> {
        &self.set
    }

    /// Appends a delta to a buffer. It may cut a surrogate pair in two.
    pub fn append(&mut self, buffer: &mut Buffer, units: &[u16]) {
        buffer.text.extend_from_slice(units);
    }

    /// Replaces the text of a buffer. The first `unchanged` units are known to equal those of the present text; reading
    /// goes on from there instead of from the start, where possible.
    pub fn replace(&mut self, buffer: &mut Buffer, text: &[u16], unchanged: usize) {
        let unchanged = unchanged.min(buffer.text.len()).min(text.len());
        buffer.text.truncate(unchanged);
        buffer.text.extend_from_slice(&text[unchanged..]);
    }

    /// The verdict for one pattern on the text so far.
    pub fn verdict(&mut self, buffer: &mut Buffer, pattern: usize) -> Verdict {
        if self.set.find(pattern, &buffer.text).is_some() { Verdict::Tentative } else { Verdict::No }
    }

    /// The patterns for which the verdict is not [`Verdict::No`], in ascending order.
    pub fn verdicts(&mut self, buffer: &mut Buffer) -> Vec<(usize, Verdict)> {
        (0..self.set.len())
            .map(|pattern| (pattern, self.verdict(buffer, pattern)))
            .filter(|(_, verdict)| *verdict != Verdict::No)
            .collect()
    }
}
