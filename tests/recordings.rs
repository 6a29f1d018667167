//! Real runs of the agent, replayed through the command line (recordings/README.md).
//!
//! Of each run: its event stream (a), its session file (b) and its script (c) give the decisions, the reminders and
//! the persisted entries that were recorded; as they are, with other names, ids and directories, and with one more
//! rule beside.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ttsr::cli::Surroundings;
use ttsr::clock::Clock;
use ttsr::message::{ContentBlock, Message};
use ttsr::text::json::{self, Value};

use crate::support::program::{Outcome, surroundings, ttsr_with};
use crate::support::project;

/// The folders of recordings: `TTSR_RECORDINGS`, else the copies in `testdata`, one of each generation.
fn folders() -> Vec<PathBuf> {
    match std::env::var_os("TTSR_RECORDINGS") {
        Some(folder) => vec![PathBuf::from(folder)],
        None => ["recordings", "recordings-17", "recordings-early"].map(|name| project("testdata").join(name)).into(),
    }
}

#[test]
fn recordings() {
    let mut failed = 0;
    for folder in folders() {
        let mut cases: Vec<PathBuf> = fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.join("events.1.jsonl").is_file())
            .collect();
        // The rules of a few runs lay in a home that was not kept.
        cases.retain(|case| !rule_names(case).is_empty() || case.join("tree").is_dir());
        cases.sort();
        assert!(!cases.is_empty(), "{}: no recording", folder.display());
        let (mut passed, mut failures) = (0_usize, Vec::new());
        for case in &cases {
            let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match check(case, &name) {
                Ok(()) => passed += 1,
                Err(why) => failures.push(format!("{name}: {why}")),
            }
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        println!("{name}: {passed} passed, {} failed", failures.len());
        for failure in failures.iter().take(20) {
            println!("  {failure}");
        }
        failed += failures.len();
    }
    assert!(failed == 0, "{failed} recordings failed");
}

fn check(case: &Path, name: &str) -> Result<(), String> {
    let seed = name.bytes().fold(17_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let variants = [("as recorded", None), ("renamed", Some(seed)), ("with another rule", None)];
    for (variant, seed) in variants {
        if variant != "as recorded" && !has_telling_names(case) {
            continue;
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        copy(case, folder.path(), &substitutions(case, seed))?;
        if variant == "with another rule" {
            let rule = "---\ncondition: 'zq+unrelated'\nttsr_trigger: 'zq+unrelated'\nscope: text, thinking, tool\n---\nUnrelated.\n";
            fs::write(folder.path().join("rules/0-unrelated.md"), rule).map_err(|error| error.to_string())?;
        }
        run_all(folder.path(), name).map_err(|why| format!("{variant}: {why}"))?;
    }
    Ok(())
}

/// Whether the case can be changed by replacing text: its rules lie in one folder and have names that nothing else
/// contains.
fn has_telling_names(case: &Path) -> bool {
    let names = rule_names(case);
    case.join("rules").is_dir() && names.iter().all(|name| name.len() > 4 && name.contains('-') && name.is_ascii())
}

/// Text to replace in every file of a case, longest first: rule names in an order that keeps theirs, ids, directories.
fn substitutions(case: &Path, seed: Option<u64>) -> Vec<(String, String)> {
    let Some(seed) = seed else { return Vec::new() };
    let mut clock = Clock::fixed(0, seed);
    let mut names: Vec<String> = rule_names(case);
    names.sort();
    let mut pairs: Vec<(String, String)> = names
        .iter()
        .enumerate()
        .map(|(at, name)| (name.clone(), format!("{}rule-{}", char::from(b'b' + at as u8), clock.entry_id())))
        .collect();
    let cwd = first_cwd(case);
    pairs.push((cwd, format!("/srv/{}/work {}", clock.entry_id(), clock.entry_id())));
    let mut ids: Vec<String> = Vec::new();
    for file in files(case) {
        for line in fs::read_to_string(&file).unwrap_or_default().lines() {
            let Ok(value) = json::parse(line) else { continue };
            collect_ids(&value, &mut ids);
        }
    }
    ids.sort();
    ids.dedup();
    pairs.extend(ids.into_iter().map(|id| (format!("\"{id}\""), format!("\"{}x\"", clock.session_id()))));
    pairs.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
    pairs
}

fn collect_ids(value: &Value, ids: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_ids(item, ids)),
        Value::Object(object) => {
            for (key, member) in object.iter() {
                let is_id = *key == "id" || *key == "toolCallId" || *key == "parentId";
                if let (true, Some(id)) = (is_id, member.as_string()) {
                    ids.push(id.to_string_lossy());
                }
                collect_ids(member, ids);
            }
        }
        _ => {}
    }
}

