//! Tells a story in its three forms and compares them.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use ttsr::text::json::{self, Object, Value};

use super::tell::Story;
use crate::support::program::{Outcome, surroundings, ttsr_with};

/// What happened in the stories, so that a run of the test cannot pass for want of anything to compare.
#[derive(Debug, Default)]
pub(super) struct Seen {
    runs: usize,
    interrupts: usize,
    folds: usize,
    deferred: usize,
    persisted: usize,
    /// Sessions whose decisions were compared one by one.
    sessions_alike: usize,
    /// Sessions that do not show a call that was cut.
    sessions_lossy: usize,
}

impl Seen {
    pub(super) fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.interrupts += other.interrupts;
        self.folds += other.folds;
        self.deferred += other.deferred;
        self.persisted += other.persisted;
        self.sessions_alike += other.sessions_alike;
        self.sessions_lossy += other.sessions_lossy;
    }

    pub(super) fn assert_varied(&self) {
        let counts = [self.interrupts, self.folds, self.deferred, self.persisted, self.sessions_alike];
        assert!(counts.iter().all(|count| *count * 20 > self.runs), "{self:?}");
    }
}

struct Teller<'a> {
    story: &'a Story,
    lifecycle: &'a str,
    folder: &'a Path,
}

impl Teller<'_> {
    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().into_owned()
    }

    fn replay(&self, arguments: &[&str]) -> Outcome {
        let mut all = vec!["replay".to_owned()];
        all.extend(arguments.iter().map(|&argument| argument.to_owned()));
        all.extend(["--rules", &self.path("rules"), "--lifecycle", self.lifecycle].map(str::to_owned));
        all.extend(["--format", "jsonl"].map(str::to_owned));
        for setting in &self.story.settings {
            all.extend(["--set".to_owned(), setting.clone()]);
        }
        ttsr_with(all, b"", &surroundings())
    }
}

/// Tells the story in one generation; an error says what differs.
pub(super) fn tell(story: &Story, lifecycle: &str, folder: &Path, seen: &mut Seen) -> Result<(), String> {
    let teller = Teller { story, lifecycle, folder };
    story.write_rules(&folder.join("rules"));
    fs::write(folder.join("settings.txt"), format!("{:?} chunk {}\n", story.settings, story.chunk)).expect("settings");
    let mut lossy = false;
    for (at, told) in story.runs.iter().enumerate() {
        let name = |what: &str| teller.path(&format!("{what}.{at}.jsonl"));
        let before = (at > 0).then(|| teller.path(&format!("written.{}.jsonl", at - 1)));
        let resumed: Vec<&str> = before.iter().flat_map(|path| ["--resume", path.as_str()]).collect();
        let script = name("script");
        let lines: Vec<String> =
            told.script.lines().map(|line| line.replacen('{', &format!("{{\"chunk\":{},", story.chunk), 1)).collect();
        fs::write(&script, lines.join("\n")).expect("a script");

        let (written, emitted) = (name("written"), name("emitted"));
        let mut arguments = vec!["--script", &script, "--write-session", &written, "--emit-events", &emitted];
        arguments.extend(told.prompts.iter().flat_map(|prompt| ["--prompt", prompt.as_str()]));
        arguments.extend(&resumed);
        let scripted = teller.replay(&arguments);
        expect_status(&scripted)?;
        count(&scripted, seen);

        if lifecycle == "v2" && is_ambiguous(&scripted) {
            return Ok(());
        }
        let again = name("again");
        let mut arguments = vec![emitted.as_str(), "--verify", "--write-session", &again];
        arguments.extend(&resumed);
        let streamed = teller.replay(&arguments);
        expect_status(&streamed).map_err(|why| format!("run {at}, stream: {why}"))?;
        alike(&decisions(&scripted, true), &decisions(&streamed, true))
            .map_err(|why| format!("run {at}, stream: {why}"))?;
        let (ours, theirs) = (normalized(&written), normalized(&again));
        alike(&ours, &theirs).map_err(|why| format!("run {at}, session of the stream: {why}"))?;

        // With other borders than the script's, a deferral that only its own borders made is not found.
        let chunk = format!("chars:{}", story.chunk);
        let verified = teller.replay(&[written.as_str(), "--verify", "--chunk", &chunk]);
        expect_status(&verified).map_err(|why| format!("run {at}, session --verify: {why}"))?;
        lossy |= lifecycle != "v1" && cuts_a_call(&emitted);
        if at == 0 {
            session(&teller, &scripted, &written, &name("copied"), lossy, seen)
                .map_err(|why| format!("session: {why}"))?;
        }
    }
    Ok(())
}

/// The written session, cut as the script was: the same decisions, entries and rules in force, unless a call that
/// matched was cut from it.
fn session(
    teller: &Teller<'_>,
    scripted: &Outcome,
    written: &str,
    copied: &str,
    lossy: bool,
    seen: &mut Seen,
) -> Result<(), String> {
    let chunk = format!("chars:{}", teller.story.chunk);
    let replayed = teller.replay(&[written, "--chunk", &chunk, "--write-session", copied]);
    expect_status(&replayed)?;
    if lossy {
        seen.sessions_lossy += 1;
    } else {
        seen.sessions_alike += 1;
        // What no reminder shows, as behind an interrupt by reserved rules, may have been cancelled at the end.
        let shown = |outcome: &Outcome| {
            let mut told = decisions(outcome, true);
            let is_silent = |line: &String| ["discard", "keep", "continue"].iter().any(|kind| line.starts_with(kind));
            while told.last().is_some_and(is_silent) {
                told.pop();
            }
            told
        };
        alike(&shown(scripted), &shown(&replayed))?;
        alike(&normalized(written), &normalized(copied)).map_err(|why| format!("copy: {why}"))?;
    }
    let in_force = |session: &str| {
        let probe = "alpha bravo carol delta echo fox alpha fox bravo";
        let outcome = teller.replay(&["--resume", session, "--text", probe, "--on-trigger", "observe"]);
        decisions(&outcome, false)
    };
    alike(&in_force(written), &in_force(copied)).map_err(|why| format!("rules in force: {why}"))
}

