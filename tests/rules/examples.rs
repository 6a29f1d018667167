//! Verdict samples in rule files: what `check-rules --examples` makes of them.

use std::fs;

use ttsr::generation::Lifecycle;
use ttsr::message::Source;
use ttsr::replay::trace::{TraceEvent, TraceKind};
use ttsr::replay::{Example, Examples, Plan, TextInput, run_examples};
use ttsr::rule::{Expected, Rule, RuleFile, RuleSet};
use ttsr::settings::Settings;
use ttsr::text::JsString;
use ttsr::text::json::{self, Value};

use crate::support::program::ttsr;

fn register(frontmatter: &str, settings: &Settings, lifecycle: Lifecycle) -> RuleSet {
    let semantics = lifecycle.semantics();
    let text = format!("---\n{frontmatter}\n---\nB");
    let file = RuleFile::read("r.md", text.into_bytes(), &semantics);
    let rule = Rule::from_file("r.md", "/p/r.md".into(), file, &semantics);
    RuleSet::register([rule], settings, &semantics, Some(&"main".into()))
}

fn run(frontmatter: &str, lifecycle: Lifecycle, required: bool) -> Examples {
    let settings = Settings::default();
    run_examples(&register(frontmatter, &settings, lifecycle), &settings, &lifecycle.semantics(), required)
}

/// A result in a line: what happened, where, and which conditions match.
fn line(result: &Example) -> String {
    let early = if result.premature { " early" } else { "" };
    let at = result
        .at
        .as_ref()
        .map_or(String::new(), |at| if at.at_end { " at the end".to_owned() } else { format!(" at {}", at.units) });
    let by: Vec<String> = result.conditions.iter().map(|one| one.text().to_string_lossy()).collect();
    let by = if by.is_empty() { String::new() } else { format!(" by {}", by.join(" ")) };
    format!("{}{early}{at}{by}", result.verdict.as_str())
}

fn lines(frontmatter: &str, lifecycle: Lifecycle) -> Vec<String> {
    run(frontmatter, lifecycle, false).results.iter().map(line).collect()
}

fn codes(examples: &Examples) -> Vec<&'static str> {
    examples.diagnostics.iter().map(|finding| finding.code.name()).collect()
}

