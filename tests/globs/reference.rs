//! The meaning of a glob, written down once more from engine.md E3.4: slow, and with nothing shared.
//!
//! Without an extended group the braces are multiplied out and each alternative is tried in the agent's order of
//! trying; with one, every way is tried.

/// What one element of an alternative takes.
#[derive(Clone, Debug, PartialEq)]
enum Atom {
    Literal(char),
    NoSlash,
    Star,
    /// `**/`, and whether exactly one `*` follows: then something must be left of the path.
    Segments(bool),
    /// `**` at the end.
    Rest,
    Class(Vec<(char, char)>, bool),
    Group(char, Vec<Vec<Atom>>),
}

/// Whether the glob takes the path.
pub fn matches(glob: &str, path: &str) -> bool {
    Reference::new(glob).matches(path)
}

/// A glob that was read.
pub struct Reference {
    negated: bool,
    alternatives: Vec<Vec<Atom>>,
}

impl Reference {
    pub fn new(glob: &str) -> Self {
        let mut text: Vec<char> = glob.chars().collect();
        let mut negated = false;
        while text.first() == Some(&'!') && text.get(1) != Some(&'(') {
            negated = !negated;
            text.remove(0);
        }
        let partner = partners(&text);
        let opens = |at: usize| text[at] == '(' && partner[at].is_some();
        let reader = Reader { text: &text, partner: &partner, grouped: (0..text.len()).any(opens) };
        Self { negated, alternatives: reader.expand(0, text.len(), Around { left: true, right: true }) }
    }

    pub fn matches(&self, path: &str) -> bool {
        let path: Vec<char> = path.chars().collect();
        let one = |atoms: &Vec<Atom>| {
            let every_way = atoms
                .iter()
                .enumerate()
                .any(|(at, atom)| matches!(atom, Atom::Group(..)) || (*atom == Atom::Rest && at + 1 < atoms.len()));
            if every_way { tries_all(atoms, &path) } else { tries_in_order(atoms, &path) }
        };
        self.alternatives.iter().any(one) != self.negated
    }
}

/// The closing bracket of each opening one that has one.
fn partners(text: &[char]) -> Vec<Option<usize>> {
    let mut partner = vec![None; text.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if text[at] == '\\' {
            at += 2;
            continue;
        }
        if text[at] == '[' {
            let mut end = at + 1 + usize::from(matches!(text.get(at + 1), Some('!' | '^'))) + 1;
            // The first member may be `]`; it may also be escaped.
            if text.get(end - 1) == Some(&'\\') {
                end += 1;
            }
            while end < text.len() && text[end] != ']' {
                end += 1 + usize::from(text[end] == '\\');
            }
            if end < text.len() {
                partner[at] = Some(end);
                at = end;
            }
        } else if text[at] == '{' || (text[at] == '(' && at > 0 && "@+*?!".contains(text[at - 1])) {
            open.push(at);
        } else if text[at] == '}' || text[at] == ')' {
            let wanted = if text[at] == '}' { '{' } else { '(' };
            if let Some(place) = open.iter().rposition(|&start| text[start] == wanted) {
                partner[open[place]] = Some(at);
                open.truncate(place);
            }
        }
        at += 1;
    }
    partner
}

/// Whether a path segment begins before a part of the glob, and ends behind it.
#[derive(Clone, Copy)]
struct Around {
    left: bool,
    right: bool,
}

struct Reader<'a> {
    text: &'a [char],
    partner: &'a [Option<usize>],
    /// Whether there is an extended group. Braces are then one, too: `!(a){b,}` means the rest as a whole.
    grouped: bool,
}

