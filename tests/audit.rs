//! Audits: the findings of the samples, of the field reports, and of small sessions made for one check each.

use ttsr::audit::{AuditOptions, AuditReport, EvidenceKind, KnownRule, audit};
use ttsr::diagnostic::Severity;
use ttsr::generation::Lifecycle;
use ttsr::session::{ReadError, ReadMode, Session};
use ttsr::settings::{RepeatMode, Settings};
use ttsr::text::JsString;

use crate::support;

fn sample(name: &str) -> Session {
    let path = support::project("testdata/samples/sessions").join(name);
    Session::open(&path, name, ReadMode::Tolerant).expect("a session")
}

/// A session of the given entry lines under a plain header.
fn session(lines: &[&str]) -> Session {
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}"#;
    let text = std::iter::once(&header).chain(lines).map(|line| format!("{line}\n")).collect::<String>();
    Session::from_bytes(text.into_bytes(), "made", ReadMode::Tolerant).expect("a session")
}

fn report(session: &Session, adapt: impl FnOnce(&mut Settings)) -> AuditReport {
    let mut settings = Settings::default();
    adapt(&mut settings);
    audit(session, &AuditOptions::new(&settings, &Lifecycle::V3.semantics())).expect("a report")
}

/// Entry and name of each finding that concerns injections.
fn found(report: &AuditReport) -> Vec<(String, &'static str)> {
    let findings = report.findings.iter().filter(|finding| finding.code.number() >= 200);
    findings.map(|finding| (finding.entry.clone().unwrap_or_default(), finding.code.name())).collect()
}

