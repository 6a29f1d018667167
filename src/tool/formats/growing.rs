//! [`Growing`]: a digest that is extended from one inspection to the next.

/// A text whose leading part is final while its tail may still be taken back.
///
/// One inspection is `begin`, any number of `commit` and then of `tentative`, and `end`. The cost follows from what is
/// new, not from the length of the text.
#[derive(Debug, Default)]
pub(crate) struct Growing {
    text: Vec<u16>,
    committed: usize,
    /// Units that equal those of the previous inspection whatever follows.
    base: usize,
    /// The previous inspection's text from `base` on.
    before: Vec<u16>,
    unchanged: usize,
    /// The end of the final part, while it does not show.
    hidden: Vec<u16>,
}

impl Growing {
    /// The text.
    pub(crate) fn text(&self) -> &[u16] {
        &self.text
    }

    /// Leading units that equal those at the previous inspection.
    pub(crate) fn unchanged(&self) -> usize {
        self.unchanged
    }

    /// Length of the final part.
    pub(crate) fn committed(&self) -> usize {
        self.committed
    }

    /// Takes back the tentative tail.
    pub(crate) fn begin(&mut self) {
        self.base = self.committed - self.hidden.len();
        self.before.clear();
        self.before.extend(self.text.drain(self.base..));
        self.text.append(&mut self.hidden);
    }

    /// Adds units that stay.
    pub(crate) fn commit(&mut self, units: &[u16]) {
        debug_assert_eq!(self.text.len(), self.committed, "nothing final follows a tentative tail");
        self.text.extend_from_slice(units);
        self.committed = self.text.len();
    }

    /// Adds units that the next inspection takes back.
    pub(crate) fn tentative(&mut self, units: &[u16]) {
        self.text.extend_from_slice(units);
    }

    /// What was final is void; the next inspection begins from nothing and is compared with the text as it is.
    pub(crate) fn restart(&mut self) {
        self.committed = 0;
        self.hidden.clear();
    }

    /// Takes back what was final from `length` on.
    pub(crate) fn rewind(&mut self, length: usize) {
        self.keep_for_comparison(length);
        self.text.truncate(length);
        self.committed = self.committed.min(length);
    }

    /// Shows nothing from `length` on until the next inspection; what is added then comes in its place.
    pub(crate) fn hide(&mut self, length: usize) {
        self.keep_for_comparison(length);
        let shown = self.committed - self.hidden.len();
        if length < shown {
            self.hidden.splice(0..0, self.text[length..shown].iter().copied());
        }
        self.text.truncate(length);
    }

    fn keep_for_comparison(&mut self, length: usize) {
        if length < self.base {
            self.before.splice(0..0, self.text[length..self.base].iter().copied());
            self.base = length;
        }
    }

    /// Finds what is unchanged.
    pub(crate) fn end(&mut self) {
        let same = self.text[self.base..].iter().zip(&self.before).take_while(|(now, before)| now == before).count();
        self.unchanged = self.base + same;
    }

    /// The text is another one than at the previous inspection, whatever it says.
    pub(crate) fn forget(&mut self) {
        self.unchanged = 0;
    }

    /// One whole inspection of a text that is given anew: `stable` only grows, `tail` may change.
    pub(crate) fn follow(&mut self, stable: &[u16], tail: &[u16]) {
        self.begin();
        if stable.len() < self.committed {
            self.rewind(0);
        }
        let known = self.committed;
        self.commit(&stable[known..]);
        self.tentative(tail);
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_counts_final_and_repeated_units() {
        let mut text = Growing::default();
        text.follow(&[1, 2], &[9, 8]);
        assert_eq!((text.text(), text.unchanged()), ([1, 2, 9, 8].as_slice(), 0));
        text.follow(&[1, 2, 9], &[7]);
        assert_eq!((text.text(), text.unchanged()), ([1, 2, 9, 7].as_slice(), 3));
        text.follow(&[1, 2, 9], &[7]);
        assert_eq!(text.unchanged(), 4);
    }

    #[test]
    fn a_hidden_end_shows_again() {
        let mut text = Growing::default();
        text.follow(&[1, 2, 3, 4], &[5]);
        text.begin();
        text.hide(2);
        text.tentative(&[3, 9]);
        text.end();
        assert_eq!((text.text(), text.unchanged()), ([1, 2, 3, 9].as_slice(), 3));
        text.follow(&[1, 2, 3, 4], &[6]);
        assert_eq!((text.text(), text.unchanged()), ([1, 2, 3, 4, 6].as_slice(), 3));
    }

    #[test]
    fn a_rewound_text_is_compared_with_what_it_was() {
        let mut text = Growing::default();
        text.follow(&[1, 2, 3, 4], &[5]);
        text.begin();
        text.rewind(1);
        text.commit(&[2, 3, 9]);
        text.end();
        assert_eq!((text.text(), text.unchanged()), ([1, 2, 3, 9].as_slice(), 3));
    }
}
