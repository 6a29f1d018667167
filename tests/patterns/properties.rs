//! Properties over random pattern sets. Each run takes the same seeds unless `TTSR_SEED` names another first one, and
//! as many as `TTSR_CASES` says.

use std::ops::Range;
use std::sync::Arc;

use ttsr::pattern::{Buffer, ChunkDependence, Pattern, PatternSet, Scanner, Verdict};
use ttsr::text::JsString;

use super::compile;
use super::generate::{Generated, Random, ambiguous, text, unit};

/// Pattern sets in one run, unless `TTSR_CASES` says otherwise.
const SETS: u64 = 20_000;

/// Steps for one decision of the whole-text oracle; the few cases beyond it are left out.
const STEPS: u64 = 20_000;

fn seeds(share: u64) -> Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let first = number("TTSR_SEED").unwrap_or(1);
    let seeds = first..first + number("TTSR_CASES").unwrap_or(SETS) / share;
    println!("seeds {} to {}", seeds.start, seeds.end - 1);
    seeds
}

fn shown(units: &[u16]) -> JsString {
    JsString::from_units(units)
}

/// One buffer that is written to, and what the verdicts on it must keep to.
struct Stream {
    buffer: Buffer,
    text: Vec<u16>,
    confirmed: Vec<bool>,
}

#[test]
fn streaming_equals_a_whole_text_test() {
    let (mut decisions, mut matches, mut skipped) = (0_u64, 0_u64, 0_u64);
    for seed in seeds(1) {
        let random = &mut Random::new(seed);
        let sources: Vec<Vec<u16>> = (0..random.below(3) + 1).map(|_| Generated::new(random).source).collect();
        let patterns: Vec<Pattern> = sources
            .iter()
            .map(|source| {
                compile(&shown(source)).unwrap_or_else(|error| panic!("seed {seed}: {:?}: {error:?}", shown(source)))
            })
            .collect();
        let cache = *random.pick(&[0, 400, 2_000, 10_000, 1 << 20]);
        // With few steps, states are noted early.
        let steps = *random.pick(&[2_000, STEPS, STEPS * 20]);
        let mut scanner = Scanner::with_limits(Arc::new(PatternSet::new(patterns.clone())), cache, steps);
        let mut streams: Vec<Stream> = (0..random.below(2) + 1)
            .map(|_| Stream { buffer: Buffer::new(), text: Vec::new(), confirmed: vec![false; patterns.len()] })
            .collect();
        for _ in 0..random.below(8) + 1 {
            let chosen = random.below(streams.len());
            let stream = &mut streams[chosen];
            write(random, &mut scanner, stream);
            assert_eq!(stream.buffer.text(), stream.text);
            let mut listed = scanner.verdicts(&mut stream.buffer).into_iter().peekable();
            for (index, pattern) in patterns.iter().enumerate() {
                let verdict = scanner.verdict(&mut stream.buffer, index);
                let wanted = pattern.test(&stream.text, STEPS);
                let context =
                    || format!("seed {seed}: {:?} on {:?}: {verdict:?}", shown(&sources[index]), shown(&stream.text));
                let in_list = listed.next_if(|(listed, _)| *listed == index).map_or(Verdict::No, |(_, found)| found);
                assert_eq!(in_list, verdict, "{}: listed", context());
                assert!(verdict != Verdict::Undecided || pattern.needs_backtracking(), "{}", context());
                if wanted == Verdict::Undecided || verdict == Verdict::Undecided {
                    skipped += 1;
                    continue;
                }
                assert_eq!(verdict.is_match(), wanted.is_match(), "{}, wanted {wanted:?}", context());
                assert!(verdict == Verdict::Confirmed || !stream.confirmed[index], "{}: was confirmed", context());
                stream.confirmed[index] = verdict == Verdict::Confirmed;
                decisions += 1;
                matches += u64::from(verdict.is_match());
            }
        }
    }
    println!("{decisions} decisions, {matches} of them matches, {skipped} left out");
    assert!(skipped * 100 < decisions, "too many decisions are left out");
}

