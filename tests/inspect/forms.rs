//! The forms of the report: the same findings in each, several files piece by piece, what is refused named in all.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::made::Made;
use crate::support::program::{Outcome, ttsr, ttsr_auto};

const SESSIONS: &str = "testdata/samples/sessions";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn violations(schema: &Value, instance: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).expect("a schema");
    validator.iter_errors(instance).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn inspect(arguments: &[&str]) -> Outcome {
    ttsr(["inspect-session"].iter().chain(arguments))
}

fn document_items(outcome: &Outcome) -> Vec<Value> {
    json(&outcome.out)["sessions"].as_array().expect("sessions").clone()
}

/// The codes of all findings of a document of any form.
fn codes(outcome: &Outcome, format: &str) -> Vec<String> {
    let of = |findings: &Value| -> Vec<String> {
        let findings = findings.as_array().expect("findings");
        findings.iter().map(|one| one["code"].as_str().expect("a code").to_owned()).collect()
    };
    let mut codes: Vec<String> = match format {
        "json" => {
            let document = json(&outcome.out);
            match document["sessions"].as_array() {
                Some(sessions) => sessions.iter().flat_map(|one| of(&one["findings"])).collect(),
                None => of(&document["findings"]),
            }
        }
        "jsonl" => outcome.out.lines().flat_map(|line| of(&json(line)["findings"])).collect(),
        "sarif" => {
            let results = json(&outcome.out)["runs"][0]["results"].clone();
            results
                .as_array()
                .expect("results")
                .iter()
                .map(|one| one["ruleId"].as_str().expect("a rule").to_owned())
                .collect()
        }
        "csv" => {
            outcome.out.lines().skip(1).map(|line| line[line.find("TTSR").expect("a code")..][..7].to_owned()).collect()
        }
        other => panic!("{other}"),
    };
    codes.sort();
    codes
}

/// cli.md section 5: the schema that is printed is that of what is written, of every generation.
#[test]
fn every_document_is_valid_against_the_printed_schema() {
    let schema = json(&ttsr_auto(["inspect-session", "--schema"]).out);
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("no.jsonl"), "{\"type\":\"title\"}\n").expect("a file");
    let refused = folder.path().to_string_lossy().into_owned();
    for lifecycle in ["v1", "v2", "v3", "v4", "auto"] {
        for more in [&[][..], &["--context", "--replay", "--rules", "testdata/demo/rules"]] {
            let arguments = [
                &["inspect-session", SESSIONS, "testdata/demo", &refused, "--lifecycle", lifecycle, "--format", "json"],
                more,
            ]
            .concat();
            let outcome = ttsr_auto(arguments);
            let document = json(&outcome.out);
            assert_eq!(violations(&schema, &document), [""; 0], "{lifecycle}");
            assert!(document["sessions"].as_array().is_some_and(|sessions| sessions.len() > 8));
            let mut wrong = document.clone();
            wrong["summary"]["files"] = "many".into();
            assert_eq!(violations(&schema, &wrong).len(), 1);
            let mut wrong = document;
            wrong["sessions"][0]["findings"] = Value::Null;
            assert_eq!(violations(&schema, &wrong).len(), 1);
            // Each item is a document of its own.
            for one in document_items(&outcome) {
                assert_eq!(violations(&schema, &one), [""; 0], "{one}");
                let mut wrong = one.clone();
                wrong["nothing"] = 1.into();
                assert_eq!(violations(&schema, &wrong).len(), 1);
            }
        }
    }
}

/// The document of one file is the item of several, and a line of JSON Lines.
#[test]
fn one_file_is_told_alike_in_one_document_and_in_several() {
    let files = [format!("{SESSIONS}/damaged.jsonl"), "testdata/demo/session.jsonl".to_owned()];
    let both = inspect(&[&files[0], &files[1], "--format", "json"]);
    let lines = inspect(&[&files[0], &files[1], "--format", "jsonl"]);
    let sessions = json(&both.out)["sessions"].clone();
    for (at, file) in files.iter().enumerate() {
        let one = json(&inspect(&[file, "--format", "json"]).out);
        assert_eq!(one["schema"], "ttsr.session/1");
        assert_eq!(one, sessions[at]);
        assert_eq!(Some(one), lines.out.lines().nth(at).map(json));
    }
    let folder = json(&inspect(&["testdata/demo/", "--format", "json"]).out);
    assert_eq!(folder["schema"], "ttsr.sessions/1", "a folder is several files, however many it holds");
}