#[test]
fn a_verdict_is_told_with_place_and_conditions() {
    let fires = |condition: &str, sample: &str, lifecycle| {
        lines(&format!("{condition}\nexamples:\n  fires:\n    - {sample}"), lifecycle).join("; ")
    };
    for (condition, sample, v2, v3) in [
        ("condition: foo", "a foo b", "fired at 5 by foo", "fired at 5 by foo"),
        ("condition: foo", "bar", "silent", "silent"),
        ("condition: foo$", "foo", "fired at 3 by foo$", "fired at 3 by foo$"),
        ("condition: foo$", "food", "fired early at 3 by foo$", "fired early at 3 by foo$"),
        ("condition: [oo, fo, bar]", "foo bar", "fired at 2 by oo fo bar", "fired at 2 by oo fo bar"),
        ("condition: foo\nscope: tool", "foo", "silent", "silent"),
        ("condition: foo\nscope: thinking", "{source: thinking, text: foo}", "fired at 3 by foo", "fired at 3 by foo"),
        ("condition: foo", "{path: a.ts, text: foo}", "fired at 29 by foo", "fired at 29 by foo"),
        ("condition: foo\nglobs: '*.rs'", "{path: a.ts, text: foo}", "silent", "silent"),
        ("condition: foo\nglobs: '*.rs'", "{path: a.rs, text: foo}", "fired at 29 by foo", "fired at 29 by foo"),
        // The first letters of an extension are an extension too.
        ("condition: foo\nscope: tool(*.c)", "{path: a.cpp, text: foo}", "silent", "silent"),
        (
            "condition: '.'\nscope: tool(*.c)",
            "{path: a.cpp, text: foo}",
            "fired early at 12 by .",
            "fired early at 12 by .",
        ),
        ("condition: '*.rs'", "{tool: edit, path: a.rs, text: x}", "fired at 13 by .*", "fired at 13 by .*"),
        ("condition: ^foo$", "{tool: edit, path: a.rs, text: foo}", "fired at 48 by ^foo$", "fired at 48 by ^foo$"),
        ("condition: 'rm -rf'", "{tool: bash, text: rm -rf x}", "fired at 18 by rm -rf", "fired at 18 by rm -rf"),
        ("astCondition: f($A)", "{path: a.ts, text: f(1)}", "fired at 30 by f($A)", "fired at the end by f($A)"),
        ("astCondition: f($A)", "f(1)", "silent", "silent"),
        ("astCondition: f($A)", "{tool: bash, text: f(1)}", "silent", "silent"),
        (
            "condition: g\nastCondition: g($A)",
            "{path: a.ts, text: g(1)}",
            "fired at 27 by g g($A)",
            "fired at 27 by g g($A)",
        ),
        ("astCondition: f($A)", "{path: a.just, text: f(1)}", "undecided", "undecided"),
    ] {
        assert_eq!(fires(condition, sample, Lifecycle::V2), v2, "v2: {condition} on {sample}");
        assert_eq!(fires(condition, sample, Lifecycle::V3), v3, "v3: {condition} on {sample}");
    }
    let early = "ttsr_trigger: foo";
    assert_eq!(fires(early, "foo", Lifecycle::V1), "fired at 3 by foo");
    assert_eq!(fires(early, "{source: thinking, text: foo}", Lifecycle::V1), "silent");
    assert_eq!(fires(early, "{path: a.ts, text: foo}", Lifecycle::V1), "fired at 29 by foo");
    assert_eq!(fires("condition: foo", "foo", Lifecycle::V1), "not-run");
}

#[test]
fn each_failure_has_its_finding_at_the_sample() {
    let frontmatter = "condition: ['foo$', bar]\nexamples:\n  fires: [foo, food, none]\n  silent: [a, food, bar]";
    let examples = run(frontmatter, Lifecycle::V3, false);
    let found: Vec<(&str, usize)> = examples
        .diagnostics
        .iter()
        .map(|finding| (finding.code.name(), finding.place.as_ref().map_or(0, |place| place.start.column)))
        .collect();
    let wanted = [
        ("premature-example", 16),
        ("example-did-not-fire", 22),
        ("premature-example", 15),
        ("example-fired", 21),
        ("untested-condition", 21),
    ];
    assert_eq!(found, wanted);
    assert!(examples.diagnostics.iter().all(|finding| finding.help.is_some() && finding.snippet.is_some()));
    let passed: Vec<bool> = examples.results.iter().map(Example::passed).collect();
    assert_eq!(passed, [true, false, false, true, false, false]);
}

/// Whether `replay --text` fires the only rule of the set.
fn replayed(set: &RuleSet, lifecycle: Lifecycle, input: &TextInput) -> bool {
    let plan = Plan::new(set.compiled.clone(), Settings::default(), lifecycle.semantics());
    let mut events: Vec<TraceEvent> = Vec::new();
    plan.text(input, "t", "text", None, &mut events);
    events.iter().any(|event| matches!(event.kind, TraceKind::Trigger(_)))
}

