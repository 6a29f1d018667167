//! Structural patterns on hostile texts: every grammar, every text of `hostile_texts.rs`, at once (`v3`, `v4`) and as
//! it grows, as providers re-parse and at each delta (`v2`). No text may take longer than a second.
//!
//! `cargo bench --bench ast_hostile [-- ALIAS,... [SIZE,... [WAY,... [TEXT]]]]`: only these languages (`all` for each
//! grammar), sizes in bytes, ways (`at-once`, `throttled`, `each-delta`) and texts whose name holds TEXT (`all` for
//! each, `code` for ordinary code in place of them, which has to be decided). Only the texts of the largest size grow.
//!
//! Progress goes to standard error, a line for each language; what is over the limit is printed when it is found, the
//! worst at the end. Each core takes a language at a time. A case counts the time that its thread spent on the processor,
//! where the system tells it, so that neither the other thread nor other work of the machine counts as waiting; what
//! they take from each other's caches does count. Beside it stands what the budget counted for it. A case that is over
//! its deadline is given up: between two looks at the text, and, when one look takes longer than anything should, with
//! its thread, for which another one takes over.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the figures are what the bench is for")]

#[path = "hostile_texts.rs"]
mod hostile_texts;
#[path = "ordinary_texts.rs"]
mod ordinary_texts;

use std::collections::VecDeque;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ttsr::ast::{AstSet, Outcome, Snapshot, grammar_aliases};
use ttsr::text::JsString;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const WORST: usize = 10;
const LIMIT: Duration = Duration::from_secs(1);

/// A case that took so long, on the processor, is not continued.
const DEADLINE: Duration = Duration::from_secs(3);

/// A thread that shows no result for so long, by the clock, is left to itself.
const LOST: Duration = Duration::from_secs(60);

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

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    AtOnce,
    /// When the text has grown by max(256, length / 32) units (engine.md E6.6).
    Throttled,
    EachDelta,
}

const WAYS: [(&str, Way); 3] =
    [("at-once", Way::AtOnce), ("throttled", Way::Throttled), ("each-delta", Way::EachDelta)];

/// A text in one size.
struct Text {
    name: String,
    /// The language that it is written in, if any.
    alias: Option<&'static str>,
    units: Vec<u16>,
    /// Whether no size that is asked for is larger. Only such a text grows: on its way it is about each of the shorter.
    is_longest: bool,
}

struct Figure {
    time: Duration,
    /// What the budget counted for it.
    counted: Duration,
    what: String,
    is_decided: bool,
}

impl Figure {
    fn line(&self) -> String {
        let Self { time, counted, what, is_decided } = self;
        format!("{time:>10.1?}  counted {counted:>8.1?}  {what}{}", if *is_decided { "" } else { ", undecided" })
    }
}

/// What all threads work on.
struct Work {
    languages: Mutex<VecDeque<&'static str>>,
    texts: Vec<Text>,
    ways: Vec<Way>,
}

