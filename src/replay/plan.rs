//! [`Plan`]: what all inputs of a replay share, and one method per kind of input.

use std::collections::HashMap;
use std::io::BufRead;
use std::rc::Rc;

use crate::agent::{ScriptSource, ScriptedAgent};
use crate::clock::{Clock, REPLAY_EPOCH_MS};
use crate::diagnostic::{Diagnostic, code};
use crate::engine::Manager;
use crate::json_object;
use crate::lifecycle::{Coordinator, Options, Templates, shown_path};
use crate::message::{AgentEvent, Message};
use crate::rule::CompiledRule;
use crate::session::{NewHeader, Session, SessionError, Store};
use crate::settings::{RepeatMode, Semantics, Settings};
use crate::stream::{ChunkMode, Chunker, EventReader, StreamHeader};
use crate::text::JsString;
use crate::text::Place;
use crate::text::json::Object;
use crate::tool::{ArgumentMode, ReadOptions};

use super::journal::Journal;
use super::observed::Observed;
use super::play::{TurnEnd, play_turn};
use super::recorded::{Gatherer, Step, Turn};
use super::run::Run;
use super::scripted::play_script;
use super::session_steps::SessionSteps;
use super::sink::TraceSink;
use super::text_turn::{TextInput, text_turn};
use super::trace::{GateEvent, Matched, Summary, TraceKind};
use super::verify::{Comparison, KnownRules, compare_events, compare_session};

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
    pub reason: Option<String>,
}

/// What all inputs of a replay share.
pub struct Plan {
    /// The registered rules in order.
    pub rules: Vec<CompiledRule>,
    /// Every rule that was read.
    pub listed: Vec<RuleLine>,
    /// Whether rule paths are made to lie in `<cwd>/.omp/rules/` of the run (cli.md, `--cwd`).
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
    /// Whether each rule's gate is told at each message: all rules, or only the named one.
    pub explain: Option<Option<JsString>>,
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
            chunk: ChunkMode::Chars(4),
            chunk_texts: false,
            observe: false,
            explain: None,
            arguments: ArgumentMode::Eager,
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
        }
    }
}

/// What one input came to.
pub struct Report {
    /// The totals.
    pub summary: Summary,
    /// What was wrong with the input, and how the run differs from what it records.
    pub diagnostics: Vec<Diagnostic>,
    /// Number of differences from what the input records.
    pub differences: usize,
    /// The session that results, where it was to be kept.
    pub store: Option<Store>,
    /// The run as an event stream, where it was to be kept.
    pub events: Option<Vec<u8>>,
}

impl KnownRules for Plan {
    fn is_registered(&self, name: &JsString) -> bool {
        self.rules.iter().any(|rule| rule.name == *name)
    }

    fn watches_tools(&self, name: &JsString) -> bool {
        let rule = self.rules.iter().find(|rule| rule.name == *name);
        rule.is_some_and(|rule| !self.semantics.scoped || rule.scope.allows_some_tool())
    }
}

/// Where recorded steps come from.
enum Recording<R> {
    Events(Box<EventReader<R>>, Gatherer),
    Session(SessionSteps),
}

impl<R: BufRead> Recording<R> {
    fn next_step(&mut self) -> Result<Option<Step>, SessionError> {
        match self {
            Self::Session(steps) => steps.next_step(),
            Self::Events(reader, gatherer) => Ok(loop {
                if let Some(step) = gatherer.pop() {
                    break Some(step);
                }
                match reader.next_item() {
                    Some(item) => gatherer.push(item),
                    None => {
                        gatherer.close();
                        break gatherer.pop();
                    }
                }
            }),
        }
    }
}

impl Plan {
    /// Plays an event stream (session.md S8).
    pub fn events(&self, input: impl BufRead, name: &str, sink: &mut dyn TraceSink) -> Report {
        let reader = EventReader::new(input, name);
        let recording = Recording::Events(Box::new(reader), Gatherer::default());
        self.recording(recording, name, "events", None, sink)
    }

    /// Plays the branch of a session that ends at `leaf` (session.md S9).
    pub fn session(&self, session: Rc<Session>, leaf: Option<usize>, name: &str, sink: &mut dyn TraceSink) -> Report {
        let steps = SessionSteps::new(session.clone(), leaf, self.chunk, self.verify);
        self.recording(Recording::<&[u8]>::Session(steps), name, "session", Some(session), sink)
    }

