//! Whether a pattern can match any text of a kind at all: a walk over the states of its automaton together with those of
//! the texts. For the linter, which says of a condition that it never matches only where no such text is left.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use crate::pattern::compile::Pattern;
use crate::pattern::linear::automaton::{Automaton, Position};
use crate::pattern::linear::program::{Alphabet, Program};
use crate::pattern::syntax::analysis::{Rounds, rounds};
use crate::pattern::syntax::tree::Node;

/// The texts that a pattern is tested on, and all beginnings of them, since a stream may be cut anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// Prose, and what calls put into files.
    Any,
    /// The arguments of a call as JSON, blanks between its parts included. Nesting is not looked at, so that some texts
    /// count that are none.
    Arguments,
}

/// Pairs of states that one walk may visit.
const MOST_STATES: usize = 6_000;

/// Steps of one walk, times the instructions of the pattern.
const MOST_WORK: usize = 4_000_000;

/// Bytes that the automaton of a walk may take.
const CACHE: usize = 32 << 20;

impl Pattern {
    /// Whether some text of the kind, or a beginning of one, matches. None where that was not found out. A pattern with
    /// back-references counts as matching more than it does.
    pub fn can_match(&self, texts: Texts) -> Option<bool> {
        if texts == Texts::Any && self.is_plain() {
            return Some(true);
        }
        self.linear()?;
        let program = Arc::new(self.program(0));
        let source = self.source().to_string_lossy();
        let line_ends = ["2028", "2029", "\u{2028}", "\u{2029}"].iter().any(|written| source.contains(written));
        let moves = Moves::new(texts, &program.alphabet, line_ends);
        walk(program, &moves)
    }

    /// Whether nothing in the pattern asks for what a text may not have: no test of a place, no set without members, no
    /// count that no text reaches.
    fn is_plain(&self) -> bool {
        let Some(linear) = self.linear() else { return false };
        let facts = linear.facts();
        linear.tree.nodes.iter().all(|node| match node {
            Node::Assert(_) | Node::Look { .. } => false,
            Node::Set(set) => linear.tree.sets.get(*set).is_some_and(|set| !set.ranges().is_empty()),
            Node::Repeat { child, min, max, .. } => {
                facts.get(*child).is_some_and(|&child| rounds(child, *min, *max) != Rounds::Never)
            }
            _ => true,
        })
    }
}

fn walk(program: Arc<Program>, moves: &Moves) -> Option<bool> {
    let (size, mut work) = (program.insts.len(), MOST_WORK);
    let mut automaton = Automaton::new(program, CACHE);
    let mut start = Position::default();
    if !automaton.at_end(&mut start).is_empty() {
        return Some(true);
    }
    let generation = automaton.number(&mut start).0;
    let mut seen = HashSet::from([(automaton.number(&mut start).1, State::Start)]);
    let mut pending = VecDeque::from([(start, State::Start)]);
    while let Some((position, state)) = pending.pop_front() {
        for &(unit, next_state) in moves.from(state) {
            work = work.saturating_sub(size);
            let mut next = position.clone();
            let mut matched = false;
            automaton.feed(&mut next, &[unit], |_, _| matched = true);
            if matched {
                return Some(true);
            }
            let (now, number) = automaton.number(&mut next);
            // Numbers of states have lost their meaning.
            if now != generation || work == 0 || seen.len() > MOST_STATES {
                return None;
            }
            if !seen.insert((number, next_state)) {
                continue;
            }
            if !automaton.at_end(&mut next).is_empty() {
                return Some(true);
            }
            pending.push_back((next, next_state));
        }
    }
    Some(false)
}

/// Where in a text one is. Of any text there is only the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum State {
    Start,
    /// Behind `{`
    OpenBrace,
    /// Behind `[`
    OpenBracket,
    /// Where a value must come; behind a comma it may be a key.
    Value,
    /// Within a string that must be a key.
    Key,
    /// Within a string.
    String,
    /// Behind a backslash; whether the string must be a key.
    Escape(bool),
    /// Behind `\u`, and how many digits are to come.
    Hexadecimal(bool, u8),
    AfterKey,
    AfterString,
    AfterValue,
    Number,
    /// Within a word, of which this is to come.
    Word(&'static str),
}

/// For each state the units that may follow and where they lead, one for each class of the pattern.
struct Moves(Vec<(State, Vec<(u16, State)>)>);

impl Moves {
    /// `line_ends`: whether the line ends of Unicode count, which hardly anybody puts into arguments, and `^` sees.
    fn new(texts: Texts, alphabet: &Alphabet, line_ends: bool) -> Self {
        let mut units = units(alphabet);
        units.retain(|unit| texts == Texts::Any || line_ends || !matches!(unit, 0x2028 | 0x2029));
        let mut moves: Vec<(State, Vec<(u16, State)>)> = Vec::new();
        let mut pending = vec![State::Start];
        while let Some(state) = pending.pop() {
            if moves.iter().any(|(known, _)| *known == state) {
                continue;
            }
            let mut found = Vec::new();
            let mut seen = HashSet::new();
            for &unit in &units {
                let next = match texts {
                    Texts::Any => Some(State::Start),
                    Texts::Arguments => after(state, unit),
                };
                let Some(next) = next.filter(|next| seen.insert((alphabet.class(unit), *next))) else { continue };
                found.push((unit, next));
                pending.push(next);
            }
            moves.push((state, found));
        }
        Self(moves)
    }

    fn from(&self, state: State) -> &[(u16, State)] {
        self.0.iter().find(|(known, _)| *known == state).map_or(&[], |(_, moves)| moves)
    }
}

