//! The fuzz targets on a stable toolchain: seeds from `testdata`, changed at random.
//!
//! `TTSR_FUZZ_SECONDS` says how many seconds each target gets (by default all of them share two), `TTSR_SEED` where the
//! choices begin, `TTSR_FUZZ_TARGET` which target runs alone. An input that makes a target fail is cut down, printed and
//! written to a file; it belongs into `testdata/fuzz/NAME`, whose files every run tries first.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::fuzz_targets::{TARGETS, Target};
use crate::patterns::generate::Random;
use crate::support::{panic_text, project};

/// Longer seeds are cut: what is new happens at the seams, not in the length.
const LONGEST: usize = 12 << 10;

/// An input that takes longer holds the program up, however busy the machine is.
const SLOW: Duration = Duration::from_secs(60);

fn files(folder: &Path, end: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|one| one.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, end, found);
        } else if path.is_file() && path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
}

/// Inputs that failed once.
fn known(target: &Target) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    files(&project("testdata/fuzz").join(target.name), "", &mut found);
    found.iter().map(|path| fs::read(path).expect("a known input")).collect()
}

fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for (folder, end) in target.seeds {
        files(&project("testdata").join(folder), end, &mut found);
    }
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    for path in found {
        let bytes = fs::read(&path).expect("a seed");
        // A text file is a list of seeds.
        match path.extension().is_some_and(|extension| extension == "txt") {
            true => seeds.extend(bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec)),
            false => seeds.push(bytes),
        }
    }
    for seed in &mut seeds {
        seed.truncate(LONGEST);
        seed.splice(..0, target.prefix.iter().copied());
    }
    seeds.push(Vec::new());
    seeds
}

/// A seed with some changes.
fn changed(random: &mut Random, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut bytes = random.pick(seeds).clone();
    for _ in 0..random.below(6) + 1 {
        let at = random.below(bytes.len() + 1);
        let most = 1 << random.below(9);
        let end = (at + random.below(most)).min(bytes.len());
        match random.below(10) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece.repeat(random.below(4) + 1));
            }
            5 => {
                let other = random.pick(seeds);
                let from = random.below(other.len() + 1);
                let piece = other[from..(from + random.below(512)).min(other.len())].to_vec();
                bytes.splice(at..end, piece);
            }
            6 => {
                let other = random.below(bytes.len() + 1);
                let piece: Vec<u8> = bytes.drain(at..end).collect();
                let other = other.min(bytes.len());
                bytes.splice(other..other, piece);
            }
            7 => drop(bytes.splice(at..end, random.pick(words).bytes())),
            _ => drop(bytes.splice(at..at, random.pick(words).bytes())),
        }
    }
    bytes.truncate(LONGEST * 2);
    bytes
}

/// Why the target fails on an input, if it does.
fn failure(target: &Target, input: &[u8]) -> Option<String> {
    let begun = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    match outcome {
        Err(payload) => Some(panic_text(payload.as_ref())),
        Ok(()) if begun.elapsed() > SLOW => Some(format!("{:?}", begun.elapsed())),
        Ok(()) => None,
    }
}

/// Cuts pieces out as long as the target still fails.
fn smallest(target: &Target, mut input: Vec<u8>) -> Vec<u8> {
    let mut size = input.len() / 2;
    let begun = Instant::now();
    while size > 0 && begun.elapsed() < Duration::from_secs(20) {
        let mut at = 0;
        while at < input.len() {
            let end = (at + size).min(input.len());
            let shorter = [&input[..at], &input[end..]].concat();
            if failure(target, &shorter).is_some() {
                input = shorter;
            } else {
                at = end;
            }
        }
        size /= 2;
    }
    input
}

fn fail(target: &Target, input: Vec<u8>) -> ! {
    let input = smallest(target, input);
    let why = failure(target, &input).unwrap_or_default();
    let path = std::env::temp_dir().join(format!("ttsr-fuzz-{}-{}", target.name, input.len()));
    fs::write(&path, &input).expect("a place for the input");
    let shown: String = input.escape_ascii().to_string().chars().take(2_000).collect();
    panic!(
        "{} fails on {} ({} bytes)\n  {shown}\n  {}",
        target.name,
        path.display(),
        input.len(),
        &why.chars().take(2_000).collect::<String>()
    );
}

#[test]
fn fuzz_targets_take_any_bytes() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let each = number("TTSR_FUZZ_SECONDS").map_or(Duration::from_secs(2) / TARGETS.len() as u32, Duration::from_secs);
    let first = number("TTSR_SEED").unwrap_or(1);
    let only = std::env::var("TTSR_FUZZ_TARGET").ok();
    for target in TARGETS.iter().filter(|target| only.as_deref().is_none_or(|only| only == target.name)) {
        for input in known(target) {
            if failure(target, &input).is_some() {
                fail(target, input);
            }
        }
        let seeds = seeds(target);
        assert!(seeds.len() > 2, "{} has no seeds", target.name);
        let (begun, mut inputs, mut slowest) = (Instant::now(), 0, Duration::ZERO);
        let random = &mut Random::new(first);
        while begun.elapsed() < each {
            let input = changed(random, &seeds, target.words);
            let started = Instant::now();
            if failure(target, &input).is_some() {
                fail(target, input);
            }
            slowest = slowest.max(started.elapsed());
            inputs += 1;
        }
        println!("{}: {inputs} inputs from {} seeds in {:?}, slowest {slowest:?}", target.name, seeds.len(), each);
        assert!(inputs > 0);
    }
}

/// The layout for `cargo fuzz` has a program for each target, and no other.
#[test]
fn fuzz_programs_are_those_of_the_targets() {
    let manifest = fs::read_to_string(project("tests/fuzz/Cargo.toml")).expect("a manifest");
    let named: Vec<&str> = manifest
        .lines()
        .skip_while(|line| *line != "[[bin]]")
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .collect();
    assert_eq!(named, TARGETS.iter().map(|target| target.name).collect::<Vec<_>>());
    for target in TARGETS {
        let program = fs::read_to_string(project("tests/fuzz/targets").join(format!("{}.rs", target.name)));
        assert!(program.expect("a program").contains(&format!("\"{}\"", target.name)), "{}", target.name);
    }
}
