//! Sessions: reference verdicts, the samples, damage, and properties over random trees.

use ttsr::clock::Clock;
use ttsr::message::Message;
use ttsr::session::{ReadError, ReadMode, RefusedStep, Session, SessionError, Store, Tree};
use ttsr::text::JsString;
use ttsr::text::json::{Object, Value};

use crate::support;

mod damage;
mod properties;

#[test]
fn session_vectors() {
    support::run_vectors("session", |case| {
        let text = support::js_string(case, "file_text").ok_or("no text")?;
        let expect = case.get("expect").and_then(Value::as_object).ok_or("nothing expected")?;
        let actual = verdict(&text.to_string_lossy());
        compare(expect, &actual)
    });
}

/// Every expected field must be given and equal; the fields that tell by being there must not be given unasked.
fn compare(expect: &Object, actual: &Object) -> Result<(), String> {
    let telling = ["error", "fresh", "title_slot"].into_iter().filter(|key| actual.get(key).is_some());
    for key in expect.iter().map(|(key, _)| key.to_string_lossy()).chain(telling.map(str::to_owned)) {
        let (wanted, got) = (expect.get(&key), actual.get(&key));
        if !wanted.zip(got).is_some_and(|(wanted, got)| same(wanted, got)) {
            let show = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_json);
            return Err(format!("{key}: expected {}, got {}", show(wanted), show(got)));
        }
    }
    Ok(())
}

/// Equality without key order, numbers as doubles.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let get = |key: &JsString| other.iter().find(|(own, _)| *own == key).map(|(_, value)| value);
            one.len() == other.len() && one.iter().all(|(key, value)| get(key).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}

/// What the faithful reader makes of the text, in the form of the vectors (vectors/README-b.md).
fn verdict(text: &str) -> Object {
    let mut verdict = Object::new();
    let session = match Session::from_text(text, "vector", ReadMode::Faithful) {
        Ok(session) => session,
        Err(ReadError::Refused(refusal)) => {
            let step = match refusal.step {
                RefusedStep::Header => "invalid-header",
                RefusedStep::Migration => "migrate",
                RefusedStep::Opening => "open",
            };
            verdict.insert("malformed_records", refusal.malformed);
            verdict.insert("invalid_header", refusal.step == RefusedStep::Header);
            verdict.insert("version_before", refusal.version_before.clone().unwrap_or(Value::Null));
            verdict.insert("migrated", refusal.migrated);
            if let Some(slot) = &refusal.title_slot {
                verdict.insert("title_slot", slot_verdict(slot));
            }
            verdict.insert("error", step);
            return verdict;
        }
        Err(ReadError::Io(error)) => panic!("text cannot fail to be read: {error}"),
    };
    verdict.insert("malformed_records", session.malformed());
    verdict.insert("invalid_header", false);
    if let Some(slot) = session.title_slot() {
        verdict.insert("title_slot", slot_verdict(slot));
    }
    if session.is_fresh() {
        verdict.insert("fresh", true);
        verdict.insert("version_before", Value::Null);
        verdict.insert("migrated", true);
    } else {
        verdict.insert("version_before", session.version_before().clone());
        verdict.insert("migrated", session.is_migrated());
        verdict.insert("header", header_verdict(session.header()));
    }
    let by_position = session.is_migrated() && session.version_before().as_f64().is_some_and(|version| version < 2.0);
    let id = |at: usize| match session.entry(at).and_then(|entry| entry.id_value()) {
        Some(_) if by_position => format!("#{at}").into(),
        Some(id) => id,
        None => Value::Null,
    };
    verdict.insert("entry_count", session.len());
    let types = session.entries().map(|entry| match entry.kind() {
        Some(_) => Value::String(entry.kind_name().clone()),
        None => entry.value().expect("an entry").get("type").cloned().unwrap_or(Value::Null),
    });
    verdict.insert("entry_types", types.collect::<Vec<Value>>());
    let leaf = session.leaf();
    verdict.insert("leaf", session.len().checked_sub(1).map_or(Value::Null, id));
    verdict.insert("branch", session.branch(leaf).into_iter().map(id).collect::<Vec<Value>>());
    match session.injected_values(leaf) {
        Ok(names) => verdict.insert("injected", names),
        Err(error) => return raised(verdict, "injected", &error),
    }
    let context = match session.context(leaf) {
        Ok(context) => context,
        Err(error) => return raised(verdict, "context", &error),
    };
    let messages = context.messages.iter().map(|message| message_verdict(&message.message).into());
    verdict.insert("context", messages.collect::<Vec<Value>>());
    verdict.insert("context_injected", context.injected_rules);
    let models: Object = context.models.into_iter().collect();
    verdict.insert("models", models);
    verdict.insert("thinking_level", context.thinking_level);
    verdict.insert("mode", context.mode);
    verdict
}

