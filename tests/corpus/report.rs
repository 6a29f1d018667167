//! The report over many inputs: the same bytes however they are shared, and what it says.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::program::{Outcome, surroundings, ttsr, ttsr_auto, ttsr_with};
use crate::support::project;

/// A folder in which sessions and rules are made.
struct Made(tempfile::TempDir);

impl Made {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("in")).expect("a folder");
        fs::create_dir(folder.path().join("rules")).expect("a folder");
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn shown(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    fn rule(&self, name: &str, frontmatter: &str) -> &Self {
        let text = format!("---\ndescription: x\n{frontmatter}\n---\nDo not.\n");
        fs::write(self.path("rules").join(format!("{name}.md")), text).expect("a rule");
        self
    }

    /// A session of prompts (`> …`), messages of the model, and injections (`! rule`).
    fn session(&self, name: &str, story: &[&str]) -> &Self {
        let header =
            json!({"type": "session", "version": 3, "id": name, "timestamp": "2026-01-02T12:00:00.000Z", "cwd": "/p"});
        let mut lines = vec![header.to_string()];
        let mut parent = Value::Null;
        for (number, said) in story.iter().enumerate() {
            let id = format!("{number:08x}");
            let own = |kind: &str| json!({"type": kind, "id": id, "parentId": parent, "timestamp": "2026-01-02T12:00:01.000Z"});
            let mut entry = own("message");
            let text = |text: &str| json!([{"type": "text", "text": text}]);
            match said.split_at(2) {
                ("> ", prompt) => entry["message"] = json!({"role": "user", "content": text(prompt)}),
                ("! ", rule) => {
                    entry = own("ttsr_injection");
                    entry["injectedRules"] = json!([rule]);
                }
                _ => {
                    entry["message"] = json!({"role": "assistant", "content": text(said), "stopReason": "stop"});
                }
            }
            parent = entry["id"].clone();
            lines.push(entry.to_string());
        }
        fs::write(self.path("in").join(name), lines.join("\n") + "\n").expect("a session");
        self
    }

    fn replay(&self, arguments: &[&str]) -> Outcome {
        let (inputs, rules) = (self.shown("in"), self.shown("rules"));
        ttsr(["replay", &inputs, "--rules", &rules].into_iter().chain(arguments.iter().copied()))
    }

    fn report(&self, arguments: &[&str]) -> Value {
        let outcome = self.replay(&[&["--format", "json"], arguments].concat());
        serde_json::from_str(&outcome.out).unwrap_or_else(|error| panic!("{error}: {}{}", outcome.out, outcome.err))
    }
}

fn rule<'a>(report: &'a Value, name: &str) -> &'a Value {
    let rules = report["rules"].as_array().expect("rules");
    rules.iter().find(|rule| rule["name"] == name).unwrap_or_else(|| panic!("no rule {name}: {report}"))
}

/// Three sessions, five rules.
fn corpus() -> Made {
    let made = Made::new();
    made.rule("foo", "condition: foo\nscope: text")
        .rule("two", "condition: [bar, never-said]\nscope: text")
        .rule("never", "condition: never-said")
        .rule("wide", "condition: 'o'\nscope: text\ninterruptMode: never")
        .rule("broken", "condition: '(x'");
    made.session("a.jsonl", &["> go", "a foo", "! foo", "done", "> more", "foo and bar"])
        .session("b.jsonl", &["> go", "a foo", "! foo", "foo again", "> more", "bar"])
        .session("c.jsonl", &["> go", "foo", "> more", "no", "! gone"]);
    made
}

