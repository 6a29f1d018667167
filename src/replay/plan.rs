//! [`Plan`]: what all inputs of a replay share, and one method per kind of input.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use crate::agent::{Script, ScriptSource, ScriptedAgent};
use crate::clock::{Clock, REPLAY_EPOCH_MS};
use crate::diagnostic::{Diagnostic, code};
use crate::engine::{Manager, Warm};
use crate::foreign::Facts;
use crate::generation::Semantics;
use crate::host::trace::{Counting, GateEvent, Matched, Summary, TraceKind};
use crate::host::{Journal, Run, TraceSink};
use crate::json_object;
use crate::judge::Verdicts;
use crate::lifecycle::{Coordinator, Options, Templates, shown_path};
use crate::message::Message;
use crate::rule::{BUNDLED_PREFIX, CompiledRule, Unregistered};
use crate::session::{EntryKind, NewHeader, Session, Store};
use crate::settings::Settings;
use crate::stream::{ChunkMode, StreamHeader};
use crate::text::JsString;
use crate::text::json::{Object, Value};
use crate::tool::{ArgumentMode, ReadOptions};

use super::handed_off::Handoffs;

/// A rule file as the report lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleLine {
    /// The rule's name.
    pub name: JsString,
    /// Its path as stored.
    pub path: JsString,
    /// Whether it is registered.
    pub registered: bool,
    /// Why not.
    pub reason: Option<Unregistered>,
}

/// What all inputs of a replay share.
#[derive(Clone)]
pub struct Plan {
    /// The registered rules in order.
    pub rules: Vec<CompiledRule>,
    /// Every rule that was read.
    pub listed: Vec<RuleLine>,
    /// Whether the rules were named by path: theirs are made to lie in `<cwd>/.omp/rules/` of the run (cli.md,
    /// `--cwd`).
    pub rules_in_project: bool,
    /// The settings in force.
    pub settings: Settings,
    /// The generation.
    pub semantics: Semantics,
    /// How recorded messages are cut.
    pub chunk: ChunkMode,
    /// Cut a text of [`Plan::text`] into deltas too, by the same mode; otherwise it is one delta.
    pub chunk_texts: bool,
    /// Whether matches are only noted.
    pub observe: bool,
    /// Whether matches in transcripts of other agents are only noted.
    pub observes_foreign: bool,
    /// Whether sub-agents in transcripts of other agents are played too.
    pub subagents: bool,
    /// What is counted over many inputs; none where each stands for itself.
    pub counting: Option<Counting>,
    /// Whether the input is one of many, so that its trace says what a report over all needs.
    pub is_one_of_many: bool,
    /// Whether each rule's gate is told at each message: all rules, or only the named one.
    pub explain: Option<Option<JsString>>,
    /// Rows of verdicts for judged rules (generation-v4.md W15.2).
    pub verdicts: Verdicts,
    /// A script that answers the retries of recorded inputs.
    pub retries: Option<Script>,
    /// Whether everything is told: what receivers get, what the model is given, gates, reservations.
    pub full_trace: bool,
    /// How streamed arguments are re-read.
    pub arguments: ArgumentMode,
    /// Working directory where the input names none.
    pub cwd: JsString,
    /// Home directory.
    pub home: JsString,
    /// Reminder texts.
    pub templates: Option<Templates>,
    /// Rules that resuming a session restores.
    pub restored: Vec<JsString>,
    /// Per restored rule, the entry that records it.
    pub restored_by: Vec<(JsString, JsString)>,
    /// Whether sessions are cut so finely that recorded interrupts can be compared exactly.
    pub verify: bool,
    /// Whether the session that results is kept.
    pub keep_session: bool,
    /// Whether the run is kept as an event stream.
    pub keep_events: bool,
    /// Seed of ids.
    pub seed: u64,
    /// Time at which the run begins, in milliseconds since the epoch.
    pub now_ms: u64,
    /// What the runs of this plan hand on to each other.
    pub warm: Warm,
    /// The rules of the run before, as they were placed.
    pub placed: PlacedRules,
}

/// The rules of a run, kept for the next one at the same place.
#[derive(Clone, Debug, Default)]
pub struct PlacedRules(Arc<Mutex<Option<Placed>>>);

/// Rules with the paths that they have in runs at one place.
#[derive(Debug)]
struct Placed {
    cwd: JsString,
    home: JsString,
    in_project: bool,
    rules: Arc<[CompiledRule]>,
}

