//! Group C: matching over a stream.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{call, condition, edit, rule, text};

#[test]
fn row_39_negative_look_ahead() {
    for (pattern, deltas, whole, right) in [
        ("TODO(?!\\()", ["TODO", "(me)"], "TODO(me)", "TODO(?!\\()[\\s\\S]"),
        ("try(?!.*catch)", ["try {", " catch"], "try { catch", ""),
        ("a|f(?!\\.ok)", ["f", ".ok(g)"], "f.ok(g)", "(?:a|f(?!\\.ok))[\\s\\S]{3}"),
    ] {
        let rules = condition(pattern);
        let run = rules.play("v3", &text(&deltas));
        assert_eq!(run.fired(), [1], "{pattern}");
        assert_eq!(run.premature(), (true, 1), "{pattern}");
        assert_eq!(rules.play("v2", &text(&deltas)).fired(), [1], "{pattern}");
        assert_eq!(rules.fires(&text(&[whole])), None, "{pattern}");
        let human = rules.replay("v3", &text(&deltas), &[]);
        assert!(human.out.contains("premature: the whole block does not match"), "{}", human.out);
        let checked = rules.check();
        let found = checked.finding("chunk-dependent-pattern", "warning");
        assert_eq!(checked.names().len(), 1, "{:#?}", checked.findings());
        if right.is_empty() {
            assert!(found.help.contains("can still arrive"), "{found:?}");
        } else {
            assert!(found.help.contains(&format!("`'{right}'`")), "{found:?}");
            assert!(condition(right).check().names().is_empty(), "{right}");
            assert_eq!(condition(right).fires(&text(&[deltas[0], deltas[1]])), None, "{right}");
            assert_eq!(condition(right).fires(&text(&[deltas[0], "more"])), Some(2), "{right}");
        }
    }
    // What must follow the look-ahead has been read when it is asked.
    for settled in ["TODO(?!\\()...", "(?!foo)bar", "foo(?=bar)"] {
        assert!(condition(settled).check().names().is_empty(), "{settled}");
    }
}

#[test]
fn row_40_edge_of_a_delta() {
    for (pattern, deltas, at) in [
        ("\\bany\\b", vec!["an", "y", "thing"], 2),
        ("foo$", vec!["foo", "bar"], 1),
        ("-\\B", vec!["a-", "b"], 1),
        ("(?m)end$", vec!["the end", "ing"], 1),
    ] {
        let rules = condition(pattern);
        let run = rules.play("v3", &text(&deltas));
        assert_eq!(run.fired(), [at], "{pattern}");
        assert_eq!(run.premature(), (true, 1), "{pattern}");
        assert_eq!(rules.fires(&text(&[&deltas.concat()])), None, "{pattern}");
        rules.check().finding("chunk-dependent-pattern", "note");
    }
    for (pattern, right) in [("\\bany\\b", "\\bany(?=\\W)"), ("x(a|b)\\b", "x(a|b)(?=\\W)")] {
        let found = condition(pattern).check().finding("chunk-dependent-pattern", "note");
        assert!(found.help.contains(&format!("`'{right}'`")), "{found:?}");
        assert!(condition(right).check().names().is_empty(), "{right}");
    }
    assert_eq!(condition("\\bany(?=\\W)").fires(&text(&["an", "y", "thing"])), None);
    assert_eq!(condition("\\bany(?=\\W)").fires(&text(&["an", "y", ";"])), Some(3));
    for settled in ["\\bany ", "\\bfoo", "\\Bfoo", "(?m)^foo"] {
        assert!(condition(settled).check().names().is_empty(), "{settled}");
    }
}

#[test]
fn row_41_start_without_m() {
    for (pattern, prose, right) in
        [("^foo", "x\nfoo", "(?m)^foo"), ("(?i)^foo", "x\nFOO", "(?im)^foo"), ("^\\s*#", "x\n  # h", "(?m)^\\s*#")]
    {
        let rules = condition(pattern);
        assert_eq!(rules.fires(&text(&[prose])), None, "{pattern}");
        assert_eq!(condition(right).fires(&text(&[prose])), Some(1), "{right}");
        let checked = rules.check();
        let hint = checked.finding("start-anchor", "note");
        assert!(hint.help.contains(&format!("`'{right}'`")), "{hint:?}");
        assert_eq!(checked.names().len(), 1, "{:#?}", checked.findings());
        assert!(condition(right).check().names().is_empty(), "{right}");
    }
    for silent in ["[^a]foo", "(?:^|\\n)foo", "a\\^", "(?sm)^foo"] {
        assert!(condition(silent).check().is_silent("start-anchor"), "{silent}");
    }
}