/// Appends a delta, or replaces the text from some place on.
fn write(random: &mut Random, scanner: &mut Scanner, stream: &mut Stream) {
    if random.chance(80) {
        let delta = text(random, 4);
        stream.text.extend_from_slice(&delta);
        scanner.append(&mut stream.buffer, &delta);
        return;
    }
    let kept = random.below(stream.text.len() + 1);
    let mut replaced = stream.text[..kept].to_vec();
    replaced.extend(text(random, 5));
    scanner.replace(&mut stream.buffer, &replaced, random.below(kept + 1));
    if !replaced.starts_with(&stream.text) {
        stream.confirmed.fill(false);
    }
    stream.text = replaced;
}

#[test]
fn decisions_equal_those_of_another_engine() {
    let (mut compared, mut matches, mut left_out) = (0_u64, 0_u64, 0_u64);
    for seed in seeds(1) {
        let random = &mut Random::new(seed);
        let generated = Generated::new(random);
        let pattern = compile(&shown(&generated.source)).unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
        let Some(other) = &generated.other else {
            left_out += 1;
            continue;
        };
        let other = regress::Regex::with_flags(other, generated.flags.as_str())
            .unwrap_or_else(|error| panic!("seed {seed}: `{other}`: {error}"));
        let mut scanner = Scanner::new(Arc::new(PatternSet::new(vec![pattern.clone()])));
        for _ in 0..3 {
            let text = text(random, 10);
            if !generated.can_compare(&text) {
                left_out += 1;
                continue;
            }
            let mut buffer = Buffer::new();
            let pieces = if random.chance(30) { 1 } else { text.len().max(1) };
            for end in (0..=text.len()).step_by(pieces) {
                let read = buffer.text().len();
                scanner.append(&mut buffer, &text[read..end]);
                let text = &text[..end];
                let found = other.find_from_ucs2(text, 0).next().map(|found| found.range());
                let context = format!("seed {seed}: {:?} on {:?}", shown(&generated.source), shown(text));
                let steps = *random.pick(&[500, STEPS, STEPS * 20]);
                let verdicts = [scanner.verdict(&mut buffer, 0), pattern.test(text, steps)];
                for verdict in verdicts.into_iter().filter(|&verdict| verdict != Verdict::Undecided) {
                    assert_eq!(verdict.is_match(), found.is_some(), "{context}");
                }
                assert_ne!(verdicts[0], Verdict::Undecided, "{context}");
                assert_eq!(scanner.set().find(0, text), found, "{context}: range");
                compared += 1;
                matches += u64::from(found.is_some());
            }
        }
    }
    println!("{compared} decisions compared, {matches} of them matches, {left_out} left out");
    assert!(left_out < compared, "too much is left out");
}

/// The whole-text search, which excerpts come from, and the streamed one agree also where the ways to match multiply
/// with the length of the text.
#[test]
fn texts_with_very_many_ways_are_decided_alike() {
    let (mut decisions, mut matches, mut undecided) = (0_u64, 0_u64, 0_u64);
    for seed in seeds(50) {
        let random = &mut Random::new(seed);
        let source = ambiguous(random);
        let pattern = compile(&JsString::from(source.as_str())).unwrap_or_else(|error| panic!("`{source}`: {error:?}"));
        let set = Arc::new(PatternSet::new(vec![pattern.clone()]));
        let mut scanner = Scanner::with_limits(set, 1 << 24, 2_000_000);
        for _ in 0..3 {
            let mut text = "a".repeat(random.below(40));
            for _ in 0..random.below(3) {
                text.push_str(random.pick::<&str>(&["b", "!", "aab", "\n", "ba"]));
            }
            let text: Vec<u16> = text.encode_utf16().collect();
            let mut buffer = Buffer::new();
            for part in text.chunks(random.below(9) + 1) {
                scanner.append(&mut buffer, part);
                scanner.verdict(&mut buffer, 0);
            }
            let verdict = scanner.verdict(&mut buffer, 0);
            if verdict == Verdict::Undecided {
                assert!(pattern.needs_backtracking(), "`{source}`");
                undecided += 1;
                continue;
            }
            let context = format!("seed {seed}: `{source}` on {:?}: {verdict:?}", shown(&text));
            // Without the gate of the over-approximation before it, a search takes longer.
            let whole = pattern.test(&text, if pattern.needs_backtracking() { 5_000_000 } else { 200_000_000 });
            if whole == Verdict::Undecided && pattern.needs_backtracking() {
                undecided += 1;
                continue;
            }
            assert!(whole != Verdict::Undecided && whole.is_match() == verdict.is_match(), "{context}: {whole:?}");
            let found = scanner.set().find(0, &text);
            assert_eq!(verdict.is_match(), found.is_some(), "{context}: found {found:?}");
            decisions += 1;
            matches += u64::from(found.is_some());
        }
    }
    println!("{decisions} decisions, {matches} of them matches, {undecided} undecided");
    assert!(undecided * 100 < decisions, "too much is undecided");
}

