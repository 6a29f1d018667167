//! The limits that speed and memory are held to (performance-2.md P1): `cargo bench --bench limits`.
//!
//! Times are ratios. What is measured and its yardstick take turns in one process, and what counts is the time that its
//! threads were running, where the system tells (Linux), so that other work on the machine counts little; each line shows
//! the least and the greatest ratio of five such rounds. A limit is met when all rounds keep it, missed when none does,
//! and undecided when its line lies between. Allocations are counted, and are the same at each run; memory is the peak of
//! the program. With `--test`, as `cargo test --benches` runs it, one short round shows that all of it works.

#![expect(clippy::print_stdout, reason = "the table is what the bench is for")]

use std::borrow::Cow;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::BufRead;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use ttsr::audit::{AuditOptions, audit};
use ttsr::generation::Lifecycle;
use ttsr::pattern::{Buffer, CompileOptions, Pattern, PatternSet, Scanner, Verdict};
use ttsr::replay::Plan;
use ttsr::replay::trace::TraceEvent;
use ttsr::rule::{Fields, Rule, RuleSet};
use ttsr::session::{ReadMode, Session};
use ttsr::settings::{InterruptMode, Settings};
use ttsr::stream::ChunkMode;
use ttsr::text::JsString;
use ttsr::text::json::Value;

/// Rounds of each measurement.
const ROUNDS: usize = 5;

/// What a line of the table says of its limit.
enum Limit {
    Most(f64),
    Least(f64),
}

struct Table {
    rounds: usize,
    missed: usize,
    undecided: usize,
}

impl Table {
    fn line(&mut self, name: &str, limit: &Limit, values: &[f64], unit: &str) {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (sign, bar, all, any) = match *limit {
            Limit::Most(bar) => ("≤", bar, most <= bar, least <= bar),
            Limit::Least(bar) => ("≥", bar, least >= bar, most >= bar),
        };
        let verdict = match (all, any) {
            (true, _) => "met",
            (false, true) => {
                self.undecided += 1;
                "undecided"
            }
            (false, false) => {
                self.missed += 1;
                "missed"
            }
        };
        println!("| {name} | {least:.2} | {most:.2} | {sign} {bar} {unit} | {verdict} |");
    }

    /// The time of `one` in times of `other`, by turns.
    fn ratio<A, B>(&mut self, name: &str, limit: &Limit, mut one: impl FnMut() -> A, mut other: impl FnMut() -> B) {
        let ratios: Vec<f64> = (0..self.rounds)
            .map(|_| {
                // The faster of two turns each: one interruption does not count.
                let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
                for _ in 0..2 {
                    theirs = theirs.min(timed(&mut other));
                    ours = ours.min(timed(&mut one));
                }
                ours.as_secs_f64() / theirs.as_secs_f64()
            })
            .collect();
        self.line(name, limit, &ratios, "");
    }
}

/// How long the threads of this process were running.
fn running() -> Option<Duration> {
    let mut sum = 0;
    for thread in std::fs::read_dir("/proc/self/task").ok()?.flatten() {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        sum += text.split(' ').next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(sum))
}

/// The time of one run, which is repeated as long as that is too short to be told.
fn timed<T>(run: &mut impl FnMut() -> T) -> Duration {
    const SHORT: Duration = Duration::from_millis(60);
    let (start, began) = (Instant::now(), running());
    let mut runs = 0;
    loop {
        black_box(run());
        runs += 1;
        let time = match (began, running()) {
            (Some(began), Some(now)) => now.saturating_sub(began),
            _ => start.elapsed(),
        };
        if time >= SHORT {
            return time / runs;
        }
    }
}

/// The time of one run by the clock: what other processes do counts too.
fn elapsed<T>(mut run: impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    black_box(run());
    start.elapsed()
}

/// Code as agents write it, no line of it twice.
fn code(length: usize) -> String {
    let mut text = String::new();
    for number in 0_u64.. {
        if text.len() >= length {
            break;
        }
        let word = ["items", "request", "options", "result", "handler"][(number * 7 % 5) as usize];
        let _ = write!(
            text,
            "fn handle_{number}({word}: &Request{number}) -> Option<usize> {{\n    let found{number} = \
             {word}.iter().find(|one| one.id != {number} && one.name == \"n{number}\")?;\n    // it says \\{number}\\ here\n    \
             if found{number}.size > {number} * 2 {{\n        log(\"large\\t{number}\", found{number});\n    }}\n}}\n\n"
        );
    }
    text.truncate(length);
    text
}

