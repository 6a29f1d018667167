//! `ttsr replay` through the command line: samples, determinism, modes, written files.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use ttsr::generation::Lifecycle;

use ttsr::message::{AgentEvent, Message, Model};
use ttsr::output::json::v1::trace::Line;
use ttsr::replay::Plan;
use ttsr::replay::trace::TraceEvent;
use ttsr::stream::EventWriter;
use ttsr::text::JsString;
use ttsr::text::json::{self, Value};

use crate::engine;
use crate::support::program::{Outcome, surroundings, ttsr, ttsr_with};
use crate::support::{project, vector_lines};

fn lines(outcome: &Outcome) -> Vec<Value> {
    outcome.out.lines().map(|line| json::parse(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_string).map(ToString::to_string).unwrap_or_default()
}

fn names(value: &Value, key: &str) -> Vec<String> {
    let items = value.get(key).and_then(Value::as_array).unwrap_or_default();
    items.iter().map(|item| item.as_string().map(ToString::to_string).unwrap_or_default()).collect()
}

fn of_kind(trace: &[Value], kind: &str) -> Vec<Value> {
    trace.iter().filter(|line| text(line, "kind") == kind).cloned().collect()
}

fn number(value: &Value, path: &[&str]) -> Option<f64> {
    path.iter().try_fold(value, |value, key| value.get(key))?.as_f64()
}

/// A folder with one rule file per pair.
fn rules(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(format!("{name}.md")), text).expect("a rule");
    }
    folder
}

fn path(folder: &Path) -> &str {
    folder.to_str().expect("a path in UTF-8")
}

/// samples/README.md, section streams: the event index counts from 0, so the line is one more.
#[test]
fn sample_streams_match_where_the_reference_matches() {
    type Expected = (f64, &'static str, &'static str);
    let cases: [(&str, &[Expected]); 3] = [
        ("json-interrupt", &[(10.0, "no-force-push", "interrupt")]),
        ("json-reminder-deferred", &[(19.0, "no-any-type", "fold"), (39.0, "show-test-run", "defer")]),
        ("rpc-partials-retry-torn", &[(23.0, "no-force-push", "interrupt")]),
    ];
    for (name, expected) in cases {
        let stream = format!("testdata/samples/streams/{name}.jsonl");
        let outcome = ttsr([
            "replay",
            &stream,
            "--rules",
            "testdata/samples/rules",
            "--lifecycle",
            "v3",
            "--format",
            "jsonl",
            "--verify",
        ]);
        assert_eq!(outcome.status, 0, "{name}: {}", outcome.err);
        let trace = lines(&outcome);
        let mut seen: Vec<(f64, String, String)> = Vec::new();
        for trigger in of_kind(&trace, "trigger") {
            let line = number(&trigger, &["at", "line"]).unwrap_or(0.0);
            let found = (line, names(&trigger, "rules").join(","), text(&trigger, "decision"));
            // After the first match the rule goes on to match until the abort arrives or it is marked.
            if !seen.iter().any(|(_, rules, _)| *rules == found.1) {
                seen.push(found);
            }
        }
        let expected: Vec<(f64, String, String)> =
            expected.iter().map(|(line, rule, what)| (*line, (*rule).to_owned(), (*what).to_owned())).collect();
        assert_eq!(seen, expected, "{name}");
    }
}