fn files(case: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(case).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

fn rule_names(case: &Path) -> Vec<String> {
    let rules = fs::read_dir(case.join("rules")).into_iter().flatten();
    rules.filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_string_lossy().into_owned())).collect()
}

fn first_cwd(case: &Path) -> String {
    let lines = objects(&case.join("session.1.jsonl"));
    let header = lines.iter().find(|line| string(line, "type") == "session");
    header.map(|header| string(header, "cwd")).unwrap_or_default()
}

/// Copies the case with the substitutions made in contents and in names of rule files.
fn copy(case: &Path, folder: &Path, pairs: &[(String, String)]) -> Result<(), String> {
    let replaced = |text: String| pairs.iter().fold(text, |text, (from, to)| text.replace(from, to));
    let write = |path: PathBuf, text: String| fs::write(path, text).map_err(|error| error.to_string());
    fs::create_dir(folder.join("rules")).map_err(|error| error.to_string())?;
    copy_tree(&case.join("tree"), &folder.join("tree")).map_err(|error| error.to_string())?;
    for file in files(case) {
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        write(folder.join(file.file_name().unwrap_or_default()), replaced(text))?;
    }
    for rule in fs::read_dir(case.join("rules")).into_iter().flatten().flatten() {
        let text = fs::read_to_string(rule.path()).map_err(|error| error.to_string())?;
        write(folder.join("rules").join(replaced(rule.file_name().to_string_lossy().into_owned())), replaced(text))?;
    }
    Ok(())
}

/// Copies a folder, if it is there, with all that is in it.
fn copy_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    let Ok(entries) = fs::read_dir(from) else { return Ok(()) };
    fs::create_dir_all(to)?;
    for entry in entries {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The generation that recorded the case: the early one prints a trigger of its own name or writes no injections, the
/// latest say of a run's end whether the agent yielded, and the one before dates finished messages.
fn lifecycle(folder: &Path) -> &'static str {
    let events = objects(&folder.join("events.1.jsonl"));
    if events.iter().any(|event| event.get("yielded").is_some()) {
        return "v4";
    }
    let dated =
        events.iter().any(|event| event.get("message").is_some_and(|message| message.get("completedAt").is_some()));
    if dated {
        return "v3";
    }
    let early = events.iter().any(|event| {
        let rules = event.get("rules").and_then(Value::as_array).unwrap_or_default();
        rules.iter().any(|rule| rule.get("ttsrTrigger").is_some())
    });
    let headed = events.first().is_some_and(|first| string(first, "type") == "session");
    let writes = objects(&folder.join("session.1.jsonl")).iter().any(|entry| string(entry, "type") == "ttsr_injection");
    if early || !(headed || writes || folder.join("settings.json").is_file() && announces(&events)) {
        "v1"
    } else {
        "v2"
    }
}

/// Whether rule objects of the later form are announced.
fn announces(events: &[Value]) -> bool {
    events.iter().any(|event| {
        let rules = event.get("rules").and_then(Value::as_array).unwrap_or_default();
        rules.iter().any(|rule| rule.get("alwaysApply").is_some())
    })
}

