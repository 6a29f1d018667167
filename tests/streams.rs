//! Event streams: the samples, the recordings, hostile input, and writing what reading gives back.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use ttsr::diagnostic::code;
use ttsr::json_object;
use ttsr::message::{AgentEvent, ContentBlock, Message, Model, text_block, thinking_block, tool_call_block};
use ttsr::stream::{ChunkMode, Chunker, EventReader, EventWriter, InputKind, Origin, StreamCounts, StreamItem, detect};
use ttsr::text::JsString;
use ttsr::text::json::{self, Value};

use crate::support;

struct Read {
    items: Vec<(Option<usize>, StreamItem)>,
    counts: StreamCounts,
    codes: Vec<&'static str>,
}

impl Read {
    fn events(&self) -> Vec<AgentEvent> {
        let events = self.items.iter().filter_map(|(_, item)| match item {
            StreamItem::Event(event) => Some(event.clone()),
            _ => None,
        });
        events.collect()
    }
}

fn read(bytes: &[u8]) -> Read {
    let mut reader = EventReader::new(bytes, "stream.jsonl");
    let mut items = Vec::new();
    while let Some(item) = reader.next_item() {
        items.push((item.origin.line, item.content));
    }
    let codes = reader.take_diagnostics().iter().map(|diagnostic| diagnostic.code.name()).collect();
    Read { items, counts: reader.counts(), codes }
}

fn sample(name: &str) -> Vec<u8> {
    fs::read(support::project(&format!("testdata/samples/streams/{name}"))).expect("a sample")
}

/// Per assistant message the joined deltas of each block, and the message's end.
fn messages(events: &[AgentEvent]) -> Vec<(BTreeMap<usize, JsString>, Message)> {
    let (mut messages, mut blocks) = (Vec::new(), BTreeMap::<usize, JsString>::new());
    for event in events {
        match event {
            AgentEvent::MessageStart { .. } | AgentEvent::StreamRestart => blocks.clear(),
            AgentEvent::TextDelta { index, delta }
            | AgentEvent::ThinkingDelta { index, delta }
            | AgentEvent::ToolCallDelta { index, delta } => {
                blocks.entry(*index).or_default().push_units(delta.units());
            }
            AgentEvent::MessageEnd(message) => messages.push((std::mem::take(&mut blocks), message.clone())),
            _ => {}
        }
    }
    messages
}

/// The deltas of each block of the final message give its content (session.md S8.5c).
fn assert_deltas_give_content(events: &[AgentEvent]) {
    for (blocks, message) in messages(events) {
        for (index, block) in message.blocks().into_iter().enumerate() {
            let streamed = blocks.get(&index).cloned().unwrap_or_default();
            match block {
                ContentBlock::Text(text) | ContentBlock::Thinking(text) => assert_eq!(streamed, text),
                ContentBlock::ToolCall(call) => {
                    let streamed = json::parse(&streamed.to_utf8().expect("text")).expect("whole arguments");
                    assert_eq!(streamed, call.arguments);
                }
                ContentBlock::Other(kind) => panic!("a block of kind {kind}"),
            }
        }
    }
}

#[test]
fn the_slim_sample_is_read_whole() {
    let read = read(&sample("json-interrupt.jsonl"));
    assert_eq!(read.counts, StreamCounts { events: 39, malformed: 0, unknown: 0 });
    assert_eq!(read.codes, [""; 0]);
    assert_deltas_give_content(&read.events());
    assert!(matches!(&read.items[0].1, StreamItem::Header(header) if header.cwd.is_some()));
    let triggered: Vec<_> = read.items.iter().filter(|(_, item)| matches!(item, StreamItem::Triggered(_))).collect();
    assert!(
        matches!(&triggered[..], [(Some(11), StreamItem::Triggered(names))] if *names == [JsString::from("no-force-push")])
    );
}