/// cli.md section 2: kinds and their required fields.
#[test]
fn trace_lines_have_the_documented_fields() {
    let required: &[(&str, &[&str])] = &[
        ("run", &["input", "input_kind", "lifecycle", "chunk", "settings", "rules"]),
        ("rule", &["name", "path", "registered"]),
        ("trigger", &["rules", "source", "tool", "tool_call", "paths", "decision", "by"]),
        ("abort", &["reason"]),
        ("discard", &["message"]),
        ("keep", &["message"]),
        ("inject", &["role", "custom_type", "rules", "content"]),
        ("fold", &["tool_call", "rules", "content"]),
        ("persist", &["rules", "entry"]),
        ("continue", &["source"]),
        ("recorded", &["rules", "agrees"]),
        (
            "summary",
            &[
                "triggers",
                "interrupts",
                "deferred",
                "folded",
                "persisted",
                "undecided",
                "not_reproducible",
                "per_rule",
                "bytes",
                "deltas",
            ],
        ),
    ];
    let mut met: Vec<String> = Vec::new();
    for case in ["g01-interrupt-text", "g03-keep", "g04-never-text", "g05-never-tool"] {
        let folder = format!("testdata/recordings/{case}");
        let outcome = ttsr([
            "replay",
            &format!("{folder}/events.1.jsonl"),
            "--rules",
            &format!("{folder}/rules"),
            "--settings",
            &format!("{folder}/settings.json"),
            "--lifecycle",
            "v3",
            "--format",
            "jsonl",
        ]);
        for (seq, line) in lines(&outcome).iter().enumerate() {
            assert_eq!(text(line, "schema"), "ttsr.trace/1");
            assert_eq!(number(line, &["seq"]), Some(seq as f64));
            assert!(line.get("at").is_some());
            let kind = text(line, "kind");
            let (_, fields) = required.iter().find(|(name, _)| *name == kind).unwrap_or_else(|| panic!("kind {kind}"));
            for field in *fields {
                assert!(line.get(field).is_some(), "{kind} lacks {field}: {}", line.to_json());
            }
            met.push(kind);
        }
    }
    for (kind, _) in required {
        assert!(met.iter().any(|name| name == kind), "no line of kind {kind}");
    }
}

#[test]
fn equal_input_gives_equal_bytes_from_anywhere() {
    let session = project("testdata/demo/session.jsonl");
    let rules = project("testdata/demo/rules");
    for format in ["human", "json", "jsonl", "csv"] {
        let run = |cwd: &Path, zone: &str| {
            let mut around = surroundings();
            around.cwd = cwd.to_path_buf();
            around.vars.insert("TZ".to_owned(), zone.to_owned());
            around.vars.insert("LC_ALL".to_owned(), zone.to_owned());
            ttsr_with(
                ["replay", path(&session), "--rules", path(&rules), "--format", format, "--lifecycle", "v3"],
                b"",
                &around,
            )
            .out
        };
        let first = run(&project("."), "UTC");
        assert_eq!(first, run(&project("."), "UTC"), "{format}");
        assert_eq!(first, run(Path::new("/"), "Asia/Kathmandu"), "{format}");
    }
}

#[test]
fn several_jobs_give_the_bytes_of_one() {
    let arguments = ["replay", "testdata/recordings", "--rules", "testdata/demo/rules", "--format", "jsonl", "--jobs"];
    let run = |jobs: &'static str| ttsr(arguments.into_iter().chain([jobs]));
    let one = run("1");
    assert!(one.out.lines().count() > 100, "{}", one.err);
    let four = run("4");
    assert_eq!((one.status, one.out, one.err), (four.status, four.out, four.err));
}

#[test]
fn standard_input_is_an_input() {
    let bytes = fs::read(project("testdata/demo/session.jsonl")).expect("the demo");
    let outcome = ttsr_with(
        ["replay", "-", "--rules", "testdata/demo/rules", "--format", "jsonl", "--lifecycle", "v3"],
        &bytes,
        &surroundings(),
    );
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert_eq!(text(&lines(&outcome)[0], "input"), "-");
    assert!(!of_kind(&lines(&outcome), "trigger").is_empty());
}

#[test]
fn a_text_is_prose_or_a_finished_call() {
    let folder = rules(&[("r", "---\ncondition: 'as any'\nscope: tool:write(*.ts)\n---\nB\n")]);
    let fires = |arguments: &[&str]| {
        let common = ["replay", "--rules", path(folder.path()), "--format", "jsonl"];
        let outcome = ttsr(common.iter().chain(arguments).copied());
        assert_eq!(outcome.status, 0, "{}", outcome.err);
        !of_kind(&lines(&outcome), "trigger").is_empty()
    };
    assert!(!fires(&["--text", "x as any"]));
    assert!(fires(&["--text", "x as any", "--path", "src/a.ts"]));
    assert!(!fires(&["--text", "x as any", "--path", "src/a.rs"]));
    assert!(!fires(&["--text", "x as any", "--source", "thinking"]));
}

