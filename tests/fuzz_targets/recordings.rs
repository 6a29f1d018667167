//! Sessions, event streams and scripts.

use std::io::BufReader;

use ttsr::agent::Script;
use ttsr::audit::{AuditOptions, audit};
use ttsr::clock::Clock;
use ttsr::generation::Lifecycle;
use ttsr::session::{ReadMode, Session, Store};
use ttsr::settings::Settings;
use ttsr::stream::{EventReader, Item, StreamCounts, detect};

/// What is read is written byte for byte, and read again is the same; what is added is found.
pub fn session(bytes: &[u8]) {
    for mode in [ReadMode::Tolerant, ReadMode::Faithful] {
        let Ok(session) = Session::from_bytes(bytes.to_vec(), "s.jsonl", mode) else { continue };
        if session.is_fresh() {
            continue;
        }
        let (count, leaf) = (session.len(), session.leaf());
        assert!(leaf.is_none_or(|leaf| leaf < count));
        let branch = session.branch(leaf);
        assert!(branch.len() <= count && branch.iter().all(|at| *at < count));
        let context = session.context(leaf).is_ok();
        if mode == ReadMode::Tolerant {
            let (settings, semantics) = (Settings::default(), Lifecycle::V3.semantics());
            let mut options = AuditOptions::new(&settings, &semantics);
            (options.all_branches, options.context) = (true, true);
            assert!(audit(&session, &options).is_ok() || !context);
        }
        let mut store = Store::resume(session, leaf);
        assert_eq!(store.to_bytes().expect("bytes"), bytes, "{mode:?}");
        // A line that the file ends in takes the next one up, as it does for the agent.
        if mode == ReadMode::Faithful && !bytes.ends_with(b"\n") {
            continue;
        }
        let id = store.append_injection(&["rule".into()], &mut Clock::fixed(0, 7));
        let written = store.to_bytes().expect("bytes");
        let again = Session::from_bytes(written, "again.jsonl", mode).expect("what was written is read");
        assert_eq!((again.len(), again.leaf()), (count + 1, again.find(&id)), "{mode:?}");
    }
}

fn items(bytes: &[u8], capacity: usize) -> (Vec<Item>, StreamCounts, usize) {
    let mut reader = EventReader::new(BufReader::with_capacity(capacity, bytes), "e.jsonl");
    let mut items = Vec::new();
    while let Some(item) = reader.next_item() {
        items.push(item);
    }
    let findings = reader.take_diagnostics().len();
    assert!(reader.read_error().is_none());
    (items, reader.counts(), findings)
}

/// A stream is read to its end, alike in whatever pieces it comes.
pub fn events(bytes: &[u8]) {
    detect(bytes);
    let (whole, counts, findings) = items(bytes, 1 << 16);
    let (pieces, other_counts, other_findings) = items(bytes, 7);
    assert_eq!(format!("{whole:?}"), format!("{pieces:?}"));
    assert_eq!((format!("{counts:?}"), findings), (format!("{other_counts:?}"), other_findings));
    let lines = bytes.split(|byte| *byte == b'\n').count();
    assert!(whole.iter().filter_map(|item| item.origin.line).all(|line| (1..=lines).contains(&line)));
}

/// A script is read, or refused with places within it.
pub fn script(bytes: &[u8]) {
    match Script::read(bytes, "s.json") {
        Ok((script, _)) => {
            for reply in &script.replies {
                assert!(format!("{reply:?}").len() > 2);
            }
        }
        Err(findings) => {
            assert!(!findings.is_empty());
            for place in findings.iter().filter_map(|finding| finding.place.as_ref()) {
                assert!(place.start.offset <= place.end.offset, "{place:?}");
            }
        }
    }
}