const SHAPES: [&str; 10] = [
    r"zq@\w*\(",
    r"\bxq@\b[^\n]{0,40}?zz",
    "TQ(do|fix)@:",
    r#"import .* from "qq@""#,
    r"(?i)qqpass@\s*=",
    r"as\s+any@\b",
    "zz@(?!ok)",
    r"console\.q@\(",
    "(?m)^q@=.*$",
    "[a-z]+_q@_[a-z]+",
];

/// Conditions that never match code.
fn conditions(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|index| SHAPES[index % SHAPES.len()].replace('@', &index.to_string()))
}

fn plan_of(lifecycle: Lifecycle, rules: Vec<Fields>) -> Plan {
    let (semantics, settings) = (lifecycle.semantics(), Settings::default());
    let rules = rules.into_iter().enumerate().map(|(at, fields)| {
        Rule::from_fields(format!("r{at}").into(), format!("/rules/r{at}.md").into(), "No.".into(), fields)
    });
    let set = RuleSet::offer(rules, &settings, &semantics);
    Plan::new(set.compiled, settings, semantics)
}

fn fields(condition: String) -> Fields {
    let scope = ["text", "thinking", "tool"].map(JsString::from).to_vec();
    Fields { condition: Some(vec![condition.into()]), scope: Some(scope), enabled: true, ..Fields::default() }
}

fn plan(rules: usize) -> Plan {
    plan_of(Lifecycle::V3, conditions(rules).map(fields).collect())
}

fn json(text: &str) -> String {
    Value::from(text).to_json()
}

/// An event stream of one message with one text in deltas of `unit` characters.
fn stream(text: &str, unit: usize, full: bool) -> Vec<u8> {
    let mut out = String::from("{\"type\":\"agent_start\"}\n{\"type\":\"turn_start\"}\n");
    let message = |text: &str, end: &str| {
        format!(
            "{{\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":{}}}],\"timestamp\":1{end}}}",
            json(text)
        )
    };
    let pieces: Vec<&str> = text.as_bytes().chunks(unit).filter_map(|bytes| std::str::from_utf8(bytes).ok()).collect();
    // The full form repeats the message so far: messages stay short.
    let messages: Vec<&[&str]> = if full { pieces.chunks(60).collect() } else { vec![&pieces] };
    for pieces in messages {
        out.push_str(
            "{\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[],\"timestamp\":1}}\n",
        );
        let mut so_far = String::new();
        for piece in pieces {
            so_far.push_str(piece);
            let update = format!(
                "{{\"type\":\"message_update\",\"assistantMessageEvent\":{{\"type\":\"text_delta\",\"contentIndex\":0,\"delta\":{}",
                json(piece)
            );
            out.push_str(&update);
            if full {
                let partial = message(&so_far, "");
                let _ = writeln!(out, ",\"partial\":{partial}}},\"message\":{partial}}}");
            } else {
                out.push_str("}}\n");
            }
        }
        let end = message(&so_far, ",\"stopReason\":\"stop\"");
        let _ = writeln!(out, "{{\"type\":\"message_end\",\"message\":{end}}}");
    }
    out.push_str("{\"type\":\"turn_end\"}\n{\"type\":\"agent_end\"}\n");
    out.into_bytes()
}

/// An event stream of one message with one call, its arguments in deltas of `unit` characters.
fn call_stream(tool: &str, arguments: &str, unit: usize) -> Vec<u8> {
    let mut out = String::from(
        "{\"type\":\"turn_start\"}\n{\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[],\"timestamp\":1}}\n\
         {\"type\":\"message_update\",\"assistantMessageEvent\":{\"type\":\"toolcall_start\",\"contentIndex\":0}}\n",
    );
    for piece in arguments.as_bytes().chunks(unit).filter_map(|bytes| std::str::from_utf8(bytes).ok()) {
        let _ = writeln!(
            out,
            "{{\"type\":\"message_update\",\"assistantMessageEvent\":{{\"type\":\"toolcall_delta\",\"contentIndex\":0,\"delta\":{}}}}}",
            json(piece)
        );
    }
    let call = format!("{{\"type\":\"toolCall\",\"id\":\"c\",\"name\":\"{tool}\",\"arguments\":{arguments}}}");
    let _ = write!(
        out,
        "{{\"type\":\"message_update\",\"assistantMessageEvent\":{{\"type\":\"toolcall_end\",\"contentIndex\":0,\"toolCall\":{call}}}}}\n\
         {{\"type\":\"message_end\",\"message\":{{\"role\":\"assistant\",\"content\":[{call}],\"stopReason\":\"toolUse\",\"timestamp\":1}}}}\n\
         {{\"type\":\"turn_end\"}}\n"
    );
    out.into_bytes()
}

