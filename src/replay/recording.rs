//! Recorded inputs through the host: played, compared, and held to what they show of the agent's state
//! (session.md S8, S9.4a to S9.4d).

use std::cell::RefCell;
use std::collections::HashSet;
use std::io::BufRead;
use std::rc::Rc;

use crate::agent::{EndOfScript, ScriptSource};
use crate::diagnostic::{Diagnostic, code};
use crate::foreign::{self, Adapter, Facts as ForeignFacts, ForeignHistory, Format};
use crate::generation::Semantics;
use crate::history::{BranchHistory, Cut, Step, StreamHistory, Turn};
use crate::host::trace::{Counting, ForeignRun, TraceEvent, TraceKind};
use crate::host::{Host, Progress, Run, TraceSink, distinct};
use crate::lifecycle::{Action, Coordinator, Decision};
use crate::message::{AgentEvent, Ending};
use crate::rule::CompiledRule;
use crate::session::{Session, SessionError};
use crate::settings::{InterruptMode, RepeatMode};
use crate::stream::{ChunkMode, Chunker, EventReader, Events, Read, StreamHeader};
use crate::text::json::Value;
use crate::text::{JsString, Place};
use crate::tool::ArgumentMode;

use super::followed::{Followed, Seen};
use super::plan::{Plan, Report, Resumed};
use super::recorded::{Conduct, Finished, RecordedAgent, StepSource};
use super::text_turn::{TextInput, text_turn};
use super::verify::{Block, Case, Comparison, KnownRules, ReminderKind, compare};

/// As many foreign names of calls are kept.
const KEPT_TOOLS: usize = 1 << 14;

/// Where recorded steps come from.
enum Recording<R> {
    Events(Box<EventReader<R>>, StreamHistory),
    Session(Box<BranchHistory>),
    Text(Option<Step>),
    Foreign(Box<ForeignHistory>, Rc<RefCell<ForeignFacts>>),
}

impl<R: BufRead> StepSource for Recording<R> {
    fn next_step(&mut self) -> Result<Option<Step>, SessionError> {
        match self {
            Self::Session(history) => history.next_step(),
            Self::Text(turn) => Ok(turn.take()),
            Self::Foreign(history, known) => {
                let step = history.next_step().map_err(|error| SessionError::Io { line: 0, error })?;
                let mut known = known.borrow_mut();
                let mut tools = std::mem::take(&mut known.tools);
                // Steps are looked at before their time, so the names of some messages are kept.
                if tools.len() > KEPT_TOOLS {
                    tools.clear();
                }
                tools.extend(history.facts().tools.iter().map(|(id, tool)| (id.clone(), tool.clone())));
                *known = ForeignFacts { tools, ..history.facts().clone() };
                Ok(step)
            }
            Self::Events(reader, history) => Ok(loop {
                if let Some(step) = history.pop() {
                    break Some(step);
                }
                match reader.read() {
                    Some(Read::Delta(delta)) => history.push_delta(&delta),
                    Some(Read::Item(item)) => history.push(item),
                    None => {
                        history.close();
                        break history.pop();
                    }
                }
            }),
        }
    }
}

impl Plan {
    /// Plays an event stream (session.md S8). With `resumed` what happens joins that session.
    pub fn events(
        &self,
        input: impl BufRead,
        name: &str,
        resumed: Option<Resumed>,
        sink: &mut dyn TraceSink,
    ) -> Report {
        let reader = EventReader::new(input, name);
        let history = StreamHistory::new(self.semantics.abort_reason);
        let recording = Recording::Events(Box::new(reader), history);
        self.recording(recording, Input { name, kind: "events", source: None, resumed }, sink)
    }

    /// Plays the branch of a session that ends at `leaf` (session.md S9).
    pub fn session(&self, session: Rc<Session>, leaf: Option<usize>, name: &str, sink: &mut dyn TraceSink) -> Report {
        // The borders of deltas are lost, so where an interrupt is to be compared each code unit is a check point.
        let interrupted = if self.verify { ChunkMode::All } else { self.chunk };
        let history = BranchHistory::new(session.clone(), leaf, Cut { complete: self.chunk, interrupted });
        let recording = Recording::<&[u8]>::Session(Box::new(history));
        self.recording(recording, Input { name, kind: "session", source: Some(session), resumed: None }, sink)
    }