/// Field reports, row 135: what is refused is a finding in every form, and the others are done.
#[test]
fn report_135_refused_files_of_a_folder_are_findings_in_every_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut good = Made::new("good", "/p", 1);
    good.user("go");
    good.answer("done");
    good.write(folder.path(), "a.jsonl");
    let mut headless = good.text();
    headless.drain(..headless.find('\n').expect("a line") + 1);
    fs::write(folder.path().join("b.jsonl"), headless).expect("a file");
    fs::write(folder.path().join("c.jsonl"), "").expect("a file");
    let named = folder.path().to_string_lossy().into_owned();
    for format in ["json", "jsonl", "sarif"] {
        let outcome = inspect(&[&named, "--format", format]);
        assert_eq!(outcome.status, 3, "{format}");
        assert_eq!(codes(&outcome, format), ["TTSR102", "TTSR114"], "{format}: {}", outcome.out);
    }
    let table = inspect(&[&named, "--format", "csv", "--table", "findings"]);
    assert_eq!((table.status, codes(&table, "csv")), (3, vec!["TTSR102".to_owned(), "TTSR114".to_owned()]));
    let human = inspect(&[&named]);
    assert_eq!(human.status, 3);
    for part in ["3 files: 1 session, 2 refused", "TTSR102", "TTSR114", "b.jsonl", "c.jsonl"] {
        assert!(human.out.contains(part), "{part} missing in {}", human.out);
    }
    assert!(!human.out.contains("No findings."));
    // One refused file by itself.
    let one = format!("{named}/b.jsonl");
    for format in ["json", "sarif"] {
        assert_eq!(codes(&inspect(&[&one, "--format", format]), format), ["TTSR102"]);
    }
    assert!(inspect(&[&one]).out.contains("TTSR102"));
}

/// Field reports, row 134: a broken first line is what is named, and the file stays as it is.
#[test]
fn report_134_a_broken_first_line_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut made = Made::new("s", "/p", 1);
    made.user("go");
    made.answer("done");
    let text = made.text().replacen("{\"type\":\"session\"", "{broken header", 1);
    let path = folder.path().join("s.jsonl");
    fs::write(&path, &text).expect("a file");
    let named = path.to_string_lossy().into_owned();
    let outcome = inspect(&[&named, "--format", "json"]);
    let finding = json(&outcome.out)["findings"][0].clone();
    assert_eq!((outcome.status, &finding["code"], &finding["line"]), (3, &"TTSR102".into(), &1.into()), "{finding}");
    assert!(finding["message"].as_str().is_some_and(|message| message.contains("line 1 ")), "{finding}");
    assert_eq!(fs::read_to_string(&path).expect("the file"), text);
}

/// Field reports, row 136: each row names its file, and session, time and project.
#[test]
fn report_136_injections_of_a_folder_name_their_file() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, name) in ["x.jsonl", "y.jsonl"].into_iter().enumerate() {
        let mut made = Made::new(&format!("session-{number}"), &format!("/project-{number}"), number as u32 + 1);
        made.user("go");
        made.interrupt("no-foo", "Do not.");
        made.write(folder.path(), name);
    }
    let named = folder.path().to_string_lossy().into_owned();
    let human = inspect(&[&named, "--injections"]);
    let table = inspect(&[&named, "--format", "csv"]);
    assert_eq!(table.out.lines().count(), 3, "{}", table.out);
    for number in 0..2 {
        let parts = [
            ["x.jsonl", "y.jsonl"][number].to_owned(),
            format!("session-{number}"),
            format!("/project-{number}"),
            "no-foo".to_owned(),
        ];
        let row = table.out.lines().nth(number + 1).expect("a row");
        assert!(parts.iter().all(|part| row.contains(part)), "{row}");
        assert!(row.contains("2026-02-01T08:00:04.000Z") && row.contains("interrupt"), "{row}");
        assert!(human.out.contains(&parts[1]), "{}", human.out);
    }
}

