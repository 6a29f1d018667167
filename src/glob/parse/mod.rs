//! Reading a glob into a [`Pattern`].
//!
//! Brackets are paired in one pass before anything else is read, so that an unpaired one is known to be a literal
//! at once and nested ones cost nothing extra.

pub(crate) use range::Numbers;
mod range;

use range::range;

/// Brackets nested deeper than this are literals. Nobody nests so deep; each level costs a call frame.
const MAX_NESTING: usize = crate::limits::GLOB_NESTING;

/// A repeated group within this many others is a literal too: the time to match grows with the power of this.
const MAX_NESTED_REPEATS: usize = 2;

/// Elements one after the other.
pub(super) type Pattern = Vec<Element>;

/// One element of a glob.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Element {
    /// This character.
    Char(char),
    /// `?`: any character but `/`.
    Any,
    /// `*`: any run without `/`.
    Star,
    /// `**/` as a whole segment: any number of segments, each with the slash behind it.
    /// `before_star`: exactly one `*` follows, so that something must be left of the path.
    Segments { before_star: bool },
    /// `**` as the last segment: anything.
    Everything,
    /// `[…]`
    Class { negated: bool, ranges: Vec<(char, char)> },
    /// `{1..9..2}`
    Numbers(Numbers),
    /// `{…,…}`: one of these.
    OneOf(Vec<Pattern>),
    /// `@(…|…)`: one of these.
    Group(Vec<Pattern>),
    /// `?(…)`: one of these or nothing.
    Optional(Vec<Pattern>),
    /// `*(…)` and, with `at_least_one`, `+(…)`: a run of these.
    Repeat { alternatives: Vec<Pattern>, at_least_one: bool },
    /// `!(…)`: any run without `/`, where none of these stands before the rest of the glob.
    NoneOf(Vec<Pattern>),
}

/// Reads a whole glob; the first value says whether it is negated.
pub(super) fn parse(text: &[char]) -> (bool, Pattern) {
    let bangs = (0..text.len()).take_while(|&at| text[at] == '!' && text.get(at + 1) != Some(&'(')).count();
    let body = &text[bangs..];
    let parser = Parser { text: body, close: pair_brackets(body) };
    let pattern = parser.sequence(0, body.len(), &['\0'; 0], Surroundings { starts_segment: true, ends_segment: true });
    (bangs % 2 == 1, pattern.into_iter().next().unwrap_or_default())
}

/// For each opening brace, group or class the index of its closing bracket; 0 where there is none, since no
/// closing bracket can stand there.
fn pair_brackets(text: &[char]) -> Vec<usize> {
    let mut close = vec![0; text.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut no_class_from = text.len();
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            '\\' => at += 1,
            '[' if at < no_class_from => match class_end(text, at) {
                Some(end) => {
                    close[at] = end;
                    at = end;
                }
                None => no_class_from = at,
            },
            '{' if open.len() < MAX_NESTING => open.push(at),
            '(' if at > 0 && is_group_mark(text[at - 1]) && open.len() < MAX_NESTING => {
                let repeats =
                    open.iter().filter(|&&start| text[start] == '(' && is_repeat_mark(text[start - 1])).count();
                if repeats < MAX_NESTED_REPEATS || !is_repeat_mark(text[at - 1]) {
                    open.push(at);
                }
            }
            closing @ ('}' | ')') => {
                let opening = if closing == '}' { '{' } else { '(' };
                if let Some(depth) = open.iter().rposition(|&start| text[start] == opening) {
                    close[open[depth]] = at;
                    open.truncate(depth);
                }
            }
            _ => {}
        }
        at += 1;
    }
    close
}