/// What a reader needs of a line at least.
#[derive(Deserialize)]
struct Typed<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(rename = "assistantMessageEvent", borrow)]
    update: Option<TypedUpdate<'a>>,
}

#[derive(Deserialize)]
struct TypedUpdate<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(rename = "contentIndex")]
    index: usize,
    #[serde(borrow)]
    delta: Option<Cow<'a, str>>,
}

/// The yardstick: every line into the fields that count.
fn typed(mut bytes: &[u8]) -> usize {
    let (mut line, mut sum) = (Vec::new(), 0);
    while bytes.read_until(b'\n', &mut line).expect("memory") > 0 {
        let read: Typed<'_> = serde_json::from_slice(&line).expect("an event");
        sum += read.kind.len();
        if let Some(update) = read.update {
            sum += update.kind.len() + update.index + update.delta.map_or(0, |delta| delta.len());
        }
        line.clear();
    }
    sum
}

fn play(plan: &Plan, stream: &[u8]) -> usize {
    let mut events: Vec<TraceEvent> = Vec::new();
    plan.events(stream, "stream", None, &mut events).summary.deltas
}

/// A session of messages with texts and calls.
fn session_file(folder: &std::path::Path, name: &str, texts: &[&str]) -> std::path::PathBuf {
    let mut out = String::from(
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/proj\"}\n",
    );
    let mut parent = "null".to_owned();
    for (at, text) in texts.iter().enumerate() {
        let content = match at % 3 {
            0 => format!("{{\"type\":\"text\",\"text\":{}}}", json(text)),
            1 => format!(
                "{{\"type\":\"toolCall\",\"id\":\"c{at}\",\"name\":\"write\",\"arguments\":{{\"path\":\"/proj/f{at}.rs\",\"content\":{}}}}}",
                json(text)
            ),
            _ => format!(
                "{{\"type\":\"toolCall\",\"id\":\"c{at}\",\"name\":\"edit\",\"arguments\":{{\"path\":\"/proj/f{at}.rs\",\"old_string\":\"a\",\"new_string\":{}}}}}",
                json(text)
            ),
        };
        let _ = writeln!(
            out,
            "{{\"type\":\"message\",\"id\":\"{at:08x}\",\"parentId\":{parent},\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"message\":{{\"role\":\"assistant\",\"content\":[{content}],\"stopReason\":\"stop\",\"timestamp\":{at}}}}}"
        );
        parent = format!("\"{at:08x}\"");
    }
    let path = folder.join(name);
    std::fs::write(&path, out).expect("written");
    path
}

fn play_session(plan: &Plan, path: &std::path::Path) -> usize {
    let session = Session::open(path, "s.jsonl", ReadMode::Tolerant).expect("a session");
    let mut events: Vec<TraceEvent> = Vec::new();
    let leaf = session.leaf();
    plan.session(std::rc::Rc::new(session), leaf, "s.jsonl", &mut events).summary.deltas
}

fn set(count: usize) -> Arc<PatternSet> {
    let patterns = conditions(count).map(|source| pattern(&source));
    Arc::new(PatternSet::new(patterns.collect()))
}

fn pattern(source: &str) -> Pattern {
    Pattern::compile(&JsString::from(source), CompileOptions::default()).expect("a pattern")
}

/// Reads a text in deltas and gives the last verdicts.
fn scan(scanner: &mut Scanner, text: &[u16], delta: usize) -> Vec<(usize, Verdict)> {
    let mut buffer = Buffer::new();
    let mut verdicts = Vec::new();
    for piece in text.chunks(delta) {
        scanner.append(&mut buffer, piece);
        verdicts = scanner.verdicts(&mut buffer);
    }
    verdicts
}

