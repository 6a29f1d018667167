//! Globs against the slow reference: all short ones, and random longer ones.

use ttsr::glob::PathGlob;

use super::reference::{Reference, matches};
use crate::patterns::generate::Random;

/// What the globs of the exhaustive run consist of.
const PIECES: [&str; 24] = [
    "a", "b", "/", "*", "**", "?", "[^a]", "[ab]", "[a/]", "{a,}", "{**/,}", "{a,**}", "{*,b}", "{a/b,a}", "{01..03}",
    "{b..a}", "!", "\\a", ".", "@(a|b)", "+(a|/)", "!(a)", "?(a)", "{",
];

/// Random pairs in one run; `TTSR_GLOB_PAIRS` names another number, `TTSR_SEED` another first seed.
const PAIRS: u64 = 20_000;

/// All paths of up to `longest` of these characters.
fn paths(characters: &[char], longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last.iter().flat_map(|path| characters.iter().map(move |one| format!("{path}{one}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}

#[test]
fn short_globs_match_as_in_the_reference() {
    let mut paths = paths(&['a', 'b', '/'], 3);
    paths.extend([".", "01", "3", "02/a", "1", "a.b", "{", "!a", "a/02"].map(str::to_owned));
    let globs = PIECES.iter().flat_map(|one| {
        let two = PIECES.iter().map(move |other| format!("{one}{other}"));
        let three = PIECES.iter().flat_map(move |other| PIECES.iter().map(move |last| format!("{one}{other}{last}")));
        std::iter::once((*one).to_owned()).chain(two).chain(three)
    });
    let (mut pairs, mut matching) = (0_u64, 0_u64);
    for glob in globs {
        let (reference, tested) = (Reference::new(&glob), PathGlob::new(&glob.as_str().into()));
        for path in &paths {
            let wanted = reference.matches(path);
            assert_eq!(tested.matches(&path.as_str().into()), wanted, "{glob} on {path:?}");
            pairs += 1;
            matching += u64::from(wanted);
        }
    }
    println!("{pairs} pairs of short globs and paths, {matching} match");
    assert!(pairs > 500_000 && matching > 50_000);
}

/// A glob of some pieces; those of the exhaustive run and some more.
fn glob(random: &mut Random) -> String {
    const MORE: [&str; 18] = [
        "src",
        ".ts",
        "**/",
        "/**",
        "[!/]",
        "[a-c]",
        "[]a]",
        "[z-a]",
        "{1..9..3}",
        "{-2..2}",
        "{e..a..2}",
        "{a,{b,**/}}",
        "\\*",
        "*(ab)",
        "@(a/b|*)",
        ",",
        "}",
        "é",
    ];
    let count = random.below(8) + 1;
    let mut pieces: Vec<&str> =
        (0..count).map(|_| if random.chance(60) { *random.pick(&PIECES) } else { *random.pick(&MORE) }).collect();
    if pieces.iter().any(|piece| piece.contains(['(', '{'])) {
        // The reference tries every way through an extended group, and lists every alternative of braces.
        pieces.truncate(4);
    }
    pieces.concat()
}

/// A path: at random, or the glob itself with its marks replaced, so that many match.
fn path(random: &mut Random, glob: &str) -> String {
    const PARTS: [&str; 14] = ["a", "b", "/", "", "ab", "a/b", ".", "src", ".ts", "02", "-1", "c", "é", "*"];
    if random.chance(30) {
        return (0..random.below(7)).map(|_| *random.pick(&PARTS)).collect();
    }
    let mut path = String::new();
    let mut rest = glob.chars().peekable();
    while let Some(one) = rest.next() {
        match one {
            '*' => path += *random.pick(&PARTS),
            '?' => path.push(*random.pick(&['a', 'b', 'é'])),
            '[' => {
                rest.by_ref().take_while(|one| *one != ']').for_each(drop);
                path.push(*random.pick(&['a', 'b', '/', ']']));
            }
            '{' | '(' => {
                let close = if one == '{' { '}' } else { ')' };
                let inner: String = rest.by_ref().take_while(|one| *one != close).collect();
                let parts: Vec<&str> = inner.split([',', '|']).collect();
                path.push_str(&random.pick(&parts).replace("**/", "b/").replace("..", ""));
            }
            '!' | '@' | '+' | '\\' | '}' => {}
            other => path.push(other),
        }
    }
    if random.chance(20) {
        path += *random.pick(&PARTS);
    }
    path
}

#[test]
fn random_globs_match_as_in_the_reference() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (first, pairs) = (number("TTSR_SEED").unwrap_or(1), number("TTSR_GLOB_PAIRS").unwrap_or(PAIRS));
    let mut matching = 0_u64;
    for seed in first..first + pairs {
        let random = &mut Random::new(seed);
        let glob = glob(random);
        let mut path = path(random, &glob);
        if glob.contains('(') {
            path = path.chars().take(12).collect();
        }
        let wanted = matches(&glob, &path);
        let tested = PathGlob::new(&glob.as_str().into()).matches(&path.as_str().into());
        assert_eq!(tested, wanted, "seed {seed}: {glob} on {path:?}");
        matching += u64::from(wanted);
    }
    println!("seeds {first} to {}: {matching} of {pairs} pairs match", first + pairs - 1);
    assert!(matching * 20 > pairs);
}