impl Reader<'_> {
    /// All alternatives of a part that holds no separator at its top level.
    fn expand(&self, from: usize, to: usize, around: Around) -> Vec<Vec<Atom>> {
        let mut all: Vec<Vec<Atom>> = vec![Vec::new()];
        let mut at = from;
        while at < to {
            let begins = if at == from { around.left } else { self.text[at - 1] == '/' };
            let ends = |behind: usize| if behind == to { around.right } else { self.text[behind] == '/' };
            let group = (at + 1 < to && "@+*?!".contains(self.text[at]) && self.text[at + 1] == '(')
                .then(|| self.partner[at + 1])
                .flatten();
            if let Some(end) = group {
                let glued = Around { left: false, right: false };
                let inner = self.split(at + 2, end, '|').into_iter().flat_map(|(a, b)| self.expand(a, b, glued));
                append(&mut all, &[vec![Atom::Group(self.text[at], inner.collect())]]);
                at = end + 1;
                continue;
            }
            match self.text[at] {
                '\\' if at + 1 < to => {
                    let one = self.text[at + 1];
                    append(&mut all, &[vec![Atom::Literal(plain(one))]]);
                    at += 2;
                }
                '?' => {
                    append(&mut all, &[vec![Atom::NoSlash]]);
                    at += 1;
                }
                '[' if self.partner[at].is_some() => {
                    let end = self.partner[at].unwrap_or(at);
                    append(&mut all, &[vec![class(&self.text[at + 1..end])]]);
                    at = end + 1;
                }
                '{' if self.partner[at].is_some() => {
                    let end = self.partner[at].unwrap_or(at);
                    let inner = Around { left: begins, right: ends(end + 1) };
                    let ways: Vec<Vec<Atom>> = match listed(&self.text[at + 1..end]) {
                        Some(words) => words.iter().map(|word| word.chars().map(Atom::Literal).collect()).collect(),
                        None => {
                            let parts = self.split(at + 1, end, ',').into_iter();
                            parts.flat_map(|(a, b)| self.expand(a, b, inner)).collect()
                        }
                    };
                    append(&mut all, &if self.grouped { vec![vec![Atom::Group('@', ways)]] } else { ways });
                    at = end + 1;
                }
                '*' => {
                    let mut count = self.text[at..to].iter().take_while(|&&one| one == '*').count();
                    let marks_group =
                        at + count < to && self.text[at + count] == '(' && self.partner[at + count].is_some();
                    count -= usize::from(marks_group);
                    let behind = at + count;
                    let rest = &self.text[behind..to];
                    if count == 2 && !marks_group && begins && ends(behind) {
                        if rest.first() == Some(&'/') {
                            let stars = rest[1..].iter().take_while(|&&one| one == '*').count();
                            let next = behind + 1 + stars;
                            let mark = next < to && self.text[next] == '(' && self.partner[next].is_some();
                            let one_star = stars == 1 && !mark || stars == 2 && mark;
                            append(&mut all, &[vec![Atom::Segments(one_star)]]);
                            at = behind + 1;
                        } else {
                            append(&mut all, &[vec![Atom::Rest]]);
                            at = behind;
                        }
                    } else if count % 2 == 0
                        && !marks_group
                        && (rest.starts_with(&['/', '*', '*', '/'])
                            || (rest == ['/', '*', '*'] && to == self.text.len()))
                    {
                        // The last `**` of the run falls away, and its slash.
                        append(&mut all, &[vec![Atom::Star; count - 2]]);
                        at = behind + 1;
                    } else {
                        append(&mut all, &[vec![Atom::Star; count]]);
                        at = behind;
                    }
                }
                one => {
                    append(&mut all, &[vec![Atom::Literal(one)]]);
                    at += 1;
                }
            }
        }
        all
    }

    /// The parts between the separators at the top level.
    fn split(&self, from: usize, to: usize, separator: char) -> Vec<(usize, usize)> {
        let (mut parts, mut start, mut at) = (Vec::new(), from, from);
        while at < to {
            if let Some(end) = self.partner[at] {
                at = end;
            } else if self.text[at] == '\\' {
                at += 1;
            } else if self.text[at] == separator {
                parts.push((start, at));
                start = at + 1;
            }
            at += 1;
        }
        parts.push((start, to));
        parts
    }
}

fn append(all: &mut Vec<Vec<Atom>>, ways: &[Vec<Atom>]) {
    *all = all.iter().flat_map(|before| ways.iter().map(move |way| [&before[..], way].concat())).collect();
}

fn plain(escaped: char) -> char {
    match escaped {
        'b' => '\u{8}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        other => other,
    }
}

fn class(text: &[char]) -> Atom {
    let negated = matches!(text.first(), Some('!' | '^'));
    let mut members: Vec<(char, bool)> = Vec::new();
    let mut rest = text[usize::from(negated)..].iter();
    while let Some(&one) = rest.next() {
        match one {
            '\\' if rest.len() > 0 => members.push((plain(*rest.next().expect("a member")), false)),
            one => members.push((one, one == '-')),
        }
    }
    let (mut ranges, mut at) = (Vec::new(), 0);
    while at < members.len() {
        if at + 2 < members.len() && members[at + 1].1 {
            ranges.push((members[at].0, members[at + 2].0));
            at += 3;
        } else {
            ranges.push((members[at].0, members[at].0));
            at += 1;
        }
    }
    Atom::Class(ranges, negated)
}