#[test]
fn whole_and_beginnings_are_decided_as_replay_decides_them() {
    let conditions = [
        "'foo'",
        "'foo$'",
        "'\\bfoo\\b'",
        "'^$|x$'",
        "'(o)\\1(?!d)'",
        "'(?<!a)foo(?=\\W|$)'",
        "'[^a-z]+$'",
        "'.'",
        "'\\uD83D'",
        "'\\uD83D$'",
    ];
    let texts = ["foo", "food fo", "afoo foo.", "", "x\nxy", "😀foo😀", "no"];
    let calls = ["", "source: thinking, ", "path: a.ts, ", "tool: edit, path: a.ts, ", "tool: bash, "];
    for lifecycle in [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3] {
        for condition in conditions {
            let key = if lifecycle == Lifecycle::V1 { "ttsr_trigger" } else { "condition" };
            let mut frontmatter = format!("{key}: {condition}\nscope: text, thinking, tool\nexamples:\n  fires:");
            for text in texts {
                let text = Value::from(text).to_json();
                calls.iter().for_each(|call| frontmatter.push_str(&format!("\n    - {{{call}text: {text}}}")));
            }
            let set = register(&frontmatter, &Settings::default(), lifecycle);
            let examples = run(&frontmatter, lifecycle, false);
            assert_eq!(examples.results.len(), texts.len() * calls.len(), "{:?}", examples.diagnostics);
            for result in examples.results {
                let sample = &result.sample;
                let input = |text: &[u16]| TextInput {
                    source: sample.source,
                    tool: sample.tool.clone().unwrap_or_default(),
                    path: sample.path.clone(),
                    text: JsString::from_units(text),
                };
                let what = format!("{lifecycle:?} {condition} {sample:?}");
                let whole = replayed(&set, lifecycle, &input(sample.text.units()));
                assert_eq!(result.passed(), whole, "{what}");
                if sample.source == Source::Tool {
                    continue;
                }
                let text = sample.text.to_string_lossy();
                let ends = text.char_indices().map(|(at, one)| &text[..at + one.len_utf8()]);
                let mut prefixes = ends.map(|prefix| prefix.encode_utf16().collect::<Vec<u16>>());
                let first = prefixes.find(|prefix| replayed(&set, lifecycle, &input(prefix)));
                assert_eq!(result.at.map(|at| at.units), first.map(|prefix| prefix.len()), "{what}");
            }
        }
    }
}

#[test]
fn a_call_streams_as_a_recorded_one_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let session = folder.path().join("s.jsonl");
    let call = "{\"type\":\"toolCall\",\"id\":\"c\",\"name\":\"write\",\"arguments\":{\"path\":\"src/a.cpp\",\"content\":\"food\"}}";
    let text = format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/project\"}}\n{{\"type\":\"message\",\"id\":\"1\",\"parentId\":null,\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"message\":{{\"role\":\"assistant\",\"content\":[{call}],\"stopReason\":\"toolUse\"}}}}\n"
    );
    fs::write(&session, text).expect("a session");
    for condition in ["'foo$'", "'content'", "'.'\nscope: tool(*.c)", "'foo'", "'food'\nglobs: 'src/*.c*'"] {
        let frontmatter = format!("condition: {condition}");
        let rule = folder.path().join("r.md");
        fs::write(&rule, format!("---\n{frontmatter}\n---\nB")).expect("a rule");
        for (name, lifecycle) in [("v2", Lifecycle::V2), ("v3", Lifecycle::V3)] {
            let arguments = ["--chunk", "chars:1", "--format", "jsonl", "--arguments", "eager", "--lifecycle", name];
            let arguments = arguments.into_iter().chain(["--rules"]);
            let files = [session.to_str().expect("UTF-8"), rule.to_str().expect("UTF-8")];
            let outcome = ttsr(["replay", files[0]].into_iter().chain(arguments).chain([files[1]]));
            let trigger = outcome.out.lines().find(|line| line.contains("\"kind\":\"trigger\"")).expect("a trigger");
            let trigger = json::parse(trigger).expect("JSON");
            let delta = trigger.get("at").and_then(|at| at.get("delta")).and_then(Value::as_f64).expect("a delta");
            let sample = "examples: {fires: [{path: src/a.cpp, text: food}]}";
            let examples = run(&format!("{frontmatter}\n{sample}"), lifecycle, false);
            let at = examples.results[0].at.as_ref().expect("it fires");
            assert_eq!(at.units as f64, delta + 1.0, "{condition} in {name}");
        }
    }
}