    /// Plays one text as a message or a finished call. `kind` is the `input_kind` of the trace.
    pub fn text(
        &self,
        input: &TextInput,
        name: &str,
        kind: &'static str,
        resumed: Option<Resumed>,
        sink: &mut dyn TraceSink,
    ) -> Report {
        let mut turn = text_turn(input);
        if let Some((origin, message)) = turn.end.as_ref().filter(|_| self.chunk_texts) {
            turn.events = Events::cut(Chunker::new(self.chunk), message, origin);
        }
        let recording = Recording::<&[u8]>::Text(Some(Step::Turn(Box::new(turn))));
        self.recording(recording, Input { name, kind, source: None, resumed }, sink)
    }

    /// Reads and plays the transcript of another agent. What cannot be read is told in the report.
    pub fn foreign_input(
        &self,
        format: Format,
        input: Box<dyn foreign::Input>,
        name: &str,
        sink: &mut dyn TraceSink,
    ) -> Report {
        let options = foreign::Options { subagents: self.subagents };
        match foreign::open(format, input, options) {
            Ok(adapter) => self.foreign(adapter, format, name, sink),
            Err(error) => {
                let nothing = Box::new(foreign::Nothing::default());
                let mut report = self.foreign(nothing, format, name, sink);
                report.diagnostics.push(unreadable(name, &SessionError::Io { line: 0, error }));
                report
            }
        }
    }

    /// Plays the transcript of another agent.
    fn foreign(&self, adapter: Box<dyn Adapter>, format: Format, name: &str, sink: &mut dyn TraceSink) -> Report {
        let mut plan = self.clone();
        // No such file holds the borders of deltas.
        plan.chunk = if self.chunk_texts { self.chunk } else { ChunkMode::Block };
        plan.observe |= self.observes_foreign;
        let known = Rc::new(RefCell::new(ForeignFacts::default()));
        let recording = Recording::<&[u8]>::Foreign(Box::new(ForeignHistory::new(adapter, plan.chunk)), known.clone());
        let told = known.clone();
        let mut telling = |mut event: TraceEvent| {
            match &mut event.kind {
                TraceKind::Run { foreign, .. } => {
                    let version = told.borrow().version.clone();
                    *foreign = Some(ForeignRun { format: format.as_str(), words: format.words(), version });
                }
                TraceKind::Trigger(trigger) => {
                    let id = trigger.tool_call.as_ref();
                    trigger.foreign_tool = id.and_then(|id| told.borrow().tools.get(id).cloned());
                }
                _ => {}
            }
            sink.event(event);
        };
        let input = Input { name, kind: "foreign", source: None, resumed: None };
        let report = plan.recording(recording, input, &mut telling);
        let facts = known.borrow().clone();
        Report { foreign: Some(Box::new(facts)), ..report }
    }