/// cli.md, `--on-trigger observe`: the recorded stream goes on, nothing is injected.
#[test]
fn observing_only_notes_decisions() {
    let outcome = ttsr([
        "replay",
        "testdata/demo/session.jsonl",
        "--rules",
        "testdata/demo/rules",
        "--on-trigger",
        "observe",
        "--format",
        "jsonl",
    ]);
    let trace = lines(&outcome);
    let rules: Vec<String> = of_kind(&trace, "trigger").iter().flat_map(|line| names(line, "rules")).collect();
    assert_eq!(rules, ["no-unwrap", "no-flake"]);
    for kind in ["abort", "inject", "persist", "discard", "continue"] {
        assert!(of_kind(&trace, kind).is_empty(), "{kind}");
    }
}

/// An interrupt that the recording does not have leaves it: the rest of the message is dropped, and what follows in
/// the same prompt is marked.
#[test]
fn leaving_the_recording_is_marked_until_the_next_prompt() {
    let folder = rules(&[("a", "---\ncondition: Two columns\n---\nB\n"), ("b", "---\ncondition: main line\n---\nB\n")]);
    let outcome = ttsr([
        "replay",
        "testdata/samples/sessions/v3-branched-compaction.jsonl",
        "--rules",
        path(
            rules(&[
                ("a", "---\ncondition: Adding delay\n---\nB\n"),
                ("b", "---\ncondition: The exponential policy\n---\nB\n"),
                ("c", "---\ncondition: Capped at five\n---\nB\n"),
            ])
            .path(),
        ),
        "--format",
        "jsonl",
    ]);
    drop(folder);
    let triggers = of_kind(&lines(&outcome), "trigger");
    let marks: Vec<(String, bool)> =
        triggers.iter().map(|line| (names(line, "rules").join(","), line.get("after_divergence").is_some())).collect();
    let expected = [("a", false), ("b", true), ("c", false)].map(|(name, after)| (name.to_owned(), after));
    assert_eq!(marks, expected, "{}", outcome.err);
}

/// Field report 39, cli.md "Terms": premature and chunk-dependent matches say so.
#[test]
fn a_match_that_another_cut_would_change_is_marked() {
    let folder = rules(&[("r", "---\ncondition: 'TODO(?!\\()'\n---\nB\n"), ("s", "---\ncondition: TODO\n---\nB\n")]);
    let script = folder.path().join("script.json");
    fs::write(&script, r#"[[{"text":"a TODO(me)","chunks":["a TODO","(me)"]}],[{"text":"done"}]]"#).expect("a script");
    let outcome = ttsr([
        "replay",
        "--script",
        path(&script),
        "--prompt",
        "go",
        "--rules",
        path(folder.path()),
        "--format",
        "jsonl",
    ]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    let trigger = &of_kind(&lines(&outcome), "trigger")[0];
    let by = trigger.get("by").and_then(Value::as_array).expect("a list");
    let told: Vec<(String, Option<bool>)> =
        by.iter().map(|by| (text(by, "rule"), by.get("chunk_dependent").and_then(Value::as_bool))).collect();
    assert_eq!(told, [("r".to_owned(), Some(true)), ("s".to_owned(), Some(false))]);
}

/// Issue of reminders read back: a session that holds folded reminders is replayed, written, and replayed again, and
/// each result holds one reminder.
#[test]
fn reminders_do_not_pile_up_in_written_sessions() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = "testdata/recordings/g11-siblings";
    let mut input = format!("{case}/session.1.jsonl");
    for round in 0..2 {
        let written = folder.path().join(format!("{round}.jsonl"));
        let outcome = ttsr([
            "replay",
            &input,
            "--rules",
            &format!("{case}/rules"),
            "--settings",
            &format!("{case}/settings.json"),
            "--lifecycle",
            "v3",
            "--write-session",
            path(&written),
        ]);
        assert_eq!(outcome.status, 0, "{}", outcome.err);
        let text = fs::read_to_string(&written).expect("a session");
        let results = text.lines().filter(|line| line.contains("\"toolResult\""));
        let reminders: Vec<usize> = results.map(|line| line.matches("<system-reminder").count()).collect();
        assert_eq!(reminders, [1, 0], "round {round}");
        assert_eq!(text.matches("\"ttsr_injection\"").count(), 1);
        input = path(&written).to_owned();
    }
}

/// An interruption is no failure; an abort by the user and an error are.
#[test]
fn interruptions_and_failures_are_told_apart() {
    let folder = rules(&[("r", "---\ncondition: bad word\n---\nB\n")]);
    let script = folder.path().join("script.json");
    let replies = r#"[[{"text":"a bad word here"}],[{"text":"fine"}],
        {"parts":[{"text":"slow answer that goes on"}],"delayMs":10,"userInterruptAfterMs":15},
        {"error":"overloaded"}]"#;
    fs::write(&script, replies).expect("a script");
    let written = folder.path().join("written.jsonl");
    let outcome = ttsr([
        "replay",
        "--script",
        path(&script),
        "--prompt",
        "one",
        "--prompt",
        "two",
        "--prompt",
        "three",
        "--rules",
        path(folder.path()),
        "--format",
        "jsonl",
        "--lifecycle",
        "v3",
        "--write-session",
        path(&written),
    ]);
    let trace = lines(&outcome);
    let summary = &of_kind(&trace, "summary")[0];
    let told = ["ended", "interrupted", "aborted", "failed"].map(|key| number(summary, &["messages", key]));
    assert_eq!(told, [Some(4.0), Some(1.0), Some(1.0), Some(1.0)], "{}", outcome.err);
    let inspected = ttsr(["inspect-session", path(&written), "--format", "json"]);
    let document = json::parse(&inspected.out).expect("a document");
    let count =
        |key: &str| document.get("messages").and_then(|messages| messages.get(key)?.as_array()).map(<[Value]>::len);
    assert_eq!((count("interrupted"), count("aborted"), count("errors")), (Some(1), Some(1), Some(1)));
}