#[test]
fn a_pair_of_surrogates_is_never_cut() {
    let examples = run("condition: '\\uD83D$'\nexamples: {silent: ['a😀b']}", Lifecycle::V3, false);
    assert!(examples.results[0].passed(), "{examples:?}");
    let text = "😀".repeat(50);
    let examples = run(&format!("condition: 'x$'\nexamples: {{silent: ['{text}xy']}}"), Lifecycle::V3, false);
    let at = examples.results[0].at.as_ref().expect("it fires");
    assert_eq!((at.units, at.after.to_utf8()), (101, Some(format!("{}x", "😀".repeat(19)))));
}

#[test]
fn a_rule_that_is_not_registered_passes_nothing() {
    let disabled = Settings { disabled_rules: vec!["r".into()], ..Settings::default() };
    let off = Settings { enabled: false, ..Settings::default() };
    for (frontmatter, settings, why) in [
        ("condition: foo", &disabled, "named in `ttsr.disabledRules`"),
        ("condition: foo", &off, "`ttsr.enabled` is off"),
        ("condition: foo\nagents: task", &Settings::default(), "not for the agent `main`"),
        ("condition: foo\nenabled: false", &Settings::default(), "switched off by `enabled: false`"),
        ("condition: '('", &Settings::default(), "its condition does not compile"),
        ("description: d", &Settings::default(), "no condition"),
    ] {
        let set =
            register(&format!("{frontmatter}\nexamples: {{fires: [foo], silent: [bar]}}"), settings, Lifecycle::V3);
        let examples = run_examples(&set, settings, &Lifecycle::V3.semantics(), true);
        assert_eq!(codes(&examples), ["example-not-run"], "{frontmatter}");
        assert!(examples.results.iter().all(|result| !result.passed() && result.why.as_deref() == Some(why)), "{why}");
        assert_eq!(examples.results.len(), 2);
    }
}

#[test]
fn required_samples_are_asked_of_registered_rules_only() {
    for (frontmatter, wanted) in [
        ("condition: foo", &["missing-examples"][..]),
        ("condition: foo\nexamples:", &["missing-examples"]),
        ("condition: foo\nexamples: {fires: [], silent: []}", &["missing-examples"]),
        ("condition: foo\nexamples: {silent: [bar]}", &["missing-examples"]),
        ("condition: foo\nexamples: {fires: [{text: foo, sauce: tool}]}", &["missing-examples"]),
        ("condition: foo\nexamples: {fires: [foo]}", &[]),
        ("condition: [foo, bar]\nexamples: {fires: [foo]}", &["untested-condition"]),
        ("description: d\nalwaysApply: true", &[]),
    ] {
        assert_eq!(codes(&run(frontmatter, Lifecycle::V3, true)), wanted, "{frontmatter}");
    }
    for (required, severity) in [(false, "note"), (true, "warning")] {
        let found = run("condition: [a, b]\nexamples: {fires: [a]}", Lifecycle::V3, required).diagnostics;
        assert_eq!(found[0].severity.as_str(), severity);
    }
    assert_eq!(codes(&run("condition: foo\nexamples: {fires: [], silent: []}", Lifecycle::V3, false)), [""; 0]);
}

#[test]
fn a_condition_that_only_a_silent_sample_fires_is_untested() {
    let frontmatter = "condition: ['*.rs', a, 'b']\nastCondition: ['f($A)', 'g($A)']\nexamples:\n  fires: [{path: x.rs, text: 'a'}, {path: x.ts, text: 'f(1)'}]\n  silent: [b]";
    let examples = run(frontmatter, Lifecycle::V3, false);
    let untested: Vec<&str> = examples
        .diagnostics
        .iter()
        .filter(|finding| finding.code.name() == "untested-condition")
        .map(|finding| finding.message.as_str())
        .collect();
    let (b, g, f) = ("the condition `b`", "the structural pattern `g($A)`", "the structural pattern `f($A)`");
    // The scope that the glob adds leaves no call to x.ts in.
    let wanted = [b, f, g].map(|what| format!("no sample under `fires` makes {what} match"));
    assert_eq!(untested, wanted);
    let globs = run("condition: '*.rs'\nexamples: {fires: [{path: a.ts, text: x}]}", Lifecycle::V3, false);
    assert!(globs.diagnostics.iter().any(|finding| finding.message.contains("the file glob `*.rs`")), "{globs:?}");
}