/// What a brace range lists.
fn listed(text: &[char]) -> Option<Vec<String>> {
    let text: String = text.iter().collect();
    let parts: Vec<&str> = text.split("..").collect();
    let number = |text: &str| text.strip_prefix('+').is_none().then(|| text.parse::<i64>().ok()).flatten();
    let step = match parts.len() {
        2 => 1,
        3 => number(parts[2])?.abs().max(1),
        _ => return None,
    };
    let letters: Vec<char> = parts[..2].concat().chars().filter(char::is_ascii_alphabetic).collect();
    let of_letters = parts[0].chars().count() == 1 && parts[1].chars().count() == 1 && letters.len() == 2;
    let (first, last) = if of_letters {
        (i64::from(u32::from(letters[0])), i64::from(u32::from(letters[1])))
    } else {
        (number(parts[0])?, number(parts[1])?)
    };
    let padded = parts[..2]
        .iter()
        .any(|bound| bound.trim_start_matches('-').starts_with('0') && { bound.trim_start_matches('-').len() > 1 });
    let width = if padded { parts[0].len().max(parts[1].len()) } else { 0 };
    let (mut words, mut value) = (Vec::new(), first);
    while if first <= last { value <= last } else { value >= last } {
        words.push(if of_letters {
            char::from_u32(value as u32).expect("between letters").to_string()
        } else if value < 0 {
            format!("-{:0>1$}", value.abs(), width.saturating_sub(1))
        } else {
            format!("{value:0>width$}")
        });
        value += if first <= last { step } else { -step };
    }
    Some(words)
}

fn takes(atom: &Atom, one: char) -> bool {
    match atom {
        Atom::Literal(wanted) => one == *wanted,
        Atom::NoSlash => one != '/',
        Atom::Class(ranges, negated) => ranges.iter().any(|(low, high)| *low <= one && one <= *high) != *negated,
        _ => false,
    }
}

/// From left to right; when stuck, back to the last star with one character more, or the last `**/` with one segment
/// more, whichever was tried last. A slash in the glob settles the stars before it.
fn tries_in_order(atoms: &[Atom], path: &[char]) -> bool {
    let (mut atom, mut at) = (0, 0);
    let (mut last, mut segments) = (None, None);
    loop {
        let stuck = match atoms.get(atom) {
            None if at == path.len() => return true,
            None => true,
            Some(Atom::Rest) => return true,
            Some(Atom::Star) => {
                last = if path.get(at) == Some(&'/') { segments } else { Some((atom, at + 1)) };
                atom += 1;
                false
            }
            Some(Atom::Segments(true)) if at == path.len() => return false,
            Some(Atom::Segments(_)) => {
                segments = (at..path.len()).find(|&place| path[place] == '/').map(|slash| (atom, slash + 1));
                last = segments;
                atom += 1;
                false
            }
            Some(one) if at < path.len() && takes(one, path[at]) => {
                if *one == Atom::Literal('/') {
                    last = segments;
                }
                atom += 1;
                at += 1;
                false
            }
            Some(_) => true,
        };
        if stuck {
            match last {
                Some((again, place)) if place <= path.len() => (atom, at) = (again, place),
                _ => return false,
            }
        }
    }
}

fn tries_all(atoms: &[Atom], path: &[char]) -> bool {
    let Some((first, rest)) = atoms.split_first() else { return path.is_empty() };
    let run = || path.iter().take_while(|&&one| one != '/').count();
    match first {
        Atom::Star => (0..=run()).any(|taken| tries_all(rest, &path[taken..])),
        Atom::Rest => (0..=path.len()).any(|taken| tries_all(rest, &path[taken..])),
        Atom::Segments(one_star) => (0..=path.len())
            .filter(|&taken| taken == 0 || path[taken - 1] == '/')
            .any(|taken| (taken < path.len() || !one_star) && tries_all(rest, &path[taken..])),
        Atom::Group(mark, ways) => {
            let once = |then: &[Atom]| ways.iter().any(|way| tries_all(&[way, then].concat(), path));
            match mark {
                '@' => once(rest),
                '?' => once(rest) || tries_all(rest, path),
                '!' => !once(rest) && (0..=run()).any(|taken| tries_all(rest, &path[taken..])),
                _ => {
                    let more = Atom::Group('*', ways.clone());
                    let again = || {
                        ways.iter().any(|way| {
                            (1..=path.len()).any(|taken| {
                                tries_all(way, &path[..taken])
                                    && tries_all(&[std::slice::from_ref(&more), rest].concat(), &path[taken..])
                            })
                        })
                    };
                    let empty = *mark == '*' || ways.iter().any(|way| tries_all(way, &[]));
                    (empty && tries_all(rest, path)) || again()
                }
            }
        }
        one => !path.is_empty() && takes(one, path[0]) && tries_all(rest, &path[1..]),
    }
}
