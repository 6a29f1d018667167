//! Random trees against a slow, obviously right model; writing what was read.

use proptest::collection::vec;
use proptest::prelude::*;
use ttsr::audit::{AuditOptions, audit};
use ttsr::clock::Clock;
use ttsr::generation::Lifecycle;
use ttsr::output::json as form;
use ttsr::output::json::v1::session::Session as Form;
use ttsr::session::{ReadMode, Session, Store};
use ttsr::settings::Settings;
use ttsr::text::json::{self, Value};

const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}"#;

/// An entry as generated: which kind, own id, parent id, a number for the payload.
#[derive(Clone, Debug)]
struct Made {
    kind: u8,
    id: u8,
    parent: u8,
    extra: u8,
}

fn id(number: u8) -> String {
    // Some ids have the usual form, some not.
    if number.is_multiple_of(3) { format!("name-{number}") } else { format!("{number:08x}") }
}

impl Made {
    fn line(&self) -> String {
        let parent = match self.parent {
            0 => "null".to_owned(),
            1 => "\"\"".to_owned(),
            number => format!("\"{}\"", id(number)),
        };
        let extra = self.extra;
        let payload = match self.kind {
            0 | 1 => format!(r#""type":"message","message":{{"role":"user","content":"u{extra}"}}"#),
            2 => format!(
                r#""type":"message","message":{{"role":"assistant","content":[{{"type":"text","text":"a{extra}"}}],"stopReason":"stop"}}"#
            ),
            3 => format!(
                r#""type":"message","message":{{"role":"assistant","content":[{{"type":"text","text":"x{extra}"}}],"stopReason":"aborted"}}"#
            ),
            4 => format!(r#""type":"ttsr_injection","injectedRules":["r{}","r{}"]"#, extra % 4, extra % 3),
            5 => format!(r#""type":"custom_message","customType":"note","content":"c{extra}","display":true"#),
            6 => format!(r#""type":"compaction","summary":"k{extra}","firstKeptEntryId":"{}""#, id(extra % 16 + 2)),
            7 => r#""type":"reset_boundary""#.to_owned(),
            8 => format!(r#""type":"branch_summary","summary":"{}","fromId":"root""#, if extra > 9 { "b" } else { "" }),
            _ => r#""type":"future_kind","data":[1,2]"#.to_owned(),
        };
        let time = format!("2026-01-01T00:00:{:02}.000Z", extra % 60);
        format!(r#"{{"id":"{}","parentId":{parent},"timestamp":"{time}",{payload}}}"#, id(self.id))
    }
}

fn trees() -> impl Strategy<Value = Vec<Made>> {
    let made = (0..10_u8, 2..22_u8, 0..22_u8, 0..20_u8);
    vec(made.prop_map(|(kind, id, parent, extra)| Made { kind, id, parent, extra }), 0..40)
}

/// A linear-looking tree, in which every entry hangs on an earlier one.
fn grown_trees() -> impl Strategy<Value = Vec<Made>> {
    vec((0..10_u8, 0..20_u8, 0..20_u8), 1..20).prop_map(|entries| {
        let made = entries.into_iter().enumerate().map(|(at, (kind, back, extra))| {
            let (at, back) = (at as u8, if back < 15 { 1 } else { back });
            Made { kind, id: at + 2, parent: if back > at { 0 } else { at + 2 - back }, extra }
        });
        made.collect()
    })
}

/// Everything about the tree, worked out by looking through the whole list each time.
struct Model {
    entries: Vec<Value>,
}

impl Model {
    fn text(&self, at: usize, key: &str) -> Option<String> {
        Some(self.entries[at].get(key)?.as_string()?.to_string_lossy())
    }

    fn find(&self, id: &str) -> Option<usize> {
        (0..self.entries.len()).rev().find(|at| self.text(*at, "id").as_deref() == Some(id))
    }

    fn branch(&self) -> Vec<usize> {
        let mut path = Vec::new();
        let mut next = self.entries.len().checked_sub(1);
        while let Some(at) = next {
            if path.contains(&at) {
                break;
            }
            path.insert(0, at);
            next = self.text(at, "parentId").filter(|id| !id.is_empty()).and_then(|id| self.find(&id));
        }
        path
    }

    fn injected(&self) -> Vec<String> {
        let mut names = Vec::new();
        for at in self.branch() {
            for name in self.entries[at].get("injectedRules").and_then(Value::as_array).unwrap_or_default() {
                let name = name.as_string().expect("a name").to_string_lossy();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Role and text of each message of the context.
    fn context(&self) -> Vec<(String, String)> {
        let path = self.branch();
        let kind = |at: usize| self.text(at, "type").expect("a type");
        let last = |wanted: &str| (0..path.len()).rev().find(|place| kind(path[*place]) == wanted);
        let mut messages = Vec::new();
        let places: Vec<usize> = match (last("reset_boundary"), last("compaction")) {
            (Some(reset), compaction) if compaction.is_none_or(|at| at < reset) => (reset + 1..path.len()).collect(),
            (_, Some(compaction)) => {
                messages
                    .push(("compactionSummary".to_owned(), self.text(path[compaction], "summary").expect("a summary")));
                let kept = self.text(path[compaction], "firstKeptEntryId");
                let first = (0..compaction).find(|place| self.text(path[*place], "id") == kept);
                (first.unwrap_or(compaction)..path.len()).filter(|place| *place != compaction).collect()
            }
            _ => (0..path.len()).collect(),
        };
        for at in places.into_iter().map(|place| path[place]) {
            let entry = &self.entries[at];
            match kind(at).as_str() {
                "message" => {
                    let message = entry.get("message").expect("a message");
                    if message.get("stopReason").and_then(Value::as_string).is_some_and(|reason| *reason == "aborted") {
                        continue;
                    }
                    let role = message.get("role").and_then(Value::as_string).expect("a role").to_string_lossy();
                    let content = message.get("content").expect("content");
                    let text = match content.as_array() {
                        Some(blocks) => blocks[0].get("text").and_then(Value::as_string),
                        None => content.as_string(),
                    };
                    messages.push((role, text.expect("a text").to_string_lossy()));
                }
                "custom_message" => messages.push(("custom".to_owned(), self.text(at, "content").expect("content"))),
                "branch_summary" => {
                    let summary = self.text(at, "summary").expect("a summary");
                    if !summary.is_empty() {
                        messages.push(("branchSummary".to_owned(), summary));
                    }
                }
                _ => {}
            }
        }
        messages
    }
}

fn agree_with_model(made: &[Made]) {
    let lines: Vec<String> = made.iter().map(Made::line).collect();
    let text = format!("{HEADER}\n{}\n", lines.join("\n"));
    let model = Model { entries: lines.iter().map(|line| json::parse(line).expect("JSON")).collect() };
    for mode in [ReadMode::Tolerant, ReadMode::Faithful] {
        let session = Session::from_text(&text, "made", mode).expect("a session");
        let leaf = session.leaf();
        assert_eq!(session.len(), made.len());
        assert_eq!(leaf, made.len().checked_sub(1));
        assert_eq!(session.branch(leaf), model.branch());
        let rules = session.injected_rules(leaf).expect("rules");
        assert_eq!(rules.iter().map(|name| name.to_string_lossy()).collect::<Vec<_>>(), model.injected());
        let context = session.context(leaf).expect("a context");
        let shown: Vec<(String, String)> = context
            .messages
            .iter()
            .map(|shown| {
                let text = super::shown_text(&shown.message).and_then(|text| text.as_string().cloned());
                (shown.message.role().to_string_lossy(), text.expect("a text").to_string_lossy())
            })
            .collect();
        assert_eq!(shown, model.context());
        for one in made {
            assert_eq!(session.find(&id(one.id).into()), model.find(&id(one.id)));
        }
        for at in 0..made.len() {
            assert_eq!(session.value(at).expect("a value"), model.entries[at]);
        }
    }
}

/// A line of any kind: good entries, damage, blank ones, bytes that are no UTF-8, with LF or CRLF.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let good = (0..10_u8, 2..22_u8, 0..22_u8, 0..20_u8)
        .prop_map(|(kind, id, parent, extra)| Made { kind, id, parent, extra }.line().into_bytes());
    let cut = (good.clone(), any::<prop::sample::Index>()).prop_map(|(line, at)| line[..at.index(line.len())].to_vec());
    let glued = (good.clone(), good.clone()).prop_map(|(one, other)| [one, other].concat());
    let spaced = good.clone().prop_map(|line| [b"  ", line.as_slice(), b" \t"].concat());
    let bytes = vec(any::<u8>().prop_filter("a line feed", |byte| *byte != b'\n'), 0..30);
    let word =
        prop::sample::select(vec!["", "   ", "null", "42", "[1]", "\"s\"", "{\"type\":\"x\",\"id\":\"\\ud800\"}"]);
    prop_oneof![4 => good, 1 => cut, 1 => glued, 1 => spaced, 1 => bytes, 1 => word.prop_map(|word| word.as_bytes().to_vec())]
        .prop_flat_map(|line| prop_oneof![Just(line.clone()), Just([line.as_slice(), b"\r"].concat())])
}

fn any_file() -> impl Strategy<Value = Vec<u8>> {
    (vec(any_line(), 0..12), any::<bool>(), any::<bool>()).prop_map(|(lines, mark, terminated)| {
        let mut file: Vec<u8> = if mark { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
        file.extend_from_slice(HEADER.as_bytes());
        for line in &lines {
            file.push(b'\n');
            file.extend_from_slice(line);
        }
        if terminated {
            file.push(b'\n');
        }
        file
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_trees_agree_with_the_model(made in trees()) {
        agree_with_model(&made);
    }

    #[test]
    fn grown_trees_agree_with_the_model(made in grown_trees()) {
        agree_with_model(&made);
    }

    #[test]
    fn what_is_read_is_written_byte_for_byte(file in any_file(), place in any::<prop::sample::Index>()) {
        let read = || Session::from_bytes(file.clone(), "made", ReadMode::Tolerant).expect("a session");
        let session = read();
        let count = session.len();
        let leaf = session.leaf();
        prop_assert_eq!(Store::resume(session, leaf).to_bytes().expect("bytes"), file.clone());
        let faithful = Session::from_bytes(file.clone(), "made", ReadMode::Faithful);
        if let Ok(faithful) = faithful {
            let leaf = faithful.leaf();
            prop_assert_eq!(Store::resume(faithful, leaf).to_bytes().expect("bytes"), file.clone());
        }

        // One entry appended, one in the middle replaced by an equal value.
        let session = read();
        let equal = (count > 0).then(|| place.index(count)).map(|at| (at, session.value(at).expect("a value")));
        let mut store = Store::resume(session, leaf);
        if let Some((at, value)) = &equal {
            store.replace(*at, value).expect("replaced");
        }
        let id = store.append_injection(&["rule".into()], &mut Clock::fixed(0, 7));
        let written = store.to_bytes().expect("bytes");
        prop_assert!(written.starts_with(&file));
        let again = Session::from_bytes(written, "again", ReadMode::Tolerant).expect("a session");
        prop_assert_eq!(again.len(), count + 1);
        prop_assert_eq!(again.leaf(), again.find(&id));
        prop_assert_eq!(again.entry(count).and_then(|entry| entry.parent()).is_some(), leaf.is_some());

        // Replaced by another value: every other byte stays.
        if let Some((at, _)) = equal {
            let session = read();
            let entry = session.entry(at).expect("an entry");
            let start = entry.offset() as usize;
            let mut store = Store::resume(session, leaf);
            store.replace(at, &json::parse("{\"type\":\"new\"}").expect("JSON")).expect("replaced");
            let written = store.to_bytes().expect("bytes");
            let new = b"{\"type\":\"new\"}";
            let kept = written[..start] == file[..start] && written[start..].starts_with(new);
            prop_assert!(kept && file.ends_with(&written[start + new.len()..]));
        }
    }

    #[test]
    fn any_session_can_be_audited(file in any_file(), made in trees(), all_branches in any::<bool>()) {
        let lines: Vec<String> = made.iter().map(Made::line).collect();
        let tree = format!("{HEADER}\n{}\n", lines.join("\n")).into_bytes();
        for bytes in [file, tree] {
            let session = Session::from_bytes(bytes, "made", ReadMode::Tolerant).expect("a session");
            let (settings, semantics) = (Settings::default(), Lifecycle::V3.semantics());
            let mut options = AuditOptions::new(&settings, &semantics);
            (options.all_branches, options.context) = (all_branches, true);
            let report = audit(&session, &options).expect("a report");
            let mut written = String::new();
            form::write(&Form::new(&session, &report, None), &mut |piece| written.push_str(piece));
            let written = json::parse(&written).expect("JSON");
            prop_assert_eq!(written.get("branch").and_then(Value::as_array).map(<[Value]>::len), Some(report.branch.len()));
        }
    }

    #[test]
    fn no_bytes_make_reading_fail_otherwise_than_by_a_refusal(bytes in vec(any::<u8>(), 0..200)) {
        for mode in [ReadMode::Tolerant, ReadMode::Faithful] {
            if let Ok(session) = Session::from_bytes(bytes.clone(), "bytes", mode) {
                // Nothing comes out of bytes but what they hold.
                let lines = bytes.split(|byte| *byte == b'\n').count();
                prop_assert!(session.len() <= lines + 1);
                if let Ok(context) = session.context(session.leaf()) {
                    prop_assert!(context.messages.len() <= session.len());
                }
            }
        }
    }
}
