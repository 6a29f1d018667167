//! Throughput of the streaming matcher (matching.md M1): rules, delta sizes, growth, bad text.
//!
//! The text is this project's own source, and for the worst case a text in which the rules' own words occur all the time.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ttsr::pattern::{Buffer, CompileOptions, Pattern, PatternMask, PatternSet, Scanner};
use ttsr::text::JsString;

/// Words that code is full of, or nearly.
const WORDS: [&str; 50] = [
    "unwrap", "expect", "clone", "console", "debug", "print", "todo", "fixme", "async", "await", "import", "export",
    "require", "module", "return", "const", "static", "public", "private", "class", "struct", "enum", "trait", "impl",
    "match", "switch", "case", "default", "throw", "catch", "finally", "error", "panic", "result", "option", "string",
    "vector", "buffer", "stream", "session", "message", "pattern", "token", "parser", "state", "event", "handler",
    "config", "option", "value",
];

/// Shapes of rules as people write them; `W` is a word, `V` another.
const SHAPES: [&str; 10] = [
    "\\.W\\(\\)",
    "W\\.(?:V|log)\\s*\\(",
    "(?i)\\bW\\b",
    "\\bW\\s+V\\b",
    "W[\\s\\S]{0,40}?V",
    "(?m)^\\s*W .*V$",
    "W(?!\\s*V)",
    "(?<!V )\\bW\\w*",
    "W\\s*\\([^)]*V[^)]*\\)",
    "\\w*W_\\w+\\s*=.*V",
];

fn rules(count: usize) -> Arc<PatternSet> {
    let patterns = (0..count).map(|index| {
        let word = WORDS[index * 7 % WORDS.len()];
        let other = WORDS[(index * 11 + index / 50 + 3) % WORDS.len()];
        let source = SHAPES[index % SHAPES.len()].replace('W', word).replace('V', other);
        // `\W` and `\V` do not occur in the shapes, so that every letter replaced was meant.
        Pattern::compile(&JsString::from(source), CompileOptions::default()).expect("a pattern")
    });
    Arc::new(PatternSet::new(patterns.collect()))
}

fn add_sources(folder: &Path, text: &mut String) {
    let mut paths: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add_sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&fs::read_to_string(&path).unwrap_or_default());
        }
    }
}

fn code(length: usize) -> Vec<u16> {
    let mut text = String::new();
    for folder in ["src", "tests"] {
        add_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut text);
    }
    text.encode_utf16().cycle().take(length).collect()
}

/// A text made of the rules' own words.
fn bad_text(length: usize) -> Vec<u16> {
    let mut state = 1_u64;
    let mut text = String::new();
    while text.len() < length {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(WORDS[(state >> 33) as usize % WORDS.len()]);
        text.push_str([" ", ".", "(", "\n", "_"][(state >> 40) as usize % 5]);
    }
    text.encode_utf16().take(length).collect()
}

/// Reads a text in deltas, asking for the verdicts after each. A rule that has matched counts no more, as with the
/// repeat policy "once".
fn read(scanner: &mut Scanner, text: &[u16], delta: usize) -> usize {
    let mut buffer = Buffer::new();
    let mut mask: PatternMask = (0..scanner.set().len()).collect();
    for part in text.chunks(delta) {
        scanner.append(&mut buffer, part);
        for (pattern, _) in scanner.verdicts_among(&mut buffer, Some(&mask)) {
            mask.remove(pattern);
        }
    }
    (0..scanner.set().len()).filter(|&pattern| mask.contains(pattern)).count()
}

fn streaming(criterion: &mut Criterion) {
    let text = code(1 << 20);
    let mut group = criterion.benchmark_group("pattern/code");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group.throughput(Throughput::Bytes(text.len() as u64));
    for count in [1, 10, 100, 500] {
        let set = rules(count);
        for delta in [1, 12, 4096] {
            let mut scanner = Scanner::new(Arc::clone(&set));
            group.bench_function(BenchmarkId::new(format!("warm/{count} rules"), delta), |bencher| {
                bencher.iter(|| black_box(read(&mut scanner, &text, delta)));
            });
        }
        group.bench_function(BenchmarkId::new(format!("cold/{count} rules"), 12), |bencher| {
            bencher.iter(|| black_box(read(&mut Scanner::new(Arc::clone(&set)), &text, 12)));
        });
    }
    group.finish();
}

fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pattern/growth");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for count in [1, 10, 100, 500] {
        let set = rules(count);
        for megabytes in [1, 2] {
            let text = code(megabytes << 20);
            group.bench_function(BenchmarkId::new(format!("{count} rules"), megabytes), |bencher| {
                bencher.iter(|| black_box(read(&mut Scanner::new(Arc::clone(&set)), &text, 12)));
            });
        }
    }
    group.finish();
}

fn bad(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pattern/bad text");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(2));
    for count in [100, 500] {
        let set = rules(count);
        for kilobytes in [100, 200] {
            let text = bad_text(kilobytes << 10);
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(BenchmarkId::new(format!("{count} rules"), kilobytes), |bencher| {
                bencher.iter(|| black_box(read(&mut Scanner::new(Arc::clone(&set)), &text, 12)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, streaming, growth, bad);
criterion_main!(benches);