#[test]
fn row_42_pattern_split_over_deltas() {
    let rules = condition("foobar");
    for lifecycle in ["v2", "v3"] {
        assert_eq!(rules.play(lifecycle, &text(&["foo", "bar"])).fired(), [2]);
        assert_eq!(rules.play(lifecycle, &text(&["f", "o", "o", "bar", "baz"])).fired(), [4]);
        assert_eq!(rules.play(lifecycle, &edit("a.ts", &["foo", "bar"])).fired(), [2]);
        // A call has its own buffer.
        let parts = json!([{"text": "foo"}, {"tool": "bash", "args": {"command": "bar"}}]);
        assert!(rules.play(lifecycle, &parts).fired().is_empty());
    }
}

/// One turn with two assistant messages.
fn two_messages(first: &str, second: &str) -> Vec<Value> {
    let message = |text: &str, at: u64| {
        let content = json!([{"type": "text", "text": text}]);
        let whole = json!({"role": "assistant", "content": content, "stopReason": "stop", "timestamp": at});
        let begun = json!({"role": "assistant", "content": [], "stopReason": "stop", "timestamp": at});
        let delta = json!({"type": "text_delta", "contentIndex": 0, "delta": text});
        [
            json!({"type": "message_start", "message": begun}),
            json!({"type": "message_update", "assistantMessageEvent": delta}),
            json!({"type": "message_end", "message": whole}),
        ]
    };
    let start =
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/p"});
    [
        vec![start, json!({"type": "agent_start"}), json!({"type": "turn_start"})],
        message(first, 1).to_vec(),
        message(second, 2).to_vec(),
        vec![json!({"type": "turn_end"}), json!({"type": "agent_end", "messages": []})],
    ]
    .concat()
}

#[test]
fn row_43_text_of_an_earlier_message() {
    let rules = rule("condition: foobar\nttsr_trigger: foobar");
    let events = two_messages("foo", "bar");
    for lifecycle in ["v1", "v2"] {
        let run = rules.stream(lifecycle, &events);
        let triggers = run.of_kind("trigger");
        assert_eq!(triggers.len(), 1, "{lifecycle}");
        assert_eq!(triggers[0]["at"]["message"], 1, "{lifecycle}");
    }
    assert!(rules.stream("v3", &events).fired().is_empty());
    // The text of one message is one buffer in every generation.
    for lifecycle in ["v1", "v2", "v3"] {
        assert_eq!(rules.stream(lifecycle, &two_messages("foobar", "x")).fired().len(), 1, "{lifecycle}");
    }
}

#[test]
fn row_45_when_structural_patterns_run() {
    let rules = rule("astCondition: foo($A)");
    let text = "const x = foo(1);\n".repeat(6);
    let deltas: Vec<String> = text.chars().collect::<Vec<_>>().chunks(2).map(|pair| pair.iter().collect()).collect();
    let mut deltas: Vec<&str> = deltas.iter().map(String::as_str).collect();
    // Deltas that add nothing to the snapshot.
    deltas.extend([""; 6]);
    assert_eq!(deltas.len() + 1, 61);
    let reply = edit("a.ts", &deltas);
    assert_eq!(rules.play("v3", &reply).fired(), [0], "once, at the end of the call");
    assert_eq!(rules.play("v2", &reply).fired(), [8], "as soon as the call is there");
    // Where each run may trigger, the triggers count the runs.
    let each = ["--on-trigger", "observe", "--set", "ttsr.repeatMode=after-gap", "--set", "ttsr.repeatGap=0"];
    assert_eq!(rules.play_with("v3", &reply, &each).fired(), [0]);
    let expected: Vec<u64> = (8..=54).collect();
    assert_eq!(rules.play_with("v2", &reply, &each).fired(), expected, "each delta with another snapshot, no other");
}