fn raised(mut verdict: Object, step: &str, error: &SessionError) -> Object {
    assert!(matches!(error, SessionError::Raises { .. }), "{error}");
    verdict.insert("error", step);
    verdict
}

fn slot_verdict(slot: &ttsr::session::TitleSlot) -> Object {
    let mut verdict = ttsr::json_object! {"title": slot.title.clone()};
    if let Some(source) = &slot.source {
        verdict.insert("source", source.clone());
    }
    verdict.insert("updated_at", slot.updated_at.clone());
    verdict
}

/// The members of the header that the vectors show.
fn header_verdict(header: &Object) -> Object {
    let shown = ["id", "version", "title", "titleSource", "timestamp", "cwd", "parentSession"];
    shown.iter().filter_map(|key| Some((*key, header.get(key)?.clone()))).collect()
}

fn message_verdict(message: &Message) -> Object {
    let mut verdict = Object::new();
    for (roles, own, key) in [
        (&[][..], "role", "role"),
        (&["custom", "hookMessage"], "customType", "custom_type"),
        (&["custom", "hookMessage"], "display", "display"),
        (&["toolResult"], "toolCallId", "tool_call_id"),
        (&["assistant"], "stopReason", "stop_reason"),
    ] {
        if (roles.is_empty() || roles.iter().any(|role| message.role() == *role))
            && let Some(value) = message.raw.get(own)
        {
            verdict.insert(key, value.clone());
        }
    }
    if let Some(text) = shown_text(message) {
        verdict.insert("text", text);
    }
    verdict
}

/// Blocks joined by a newline; thinking and calls in brackets; a summary for the summaries.
fn shown_text(message: &Message) -> Option<Value> {
    if ["compactionSummary", "branchSummary"].iter().any(|role| message.role() == *role) {
        return message.raw.get("summary").cloned();
    }
    let blocks = match message.raw.get("content") {
        None | Some(Value::Null) => return Some("".into()),
        Some(Value::Array(blocks)) => blocks,
        Some(other) => return Some(in_template(Some(other)).into()),
    };
    let mut text = JsString::new();
    for (at, block) in blocks.iter().enumerate() {
        if at > 0 {
            text.push_str("\n");
        }
        let member = |key: &str| in_template(block.get(key));
        match member("type").to_string_lossy().as_str() {
            "text" => text.push_units(member("text").units()),
            "thinking" => {
                text.push_str("(thinking) ");
                text.push_units(member("thinking").units());
            }
            "toolCall" => text.push_str(&format!("(call {} {})", member("id"), member("name"))),
            kind => text.push_str(&format!("({kind})")),
        }
    }
    Some(text.into())
}

/// What ECMAScript makes of a value in a template.
fn in_template(value: Option<&Value>) -> JsString {
    match value {
        None => "undefined".into(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(_)) => "[object Object]".into(),
        Some(Value::Array(items)) => {
            let items: Vec<String> = items.iter().map(|item| in_template(Some(item)).to_string_lossy()).collect();
            items.join(",").as_str().into()
        }
        Some(other) => other.stringify().as_str().into(),
    }
}

// ---- the samples (samples/README.md) ----

fn sample(name: &str) -> Session {
    let path = support::project("testdata/samples/sessions").join(name);
    Session::open(&path, name, ReadMode::Tolerant).expect("a session")
}

fn id_of(session: &Session, at: usize) -> String {
    session.entry(at).and_then(|entry| entry.id()).map(|id| id.to_string_lossy()).unwrap_or_default()
}

fn branch_ids(session: &Session) -> Vec<String> {
    session.branch(session.leaf()).into_iter().map(|at| id_of(session, at)).collect()
}