    fn recording(&self, mut source: Recording<impl BufRead>, input: Input<'_>, sink: &mut dyn TraceSink) -> Report {
        let Input { name, kind, source: session, resumed } = input;
        let is_session = session.is_some();
        let mut diagnostics = session.as_ref().map(|session| session.diagnostics().to_vec()).unwrap_or_default();
        let (header, first) = match source.next_step() {
            Ok(Some(Step::Header(header))) => (header, None),
            Ok(first) => (StreamHeader::default(), first),
            Err(error) => {
                diagnostics.push(unreadable(name, &error));
                (StreamHeader::default(), None)
            }
        };
        let rules = RunRules { plan: self, cwd: header.cwd.clone().unwrap_or_else(|| self.cwd.clone()) };
        let input_kind = (name, is_session);
        let mut run = self.begin(&header, name, kind, session, resumed, sink);
        let conduct = Conduct { user_abort_cancels: self.semantics.user_abort_cancels, end_is_known: is_session };
        let script = self.retries.clone().map(|script| ScriptSource::new(script, EndOfScript::Stop));
        let mut agent = RecordedAgent::new(source, conduct).answering(script, self.semantics.writes_empty);
        agent.put_back(first);
        let mut facts = Facts {
            injected: self.restored.clone(),
            ahead: Vec::new(),
            lost_calls: false,
            processes: 1,
            uncertain: Vec::new(),
            followed: self.counting.map(|_| Followed::default()),
        };
        let mut host = Host::new(&mut run, &mut agent);
        loop {
            match host.step() {
                Progress::Over => break,
                Progress::ProcessEnd => {
                    facts.processes += 1;
                    facts.lost_calls = false;
                    facts.ahead.clear();
                    let mut coordinator = self.recorded_coordinator(&rules.cwd);
                    if self.counting != Some(Counting::Every) {
                        let persisted = host.run.persisted.iter();
                        coordinator.restore(distinct(facts.injected.iter().chain(persisted)));
                    }
                    host.run.replace_process(coordinator);
                }
                Progress::TurnOver => {
                    if let Some(finished) = host.agent.take_finished() {
                        self.turn_over(host.run, &finished, &rules, input_kind, &mut facts, &mut diagnostics);
                        if self.counting == Some(Counting::Every) {
                            host.run.coordinator.rearm();
                        }
                    }
                    if let Recording::Events(reader, _) = host.agent.source() {
                        diagnostics.extend(reader.take_diagnostics());
                    }
                }
                Progress::Goes | Progress::HandoffCancelled | Progress::Handoff => {}
            }
        }
        if let Recording::Events(reader, _) = agent.source() {
            diagnostics.extend(reader.take_diagnostics());
        }
        diagnostics.extend(agent.script().and_then(ScriptSource::finding));
        if let Some(error) = agent.take_failure() {
            diagnostics.push(unreadable(name, &error));
        }
        for (origin, kind) in
            facts.followed.take().into_iter().flat_map(|followed| followed.finish(|rule| rules.is_registered(rule)))
        {
            run.emit_about(&origin, kind);
        }
        if self.is_one_of_many {
            let assistant_messages = run.summary_mut().messages;
            run.emit_outside(TraceKind::Input {
                assistant_messages,
                time: header.raw.get("timestamp").and_then(Value::as_string).cloned(),
                cwd: header.cwd.clone(),
            });
        }
        if is_session && facts.processes == 1 && self.settings.repeat_mode == RepeatMode::AfterGap {
            let message = "no `session_exit` entry: the session is taken as one process";
            diagnostics.push(Diagnostic::new(code::ONE_PROCESS, message).at(Place::line(name, 0, 0)));
        }
        self.report(run, diagnostics)
    }

    /// A recorded message with all that belongs to it is over: it is compared, and the state is brought to what the
    /// recording shows.
    fn turn_over(
        &self,
        run: &mut Run<'_>,
        finished: &Finished,
        rules: &RunRules<'_>,
        (name, is_session): (&str, bool),
        facts: &mut Facts,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let turn = &finished.turn;
        if turn.end.is_none() {
            diagnostics.push(unfinished(name, turn));
        }
        run.diverged |= finished.is_scripted;
        if !run.diverged {
            let reserved = if self.semantics.reservations {
                let queued = run.coordinator.queued_rules();
                distinct(queued.iter().chain(run.observed.delivered.iter().flatten()))
            } else {
                Vec::new()
            };
            let comparison = compare(&Case {
                turn,
                reserved: &reserved,
                uncertain: &facts.uncertain,
                observed: &run.observed,
                rules,
                semantics: &self.semantics,
                is_session,
                observe: self.observe,
                lost_calls: facts.lost_calls,
            });
            self.compared(run, turn, &comparison, name, diagnostics);
            if !finished.left_recording {
                self.take_over(run, turn, is_session && comparison.differences.is_empty(), facts);
            }
        }
        if let Some(followed) = &mut facts.followed {
            let names = |rules: &[JsString]| rules.iter().map(JsString::trim).collect::<Vec<_>>();
            let matched: Vec<JsString> = distinct(run.observed.batches.iter().flat_map(|batch| &batch.rules))
                .iter()
                .map(JsString::trim)
                .collect();
            followed.message(&Seen {
                origin: &turn.origin,
                prompts: run.prompts,
                matched: &matched,
                by_cut: &names(&run.observed.chunk_dependent),
                undecided: &names(&run.observed.undecided),
                injected: &recorded_marks(turn, &self.semantics),
            });
        }
        let waiting = run.coordinator.queued_rules();
        let uncertain = facts.uncertain.iter().chain(&run.observed.chunk_dependent);
        facts.uncertain = distinct(uncertain.filter(|rule| waiting.contains(rule)));
        facts.lost_calls |= is_session && turn.may_lack_calls();
        run.diverged |= finished.left_recording;
        run.flush();
    }

