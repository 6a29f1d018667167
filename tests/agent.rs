//! The scripted agent: the script format, the order of events, and what it does when it is told to.

use std::fs;
use std::path::PathBuf;

use ttsr::agent::{Abort, Agent, CallScope, Due, EndOfScript, Occurrence, Script, ScriptSource, ScriptedAgent, Step};
use ttsr::clock::Clock;
use ttsr::diagnostic::{Code, code};
use ttsr::message::{AgentEvent, ContentBlock, Message};
use ttsr::text::JsString;
use ttsr::text::json::Value;

use crate::support;

const NOW: u64 = 1_000_000;

fn script(text: &str) -> Script {
    let (script, warnings) = Script::read(text.as_bytes(), "script.json").expect("a script");
    assert_eq!(warnings, []);
    script
}

fn agent(text: &str, prompts: &[&str]) -> ScriptedAgent {
    let mut agent = ScriptedAgent::new(ScriptSource::new(script(text), EndOfScript::Stop));
    for prompt in prompts {
        let mut message = Message::user(*prompt, 0);
        message.raw.remove("timestamp");
        agent.prompt(message);
    }
    agent
}

/// Plays on until nothing is left, telling each step to `host`.
fn play(
    agent: &mut ScriptedAgent,
    clock: &mut Clock,
    mut host: impl FnMut(&mut ScriptedAgent, &Step, u64),
) -> Vec<Occurrence> {
    let mut steps = Vec::new();
    while let Some(step) = agent.next_step(clock) {
        host(agent, &step, clock.now_ms());
        steps.push(step.occurrence);
        assert!(steps.len() < 100_000, "the agent does not stop");
    }
    steps
}

/// The run in words, deltas left out.
fn outline(steps: &[Occurrence]) -> Vec<String> {
    let word = |step: &Occurrence| match step {
        Occurrence::Event(event) => Some(match event {
            AgentEvent::AgentStart => "agent_start".to_owned(),
            AgentEvent::TurnStart => "turn_start".to_owned(),
            AgentEvent::Message(message) => format!("{} {}", message.role(), message.text()),
            AgentEvent::MessageStart { .. } => "start".to_owned(),
            AgentEvent::MessageEnd(message) => {
                format!("end {} {}", message.stop_reason().unwrap_or_default(), message.text()).trim().to_owned()
            }
            AgentEvent::ToolResult(message) => {
                let id = message.string("toolCallId").unwrap_or_default();
                let failed = message.raw.get("isError").and_then(Value::as_bool) == Some(true);
                format!("{id}{} {}", if failed { "!" } else { "" }, message.text())
            }
            AgentEvent::TurnEnd => "turn_end".to_owned(),
            AgentEvent::AgentEnd => "agent_end".to_owned(),
            _ => return None,
        }),
        Occurrence::WouldStop => Some("would_stop".to_owned()),
        Occurrence::Delivered(message) => Some(format!("delivered {}", message.text())),
        Occurrence::UserInterrupt => Some("user_interrupt".to_owned()),
        Occurrence::HandoffCancelled => Some("handoff_cancelled".to_owned()),
        Occurrence::Handoff => Some("handoff".to_owned()),
        Occurrence::LateStart { .. } => Some("late start".to_owned()),
        Occurrence::Entry(_) | Occurrence::Warned { .. } | Occurrence::ProcessEnd | Occurrence::TurnOver => {
            Some("recorded".to_owned())
        }
    };
    steps.iter().filter_map(word).collect()
}

fn deltas(steps: &[Occurrence]) -> Vec<String> {
    let delta = |step: &Occurrence| match step {
        Occurrence::Event(
            AgentEvent::TextDelta { delta, .. }
            | AgentEvent::ThinkingDelta { delta, .. }
            | AgentEvent::ToolCallDelta { delta, .. },
        ) => Some(delta.to_string_lossy()),
        _ => None,
    };
    steps.iter().filter_map(delta).collect()
}

