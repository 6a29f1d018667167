//! [`Verdict`]: what is decided about a text.

/// What holds for one pattern at the present end of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The text so far holds no match.
    No,
    /// The text so far matches, but perhaps only because it ends here: text to come may undo that.
    Tentative,
    /// The text so far matches, whatever follows.
    Confirmed,
    /// A pattern that needs the backtracker ran out of its step budget: whether the text matches is unknown.
    Undecided,
}

impl Verdict {
    /// Whether the pattern matches the text so far.
    pub fn is_match(self) -> bool {
        matches!(self, Self::Tentative | Self::Confirmed)
    }
}
