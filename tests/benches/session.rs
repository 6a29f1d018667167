//! How fast a large session is inspected, beside reading the same file line by line into three fields.
//!
//! `TTSR_BENCH_MB` sets the size of the file (default 256). One run prints both times, their ratio, and on Linux the
//! peak of resident memory beyond the longest line.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde::Deserialize;
use ttsr::audit::{AuditOptions, audit};
use ttsr::generation::Lifecycle;
use ttsr::session::{ReadMode, Session};
use ttsr::settings::Settings;

/// What the plain reading takes from each line.
#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "type")]
    kind: String,
    id: Option<String>,
    #[serde(rename = "parentId")]
    parent: Option<String>,
}

/// Entries of about 500 bytes: user, assistant with a call, tool result, bookkeeping, now and then an injection.
fn write_session(path: &Path, bytes: u64) -> u64 {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path).expect("created"));
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}"#;
    writeln!(out, "{header}").expect("written");
    let (mut written, mut count) = (header.len() as u64, 0_u64);
    let prose = "Reading the file and changing what the \\\"task\\\" asks for, then running the tests again.\\n";
    while written < bytes {
        count += 1;
        // Ids look random and never repeat.
        let id = |number: u64| (number as u32).wrapping_mul(0x9E37_79B1);
        let parent = if count == 1 { "null".to_owned() } else { format!("\"{:08x}\"", id(count - 1)) };
        let base =
            format!("\"id\":\"{:08x}\",\"parentId\":{parent},\"timestamp\":\"2026-01-01T00:00:00.000Z\"", id(count));
        let usage = r#""usage":{"input":1200,"output":80,"cacheRead":0,"cacheWrite":0,"totalTokens":1280,"cost":{"input":0.0012,"output":0.0008,"cacheRead":0,"cacheWrite":0,"total":0.002}}"#;
        let line = match count % 5 {
            0 => format!(
                r#"{{"type":"custom","customType":"tool_execution_start","data":{{"toolCallId":"call_{count}","toolName":"bash"}},{base}}}"#
            ),
            1 => format!(
                r#"{{"type":"message",{base},"message":{{"role":"user","content":[{{"type":"text","text":"{}"}}],"timestamp":1767225600000}}}}"#,
                prose.repeat(5)
            ),
            2 | 4 => format!(
                r#"{{"type":"message",{base},"message":{{"role":"assistant","content":[{{"type":"text","text":"{}"}},{{"type":"toolCall","id":"call_{count}","name":"bash","arguments":{{"command":"cargo test"}}}}],"api":"messages","provider":"acme","model":"large",{usage},"stopReason":"toolUse","timestamp":1767225600000}}}}"#,
                prose.repeat(2)
            ),
            _ if count % 10_000 == 3 => {
                format!(r#"{{"type":"ttsr_injection",{base},"injectedRules":["rule-{count}"]}}"#)
            }
            _ => format!(
                r#"{{"type":"message",{base},"message":{{"role":"toolResult","toolCallId":"call_{count}","toolName":"bash","content":[{{"type":"text","text":"{}"}}],"isError":false,"timestamp":1767225600000}}}}"#,
                prose.repeat(6)
            ),
        };
        written += line.len() as u64 + 1;
        writeln!(out, "{line}").expect("written");
    }
    out.flush().expect("written");
    count
}

fn plain_reading(path: &Path) -> usize {
    let mut input = BufReader::with_capacity(1 << 20, File::open(path).expect("opened"));
    let (mut line, mut sum) = (Vec::new(), 0);
    while input.read_until(b'\n', &mut line).expect("read") > 0 {
        let envelope: Envelope = serde_json::from_slice(&line).expect("an entry");
        sum += envelope.kind.len() + envelope.id.map_or(0, |id| id.len()) + envelope.parent.map_or(0, |id| id.len());
        line.clear();
    }
    sum
}

fn inspection(path: &Path) -> usize {
    let session = Session::open(path, "large.jsonl", ReadMode::Tolerant).expect("a session");
    let settings = Settings::default();
    let report = audit(&session, &AuditOptions::new(&settings, &Lifecycle::V3.semantics())).expect("a report");
    report.branch.len() + report.findings.len()
}

/// Peak resident memory in KiB, where the system tells.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?.parse().ok()
}

fn session(criterion: &mut Criterion) {
    let megabytes: u64 = std::env::var("TTSR_BENCH_MB").ok().and_then(|text| text.parse().ok()).unwrap_or(256);
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("large.jsonl");
    let count = write_session(&path, megabytes << 20);
    let size = std::fs::metadata(&path).expect("the file").len();

    plain_reading(&path);
    let before = peak_kib();
    let timed = |run: fn(&Path) -> usize| {
        let start = Instant::now();
        black_box(run(&path));
        start.elapsed()
    };
    // The fastest of several turns each, taken by turns, so that other work on the machine counts little.
    let rounds: Vec<(Duration, Duration)> = (0..5).map(|_| (timed(inspection), timed(plain_reading))).collect();
    let inspected = rounds.iter().map(|(inspected, _)| *inspected).min().unwrap_or_default();
    let plain = rounds.iter().map(|(_, plain)| *plain).min().unwrap_or_default();
    println!(
        "session: {count} entries, {size} bytes: inspection {inspected:?}, plain reading {plain:?}: {:.0} % of its speed",
        100.0 * plain.as_secs_f64() / inspected.as_secs_f64()
    );
    if let (Some(before), Some(after)) = (before, peak_kib()) {
        let used = (after - before) * 1024;
        println!("session: {used} bytes of memory, {:.1} % of the file", 100.0 * used as f64 / size as f64);
    }

    let mut group = criterion.benchmark_group("session");
    group.sample_size(10).throughput(Throughput::Bytes(size));
    group.bench_function("inspection", |bencher| bencher.iter(|| inspection(&path)));
    group.bench_function("plain_reading", |bencher| bencher.iter(|| plain_reading(&path)));
    group.finish();
}

criterion_group!(benches, session);
criterion_main!(benches);
