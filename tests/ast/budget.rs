//! The budget of structural patterns: it counts work and never looks at a clock, so a text ends the same way each time;
//! hostile texts end undecided, ordinary code is decided. How long that takes is measured by
//! `cargo bench --bench ast_hostile`.

#[path = "../benches/ordinary_texts.rs"]
mod ordinary_texts;

use std::time::Duration;

use ttsr::ast::{AstSet, Outcome, Snapshot};
use ttsr::text::JsString;

/// Units of a delta.
const DELTA: usize = 40;

/// How a text ends: where it was given up, if at all, and what was counted.
#[derive(Debug, PartialEq)]
struct End {
    given_up: Option<(usize, String)>,
    counted: Duration,
}

/// Patterns without a literal, so that texts are parsed for them; each language takes some.
const PATTERNS: [&str; 7] = [
    "$A($B, $B, $C, $D, $B)",
    "$A = ($B) + ($B) * $C",
    "[$A, $A, $B, $A, $A, $C]",
    "{ $A: [$B, $B, $B, $A] }",
    "<$A><$B><$C></$C></$B></$A>",
    "($A ($B $B $A $A $B))",
    "begin $A; $A; $B end",
];

/// Asks for the patterns whenever the text has grown by so many units, until one cannot be decided.
fn grow(alias: &str, text: &str, step: usize) -> End {
    let mut set = AstSet::new(PATTERNS.iter().map(|&pattern| vec![pattern.into()]).collect());
    let candidates = Vec::from_iter(0..PATTERNS.len());
    let units: Vec<u16> = text.encode_utf16().collect();
    let (alias, mut snapshot, mut before) = (JsString::from(alias), Snapshot::new(), 0);
    for end in (step..units.len()).step_by(step).chain([units.len()]) {
        let outcomes = set.run(&mut snapshot, &alias, &units[..end], before, &candidates);
        let why = outcomes.into_iter().find_map(|outcome| match outcome {
            Outcome::Undecided(why) => Some(why),
            _ => None,
        });
        if let Some(why) = why {
            return End { given_up: Some((end, why)), counted: snapshot.estimate() };
        }
        before = end;
    }
    End { given_up: None, counted: snapshot.estimate() }
}

#[test]
fn hostile_texts_are_given_up_each_time_at_the_same_place() {
    let texts = [
        // Broken brackets, and strings that may end anywhere.
        ("py", "'x = [ (\n", 20_000),
        ("py", "<a b=\"", 20_000),
        // Nests without end.
        ("lua", "[", 20_000),
        ("bash", "[[", 20_000),
        // One scanner reads the whole text at each step, or the lexer passes over it byte by byte.
        ("swift", "/*", 20_000),
        ("c", "@", 100_000),
        // A flat list of statements, which are taken up one by one.
        ("lua", "x = 1;\n", 60_000),
    ];
    for (alias, unit, length) in texts {
        let text = unit.repeat(length / unit.len());
        let end = grow(alias, &text, DELTA);
        let (at, why) = end.given_up.clone().unwrap_or_else(|| panic!("{alias} {unit:?} is decided: {end:?}"));
        assert!(at < text.len() && why.contains("budget"), "{alias} {unit:?}: {end:?}");
        assert_eq!(grow(alias, &text, DELTA), end, "{alias} {unit:?}");
    }
}

#[test]
fn a_hostile_text_that_comes_at_once_is_given_up() {
    for (alias, unit) in [("haskell", "<<A\n"), ("go", "a 'b\n"), ("htm", "<a>")] {
        let text = unit.repeat(100_000 / unit.len());
        let end = grow(alias, &text, text.len());
        assert!(end.given_up.is_some(), "{alias} {unit:?}: {end:?}");
        assert_eq!(grow(alias, &text, text.len()), end, "{alias} {unit:?}");
    }
}

#[test]
fn ordinary_code_is_decided() {
    for (alias, text) in ordinary_texts::texts(150_000) {
        let end = grow(alias, &text, text.len());
        assert_eq!(end.given_up, None, "{alias}: {end:?}");
        assert!(end.counted > Duration::ZERO, "{alias} was not parsed");
    }
    for (alias, text) in ordinary_texts::texts(40_000) {
        let end = grow(alias, &text, DELTA);
        assert_eq!(end.given_up, None, "{alias}: {end:?}");
    }
}

#[test]
fn a_text_that_replaces_a_hostile_one_has_a_budget_of_its_own() {
    let mut set = AstSet::new(vec![vec!["$A($B, $B)".into()]]);
    let mut snapshot = Snapshot::new();
    let hostile: Vec<u16> = "<a b=\"".repeat(2_000).encode_utf16().collect();
    let is_given_up = (DELTA..hostile.len()).step_by(DELTA).any(|end| {
        let outcomes = set.run(&mut snapshot, &"py".into(), &hostile[..end], end - DELTA, &[0]);
        matches!(outcomes[0], Outcome::Undecided(_))
    });
    assert!(is_given_up);
    let other: Vec<u16> = "f(1, 2)\nf(3, 3)\n".encode_utf16().collect();
    let outcomes = set.run(&mut snapshot, &"py".into(), &other, 0, &[0]);
    assert!(matches!(outcomes[0], Outcome::Match(_)), "{outcomes:?}");
}