#[test]
fn long_samples_are_decided_or_said_to_be_undecided() {
    let text = "const total = add(first, second); ".repeat(3_000);
    let frontmatter = |condition: &str, call: &str| {
        format!("condition: {condition}\nexamples:\n  silent: [{{{call}text: '{text}'}}]")
    };
    for call in ["", "path: a.ts, ", "tool: edit, path: a.ts, ", "tool: bash, "] {
        assert_eq!(lines(&frontmatter("'\\bas any\\b'", call), Lifecycle::V3), ["silent"], "{call}");
    }
    // Each beginning needs a search of its own: that is given up, and never passed off as silence.
    assert_eq!(lines(&frontmatter("'(\\w+)t\\1'", ""), Lifecycle::V3), ["silent"]);
    let examples = run(&frontmatter("'(\\w[\\s\\S]*)\\)\\1'", ""), Lifecycle::V3, false);
    assert_eq!(codes(&examples), ["undecided-example", "untested-condition"]);
    assert!(!examples.results[0].passed());
}

#[test]
fn line_ends_of_the_file_are_no_part_of_a_sample() {
    let text =
        "condition: 'a\\r?\\nb'\r\nexamples:\r\n  fires:\r\n    - |\r\n      a\r\n      b\r\n    - \"a\\r\\nb\"\r\n";
    let examples = run(text, Lifecycle::V3, false);
    let texts: Vec<String> = examples.results.iter().map(|result| result.sample.text.to_string_lossy()).collect();
    assert_eq!(texts, ["a\nb\n", "a\r\nb"]);
    assert!(examples.results.iter().all(Example::passed), "{examples:?}");
    assert!(examples.results.iter().all(|result| result.sample.expected == Expected::Fires));
    // A block begins where its text does.
    assert_eq!(examples.results.iter().map(|result| result.line).collect::<Vec<_>>(), [6, 8]);
}

/// What the program says of a folder that holds one rule.
fn check(rule: &str, arguments: &[&str]) -> (u8, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("r.md"), rule).expect("a rule");
    let path = folder.path().to_str().expect("UTF-8").to_owned();
    let outcome = ttsr(["check-rules", path.as_str()].into_iter().chain(arguments.iter().copied()));
    (outcome.status, outcome.out.replace(&path, "."))
}

#[test]
fn the_program_runs_samples_only_when_asked() {
    let rule = "---\ncondition: foo\nexamples:\n  fires: [foo, \"bar\\e[31m\"]\n  silent: [baz]\n---\nB";
    let examples = |arguments: &[&str]| {
        let (status, out) = check(rule, &[&["--format", "json"], arguments].concat());
        (status, json::parse(&out).expect("JSON").get("examples").cloned())
    };
    assert_eq!(examples(&[]), (0, None));
    let (status, found) = examples(&["--examples"]);
    let found = found.expect("the member");
    let number = |name: &str| found.get(name).and_then(Value::as_f64).expect("a number") as usize;
    assert_eq!((status, number("samples"), number("passed"), number("failed"), number("not_run")), (1, 3, 2, 1, 0));
    assert!(examples(&["--examples-required"]).1.is_some());
    assert_eq!(examples(&["--examples", "--warn", "example-did-not-fire"]).0, 0);
    assert_eq!(examples(&["--examples", "--exit-zero"]).0, 0);
    for format in ["sarif", "github", "junit"] {
        let (status, out) = check(rule, &["--examples", "--format", format]);
        assert!(status == 1 && out.contains("TTSR051"), "{format}: {out}");
    }
    let (status, out) = check(rule, &["--examples"]);
    assert_eq!(status, 1);
    assert!(out.contains("3 samples of 1 rule: 2 as expected, 1 not"), "{out}");
    assert!(out.contains("4: text: bar\\u{1b}[31m") && !out.contains('\u{1b}'), "{out}");
    let (status, out) = check("---\ncondition: foo\n---\nB", &["--examples"]);
    assert!(status == 0 && out.contains("0 samples of 0 rules: 0 as expected, 0 not"), "{out}");
    let (status, out) = check("---\ncondition: foo\n---\nB", &["--examples-required"]);
    assert!(status == 1 && out.contains("missing-examples"), "{out}");
}

