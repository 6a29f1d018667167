//! Tool arguments that stream in deltas of 4 units: read once, shown after each delta.

#![expect(clippy::print_stdout, reason = "the ratios are what the bench is for")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};
use ttsr::text::JsString;
use ttsr::text::json::Value;
use ttsr::tool::{CallReader, ReadOptions};

const DELTA: usize = 4;

/// The argument text of a call whose text has about `size` bytes.
fn arguments(kind: &str, size: usize) -> Vec<u16> {
    let mut lines = String::new();
    let mut number = 0;
    let mark = if matches!(kind, "write" | "sloppy" | "sloppy after") { "" } else { "+" };
    while lines.len() < size {
        if number % 50 == 0 && kind == "hashline" {
            lines.push_str(&format!("[src/file{}.ts#A1B2]\nPUT {number}.={number}:\n", number / 50 % 10));
        }
        lines.push_str(&format!("{mark}const value{number} = \"text {number}\"; // é\n"));
        number += 1;
    }
    let quoted = |text: &str| Value::from(text).to_json();
    let text = match kind {
        "write" => format!("{{\"path\":\"a.ts\",\"content\":{}}}", quoted(&lines)),
        "patch" => format!("{{\"path\":\"a.ts\",\"edits\":[{{\"op\":\"update\",\"diff\":{}}}]}}", quoted(&lines)),
        "apply_patch" => {
            format!("{{\"input\":{}}}", quoted(&format!("*** Begin Patch\n*** Update File: a.ts\n@@\n{lines}")))
        }
        "sloppy" | "sloppy after" => {
            // A text to insert is one long line.
            let (tag, lines) = if kind == "sloppy" { ("PUT", lines) } else { ("AFTER", lines.replace('\n', " ")) };
            format!("{{\"input\":{}}}", quoted(&format!("<SM:EDIT path=\"a.ts\">\n<SM:FIND>\nx\n<SM:{tag}>\n{lines}")))
        }
        "context" => {
            let line = lines.replace('\n', " ");
            format!("{{\"input\":{}}}", quoted(&format!("[a.ts#A1B2]\n+x\n {line}")))
        }
        _ => format!("{{\"input\":{}}}", quoted(&lines)),
    };
    text.encode_utf16().collect()
}

fn stream(kind: &str, arguments: &[u16]) -> usize {
    let tool = if kind == "write" { "write" } else { "edit" };
    let mut reader =
        CallReader::new(&JsString::from(tool), &ReadOptions { cwd: "/proj".into(), ..ReadOptions::default() });
    let mut new_units = 0;
    for delta in arguments.chunks(DELTA) {
        reader.push(delta);
        let step = reader.step();
        let _ = black_box(step.paths);
        let inspection = step.inspection;
        for digest in inspection.entries.iter().flatten().map(|entry| entry.digest).chain(inspection.digest) {
            new_units += digest.text.len() - digest.unchanged;
        }
    }
    new_units
}

/// The quickest of so many runs counts.
const ROUNDS: usize = 7;

fn main() {
    const KINDS: [&str; 7] = ["write", "patch", "hashline", "apply_patch", "sloppy", "sloppy after", "context"];
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    for kind in KINDS {
        let mut group = criterion.benchmark_group(format!("streamed arguments, {kind}"));
        for size in [1 << 20, 2 << 20] {
            let arguments = arguments(kind, size);
            group.throughput(Throughput::Bytes(arguments.len() as u64));
            group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
                bencher.iter(|| stream(kind, black_box(&arguments)));
            });
        }
        group.finish();
    }
    criterion.final_summary();
    for kind in KINDS {
        let (small, large) = (arguments(kind, 1 << 20), arguments(kind, 2 << 20));
        let time = |arguments: &[u16]| {
            let start = Instant::now();
            black_box(stream(kind, arguments));
            start.elapsed()
        };
        // In turns, so that a slow spell of the machine hits both.
        let (mut one, mut two) = (Duration::MAX, Duration::MAX);
        for _ in 0..ROUNDS {
            one = one.min(time(&small));
            two = two.min(time(&large));
        }
        println!(
            "{kind}: 1 MB {one:?}, 2 MB {two:?}: {:.2} times (at most 2.3)",
            two.as_secs_f64() / one.as_secs_f64()
        );
    }
}
