//! Structural patterns on hostile texts: every grammar, every text of `hostile_texts.rs`, at once (`v3`, `v4`) and as
//! it grows (`v2`), as providers re-parse and at each delta. Prints the worst; nothing may take longer than a second.
//!
//! `cargo bench --bench ast_hostile [-- ALIAS,... [SIZE,... [at-once|growing]]]`; `all` stands for every grammar.

#![expect(clippy::print_stdout, reason = "the figures are what the bench is for")]

#[path = "hostile_texts.rs"]
mod hostile_texts;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use ttsr::ast::{AstSet, Outcome, Snapshot, grammar_aliases};
use ttsr::text::JsString;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const WORST: usize = 10;
const LIMIT: Duration = Duration::from_secs(1);

/// Units of a delta.
const DELTA: usize = 40;

/// Patterns without a literal, so that texts are parsed for them. A rule that matched is not asked again.
const PATTERNS: [&str; 9] = [
    "$A1",
    "$A($B, $B, $C, $D, $B)",
    "[$A, $A, $B, $A, $A, $C]",
    "{ $A: [$B, $B, $B, $A] }",
    "if ($A) { $A } else { $A }",
    "$A = ($B) + ($B) * $C",
    "<$A><$B><$C></$C></$B></$A>",
    "($A ($B $B $A $A $B))",
    "begin $A; $A; $B end",
];

#[derive(Clone, Copy, Debug)]
enum Way {
    AtOnce,
    /// When the text has grown by max(256, length / 32) units (engine.md E6.6).
    Throttled,
    EachDelta,
}

struct Figure {
    time: Duration,
    what: String,
    is_decided: bool,
}

/// The ends at which the text is looked at.
fn ends(length: usize, way: Way) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut end = 0;
    loop {
        end += match way {
            Way::AtOnce => length,
            Way::Throttled => (end / 32).max(256),
            Way::EachDelta => DELTA,
        };
        if end >= length {
            ends.push(length);
            return ends;
        }
        ends.push(end);
    }
}

/// Time on the processor where the system tells it, so that other work of the machine does not count; else time.
fn now(start: Instant) -> Duration {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedule.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn run(alias: &str, text: &[u16], way: Way) -> (Duration, bool) {
    let alias = JsString::from(alias);
    let mut set = AstSet::new(PATTERNS.iter().map(|&pattern| vec![pattern.into()]).collect());
    let mut open = Vec::from_iter(0..PATTERNS.len());
    let mut snapshot = Snapshot::new();
    let (mut before, mut is_decided) = (0, true);
    let clock = Instant::now();
    let start = now(clock);
    for end in ends(text.len(), way) {
        let outcomes = set.run(&mut snapshot, &alias, &text[..end], before, &open);
        is_decided &= !outcomes.iter().any(|outcome| matches!(outcome, Outcome::Undecided(_)));
        let mut outcomes = outcomes.iter();
        open.retain(|_| !matches!(outcomes.next(), Some(Outcome::Match(_))));
        before = end;
    }
    drop(snapshot);
    (now(clock).saturating_sub(start), is_decided)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let aliases: Vec<&str> = match arguments.first() {
        Some(aliases) if aliases != "all" => aliases.split(',').collect(),
        _ => grammar_aliases(),
    };
    let sizes: Vec<usize> = match arguments.get(1) {
        Some(sizes) => sizes.split(',').filter_map(|size| size.parse().ok()).collect(),
        None => SIZES.to_vec(),
    };
    let ways: Vec<Way> = match arguments.get(2).map(String::as_str) {
        Some("at-once") => vec![Way::AtOnce],
        Some("growing") => vec![Way::Throttled, Way::EachDelta],
        _ => vec![Way::AtOnce, Way::Throttled, Way::EachDelta],
    };
    let mut figures: Vec<Figure> = Vec::new();
    for &size in &sizes {
        for (name, text) in hostile_texts::texts(size) {
            let units: Vec<u16> = text.encode_utf16().collect();
            for alias in &aliases {
                for &way in &ways {
                    let (time, is_decided) = run(alias, &units, way);
                    let what = format!("{alias}, {size} bytes, {name}, {way:?}");
                    figures.push(Figure { time, what, is_decided });
                }
            }
        }
    }
    figures.sort_by_key(|figure| std::cmp::Reverse(figure.time));
    let undecided = figures.iter().filter(|figure| !figure.is_decided).count();
    let over = figures.iter().filter(|figure| figure.time > LIMIT).count();
    let total: Duration = figures.iter().map(|figure| figure.time).sum();
    println!(
        "{} languages, {} runs in {total:.0?}, {undecided} of them undecided at some point, {over} over {LIMIT:?}",
        aliases.len(),
        figures.len()
    );
    for Figure { time, what, is_decided } in figures.iter().take(WORST.max(over)) {
        println!("{time:>10.1?}  {what}{}", if *is_decided { "" } else { ", undecided" });
    }
    if over == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