/// Field reports, row 137: what a replay decides otherwise is a finding in every form.
#[test]
fn report_137_a_difference_under_replay_is_a_finding_in_every_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = folder.path().join("rules");
    fs::create_dir(&rules).expect("a folder");
    fs::write(rules.join("no-foo.md"), "---\ncondition: foo\nscope: text\n---\nDo not.\n").expect("a rule");
    let mut made = Made::new("s", "/p", 1);
    made.user("go");
    made.answer("a foo");
    let file = made.write(folder.path(), "s.jsonl");
    let rules = rules.to_string_lossy().into_owned();
    let run = |more: &[&str]| inspect(&[&[&file[..], "--replay", "--rules", &rules][..], more].concat());
    for (format, more) in [("json", &[][..]), ("jsonl", &[]), ("sarif", &[]), ("csv", &["--table", "findings"])] {
        let outcome = run(&[&["--format", format], more].concat());
        assert_eq!((outcome.status, codes(&outcome, format)), (1, vec!["TTSR310".to_owned()]), "{format}");
    }
    let human = run(&[]);
    assert!(human.out.contains("TTSR310") && !human.out.contains("No findings."), "{}", human.out);
    assert_eq!(human.status, 1);
}

/// Field reports, row 138: the message says what the line is and what it lacks.
#[test]
fn report_138_a_title_line_without_pad_is_called_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut made = Made::new("s", "/p", 1);
    made.user("go");
    let text = format!(
        "{{\"type\":\"title\",\"v\":1,\"title\":\"x\",\"updatedAt\":\"2026-01-01T00:00:00.000Z\"}}\n{}",
        made.text()
    );
    let path = folder.path().join("s.jsonl");
    fs::write(&path, text).expect("a file");
    let outcome = inspect(&[&path.to_string_lossy(), "--format", "json"]);
    let message = json(&outcome.out)["findings"][0]["message"].as_str().expect("a message").to_owned();
    assert_eq!(outcome.status, 3);
    assert!(message.contains("title line without `pad`"), "{message}");
}

/// Field reports, row 139: the same finding many times is one line with a count.
#[test]
fn report_139_many_entries_without_id_are_one_finding_with_a_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut made = Made::new("s", "/p", 1);
    made.user("go");
    for _ in 0..15 {
        made.line(r#"{"type":"custom","customType":"x","timestamp":"2026-01-01T00:00:00.000Z"}"#);
    }
    made.answer("done");
    let file = made.write(folder.path(), "s.jsonl");
    let human = inspect(&[&file]);
    assert_eq!(human.out.matches("TTSR109").count(), 1, "{}", human.out);
    assert!(human.out.contains("(15 times: lines 3, 4"), "{}", human.out);
    let all = ttsr_auto(["inspect-session", &file, "--lifecycle", "v3", "--verbose"]);
    assert_eq!(all.out.matches("TTSR109").count(), 15, "{}", all.out);
}

/// Field reports, row 140: one hint names the command for it.
#[test]
fn report_140_an_event_stream_is_for_replay() {
    let stream = "testdata/demo/events.jsonl";
    let streams = if Path::new(stream).exists() { stream.to_owned() } else { written_stream() };
    let outcome = inspect(&[&streams, "--format", "json"]);
    let findings = json(&outcome.out)["findings"].clone();
    assert_eq!(outcome.status, 3);
    assert_eq!(findings.as_array().map(Vec::len), Some(1), "{findings}");
    assert_eq!(findings[0]["code"], "TTSR121");
    assert!(findings[0]["help"].as_str().is_some_and(|help| help.contains("ttsr replay")), "{findings}");
}

fn written_stream() -> String {
    let path = std::env::temp_dir().join(format!("ttsr-events-{}.jsonl", std::process::id()));
    let text = "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/p\"}\n{\"type\":\"agent_start\"}\n{\"type\":\"turn_start\"}\n";
    fs::write(&path, text).expect("a file");
    path.to_string_lossy().into_owned()
}