#[test]
fn calls_of_the_slim_form_are_named_from_their_end() {
    let read = read(&sample("json-reminder-deferred.jsonl"));
    assert_eq!(read.counts, StreamCounts { events: 53, malformed: 0, unknown: 0 });
    assert_eq!(read.codes, [""; 0]);
    let events = read.events();
    assert_deltas_give_content(&events);
    let mut ends = BTreeMap::new();
    for event in events.iter().rev() {
        match event {
            AgentEvent::ToolCallEnd { index, id, name, .. } => drop(ends.insert(*index, (id.clone(), name.clone()))),
            AgentEvent::ToolCallStart { index, id, name } => {
                let end = ends.remove(index).expect("the end of the call");
                assert_eq!((id.clone(), name.clone()), (Some(end.0), Some(end.1)));
            }
            _ => {}
        }
    }
    // The order of the lines is the order of the items, whatever was held back.
    let lines: Vec<_> = read.items.iter().filter_map(|(line, _)| *line).collect();
    assert!(lines.is_sorted());
}

#[test]
fn the_full_sample_names_a_call_that_never_ends() {
    let read = read(&sample("rpc-partials-retry-torn.jsonl"));
    assert_eq!(read.counts, StreamCounts { events: 41, malformed: 1, unknown: 0 });
    assert_eq!(read.codes, ["torn-stream"]);
    let starts: Vec<_> =
        read.events().into_iter().filter(|event| matches!(event, AgentEvent::ToolCallStart { .. })).collect();
    let name = |event: &AgentEvent| match event {
        AgentEvent::ToolCallStart { name, .. } => name.as_ref().map(JsString::to_string_lossy),
        _ => None,
    };
    assert_eq!(starts.iter().map(name).collect::<Vec<_>>(), [Some("read".to_owned()), Some("bash".to_owned())]);
}

#[test]
fn recorded_streams_are_read_without_findings() {
    let folder =
        std::env::var_os("TTSR_RECORDINGS").map_or_else(|| support::project("testdata/recordings"), PathBuf::from);
    let cases = fs::read_dir(&folder).into_iter().flatten().flatten();
    let files = cases.flat_map(|case| fs::read_dir(case.path()).into_iter().flatten().flatten());
    let mut seen = 0;
    for file in files.map(|file| file.path()) {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !name.starts_with("events.") {
            continue;
        }
        seen += 1;
        let bytes = fs::read(&file).expect("a recording");
        assert_eq!(detect(&bytes), InputKind::Events, "{}", file.display());
        let read = read(&bytes);
        // An incomplete call of an aborted message may stay without a name (session.md S8.6, pitfall 2).
        let others: Vec<_> = read.codes.iter().filter(|code| **code != "unknown-tool").collect();
        assert_eq!(others, [&""; 0], "{}", file.display());
        let lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(read.counts, StreamCounts { events: lines, malformed: 0, unknown: 0 }, "{}", file.display());
        let is_unnamed = |event: &AgentEvent| matches!(event, AgentEvent::ToolCallStart { name: None, .. });
        let unnamed = read.events().iter().filter(|event| is_unnamed(event)).count();
        assert_eq!(unnamed, read.codes.len(), "{}", file.display());
    }
    assert!(seen > 0, "no recorded streams in {}", folder.display());
}

const UPDATE: &str = r#"{"type":"message_update","assistantMessageEvent":"#;

fn update(event: &str) -> String {
    format!("{UPDATE}{event}}}\n")
}

const START: &str =
    r#"{"type":"message_start","message":{"role":"assistant","content":[{"type":"text","text":"again"}]}}"#;

