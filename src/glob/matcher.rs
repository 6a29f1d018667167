//! Matching a path against a [`Pattern`], from the last element to the first, on sets of positions.
//!
//! The positions from which the rest of the glob takes the rest of the path go into an element, and the positions
//! from which that element and the rest do come out. No element is tried twice on the same position, so no glob
//! can make the matcher slow; and `!(…)` can be read as the agent reads it: not one of these *before this rest*.

use super::parse::Numbers;
use super::parse::{Element, Pattern};

/// Positions in the path, `0..=len`.
type Positions = Vec<bool>;

/// Whether `pattern` takes the whole path.
pub(super) fn matches(pattern: &Pattern, path: &[char]) -> bool {
    let mut end = vec![false; path.len() + 1];
    end[path.len()] = true;
    Matcher { path }.sequence(pattern, end)[0]
}

struct Matcher<'a> {
    path: &'a [char],
}

impl Matcher<'_> {
    fn sequence(&self, pattern: &Pattern, mut positions: Positions) -> Positions {
        for element in pattern.iter().rev() {
            // `**/*` wants a last segment that is not empty; `**/`, `**/{a,}` and `**/***` do not.
            if *element == (Element::Segments { before_star: true }) {
                positions[self.path.len()] = false;
            }
            positions = self.element(element, &positions);
        }
        positions
    }

    fn element(&self, element: &Element, rest: &Positions) -> Positions {
        match element {
            Element::Char(wanted) => self.one(rest, |one| one == *wanted),
            Element::Any => self.one(rest, |one| one != '/'),
            Element::Class { negated, ranges } => self.one(rest, |one| in_class(*negated, ranges, one)),
            Element::Star => self.run(rest, |one| one != '/'),
            Element::Everything => self.run(rest, |_| true),
            Element::Segments { .. } => {
                let mut from = rest.clone();
                let mut behind_a_slash = false;
                for at in (0..self.path.len()).rev() {
                    behind_a_slash |= self.path[at] == '/' && rest[at + 1];
                    from[at] |= behind_a_slash;
                }
                from
            }
            Element::Numbers(numbers) => self.numbers(rest, numbers),
            Element::OneOf(alternatives) | Element::Group(alternatives) => self.one_of(alternatives, rest),
            Element::Optional(alternatives) => union(self.one_of(alternatives, rest), rest),
            Element::Repeat { alternatives, at_least_one } => self.repeat(alternatives, *at_least_one, rest),
            Element::NoneOf(alternatives) => {
                let excluded = self.one_of(alternatives, rest);
                let mut from = self.run(rest, |one| one != '/');
                for (at, reached) in from.iter_mut().enumerate() {
                    *reached &= !excluded[at];
                }
                from
            }
        }
    }

    /// Takes one character.
    fn one(&self, rest: &Positions, takes: impl Fn(char) -> bool) -> Positions {
        let mut from = vec![false; rest.len()];
        for (at, &one) in self.path.iter().enumerate() {
            from[at] = rest[at + 1] && takes(one);
        }
        from
    }

    /// Takes any number of characters.
    fn run(&self, rest: &Positions, takes: impl Fn(char) -> bool) -> Positions {
        let mut from = rest.clone();
        for (at, &one) in self.path.iter().enumerate().rev() {
            from[at] |= from[at + 1] && takes(one);
        }
        from
    }

    fn numbers(&self, rest: &Positions, numbers: &Numbers) -> Positions {
        let (mut from, longest) = (vec![false; rest.len()], numbers.longest());
        for end in (1..rest.len()).filter(|&end| rest[end]) {
            for (start, reached) in from.iter_mut().enumerate().take(end).skip(end.saturating_sub(longest)) {
                *reached |= numbers.takes(&self.path[start..end]);
            }
        }
        from
    }

    fn one_of(&self, alternatives: &[Pattern], rest: &Positions) -> Positions {
        let nowhere = vec![false; rest.len()];
        alternatives.iter().fold(nowhere, |from, pattern| union(from, &self.sequence(pattern, rest.clone())))
    }

    fn repeat(&self, alternatives: &[Pattern], at_least_one: bool, rest: &Positions) -> Positions {
        // Each round reaches a new position or is the last.
        let mut reached = rest.clone();
        loop {
            let once_more = self.one_of(alternatives, &reached);
            let next = union(once_more.clone(), &reached);
            if next == reached {
                return if at_least_one { once_more } else { reached };
            }
            reached = next;
        }
    }
}

/// Whether a class takes this character.
pub(super) fn in_class(negated: bool, ranges: &[(char, char)], one: char) -> bool {
    ranges.iter().any(|&(low, high)| (low..=high).contains(&one)) != negated
}

fn union(mut one: Positions, other: &Positions) -> Positions {
    for (at, &reached) in other.iter().enumerate() {
        one[at] |= reached;
    }
    one
}