impl Plan {
    /// A plan with these rules, everything else as the command line has it by default.
    pub fn new(rules: Vec<CompiledRule>, settings: Settings, semantics: Semantics) -> Self {
        Self {
            rules,
            listed: Vec::new(),
            rules_in_project: false,
            settings,
            semantics,
            chunk: ChunkMode::default(),
            chunk_texts: false,
            observe: false,
            observes_foreign: true,
            subagents: false,
            counting: None,
            is_one_of_many: false,
            explain: None,
            verdicts: Verdicts::default(),
            retries: None,
            full_trace: false,
            arguments: ArgumentMode::Throttled,
            cwd: "/project".into(),
            home: "/home/user".into(),
            templates: None,
            restored: Vec::new(),
            restored_by: Vec::new(),
            verify: false,
            keep_session: false,
            keep_events: false,
            seed: 0,
            now_ms: REPLAY_EPOCH_MS,
            warm: Warm::default(),
            placed: PlacedRules::default(),
        }
    }
}

/// What one input came to.
pub struct Report {
    /// The totals.
    pub summary: Summary,
    /// What was wrong with the input, and how the run differs from what it records.
    pub diagnostics: Vec<Diagnostic>,
    /// The session that results, where it was to be kept.
    pub store: Option<Store>,
    /// The run as an event stream, where it was to be kept.
    pub events: Option<Vec<u8>>,
    /// The sessions that a script handed off, oldest first; what follows them is in `store`.
    pub handed_off: Vec<Store>,
    /// What is known of the transcript of another agent.
    pub foreign: Option<Box<Facts>>,
}

/// A session that a run goes on with: its lines stay, and new entries hang on the leaf.
pub struct Resumed {
    /// The session.
    pub session: Session,
    /// The entry on which the next one hangs.
    pub leaf: Option<usize>,
}

impl Plan {
    /// Plays prompts and scripted replies. With `resumed` the run goes on under that session's leaf, whose lines stay
    /// as they are.
    pub fn script(
        &self,
        source: ScriptSource,
        prompts: &[JsString],
        resumed: Option<Resumed>,
        name: &str,
        sink: &mut dyn TraceSink,
    ) -> Report {
        let rows: Vec<Value> = source.replies().iter().flat_map(|reply| reply.judge.iter().cloned()).collect();
        let mut run = self.begin(&StreamHeader::default(), name, "script", None, resumed, sink);
        let mut diagnostics = Vec::new();
        match Verdicts::read(&rows) {
            Ok(verdicts) => run.judge.script = verdicts,
            Err(error) => {
                let message = format!("the script's `judge` rows are not used: {error}");
                diagnostics.push(Diagnostic::new(code::MALFORMED_SCRIPT, message));
            }
        }
        let mut agent = ScriptedAgent::new(source)
            .writing_empty(self.semantics.writes_empty)
            .of_early_generation(self.semantics.keeps_cut_calls);
        for prompt in prompts {
            let mut message = Message::user(prompt.clone(), 0);
            // The agent dates a prompt when it takes it.
            message.raw.remove("timestamp");
            agent.prompt(message);
        }
        let mut handoffs = Handoffs::new(self, name);
        handoffs.play(&mut run, &mut agent);
        run.flush();
        diagnostics.extend(handoffs.diagnostics);
        diagnostics.extend(agent.source().finding());
        Report { handed_off: handoffs.sessions, ..self.report(run, diagnostics) }
    }