/// Runs that were driven from outside: steering, aborts by the user, branching, new sessions stand in no script
/// (recordings/README.md).
const DRIVEN: [&str; 23] = [
    "r01", "r02", "r03", "f60", "f64", "f80", "f81", "f82", "f83", "f84", "f85", "f110", "f111", "f112", "f113",
    "f114", "f115", "f116", "f117", "f118", "f119", "f120", "f121",
];

/// Runs with a judge whose moments depend on real time.
const REAL_TIME: [&str; 4] = ["j16", "j17", "j30", "j33"];

/// Runs in which the arguments read at each delta decide earlier than the agent did.
fn decides_earlier_when_eager(case: &str, lifecycle: &str) -> bool {
    let cases: &[&str] = match lifecycle {
        "v2" => &["f12", "f14", "f23", "f62", "f63"],
        _ => &["f14", "f61"],
    };
    cases.contains(&case)
}

fn run_all(folder: &Path, name: &str) -> Result<(), String> {
    let lifecycle = lifecycle(folder);
    let case = name.split('-').next().unwrap_or_default();
    // engine.md E6.6: there the handler of the last delta ran after the end of the call had brought the full parse.
    let is_race = lifecycle == "v2" && ["g02", "g16"].contains(&case);
    let eager = !decides_earlier_when_eager(case, lifecycle);
    let readings: &[&str] = match (is_race, eager) {
        (true, _) => &["eager"],
        (false, true) => &["throttled", "eager"],
        (false, false) => &["throttled"],
    };
    for reading in readings {
        run_reading(&Setup { folder, case, lifecycle, reading }).map_err(|why| format!("{reading}: {why}"))?;
    }
    Ok(())
}

/// How a case is run.
struct Setup<'a> {
    folder: &'a Path,
    case: &'a str,
    lifecycle: &'static str,
    reading: &'a str,
}

impl Setup<'_> {
    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().into_owned()
    }

    /// The options that say where rules and settings are.
    fn sources(&self) -> Vec<String> {
        let mut options = if self.discovers() {
            vec!["--project".to_owned(), self.path("tree/app")]
        } else {
            vec!["--rules".to_owned(), self.path("rules")]
        };
        options.extend(["--settings".to_owned(), self.path("settings.json")]);
        options.extend(["--lifecycle", self.lifecycle].map(str::to_owned));
        options
    }

    /// Whether the rules are found and not named.
    fn discovers(&self) -> bool {
        self.folder.join("tree").is_dir()
    }

    fn run(&self, arguments: Vec<String>) -> Outcome {
        let home = self.discovers().then(|| self.folder.join("tree"));
        ttsr_with(arguments, b"", &Surroundings { home, ..surroundings() })
    }

    fn replay(&self, input: Vec<String>) -> Outcome {
        let mut arguments = vec!["replay".to_owned()];
        arguments.extend(input);
        arguments.extend(self.sources());
        arguments.extend(["--arguments", self.reading, "--format", "jsonl"].map(str::to_owned));
        self.run(arguments)
    }
}