/// The rules with back-references that hold the limits of P3.
const REFERENCES: [(&str, &str); 5] = [
    ("repeated block", r"(?:^|\n)(?<dup>[^\n]{20,}\n[^\n]{16,}\n[^\n]{16,})[\s\S]{1,4000}?\n\k<dup>"),
    ("repeated word", r"\b(\w+)\s+\1\b"),
    ("quoted text", r#"(["'])(?:(?!\1).)*\1X"#),
    ("look-behind", r"(?<=(\w{4,})\s)\1"),
    ("repeated line", r"(?m)^(.{10,})$[\s\S]*^\1$"),
];

fn streams(table: &mut Table, units: usize) {
    let text = code(units);
    let (ten, many) = (plan(10), plan(500));
    let slim = stream(&text, 12, false);
    table.ratio(
        "slim stream, 12-unit deltas, 10 rules ÷ typed",
        &Limit::Most(1.5),
        || play(&ten, &slim),
        || typed(&slim),
    );
    table.ratio("the same, 500 rules ÷ typed", &Limit::Most(2.0), || play(&many, &slim), || typed(&slim));
    let single = stream(&text[..units / 4], 1, false);
    table.ratio("1-unit deltas ÷ typed", &Limit::Most(1.3), || play(&ten, &single), || typed(&single));
    let full = stream(&text[..units / 4], 12, true);
    table.ratio("full form ÷ typed", &Limit::Most(1.2), || play(&ten, &full), || typed(&full));
}

fn library(table: &mut Table, units: usize) {
    let text: Vec<u16> = code(units).encode_utf16().collect();
    let mut warm = Scanner::new(set(10));
    let mut other = Scanner::new(set(10));
    table.ratio(
        "library: 1-unit deltas ÷ 4 KB deltas",
        &Limit::Most(2.5),
        || scan(&mut warm, &text, 1),
        || scan(&mut other, &text, 4096),
    );
    let (one, many) = (set(1), set(500));
    table.ratio(
        "library: speed of 500 rules cold ÷ 1 rule cold, 12-unit deltas",
        &Limit::Least(0.05),
        || scan(&mut Scanner::new(Arc::clone(&one)), &text, 12),
        || scan(&mut Scanner::new(Arc::clone(&many)), &text, 12),
    );
}

fn sessions(table: &mut Table, folder: &std::path::Path, units: usize) {
    let text = code(units);
    let pieces: Vec<&str> = text.as_bytes().chunks(3000).filter_map(|bytes| std::str::from_utf8(bytes).ok()).collect();
    let whole = session_file(folder, "session.jsonl", &pieces);
    let small: Vec<_> =
        pieces.chunks(6).enumerate().map(|(at, texts)| session_file(folder, &format!("c{at}.jsonl"), texts)).collect();
    let cut = plan(10);
    let block = Plan { chunk: ChunkMode::Block, ..plan(10) };
    table.ratio(
        "session at chars:4 ÷ block",
        &Limit::Most(3.0),
        || play_session(&cut, &whole),
        || play_session(&block, &whole),
    );
    let corpus = |plan: &Plan| small.iter().map(|path| play_session(plan, path)).sum::<usize>();
    table.ratio("corpus at chars:4 ÷ block", &Limit::Most(2.5), || corpus(&cut), || corpus(&block));
    let many = plan(500);
    table.ratio("corpus, 500 rules ÷ 10 rules", &Limit::Most(1.3), || corpus(&many), || corpus(&cut));
    let settings = Settings::default();
    let semantics = Lifecycle::V3.semantics();
    let inspect = || {
        let session = Session::open(&whole, "s.jsonl", ReadMode::Tolerant).expect("a session");
        audit(&session, &AuditOptions::new(&settings, &semantics)).expect("a report").findings.len()
    };
    let bytes = std::fs::read(&whole).expect("read");
    table.ratio("inspect-session ÷ typed", &Limit::Most(1.7), inspect, || typed(&bytes));
}

fn counted(table: &mut Table, folder: &std::path::Path, units: usize, megabytes: f64) {
    let ten = plan(10);
    let text = code(units);
    let per_delta = |stream: &dyn Fn(usize) -> Vec<u8>| {
        // The message's own share is the same in both.
        let (fine, coarse) = (stream(6), stream(12));
        play(&ten, &fine);
        let (mut deltas, mut more) = (0, 0);
        let fine = allocation_counter::measure(|| deltas = play(&ten, &fine));
        let coarse = allocation_counter::measure(|| more = play(&ten, &coarse));
        (fine.count_total as f64 - coarse.count_total as f64) / (deltas - more) as f64
    };
    let prose = per_delta(&|unit| stream(&text[..units / 20], unit, false));
    table.line("allocations per prose delta", &Limit::Most(1.0), &[prose], "");
    let content = json(&text[..units / 20]);
    let most = ["write", "edit", "bash"]
        .map(|tool| {
            let arguments = match tool {
                "write" => format!("{{\"path\":\"/proj/a.rs\",\"content\":{content}}}"),
                "edit" => format!("{{\"path\":\"/proj/a.rs\",\"old_string\":\"x\",\"new_string\":{content}}}"),
                _ => format!("{{\"command\":{content}}}"),
            };
            per_delta(&|unit| call_stream(tool, &arguments, unit))
        })
        .into_iter()
        .fold(0.0, f64::max);
    table.line("allocations per delta of a call, the worst of three tools", &Limit::Most(4.0), &[most], "");
    let long = code((megabytes * 1e6) as usize);
    let streamed = folder.join("long.jsonl");
    std::fs::write(&streamed, stream(&long, 12, false)).expect("written");
    let recorded = session_file(folder, "long-session.jsonl", &[&long]);
    let rules = rules_folder(folder, 10);
    for (path, kind, bar) in [(streamed, "stream", 100.0), (recorded, "session", 80.0)] {
        let peak = peak_memory(&["replay", "--rules", &rules, &path.to_string_lossy()]);
        let name = format!("memory of one message of {megabytes} MB, {kind}");
        table.line(&name, &Limit::Most(bar), &[peak], "MB");
    }
}

/// The most memory that the program held, in MB, as far as the system tells (Linux).
fn peak_memory(arguments: &[&str]) -> f64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ttsr"));
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("started");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0_f64;
    while child.try_wait().expect("waited").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        peak = peak.max(line.and_then(|kib| kib.parse::<f64>().ok()).unwrap_or_default() / 1024.0);
        std::thread::sleep(Duration::from_millis(1));
    }
    peak
}