    /// A run over an input with that header, its first lines emitted.
    pub(super) fn begin<'a>(
        &self,
        header: &StreamHeader,
        name: &str,
        kind: &'static str,
        source: Option<Rc<Session>>,
        resumed: Option<Resumed>,
        sink: &'a mut dyn TraceSink,
    ) -> Run<'a> {
        let cwd = header.cwd.clone().unwrap_or_else(|| self.cwd.clone());
        let mut clock = Clock::fixed(self.now_ms, self.seed);
        let journal = if self.keep_session {
            let header = NewHeader { id: header.id.clone(), cwd: cwd.clone(), ..NewHeader::default() };
            let store = Store::create(header, &mut clock);
            let journal = Journal::kept(clock, store);
            match source {
                Some(session) => journal.copying(session),
                None => journal,
            }
        } else {
            Journal::new(clock)
        };
        let mut journal = journal;
        if let Some(Resumed { session, leaf }) = resumed.filter(|_| self.keep_session) {
            let is_open = lacks_exit(&session, leaf);
            journal.resume(Store::resume(session, leaf));
            if is_open {
                journal.process_ended();
            }
        }
        if self.keep_events {
            let header = stream_header(header, &cwd, journal.clock());
            journal.keep_events(&header, &self.semantics);
        }
        let recorded = matches!(kind, "session" | "events" | "foreign");
        let mut coordinator = if recorded { self.recorded_coordinator(&cwd) } else { self.coordinator(&cwd) };
        coordinator.restore(self.restored.iter().cloned());
        let mut run = Run::new(coordinator, journal, name, sink);
        run.judge.file = self.verdicts.clone();
        run.judge.waits_for_recording = recorded;
        if self.full_trace {
            run.tell_all();
        }
        run.explained = self.explain.clone().flatten();
        run.closed_by = self.restored_by.iter().cloned().collect();
        if self.explain.is_some() {
            run.unregistered = self.unregistered_gates(run.explained.as_ref());
            run.choices = self.choices(run.explained.as_ref());
        }
        for kind in self.trace_head(&cwd, kind) {
            run.emit_outside(kind);
        }
        run.flush();
        run
    }

    /// The first lines of a trace: the run, its rules, and the conditions that are never tested.
    pub fn trace_head(&self, cwd: &JsString, kind: &'static str) -> Vec<TraceKind> {
        let mut head = vec![TraceKind::Run {
            input_kind: kind,
            lifecycle: self.semantics.lifecycle.as_str(),
            // Who chose the generation knows.
            lifecycle_from: None,
            chunk: self.chunk.to_string(),
            settings: self.settings.to_object(),
            rules: self.rules.len(),
            count: self.counting,
            foreign: None,
        }];
        for rule in &self.listed {
            head.push(TraceKind::Rule {
                name: rule.name.clone(),
                path: shown_path(&self.placed(&rule.name, &rule.path, cwd), cwd, &self.home),
                registered: rule.registered,
                reason: rule.reason.as_ref().map(ToString::to_string),
                matches: if self.counting.is_some() { self.what_matches(&rule.name) } else { Vec::new() },
            });
        }
        for rule in &self.rules {
            for condition in &rule.undecidable {
                head.push(TraceKind::Undecided {
                    rule: rule.name.clone(),
                    matched: Matched::Condition(condition.clone()),
                    why: "the condition is valid and too large to evaluate: it is never tested".to_owned(),
                });
            }
        }
        head
    }

    /// What makes a rule match, in the order of the rule.
    fn what_matches(&self, name: &JsString) -> Vec<Matched> {
        let Some(rule) = self.rules.iter().find(|rule| rule.name == *name) else { return Vec::new() };
        let conditions = rule.conditions.iter().map(|(source, _)| source).chain(&rule.undecidable);
        let streams = conditions.cloned().map(Matched::Condition).chain(rule.ast.iter().cloned().map(Matched::Ast));
        match rule.question.clone().filter(|_| rule.is_judged()) {
            Some(question) => vec![Matched::Question(question)],
            None => streams.collect(),
        }
    }

    /// The gates of the rules that are not registered: they never reach the engine.
    fn unregistered_gates(&self, only: Option<&JsString>) -> Vec<GateEvent> {
        let left_out = self.listed.iter().filter(|rule| !rule.registered && only.is_none_or(|only| *only == rule.name));
        left_out
            .map(|rule| {
                let why = rule.reason.as_ref().map_or_else(|| "it is not registered".to_owned(), ToString::to_string);
                GateEvent::plain(rule.name.clone(), gate_of(rule.reason.as_ref()), why)
            })
            .collect()
    }

    /// The rules that have several conditions, with their number.
    fn choices(&self, only: Option<&JsString>) -> HashMap<JsString, usize> {
        let explained = self.rules.iter().filter(|rule| only.is_none_or(|only| *only == rule.name));
        explained
            .map(|rule| (rule.name.clone(), rule.conditions.len() + rule.undecidable.len() + rule.ast.len()))
            .filter(|(_, count)| *count > 1)
            .collect()
    }

    /// The rules with the paths that they have in a run at `cwd`.
    pub fn placed_rules(&self, cwd: &JsString) -> Vec<CompiledRule> {
        let rules = self.rules.iter().map(|rule| {
            let path = self.placed(&rule.name, &rule.path, cwd);
            CompiledRule { path, ..rule.clone() }
        });
        rules.collect()
    }

    /// The same, shared with the run before where that was at the same place.
    fn shared_rules(&self, cwd: &JsString) -> Arc<[CompiledRule]> {
        let mut placed = self.placed.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_like = |known: &Placed| {
            let (home, in_project) = (&self.home, self.rules_in_project);
            known.cwd == *cwd
                && (&known.home, known.in_project, known.rules.len()) == (home, in_project, self.rules.len())
                && known.rules.iter().zip(&self.rules).all(|(one, other)| one.is_like(other))
        };
        match placed.as_ref().filter(|known| is_like(known)) {
            Some(known) => Arc::clone(&known.rules),
            None => {
                let rules: Arc<[CompiledRule]> = self.placed_rules(cwd).into();
                let (cwd, home, in_project) = (cwd.clone(), self.home.clone(), self.rules_in_project);
                *placed = Some(Placed { cwd, home, in_project, rules: Arc::clone(&rules) });
                rules
            }
        }
    }

    pub(super) fn coordinator(&self, cwd: &JsString) -> Coordinator {
        self.coordinator_of(cwd, self.semantics.clone())
    }

    /// A coordinator that acts as the releases that made the recordings.
    pub(super) fn recorded_coordinator(&self, cwd: &JsString) -> Coordinator {
        self.coordinator_of(cwd, self.semantics.clone().recorded())
    }

    fn coordinator_of(&self, cwd: &JsString, semantics: Semantics) -> Coordinator {
        let manager = Manager::with(self.shared_rules(cwd), self.settings.clone(), semantics, &self.warm);
        let options = Options {
            templates: self.templates_in(cwd),
            reading: self.reading(cwd),
            explain: self.explain.is_some(),
            observe: self.observe,
            late_structural: false,
            native_judge: true,
        };
        Coordinator::new(manager, options)
    }

    /// The reminder texts of a run at `cwd`.
    pub(super) fn templates_in(&self, cwd: &JsString) -> Templates {
        let mut templates = Templates::new(cwd.clone(), self.home.clone());
        if let Some(given) = &self.templates {
            templates.interrupt = given.interrupt.clone();
            templates.tool_reminder = given.tool_reminder.clone();
        }
        templates
    }

    pub(super) fn reading(&self, cwd: &JsString) -> ReadOptions {
        ReadOptions { arguments: self.arguments, edit_mode: None, cwd: cwd.clone() }
    }

    /// The path of a rule in a run at `cwd`: what was found in the project and in the home of this machine lies in
    /// those of the run, and a bundled rule nowhere.
    pub(super) fn placed(&self, name: &JsString, path: &JsString, cwd: &JsString) -> JsString {
        if path.starts_with(BUNDLED_PREFIX) {
            return path.clone();
        }
        if !self.rules_in_project {
            return placed_in(path, cwd, &self.home);
        }
        let mut placed = cwd.clone();
        placed.push_str("/.omp/rules/");
        placed.push_units(name.units());
        placed.push_str(if path.to_string_lossy().ends_with(".mdc") { ".mdc" } else { ".md" });
        placed
    }

    pub(super) fn report(&self, run: Run<'_>, diagnostics: Vec<Diagnostic>) -> Report {
        let (summary, journal) = run.finish();
        let (store, events) = journal.into_written();
        Report { summary, diagnostics, store, events, handed_off: Vec::new(), foreign: None }
    }
}