#[test]
fn a_prompt_runs_until_no_call_is_left() {
    let text = r#"[
        [{"thinking":"hm"},{"tool":"read","args":{"path":"a"}},{"tool":"bash","args":{"command":"ls"}}],
        {"parts":[{"tool":"read","args":{"path":"b"}}],"toolResults":[{"index":0,"text":"no such file","isError":true}]},
        [{"text":"Done."}],
        [{"text":"Again."}]
    ]"#;
    let mut clock = Clock::fixed(NOW, 1);
    let mut agent = agent(text, &["one", "two"]);
    let steps = play(&mut agent, &mut clock, |_, _, _| {});
    let expected = [
        "agent_start",
        "turn_start",
        "user one",
        "start",
        "end toolUse",
        "call_1_0 ok",
        "call_1_1 ok",
        "turn_end",
        "turn_start",
        "start",
        "end toolUse",
        "call_2_0! no such file",
        "turn_end",
        "turn_start",
        "start",
        "end stop Done.",
        "turn_end",
        "would_stop",
        "agent_end",
        "agent_start",
        "turn_start",
        "user two",
        "start",
        "end stop Again.",
        "turn_end",
        "would_stop",
        "agent_end",
    ];
    assert_eq!(outline(&steps), expected);
    assert_eq!(agent.due(), Due::Done);
    assert_eq!(agent.source().finding(), None);
    // Every message has its own time stamp.
    let mut stamps: Vec<u64> = steps
        .iter()
        .filter_map(|step| match step {
            Occurrence::Event(
                AgentEvent::Message(message) | AgentEvent::MessageEnd(message) | AgentEvent::ToolResult(message),
            ) => message.timestamp().map(|ms| ms as u64),
            _ => None,
        })
        .collect();
    let count = stamps.len();
    stamps.sort_unstable();
    stamps.dedup();
    assert_eq!(stamps.len(), count);
}