/// What recordings of the middle generation do not settle: a fold whose message ended badly is free again by its document
/// and stays marked in its releases (engine.md E11 G33), and the pair of a deferral, which has no `deliveryId`, before an
/// interrupt whose retry never came looks like the pair of a late abort.
fn is_ambiguous(scripted: &Outcome) -> bool {
    let trace = lines(&scripted.out);
    let count = |kind: &str, key: &str, value: &str| {
        trace
            .iter()
            .filter(|line| string(line, "kind") == kind && (key.is_empty() || string(line, key) == value))
            .count()
    };
    count("drop", "", "") > 0 || count("abort", "", "") > count("continue", "source", "retry")
}

/// Whether a call was cut: from release 12.10 on the written session does not hold it (session.md S9.2), nor what
/// matched in it.
fn cuts_a_call(emitted: &str) -> bool {
    let stream = fs::read_to_string(emitted).unwrap_or_default();
    let count = |kind: &str| stream.matches(&format!("\"assistantMessageEvent\":{{\"type\":\"{kind}\"")).count();
    count("toolcall_start") != count("toolcall_end")
}

fn count(outcome: &Outcome, seen: &mut Seen) {
    let Some(summary) = lines(&outcome.out).pop() else { return };
    let number = |key: &str| summary.get(key).and_then(Value::as_f64).unwrap_or_default() as usize;
    seen.runs += 1;
    seen.interrupts += number("interrupts");
    seen.folds += number("folded");
    seen.deferred += number("deferred");
    seen.persisted += number("persisted");
}

/// What was decided and done, in order.
fn decisions(outcome: &Outcome, placed: bool) -> Vec<String> {
    let kinds = ["trigger", "abort", "inject", "fold", "persist", "discard", "keep", "drop", "continue"];
    let kept = lines(&outcome.out).into_iter().filter(|line| kinds.contains(&string(line, "kind").as_str()));
    kept.map(|line| {
        let at = line.get("at").cloned().unwrap_or(Value::Null);
        let at = ["turn", "message", "block", "delta"].map(|key| at.get(key).map_or("-".to_owned(), Value::to_json));
        let is_trigger = string(&line, "kind") == "trigger";
        let at = if placed && is_trigger { at.join("/") } else { String::new() };
        let rest = ["rules", "decision", "source", "tool_call", "content", "why", "reason", "dropped"];
        let rest: Vec<String> =
            rest.iter().filter_map(|key| Some(format!("{key}={}", line.get(key)?.to_json()))).collect();
        format!("{} {at} {}", string(&line, "kind"), rest.join(" "))
    })
    .collect()
}

/// The lines of a session, ids by order of appearance and times taken out.
fn normalized(path: &str) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut ids: HashMap<String, usize> = HashMap::new();
    let mut normal = Vec::new();
    for line in text.lines() {
        let Ok(Value::Object(entry)) = json::parse(line) else {
            normal.push(line.to_owned());
            continue;
        };
        let mut own = Object::new();
        for (key, value) in entry.iter() {
            let name = key.to_string_lossy();
            let value = match (name.as_str(), value.as_string()) {
                ("id" | "parentId", Some(id)) => {
                    let next = ids.len();
                    Value::String(format!("id {}", ids.entry(id.to_string_lossy()).or_insert(next)).into())
                }
                _ => timeless(&name, value),
            };
            own.insert(name.as_str(), value);
        }
        normal.push(Value::Object(own).to_json());
    }
    normal
}

fn timeless(key: &str, value: &Value) -> Value {
    match value {
        _ if ["timestamp", "completedAt", "recordedAt", "duration"].contains(&key) => Value::Bool(true),
        Value::Array(items) => Value::Array(items.iter().map(|item| timeless("", item)).collect()),
        Value::Object(object) => {
            let members = object.iter().map(|(key, value)| (key.clone(), timeless(&key.to_string_lossy(), value)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

fn alike(ours: &[String], theirs: &[String]) -> Result<(), String> {
    if ours == theirs {
        return Ok(());
    }
    let at = ours.iter().zip(theirs).position(|(a, b)| a != b).unwrap_or(ours.len().min(theirs.len()));
    let show = |list: &[String]| list.get(at).cloned().unwrap_or_else(|| "nothing".to_owned());
    Err(format!("at {at}: script {}\n      other {}", show(ours), show(theirs)))
}

fn expect_status(outcome: &Outcome) -> Result<(), String> {
    if outcome.status == 0 { Ok(()) } else { Err(format!("status {}: {}", outcome.status, outcome.err)) }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| json::parse(line).ok()).collect()
}

fn string(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_string).map(ToString::to_string).unwrap_or_default()
}