/// A folder with so many rules.
fn rules_folder(folder: &std::path::Path, count: usize) -> String {
    let place = folder.join(format!("rules{count}"));
    std::fs::create_dir_all(&place).expect("a folder");
    for (at, condition) in conditions(count).enumerate() {
        let text = format!("---\ndescription: d\ncondition: {}\n---\nNo.\n", json(&condition));
        std::fs::write(place.join(format!("r{at}.md")), text).expect("written");
    }
    place.to_string_lossy().into_owned()
}

fn references(table: &mut Table, units: usize) {
    let text: Vec<u16> = code(units).encode_utf16().collect();
    let half = &text[..units / 2];
    for (name, source) in REFERENCES {
        let set = Arc::new(PatternSet::new(vec![pattern(source)]));
        let undecided = scan(&mut Scanner::new(Arc::clone(&set)), &text, usize::MAX)
            .iter()
            .chain(&scan(&mut Scanner::new(Arc::clone(&set)), &text, 4))
            .filter(|(_, verdict)| *verdict == Verdict::Undecided)
            .count();
        table.line(
            &format!("{name}: undecided, whole and in 4-unit deltas"),
            &Limit::Most(0.0),
            &[undecided as f64],
            "",
        );
        table.ratio(
            &format!("{name}: twice the text in 4-unit deltas"),
            &Limit::Most(2.3),
            || scan(&mut Scanner::new(Arc::clone(&set)), &text, 4),
            || scan(&mut Scanner::new(Arc::clone(&set)), half, 4),
        );
    }
}

/// The arguments of a call of each form, with about so much text.
fn forms(length: usize) -> Vec<(&'static str, &'static str, String)> {
    let lines = code(length);
    let plus: String = lines.lines().map(|line| format!("+{line}\n")).collect();
    let path = "\"path\":\"a.rs\"";
    let input = |text: String| format!("{{\"input\":{}}}", json(&text));
    vec![
        ("write", "write", format!("{{{path},\"content\":{}}}", json(&lines))),
        ("replace", "edit", format!("{{{path},\"old_string\":\"x\",\"new_string\":{}}}", json(&lines))),
        ("patch", "edit", format!("{{{path},\"edits\":[{{\"op\":\"update\",\"diff\":{}}}]}}", json(&plus))),
        ("hashline", "edit", input(format!("[a.rs#A1B2]\nPUT 1.=1:\n{plus}"))),
        ("apply_patch, update", "edit", input(format!("*** Begin Patch\n*** Update File: a.rs\n@@\n{plus}"))),
        ("apply_patch, add", "edit", input(format!("*** Begin Patch\n*** Add File: a.rs\n{plus}"))),
        ("sloppy", "edit", input(format!("<SM:EDIT path=\"a.rs\">\n<SM:FIND>\nx\n<SM:PUT>\n{lines}"))),
        ("another tool", "bash", format!("{{\"command\":{}}}", json(&lines))),
    ]
}