/// The gate at which a rule stayed that is not registered.
fn gate_of(reason: Option<&Unregistered>) -> &'static str {
    match reason {
        Some(Unregistered::OtherAgent(_)) => "agent",
        Some(reason) if reason.is_switched_off() => "disabled",
        _ => "not-registered",
    }
}

/// Whether the branch does not say that its process ended: without that, a reader takes what follows for the same
/// process (session.md S9.4a).
fn lacks_exit(session: &Session, leaf: Option<usize>) -> bool {
    let branch = session.branch(leaf);
    let mut entries = branch.iter().rev().filter_map(|&index| session.entry(index));
    entries
        .find(|entry| entry.is_session_exit() || entry.kind() == Some(EntryKind::Message))
        .is_some_and(|entry| !entry.is_session_exit())
}

/// A path that is relative to the project, or to the home as `~/…`, as an absolute one.
fn placed_in(path: &JsString, cwd: &JsString, home: &JsString) -> JsString {
    let text = path.to_string_lossy();
    let (base, mut below) = match text.strip_prefix("~/") {
        Some(below) => (home, below),
        None if Path::new(&text).is_absolute() || text.starts_with('/') => return path.clone(),
        None => (cwd, text.as_str()),
    };
    let base = base.to_string_lossy();
    let mut base = base.trim_end_matches('/');
    while let Some(rest) = below.strip_prefix("../") {
        below = rest;
        base = base.rsplit_once('/').map_or("", |(above, _)| above);
    }
    JsString::from(format!("{base}/{below}"))
}

/// The header that an event stream begins with: the input's own, else one that says where the run took place.
fn stream_header(header: &StreamHeader, cwd: &JsString, clock: &mut Clock) -> Object {
    if header.raw.get("id").is_some() {
        return header.raw.clone();
    }
    json_object! {
        "type": "session",
        "version": 3_u32,
        "id": clock.session_id(),
        "timestamp": clock.iso(),
        "cwd": cwd.clone(),
    }
}