    /// What a recording shows as injected is a fact, decided again or not (session.md S9.4c).
    fn take_over(&self, run: &mut Run<'_>, turn: &Turn, is_proven: bool, facts: &mut Facts) {
        let recorded = recorded_marks(turn, &self.semantics);
        let own = &run.observed;
        let ours: Vec<JsString> = if self.observe || self.semantics.mark_at_match {
            distinct(own.batches.iter().flat_map(|batch| &batch.rules))
        } else {
            // A fold marks at its match, delivered or not.
            let folds = own.batches.iter().filter(|batch| batch.decision == Decision::Fold);
            distinct(own.persisted.iter().flatten().chain(folds.flat_map(|batch| &batch.rules)))
        };
        let trimmed: HashSet<JsString> = ours.iter().map(JsString::trim).collect();
        let mut missing: Vec<JsString> = recorded.iter().filter(|rule| !trimmed.contains(*rule)).cloned().collect();
        // What was injected here already, and is shown only now, is marked.
        missing.retain(|rule| match facts.ahead.iter().position(|ahead| ahead == rule) {
            Some(at) => {
                facts.ahead.remove(at);
                false
            }
            None => true,
        });
        facts.ahead.extend(trimmed.iter().filter(|rule| !recorded.contains(rule)).cloned());
        for reminder in turn.reminders().filter(|reminder| reminder.delivery_id.is_some()) {
            if !own.delivered.contains(&reminder.rules) {
                run.coordinator.delivered_elsewhere(&reminder.rules);
            }
        }
        let nothing_of_ours = own.persisted.is_empty() && !self.observe;
        if !missing.is_empty() {
            run.coordinator.mark_recorded(missing);
            for entry in turn.persisted() {
                if let Some(id) = &entry.origin.entry {
                    run.closed_by.extend(entry.rules.iter().map(|rule| (rule.clone(), id.clone())));
                }
            }
        }
        if is_proven && turn.interrupted && !self.observe && !recorded.is_empty() {
            // The cut of the text let more rules match than the agent saw; a fold before the interrupt it did see.
            let before = own.batches.iter().take_while(|batch| batch.decision != Decision::Interrupt);
            let folds = before.filter(|batch| batch.decision == Decision::Fold).flat_map(|batch| &batch.rules);
            let lost: HashSet<&JsString> = folds.filter(|rule| !own.chunk_dependent.contains(rule)).collect();
            for rule in ours.iter().filter(|rule| !recorded.contains(&rule.trim()) && !lost.contains(rule)) {
                run.coordinator.unmark(rule);
            }
        }
        if is_proven && !self.observe {
            // What was delivered for a match that another cut of the text does not have was not injected.
            for rule in own.delivered.iter().flatten().filter(|rule| !recorded.contains(&rule.trim())) {
                if own.chunk_dependent.contains(rule) || facts.uncertain.contains(rule) {
                    run.coordinator.unmark(rule);
                }
            }
        }
        facts.injected.extend(turn.persisted().flat_map(|entry| entry.rules.iter().cloned()));
        if is_proven && nothing_of_ours {
            run.journal.recorded(turn);
        }
    }

    /// Notes what the input records at this message, and how the run differs.
    fn compared(
        &self,
        run: &mut Run<'_>,
        turn: &Turn,
        comparison: &Comparison,
        name: &str,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        run.count_unsettled(comparison.not_reproducible, comparison.races);
        if !comparison.recorded.is_empty() {
            let open = comparison.not_reproducible + comparison.races > 0;
            let agrees = if !comparison.differences.is_empty() { Some(false) } else { (!open).then_some(true) };
            run.emit_at_message(&turn.origin, TraceKind::Recorded { rules: comparison.recorded.clone(), agrees });
        }
        for difference in &comparison.differences {
            let line = turn.origin.line.unwrap_or(0);
            let mut diagnostic = Diagnostic::new(code::DECISION_DIFFERS, difference.clone())
                .at(Place::line(name, line, 0))
                .with_help(self.difference_help(turn));
            if let Some(entry) = &turn.origin.entry {
                diagnostic = diagnostic.with_entry(entry.to_string_lossy());
            }
            diagnostics.push(diagnostic);
        }
    }