#[test]
fn a_malformed_sample_is_reported_without_running_any() {
    for (lifecycle, key) in [("v1", "ttsr_trigger"), ("v2", "condition"), ("v3", "condition")] {
        let rule = format!("---\n{key}: foo\nexamples: {{fires: [7]}}\n---\nB");
        let (status, out) = check(&rule, &["--lifecycle", lifecycle]);
        assert!(status == 1 && out.contains("invalid-example"), "{lifecycle}: {out}");
    }
}

#[test]
fn the_json_form_is_valid_against_the_schema() {
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    let schema = parse(&ttsr(["check-rules", "--schema"]).out);
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let codes = ["example-did-not-fire", "example-fired", "premature-example", "undecided-example", "example-not-run"];
    for code in codes {
        let folder = format!("testdata/rules/{code}");
        let arguments = ["check-rules", folder.as_str(), "--examples", "--format", "json", "--lifecycle", "v3"];
        let mut document = parse(&ttsr(arguments).out);
        assert!(validator.is_valid(&document), "{code}: {document}");
        assert!(document["examples"]["results"].as_array().is_some_and(|results| results.len() >= 2), "{document}");
        document["examples"]["results"][0]["outcome"] = "perhaps".into();
        assert!(!validator.is_valid(&document), "{code}");
    }
}

/// Nobody is asked: a sample says what a judge answers, and without that the rule's decision is open (generation-v4.md
/// W6, W15.2).
#[test]
fn a_judged_rule_goes_by_the_verdict_of_the_sample() {
    let sample = |list: &str, gate: &str, sample: &str| {
        let frontmatter = format!("question: Is it?\n{gate}\nexamples:\n  {list}:\n    - {sample}");
        let examples = run(&frontmatter, Lifecycle::V4, true);
        (line(&examples.results[0]), examples.results[0].passed(), codes(&examples))
    };
    let fires = |gate: &str, text: &str| sample("fires", gate, text);
    let silent = |gate: &str, text: &str| sample("silent", gate, text);
    assert_eq!(fires("", "{text: a, verdict: yes}"), ("fired by Is it?".to_owned(), true, vec![]));
    assert_eq!(fires("condition: a", "{text: a, verdict: true}"), ("fired by Is it?".to_owned(), true, vec![]));
    for (gate, text) in [("", "{text: a, verdict: no}"), ("condition: b", "{text: a, verdict: yes}")] {
        let untested = vec!["example-did-not-fire", "untested-condition"];
        assert_eq!(fires(gate, text), ("silent".to_owned(), false, untested), "{gate}");
        assert_eq!(silent(gate, text), ("silent".to_owned(), true, vec!["missing-examples"]), "{gate}");
    }
    let undecided = vec!["undecided-example", "untested-condition"];
    assert_eq!(fires("", "a"), ("undecided".to_owned(), false, undecided));
    assert_eq!(silent("", "a"), ("undecided".to_owned(), false, vec!["undecided-example", "missing-examples"]));
    // An earlier generation matches the condition.
    let earlier = lines("question: q\ncondition: a\nexamples: {fires: [{text: a, verdict: no}]}", Lifecycle::V3);
    assert_eq!(earlier, ["fired at 1 by a"]);
    for frontmatter in [
        "condition: a\nexamples: {fires: [{text: a, verdict: yes}]}",
        "question: q\nexamples: {fires: [{text: a, verdict: 1}]}",
    ] {
        assert_eq!(lines(frontmatter, Lifecycle::V4), [""; 0], "{frontmatter}");
    }
}