#[test]
fn explanations_name_the_gate_and_what_closed_it() {
    let folder = rules(&[
        ("off", "---\ncondition: x\n---\nB\n"),
        ("once", "---\ncondition: git push\n---\nB\n"),
        ("quiet", "---\ncondition: nothing like it\n---\nB\n"),
        ("thoughts", "---\ncondition: x\nscope: thinking\n---\nB\n"),
    ]);
    let script = folder.path().join("script.json");
    fs::write(&script, r#"[[{"text":"git push"}],[{"text":"git push again"}]]"#).expect("a script");
    let outcome = ttsr([
        "replay",
        "--script",
        path(&script),
        "--prompt",
        "go",
        "--rules",
        path(folder.path()),
        "--format",
        "jsonl",
        "--explain",
        "--set",
        "ttsr.disabledRules=[off]",
    ]);
    let trace = lines(&outcome);
    let entry = text(&of_kind(&trace, "persist")[0], "entry");
    let gates: Vec<(String, String)> = of_kind(&trace, "gate")
        .iter()
        .filter(|line| number(line, &["at", "message"]) == Some(1.0))
        .map(|line| (text(line, "rule"), text(line, "gate")))
        .collect();
    let expected = [("off", "disabled"), ("once", "repeat"), ("quiet", "condition"), ("thoughts", "scope")];
    assert_eq!(gates, expected.map(|(rule, gate)| (rule.to_owned(), gate.to_owned())), "{}", outcome.err);
    let repeat = of_kind(&trace, "gate").into_iter().find(|line| text(line, "gate") == "repeat").expect("a gate");
    assert!(text(&repeat, "why").contains(&entry), "{}", repeat.to_json());
}

#[test]
fn generations_are_compared_side_by_side() {
    let outcome =
        ttsr(["replay", "testdata/demo/session.jsonl", "--rules", "testdata/demo/rules", "--lifecycle", "v1,v2,v3"]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    for part in ["lifecycle v1", "lifecycle v2", "lifecycle v3", "Where the generations differ"] {
        assert!(outcome.out.contains(part), "{part} missing in\n{}", outcome.out);
    }
}

#[test]
fn other_reminder_texts_are_taken() {
    let folder = rules(&[("r", "---\ncondition: bad\n---\nBe good.\n")]);
    let template = folder.path().join("interrupt.txt");
    fs::write(&template, "[{{name}} at {{path}}]\n{{content}}").expect("a template");
    let outcome = ttsr([
        "replay",
        "--text",
        "bad",
        "--rules",
        path(folder.path()),
        "--interrupt-template",
        path(&template),
        "--format",
        "jsonl",
    ]);
    let inject = &of_kind(&lines(&outcome), "inject")[0];
    assert_eq!(text(inject, "content"), "[r at .omp/rules/r.md]\nBe good.");
}

/// The events of a lifecycle vector as the agent would print them. What is no event of a stream (clock, user) is left
/// out: the point is not the vector's verdict but that an emitted stream is decided as the run that emitted it.
fn vector_stream(case: &Value) -> Vec<u8> {
    let mut writer = EventWriter::new(Vec::new(), Model::scripted());
    let cwd = text(case, "cwd");
    let header = json::parse(&format!(r#"{{"type":"session","version":3,"id":"v","cwd":"{cwd}"}}"#)).expect("a header");
    writer.header(header.as_object().expect("an object")).expect("a line");
    let mut timestamp = 0.0;
    let mut calls: HashMap<usize, (JsString, JsString)> = HashMap::new();
    for event in case.get("events").and_then(Value::as_array).unwrap_or_default() {
        let index = number(event, &["index"]).unwrap_or(0.0) as usize;
        let delta = event.get("delta").and_then(Value::as_string).cloned().unwrap_or_default();
        let id = || event.get("id").and_then(Value::as_string).cloned().unwrap_or_default();
        let name = || event.get("name").and_then(Value::as_string).cloned().unwrap_or_default();
        let written = match text(event, "type").as_str() {
            "user" => AgentEvent::Message(Message::user("go", 1)),
            "turn_start" => AgentEvent::TurnStart,
            "turn_end" => AgentEvent::TurnEnd,
            "agent_end" => AgentEvent::AgentEnd,
            "message_start" => {
                timestamp = number(event, &["timestamp"]).unwrap_or(0.0);
                AgentEvent::MessageStart { timestamp: Some(timestamp) }
            }
            "text_delta" => AgentEvent::TextDelta { index: index + 8, delta },
            "thinking_delta" => AgentEvent::ThinkingDelta { index: index + 16, delta },
            "toolcall_start" => {
                calls.insert(index, (id(), name()));
                AgentEvent::ToolCallStart { index, id: Some(id()), name: Some(name()) }
            }
            "toolcall_delta" => AgentEvent::ToolCallDelta { index, delta },
            "toolcall_end" => {
                let (id, name) = calls.get(&index).cloned().unwrap_or_default();
                AgentEvent::ToolCallEnd { index, id, name, arguments: event.get("arguments").cloned() }
            }
            "message_end" => {
                let stop = text(event, "stop_reason");
                AgentEvent::MessageEnd(Message::assistant(&Model::scripted(), Vec::new(), &stop, timestamp.into()))
            }
            "tool_result" => AgentEvent::ToolResult(Message::tool_result(
                id(),
                "write".into(),
                JsString::from(text(event, "text")),
                false,
                1,
            )),
            _ => continue,
        };
        writer.event(&written).expect("a line");
    }
    writer.into_inner()
}

#[test]
fn emitted_streams_of_the_lifecycle_vectors_are_decided_alike() {
    let cases = vector_lines("lifecycle");
    if cases.is_empty() {
        return;
    }
    let mut triggers = 0;
    for line in cases {
        let case = json::parse(&line).expect("a case");
        // An agent gives each message its turn. Where a case does not, the places are counted otherwise once what was
        // written is read; the decisions still have to be equal.
        let mut open = false;
        let whole_turns = case.get("events").and_then(Value::as_array).into_iter().flatten().all(|event| {
            match text(event, "type").as_str() {
                "turn_start" => open = true,
                "message_start" => return std::mem::take(&mut open),
                _ => {}
            }
            true
        });
        let keys: &[&str] = if whole_turns { &["message", "turn"] } else { &[] };
        for lifecycle in [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3] {
            let semantics = lifecycle.semantics();
            let settings = engine::settings(&case, &semantics).expect("settings");
            let rules = engine::rule_set(&case, &settings, &semantics).expect("rules");
            let mut plan = Plan::new(rules.compiled, settings, semantics);
            plan.keep_events = true;
            let play = |bytes: &[u8]| {
                let mut events: Vec<TraceEvent> = Vec::new();
                let report = plan.events(bytes, "stream", None, &mut events);
                let told = events.iter().enumerate().filter_map(|(seq, event)| {
                    let line = json::parse(&Line::new(event, Some(seq)).to_json()).expect("JSON");
                    let wanted = ["trigger", "inject", "fold", "persist", "discard", "keep"];
                    let kind = text(&line, "kind");
                    let places: Vec<_> = keys.iter().map(|key| number(&line, &["at", key])).collect();
                    wanted
                        .contains(&kind.as_str())
                        .then(|| format!("{kind} {:?} {} {places:?}", names(&line, "rules"), text(&line, "decision")))
                });
                (told.collect::<Vec<_>>(), report.events.unwrap_or_default())
            };
            let (first, emitted) = play(&vector_stream(&case));
            let (second, _) = play(&emitted);
            triggers += first.iter().filter(|line| line.starts_with("trigger")).count();
            assert_eq!(
                first,
                second,
                "{} {}\n{}",
                text(&case, "id"),
                lifecycle.as_str(),
                String::from_utf8_lossy(&emitted)
            );
        }
    }
    assert!(triggers > 100, "{triggers} triggers");
}

/// A user abort in the window before the retry: what a run writes is decided as the run was.
#[test]
fn a_cancelled_retry_is_cancelled_again_in_what_was_written() {
    let folder = rules(&[
        ("flake", "---\ncondition: flake\n---\nB\n"),
        ("unwrap", "---\ncondition: unwrap\ninterruptMode: never\n---\nB\n"),
    ]);
    let script = folder.path().join("script.json");
    let replies = r#"[{"parts":[{"text":"flake a b c d e f g h i j"}],"delayMs":10,"userInterruptAfterMs":30},
        [{"text":"unwrap"}],[{"text":"z"}]]"#;
    fs::write(&script, replies).expect("a script");
    let (events, session) = (folder.path().join("events.jsonl"), folder.path().join("session.jsonl"));
    let common = ["--rules", path(folder.path()), "--lifecycle", "v3", "--format", "jsonl"];
    let first = ttsr(
        ["replay", "--script", path(&script), "--prompt", "one", "--prompt", "two"]
            .into_iter()
            .chain(["--emit-events", path(&events), "--write-session", path(&session)])
            .chain(common),
    );
    let persisted = |outcome: &Outcome| number(&of_kind(&lines(outcome), "summary")[0], &["persisted"]);
    assert_eq!(persisted(&first), Some(0.0), "{}", first.out);
    for written in [&events, &session] {
        let again = ttsr(["replay", path(written), "--verify"].into_iter().chain(common));
        assert_eq!((again.status, persisted(&again)), (0, Some(0.0)), "{}\n{}", again.err, again.out);
    }
}

#[test]
fn a_text_is_one_delta_unless_it_is_to_be_cut() {
    let rules = tempfile::tempdir().expect("a folder");
    fs::write(rules.path().join("r.md"), "---\ncondition: 'any\\b'\n---\nB").expect("written");
    let run = |more: &[&str]| {
        let path = rules.path().to_string_lossy().into_owned();
        let fixed = ["replay", "--text", "anything", "--rules", &path, "--format", "jsonl"];
        let outcome = ttsr(fixed.iter().chain(more));
        assert_eq!(outcome.status, 0, "{}", outcome.err);
        outcome.out.lines().filter(|line| line.contains("\"kind\":\"trigger\"")).count()
    };
    assert_eq!(run(&[]), 0);
    assert_eq!(run(&["--chunk", "chars:1"]), 1);
    assert_eq!(run(&["--chunk", "chars:1", "--path", "a.ts"]), 1);
    assert_eq!(run(&["--chunk", "block"]), 0);
}

#[test]
fn explain_says_what_a_scope_excludes() {
    let rules = tempfile::tempdir().expect("a folder");
    fs::write(rules.path().join("r.md"), "---\ncondition: a\nscope: tool:bash\n---\nB").expect("written");
    let path = rules.path().to_string_lossy().into_owned();
    let why = |more: &[&str]| ttsr(["replay", "--text", "b", "--rules", &path, "--explain"].iter().chain(more)).out;
    assert!(why(&[]).contains("its scope excludes prose"), "{}", why(&[]));
    let call = why(&["--path", "a.ts"]);
    assert!(call.contains("its scope excludes a call of `write` with `a.ts`"), "{call}");
}

/// What an upgrade changes for a rule set is said beside the comparison (generation-v4.md W4.1, W4.2, W12).
#[test]
fn what_an_upgrade_changes_is_said() {
    let folder = rules(&[
        ("asks", "---\nquestion: Is it?\ncondition: foo\n---\nB\n"),
        ("only-asks", "---\nquestion: Is it?\n---\nB\n"),
        ("ahead", "---\ncondition: '(?=[\\s\\S]*foo|bar)'\n---\nB\n"),
        ("plain", "---\ncondition: foo\n---\nB\n"),
    ]);
    let changes = |lifecycle: &str| {
        let fixed = ["replay", "--text", "foo", "--rules", path(folder.path()), "--set", "ttsr.contextMode=7"];
        let outcome = ttsr(fixed.into_iter().chain(["--lifecycle", lifecycle]));
        assert_eq!(outcome.status, 0, "{}", outcome.err);
        let lines = outcome.err.lines().filter(|line| line.starts_with("from v3 to v4: "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        changes("v3,v4"),
        [
            "from v3 to v4: the setting `contextMode` is \"discard\", no longer \"keep\"",
            "from v3 to v4: the rule `asks` asks a judge and warns; its conditions trigger nothing more",
            "from v3 to v4: a look-ahead of the rule `ahead` is tried at the start of the buffer only",
        ]
    );
    assert_eq!(changes("v2,v3"), [""; 0]);
}

/// JSON lets the control characters above ASCII stand as they are, and some terminals obey them.
#[test]
fn json_reports_hold_no_control_characters() {
    let folder = rules(&[("a", "---\ncondition: foo\n---\nB\n")]);
    let text = "foo \u{9b}31m \u{7f} \u{1b}[31m";
    for format in ["json", "jsonl"] {
        let fixed = ["replay", "--text", text, "--rules", path(folder.path()), "--format", format];
        let outcome = ttsr(fixed);
        assert_eq!(outcome.status, 0, "{}", outcome.err);
        let raw = |character: char| character.is_control() && character != '\n';
        assert!(!outcome.out.contains(raw), "{}", outcome.out.escape_debug());
        let values = outcome.out.lines().map(|line| json::parse(line).expect("JSON").to_json().to_string());
        assert!(values.collect::<String>().contains('\u{9b}'), "the text itself stays");
    }
}

/// Every file is looked at before anything runs, so that no run ends with one that has no place.
#[test]
fn files_without_a_place_are_refused_before_anything_is_written() {
    let folder = rules(&[("r", "---\ncondition: foo\n---\nB\n")]);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let script = r#"[[{"text": "a"}], {"handoff": {"document": "What is left."}}, [{"text": "b"}]]"#;
    fs::write(at("script.json"), script).expect("a script");
    fs::write(at("taken.1.jsonl"), "mine").expect("a file");
    let run = |session: &str, events: &str| {
        let fixed = ["replay", "--script", &at("script.json"), "--prompt", "a", "--prompt", "b"];
        let outputs = ["--write-session", session, "--emit-events", events, "--rules", &at("r.md")];
        let outcome = ttsr(fixed.into_iter().chain(outputs));
        (outcome.status, outcome.err)
    };
    let dotted = folder.path().join("./x/../one.jsonl").display().to_string();
    fs::create_dir(at("x")).expect("a folder");
    for (session, events, status, why) in [
        (at("one.jsonl"), dotted, 2, "name the same file"),
        (at("one.jsonl"), at("one.1.jsonl"), 2, "name the same file"),
        (at("one.jsonl"), at("nowhere/e.jsonl"), 3, "cannot be written"),
        (at("one.jsonl"), at("script.json/e.jsonl"), 3, "cannot be written"),
        (at("taken.jsonl"), at("e.jsonl"), 3, "exists already"),
    ] {
        let (found, err) = run(&session, &events);
        assert_eq!(found, status, "{session} {events}: {err}");
        assert!(err.contains(why), "{err}");
    }
    for name in ["one.jsonl", "one.1.jsonl", "e.jsonl", "taken.jsonl"] {
        assert!(!folder.path().join(name).exists(), "{name}");
    }
    let (status, err) = run(&at("one.jsonl"), &at("e.jsonl"));
    assert_eq!(status, 0, "{err}");
    assert!(folder.path().join("one.1.jsonl").exists());
}
