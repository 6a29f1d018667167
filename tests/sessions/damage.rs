//! Bad input: diagnostics, bounded time, nothing lost.

use ttsr::clock::Clock;
use ttsr::session::{NewHeader, ReadError, ReadMode, Session, Store, TitleSlot};
use ttsr::text::JsString;

const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}"#;

fn read(bytes: &[u8]) -> Result<Session, ReadError> {
    Session::from_bytes(bytes.to_vec(), "made", ReadMode::Tolerant)
}

fn refusal(bytes: &[u8]) -> String {
    match read(bytes) {
        Err(error @ ReadError::Refused(_)) => error.to_string(),
        other => panic!("not refused: {other:?}"),
    }
}

/// Both readers on a hostile text; a reader without bounds would not come back.
fn in_time(text: &str) -> [Result<Session, ReadError>; 2] {
    [ReadMode::Tolerant, ReadMode::Faithful].map(|mode| Session::from_text(text, "made", mode))
}

#[test]
fn files_of_another_kind_are_named() {
    assert!(refusal(b"\x1F\x8B\x08\0\0\0\0\0").contains("gzip"));
    let wide: Vec<u8> = HEADER.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(refusal(&wide).contains("UTF-16"));
    assert!(refusal(&[b"\xFF\xFE", wide.as_slice()].concat()).contains("UTF-16"));
    assert!(refusal(&[0; 4096]).contains("binary"));
    assert!(refusal(b"plain text\n").contains("header"));
    assert!(refusal(br#"{"type":"message","id":"a"}"#).contains("line 1"));
}

#[test]
fn deep_nesting_is_a_bad_line() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let text =
            format!("{HEADER}\n{{\"type\":\"x\",\"id\":\"aaaaaaaa\",\"data\":{deep}}}\n{}\n", open.repeat(100_000));
        let [tolerant, faithful] = in_time(&text);
        assert_eq!(tolerant.expect("a session").malformed(), 2);
        assert!(faithful.is_ok());
    }
}

#[test]
fn many_open_lines_are_read_in_bounded_time() {
    // Each line could go on to the end of the file, where none of them does.
    let text = format!("{HEADER}\n{}}}\n", "[\n".repeat(200_000));
    let [tolerant, faithful] = in_time(&text);
    assert_eq!(tolerant.expect("a session").malformed(), 200_001);
    assert!(faithful.expect("a session").malformed() > 0);
}

#[test]
fn findings_are_listed_up_to_a_limit_and_counted() {
    let session = read(format!("{HEADER}\n{}", "garbage\n".repeat(10_000)).as_bytes()).expect("a session");
    assert_eq!(session.malformed(), 10_000);
    assert!(session.diagnostics().len() < 100);
    assert!(session.diagnostics().iter().any(|finding| finding.message.contains("9950 more")));
}

#[test]
fn long_cycles_and_chains_end() {
    let count = 200_000_u32;
    let entry =
        |id: u32, parent: u32| format!("{{\"type\":\"x\",\"id\":\"{id:08x}\",\"parentId\":\"{parent:08x}\"}}\n");
    let cycle: String = (0..count).map(|id| entry(id, (id + 1) % count)).collect();
    let [tolerant, _] = in_time(&format!("{HEADER}\n{cycle}"));
    let session = tolerant.expect("a session");
    assert_eq!(session.branch(session.leaf()).len(), count as usize);
    assert!(session.diagnostics().iter().any(|finding| finding.code.name() == "parent-cycle"));
    let own = read(format!("{HEADER}\n{}", entry(7, 7)).as_bytes()).expect("a session");
    assert_eq!(own.branch(own.leaf()), [0]);
}

#[test]
fn one_huge_line_is_read() {
    let text = format!(
        "{HEADER}\n{{\"type\":\"message\",\"id\":\"aaaaaaaa\",\"parentId\":null,\"message\":{{\"role\":\"user\",\"content\":\"{}\"}}}}\n",
        "x".repeat(64 << 20)
    );
    let session = read(text.as_bytes()).expect("a session");
    assert_eq!((session.len(), session.malformed()), (1, 0));
    assert!(session.value(0).is_ok());
}