#[test]
fn bad_lines_are_located_and_skipped() {
    let text = format!(
        "{START}\nplain\n\n[1]\n{{\"no\":1}}\n{}{}{{\"type\":\"brand_new\"}}\n{{\"type\":\"brand_new\"}}\n{{\"type\":\"turn_e",
        update(r#"{"type":"text_delta","contentIndex":0}"#),
        update(r#"{"type":"text_delta","contentIndex":0,"delta":"a"}"#),
    );
    let mut reader = EventReader::new(text.as_bytes(), "s.jsonl");
    let mut deltas = 0;
    while let Some(item) = reader.next_item() {
        deltas += usize::from(matches!(item.content, StreamItem::Event(AgentEvent::TextDelta { .. })));
    }
    assert_eq!(deltas, 1);
    let found: Vec<_> = reader.take_diagnostics();
    let lines: Vec<_> =
        found.iter().map(|found| (found.code, found.place.as_ref().map(|place| place.start.line))).collect();
    let expected = [
        (code::MALFORMED_EVENT, Some(2)),
        (code::MALFORMED_EVENT, Some(4)),
        (code::MALFORMED_EVENT, Some(5)),
        (code::MALFORMED_EVENT, Some(6)),
        (code::TORN_STREAM, Some(10)),
        (code::UNKNOWN_EVENT, Some(8)),
    ];
    assert_eq!(lines, expected);
    assert!(found[5].message.contains("2 times"), "{}", found[5].message);
}

#[test]
fn an_aborted_call_that_is_never_named_is_unknown() {
    let end = r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"toolCall","id":"b","name":"read","arguments":{"path":"x"}}],"stopReason":"aborted"}}"#;
    let text = [
        START.to_owned() + "\n",
        update(r#"{"type":"toolcall_start","contentIndex":0}"#),
        update(r#"{"type":"toolcall_delta","contentIndex":0,"delta":"{\"command\":\"rm"}"#),
        update(r#"{"type":"toolcall_start","contentIndex":1}"#),
        update(r#"{"type":"toolcall_delta","contentIndex":1,"delta":"{\"path\":\"x\"}"}"#),
        end.to_owned(),
    ]
    .concat();
    let read = read(text.as_bytes());
    assert_eq!(read.codes, ["unknown-tool"]);
    let names: Vec<_> = read
        .events()
        .into_iter()
        .filter_map(|event| match event {
            AgentEvent::ToolCallStart { index, name, .. } => Some((index, name)),
            _ => None,
        })
        .collect();
    assert_eq!(names, [(0, None), (1, Some("read".into()))]);
}

#[test]
fn a_late_message_start_names_a_call_that_never_ends() {
    let start = r#"{"type":"message_start","message":{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"toolCall","id":"c","name":"bash","arguments":{}}]}}"#;
    let text = [
        start.to_owned() + "\n",
        update(r#"{"type":"text_delta","contentIndex":0,"delta":"a"}"#),
        update(r#"{"type":"toolcall_start","contentIndex":1}"#),
        update(r#"{"type":"toolcall_delta","contentIndex":1,"delta":"{\"com"}"#),
        r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"a"}],"stopReason":"aborted"}}"#.to_owned(),
    ]
    .concat();
    let read = read(text.as_bytes());
    assert_eq!(read.codes, [""; 0]);
    let start = AgentEvent::ToolCallStart { index: 1, id: Some("c".into()), name: Some("bash".into()) };
    assert!(read.events().contains(&start));
}

#[test]
fn a_message_without_deltas_is_decided_block_by_block() {
    let end = r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"whole"}],"stopReason":"stop"}}"#;
    let read = read(format!("{START}\n{end}\n").as_bytes());
    assert_eq!(read.codes, ["message-without-deltas"]);
    assert!(read.events().contains(&AgentEvent::TextDelta { index: 0, delta: "whole".into() }));
}

#[test]
fn a_frame_in_parts_is_one_event() {
    let event = update(r#"{"type":"text_delta","contentIndex":0,"delta":"split"}"#);
    let (left, right) = event.trim_end().split_at(60);
    let part = |index: usize, data: &str| {
        let part = json_object! {
            "type": "rpc_chunk", "chunkId": "c", "index": index, "count": 2_usize, "byteLength": event.len(), "data": data,
        };
        Value::from(part).to_json()
    };
    let text = format!("{START}\n{}\n{{\"type\":\"notice\"}}\n{}\n", part(0, left), part(1, right));
    let read = read(text.as_bytes());
    assert_eq!(read.codes, [""; 0]);
    assert!(read.events().contains(&AgentEvent::TextDelta { index: 0, delta: "split".into() }));
}

#[test]
fn a_full_stream_costs_no_more_than_its_bytes() {
    // Each line repeats the message so far twice, as the full form does: 2 000 deltas make 40 MB.
    let (mut text, mut so_far) = (format!("{START}\n"), String::new());
    for _ in 0..2_000 {
        so_far.push_str("ten chars ");
        let partial = format!(r#"{{"role":"assistant","content":[{{"type":"text","text":"{so_far}"}}]}}"#);
        text.push_str(&format!(
            "{UPDATE}{{\"type\":\"text_delta\",\"contentIndex\":0,\"delta\":\"ten chars \",\"partial\":{partial}}},\"message\":{partial}}}\n"
        ));
    }
    let read = read(text.as_bytes());
    assert_eq!((read.codes.len(), read.counts.malformed), (0, 0));
    assert_eq!(read.events().len(), 2_001);
}

#[test]
fn a_flood_of_bad_lines_is_counted_not_listed() {
    let read = read("x\n".repeat(100_000).as_bytes());
    assert_eq!(read.counts.malformed, 100_000);
    assert_eq!(read.codes.len(), 51);
}

#[test]
fn an_unreadable_input_ends_with_a_finding() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("gone"))
        }
    }
    let mut reader = EventReader::new(std::io::BufReader::new(Broken), "s");
    assert_eq!(reader.next_item(), None);
    assert!(reader.read_error().is_some());
    assert_eq!(reader.take_diagnostics()[0].code, code::UNREADABLE_STREAM);
}