    /// Plays one text as a message or a finished call. `kind` is the `input_kind` of the trace.
    pub fn text(&self, input: &TextInput, name: &str, kind: &'static str, sink: &mut dyn TraceSink) -> Report {
        let header = StreamHeader { id: None, cwd: None, raw: Object::new() };
        let mut run = self.begin(&header, name, kind, None, sink);
        let mut turn = text_turn(input);
        if let Some((origin, message)) = turn.end.as_ref().filter(|_| self.chunk_texts) {
            let events = Chunker::new(self.chunk).events(message, origin);
            turn.events = events.map(|(event, origin)| (origin, event)).collect();
        }
        play_turn(&mut run, &turn, false);
        run.flush();
        self.report(run, Vec::new(), 0)
    }

    /// Plays prompts and scripted replies. With `resume` the run goes on under that session's leaf, whose lines stay
    /// as they are.
    pub fn script(
        &self,
        source: ScriptSource,
        prompts: &[JsString],
        resume: Option<Session>,
        name: &str,
        sink: &mut dyn TraceSink,
    ) -> Report {
        let header = StreamHeader { id: None, cwd: None, raw: Object::new() };
        let mut run = self.begin(&header, name, "script", None, sink);
        if let Some(session) = resume.filter(|_| self.keep_session) {
            let leaf = session.leaf();
            run.journal.resume(Store::resume(session, leaf));
        }
        let mut agent = ScriptedAgent::new(source);
        for prompt in prompts {
            let mut message = Message::user(prompt.clone(), 0);
            // The agent dates a prompt when it takes it.
            message.raw.remove("timestamp");
            agent.prompt(message);
        }
        play_script(&mut run, &mut agent);
        let diagnostics = agent.source().finding().into_iter().collect();
        self.report(run, diagnostics, 0)
    }

    fn recording(
        &self,
        mut recording: Recording<impl BufRead>,
        name: &str,
        kind: &'static str,
        source: Option<Rc<Session>>,
        sink: &mut dyn TraceSink,
    ) -> Report {
        let is_session = source.is_some();
        let mut diagnostics = source.as_ref().map(|session| session.diagnostics().to_vec()).unwrap_or_default();
        let mut differences = 0;
        let mut first = recording.next_step();
        let header = match &mut first {
            Ok(Some(Step::Header(header))) => Some(header.clone()),
            _ => None,
        };
        let header = header.unwrap_or(StreamHeader { id: None, cwd: None, raw: Object::new() });
        let mut run = self.begin(&header, name, kind, source, sink);
        let mut processes = 1;
        let mut next = first;
        loop {
            let step = match next {
                Ok(Some(step)) => step,
                Ok(None) => break,
                Err(error) => {
                    let message = format!("the session cannot be read further: {error}");
                    diagnostics.push(Diagnostic::new(code::MALFORMED_LINE, message).at(Place::line(name, 0, 0)));
                    break;
                }
            };
            next = recording.next_step();
            match step {
                Step::Header(_) => {}
                Step::Message(origin, message) => {
                    if message.role() == "user" {
                        run.diverged = false;
                        run.open_turn();
                    }
                    run.move_to(&origin);
                    run.feed(&AgentEvent::Message(message.clone()));
                    run.journal.message(&message, Some(&origin));
                }
                Step::Entry(entry) => run.journal.entry(&entry),
                Step::ProcessEnd => {
                    processes += 1;
                    self.restart(&mut run, &header);
                }
                Step::Turn(turn) => {
                    let compare = !run.diverged;
                    let cancelled = self.retry_was_cancelled(&turn, &next, is_session);
                    let end = play_turn(&mut run, &turn, cancelled);
                    if turn.end.is_none() {
                        diagnostics.push(unfinished(name, &turn));
                    }
                    if compare {
                        let comparison = if is_session {
                            compare_session(&turn, &run.observed, self, &self.semantics)
                        } else {
                            compare_events(&turn, &run.observed, &self.semantics)
                        };
                        differences += self.compared(&mut run, &turn, &comparison, name, &mut diagnostics);
                    }
                    if let TurnEnd::Stopped { left_recording: true, .. } = end {
                        run.diverged = true;
                    }
                    run.flush();
                }
            }
            if let Recording::Events(reader, _) = &mut recording {
                diagnostics.extend(reader.take_diagnostics());
            }
        }
        if let Recording::Events(reader, _) = &mut recording {
            diagnostics.extend(reader.take_diagnostics());
        }
        if is_session && processes == 1 && self.settings.repeat_mode == RepeatMode::AfterGap {
            let message = "no `session_exit` entry: the session is taken as one process";
            diagnostics.push(Diagnostic::new(code::ONE_PROCESS, message).at(Place::line(name, 0, 0)));
        }
        self.report(run, diagnostics, differences)
    }

