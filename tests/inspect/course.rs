//! How things went: the timeline, the rules at an entry, one injection from match to answer, both readings.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::made::Made;
use crate::support::program::{ttsr, ttsr_auto};

fn document(file: &str, more: &[&str]) -> Value {
    let outcome = ttsr(["inspect-session", file, "--format", "json"].into_iter().chain(more.iter().copied()));
    serde_json::from_str(&outcome.out).unwrap_or_else(|error| panic!("{error}: {}", outcome.err))
}

fn names(list: &Value, key: &str, wanted: impl Fn(&Value) -> bool) -> Vec<String> {
    let items = list.as_array().expect("a list").iter().filter(|item| wanted(item));
    let mut names: Vec<String> = items.map(|item| item[key].as_str().expect("a name").to_owned()).collect();
    names.sort();
    names
}

/// Sessions with all that moves the state of rules, as JSON Lines; each entry hangs on the one before.
fn sessions(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for number in 0..12_u32 {
        let mut made = Made::new(&format!("s{number}"), "/p", number);
        let mut numbers = number.wrapping_mul(2_654_435_761) | 1;
        let mut kept = made.user("go");
        for turn in 0..10 {
            numbers ^= numbers << 13;
            numbers ^= numbers >> 17;
            numbers ^= numbers << 5;
            let rule = ["a", "b", "c, d", "e"][(numbers >> 8) as usize % 4];
            match numbers % 8 {
                0 => drop(made.interrupt(rule, "Do not.")),
                1 => {
                    made.answer("fine");
                    made.deferred(rule, "Do not.", turn);
                }
                2 => drop(made.folded(rule, "Do not.")),
                3 => drop(made.entry(r#""type":"reset_boundary""#)),
                4 => {
                    let fields =
                        format!(r#""type":"compaction","summary":"s","firstKeptEntryId":"{kept}","tokensBefore":9"#);
                    made.entry(&fields);
                }
                5 => drop(made.exit()),
                6 => drop(made.interrupted(rule, "no")),
                _ => drop(made.answer("fine")),
            }
            kept = made.user("go on");
        }
        made.answer("done");
        files.push(made.write(folder, &format!("{number:02}.jsonl")));
    }
    files
}

/// The rules at an entry are those that a resume of the file, cut behind that entry, restores; those are forgotten whose
/// reminder is not in the context there.
#[test]
fn the_state_at_an_entry_is_that_of_the_file_cut_behind_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut seen, mut pending) = (0, 0);
    for file in sessions(folder.path()) {
        let text = fs::read_to_string(&file).expect("a session");
        let lines: Vec<&str> = text.lines().collect();
        for end in (2..lines.len()).step_by(3) {
            let entry: Value = serde_json::from_str(lines[end]).expect("an entry");
            let id = entry["id"].as_str().expect("an id");
            let state = document(&file, &["--state-at", id])["state"].clone();
            let cut = folder.path().join("cut.jsonl");
            fs::write(&cut, lines[..=end].join("\n") + "\n").expect("a file");
            let expected = document(&cut.to_string_lossy(), &[]);
            let (rules, cut_rules) = (&state["rules"], &expected["rules"]);
            let mut restored: Vec<String> = expected["injected_rules"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|name| name.as_str().expect("a name").to_owned())
                .collect();
            restored.sort();
            assert_eq!(names(rules, "rule", |rule| rule["standing"] != "pending"), restored, "{file} {id}");
            let is_forgotten = |rule: &Value| {
                let was_shown = rule["kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind != "none"));
                rule["in_context"] == false && was_shown
            };
            let forgotten = names(rules, "rule", |rule| rule["standing"] == "forgotten");
            // A reminder that is not recorded yet reminds all the same.
            if entry["type"] != "custom_message" {
                assert_eq!(forgotten, names(cut_rules, "name", is_forgotten), "{file} {id}");
            }
            for rule in rules.as_array().expect("rules") {
                let by = rule["decided_by"].as_str().expect("an entry");
                let at = lines.iter().position(|line| line.contains(&format!("\"id\":\"{by}\""))).expect("the entry");
                assert!(at <= end, "{by} is behind {id}");
                let kind = match rule["standing"].as_str() {
                    Some("in-force") => &["ttsr_injection"][..],
                    Some("forgotten") => &["compaction", "reset_boundary"],
                    _ => &["message", "custom_message"],
                };
                assert!(
                    kind.iter().any(|kind| lines[at].contains(&format!("\"type\":\"{kind}\""))),
                    "{rule} {}",
                    lines[at]
                );
                seen += 1;
                pending += usize::from(rule["standing"] == "pending");
            }
        }
    }
    assert!(seen > 100 && pending > 5, "{seen} {pending}");
}

#[test]
fn the_timeline_holds_each_thing_once_and_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    for file in sessions(folder.path()) {
        let document = document(&file, &["--timeline"]);
        let timeline = document["timeline"].as_array().expect("a timeline");
        let of = |kind: &str| timeline.iter().filter(|moment| moment["kind"] == kind).count();
        let by_type = |kind: &str| document["entries"]["by_type"][kind].as_u64().unwrap_or_default() as usize;
        assert_eq!(of("injection"), by_type("ttsr_injection"));
        assert_eq!(of("compaction"), by_type("compaction"));
        assert_eq!(of("reset"), by_type("reset_boundary"));
        assert_eq!(of("process-end"), by_type("custom"));
        assert_eq!(of("trigger"), document["messages"]["interrupted"].as_array().map_or(0, Vec::len));
        assert_eq!(
            of("answer") + of("trigger"),
            document["messages"]["assistant"].as_u64().expect("a number") as usize
        );
        let branch: Vec<&str> =
            document["branch"].as_array().expect("a branch").iter().filter_map(Value::as_str).collect();
        let places: Vec<usize> = timeline
            .iter()
            .map(|moment| branch.iter().position(|id| moment["entry"] == **id).expect("on the branch"))
            .collect();
        assert!(places.is_sorted(), "{file}");
        // A process counts its turns from 0.
        for pair in timeline.windows(2) {
            let (before, now) = (&pair[0], &pair[1]);
            let turns = [before, now].map(|moment| moment["turn"].as_u64().expect("a number"));
            assert!(turns[1] >= turns[0] || now["kind"] == "resume", "{before} {now}");
        }
    }
}

#[test]
fn an_injection_is_followed_from_its_match_to_what_came_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = folder.path().join("rules");
    fs::create_dir(&rules).expect("a folder");
    fs::write(rules.join("no-foo.md"), "---\ncondition: foo\n---\nSay bar.\n").expect("a rule");
    let mut made = Made::new("s", "/p", 1);
    made.user("go");
    let matched = made.interrupted("no-foo", "a foo");
    let reminder = made.reminder("no-foo", "Do not say foo.");
    let record = made.record("no-foo");
    let answer = made.answer("a bar");
    made.user("go on");
    made.answer("fine");
    let again = made.folded("no-foo", "Say bar.");
    let file = made.write(folder.path(), "s.jsonl");
    let rules = rules.to_string_lossy().into_owned();
    // The match, the reminder and the record lead to the same injection.
    for entry in [&matched, &reminder, &record] {
        let follow = document(&file, &["--follow", entry, "--rules", &rules])["follow"].clone();
        assert_eq!(follow["entry"], record.as_str(), "{entry}");
        let rule = &follow["rules"][0];
        assert_eq!(
            (&rule["rule"], &rule["kind"], &rule["changed"]),
            (&"no-foo".into(), &"interrupt".into(), &true.into())
        );
        assert_eq!((&rule["matched"]["entry"], &rule["matched"]["text"]), (&(*matched).into(), &"a foo".into()));
        assert_eq!(
            (&rule["reminder"]["entry"], &rule["reminder"]["text"]),
            (&(*reminder).into(), &"Do not say foo.".into())
        );
        assert_eq!((&rule["answer"]["entry"], &rule["answer"]["text"]), (&(*answer).into(), &"a bar".into()));
        assert_eq!(rule["repetitions"], serde_json::json!([{"entry": again, "turns": 2}]));
        assert_eq!(rule["content_now"], "Say bar.");
    }
    // With every part that can be asked for the document is of the form that is printed.
    let whole = document(
        &file,
        &["--follow", &record, "--state-at", &again, "--timeline", "--compare", "--context", "--rules", &rules],
    );
    let schema: Value = serde_json::from_str(&ttsr_auto(["inspect-session", "--schema"]).out).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    assert!(validator.is_valid(&whole), "{whole}");
    for part in ["follow", "state", "timeline", "comparison"] {
        let mut wrong = whole.clone();
        wrong[part] = "nothing".into();
        assert!(!validator.is_valid(&wrong), "{part}");
    }
    let second = document(&file, &["--follow", &again, "--rules", &rules])["follow"]["rules"][0].clone();
    assert_eq!(
        (&second["kind"], &second["changed"], &second["repetitions"]),
        (&"tool-reminder".into(), &false.into(), &serde_json::json!([]))
    );
    for entry in ["nowhere", "00010001"] {
        let outcome = ttsr(["inspect-session", &file, "--follow", entry]);
        assert_eq!(outcome.status, 3, "{}", outcome.err);
    }
}