#[test]
fn large_files_are_read_from_the_disk() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("large.jsonl");
    let mut text = format!("{HEADER}\n");
    for at in 1..=40_000_u32 {
        let parent = if at == 1 { "null".to_owned() } else { format!("\"{:08x}\"", at - 1) };
        text += &format!(
            "{{\"type\":\"message\",\"id\":\"{at:08x}\",\"parentId\":{parent},\"message\":{{\"role\":\"user\",\"content\":\"{}\"}}}}\n",
            "y".repeat(500)
        );
    }
    text.pop();
    assert!(text.len() > 16 << 20);
    std::fs::write(&path, &text).expect("written");
    let session = Session::open(&path, "large", ReadMode::Tolerant).expect("a session");
    assert_eq!((session.len(), session.byte_len()), (40_000, text.len() as u64));
    assert_eq!(session.branch(session.leaf()).len(), 40_000);
    assert_eq!(session.entry(39_999).map(|entry| entry.line()), Some(40_001));
    assert!(session.value(20_000).expect("a value").to_json().contains("yyyy"));
    let leaf = session.leaf();
    let mut store = Store::resume(session, leaf);
    store.append_custom("note", None, &mut Clock::fixed(0, 1));
    let copy = directory.path().join("copy.jsonl");
    store.write_new(&copy).expect("written");
    let written = std::fs::read_to_string(&copy).expect("the copy");
    assert!(written.starts_with(&text) && written[text.len()..].starts_with("\n{\"type\":\"custom\""));
    assert_eq!(std::fs::read_to_string(&path).expect("the source"), text, "the input is never changed");
}

#[test]
fn a_new_session_is_written_whole_and_replaces_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut clock = Clock::fixed(1_767_225_600_000, 3);
    let slot = TitleSlot { title: "Näme".into(), source: None, updated_at: clock.iso().into() };
    let header = NewHeader { cwd: "/p".into(), parent_session: Some("old".into()), ..NewHeader::default() };
    let mut store = Store::create(header, &mut clock).with_title_slot(slot);
    let first = store.append_message(ttsr::json_object! {"role": "user", "content": "go"}, &mut clock);
    clock.advance(5);
    let details = ttsr::json_object! {"rules": vec!["r".into()]};
    store.append_custom_message("ttsr-injection", "text", false, Some(details.into()), Some("agent"), &mut clock);
    store.append_injection(&["r".into(), " r ".into()], &mut clock);
    assert!(store.set_leaf(Some("nowhere".into())).is_err());
    store.set_leaf(Some(first.clone())).expect("known");
    store.append_custom("note", Some(1_u32.into()), &mut clock);
    let path = directory.path().join("new.jsonl");
    store.write_new(&path).expect("written");

    let text = std::fs::read_to_string(&path).expect("the file");
    assert_eq!(text.find('\n'), Some(255), "a slot of 256 bytes");
    let session = Session::open(&path, "new", ReadMode::Faithful).expect("a session");
    assert_eq!(session.title().expect("a title"), Some("Näme".into()));
    assert_eq!(session.header().get("parentSession"), Some(&"old".into()));
    assert_eq!((session.len(), session.malformed()), (4, 0));
    assert_eq!(session.branch(session.leaf()), [0, 3]);
    let injected = session.injected_rules(Some(2)).expect("rules");
    assert_eq!(injected, [JsString::from("r"), " r ".into()]);

    let error = store.write_new(&path).expect_err("exists");
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    let left: Vec<_> = std::fs::read_dir(directory.path()).expect("a directory").collect();
    assert_eq!(left.len(), 1, "no temporary file is left");
}

#[test]
fn a_version_1_file_is_written_migrated_when_something_is_added() {
    let header = r#"{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}"#;
    let user = |text: &str| format!(r#"{{"type":"message","message":{{"role":"user","content":"{text}"}}}}"#);
    let file = format!("{header}\n{}\nbroken\n{}", user("a"), user("b"));
    let session = read(file.as_bytes()).expect("a session");
    let mut store = Store::resume(session, Some(0));
    let id = store.append_injection(&["r".into()], &mut Clock::fixed(0, 1));
    let written = String::from_utf8(store.to_bytes().expect("bytes")).expect("UTF-8");
    assert!(written.contains("\nbroken\n"), "damage is kept: {written}");
    let again = read(written.as_bytes()).expect("a session");
    assert!(!again.is_migrated());
    assert_eq!((again.len(), again.leaf()), (3, again.find(&id)));
    assert_eq!(again.branch(again.leaf()), [0, 2]);
}