#[test]
fn the_report_counts_what_matches_in_every_message_or_what_the_agent_would_have_done() {
    let made = corpus();
    let every = made.report(&[]);
    assert_eq!((&every["schema"], &every["count"]), (&json!("ttsr.report/1"), &json!("every")));
    assert_eq!((&every["messages"]["assistant"], &every["inputs"]["played"]), (&json!(8), &json!(3)));
    let foo = rule(&every, "foo");
    let counts = ["inputs", "messages", "triggers", "interrupts"].map(|key| foo[key].as_u64().expect("a count"));
    assert_eq!(counts, [3, 5, 5, 5]);
    assert_eq!(foo["per_1000_messages"], json!(625.0));
    assert_eq!(rule(&every, "wide")["triggers"], json!(7), "it observes, so that an interrupt hides nothing");
    let agent = made.report(&["--count", "agent"]);
    assert_eq!((&agent["count"], &rule(&agent, "foo")["triggers"]), (&json!("agent"), &json!(3)));
    // Aborting hides what follows a match, and is what the agent does.
    let made = Made::new();
    made.rule("first", "condition: foo\nscope: text").rule("later", "condition: again\nscope: text");
    made.session("x.jsonl", &["> go", "foo, and then again"]);
    let later = |arguments: &[&str]| {
        let report = made.report(arguments);
        (report["count"].clone(), rule(&report, "later")["triggers"].clone())
    };
    assert_eq!(later(&[]), (json!("every"), json!(1)));
    assert_eq!(later(&["--count", "agent"]), (json!("agent"), json!(1)));
    assert_eq!(later(&["--on-trigger", "abort"]), (json!("agent"), json!(0)));
}

