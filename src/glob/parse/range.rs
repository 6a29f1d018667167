//! Brace ranges: `{1..3}`, `{01..10}`, `{1..9..2}`, `{a..e}`.

use super::Element;

/// The numbers of a range, counted from the bound that is written first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbers {
    first: i64,
    last: i64,
    step: u64,
    /// How long each number is written, sign included; 0 when no zeros are put in front.
    width: usize,
}

impl Numbers {
    /// How many numbers there are.
    pub(crate) fn count(&self) -> u64 {
        (self.first.abs_diff(self.last) / self.step).saturating_add(1)
    }

    /// The length of the longest number.
    pub(crate) fn longest(&self) -> usize {
        self.written(self.first).len().max(self.written(self.last).len())
    }

    /// Whether this is one of the numbers, as the range writes it.
    pub(crate) fn takes(&self, text: &[char]) -> bool {
        let text: String = text.iter().collect();
        let Ok(number) = text.parse::<i64>() else { return false };
        let between = (self.first.min(self.last)..=self.first.max(self.last)).contains(&number);
        between && self.first.abs_diff(number).is_multiple_of(self.step) && self.written(number) == text
    }

    /// All numbers as the range writes them.
    pub(crate) fn all(&self) -> impl Iterator<Item = String> {
        (0..self.count()).map(|at| {
            let offset = i128::from(at) * i128::from(self.step);
            let offset = if self.first <= self.last { offset } else { -offset };
            // Within the bounds, so within their type.
            self.written(i64::try_from(i128::from(self.first) + offset).unwrap_or(self.last))
        })
    }

    fn written(&self, number: i64) -> String {
        let (sign, digits) = (if number < 0 { "-" } else { "" }, number.unsigned_abs().to_string());
        let zeros = "0".repeat(self.width.saturating_sub(sign.len() + digits.len()));
        format!("{sign}{zeros}{digits}")
    }
}

/// Reads what stands between braces as a range.
pub(crate) fn range(text: &[char]) -> Option<Element> {
    let text: String = text.iter().collect();
    let mut parts = text.split("..");
    let (first, last, step) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let step = step.map_or(Some(1), |step| integer(step).map(i64::unsigned_abs))?.max(1);
    if let (Some(first), Some(last)) = (letter(first), letter(last)) {
        let low_to_high = first <= last;
        let distance = usize::try_from(step).unwrap_or(usize::MAX);
        let all = first.min(last)..=first.max(last);
        let members: Vec<char> =
            if low_to_high { all.step_by(distance).collect() } else { all.rev().step_by(distance).collect() };
        return Some(Element::OneOf(members.into_iter().map(|one| vec![Element::Char(one)]).collect()));
    }
    let width = if is_padded(first) || is_padded(last) { first.len().max(last.len()) } else { 0 };
    Some(Element::Numbers(Numbers { first: integer(first)?, last: integer(last)?, step, width }))
}

fn letter(text: &str) -> Option<char> {
    let mut letters = text.chars();
    letters.next().filter(|one| one.is_ascii_alphabetic() && letters.next().is_none())
}

/// A number without a plus sign.
fn integer(text: &str) -> Option<i64> {
    text.parse().ok().filter(|_| !text.starts_with('+'))
}

/// Whether a bound has a zero in front that its value does not need.
fn is_padded(bound: &str) -> bool {
    let digits = bound.strip_prefix('-').unwrap_or(bound);
    digits.len() > 1 && digits.starts_with('0')
}