#[test]
fn row_47_siblings_of_a_matching_call() {
    // The condition holds for the finished arguments only, so that the matching call is complete when it is aborted.
    let rules = rule("condition: '\"command\":\"find \\.'\nscope: tool:bash");
    let reply = json!([
        {"tool": "read", "id": "c1", "args": {"path": "a.ts"}},
        {"tool": "read", "id": "c2", "args": {"path": "b.ts"}},
        {"tool": "bash", "id": "c3", "chunks": ["{\"command\": ", "\"find .\"}"]},
    ]);
    let session = rules.path().join("session.jsonl");
    let run = rules.play_with("v3", &reply, &["--write-session", session.to_str().expect("UTF-8")]);
    let trigger = run.of_kind("trigger")[0];
    assert_eq!((&trigger["rules"], &trigger["tool_call"]), (&json!(["r"]), &json!("c3")));
    let written = std::fs::read_to_string(&session).expect("a session");
    let results: Vec<(String, String)> = written
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|entry| entry["message"]["role"] == "toolResult")
        .map(|entry| {
            let result = &entry["message"];
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (text(&result["toolCallId"]), text(&result["content"][0]["text"]))
        })
        .collect();
    assert_eq!(results.iter().map(|(call, _)| call.as_str()).collect::<Vec<_>>(), ["c1", "c2", "c3"]);
    for (call, text) in results {
        assert_eq!(text.contains("TTSR matched rule: r"), call == "c3", "{call}: {text}");
        assert!(call == "c3" || text.contains("another tool call"), "{call}: {text}");
    }
}

#[test]
fn row_48_several_conditions() {
    for (list, reply) in [
        ("['TS\\d{4}', edit]", text(&["TS1234"])),
        ("[TODO, write]", text(&["a TODO"])),
        ("[foo, '\\.tsx?$']", text(&["foo"])),
        ("[foo, '^(?![\\s\\S]*bar)']", text(&["neither"])),
    ] {
        let rules = rule(&format!("condition: {list}"));
        assert_eq!(rules.fires(&reply), Some(1), "{list}");
        let hint = rules.check().finding("any-condition", "note");
        assert!(hint.message.contains("any one"), "{hint:?}");
        let explained = rules.replay("v3", &reply, &["--explain"]);
        assert!(explained.out.contains("any one of its 2 conditions is enough"), "{}", explained.out);
    }
    let silent = rule("condition: [TODO, FIXME]");
    assert!(silent.check().names().is_empty());
    let explained = silent.play_with("v3", &text(&["nothing"]), &["--explain"]);
    let why = explained.of_kind("gate")[0]["why"].as_str().expect("a reason").to_owned();
    assert!(why.contains("none of its 2 conditions") && why.contains("one would be enough"), "{why}");
    let one = condition("TODO").replay("v3", &text(&["TODO"]), &["--explain"]);
    assert!(!one.out.contains("is enough"), "{}", one.out);
}

#[test]
fn row_49_fires_on_all_output() {
    for pattern in ["x*", ".*", "(?:foo)?", "a|", "[\\s\\S]*"] {
        let rules = condition(pattern);
        let checked = rules.check();
        let broad = checked.finding("matches-empty", "warning");
        assert!(broad.message.contains("even the empty one"), "{broad:?}");
        assert_eq!(rules.fires(&text(&["anything", " at all"])), Some(1), "{pattern}");
    }
    // How often words occur, no lint can know: a replay over sessions tells.
    let common = condition("component_id|kebab");
    assert!(common.check().names().is_empty());
    let run = common.play("v3", &text(&["a kebab", " and more"]));
    assert_eq!(run.fired(), [1]);
    assert_eq!(run.of_kind("summary")[0]["per_rule"]["r"]["triggers"], 1);
}