    /// What to look at when a decision differs; names another generation when the recording carries its marks.
    fn difference_help(&self, turn: &Turn) -> String {
        let delivery = turn.reminders().any(|reminder| reminder.delivery_id.is_some());
        let lifecycle = self.semantics.lifecycle.as_str();
        if delivery && !self.semantics.reservations {
            return format!("the recording has a `deliveryId`, which {lifecycle} does not write: try --lifecycle v3");
        }
        if matches!(turn.ending(), Ending::Rules(_)) && !self.semantics.abort_reason {
            return format!("the recording's abort names its rules, which {lifecycle} does not do: try --lifecycle v3");
        }
        "check that rules, settings and --lifecycle are those of the recorded run".to_owned()
    }
}

/// One recorded input.
struct Input<'a> {
    name: &'a str,
    kind: &'static str,
    source: Option<Rc<Session>>,
    resumed: Option<Resumed>,
}

/// What the recording has shown so far.
struct Facts {
    /// Rules of its `ttsr_injection` entries.
    injected: Vec<JsString>,
    /// Rules that were injected here and that the recording has not shown yet.
    ahead: Vec<JsString>,
    /// Whether a call may have been cut off a message of the present process.
    lost_calls: bool,
    processes: usize,
    /// Injections of the recording and what came of them, where that is of interest.
    followed: Option<Followed>,
    /// Deferred rules that wait, and that another cut of the text would not have let match.
    uncertain: Vec<JsString>,
}

/// The rules that the recording shows as marked behind the message, trimmed, each once.
fn recorded_marks(turn: &Turn, semantics: &Semantics) -> Vec<JsString> {
    let mut marks = turn.injected();
    // A stream does not show an interrupt's reminder: that the agent went on tells of it. A fold is marked at its match.
    let announced = turn.announced.iter().filter(|_| semantics.mark_at_match || !turn.interrupted || turn.resumed);
    let named: Vec<JsString> = announced.flat_map(|announced| announced.rules.iter().map(JsString::trim)).collect();
    for name in named {
        if !name.is_empty() && !marks.contains(&name) {
            marks.push(name);
        }
    }
    marks
}

/// The rules of a run, as the comparison looks at them.
struct RunRules<'a> {
    plan: &'a Plan,
    cwd: JsString,
}

impl KnownRules for RunRules<'_> {
    fn is_registered(&self, name: &JsString) -> bool {
        self.plan.rules.iter().any(|rule| rule.name == *name || rule.name.trim() == *name)
    }

    fn watches_tools(&self, name: &JsString) -> bool {
        self.plan.rule(name).is_some_and(|rule| !self.plan.semantics.scoped || rule.scope.allows_some_tool())
    }

    fn is_judged(&self, name: &JsString) -> bool {
        self.plan.semantics.judged_rules && self.plan.rule(name).is_some_and(|rule| rule.question.is_some())
    }

    fn folds(&self, name: &JsString) -> bool {
        let mode = |rule: &CompiledRule| rule.interrupt_mode.unwrap_or(self.plan.settings.interrupt_mode);
        self.plan.semantics.interrupt_modes
            && self
                .plan
                .rule(name)
                .is_some_and(|rule| !matches!(mode(rule), InterruptMode::Always | InterruptMode::ToolOnly))
    }

    fn names(&self) -> Vec<JsString> {
        self.plan.rules.iter().map(|rule| rule.name.clone()).collect()
    }

    fn block(&self, kind: ReminderKind<'_>, name: &JsString) -> Option<Block> {
        let rule = self.plan.rule(name)?;
        let templates = self.plan.templates_in(&self.cwd);
        let path = self.plan.placed(&rule.name, &rule.path, &self.cwd);
        let render = |content: &JsString| templates.render(kind, &self.plan.semantics, &rule.name, &path, content);
        Some(Block::of(&render(&rule.content), &render(&JsString::new())))
    }

    fn match_complete_calls(&self, turn: &Turn) -> HashSet<JsString> {
        self.probed(whole_calls(turn))
    }

    fn match_beginnings(&self, turn: &Turn) -> HashSet<JsString> {
        self.probed(single_characters(turn))
    }
}