fn run_reading(setup: &Setup<'_>) -> Result<(), String> {
    let &Setup { folder, case, lifecycle, reading } = setup;
    for run in 1.. {
        let events = folder.join(format!("events.{run}.jsonl"));
        if !events.is_file() {
            break;
        }
        let resumed = |mut arguments: Vec<String>| {
            if run > 1 {
                arguments.extend(["--resume".to_owned(), setup.path(&format!("session.{}.jsonl", run - 1))]);
            }
            arguments
        };
        let stream = setup.path(&format!("events.{run}.jsonl"));
        let outcome = setup.replay(resumed(vec![stream.clone(), "--verify".to_owned()]));
        if case == "f118" {
            expect_status(&outcome, 0)?;
        } else {
            check_events(folder, run, lifecycle, &outcome).map_err(|why| format!("run {run}, events: {why}"))?;
        }

        let emitted = setup.path(&format!("emitted.{reading}.{run}.jsonl"));
        let before = setup.replay(resumed(vec![stream, "--emit-events".to_owned(), emitted.clone()]));
        let after = setup.replay(resumed(vec![emitted, "--verify".to_owned()]));
        check_emitted(&before, &after).map_err(|why| format!("run {run}, emitted stream: {why}"))?;

        let session = setup.path(&format!("session.{run}.jsonl"));
        let outcome = setup.replay(vec![session.clone(), "--verify".to_owned()]);
        if case == "f118" {
            // No trace is left of the old session of the same process, for which the rule is spent.
            expect_status(&outcome, 1)?;
        } else {
            check_session(folder, run, &outcome).map_err(|why| format!("run {run}, session: {why}"))?;
        }
        if reading == "throttled" || lifecycle == "v2" {
            check_inspection(setup, &session).map_err(|why| format!("run {run}, inspection: {why}"))?;
            check_handoffs(setup, run, &session).map_err(|why| format!("run {run}, handoff: {why}"))?;
        }

        let script = folder.join(format!("script.{run}.json"));
        if script.is_file() && !DRIVEN.contains(&case) {
            let written = setup.path(&format!("written.{reading}.{run}.jsonl"));
            let mut arguments = vec!["--script".to_owned(), setup.path(&format!("script.{run}.json"))];
            for prompt in prompts(&events) {
                arguments.extend(["--prompt".to_owned(), prompt]);
            }
            arguments.extend(["--cwd".to_owned(), first_cwd(folder), "--write-session".to_owned(), written.clone()]);
            arguments.extend(judge_options(setup, run)?);
            let outcome = setup.replay(resumed(arguments));
            check_script(setup, run, &written, &outcome).map_err(|why| format!("run {run}, script: {why}"))?;
        }
    }
    Ok(())
}