/// The index of the first bracket without a partner, which is a literal.
pub(super) fn unpaired(text: &[char]) -> Option<usize> {
    let close = pair_brackets(text);
    let mut is_partner = vec![false; text.len()];
    close.iter().filter(|&&at| at > 0).for_each(|&at| is_partner[at] = true);
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            '\\' => at += 1,
            '[' if close[at] > 0 => at = close[at],
            '[' => return Some(at),
            '{' if close[at] == 0 => return Some(at),
            '(' if at > 0 && is_group_mark(text[at - 1]) && close[at] == 0 => return Some(at),
            '}' if !is_partner[at] => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

fn is_group_mark(mark: char) -> bool {
    matches!(mark, '@' | '+' | '*' | '?' | '!')
}

fn is_repeat_mark(mark: char) -> bool {
    matches!(mark, '+' | '*')
}

/// The index of the `]` that closes the class opened at `start`. A `]` in the first place is a member.
fn class_end(text: &[char], start: usize) -> Option<usize> {
    let mut at = start + 1;
    if matches!(text.get(at), Some('!' | '^')) {
        at += 1;
    }
    let first = at;
    while at < text.len() {
        match text[at] {
            '\\' => at += 1,
            ']' if at > first => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// What an escaped character stands for.
fn unescape(escaped: char) -> char {
    match escaped {
        'b' => '\u{8}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        other => other,
    }
}

/// Whether a sequence begins, or ends, where a path segment does. It decides what `**` at its edge means.
#[derive(Clone, Copy)]
struct Surroundings {
    starts_segment: bool,
    ends_segment: bool,
}

struct Parser<'a> {
    text: &'a [char],
    close: Vec<usize>,
}

impl Parser<'_> {
    /// Reads the text from `at` to `end` into the alternatives that `separators` part.
    fn sequence(&self, mut at: usize, end: usize, separators: &[char], around: Surroundings) -> Vec<Pattern> {
        let mut alternatives = Vec::new();
        let mut pattern = Pattern::new();
        let mut start = at;
        while at < end {
            let one = self.text[at];
            let next = (at + 1 < end).then(|| self.text[at + 1]);
            at += 1;
            if separators.contains(&one) {
                alternatives.push(std::mem::take(&mut pattern));
                start = at;
                continue;
            }
            if is_group_mark(one) && next == Some('(') && self.close[at] != 0 {
                let close = self.close[at];
                let glued = Surroundings { starts_segment: false, ends_segment: false };
                let inner = self.sequence(at + 1, close, &['|'], glued);
                pattern.push(group(one, inner));
                at = close + 1;
                continue;
            }
            match one {
                '\\' => {
                    pattern.push(Element::Char(next.map_or('\\', unescape)));
                    at += usize::from(next.is_some());
                }
                '?' => pattern.push(Element::Any),
                '*' => at = self.stars(at - 1, start, end, separators, around, &mut pattern),
                '[' if self.close[at - 1] != 0 => {
                    pattern.push(self.class(at, self.close[at - 1]));
                    at = self.close[at - 1] + 1;
                }
                '{' if self.close[at - 1] != 0 => {
                    let close = self.close[at - 1];
                    let starts_segment = self.segment_starts(at - 1, start, around);
                    let ends_segment = self.segment_ends(close + 1, end, separators, around);
                    pattern.push(self.braces(at, close, Surroundings { starts_segment, ends_segment }));
                    at = close + 1;
                }
                literal => pattern.push(Element::Char(literal)),
            }
        }
        alternatives.push(pattern);
        alternatives
    }

    /// Whether a path segment begins at `at`, in an alternative that begins at `start`.
    fn segment_starts(&self, at: usize, start: usize, around: Surroundings) -> bool {
        if at == start { around.starts_segment } else { self.text[at - 1] == '/' }
    }

    /// Whether a path segment ends before `at`, in a sequence that ends at `end`.
    fn segment_ends(&self, at: usize, end: usize, separators: &[char], around: Surroundings) -> bool {
        if at == end || separators.contains(&self.text[at]) { around.ends_segment } else { self.text[at] == '/' }
    }

    /// Reads the stars at `first`; the result is the index behind what was read.
    fn stars(
        &self,
        first: usize,
        start: usize,
        end: usize,
        separators: &[char],
        around: Surroundings,
        pattern: &mut Pattern,
    ) -> usize {
        let count = self.text[first..end].iter().take_while(|&&one| one == '*').count();
        let mut behind = first + count;
        // The last star may be the mark of a group.
        let group = self.text.get(behind) == Some(&'(') && behind < end && self.close[behind] != 0;
        if group {
            behind -= 1;
        }
        let whole_segment = count == 2
            && !group
            && self.segment_starts(first, start, around)
            && self.segment_ends(behind, end, separators, around);
        if !whole_segment {
            // The agent drops a `**` before `/**/` and before a last `/**`, and the slash with it, also where that
            // `**` is glued to other text: `a**/**` is `a` and then anything.
            let dropped = !group && count % 2 == 0 && self.another_follows(behind, end);
            let stars = if dropped { count - 2 } else { behind - first };
            pattern.extend(std::iter::repeat_n(Element::Star, stars.min(2)));
            return behind + usize::from(dropped);
        }
        if behind < end && self.text[behind] == '/' {
            // `**/**/` says no more than `**/`.
            pattern.pop_if(|last| matches!(last, Element::Segments { .. }));
            pattern.push(Element::Segments { before_star: self.one_star(behind + 1, end) });
            return behind + 1;
        }
        if behind < end || end < self.text.len() {
            // The slash stands behind the closing brace and is read there.
            pattern.push(Element::Everything);
            return behind;
        }
        pattern.pop_if(|last| matches!(last, Element::Segments { .. }));
        pattern.push(Element::Everything);
        behind
    }

    /// Whether a run of exactly one `*` stands at `at`, the mark of a group aside.
    fn one_star(&self, at: usize, end: usize) -> bool {
        let count = self.text[at..end].iter().take_while(|&&one| one == '*').count();
        let behind = at + count;
        let group = behind < end && self.text[behind] == '(' && self.close[behind] != 0;
        count - usize::from(group && count > 0) == 1
    }

    /// Whether `/**/`, or `/**` and then nothing, stands at `at`.
    fn another_follows(&self, at: usize, end: usize) -> bool {
        let rest = &self.text[at..end];
        rest.starts_with(&['/', '*', '*', '/']) || (rest == ['/', '*', '*'] && end == self.text.len())
    }

    fn class(&self, start: usize, end: usize) -> Element {
        let negated = matches!(self.text[start], '!' | '^');
        let mut at = start + usize::from(negated);
        let mut ranges = Vec::new();
        let member = |at: &mut usize| {
            let escaped = self.text[*at] == '\\' && *at + 1 < end;
            *at += 1 + usize::from(escaped);
            if escaped { unescape(self.text[*at - 1]) } else { self.text[*at - 1] }
        };
        while at < end {
            let low = member(&mut at);
            let high = if at + 1 < end && self.text[at] == '-' {
                at += 1;
                member(&mut at)
            } else {
                low
            };
            ranges.push((low, high));
        }
        Element::Class { negated, ranges }
    }

    fn braces(&self, start: usize, end: usize, around: Surroundings) -> Element {
        range(&self.text[start..end]).unwrap_or_else(|| Element::OneOf(self.sequence(start, end, &[','], around)))
    }
}

fn group(mark: char, alternatives: Vec<Pattern>) -> Element {
    match mark {
        '@' => Element::Group(alternatives),
        '?' => Element::Optional(alternatives),
        '!' => Element::NoneOf(alternatives),
        _ => Element::Repeat { alternatives, at_least_one: mark == '+' },
    }
}