#[test]
fn chunk_dependence_equals_a_test_of_all_prefixes() {
    let mut dependent = 0_u64;
    for seed in seeds(4) {
        let random = &mut Random::new(seed);
        let source = Generated::new(random).source;
        let pattern = compile(&shown(&source)).unwrap_or_else(|error| panic!("seed {seed}: {error:?}"));
        let text = text(random, 12);
        let at = random.below(text.len() + 1);
        let verdicts: Vec<Verdict> = (0..=text.len()).map(|end| pattern.test(&text[..end], STEPS)).collect();
        if verdicts.contains(&Verdict::Undecided) {
            continue;
        }
        let matches: Vec<bool> = verdicts.into_iter().map(Verdict::is_match).collect();
        let premature = matches[at] && !matches[text.len()];
        let chunk_dependent = matches.windows(2).any(|pair| pair[0] && !pair[1]);
        let wanted = ChunkDependence { premature, chunk_dependent, undecided: false };
        let found = PatternSet::new(vec![pattern]).chunk_dependence(0, &text, at);
        assert_eq!(found, wanted, "seed {seed}: {:?} on {:?} at {at}", shown(&source), shown(&text));
        dependent += u64::from(chunk_dependent);
    }
    println!("{dependent} blocks depend on their cuts");
    assert!(dependent > 0);
}

#[test]
fn accepted_sources_equal_those_of_another_engine() {
    let pieces = [
        "(", ")", "(?:", "(?=", "(?<=", "(?<n>", "(?<m>", "(?i:", "(?-", "[", "]", "^", "-", "\\", "\\k<n>", "\\k",
        "\\1", "\\c", "\\u{", "\\x", "{", "}", "{1", "{2,1}", ",", "3", "*", "+", "?", "|", "a", "z", "\\b", "\\w",
        ".", "$", "<",
    ];
    let mut accepted = 0;
    for seed in seeds(1) {
        let random = &mut Random::new(seed);
        let source: String = (0..random.below(7) + 1).map(|_| *random.pick(&pieces)).collect();
        // The other engine lets `\b` be repeated, which is no term of the grammar.
        if ["*", "+", "?", "{1"].iter().any(|quantifier| source.contains(&format!("\\b{quantifier}"))) {
            continue;
        }
        // It also takes `\\k` in a class whether groups have names or not.
        if source.contains('[') && source.contains("\\k") {
            continue;
        }
        // And it reads no name behind `\\k<` when no group has one, where the agent refuses a broken escape.
        if source.split_once("\\k<").is_some_and(|(_, name)| name.contains('\\')) && !source.contains("(?<") {
            continue;
        }
        let ours = compile(&JsString::from(source.as_str()));
        let theirs = regress::Regex::new(&source);
        assert_eq!(ours.is_ok(), theirs.is_ok(), "seed {seed}: `{source}`: {ours:?}, {:?}", theirs.err());
        if let Err(error) = ours {
            assert!(error.span.start <= error.span.end && error.span.end <= source.len(), "`{source}`: {error:?}");
        } else {
            accepted += 1;
        }
    }
    println!("{accepted} sources accepted");
}

#[test]
fn any_units_compile_or_are_refused() {
    for seed in 1..=SETS {
        let random = &mut Random::new(seed);
        let source: Vec<u16> = (0..random.below(12))
            .map(|_| if random.chance(50) { unit(random) } else { random.below(0x80) as u16 })
            .collect();
        if let Err(error) = compile(&shown(&source)) {
            assert!(error.span.end <= source.len(), "seed {seed}: {:?}: {error:?}", shown(&source));
        }
    }
}