#[test]
fn both_readings_stand_side_by_side() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut made = Made::new("s", "/p", 1);
    made.user("go");
    made.answer("done");
    let good = made.write(folder.path(), "good.jsonl");
    let same = document(&good, &["--compare"])["comparison"].clone();
    assert_eq!(same["refused"], Value::Null);
    assert!(same["aspects"].as_array().is_some_and(|aspects| aspects.iter().all(|one| one["here"] == one["agent"])));
    assert!(ttsr(["inspect-session", &good, "--compare"]).out.contains("both read the same"));
    // A cut line swallows the only one behind it.
    let mut text = made.text();
    let last = text.trim_end().rfind('\n').expect("a line") + 1;
    text.insert_str(last, "{\"type\":\n");
    let swallowed = folder.path().join("swallowed.jsonl");
    fs::write(&swallowed, &text).expect("a file");
    let found = document(&swallowed.to_string_lossy(), &["--compare"]);
    let entries = &found["comparison"]["aspects"][0];
    assert_eq!((&entries["here"], &entries["agent"]), (&"2".into(), &"1".into()));
    let differ =
        found["findings"].as_array().expect("findings").iter().find(|one| one["code"] == "TTSR115").expect("a finding");
    assert_eq!(differ["severity"], "error", "{differ}");
    assert!(differ["message"].as_str().is_some_and(|message| message.contains("it loses entry")), "{differ}");
    // What the agent cannot open is said.
    made.entry(r#""type":"message""#);
    let broken = made.write(folder.path(), "broken.jsonl");
    let refused = document(&broken, &["--compare"])["comparison"]["refused"].clone();
    assert!(refused.as_str().is_some_and(|why| why.contains("line 4")), "{refused}");
}