#[test]
fn the_report_names_what_never_matches_and_what_matches_together() {
    let made = corpus();
    let report = made.report(&[]);
    assert_eq!(report["silent_rules"], json!(["never"]));
    assert_eq!(report["silent_conditions"], json!([{"rule": "two", "condition": "never-said"}]));
    assert_eq!(report["together"][0], json!({"rules": ["foo", "wide"], "messages": 5}));
    assert_eq!(rule(&report, "broken")["registered"], json!(false));
    assert!(rule(&report, "broken")["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
    assert_eq!(rule(&report, "gone")["given"], json!(false), "the recording names it, and nobody gave it");
    let sample = &rule(&report, "foo")["samples"][0];
    assert_eq!((&sample["line"], &sample["excerpt"], &sample["marked"]), (&json!(3), &json!("a foo"), &json!([2, 5])));
    let human = made.replay(&[]).out;
    for said in [
        "Never matched: 1 of 4 rules: never",
        "two: /never-said/",
        "«foo»",
        "foo and wide: 5 messages",
        "rule broken is not registered",
    ] {
        assert!(human.contains(said) || said.starts_with("two"), "{said}: {human}");
    }
}

#[test]
fn the_report_tells_whether_injections_helped() {
    let made = corpus();
    let injections = rule(&made.report(&[]), "foo")["injections"].clone();
    // Obeyed in a, repeated in b; in both it matched ever again.
    let expected = json!({"recorded": 2, "obeyed": 1, "repeated": 1, "unknown": 0, "obeyed_share": 50.0, "again": 2});
    assert_eq!(injections, expected);
    let report = made.report(&[]);
    let uninjected = &rule(&report, "foo")["uninjected"];
    assert_eq!(*uninjected, json!({"spent": 2, "not_there_yet": 0, "cut": 0, "never_named": 1}));
    assert_eq!(rule(&report, "gone")["injections"]["unknown"], json!(1));
}

/// One process, two threads, shards in any order with an empty one, and an input that cannot be read.
#[test]
fn the_report_is_the_same_however_the_inputs_are_shared() {
    let made = corpus();
    fs::write(made.path("in/bad.jsonl"), "nothing of ours\n").expect("written");
    for name in ["copy1.jsonl", "copy2.jsonl", "zz.jsonl"] {
        fs::copy(made.path("in/b.jsonl"), made.path("in").join(name)).expect("copied");
    }
    for count in ["every", "agent"] {
        let traces: Vec<String> = (1..=9)
            .map(|shard| {
                let outcome = made.replay(&["--count", count, "--shard", &format!("{shard}/9"), "--format", "jsonl"]);
                let file = made.shown(&format!("trace{shard}"));
                fs::write(&file, outcome.out).expect("written");
                file
            })
            .collect();
        assert_eq!(fs::metadata(&traces[8]).expect("a trace").len(), 0, "there are 7 inputs");
        for form in [
            &["--format", "human"][..],
            &["--format", "json"],
            &["--format", "csv"],
            &["--format", "csv", "--table", "samples"],
            &["--format", "csv", "--table", "refused"],
        ] {
            let one = made.replay(&[form, &["--count", count]].concat());
            assert_eq!(one.status, 3, "{}", one.err);
            assert_eq!(
                one.out.contains("bad.jsonl"),
                !form.contains(&"csv") || form.contains(&"refused"),
                "{}",
                one.out
            );
            let two = made.replay(&[form, &["--count", count, "--jobs", "2"]].concat());
            assert_eq!((two.status, &two.out), (one.status, &one.out), "{form:?}");
            let backwards: Vec<&str> = traces.iter().rev().map(String::as_str).collect();
            let merged = ttsr_auto([&["replay", "--merge"], form, &backwards].concat());
            assert_eq!((merged.status, &merged.out), (one.status, &one.out), "{form:?}");
        }
        let all: String = traces.iter().map(|trace| fs::read_to_string(trace).expect("a trace")).collect();
        let piped = ttsr_with(["replay", "--merge", "-", "--format", "json"], all.as_bytes(), &surroundings());
        assert_eq!(piped.out, made.replay(&["--format", "json", "--count", count]).out);
    }
}

#[test]
fn unreadable_inputs_are_failures_unless_they_are_allowed() {
    let made = corpus();
    assert_eq!(made.replay(&[]).status, 0);
    fs::write(made.path("in/bad.jsonl"), "nothing of ours\n").expect("written");
    fs::write(made.path("in/none.jsonl"), "").expect("written");
    // Status 3 hides the gate; allowed, the gate decides.
    let gate = ["--max-rate", "foo=1"];
    assert_eq!(made.replay(&gate).status, 3);
    let allowed = made.replay(&[&gate[..], &["--allow-unreadable"]].concat());
    assert_eq!(allowed.status, 1, "{}", allowed.err);
    assert!(allowed.err.contains("TTSR512") && allowed.err.contains("TTSR511"), "{}", allowed.err);
    assert_eq!(made.replay(&["--allow-unreadable"]).status, 0);
    assert_eq!(made.replay(&["--allow-unreadable", "--fail-on", "warning"]).status, 1);
    let report = made.report(&["--allow-unreadable"]);
    let refused = report["refused"].as_array().expect("a list");
    let named: Vec<_> = refused.iter().map(|one| (one["code"].clone(), one["name"].clone())).collect();
    assert_eq!(named, [(json!("TTSR512"), json!("unknown-input")), (json!("TTSR511"), json!("empty-input"))]);
    // Each run by itself says so too, in every form.
    for form in ["json", "jsonl", "csv"] {
        let each = made.replay(&["--each", "--format", form]);
        assert!(each.out.contains("TTSR512") && each.out.contains("bad.jsonl"), "{form}: {}", each.out);
        let alone = made.shown("in/none.jsonl");
        let alone = ttsr(["replay", &alone, "--rules", &made.shown("rules"), "--format", form]);
        assert!(alone.out.contains("TTSR511") && alone.status == 3, "{form}: {}", alone.out);
    }
    // Where nothing at all can be read, that is a failure.
    for name in ["a", "b", "c"] {
        fs::remove_file(made.path(&format!("in/{name}.jsonl"))).expect("removed");
    }
    assert_eq!(made.replay(&["--allow-unreadable"]).status, 3);
}

#[test]
fn what_is_wrong_with_a_trace_is_told_with_its_place() {
    let made = corpus();
    let trace = made.replay(&["--format", "jsonl"]).out;
    let merged = |text: &str| {
        let file = made.shown("trace");
        fs::write(&file, text).expect("written");
        ttsr_auto(["replay", "--merge", &file, "--format", "json"])
    };
    let whole = merged(&trace);
    assert_eq!((whole.status, whole.err.as_str()), (0, ""));
    let lines: Vec<&str> = trace.lines().collect();
    let summaries: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].contains(r#""kind":"summary""#)).collect();
    assert_eq!(summaries.len(), 3);
    // Cut anywhere, the inputs that are complete count, and the broken one is named.
    for at in [1, summaries[0], summaries[0] + 2, summaries[2]] {
        let cut = merged(&lines[..at].join("\n"));
        let complete = summaries.iter().filter(|&&summary| summary < at).count();
        let report: Value = serde_json::from_str(&cut.out).expect("JSON");
        assert_eq!(report["inputs"]["played"], json!(complete), "cut before line {at}");
        assert_eq!(cut.status, 3);
        assert!(cut.err.contains("breaks off"), "{}", cut.err);
    }
    for (line, said) in [
        ("{", "TTSR317"),
        ("{\"schema\":\"other\"}", "ttsr.trace/1"),
        ("[1]", "ttsr.trace/1"),
        (
            "{\"schema\":\"ttsr.trace/1\",\"kind\":\"trigger\",\"at\":{\"input\":\"x\"},\"rules\":[],\"source\":\"sea\"}",
            "`source`",
        ),
        ("{\"schema\":\"ttsr.trace/1\",\"kind\":\"run\"}", "`at`"),
        ("\u{fffd}\u{1b}[31m", "TTSR317"),
    ] {
        let bad = merged(&format!("{trace}{line}\n"));
        assert_eq!(bad.status, 3, "{line}");
        assert!(
            bad.err.contains(said) && bad.err.contains(&format!("trace:{}", lines.len() + 1)),
            "{line}: {}",
            bad.err
        );
        assert!(!bad.err.contains('\u{1b}'), "{}", bad.err);
        assert_eq!(bad.out, whole.out);
    }
    let twice = merged(&format!("{trace}{trace}"));
    assert!(twice.err.contains("TTSR318") && twice.status == 0, "{}", twice.err);
}

#[test]
fn a_gate_that_has_seen_nothing_does_not_hold() {
    let made = corpus();
    let nothing = ["--include", "nothing-of-the-kind"];
    assert_eq!(made.replay(&nothing).status, 0);
    for gate in [
        &["--require-coverage", "50"][..],
        &["--max-premature", "0"],
        &["--fail-on-undecided"],
        &["--max-rate", "foo=1"],
    ] {
        let outcome = made.replay(&[&nothing, gate].concat());
        assert_eq!(outcome.status, 1, "{gate:?}: {}", outcome.err);
        assert!(outcome.err.contains("no input was played"), "{}", outcome.err);
    }
}

#[test]
fn options_that_contradict_a_report_are_refused_with_a_remedy() {
    let made = corpus();
    let one = made.shown("in/a.jsonl");
    for (arguments, said) in [
        (&["--count", "every", "--on-trigger", "abort"][..], "observes"),
        (&["--each", "--count", "every"], "cannot be used with"),
        (&["--count", "every", "--trace", "full"], "single runs"),
        (&["--count", "every", "--lifecycle", "v3,v4"], "single runs"),
        (&["--table", "samples"], "--format csv"),
        (&["--merge", "--chunk", "all"], "cannot be used with"),
    ] {
        let outcome = ttsr_auto([&["replay", one.as_str()], arguments].concat());
        assert_eq!(outcome.status, 2, "{arguments:?}: {}", outcome.err);
        assert!(outcome.err.contains(said), "{arguments:?}: {}", outcome.err);
    }
    let nothing = ttsr_auto(["replay", "--merge"]);
    assert!(nothing.status == 2 && nothing.err.contains("needs traces"), "{}", nothing.err);
    // A report over a single input is had by asking what to count.
    let rules = made.shown("rules");
    let report = ttsr(["replay", &one, "--rules", &rules, "--count", "every", "--format", "json"]);
    assert!(report.out.starts_with(r#"{"schema":"ttsr.report/1""#), "{}", report.out);
}

fn schema() -> Value {
    let outcome = ttsr_auto(["replay", "--schema=report"]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    serde_json::from_str(&outcome.out).expect("a schema")
}

#[test]
fn reports_of_every_generation_validate() {
    let made = corpus();
    let validator = jsonschema::validator_for(&schema()).expect("a schema that compiles");
    let valid = |report: &Value| {
        let wrong: Vec<String> =
            validator.iter_errors(report).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    };
    for lifecycle in ["v1", "v2", "v3", "v4"] {
        let report = ttsr_auto([
            "replay",
            &made.shown("in"),
            "--rules",
            &made.shown("rules"),
            "--lifecycle",
            lifecycle,
            "--format",
            "json",
        ]);
        valid(&serde_json::from_str(&report.out).expect("JSON"));
    }
    for folder in ["testdata/recordings", "testdata/recordings-18.3", "testdata/recordings-early"] {
        let report = ttsr_auto([
            "replay",
            &project(folder).to_string_lossy(),
            "--rules",
            "testdata/demo/rules",
            "--format",
            "json",
        ]);
        valid(&serde_json::from_str(&report.out).expect("JSON"));
    }
    let nothing = made.report(&["--include", "none"]);
    valid(&nothing);
    let mut wrong = made.report(&[]);
    wrong["rules"][0]["triggers"] = json!("many");
    assert!(!validator.is_valid(&wrong));
    let mut wrong = made.report(&[]);
    wrong["surprise"] = json!(1);
    assert!(!validator.is_valid(&wrong));
}

/// The example under `testdata/examples`, where `TTSR_PYSPARK` names a Python that has it (`pip install pyspark`).
#[test]
fn the_report_from_partitions_equals_that_of_one_process() {
    let Ok(python) = std::env::var("TTSR_PYSPARK") else { return };
    let made = corpus();
    fs::write(made.path("in/bad.jsonl"), "nothing of ours\n").expect("written");
    let rules = made.shown("rules");
    let inputs: Vec<String> =
        ["a", "b", "c", "bad"].iter().map(|name| made.shown(&format!("in/{name}.jsonl"))).collect();
    let out = made.shown("report.json");
    // More partitions than inputs: some are empty.
    let status = std::process::Command::new(python)
        .arg(project("testdata/examples/pyspark_report.py"))
        .args([&out, &rules])
        .args(&inputs)
        .args(["--", "--lifecycle", "v3"])
        .env("TTSR", Path::new(env!("CARGO_BIN_EXE_ttsr")))
        .env("PARTITIONS", "6")
        .status()
        .expect("the example runs");
    assert_eq!(status.code(), Some(3), "one input cannot be read");
    let one = ttsr(
        ["replay"].into_iter().chain(inputs.iter().map(String::as_str)).chain(["--rules", &rules, "--format", "json"]),
    );
    assert_eq!(fs::read_to_string(out).expect("a report"), one.out);
}

#[test]
fn of_many_unreadable_inputs_the_first_are_shown_and_all_are_listed() {
    let made = corpus();
    for number in 0..9 {
        fs::write(made.path(&format!("in/bad{number}.jsonl")), "nothing of ours\n").expect("written");
    }
    for outcome in [made.replay(&[]), ttsr(["inspect-session", &made.shown("in")])] {
        assert_eq!(outcome.status, 3);
        assert_eq!(outcome.err.matches("bad").count(), 5, "{}", outcome.err);
        assert!(outcome.err.contains("4 more inputs could not be read"), "{}", outcome.err);
        for number in 0..9 {
            assert!(outcome.out.contains(&format!("bad{number}.jsonl")), "{}", outcome.out);
        }
    }
    assert_eq!(made.replay(&["--verbose"]).err.matches("bad").count(), 9);
    let nothing = made.replay(&["--include", "none"]);
    assert!(nothing.out.contains("No input was played."), "{}", nothing.out);
}