/// What a thread tells, with its number.
enum Told {
    /// The next case, and the language is the next one as well.
    Begins {
        alias: &'static str,
        what: String,
    },
    Figure(&'static str, Figure),
    LanguageEnds(&'static str),
    ThreadEnds,
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

/// Time of this thread on the processor where the system tells it; else time.
fn now(start: Instant) -> Duration {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedule.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn what(alias: &str, text: &Text, way: Way) -> String {
    format!("{alias}, {} units, {}, {way:?}", text.units.len(), text.name)
}

fn run(alias: &str, text: &Text, way: Way) -> Figure {
    let what = what(alias, text, way);
    let alias = JsString::from(alias);
    let mut set = AstSet::new(PATTERNS.iter().map(|&pattern| vec![pattern.into()]).collect());
    let mut open = Vec::from_iter(0..PATTERNS.len());
    let mut snapshot = Snapshot::new();
    let (mut before, mut is_decided) = (0, true);
    let clock = Instant::now();
    let start = now(clock);
    for (number, end) in ends(text.units.len(), way).into_iter().enumerate() {
        let outcomes = set.run(&mut snapshot, &alias, &text.units[..end], before, &open);
        is_decided &= !outcomes.iter().any(|outcome| matches!(outcome, Outcome::Undecided(_)));
        let mut outcomes = outcomes.iter();
        open.retain(|_| !matches!(outcomes.next(), Some(Outcome::Match(_))));
        before = end;
        if number % 16 == 0 && now(clock).saturating_sub(start) > DEADLINE {
            break;
        }
    }
    let counted = snapshot.estimate();
    drop(snapshot);
    Figure { time: now(clock).saturating_sub(start), counted, what, is_decided }
}

/// Takes languages until none is left, or nobody listens any more.
fn take_languages(number: usize, work: &Work, tell: &Sender<(usize, Told)>) {
    let next = || work.languages.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    while let Some(alias) = next() {
        let texts = work.texts.iter().filter(|text| text.alias.is_none_or(|of| of == alias));
        for text in texts {
            for &way in work.ways.iter().filter(|&&way| way == Way::AtOnce || text.is_longest) {
                if tell.send((number, Told::Begins { alias, what: what(alias, text, way) })).is_err() {
                    return;
                }
                if tell.send((number, Told::Figure(alias, run(alias, text, way)))).is_err() {
                    return;
                }
            }
        }
        drop(tell.send((number, Told::LanguageEnds(alias))));
    }
    drop(tell.send((number, Told::ThreadEnds)));
}

/// A thread as it is seen from outside.
struct Thread {
    since: Instant,
    case: Option<(&'static str, String)>,
    is_over: bool,
}

/// Has threads run all cases, and gives back what they took.
fn measure(work: &Arc<Work>, count: usize) -> Vec<Figure> {
    let (tell, told) = channel();
    let next = AtomicUsize::new(0);
    let start = || {
        let (number, work, tell) = (next.fetch_add(1, Ordering::Relaxed), Arc::clone(work), tell.clone());
        thread::spawn(move || take_languages(number, &work, &tell));
        Thread { since: Instant::now(), case: None, is_over: false }
    };
    let clock = Instant::now();
    let mut threads = Vec::from_iter((0..count).map(|_| start()));
    let mut figures: Vec<(&str, Figure)> = Vec::new();
    while threads.iter().any(|thread| !thread.is_over) {
        match told.recv_timeout(Duration::from_secs(1)) {
            Ok((number, _)) if threads[number].is_over => {}
            Ok((number, Told::Begins { alias, what })) => {
                threads[number].case = Some((alias, what));
                threads[number].since = Instant::now();
            }
            Ok((_, Told::Figure(alias, figure))) => {
                if figure.time > LIMIT {
                    println!("over: {}", figure.line());
                }
                figures.push((alias, figure));
            }
            Ok((_, Told::LanguageEnds(alias))) => {
                let of_it = || figures.iter().filter(|(of, _)| *of == alias).map(|(_, figure)| figure);
                let total: Duration = of_it().map(|figure| figure.time).sum();
                let worst = of_it().max_by_key(|figure| figure.time).map(Figure::line).unwrap_or_default();
                eprintln!("{:>6.0?} {alias:<12} {total:>8.1?} for {}; worst {worst}", clock.elapsed(), of_it().count());
            }
            Ok((number, Told::ThreadEnds)) => threads[number].is_over = true,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        for number in 0..threads.len() {
            let thread = &mut threads[number];
            if thread.is_over || thread.since.elapsed() < LOST {
                continue;
            }
            thread.is_over = true;
            if let Some((alias, what)) = thread.case.take() {
                let (time, counted, what) = (thread.since.elapsed(), Duration::ZERO, format!("{what}, left"));
                let figure = Figure { time, counted, what, is_decided: false };
                println!("over: {} and the rest of {alias}", figure.line());
                figures.push((alias, figure));
            }
            let other = start();
            threads.push(other);
        }
    }
    figures.into_iter().map(|(_, figure)| figure).collect()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let argument = |at: usize| arguments.get(at).map(String::as_str).filter(|&argument| argument != "all");
    let listed = |at: usize| argument(at).map(|list| list.split(',').collect::<Vec<&str>>());
    let known = grammar_aliases();
    let languages: VecDeque<&str> = match listed(0) {
        Some(wanted) => known.into_iter().filter(|alias| wanted.contains(alias)).collect(),
        None => known.into(),
    };
    let sizes: Vec<usize> = match listed(1) {
        Some(sizes) => sizes.into_iter().filter_map(|size| size.parse().ok()).collect(),
        None => SIZES.to_vec(),
    };
    let wanted = |(name, way): (&str, Way)| listed(2).is_none_or(|ways| ways.contains(&name)).then_some(way);
    let ways: Vec<Way> = WAYS.into_iter().filter_map(wanted).collect();
    let longest = sizes.iter().copied().max().unwrap_or_default();
    let mut texts = Vec::new();
    for &size in &sizes {
        for (name, text) in hostile_texts::texts(size) {
            if argument(3).is_none_or(|part| name.contains(part)) {
                texts.push(Text {
                    name,
                    alias: None,
                    units: text.encode_utf16().collect(),
                    is_longest: size == longest,
                });
            }
        }
    }
    if argument(3) == Some("code") {
        let code = |(alias, text): (&'static str, String)| Text {
            name: "code".to_owned(),
            alias: Some(alias),
            units: text.encode_utf16().collect(),
            is_longest: true,
        };
        texts = sizes.iter().flat_map(|&size| ordinary_texts::texts(size)).map(code).collect();
    }
    let count = languages.len();
    println!("{count} languages, {} texts, {} ways", texts.len(), ways.len());
    let work = Arc::new(Work { languages: Mutex::new(languages), texts, ways });
    let clock = Instant::now();
    let mut figures = measure(&work, thread::available_parallelism().map_or(1, usize::from));
    figures.sort_by_key(|figure| std::cmp::Reverse(figure.time));
    let undecided = figures.iter().filter(|figure| !figure.is_decided).count();
    let over = figures.iter().filter(|figure| figure.time > LIMIT).count();
    let total: Duration = figures.iter().map(|figure| figure.time).sum();
    println!(
        "{count} languages, {} runs of {total:.0?} together in {:.0?}, {undecided} of them undecided at some point, \
         {over} over {LIMIT:?}; the worst:",
        figures.len(),
        clock.elapsed()
    );
    for figure in figures.iter().take(WORST) {
        println!("{}", figure.line());
    }
    let is_code = argument(3) == Some("code");
    if figures.is_empty() || (is_code && undecided > 0) {
        return ExitCode::FAILURE;
    }
    if over == 0 || is_code { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
