//! AST conditions on TypeScript: the whole text at once, and as it grows by 40 units at a time.
//!
//! After the measurements of criterion come the ratios that issue 6 asks for, of one run each.

#![expect(clippy::print_stdout, reason = "the ratios are what the bench is for")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};
use ttsr::ast::{AstSet, Outcome, Snapshot};
use ttsr::text::JsString;

const SIZES: [usize; 2] = [10_000, 150_000];
const RULES: [usize; 3] = [1, 10, 50];
const DELTA: usize = 40;

/// Functions that all call `logger.info` with one argument.
fn source(size: usize) -> Vec<u16> {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < size {
        text.push_str(&format!(
            "export function handle{number}(request: Request{number}, options: {{ retries: number }}): Result {{\n  \
             const items = request.items.filter((item) => item.id !== {number} && item.name);\n  \
             for (const item of items) {{\n    if (item.size > options.retries * 2) {{\n      \
             logger.info(`item ${{item.name}} of ${{request.user}}`);\n      continue;\n    }}\n    \
             update(item.id, {{ ...item, seen: true, tags: ['a', 'b', \"c\"] }});\n  }}\n  \
             return items.length > 0 ? {{ ok: true, count: items.length }} : undefined;\n}}\n\n"
        ));
        number += 1;
    }
    text.truncate(size);
    text.encode_utf16().collect()
}

/// Rules that never match: their word occurs nowhere, or in each function.
fn rules(count: usize, word: &str) -> Vec<Vec<JsString>> {
    (0..count).map(|number| vec![format!("{word}.info($A, $B, {number}, $$$REST)").into()]).collect()
}

/// Other rules of which each has a literal that occurs in each function. `N` stands for the number of the rule.
const OTHER_RULES: [(&str, &str); 9] = [
    ("list first", "logger.info($$$REST, N)"),
    ("lists around", "update($$$A, { ...item, seen: N }, $$$B)"),
    ("two literals", "update(item.id, $B, N)"),
    ("variable callee", "$OBJECT.filter($CALL, N)"),
    ("repeated variable", "logger.info($A, $A, N)"),
    ("declaration", "const $X = request.items.filter((item) => item.id !== $Y && item.name > N)"),
    ("block", "if (item.size > $X.retries * 2) { logger.info($A); continue; $$$REST; stop(N) }"),
    ("whole function", "export function $F(request: $T, $O: $P): Result { $$$BODY; return N }"),
    ("each function matches", "logger.info($AN)"),
];

fn whole(set: &mut AstSet, source: &[u16], candidates: &[usize]) -> Vec<Outcome> {
    set.run(&mut Snapshot::new(), &"ts".into(), source, 0, candidates)
}

fn streamed(set: &mut AstSet, source: &[u16], candidates: &[usize]) {
    let (alias, mut snapshot) = (JsString::from("ts"), Snapshot::new());
    let mut before = 0;
    for end in (DELTA..=source.len()).step_by(DELTA) {
        black_box(set.run(&mut snapshot, &alias, &source[..end], before, candidates));
        before = end;
    }
}

/// What a fresh parse and search at each delta costs, by every 25th delta.
fn refreshed(set: &mut AstSet, source: &[u16], candidates: &[usize]) -> Duration {
    const SHARE: usize = 25;
    let start = Instant::now();
    for end in (DELTA * SHARE..=source.len()).step_by(DELTA * SHARE) {
        black_box(whole(set, &source[..end], candidates));
    }
    start.elapsed() * u32::try_from(SHARE).unwrap_or(1)
}

fn time(mut work: impl FnMut()) -> Duration {
    work();
    let start = Instant::now();
    work();
    start.elapsed()
}

fn measure(criterion: &mut Criterion) {
    for (name, word) in [("literal absent", "tracer"), ("literal in each function", "logger")] {
        let mut group = criterion.benchmark_group(format!("whole, {name}"));
        for size in SIZES {
            let source = source(size);
            group.throughput(Throughput::Bytes(size as u64));
            for count in RULES {
                let (mut set, candidates) = (AstSet::new(rules(count, word)), Vec::from_iter(0..count));
                group.bench_function(BenchmarkId::new(format!("{count} rules"), size), |bencher| {
                    bencher.iter(|| whole(&mut set, black_box(&source), &candidates));
                });
            }
        }
        group.finish();
        let mut group = criterion.benchmark_group(format!("streamed, {name}"));
        group.sample_size(10);
        let source = source(SIZES[0]);
        for count in RULES {
            let (mut set, candidates) = (AstSet::new(rules(count, word)), Vec::from_iter(0..count));
            group.bench_function(BenchmarkId::new(format!("{count} rules"), SIZES[0]), |bencher| {
                bencher.iter(|| streamed(&mut set, black_box(&source), &candidates));
            });
        }
        group.finish();
    }
}

fn ratios() {
    for size in SIZES {
        let source = source(size);
        let mut any = AstSet::new(vec![vec!["$A + $B - 1".into()]]);
        let parse = time(|| drop(whole(&mut any, &source, &[0])));
        let mut one_rule = Duration::ZERO;
        for count in RULES {
            let candidates = Vec::from_iter(0..count);
            let mut absent = AstSet::new(rules(count, "tracer"));
            let mut present = AstSet::new(rules(count, "logger"));
            let at_once = time(|| drop(whole(&mut present, &source, &candidates)));
            let quiet = time(|| streamed(&mut absent, &source, &candidates));
            let busy = time(|| streamed(&mut present, &source, &candidates));
            let fresh = refreshed(&mut present, &source, &candidates);
            if count == 1 {
                one_rule = busy;
            }
            println!(
                "{size} bytes, {count} rules: at once {at_once:?}; streamed, literal absent {quiet:?} = {:.2} parses of \
                 the final form (at most 5); literal in each function {busy:?} = {:.3} of a fresh parse at each delta \
                 (at most 0.2), {:.2} times 1 rule (at most 3)",
                quiet.as_secs_f64() / parse.as_secs_f64(),
                busy.as_secs_f64() / fresh.as_secs_f64(),
                busy.as_secs_f64() / one_rule.as_secs_f64(),
            );
        }
    }
}

/// The same for other rules.
fn other_ratios() {
    for size in SIZES {
        let source = source(size);
        for (name, pattern) in OTHER_RULES {
            let mut one_rule = Duration::ZERO;
            for count in [RULES[0], RULES[2]] {
                let rules = (0..count).map(|number| vec![pattern.replace('N', &number.to_string()).into()]);
                let (mut set, candidates) = (AstSet::new(rules.collect()), Vec::from_iter(0..count));
                let busy = time(|| streamed(&mut set, &source, &candidates));
                let fresh = refreshed(&mut set, &source, &candidates);
                if count == 1 {
                    one_rule = busy;
                }
                println!(
                    "{size} bytes, {count} rules, {name}: {busy:?} = {:.3} of a fresh parse at each delta, {:.2} times \
                     1 rule",
                    busy.as_secs_f64() / fresh.as_secs_f64(),
                    busy.as_secs_f64() / one_rule.as_secs_f64(),
                );
            }
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().measurement_time(Duration::from_secs(2));
    measure(&mut criterion);
    criterion.final_summary();
    ratios();
    other_ratios();
}