fn expect(report: &AuditReport, expected: &[(&str, &'static str)]) {
    let expected: Vec<(String, &'static str)> = expected.iter().map(|(id, name)| ((*id).to_owned(), *name)).collect();
    assert_eq!(found(report), expected);
}

fn names(session: &Session, report: &AuditReport) -> Vec<&'static str> {
    assert!(session.len() == report.entries);
    report.findings.iter().map(|finding| finding.code.name()).collect()
}

const USER: &str = r#""message":{"role":"user","content":"go"}"#;

fn user(id: &str, parent: &str) -> String {
    format!(r#"{{"type":"message","id":"{id}","parentId":{parent},{USER}}}"#)
}

fn assistant(id: &str, parent: &str, stop: &str, error: &str) -> String {
    let error = if error.is_empty() { String::new() } else { format!(r#","errorMessage":"{error}""#) };
    format!(
        r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{{"role":"assistant","content":[{{"type":"text","text":"t"}}],"stopReason":"{stop}"{error}}}}}"#
    )
}

fn interrupt(id: &str, parent: &str, rule: &str) -> String {
    format!(
        r#"{{"type":"custom_message","id":"{id}","parentId":"{parent}","customType":"ttsr-injection","content":"<system-interrupt reason=\"rule_violation\" rule=\"{rule}\" path=\"r.md\">\nStop.\n\nDo not.\n</system-interrupt>","display":false,"details":{{"rules":["{rule}"]}}}}"#
    )
}

fn injection(id: &str, parent: &str, rules: &str) -> String {
    format!(r#"{{"type":"ttsr_injection","id":"{id}","parentId":"{parent}","injectedRules":{rules}}}"#)
}

fn exit(id: &str, parent: &str) -> String {
    format!(r#"{{"type":"custom","id":"{id}","parentId":"{parent}","customType":"session_exit","data":{{}}}}"#)
}

fn made(lines: &[String]) -> Session {
    session(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

/// An interrupt by rule `r` behind `parent`: aborted message, reminder, entry, retried message.
fn interrupted(prefix: &str, parent: &str) -> Vec<String> {
    let id = |at: u32| format!("{prefix}{at}");
    vec![
        assistant(&id(1), parent, "aborted", "TTSR matched rule: r"),
        interrupt(&id(2), &id(1), "r"),
        injection(&id(3), &id(2), r#"["r"]"#),
        assistant(&id(4), &id(3), "stop", ""),
    ]
}

#[test]
fn anomalies_are_found_as_the_samples_say() {
    let session = sample("v3-ttsr-anomalies.jsonl");
    let rules: Vec<KnownRule> = [
        ("no-any-type", "Do not introduce the any type. Use unknown and narrow it."),
        ("no-force-push", "Never push with force. Create a new commit and push it normally."),
        ("show-test-run", "Do not predict test results. Run the suite and quote its summary line."),
    ]
    .map(|(name, content)| KnownRule { name: name.into(), content: content.into() })
    .into();
    let (settings, semantics) = (Settings::default(), Lifecycle::V3.semantics());
    let mut options = AuditOptions::new(&settings, &semantics);
    options.rules = Some(&rules);
    let report = audit(&session, &options).expect("a report");
    expect(
        &report,
        &[
            ("f6000009", "duplicate-delivery"),
            ("f600000b", "missing-reminder"),
            ("f600000e", "missing-record"),
            ("f6000010", "missing-record"),
            ("f6000012", "empty-injection"),
            ("f6000013", "irregular-name"),
            ("f6000013", "unknown-rule"),
            ("f6000013", "missing-reminder"),
            ("f6000014", "unknown-rule"),
            ("f6000014", "missing-reminder"),
        ],
    );
    assert!(report.findings.iter().any(|finding| finding.message.contains("f6000007")), "both entries are named");
    assert_eq!(report.injections[1].turns_since_previous, Some(0));
}

#[test]
fn a_regular_session_has_no_findings() {
    let session = sample("v3-ttsr-resumed.jsonl");
    let report = report(&session, |_| {});
    expect(&report, &[]);
    let kinds: Vec<EvidenceKind> = report.injections.iter().map(|one| one.main_evidence().kind).collect();
    assert_eq!(kinds, [EvidenceKind::Interrupt, EvidenceKind::ToolReminder]);
    assert!(report.rules.iter().all(|rule| rule.in_force && rule.in_context && rule.count == 1));
    assert_eq!(report.messages.interrupted.len(), 1);
    assert!(report.messages.aborted.is_empty() && report.messages.errors.is_empty());
}

#[test]
fn recorded_sessions_of_the_agent_have_no_findings_but_notes() {
    for name in ["v3-branched-compaction.jsonl", "v3-reset-mode.jsonl", "v3-linear.jsonl", "v1-legacy.jsonl"] {
        let session = sample(name);
        let report = report(&session, |_| {});
        let loud: Vec<_> = report.findings.iter().filter(|one| one.severity > Severity::Note).collect();
        assert!(loud.is_empty(), "{name}: {loud:?}");
    }
    let branched = sample("v3-branched-compaction.jsonl");
    assert!(found(&report(&branched, |_| {})).iter().any(|(_, name)| *name == "off-branch-injection"));
    let reset = sample("v3-reset-mode.jsonl");
    let report = report(&reset, |_| {});
    assert!(found(&report).iter().any(|(_, name)| *name == "forgotten-reminder"));
    assert_eq!(report.injections[0].main_evidence().kind, EvidenceKind::Deferred);
}

#[test]
fn the_early_generation_restores_nothing() {
    let session = sample("v3-ttsr-resumed.jsonl");
    let settings = Settings::default();
    let report = audit(&session, &AuditOptions::new(&settings, &Lifecycle::V1.semantics())).expect("a report");
    assert!(report.injected_rules.is_empty());
    assert_eq!(report.recorded_rules.len(), 2);
}

#[test]
fn once_and_after_gap_are_proved_from_the_entries() {
    let mut lines = vec![user("u", "null")];
    lines.extend(interrupted("a", "u"));
    lines.push(assistant("m", "a4", "stop", ""));
    lines.extend(interrupted("b", "m"));
    let session = made(&lines);
    expect(&report(&session, |_| {}), &[("b3", "repeat-violation")]);
    let gap = |gap| {
        move |settings: &mut Settings| {
            settings.repeat_mode = RepeatMode::AfterGap;
            settings.repeat_gap = gap;
        }
    };
    // a4 and m end between the two: two turns.
    expect(&report(&session, gap(2.0)), &[]);
    let three = report(&session, gap(3.0));
    expect(&three, &[("b3", "repeat-violation")]);
    let message = &three.findings.last().expect("a finding").message;
    assert!(message.contains("a3") && message.contains("b3"), "{message}");
    assert_eq!(three.injections[1].turns_since_previous, Some(2));

    // A new process counts from its own start.
    let mut lines = vec![user("u", "null")];
    lines.extend(interrupted("a", "u"));
    lines.push(assistant("m", "a4", "stop", ""));
    lines.push(exit("x", "m"));
    lines.extend(interrupted("b", "x"));
    expect(&report(&made(&lines), gap(1.0)), &[("b3", "repeat-violation")]);
    expect(&report(&made(&lines), gap(0.0)), &[]);
}

#[test]
fn an_interruption_is_no_failure_and_other_aborts_are() {
    let mut lines = vec![user("u", "null")];
    lines.extend(interrupted("a", "u"));
    lines.push(assistant("m1", "a4", "aborted", "Request was aborted"));
    lines.push(assistant("m2", "m1", "error", "overloaded"));
    // An old agent's message: only the interrupt behind it tells.
    lines.push(assistant("m3", "m2", "aborted", "Request was aborted"));
    lines.push(interrupt("m4", "m3", "q"));
    lines.push(injection("m5", "m4", r#"["q"]"#));
    let session = made(&lines);
    let messages = report(&session, |_| {}).messages;
    let id = |at: usize| session.entry(at).and_then(|entry| entry.id()).expect("an id").to_string_lossy();
    let interrupted: Vec<String> = messages.interrupted.iter().map(|(at, _)| id(*at)).collect();
    assert_eq!(interrupted, ["a1", "m3"]);
    assert_eq!(messages.aborted.iter().map(|at| id(*at)).collect::<Vec<_>>(), ["m1"]);
    assert_eq!(messages.errors.iter().map(|at| id(*at)).collect::<Vec<_>>(), ["m2"]);
    expect(&report(&session, |_| {}), &[]);
}

#[test]
fn each_irregularity_has_its_finding() {
    // A11: nothing follows the interrupt.
    let lines = [user("u", "null"), assistant("a", "u", "aborted", "TTSR matched rule: r"), user("v", "a")];
    expect(&report(&made(&lines), |_| {}), &[("a", "cancelled-retry")]);
    // A7 and A1: the entry names another rule than its message.
    let mut lines = interrupted("a", "u");
    lines.insert(0, user("u", "null"));
    lines[3] = injection("a3", "a2", r#"["other"]"#);
    expect(
        &report(&made(&lines), |_| {}),
        &[("a2", "missing-record"), ("a3", "missing-reminder"), ("a3", "rule-list-mismatch")],
    );
    // A9: the tag names another rule than the details.
    let mut lines = interrupted("a", "u");
    lines.insert(0, user("u", "null"));
    lines[2] = lines[2].replace(r#""rules":["r"]"#, r#""rules":["r","s"]"#);
    lines[3] = injection("a3", "a2", r#"["r","s"]"#);
    expect(&report(&made(&lines), |_| {}), &[("a2", "tag-mismatch"), ("a3", "missing-reminder")]);
    // A10: shown to the user.
    let mut lines = interrupted("a", "u");
    lines.insert(0, user("u", "null"));
    lines[2] = lines[2].replace(r#""display":false"#, r#""display":true"#);
    expect(&report(&made(&lines), |_| {}), &[("a2", "visible-injection")]);
    // A14: the parent is missing.
    let lines = [user("u", "null"), injection("i", "lost", r#"["r"]"#)];
    expect(&report(&made(&lines), |_| {}), &[("i", "lost-injection"), ("i", "missing-reminder")]);
    // A16: both calls are blamed.
    let placeholder = |id: &str, parent: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{{"role":"toolResult","toolCallId":"{id}","content":[{{"type":"text","text":"Tool execution was aborted: TTSR matched rule: r"}}],"isError":true}}}}"#
        )
    };
    let lines = [
        user("u", "null"),
        assistant("a", "u", "aborted", "TTSR matched rule: r"),
        placeholder("p1", "a"),
        placeholder("p2", "p1"),
        interrupt("c", "p2", "r"),
        injection("i", "c", r#"["r"]"#),
    ];
    expect(&report(&made(&lines), |_| {}), &[("p1", "blanket-placeholder"), ("p2", "blanket-placeholder")]);
    assert_eq!(
        report(&made(&lines), |_| {}).injections[0].main_evidence().kind,
        EvidenceKind::Interrupt,
        "placeholders may stand between"
    );
}

#[test]
fn a_rule_that_changed_is_shown_with_both_texts() {
    let mut lines = interrupted("a", "u");
    lines.insert(0, user("u", "null"));
    let session = made(&lines);
    let (settings, semantics) = (Settings::default(), Lifecycle::V3.semantics());
    let mut options = AuditOptions::new(&settings, &semantics);
    let same = [KnownRule { name: "r".into(), content: "Do not.\n".into() }];
    options.rules = Some(&same);
    expect(&audit(&session, &options).expect("a report"), &[]);
    let other = [KnownRule { name: "r".into(), content: "Never do.\n".into() }];
    options.rules = Some(&other);
    let report = audit(&session, &options).expect("a report");
    expect(&report, &[("a2", "changed-rule")]);
    let changed = &report.changed_rules[0];
    assert_eq!(
        (changed.reminder.to_string_lossy(), changed.content.to_string_lossy()),
        ("Do not.".into(), "Never do.\n".into())
    );
}

// ---- field reports, group E ----

#[test]
fn report_71_a_glued_line_names_what_can_be_saved() {
    let torn = &user("aaaa0001", "null")[..40];
    let session = session(&[&format!("{torn}{}", injection("aaaa0002", "aaaa0001", r#"["r"]"#))]);
    assert_eq!((session.len(), session.malformed()), (0, 1));
    let finding = &session.diagnostics()[0];
    assert_eq!(finding.place.as_ref().map(|place| place.start.line), Some(2));
    assert!(finding.help.as_ref().is_some_and(|help| help.contains("aaaa0002") && help.contains("byte 40")));
    // Two whole records on one line: the first is read, the second named.
    let session = self::session(&[&format!("{}{}", user("aaaa0001", "null"), injection("aaaa0002", "aaaa0001", "[]"))]);
    assert_eq!((session.len(), session.malformed()), (1, 1));
    assert!(session.diagnostics()[0].help.as_ref().is_some_and(|help| help.contains("aaaa0002")));
}

#[test]
fn report_73_a_bad_line_hides_no_other() {
    let mut lines: Vec<String> = (0..9).map(|at| user(&format!("bbbb000{at}"), "null")).collect();
    lines.insert(4, "{\"type\":\"message\",\"x\":".to_owned());
    let session = made(&lines);
    assert_eq!((session.len(), session.malformed()), (9, 1));
    assert_eq!(session.diagnostics()[0].place.as_ref().map(|place| place.start.line), Some(6));
}

#[test]
fn report_74_a_cut_last_line_is_told() {
    let line = injection("cccc0002", "cccc0001", r#"["r"]"#);
    let session = session(&[&user("cccc0001", "null"), &line[..line.len() - 9]]);
    assert_eq!((session.len(), session.malformed()), (1, 1));
    assert!(session.diagnostics().iter().any(|one| one.code.name() == "truncated-tail"));
}

#[test]
fn report_75_an_exit_on_a_stale_leaf_hides_a_branch() {
    let lines = [
        user("a", "null"),
        assistant("b", "a", "stop", ""),
        injection("c", "b", r#"["r1"]"#),
        user("d", "\"c\""),
        exit("e", "a"),
    ];
    let session = made(&lines);
    let report = report(&session, |_| {});
    assert_eq!(report.branch, [0, 4]);
    assert!(report.injected_rules.is_empty());
    let finding = report.findings.iter().find(|one| one.code.name() == "stale-exit").expect("a finding");
    assert!(finding.message.contains("3 entries") && finding.message.contains("`r1`"), "{}", finding.message);
}

#[test]
fn report_77_only_the_branch_counts() {
    let lines =
        [user("a", "null"), injection("i1", "a", r#"["r1"]"#), user("c", "\"a\""), injection("i2", "c", r#"["r2"]"#)];
    let session = made(&lines);
    assert_eq!(session.injected_rules(session.leaf()).expect("rules"), [JsString::from("r2")]);
}

#[test]
fn report_83_title_slots_of_all_forms() {
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}"#;
    let slot = |rest: &str| format!("{{\"type\":\"title\",\"v\":1,\"title\":\"T\"{rest}}}\n{header}\n");
    let read = |text: String| Session::from_bytes(text.into_bytes(), "made", ReadMode::Tolerant);
    let short = read(slot(r#","updatedAt":"2026-01-01T00:00:00.000Z","pad":"""#)).expect("a session");
    assert_eq!(short.title().expect("a title"), Some("T".into()));
    assert!(matches!(read(slot(r#","pad":"""#)), Err(ReadError::Refused(_))));
}

#[test]
fn report_84_empty_files_are_new_sessions() {
    let empty = Session::from_bytes(Vec::new(), "empty", ReadMode::Tolerant).expect("a session");
    assert!(empty.is_fresh());
    let report = report(&empty, |_| {});
    assert_eq!((report.entries, names(&empty, &report)), (0, vec!["empty-session"]));
    assert!(session(&[]).is_empty());
}

#[test]
fn report_87_unknown_kinds_stay_in_the_chain() {
    let lines = [
        injection("i1", "x", r#"["r1"]"#).replace("\"x\"", "null"),
        r#"{"type":"future_kind","id":"f","parentId":"i1"}"#.to_owned(),
        injection("i2", "f", r#"["r2"]"#),
    ];
    let session = made(&lines);
    let rules = session.injected_rules(session.leaf()).expect("rules");
    assert_eq!(rules, [JsString::from("r1"), "r2".into()]);
    assert_eq!(report(&session, |_| {}).by_type.get(&JsString::from("future_kind")), Some(&1));
}

#[test]
fn report_88_compaction_and_reset_keep_the_rules() {
    let lines = [
        injection("i1", "x", r#"["r1"]"#).replace("\"x\"", "null"),
        r#"{"type":"compaction","id":"k","parentId":"i1","summary":"s","firstKeptEntryId":"none"}"#.to_owned(),
        r#"{"type":"reset_boundary","id":"z","parentId":"k"}"#.to_owned(),
        user("u", "\"z\""),
    ];
    let session = made(&lines);
    assert_eq!(session.injected_rules(session.leaf()).expect("rules"), [JsString::from("r1")]);
}

#[test]
fn a_finding_says_where_the_agent_reads_otherwise() {
    let session = session(&[&user("dddd0001", "null"), "null", &user("dddd0002", "\"dddd0001\"")]);
    let report = report(&session, |_| {});
    let finding = report.findings.iter().find(|one| one.code.name() == "readers-differ").expect("a finding");
    assert!(finding.message.contains("cannot open"), "{}", finding.message);
    assert_eq!(report.branch, [0, 1]);
}

/// An assistant's message with one call, and a result.
fn called(id: &str, parent: &str, call: &str) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{{"role":"assistant","content":[{{"type":"toolCall",{call}"name":"bash","arguments":{{}}}}],"stopReason":"toolUse"}}}}"#
    )
}

fn answer(id: &str, parent: &str, call: &str) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{{"role":"toolResult",{call}"content":[]}}}}"#
    )
}

#[test]
fn a_branch_that_goes_on_behind_an_unanswered_call() {
    let call = called("dddd0002", "dddd0001", r#""id":"c1","#);
    let mut lines = vec![user("dddd0001", "null"), call, user("dddd0003", "\"dddd0002\"")];
    let texts = |lines: &[String]| session(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let open = texts(&lines);
    let found = report(&open, |_| {});
    assert_eq!(names(&open, &found), ["unanswered-call"]);
    assert_eq!(found.findings[0].entry.as_deref(), Some("dddd0002"));
    // A result that hangs beside the branch does not answer it, and is named.
    lines.insert(2, answer("dddd0004", "dddd0002", r#""toolCallId":"c1","#));
    let beside = report(&texts(&lines), |_| {});
    assert!(beside.findings[0].message.contains("entry dddd0004"), "{}", beside.findings[0].message);
    // On the branch it does, and what is open at the branch's end is under way.
    lines[3] = user("dddd0003", "\"dddd0004\"");
    assert!(report(&texts(&lines), |_| {}).findings.is_empty());
    assert!(report(&texts(&lines[..2]), |_| {}).findings.is_empty());
}

#[test]
fn a_result_whose_call_is_on_another_branch() {
    let summary =
        r#"{"type":"branch_summary","id":"dddd0003","parentId":"dddd0001","fromId":"dddd0002","summary":"s"}"#;
    let call = called("dddd0002", "dddd0001", r#""id":"c1","#);
    let result = answer("dddd0004", "dddd0003", r#""toolCallId":"c1","#);
    let session = session(&[&user("dddd0001", "null"), &call, summary, &result]);
    let found = report(&session, |_| {});
    assert_eq!(names(&session, &found), ["stray-result"]);
    assert_eq!(found.findings[0].entry.as_deref(), Some("dddd0004"));
}

#[test]
fn a_call_and_a_result_without_ids_are_left_alone() {
    let session = session(&[
        &user("dddd0001", "null"),
        &called("dddd0002", "dddd0001", ""),
        &answer("dddd0003", "dddd0002", ""),
        &user("dddd0004", "\"dddd0003\""),
    ]);
    assert_eq!(names(&session, &report(&session, |_| {})), [""; 0]);
    assert_eq!(session.context(session.leaf()).expect("a context").messages.len(), 4);
}

#[test]
fn an_answer_that_the_agent_cannot_read_is_an_error() {
    let made = |message: &str| {
        let answer = format!(r#"{{"type":"message","id":"dddd0002","parentId":"dddd0001","message":{{{message}}}}}"#);
        let session = session(&[&user("dddd0001", "null"), &answer]);
        let findings = report(&session, |_| {}).findings;
        findings.iter().map(|one| (one.code.name(), one.severity, one.message.clone())).collect::<Vec<_>>()
    };
    let fine = r#""role":"assistant","content":[{"type":"text","text":"t"}]"#;
    assert!(made(&format!(r#"{fine},"usage":{{"input":1,"cost":{{"total":0}}}}"#)).is_empty());
    for (message, said) in [
        (format!(r#"{fine},"usage":{{"input":1}}"#), "cannot open this file: line 3"),
        (r#""role":"assistant""#.to_owned(), "fails on it: line 3"),
        (r#""role":"assistant","content":[{"type":"text","text":"t"},null]"#.to_owned(), "fails on it: line 3"),
        (r#""role":"assistant","content":7"#.to_owned(), "fails on it: line 3"),
    ] {
        let found = made(&message);
        assert_eq!((found.len(), found[0].0, found[0].1), (1, "readers-differ", Severity::Error), "{message}");
        assert!(found[0].2.contains(said), "{message}: {}", found[0].2);
    }
}

#[test]
fn a_first_entry_that_hangs_on_the_header_loses_nothing() {
    let hanging = session(&[&user("dddd0001", "\"s\""), &user("dddd0002", "\"dddd0001\"")]);
    assert_eq!(names(&hanging, &report(&hanging, |_| {})), [""; 0]);
    let lost = session(&[&user("dddd0001", "\"t\""), &user("dddd0002", "\"dddd0001\"")]);
    assert_eq!(names(&lost, &report(&lost, |_| {})), ["dangling-parent"]);
}

#[test]
fn sessions_that_the_agent_recorded_have_no_findings() {
    let mut audited = 0;
    for set in ["recordings", "recordings-17", "recordings-early"] {
        let folder = support::project("testdata").join(set);
        for case in std::fs::read_dir(&folder).expect("recordings").map(|case| case.expect("a case").path()) {
            // These runs have settings of their own.
            if case.file_name().is_some_and(|name| name.to_string_lossy().starts_with('f')) {
                continue;
            }
            for number in 1..=2 {
                let path = case.join(format!("session.{number}.jsonl"));
                let Ok(bytes) = std::fs::read(&path) else { continue };
                let name = path.display().to_string();
                let session = Session::from_bytes(bytes, &name, ReadMode::Tolerant).expect("a session");
                let report = report(&session, |settings| {
                    if name.contains("after-gap") {
                        settings.repeat_mode = RepeatMode::AfterGap;
                        settings.repeat_gap = 2.0;
                    }
                });
                assert!(report.findings.is_empty(), "{name}: {:?}", report.findings);
                assert!(report.injections.iter().all(|one| one.main_evidence().kind != EvidenceKind::None), "{name}");
                audited += 1;
            }
        }
    }
    assert!(audited > 30, "only {audited} sessions");
}