    /// Whether the recording shows that the retry of an interrupted message never ran: a prompt follows at once, and
    /// in a session no reminder was written (session.md S10.2 A11).
    fn retry_was_cancelled(&self, turn: &Turn, next: &Result<Option<Step>, SessionError>, is_session: bool) -> bool {
        let reminded = !turn.injected.is_empty() || !turn.persisted.is_empty();
        let recorded = turn.interrupted && !reminded && self.semantics.user_abort_cancels;
        let prompted = matches!(next, Ok(Some(Step::Message(_, message))) if message.role() == "user");
        let ended = matches!(next, Ok(None | Some(Step::ProcessEnd | Step::Entry(_))));
        recorded && (prompted || (is_session && ended))
    }

    /// Notes what the input records at this message, and how the run differs.
    fn compared(
        &self,
        run: &mut Run<'_>,
        turn: &Turn,
        comparison: &Comparison,
        name: &str,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> usize {
        for _ in 0..comparison.not_reproducible {
            run.count_not_reproducible();
        }
        if !comparison.recorded.is_empty() {
            let agrees = comparison.differences.is_empty();
            run.emit_at_message(&turn.origin, TraceKind::Recorded { rules: comparison.recorded.clone(), agrees });
        }
        for difference in &comparison.differences {
            let line = turn.origin.line.unwrap_or(0);
            let mut diagnostic = Diagnostic::new(code::DECISION_DIFFERS, difference.clone())
                .at(Place::line(name, line, 0))
                .with_help(self.difference_help(turn, &run.observed));
            if let Some(entry) = &turn.origin.entry {
                diagnostic = diagnostic.with_entry(entry.to_string_lossy());
            }
            diagnostics.push(diagnostic);
        }
        comparison.differences.len()
    }

    /// What to look at when a decision differs; names another generation when the recording carries its marks.
    fn difference_help(&self, turn: &Turn, _observed: &Observed) -> String {
        let delivery = turn.injected.iter().any(|injection| injection.delivery_id.is_some());
        let lifecycle = self.semantics.lifecycle.as_str();
        if delivery && !self.semantics.reservations {
            return format!("the recording has a `deliveryId`, which {lifecycle} does not write: try --lifecycle v3");
        }
        let shows_reasons = turn
            .end
            .as_ref()
            .is_some_and(|(_, message)| message.string("errorMessage").is_some_and(|text| text.starts_with("TTSR")));
        if shows_reasons && !self.semantics.abort_reason {
            return format!("the recording's abort names its rules, which {lifecycle} does not do: try --lifecycle v3");
        }
        "check that rules, settings and --lifecycle are those of the recorded run".to_owned()
    }

    /// A run over an input with that header, its first lines emitted.
    fn begin<'a>(
        &self,
        header: &StreamHeader,
        name: &str,
        kind: &'static str,
        source: Option<Rc<Session>>,
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
        if self.keep_events {
            let header = stream_header(header, &cwd, journal.clock());
            journal.keep_events(&header);
        }
        let mut coordinator = self.coordinator(&cwd);
        coordinator.restore(self.restored.iter().cloned());
        let mut run = Run::new(coordinator, self.reading(&cwd), journal, name, sink);
        run.explained = self.explain.clone().flatten();
        run.closed_by = self.restored_by.iter().cloned().collect();
        if self.explain.is_some() {
            run.unregistered = self.unregistered_gates(run.explained.as_ref());
            run.choices = self.choices(run.explained.as_ref());
        }
        run.emit_outside(TraceKind::Run {
            input_kind: kind,
            lifecycle: self.semantics.lifecycle.as_str(),
            chunk: self.chunk.to_string(),
            settings: self.settings.to_object(),
            rules: self.rules.len(),
        });
        for rule in &self.listed {
            run.emit_outside(TraceKind::Rule {
                name: rule.name.clone(),
                path: shown_path(&self.placed(&rule.name, &rule.path, &cwd), &cwd, &self.home),
                registered: rule.registered,
                reason: rule.reason.clone(),
            });
        }
        for rule in &self.rules {
            for condition in &rule.undecidable {
                run.emit_outside(TraceKind::Undecided {
                    rule: rule.name.clone(),
                    matched: Matched::Condition(condition.clone()),
                    why: "the condition is valid and too large to evaluate: it is never tested".to_owned(),
                });
            }
        }
        run.flush();
        run
    }