#[test]
fn recorded_blocks_stream_again_whole() {
    let call = tool_call_block("c".into(), "write".into(), json::parse(r#"{"b":1.0,"a":"😀x"}"#).expect("JSON"));
    let content = vec![thinking_block("hm hm"), text_block("a😀b\nc"), Value::from(call)];
    let message = Message::assistant(&Model::scripted(), content, "toolUse", 1_u64.into());
    for mode in ["chars:1", "chars:4", "words", "lines", "block", "all"] {
        let mode: ChunkMode = mode.parse().expect("a mode");
        let mut events = vec![AgentEvent::MessageStart { timestamp: None }];
        events.extend(Chunker::new(mode).events(&message, &Origin::default()).map(|(event, _)| event));
        events.push(AgentEvent::MessageEnd(message.clone()));
        let (blocks, _) = messages(&events).remove(0);
        let texts: Vec<_> = blocks.values().map(JsString::to_string_lossy).collect();
        assert_eq!(texts, ["hm hm", "a😀b\nc", r#"{"b":1,"a":"😀x"}"#], "{mode}");
    }
}

#[test]
fn an_incomplete_recorded_call_has_no_end() {
    let mut call = tool_call_block("c".into(), "write".into(), json::parse(r#"{"a":"x"}"#).expect("JSON"));
    call.insert("partialArgs", r#"{"a":"x"#);
    let message = Message::assistant(&Model::scripted(), vec![Value::from(call)], "aborted", 1_u64.into());
    let events: Vec<_> = Chunker::default().events(&message, &Origin::default()).map(|(event, _)| event).collect();
    assert!(matches!(events.last(), Some(AgentEvent::ToolCallDelta { delta, .. }) if *delta == ":\"x"), "{events:?}");
}

/// A run of one assistant message: what a stream can hold of it without loss.
fn runs() -> impl Strategy<Value = Vec<AgentEvent>> {
    let text = proptest::collection::vec(any::<u16>(), 0..6).prop_map(JsString::from_units);
    let deltas = proptest::collection::vec(text, 0..4);
    let block = (0..4_u8, deltas, "[a-z]{1,5}", any::<bool>());
    (proptest::collection::vec(block, 0..5), any::<bool>()).prop_map(|(blocks, aborted)| {
        let mut events = vec![AgentEvent::AgentStart, AgentEvent::TurnStart];
        events.push(AgentEvent::Message(Message::user("do it", 1)));
        events.push(AgentEvent::MessageStart { timestamp: Some(2.0) });
        let (mut content, mut calls) = (Vec::new(), Vec::new());
        let count = blocks.len();
        for (index, (kind, deltas, name, _)) in blocks.into_iter().enumerate() {
            let joined = deltas.iter().fold(JsString::new(), |mut joined, delta| {
                joined.push_units(delta.units());
                joined
            });
            let (id, name) = (JsString::from(format!("call_{index}")), JsString::from(name));
            if kind == 0 {
                events.push(AgentEvent::ToolCallStart { index, id: Some(id.clone()), name: Some(name.clone()) });
            }
            for delta in deltas {
                events.push(match kind {
                    0 => AgentEvent::ToolCallDelta { index, delta },
                    1 => AgentEvent::ThinkingDelta { index, delta },
                    _ => AgentEvent::TextDelta { index, delta },
                });
            }
            match kind {
                // A call at the end of an aborted message stays incomplete.
                0 if aborted && index + 1 == count => {}
                0 => {
                    let arguments = Value::from(json_object! { "text": joined });
                    content.push(tool_call_block(id.clone(), name.clone(), arguments.clone()).into());
                    calls.push((id.clone(), name.clone()));
                    events.push(AgentEvent::ToolCallEnd { index, id, name, arguments: Some(arguments) });
                }
                1 => content.push(thinking_block(joined)),
                _ => content.push(text_block(joined)),
            }
        }
        let message =
            Message::assistant(&Model::scripted(), content, if aborted { "aborted" } else { "stop" }, 2_u64.into());
        let has_deltas = events.iter().any(|event| {
            matches!(
                event,
                AgentEvent::TextDelta { .. } | AgentEvent::ThinkingDelta { .. } | AgentEvent::ToolCallStart { .. }
            )
        });
        if has_deltas {
            events.push(AgentEvent::MessageEnd(message));
        } else {
            events.push(AgentEvent::MessageEnd(Message::assistant(
                &Model::scripted(),
                Vec::new(),
                "stop",
                2_u64.into(),
            )));
        }
        for (id, name) in calls {
            events.push(AgentEvent::ToolResult(Message::tool_result(id, name, "ok", false, 3)));
        }
        events.extend([AgentEvent::TurnEnd, AgentEvent::AgentEnd]);
        events
    })
}

proptest! {
    #[test]
    fn a_written_run_reads_back(events in runs()) {
        let mut writer = EventWriter::new(Vec::new(), Model::scripted());
        let header = json_object! { "type": "session", "version": 3_u32, "id": "x", "cwd": "/project" };
        writer.header(&header).expect("written");
        for event in &events {
            writer.event(event).expect("written");
        }
        let bytes = writer.into_inner();
        prop_assert_eq!(detect(&bytes), InputKind::Events);
        let read = read(&bytes);
        prop_assert!(read.codes.is_empty(), "{:?}", read.codes);
        prop_assert_eq!(read.events(), events);
    }

    #[test]
    fn any_bytes_are_read_to_the_end(lines in proptest::collection::vec(hostile_line(), 0..20)) {
        let bytes = lines.concat();
        let read = read(&bytes);
        detect(&bytes);
        // What is given stands in lines that there are.
        let count = bytes.split(|byte| *byte == b'\n').count();
        let lines = read.items.iter().filter_map(|(line, _)| *line);
        prop_assert!(lines.into_iter().all(|line| (1..=count).contains(&line)), "{:?}", read.items);
    }
}

/// Lines that are almost events.
fn hostile_line() -> impl Strategy<Value = Vec<u8>> {
    let kinds =
        ["message_start", "message_update", "message_end", "ttsr_triggered", "rpc_chunk", "turn_end", "session", "x"];
    let updates = ["start", "text_delta", "toolcall_start", "toolcall_delta", "toolcall_end", "done", "x"];
    let value = prop_oneof![
        Just("null".to_owned()),
        Just("[]".to_owned()),
        Just("\"\\ud800\"".to_owned()),
        Just("4294967295".to_owned()),
        Just("-1".to_owned()),
        Just(
            r#"{"role":"assistant","content":[{"type":"toolCall","name":"a"}],"name":"b","type":"toolCall"}"#
                .to_owned()
        ),
        Just(r#"{"role":"user","content":3}"#.to_owned()),
        Just("0".to_owned()),
        Just("{".to_owned()),
    ];
    let structured = (
        proptest::sample::select(kinds.to_vec()),
        proptest::sample::select(updates.to_vec()),
        proptest::collection::vec(value, 8),
    )
        .prop_map(|(kind, update, values)| {
            let [message, index, delta, call, partial, rules, count, data] = &values[..] else { unreachable!() };
            format!(
                "{{\"type\":\"{kind}\",\"message\":{message},\"rules\":{rules},\"chunkId\":\"a\",\"index\":{index},\"count\":{count},\"data\":{data},\"assistantMessageEvent\":{{\"type\":\"{update}\",\"contentIndex\":{index},\"delta\":{delta},\"toolCall\":{call},\"partial\":{partial}}}}}\n"
            )
            .into_bytes()
        });
    prop_oneof![3 => structured, 1 => proptest::collection::vec(any::<u8>(), 0..40)]
}