/// Field reports, rows 141 and 142 have no finding, in no form.
#[test]
fn report_141_a_first_entry_on_the_header_is_no_loss_and_142_missing_ids_neither() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut made = Made::new("s", "/p", 1);
    made.entry_under(Some("s"), r#""type":"message","message":{"role":"user","content":"go"}"#);
    made.entry(r#""type":"message","message":{"role":"assistant","content":[{"type":"toolCall","name":"bash","arguments":{}}],"usage":{"cost":{"total":0}},"stopReason":"toolUse"}"#);
    made.entry(r#""type":"message","message":{"role":"toolResult","content":[{"type":"text","text":"ok"}]}"#);
    let file = made.write(folder.path(), "s.jsonl");
    let outcome = inspect(&[&file]);
    assert!(outcome.out.contains("No findings."), "{}", outcome.out);
}

/// Field reports, row 145: the settings of the project decide what repeats a rule too early.
#[test]
fn report_145_the_settings_of_the_project_count_without_a_replay_too() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".omp")).expect("a folder");
    fs::write(folder.path().join(".omp/config.yml"), "ttsr:\n  repeatMode: after-gap\n  repeatGap: 2\n")
        .expect("a file");
    let mut made = Made::new("s", "/p", 1);
    for _ in 0..2 {
        made.user("go");
        made.interrupt("no-foo", "Do not.");
        made.user("on");
        made.answer("a");
        made.user("on");
        made.answer("b");
    }
    let file = made.write(folder.path(), "s.jsonl");
    let at = |cwd: &Path| {
        let mut surroundings = crate::support::program::surroundings();
        surroundings.cwd = cwd.to_path_buf();
        let outcome =
            crate::support::program::ttsr_with(["inspect-session", &file, "--lifecycle", "v3"], b"", &surroundings);
        outcome.out
    };
    assert!(at(folder.path()).contains("No findings."), "{}", at(folder.path()));
    let elsewhere = tempfile::tempdir().expect("a folder");
    assert!(at(elsewhere.path()).contains("TTSR204"));
}

/// Field reports, row 146: one bad line, and the rest is read.
#[test]
fn report_146_a_raw_tab_in_a_key_is_one_bad_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut made = Made::new("s", "/p", 1);
    let user = made.user("go");
    made.line(&format!("{{\"type\":\"ttsr_injection\",\"id\":\"aaaaaaa1\",\"parentId\":\"{user}\",\"injectedRules\":[\"r\"],\"x\ty\":1}}"));
    made.answer("done");
    let file = made.write(folder.path(), "s.jsonl");
    let outcome = inspect(&[&file, "--format", "json"]);
    let document = json(&outcome.out);
    let codes: Vec<&str> =
        document["findings"].as_array().expect("findings").iter().filter_map(|one| one["code"].as_str()).collect();
    assert_eq!(codes.iter().filter(|code| **code == "TTSR101").count(), 1, "{document}");
    assert_eq!(document["entries"]["total"], 2);
    assert!(!outcome.out.contains("changed meanwhile") && !outcome.err.contains("changed meanwhile"));
}