    /// The gates of the rules that are not registered: they never reach the engine.
    fn unregistered_gates(&self, only: Option<&JsString>) -> Vec<GateEvent> {
        let left_out = self.listed.iter().filter(|rule| !rule.registered && only.is_none_or(|only| *only == rule.name));
        left_out
            .map(|rule| {
                let why = rule.reason.clone().unwrap_or_else(|| "it is not registered".to_owned());
                let gate = if why.starts_with("not for the agent") { "agent" } else { "disabled" };
                GateEvent { rule: rule.name.clone(), gate, why }
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

    /// A new process: buffers, timers and turn counter are gone, persisted rules are restored.
    fn restart(&self, run: &mut Run<'_>, header: &StreamHeader) {
        let cwd = header.cwd.clone().unwrap_or_else(|| self.cwd.clone());
        let persisted = run.persisted.clone();
        let mut coordinator = self.coordinator(&cwd);
        coordinator.restore(self.restored.iter().cloned().chain(persisted));
        run.replace_process(coordinator);
    }

    /// The rules with the paths that they have in a run at `cwd`.
    pub fn placed_rules(&self, cwd: &JsString) -> Vec<CompiledRule> {
        let rules = self.rules.iter().map(|rule| {
            let path = self.placed(&rule.name, &rule.path, cwd);
            CompiledRule { path, ..rule.clone() }
        });
        rules.collect()
    }

    pub(super) fn coordinator(&self, cwd: &JsString) -> Coordinator {
        let manager = Manager::new(self.placed_rules(cwd), self.settings.clone(), self.semantics.clone());
        let mut templates = Templates::new(cwd.clone(), self.home.clone());
        if let Some(given) = &self.templates {
            templates.interrupt = given.interrupt.clone();
            templates.tool_reminder = given.tool_reminder.clone();
        }
        let options = Options {
            templates,
            reading: self.reading(cwd),
            explain: self.explain.is_some(),
            observe: self.observe,
            native_judge: true,
        };
        Coordinator::new(manager, options)
    }

    fn reading(&self, cwd: &JsString) -> ReadOptions {
        ReadOptions { arguments: self.arguments, edit_mode: None, cwd: cwd.clone() }
    }

    /// The path of a rule in a run at `cwd`.
    fn placed(&self, name: &JsString, path: &JsString, cwd: &JsString) -> JsString {
        if !self.rules_in_project {
            return path.clone();
        }
        let mut placed = cwd.clone();
        placed.push_str("/.omp/rules/");
        placed.push_units(name.units());
        placed.push_str(if path.to_string_lossy().ends_with(".mdc") { ".mdc" } else { ".md" });
        placed
    }

    fn report(&self, run: Run<'_>, diagnostics: Vec<Diagnostic>, differences: usize) -> Report {
        let (summary, journal) = run.finish();
        let (store, events) = journal.into_written();
        Report { summary, diagnostics, differences, store, events }
    }
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

fn unfinished(name: &str, turn: &Turn) -> Diagnostic {
    let place = Place::line(name, turn.origin.line.unwrap_or(0), 0);
    Diagnostic::new(code::UNFINISHED_MESSAGE, "the input ends inside this assistant message").at(place)
}