impl RunRules<'_> {
    /// The rules that match anywhere in these events of a message.
    fn probed(&self, events: impl IntoIterator<Item = AgentEvent>) -> HashSet<JsString> {
        let mut probe = self.plan.probe(&self.cwd);
        let start = [AgentEvent::TurnStart, AgentEvent::MessageStart { timestamp: None }];
        let actions = start.into_iter().chain(events).flat_map(|event| probe.handle(&event));
        let names = actions.filter_map(|action| match action {
            Action::Trigger(trigger) => Some(trigger.names),
            _ => None,
        });
        names.flatten().collect()
    }
}

/// The prose of a message, each character a delta: where an agent's deltas ended, no session says.
fn single_characters(turn: &Turn) -> impl Iterator<Item = AgentEvent> {
    turn.events.iter().flat_map(|(_, event)| {
        let pieces = |delta: &JsString| -> Vec<JsString> {
            let characters = char::decode_utf16(delta.units().iter().copied());
            let mut unit = [0; 2];
            let mut piece = |character: Result<char, std::char::DecodeUtf16Error>| match character {
                Ok(character) => JsString::from_units(character.encode_utf16(&mut unit)),
                Err(lone) => JsString::from_units([lone.unpaired_surrogate()]),
            };
            characters.map(&mut piece).collect()
        };
        match event {
            AgentEvent::TextDelta { index, delta } => {
                pieces(&delta).into_iter().map(|delta| AgentEvent::TextDelta { index, delta }).collect()
            }
            AgentEvent::ThinkingDelta { index, delta } => {
                pieces(&delta).into_iter().map(|delta| AgentEvent::ThinkingDelta { index, delta }).collect()
            }
            _ => Vec::new(),
        }
    })
}

/// The calls of a message, each with its arguments in one delta.
fn whole_calls(turn: &Turn) -> Vec<AgentEvent> {
    let mut events: Vec<AgentEvent> = Vec::new();
    for (_, event) in turn.events.iter() {
        match &event {
            AgentEvent::ToolCallDelta { index, delta } => {
                let same = |event: &&mut AgentEvent| matches!(event, AgentEvent::ToolCallDelta { index: at, .. } if at == index);
                match events.iter_mut().find(same) {
                    Some(AgentEvent::ToolCallDelta { delta: whole, .. }) => whole.push_units(delta.units()),
                    _ => events.push(event),
                }
            }
            AgentEvent::ToolCallStart { .. } => events.push(event),
            AgentEvent::ToolCallEnd { .. } => events.push(event),
            _ => {}
        }
    }
    events
}

impl Plan {
    fn rule(&self, name: &JsString) -> Option<&CompiledRule> {
        let exact = self.rules.iter().find(|rule| rule.name == *name);
        exact.or_else(|| self.rules.iter().find(|rule| rule.name.trim() == *name))
    }

    /// A coordinator that only notes what matches, each match anew, with every argument parsed at once.
    fn probe(&self, cwd: &JsString) -> Coordinator {
        let mut settings = self.settings.clone();
        (settings.repeat_mode, settings.repeat_gap) = (RepeatMode::AfterGap, 0.0);
        let probe = Self {
            listed: Vec::new(),
            settings,
            observe: true,
            explain: None,
            arguments: ArgumentMode::Eager,
            templates: None,
            restored: Vec::new(),
            restored_by: Vec::new(),
            warm: self.warm.clone(),
            ..Self::new(self.rules.clone(), self.settings.clone(), self.semantics.clone())
        };
        probe.coordinator(cwd)
    }
}

fn unfinished(name: &str, turn: &Turn) -> Diagnostic {
    let place = Place::line(name, turn.origin.line.unwrap_or(0), 0);
    Diagnostic::new(code::UNFINISHED_MESSAGE, "the input ends inside this assistant message").at(place)
}

fn unreadable(name: &str, error: &SessionError) -> Diagnostic {
    let message = format!("the session cannot be read further: {error}");
    Diagnostic::new(code::MALFORMED_LINE, message).at(Place::line(name, 0, 0))
}