fn calls(table: &mut Table, units: usize) {
    for lifecycle in [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3, Lifecycle::V4] {
        let plan = plan_of(lifecycle, conditions(10).map(fields).collect());
        let pairs = forms(units).into_iter().zip(forms(units / 2));
        for ((name, tool, large), (_, _, small)) in pairs {
            let (large, small) = (call_stream(tool, &large, 8), call_stream(tool, &small, 8));
            table.ratio(
                &format!("{}, {name}: twice the arguments", lifecycle.as_str()),
                &Limit::Most(2.3),
                || play(&plan, &large),
                || play(&plan, &small),
            );
        }
    }
}

fn structural(table: &mut Table, units: usize) {
    let rules = ["console.log($A)", "foo($A, $B)", "let $X = bar($Y)"].map(|source| Fields {
        condition: None,
        ast_condition: Some(vec![source.into()]),
        ..fields(String::new())
    });
    let mut plan = plan_of(Lifecycle::V2, rules.to_vec());
    plan.settings.interrupt_mode = InterruptMode::Never;
    let written =
        |text: &str| call_stream("write", &format!("{{\"path\":\"/proj/a.ts\",\"content\":{}}}", json(text)), 12);
    // Words of the patterns, so that the text is parsed at each delta.
    let real: String = (0..).map(|at| format!("const a{at} = foo{at}(b, bar, console);\n")).take(units / 40).collect();
    let errors: String = (0..).map(|at| format!("foo ) {{{{ bar [ = {at} console }} ( \n")).take(units / 30).collect();
    let length = real.len().min(errors.len());
    let (real, errors) = (written(&real[..length]), written(&errors[..length]));
    let name = "structural rules, v2: text of errors ÷ real text";
    table.ratio(name, &Limit::Most(3.0), || play(&plan, &errors), || play(&plan, &real));
}

fn start_up(table: &mut Table, folder: &std::path::Path, rules: usize) {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ttsr"));
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().expect("started");
    };
    let times: Vec<f64> = (0..table.rounds).map(|_| timed(&mut || run(&["--version"])).as_secs_f64() * 1e3).collect();
    table.line("start-up of `--version`", &Limit::Most(3.0), &times, "ms");
    let (one, many) = (rules_folder(folder, 1), rules_folder(folder, rules));
    let replay = |rules: &str| elapsed(|| run(&["replay", "--rules", rules, "--text", "a"])).as_secs_f64();
    let ratios: Vec<f64> = (0..table.rounds)
        .map(|_| {
            let pairs: Vec<(f64, f64)> = (0..3).map(|_| (replay(&many), replay(&one))).collect();
            let least = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).fold(f64::INFINITY, f64::min);
            least(|pair| pair.0) / least(|pair| pair.1)
        })
        .collect();
    table.line(&format!("start-up of a replay, {rules} rules ÷ 1 rule"), &Limit::Most(5.0), &ratios, "");
}

fn main() {
    let short = std::env::args().any(|argument| argument == "--test");
    let scale = |units: usize| if short { units / 100 } else { units };
    let mut table = Table { rounds: if short { 1 } else { ROUNDS }, missed: 0, undecided: 0 };
    let folder = tempfile::tempdir().expect("a folder");
    println!("| limit | least | most | bar | verdict |\n|---|---|---|---|---|");
    streams(&mut table, scale(2_000_000));
    library(&mut table, scale(2_000_000));
    sessions(&mut table, folder.path(), scale(1_500_000));
    counted(&mut table, folder.path(), scale(2_000_000), if short { 0.1 } else { 10.0 });
    references(&mut table, scale(50_000));
    calls(&mut table, scale(400_000));
    structural(&mut table, scale(20_000));
    start_up(&mut table, folder.path(), if short { 5 } else { 500 });
    println!("\n{} missed, {} undecided", table.missed, table.undecided);
}