/// Roles of the context, custom messages with their type.
fn roles(session: &Session, leaf: Option<usize>) -> Vec<String> {
    let context = session.context(leaf).expect("a context");
    let shown = |message: &Message| match message.string("customType") {
        Some(custom_type) => format!("custom({custom_type})"),
        None => message.role().to_string_lossy(),
    };
    context.messages.iter().map(|message| shown(&message.message)).collect()
}

fn rules(session: &Session, leaf: Option<usize>) -> Vec<String> {
    let rules = session.injected_rules(leaf).expect("rules");
    rules.iter().map(JsString::to_string_lossy).collect()
}

fn numbered(prefix: &str, numbers: &[u32]) -> Vec<String> {
    numbers.iter().map(|number| format!("{prefix}{number:x}")).collect()
}

fn model(session: &Session, role: &str) -> Option<String> {
    let context = session.context(session.leaf()).expect("a context");
    context
        .models
        .iter()
        .find(|(name, _)| *name == role)
        .map(|(_, model)| model.as_string().expect("a name").to_string_lossy())
}

#[test]
fn sample_v1_is_migrated_by_position() {
    let session = sample("v1-legacy.jsonl");
    assert_eq!((session.len(), session.is_migrated()), (11, true));
    assert_eq!(branch_ids(&session).len(), 11);
    let expected = ["compactionSummary", "custom(lint-hook)", "user", "assistant", "toolResult", "assistant"];
    assert_eq!(roles(&session, session.leaf()), expected);
    let context = session.context(session.leaf()).expect("a context");
    assert_eq!(context.thinking_level, "low".into());
    assert!(context.injected_rules.is_empty());
}

#[test]
fn sample_v2_hook_messages_become_custom() {
    let session = sample("v2-hook-message.jsonl");
    assert_eq!(branch_ids(&session), numbered("b200000", &[1, 2, 3, 4, 5]));
    let expected = ["user", "custom(ci-status)", "assistant", "toolResult", "assistant"];
    assert_eq!(roles(&session, session.leaf()), expected);
}

#[test]
fn sample_linear_session_is_read_whole() {
    let session = sample("v3-linear.jsonl");
    assert_eq!(session.title().expect("a title").expect("a title"), "Fix stock rounding");
    assert_eq!(session.title_slot().map(|slot| slot.title.to_string_lossy()).as_deref(), Some("Fix stock rounding"));
    assert_eq!((session.len(), id_of(&session, session.leaf().expect("a leaf"))), (17, "c3000011".to_owned()));
    let expected = [
        "user",
        "fileMention",
        "assistant",
        "toolResult",
        "toolResult",
        "assistant",
        "toolResult",
        "bashExecution",
        "developer",
        "assistant",
    ];
    assert_eq!(roles(&session, session.leaf()), expected);
    let labels = session.labels().expect("labels");
    assert_eq!(labels.into_iter().collect::<Vec<_>>(), [("c3000003".into(), "task".into())]);
    let context = session.context(session.leaf()).expect("a context");
    assert_eq!(context.thinking_level, "medium".into());
    assert_eq!(context.configured_thinking_level, "auto".into());
    assert_eq!(model(&session, "default").as_deref(), Some("acme/coder-large"));
}

#[test]
fn sample_branches_have_their_own_rules() {
    let session = sample("v3-branched-compaction.jsonl");
    assert_eq!(session.len(), 21);
    let numbers = [0x01, 0x02, 0x03, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15];
    let live: Vec<String> = numbers.iter().map(|number| format!("d40000{number:02x}")).collect();
    assert_eq!(branch_ids(&session), live);
    let leaf = session.leaf();
    let expected = ["compactionSummary", "assistant", "user", "assistant", "custom(ttsr-injection)", "assistant"];
    assert_eq!(roles(&session, leaf), expected);
    assert_eq!(rules(&session, leaf), ["show-test-run"]);
    assert_eq!(model(&session, "default").as_deref(), Some("acme/coder-large"));
    assert_eq!(model(&session, "smol").as_deref(), Some("acme/coder-small"));
    let labels = session.labels().expect("labels");
    assert_eq!(labels.into_iter().collect::<Vec<_>>(), [("d400000a".into(), "exponential".into())]);
    let abandoned = session.find(&"d4000008".into());
    let expected = ["user", "assistant", "user", "custom(ttsr-injection)", "assistant"];
    assert_eq!(roles(&session, abandoned), expected);
    assert_eq!(rules(&session, abandoned), ["no-force-push"]);
    let tree = Tree::new(&session).expect("a tree");
    let point = session.find(&"d4000003".into()).expect("the branch point");
    assert_eq!((tree.roots().count(), tree.children(point).count()), (1, 2));
}