#[test]
fn deltas_are_cut_as_the_script_says() {
    let text = r#"[[
        {"text":"0123456789"},
        {"text":"a😀b","chunk":2},
        {"thinking":"xyz","chunks":["x","","yz"]},
        {"tool":"write","args":{"b":1.0,"a":[]},"chunk":100},
        {"tool":"write","chunks":["{\"a\": ","1}"]}
    ]]"#;
    let mut clock = Clock::fixed(NOW, 1);
    let steps = play(&mut agent(text, &["go"]), &mut clock, |_, _, _| {});
    let expected = ["0123456", "789", "a\u{FFFD}", "\u{FFFD}b", "x", "", "yz", r#"{"b":1,"a":[]}"#, "{\"a\": ", "1}"];
    assert_eq!(deltas(&steps), expected);
    let end = steps.iter().find_map(|step| match step {
        Occurrence::Event(AgentEvent::MessageEnd(message)) => Some(message.clone()),
        _ => None,
    });
    let blocks = end.expect("the message").blocks();
    assert_eq!(blocks[1], ContentBlock::Text("a😀b".into()));
    let ContentBlock::ToolCall(call) = &blocks[3] else { panic!("a call") };
    assert_eq!((call.arguments.to_json().as_str(), &call.partial_args), (r#"{"b":1.0,"a":[]}"#, &None));
    let ContentBlock::ToolCall(call) = &blocks[4] else { panic!("a call") };
    assert_eq!(call.arguments.to_json(), r#"{"a":1}"#);
    assert_eq!(call.partial_args, Some(JsString::from("{\"a\": 1}")));
}

#[test]
fn an_abort_stops_at_once_and_the_retry_is_the_next_reply() {
    let text = r#"[
        [{"text":"one two"},{"tool":"read","args":{"path":"a"}},{"tool":"bash","args":{"command":"rm -rf x"},"chunk":5}],
        [{"text":"better"}]
    ]"#;
    let mut clock = Clock::fixed(NOW, 1);
    let mut agent = agent(text, &["go"]);
    let mut steps = Vec::new();
    while let Some(step) = agent.next_step(&mut clock) {
        let is_match = matches!(&step.occurrence, Occurrence::Event(AgentEvent::ToolCallDelta { index: 2, .. }));
        steps.push(step.occurrence);
        if is_match {
            let scope = CallScope { call: "call_1_1".into(), others: "another call".into() };
            agent.abort(Abort { reason: Some("TTSR matched rule: r".into()), scope: Some(scope), is_early: false });
        }
        if agent.due() == Due::Idle && !outline(&steps).contains(&"end stop better".to_owned()) {
            assert!(agent.continue_run());
            assert!(!agent.continue_run(), "it runs already");
        }
    }
    let expected = [
        "agent_start",
        "turn_start",
        "user go",
        "start",
        "end aborted one two",
        "call_1_0! Tool execution was aborted: another call",
        "turn_end",
        "agent_end",
        "agent_start",
        "turn_start",
        "start",
        "end stop better",
        "turn_end",
        "would_stop",
        "agent_end",
    ];
    assert_eq!(outline(&steps), expected);
    let aborted = steps.iter().find_map(|step| match step {
        Occurrence::Event(AgentEvent::MessageEnd(message)) => Some(message.clone()),
        _ => None,
    });
    let aborted = aborted.expect("the message");
    // The incomplete call is gone; the complete one stays.
    assert_eq!(aborted.tool_calls().len(), 1);
    assert_eq!(aborted.string("errorMessage"), Some("TTSR matched rule: r".into()));
    let texts = aborted.raw.get("toolCallAbortMessages").expect("texts").to_json();
    assert_eq!(texts, r#"{"call_1_0":"another call"}"#);
}

#[test]
fn a_follow_up_keeps_the_run_going() {
    let mut clock = Clock::fixed(NOW, 1);
    let mut agent = agent(r#"[[{"text":"one"}],[{"text":"two"}]]"#, &["go"]);
    let mut told = false;
    let steps = play(&mut agent, &mut clock, |agent, step, _| {
        if step.occurrence == Occurrence::WouldStop && !std::mem::replace(&mut told, true) {
            agent.follow_up(Message::user("and this", 5));
        }
    });
    let expected = [
        "agent_start",
        "turn_start",
        "user go",
        "start",
        "end stop one",
        "turn_end",
        "would_stop",
        "turn_start",
        "delivered and this",
        "start",
        "end stop two",
        "turn_end",
        "would_stop",
        "agent_end",
    ];
    assert_eq!(outline(&steps), expected);
}

#[test]
fn the_user_aborts_in_a_stream_or_before_the_retry() {
    let mut clock = Clock::fixed(NOW, 1);
    let text = r#"[{"parts":[{"text":"abcdef","chunk":1}],"delayMs":10,"userInterruptAfterMs":35}]"#;
    let steps = play(&mut agent(text, &["go"]), &mut clock, |_, _, _| {});
    let expected =
        ["agent_start", "turn_start", "user go", "start", "user_interrupt", "end aborted abc", "turn_end", "agent_end"];
    assert_eq!(outline(&steps), expected);
    assert_eq!(clock.now_ms(), NOW + 35);

    // A rule aborts at 10 ms, the user at 35: between the two the agent waits for a retry.
    let mut clock = Clock::fixed(NOW, 1);
    let mut waiting = agent(&text.replace(r#""delayMs":10"#, r#""delayMs":10,"newPromptAfterMs":90"#), &["go"]);
    let mut dues = Vec::new();
    while let Some(step) = waiting.next_step(&mut clock) {
        if matches!(step.occurrence, Occurrence::Event(AgentEvent::TextDelta { .. })) {
            waiting.abort(Abort::default());
        }
        dues.push((step.occurrence, waiting.due()));
    }
    let interrupt = dues.iter().position(|(step, _)| *step == Occurrence::UserInterrupt).expect("the interrupt");
    assert_eq!(dues[interrupt - 1].1, Due::At(NOW + 35));
    assert_eq!(clock.now_ms(), NOW + 35);
}

#[test]
fn a_new_prompt_comes_in_the_window_before_the_retry() {
    let mut clock = Clock::fixed(NOW, 1);
    let text = r#"[{"parts":[{"text":"bad"}],"newPromptAfterMs":20},[{"text":"new"}]]"#;
    let mut agent = agent(text, &["one", "two"]);
    let mut due = Vec::new();
    let steps = play(&mut agent, &mut clock, |agent, step, _| {
        if matches!(&step.occurrence, Occurrence::Event(AgentEvent::TextDelta { delta, .. }) if *delta == "bad") {
            agent.abort(Abort::default());
        }
        due.push(agent.due());
    });
    assert!(due.contains(&Due::At(NOW + 20)));
    let outline = outline(&steps);
    assert!(
        outline.ends_with(&["end stop new", "turn_end", "would_stop", "agent_end"].map(String::from)),
        "{outline:?}"
    );
    assert_eq!(clock.now_ms(), NOW + 20);
}

#[test]
fn a_failed_request_ends_the_run() {
    let mut clock = Clock::fixed(NOW, 1);
    let text = r#"[{"status":400,"error":"scripted failure"},{"parts":[{"text":"half"}],"error":{"name":"AbortError","message":"gone"}}]"#;
    let mut agent = agent(text, &["one", "two"]);
    let mut failures = Vec::new();
    let steps = play(&mut agent, &mut clock, |agent, step, _| {
        if matches!(step.occurrence, Occurrence::Event(AgentEvent::MessageEnd(_))) {
            failures.extend(agent.last_failure().cloned());
        }
    });
    let ends: Vec<_> = outline(&steps).into_iter().filter(|step| step.starts_with("end")).collect();
    assert_eq!(ends, ["end error", "end error half"]);
    assert_eq!(failures[0].text(), "400 scripted failure");
    assert_eq!(failures[1].name, Some("AbortError".into()));
}

#[test]
fn a_script_that_runs_dry_or_is_left_over_is_reported() {
    let mut clock = Clock::fixed(NOW, 1);
    let mut dry = agent("[[{\"text\":\"a\"}]]", &["one", "two"]);
    let steps = play(&mut dry, &mut clock, |_, _, _| {});
    assert!(outline(&steps).ends_with(&["user two", "agent_end"].map(String::from)));
    assert_eq!(dry.source().finding().map(|found| found.code), Some(code::SCRIPT_EXHAUSTED));

    let mut full = agent("[[{\"text\":\"a\"}],\n[{\"text\":\"b\"}],\n[{\"text\":\"c\"}]]", &["one"]);
    play(&mut full, &mut clock, |_, _, _| {});
    let found = full.source().finding().expect("a finding");
    assert_eq!((found.code, found.place.map(|place| place.start.line)), (code::SCRIPT_LEFT_OVER, Some(2)));

    let source = ScriptSource::new(script("[[{\"text\":\"a\"}]]"), EndOfScript::Repeat);
    let mut repeating = ScriptedAgent::new(source);
    repeating.prompt(Message::user("one", 1));
    repeating.prompt(Message::user("two", 2));
    let steps = play(&mut repeating, &mut clock, |_, _, _| {});
    assert_eq!(outline(&steps).iter().filter(|step| **step == "end stop a").count(), 2);
    assert_eq!(repeating.source().finding(), None);
}

#[test]
fn scripts_come_as_an_array_or_as_lines() {
    let replies =
        |text: &str| script(text).replies.iter().map(|reply| (reply.line, reply.parts.len())).collect::<Vec<_>>();
    assert_eq!(replies("[\n [{\"text\":\"a\"}],\n {\"parts\":[{\"text\":\"b\"}]}\n]"), [(2, 1), (3, 1)]);
    assert_eq!(replies("[{\"text\":\"a\"},{\"text\":\"b\"}]\n\n{\"parts\":[]}\n"), [(1, 2), (3, 0)]);
    assert_eq!(replies("{\"status\":500,\"error\":\"x\"}"), [(1, 0)]);
    assert_eq!(replies("[]"), []);
    assert_eq!(replies("[[]]"), [(1, 0)]);
}

#[test]
fn mistakes_in_scripts_are_located() {
    let cases: &[(&str, usize, usize, &str)] = &[
        ("[[{\"text\":\"a\"}],\n  [{\"txt\":\"b\"}]]", 2, 4, "unknown part"),
        ("[[{\"tool\":\"read\",\"args\":5}]]", 1, 25, "an object, not a number"),
        ("[[{\"tool\":\"read\",\"args\":\"[1\"}]]", 1, 25, "no object but"),
        ("[[{\"raw\":[]}]]", 1, 3, "raw chunks of a provider"),
        ("[[{\"tool\":\"read\",\"args\":[1]}]]", 1, 25, "an object, not a list"),
        ("[[{\"tool\":\"read\"}]]", 1, 3, "needs `args`"),
        ("[[{\"text\":5}]]", 1, 11, "a text, not a number"),
        ("[[\"é\",{\"text\":\"a\"}]]", 1, 3, "object"),
        ("[5]", 1, 2, "a reply is"),
        ("[{}]", 1, 2, "needs `parts`"),
        ("[[{\"text\":\"a\",\"chunk\":0}]]", 1, 23, "from 1"),
        ("[[{\"text\":\"ab\",\"chunks\":[\"a\"]}]]", 1, 11, "not what its `chunks`"),
        ("[{\"parts\":[],\"finish\":\"maybe\"}]", 1, 23, "`finish`"),
        ("[{\"parts\":[],\"delayMs\":-1}]", 1, 24, "whole number"),
        ("[{\"parts\":[],\"toolResults\":[{\"text\":\"x\"}]}]", 1, 29, "by `id` or by `index`"),
        ("not json", 1, 2, "no JSON"),
        ("[[{\"text\":\"a\"}]\n", 2, 1, "no JSON"),
        ("[{\"text\":\"a\"}]\nnope\n", 2, 2, "no JSON"),
        ("", 1, 1, "empty"),
    ];
    for (text, line, column, message) in cases {
        let errors = Script::read(text.as_bytes(), "s.json").expect_err(text);
        let error = &errors[0];
        let place = error.place.as_ref().expect("a place");
        assert_eq!(error.code, code::MALFORMED_SCRIPT);
        assert!(error.message.contains(message), "{text}: {}", error.message);
        assert_eq!((place.start.line, place.start.column), (*line, *column), "{text}");
    }
    let errors = Script::read(b"[[{\"text\":\"\xFF\"}]]", "s.json").expect_err("no UTF-8");
    assert_eq!(errors[0].place.as_ref().map(|place| place.start.offset), Some(11));
}

#[test]
fn unknown_keys_are_warned_about() {
    let text = br#"[{"parts":[{"text":"a","colour":1}],"delay":3}]"#;
    let (script, warnings) = Script::read(text, "s.json").expect("a script");
    assert_eq!(script.replies.len(), 1);
    let codes: Vec<Code> = warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(codes, [code::UNKNOWN_SCRIPT_KEY; 2]);
}

#[test]
fn large_scripts_are_read_and_played_in_linear_time() {
    let many = format!("[{}[]]", "[{\"text\":\"x\"}],".repeat(100_000));
    assert_eq!(script(&many).replies.len(), 100_001);
    let lines = "[{\"text\":\"x\"}]\n".repeat(100_000);
    assert_eq!(script(&lines).replies.last().map(|reply| reply.line), Some(100_000));

    let large = format!("[[{{\"text\":\"{}\"}}]]", "0123456789".repeat(2_000_000));
    let mut agent = agent(&large, &["go"]);
    let mut clock = Clock::fixed(NOW, 1);
    let (mut units, mut deltas) = (0, 0);
    while let Some(step) = agent.next_step(&mut clock) {
        match step.occurrence {
            Occurrence::Event(AgentEvent::TextDelta { delta, .. }) => {
                (units, deltas) = (units + delta.len(), deltas + 1)
            }
            Occurrence::Event(AgentEvent::MessageEnd(message)) => assert_eq!(message.text().len(), 20_000_000),
            _ => {}
        }
    }
    assert_eq!((units, deltas), (20_000_000, 20_000_000_usize.div_ceil(7)));
    // Anything quadratic takes minutes.
}

#[test]
fn recorded_scripts_play_to_their_end() {
    let folder =
        std::env::var_os("TTSR_RECORDINGS").map_or_else(|| support::project("testdata/recordings"), PathBuf::from);
    let cases = fs::read_dir(&folder).into_iter().flatten().flatten();
    let files = cases.flat_map(|case| fs::read_dir(case.path()).into_iter().flatten().flatten());
    let mut seen = 0;
    for path in files.map(|file| file.path()) {
        if !path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("script.")) {
            continue;
        }
        seen += 1;
        let bytes = fs::read(&path).expect("a script");
        // What the server beside the agent does, and arguments that are no JSON.
        let beside = ["\"stall\"", "\"die\"", "\"raw\"", "\"args\": \""].map(str::as_bytes);
        if beside.iter().any(|part| bytes.windows(part.len()).any(|bytes| bytes == *part)) {
            continue;
        }
        let (script, warnings) = Script::read(&bytes, "script").expect("a script");
        assert_eq!(warnings, [], "{}", path.display());
        let count = script.replies.len();
        let mut agent = ScriptedAgent::new(ScriptSource::new(script, EndOfScript::Stop));
        let mut clock = Clock::fixed(NOW, 1);
        while agent.source().given() < count {
            agent.prompt(Message::user("go", 1));
            play(&mut agent, &mut clock, |_, _, _| {});
        }
        assert_eq!(agent.source().finding(), None, "{}", path.display());
    }
    assert!(seen > 0, "no scripts in {}", folder.display());
}