#[test]
fn row_50_slow_patterns() {
    let lines: String = (0..300).map(|line| format!("line {line} of a harmless file\n")).collect();
    let chunks: Vec<&str> = lines.as_bytes().chunks(40).map(|part| std::str::from_utf8(part).expect("ASCII")).collect();
    for pattern in ["(?:[^\\n]*\\n){600,}", "(?:\\w+\\s?)+;;", "[\\s\\S]*never there"] {
        let rules = condition(pattern);
        let slow = rules.check().finding("superlinear-pattern", "warning");
        assert!(slow.message.contains("steps"), "{slow:?}");
        let begun = Instant::now();
        let run = rules.play("v3", &text(&chunks));
        assert!(begun.elapsed() < Duration::from_secs(20), "{pattern}: {:?}", begun.elapsed());
        assert_eq!(run.of_kind("rule")[0]["name"], "r");
        // It is decided, or said not to be; and here it is decided.
        assert!(run.of_kind("undecided").is_empty() && run.fired().is_empty(), "{pattern}");
    }
    for cheap in ["foo.*bar", "^\\s*import .* from", "(?:a|b)+c", "(['\"])x\\1", "\\w+\\(\\w*\\)", "a{1,500}"] {
        assert!(condition(cheap).check().is_silent("superlinear-pattern"), "{cheap}");
    }
}

#[test]
fn row_53_posix_class() {
    for (pattern, prose) in [
        ("token[[:space:]]*=", "token ="),
        ("[[:digit:]]+px", "12px"),
        ("[[:alpha:]_]x", "bx"),
        ("x[^[:space:]]", "xy"),
    ] {
        let rules = condition(pattern);
        assert_eq!(rules.fires(&text(&[prose])), None, "{pattern}");
        let foreign = rules.check().finding("foreign-syntax", "error");
        assert!(foreign.message.contains("is no class to the agent"), "{foreign:?}");
    }
}

#[test]
fn row_55_ascii_classes() {
    for (pattern, prose, fires) in [
        ("^\\w+$", "é", false),
        ("^\\w+$", "e", true),
        ("\\d", "\u{663}", false),
        ("\\d", "3", true),
        ("\\bcole", "école", true),
        ("\\bécole", "école", false),
        ("(?i)\\W", "\u{17F}", true),
    ] {
        assert_eq!(condition(pattern).fires(&text(&[prose])).is_some(), fires, "{pattern} on {prose}");
    }
}

#[test]
fn row_58_look_around_and_back_references() {
    for (pattern, yes, no) in [
        ("(?<!`[^`\\n]{0,200})[가-힣]{2,}", "see 한글", "see `한글"),
        ("(?<d>..)\\k<d>", "abab", "abba"),
        ("(?<=a+)b", "aab", "cb"),
        ("(['\"])any\\1", "'any'", "'any\""),
        ("(?=.*x)y", "yx", "xy"),
    ] {
        let rules = condition(pattern);
        let checked = rules.check();
        assert!(checked.registered(), "{pattern}");
        assert!(checked.findings().iter().all(|found| found.severity != "error"), "{:#?}", checked.findings());
        assert_eq!(rules.fires(&text(&[yes])), Some(1), "{pattern} on {yes}");
        assert_eq!(rules.fires(&text(&[no])), None, "{pattern} on {no}");
        let run = rules.play("v3", &call("bash", &[yes]));
        assert!(run.of_kind("undecided").is_empty(), "{pattern}");
    }
}

#[test]
fn row_60_composed_and_decomposed_text() {
    for (pattern, prose, right) in [
        ("café", "cafe\u{301}", "caf(?:é|e\\u0301)"),
        ("Ångström", "A\u{30A}ngstro\u{308}m", "(?:Å|A\\u030A)ngstr(?:ö|o\\u0308)m"),
        ("cafe\u{301}", "café", "caf(?:é|e\\u0301)"),
    ] {
        let rules = condition(pattern);
        assert_eq!(rules.fires(&text(&[prose])), None, "{pattern}");
        assert_eq!(rules.fires(&text(&[pattern])), Some(1), "{pattern}");
        let checked = rules.check();
        let hint = checked.finding("normalisation-form", "note");
        assert!(hint.help.contains(&format!("`'{right}'`")), "{hint:?}");
        assert_eq!(checked.names().len(), 1, "{:#?}", checked.findings());
        for form in [pattern, prose] {
            assert_eq!(condition(right).fires(&text(&[form])), Some(1), "{right} on {form:?}");
        }
        assert!(condition(right).check().names().is_empty(), "{right}");
    }
    for silent in ["✨", "日本", "[가-힣]{2,}", "\\u00e9", "→ ß"] {
        assert!(condition(silent).check().names().is_empty(), "{silent}");
    }
}