/// What a folder holds besides sessions is named for what it is.
#[test]
fn transcripts_of_other_agents_are_called_so() {
    let folder = tempfile::tempdir().expect("a folder");
    for (line, agent) in [
        (r#"{"type":"mode","mode":"normal","sessionId":"S1"}"#, "Claude Code"),
        (
            r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"S1","message":{"role":"user","content":"x"}}"#,
            "Claude Code",
        ),
        (r#"{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"x"}}"#, "Codex"),
        (r#"{"type":"thread.started","thread_id":"x"}"#, "codex exec"),
        (r#"{"sessionId":"x","projectHash":"y","startTime":"z"}"#, "Gemini"),
        (r#"{"type":"system","subtype":"init","session_id":"x"}"#, "Claude Code"),
    ] {
        let path = folder.path().join("t.jsonl");
        fs::write(&path, format!("{line}\n")).expect("a file");
        let outcome = inspect(&[&path.to_string_lossy(), "--format", "json"]);
        let finding = json(&outcome.out)["findings"][0].clone();
        assert_eq!(finding["code"], "TTSR121", "{line}");
        assert!(finding["message"].as_str().is_some_and(|message| message.contains(agent)), "{finding}");
    }
}

/// The same findings in every form, for every sample.
#[test]
fn the_forms_agree_on_every_sample() {
    for entry in fs::read_dir(SESSIONS).expect("the samples").flatten() {
        let file = entry.path().to_string_lossy().into_owned();
        let expected = codes(&inspect(&[&file, "--format", "json"]), "json");
        let status = inspect(&[&file]).status;
        for (format, more) in [("jsonl", &[][..]), ("sarif", &[]), ("csv", &["--table", "findings"])] {
            let outcome = inspect(&[&[&file[..], "--format", format], more].concat());
            assert_eq!(codes(&outcome, format), expected, "{file} {format}");
            assert_eq!(outcome.status, status, "{file} {format}");
        }
        let human = ttsr_auto(["inspect-session", &file, "--lifecycle", "v3", "--verbose"]);
        for code in &expected {
            let count = expected.iter().filter(|other| *other == code).count();
            assert_eq!(human.out.matches(&format!("{code} ")).count(), count, "{file}: {}", human.out);
        }
        assert_eq!(human.out.contains("No findings."), expected.is_empty(), "{file}");
    }
}

/// A file in which nothing was said is called so.
#[test]
fn a_header_without_entries_is_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = Made::new("s", "/p", 1).write(folder.path(), "s.jsonl");
    let outcome = inspect(&[&file, "--format", "json"]);
    assert_eq!((outcome.status, codes(&outcome, "json")), (0, vec!["TTSR114".to_owned()]));
}

/// What lies in a folder besides sessions is named by its own path, and what is asked of a session in vain is no fault of
/// the file.
#[test]
fn what_cannot_be_read_is_named_by_its_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut made = Made::new("s", "/p", 1);
    made.user("go");
    made.write(folder.path(), "good.jsonl");
    std::os::unix::fs::symlink("/nowhere", folder.path().join("lost.jsonl")).expect("a link");
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    fs::write(folder.path().join("z.jsonl"), [0x1F, 0x8B, 8, 0, 0]).expect("a file");
    let named = folder.path().to_string_lossy().into_owned();
    let (empty, nowhere) = (format!("{named}/empty"), format!("{named}/nowhere"));
    let table = inspect(&[&named, &empty, &nowhere, "--format", "csv", "--table", "findings"]);
    assert_eq!(table.status, 3);
    for (file, code) in
        [("lost.jsonl", "TTSR510"), ("empty", "TTSR510"), ("nowhere", "TTSR510"), ("z.jsonl", "TTSR102")]
    {
        let row = table.out.lines().find(|line| line.starts_with(&format!("{named}/{file},")));
        assert!(row.is_some_and(|row| row.contains(code)), "{file}: {}", table.out);
    }
    let good = format!("{named}/good.jsonl");
    let leaf = inspect(&[&good, "--leaf", "nowhere", "--format", "csv", "--table", "findings"]);
    assert_eq!((leaf.status, leaf.out.lines().count()), (3, 1), "{}", leaf.out);
    assert!(leaf.err.contains("no entry has the id"), "{}", leaf.err);
}

/// Every row of a table has a field under each head.
#[test]
fn tables_and_schemas_go_with_their_forms() {
    assert_eq!(inspect(&["testdata/demo", "--table", "rules"]).status, 2);
    assert_eq!(inspect(&["testdata/demo", "--compare", "--faithful"]).status, 2);
    for table in ["injections", "rules", "sessions", "findings", "disabled"] {
        let outcome = inspect(&[SESSIONS, "--format", "csv", "--table", table]);
        let heads = outcome.out.lines().next().expect("heads").split(',').count();
        for line in outcome.out.lines().filter(|line| !line.contains('"')) {
            assert_eq!(line.split(',').count(), heads, "{table}: {line}");
        }
    }
}