/// Field reports, rows 132 and 133, hold for the agent's own reading too.
#[test]
fn report_132_and_133_what_the_agent_cannot_read_is_an_error_in_both_readings() {
    let folder = tempfile::tempdir().expect("a folder");
    for fields in [r#""content":[{"type":"text","text":"x"}],"usage":{"input":1}"#, r#""usage":{"cost":{"total":0}}"#] {
        let mut made = Made::new("s", "/p", 1);
        made.user("go");
        made.entry(&format!(r#""type":"message","message":{{"role":"assistant",{fields}}}"#));
        let file = made.write(folder.path(), "s.jsonl");
        for mode in [&[][..], &["--faithful"]] {
            let findings = document(&file, mode)["findings"].clone();
            let finding = &findings[0];
            assert_eq!(
                (&finding["code"], &finding["severity"]),
                (&"TTSR115".into(), &"error".into()),
                "{fields} {mode:?}: {findings}"
            );
            let status = ttsr(["inspect-session", &file].iter().chain(mode)).status;
            // What cannot be opened at all is not done.
            let expected = if !mode.is_empty() && fields.contains("input") { 3 } else { 1 };
            assert_eq!(status, expected, "{fields} {mode:?}");
        }
    }
}

/// Sessions of one project stand together, each behind the one that it came from, whatever the files are called.
#[test]
fn sessions_of_a_project_stand_in_the_order_in_which_they_came_about() {
    let folder = tempfile::tempdir().expect("a folder");
    // A clock that went wrong: the child began before its parent.
    for (name, id, project, minute, parent) in [
        ("a.jsonl", "third", "/p", 9, Some("second")),
        ("b.jsonl", "first", "/p", 2, None),
        ("c.jsonl", "other", "/q", 1, None),
        ("d.jsonl", "second", "/p", 1, Some("/elsewhere/b.jsonl")),
    ] {
        let mut made = Made::new(id, project, minute);
        made.user("go");
        made.answer("done");
        if let Some(parent) = parent {
            made.header(&format!(r#""parentSession":"{parent}""#));
        }
        made.write(folder.path(), name);
    }
    let named = folder.path().to_string_lossy().into_owned();
    let ids = |more: &[&str]| -> Vec<String> {
        let document = document(&named, more);
        let sessions = document["sessions"].as_array().expect("sessions");
        sessions.iter().map(|one| one["header"]["id"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(ids(&["--by-project"]), ["first", "second", "third", "other"]);
    assert_eq!(ids(&[]), ["third", "first", "other", "second"]);
    // Each project has a report of its own, its sessions in order.
    let human = ttsr(["inspect-session", &named, "--by-project"]).out;
    let place = |text: &str| human.find(text).unwrap_or_else(|| panic!("{text} missing in {human}"));
    let places = ["/p: 3 sessions", "b.jsonl", "d.jsonl", "a.jsonl", "/q: 1 session", "c.jsonl", "4 files"].map(place);
    assert!(places.is_sorted(), "{human}");
    // No ancestor is missing, in either order.
    assert!(!ttsr(["inspect-session", &named]).out.contains("TTSR122"));
    let alone = format!("{named}/d.jsonl");
    assert!(!ttsr(["inspect-session", &alone]).out.contains("TTSR122"), "the parent lies beside it");
    fs::remove_file(folder.path().join("b.jsonl")).expect("removed");
    assert!(ttsr(["inspect-session", &alone]).out.contains("TTSR122"));
}