#[test]
fn sample_resumed_session_keeps_its_rules() {
    let session = sample("v3-ttsr-resumed.jsonl");
    assert_eq!((session.len(), id_of(&session, session.leaf().expect("a leaf"))), (18, "e5000012".to_owned()));
    let expected = [
        "user",
        "custom(ttsr-injection)",
        "assistant",
        "toolResult",
        "toolResult",
        "assistant",
        "toolResult",
        "assistant",
        "user",
        "assistant",
    ];
    assert_eq!(roles(&session, session.leaf()), expected);
    assert_eq!(rules(&session, session.leaf()), ["no-force-push", "no-any-type"]);
}

#[test]
fn sample_anomalies_give_the_rules_as_they_stand() {
    let session = sample("v3-ttsr-anomalies.jsonl");
    assert_eq!(session.len(), 21);
    let expected = ["show-test-run", "no-any-type", "no-force-push", " no-force-push ", "retired-rule"];
    assert_eq!(rules(&session, session.leaf()), expected);
}

#[test]
fn sample_damage_is_reported_and_kept() {
    let session = sample("damaged.jsonl");
    assert_eq!(session.title_slot().map(|slot| slot.title.to_string_lossy()).as_deref(), Some("Nightly import"));
    assert_eq!((session.len(), session.malformed()), (9, 3));
    assert_eq!(branch_ids(&session), numbered("a700000", &[1, 2, 3, 4, 5, 6, 9]));
    assert_eq!(roles(&session, session.leaf()), ["user", "assistant", "toolResult", "assistant", "user"]);
    assert_eq!(rules(&session, session.leaf()), ["show-test-run"]);
    assert_eq!(Tree::new(&session).expect("a tree").roots().count(), 2);
    let found: Vec<(String, usize)> = session
        .diagnostics()
        .iter()
        .map(|finding| (finding.code.name().to_owned(), finding.place.as_ref().map_or(0, |place| place.start.line)))
        .collect();
    for expected in [("malformed-line", 6), ("malformed-line", 8), ("unknown-entry-type", 10), ("truncated-tail", 16)] {
        assert!(found.contains(&(expected.0.to_owned(), expected.1)), "{expected:?} in {found:?}");
    }
    assert!(found.iter().any(|(name, _)| name == "dangling-parent"), "{found:?}");

    let leaf = session.leaf();
    let path = support::project("testdata/samples/sessions/damaged.jsonl");
    let before = std::fs::read(path).expect("the sample");
    let mut store = Store::resume(session, leaf);
    store.append_injection(&["r".into()], &mut Clock::fixed(0, 1));
    let after = store.to_bytes().expect("bytes");
    assert!(after.starts_with(&before), "no line is lost");
    let again = Session::from_bytes(after, "again", ReadMode::Tolerant).expect("a session");
    assert_eq!((again.len(), again.malformed()), (10, 3));
    assert_eq!(rules(&again, again.leaf()), ["show-test-run", "r"]);
}

#[test]
fn sample_of_pi_is_read() {
    let session = sample("pi-style.jsonl");
    assert_eq!((session.len(), id_of(&session, session.leaf().expect("a leaf"))), (11, "9800000b".to_owned()));
    let expected = ["compactionSummary", "assistant", "user", "custom(style-guide)", "assistant"];
    assert_eq!(roles(&session, session.leaf()), expected);
    assert_eq!(model(&session, "default").as_deref(), Some("acme/coder-large"));
}

#[test]
fn sample_reset_cuts_messages_and_not_rules() {
    let session = sample("v3-reset-mode.jsonl");
    assert_eq!((session.len(), id_of(&session, session.leaf().expect("a leaf"))), (12, "8900000c".to_owned()));
    assert_eq!(roles(&session, session.leaf()), ["user", "assistant", "toolResult", "assistant"]);
    assert_eq!(rules(&session, session.leaf()), ["show-test-run"]);
    assert_eq!(session.context(session.leaf()).expect("a context").mode, "none".into());
}