/// All of ASCII, and one unit of each class beyond it.
fn units(alphabet: &Alphabet) -> Vec<u16> {
    const ASCII: u16 = 0x80;
    (0..ASCII).chain(alphabet.beyond_ascii.iter().flatten().copied()).collect()
}

/// The state behind a unit of JSON; none where it cannot stand.
fn after(state: State, unit: u16) -> Option<State> {
    let one = u8::try_from(unit).unwrap_or(0xFF);
    let is_blank = matches!(one, b' ' | b'\t' | b'\n' | b'\r');
    Some(match state {
        State::Start if is_blank => State::Start,
        State::Start => (one == b'{').then_some(State::OpenBrace)?,
        State::OpenBrace => match one {
            b'"' => State::Key,
            b'}' => State::AfterValue,
            _ if is_blank => State::OpenBrace,
            _ => return None,
        },
        State::OpenBracket if one == b']' => State::AfterValue,
        State::OpenBracket | State::Value if is_blank => state,
        State::OpenBracket | State::Value => value(one)?,
        State::Key | State::String => match one {
            b'"' if state == State::Key => State::AfterKey,
            b'"' => State::AfterString,
            b'\\' => State::Escape(state == State::Key),
            0..0x20 => return None,
            _ => state,
        },
        State::Escape(is_key) => match one {
            b'u' => State::Hexadecimal(is_key, 4),
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => string(is_key),
            _ => return None,
        },
        State::Hexadecimal(is_key, left) if one.is_ascii_hexdigit() => match left {
            1 => string(is_key),
            _ => State::Hexadecimal(is_key, left - 1),
        },
        State::AfterKey if is_blank => State::AfterKey,
        State::AfterKey => (one == b':').then_some(State::Value)?,
        State::AfterString if one == b':' => State::Value,
        State::Number if matches!(one, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-') => State::Number,
        State::AfterString | State::AfterValue | State::Number => match one {
            b',' => State::Value,
            b'}' | b']' => State::AfterValue,
            _ if is_blank => {
                if state == State::AfterString {
                    State::AfterString
                } else {
                    State::AfterValue
                }
            }
            _ => return None,
        },
        State::Word(rest) => match rest.strip_prefix(char::from(one))? {
            "" => State::AfterValue,
            rest => State::Word(rest),
        },
        State::Hexadecimal(..) => return None,
    })
}

fn string(is_key: bool) -> State {
    if is_key { State::Key } else { State::String }
}

/// The state behind the first unit of a value.
fn value(one: u8) -> Option<State> {
    Some(match one {
        b'"' => State::String,
        b'{' => State::OpenBrace,
        b'[' => State::OpenBracket,
        b'-' | b'0'..=b'9' => State::Number,
        b't' => State::Word("rue"),
        b'f' => State::Word("alse"),
        b'n' => State::Word("ull"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::Texts;
    use crate::pattern::{CompileOptions, Pattern};

    fn can(source: &str, texts: Texts) -> Option<bool> {
        Pattern::compile(&source.into(), CompileOptions::default()).expect("a pattern").can_match(texts)
    }

    #[test]
    fn patterns_that_contradict_themselves_match_nothing() {
        for source in [
            "a^b",
            "a$b",
            "\\b\\Bx",
            "(?!x)x",
            "[]",
            "a[]",
            "(?=a)b",
            "(?<=a)(?<!a)b",
            "foo\\bbar",
            "(?i)a(?<=B)",
            "(?<!x)y(?<=xy)",
            "\\n^x",
            "$x",
            "(?:a{4294967294}){4294967294}",
        ] {
            assert_eq!(can(source, Texts::Any), Some(false), "{source}");
        }
        for source in [
            "a",
            "^a",
            "a$",
            "(?m)a$\\n^b",
            "(?=a)[ab]",
            "(?!a)[ab]",
            "(?<=a)b",
            "a(?!b)",
            "\\bfoo\\b",
            "(a)\\1",
            "(?:a^)?b",
            "x|a^b",
            "^",
            "$",
            "",
            "[^]",
            "(?i)a(?<=A)",
        ] {
            assert_eq!(can(source, Texts::Any), Some(true), "{source}");
        }
    }

    #[test]
    fn arguments_are_json() {
        for source in [
            "^git",
            "(?m)^git",
            "^\\s*git",
            "-m \"wip\"",
            "a\\nb",
            "a\\tb",
            "=\"x",
            "\"true\"x",
            "^\"",
            "^\\[",
            "x\"y",
            "foo\\\\\\(",
            "^$a",
        ] {
            assert_eq!(can(source, Texts::Arguments), Some(false), "{source}");
        }
        for source in [
            "git",
            "^\\{\"command\"",
            "\"command\"\\s*:\\s*\"git",
            "push\"",
            "-m \\\\\"wip",
            "a\\\\nb",
            "foo$",
            "\\n\\s*\"",
            "(?m)^\\s*\"a",
            "true",
            "\\[\\d+,",
            "null}",
            "é",
            "\\u2028",
            "1e5",
            "\\\\u00e9",
            "\"[^\"]*\":",
            "^\\s*\\{",
        ] {
            assert_eq!(can(source, Texts::Arguments), Some(true), "{source}");
        }
    }

    #[test]
    fn a_walk_that_is_too_long_says_nothing() {
        assert_eq!(can("(?=[\\s\\S]{0,4000}a)[\\s\\S]{0,4000}b(?<!b)", Texts::Any), None);
    }
}