/// The script of the judge as a file of verdicts: what it does not answer was a no.
fn judge_options(setup: &Setup<'_>, run: usize) -> Result<Vec<String>, String> {
    let Ok(text) = fs::read_to_string(setup.folder.join(format!("judge-script.{run}.json"))) else {
        return Ok(Vec::new());
    };
    let script = json::parse(&text).map_err(|error| error.message)?;
    let mut rows = script.as_array().unwrap_or_default().to_vec();
    rows.push(json::parse(r#"{"noul":0}"#).map_err(|error| error.message)?);
    let path = setup.path(&format!("verdicts.{run}.json"));
    fs::write(&path, Value::Array(rows).to_json()).map_err(|error| error.to_string())?;
    Ok(vec!["--verdicts".to_owned(), path])
}

/// Part e: inspection finds nothing in the session. What is wrong with rules and settings is told on standard error: f66
/// and e09 have conditions that do not compile, f43 and others a setting that the agent reads otherwise.
fn check_inspection(setup: &Setup<'_>, session: &str) -> Result<(), String> {
    let mut arguments = vec!["inspect-session".to_owned(), session.to_owned()];
    arguments.extend(setup.sources());
    arguments.extend(["--format", "json", "--fail-on", "note"].map(str::to_owned));
    let outcome = setup.run(arguments);
    let document = json::parse(&outcome.out).map_err(|error| format!("{error:?}: {}", outcome.err))?;
    let findings = document.get("findings").and_then(Value::as_array).unwrap_or_default();
    let codes: Vec<String> = findings.iter().map(|finding| string(finding, "code")).collect();
    // The session that one came from lies where the agent recorded it, not here.
    let codes = codes.into_iter().filter(|code| code != "TTSR122").collect();
    equal("findings", codes, Vec::new())
}

/// Part f: the session can be handed off, and what is written can be read.
fn check_handoffs(setup: &Setup<'_>, run: usize, session: &str) -> Result<(), String> {
    let document = setup.path("document.md");
    fs::write(&document, "## Goal\nGo on.\n").map_err(|error| error.to_string())?;
    for pipeline in ["g1", "g2", "g3", "g4", "g5"] {
        let written = setup.path(&format!("handoff.{}.{run}.{pipeline}.jsonl", setup.reading));
        let mut arguments: Vec<String> =
            ["handoff", session, "--document", &document, "--output", &written, "--pipeline", pipeline]
                .map(str::to_owned)
                .into();
        arguments.extend(setup.sources());
        let outcome = setup.run(arguments);
        if outcome.status == 3 && outcome.err.contains("Nothing to hand off") {
            continue;
        }
        expect_status(&outcome, 0).map_err(|why| format!("{pipeline}: {why}"))?;
        let again = setup.run(vec!["inspect-session".to_owned(), written, "--format".to_owned(), "json".to_owned()]);
        expect_status(&again, 0).map_err(|why| format!("{pipeline}, read again: {why}"))?;
    }
    Ok(())
}

fn prompts(events: &Path) -> Vec<String> {
    let is_prompt = |event: &&Value| {
        string(event, "type") == "message_end"
            && event.get("message").is_some_and(|message| string(message, "role") == "user")
    };
    objects(events)
        .iter()
        .filter(is_prompt)
        .filter_map(|event| Some(message(event)?.text().to_string_lossy()))
        .collect()
}

/// Part a: announced rules per message, and the persisted lists.
fn check_events(folder: &Path, run: usize, lifecycle: &str, outcome: &Outcome) -> Result<(), String> {
    expect_status(outcome, 0)?;
    let trace = lines(&outcome.out);
    let mut ours: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for line in trace.iter().filter(|line| string(line, "kind") == "trigger" && string(line, "decision") != "defer") {
        let message = line.get("at").and_then(|at| at.get("message")?.as_f64()).unwrap_or(-1.0) as u64;
        let rules = ours.entry(message).or_default();
        for rule in strings(line, "rules") {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    let mut recorded: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    let mut message = 0;
    for event in objects(&folder.join(format!("events.{run}.jsonl"))) {
        let is_assistant = event.get("message").is_some_and(|message| string(message, "role") == "assistant");
        match string(&event, "type").as_str() {
            "message_start" if is_assistant => message += 1,
            "ttsr_triggered" => {
                let rules = recorded.entry(message).or_default();
                for rule in event.get("rules").and_then(Value::as_array).unwrap_or_default() {
                    let name = string(rule, "name");
                    if !rules.contains(&name) {
                        rules.push(name);
                    }
                }
            }
            _ => {}
        }
    }
    let (mut ours, mut recorded): (Vec<_>, Vec<_>) = (ours.into_values().collect(), recorded.into_values().collect());
    if lifecycle == "v1" {
        // The early generation read directories in the order of the file system, which no recording tells.
        ours.iter_mut().chain(&mut recorded).for_each(|rules| rules.sort());
    }
    equal("announced rules", ours, recorded)?;
    let persisted: Vec<Vec<String>> =
        trace.iter().filter(|line| string(line, "kind") == "persist").map(|line| strings(line, "rules")).collect();
    let injections = |number: usize| -> Vec<Vec<String>> {
        objects(&folder.join(format!("session.{number}.jsonl")))
            .iter()
            .filter(|entry| string(entry, "type") == "ttsr_injection")
            .map(|entry| strings(entry, "injectedRules"))
            .collect()
    };
    let before = if run > 1 { injections(run - 1).len() } else { 0 };
    let expected = injections(run).split_off(before);
    if lifecycle == "v1" {
        return equal("persisted rules", persisted, Vec::new());
    }
    equal("persisted rules", persisted, expected)
}

/// A stream that a replay writes is decided as the replay was.
fn check_emitted(before: &Outcome, after: &Outcome) -> Result<(), String> {
    expect_status(before, 0)?;
    expect_status(after, 0)?;
    let told = |outcome: &Outcome| -> Vec<String> {
        let kinds = ["trigger", "inject", "fold", "persist", "discard", "keep"];
        let kept = lines(&outcome.out).into_iter().filter(|line| kinds.contains(&string(line, "kind").as_str()));
        kept.map(|line| {
            let at = line.get("at").cloned().unwrap_or(Value::Null);
            let at = ["turn", "message", "block", "delta"].map(|key| at.get(key).map(Value::to_json));
            format!("{} {:?} {:?} {}", string(&line, "kind"), strings(&line, "rules"), at, string(&line, "decision"))
        })
        .collect()
    };
    equal("decisions", told(after), told(before))
}

/// Part b: the session confirms itself, and nothing else fires.
fn check_session(folder: &Path, run: usize, outcome: &Outcome) -> Result<(), String> {
    expect_status(outcome, 0)?;
    let session = fs::read_to_string(folder.join(format!("session.{run}.jsonl"))).map_err(|error| error.to_string())?;
    let events = fs::read_to_string(folder.join(format!("events.{run}.jsonl"))).map_err(|error| error.to_string())?;
    for line in lines(&outcome.out).iter().filter(|line| string(line, "kind") == "trigger") {
        for rule in strings(line, "rules") {
            // As the rule stands in JSON.
            let rule = Value::from(rule.trim()).to_json();
            let rule = rule.trim_matches('"');
            if !session.contains(rule) && !events.contains(rule) {
                return Err(format!("`{rule}` fires and is not recorded"));
            }
        }
    }
    Ok(())
}

/// Part c: the written session tells the same story, loads without findings, and replays to the same decisions.
fn check_script(setup: &Setup<'_>, run: usize, written: &str, outcome: &Outcome) -> Result<(), String> {
    let folder = setup.folder;
    expect_status(outcome, 0)?;
    let recorded = objects(&folder.join(format!("session.{run}.jsonl")));
    // A result that was pruned later has lost its reminder with its text.
    let pruned: Vec<String> = recorded
        .iter()
        .filter_map(|entry| entry.get("message"))
        .filter(|message| message.get("prunedAt").is_some())
        .map(|message| string(message, "toolCallId"))
        .collect();
    let mut ours = story(&objects(Path::new(written)), &pruned);
    let mut recorded = story(&recorded, &pruned);
    if REAL_TIME.contains(&setup.case) {
        // When the judge answered is a matter of real time: rules and entries are compared, not moments.
        for told in [&mut ours, &mut recorded] {
            told.retain(|line| line.starts_with("custom") || line.starts_with("injection"));
            told.sort();
        }
    }
    equal("story", ours, recorded)?;
    let again = setup.replay(vec![written.to_owned(), "--verify".to_owned(), "--verbose".to_owned()]);
    expect_status(&again, 0).map_err(|why| format!("replaying what was written: {why}"))?;
    // Codes of sessions begin with 1 and 2, those of streams with 3.
    match ["TTSR1", "TTSR2", "TTSR3"].iter().find(|code| again.err.contains(**code)) {
        Some(_) if !again.err.contains("one-process") => Err(format!("what was written has findings: {}", again.err)),
        _ => Ok(()),
    }
}

/// What a session tells, entry by entry, interrupted messages reduced to a token.
fn story(entries: &[Value], pruned: &[String]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    let mut calls_of_hit: Vec<String> = Vec::new();
    let hit = hit_messages(entries);
    for (at, entry) in entries.iter().enumerate() {
        match string(entry, "type").as_str() {
            "message" => {
                let Some(message) = message(entry) else { continue };
                let role = message.role().to_string_lossy();
                if hit.contains(&at) {
                    calls_of_hit.extend(message.tool_calls().iter().map(|call| call.id.to_string_lossy()));
                    interrupted(&mut told);
                } else if role == "toolResult"
                    && calls_of_hit.contains(&string(entry.get("message").unwrap_or(&Value::Null), "toolCallId"))
                {
                    interrupted(&mut told);
                } else if role == "toolResult"
                    && pruned.contains(&message.string("toolCallId").unwrap_or_default().to_string_lossy())
                {
                    told.push("toolResult pruned".to_owned());
                } else {
                    told.push(told_message(&message, &role));
                }
            }
            "custom_message" => {
                let details = entry.get("details").unwrap_or(&Value::Null);
                told.push(format!("custom {} {:?}", string(entry, "customType"), strings(details, "rules")));
            }
            "ttsr_injection" => told.push(format!("injection {:?}", strings(entry, "injectedRules"))),
            _ => {}
        }
    }
    // With a late abort the pair can stand before the message that it belongs to.
    for at in 2..told.len() {
        if told[at] == INTERRUPTED && told[at - 1].starts_with("injection") && told[at - 2].starts_with("custom") {
            told[at - 2..=at].rotate_right(1);
        }
    }
    told
}

const INTERRUPTED: &str = "interrupted";

fn interrupted(told: &mut Vec<String>) {
    if told.last().is_none_or(|last| last != INTERRUPTED) {
        told.push(INTERRUPTED.to_owned());
    }
}

/// Entries that an interrupt hit: aborted assistant messages, and the finished one before an empty aborted one.
fn hit_messages(entries: &[Value]) -> Vec<usize> {
    let mut hit = Vec::new();
    let mut last_finished = None;
    for (at, entry) in entries.iter().enumerate() {
        let Some(message) = message(entry).filter(|_| string(entry, "type") == "message") else { continue };
        if message.role() == "user" {
            last_finished = None;
        }
        if message.role() == "toolResult" && message.raw.get("isError").and_then(Value::as_bool) != Some(true) {
            // A tool of the finished message ran: no abort was on its way.
            last_finished = None;
        }
        if !message.is_assistant() {
            continue;
        }
        if message.stop_reason().is_some_and(|reason| reason == "aborted") {
            hit.push(at);
            if message.blocks().is_empty() {
                hit.extend(last_finished.take());
            }
        } else {
            last_finished = Some(at);
        }
    }
    hit
}

fn told_message(message: &Message, role: &str) -> String {
    let stop = message.stop_reason().map(|reason| format!(" {reason}")).unwrap_or_default();
    if role == "toolResult" {
        let reminders = message.blocks().into_iter().filter_map(|block| match block {
            ContentBlock::Text(text) => text
                .to_string_lossy()
                .split(" rule=\"")
                .nth(1)
                .map(|rest| rest.split('"').next().unwrap_or_default().to_owned()),
            _ => None,
        });
        return format!("toolResult {:?}", reminders.collect::<Vec<_>>());
    }
    format!("{role}{stop} {:?}", message.text().to_string_lossy())
}

fn message(value: &Value) -> Option<Message> {
    Some(Message::new(value.get("message")?.as_object()?.clone()))
}

fn objects(path: &Path) -> Vec<Value> {
    lines(&fs::read_to_string(path).unwrap_or_default())
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| json::parse(line).ok()).collect()
}

fn string(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_string).map(ToString::to_string).unwrap_or_default()
}

fn strings(value: &Value, key: &str) -> Vec<String> {
    let items = value.get(key).and_then(Value::as_array).unwrap_or_default();
    items.iter().filter_map(|item| item.as_string().map(ToString::to_string)).collect()
}

fn expect_status(outcome: &Outcome, status: u8) -> Result<(), String> {
    if outcome.status == status { Ok(()) } else { Err(format!("status {}: {}", outcome.status, outcome.err)) }
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, ours: T, recorded: T) -> Result<(), String> {
    if ours == recorded { Ok(()) } else { Err(format!("{what}: ours {ours:?}, recorded {recorded:?}")) }
}
