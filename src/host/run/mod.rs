//! [`Run`]: the coordinator, virtual time and the trace of one input.

mod cut;
mod judging;

use std::collections::HashMap;

use crate::engine::{By as EngineBy, Gate, Hit};
use crate::judge::Verdict;
use crate::lifecycle::timer::Timeline;
use crate::lifecycle::{
    Abort, Action, ContinueError, ContinueSource, Coordinator, Decision, Fold, Injection, Surface, Task,
    WarningDelivery, payload, rule_value,
};
use crate::message::{AgentEvent, Ending, INJECTION_TYPE, INTERRUPT_PREFIX, Message};
use crate::stream::{Delta, Origin};
use crate::text::json::Value;
use crate::text::{JsString, utf8_len};
use crate::tool::ReadOptions;

use crate::host::journal::Journal;
use crate::host::observed::{Batch, Observed};
use crate::host::reminder::{injected_message, is_warning, put_in_front};
use crate::host::sink::TraceSink;
use crate::host::trace::{At, By, GateEvent, Matched, Summary, TraceEvent, TraceKind, Trigger};
use cut::OpenHit;
pub use judging::Judge;

/// What became of the actions that an event led to.
#[derive(Debug, Default)]
pub struct Effects {
    /// The stream is to be aborted.
    pub abort: Option<Abort>,
    /// A reminder goes in front of the tool result that was just handled.
    pub fold: Option<Fold>,
    /// The agent is to resume.
    pub resume: Option<ContinueSource>,
    /// Follow-ups reached the agent.
    pub delivered: Vec<Injection>,
    /// A warning reached an idle agent, which starts a run of its own for it.
    pub own_run: bool,
}

/// Something that happens at a time of its own.
#[derive(Clone, Debug)]
pub(crate) enum Planned {
    /// What the coordinator planned.
    Task(Task),
    /// A judge answers.
    Verdict {
        /// The ask.
        ask: u64,
        /// What it says.
        verdict: Verdict,
        /// Where that comes from.
        from: &'static str,
    },
}

/// A message in the agent's memory.
struct Remembered {
    message: Message,
    /// The entry that it stands in, where one is known.
    entry: Option<JsString>,
}

/// One input on its way through the engine.
pub struct Run<'a> {
    /// The decisions.
    pub coordinator: Coordinator,
    /// What is written.
    pub journal: Journal,
    /// Whether an earlier decision left the recording, until the next prompt.
    pub diverged: bool,
    /// Prompts of the user so far.
    pub prompts: usize,
    /// What happened since [`Run::begin_message`].
    pub observed: Observed,
    /// Rules of all persisted entries, in order.
    pub persisted: Vec<JsString>,
    /// Per rule, the entry whose record the repeat policy looks at.
    pub closed_by: HashMap<JsString, JsString>,
    /// Where runs are explained: the rules that have several conditions, with their number.
    pub choices: HashMap<JsString, usize>,
    /// Rules that are not registered, told at each message.
    pub unregistered: Vec<GateEvent>,
    /// The only rule whose gates are told, if any.
    pub explained: Option<JsString>,
    /// How tool calls are read.
    pub reading: ReadOptions,
    pub(crate) timeline: Timeline<Planned>,
    /// Who answers for the judge.
    pub judge: Judge,
    /// Time of the timeline's start, in milliseconds since the epoch.
    started_ms: u64,
    sink: &'a mut dyn TraceSink,
    at: At,
    pub(crate) summary: Summary,
    pub(crate) held: Vec<TraceEvent>,
    pub(crate) hits: Vec<OpenHit>,
    turns: usize,
    messages: usize,
    pub(crate) target: usize,
    target_turn: usize,
    /// Whether the message that streams is the second half of an interrupted one.
    in_late_half: bool,
    /// Where the calls of the message ended, by content index: there their structural patterns match.
    call_ends: HashMap<usize, At>,
    /// Follow-ups that join the next turn.
    delivered: Vec<Message>,
    /// What the agent holds, where that is asked for; the coordinator counts from `remembered_before` on.
    memory: Option<Vec<Remembered>>,
    /// Whether everything that happens is told (`--trace full`).
    full: bool,
    /// The gate and the reservations as they were told last.
    told_gate: bool,
    told_reservations: Vec<(u64, Vec<JsString>)>,
    remembered_before: usize,
    last_answer: Option<Message>,
}

impl<'a> Run<'a> {
    /// A run over `input` whose events go to `sink`.
    pub fn new(mut coordinator: Coordinator, mut journal: Journal, input: &str, sink: &'a mut dyn TraceSink) -> Self {
        let started_ms = journal.clock().now_ms();
        coordinator.delay_structural_results();
        let reading = coordinator.reading().clone();
        Self {
            coordinator,
            journal,
            diverged: false,
            prompts: 0,
            observed: Observed::default(),
            persisted: Vec::new(),
            closed_by: HashMap::new(),
            choices: HashMap::new(),
            unregistered: Vec::new(),
            explained: None,
            reading,
            started_ms,
            timeline: Timeline::new(),
            judge: Judge::default(),
            sink,
            at: At { input: input.to_owned(), ..At::default() },
            summary: Summary::default(),
            held: Vec::new(),
            hits: Vec::new(),
            turns: 0,
            messages: 0,
            target: 0,
            target_turn: 0,
            in_late_half: false,
            call_ends: HashMap::new(),
            delivered: Vec::new(),
            memory: None,
            full: false,
            told_gate: false,
            told_reservations: Vec::new(),
            remembered_before: 0,
            last_answer: None,
        }
    }

    /// Keeps the agent's messages from now on; these are there already.
    pub fn remember(&mut self, messages: Vec<Message>) {
        self.remembered_before = messages.len();
        self.memory = Some(messages.into_iter().map(|message| Remembered { message, entry: None }).collect());
    }

    /// Tells everything from now on: what receivers get, what the model is given, gates and reservations.
    pub fn tell_all(&mut self) {
        self.full = true;
        if self.memory.is_none() {
            self.remember(Vec::new());
        }
    }

    /// The totals so far, to be gone on with or handed on.
    pub fn summary_mut(&mut self) -> &mut Summary {
        &mut self.summary
    }

    /// The assistant message that ended last.
    pub fn last_answer(&self) -> Option<&Message> {
        self.last_answer.as_ref()
    }

    /// Ends the run early: the coordinator, what was written, the agent's messages, the rules that were persisted.
    pub fn into_parts(self) -> (Coordinator, Journal, Vec<Message>, Vec<JsString>) {
        let memory = self.memory.unwrap_or_default().into_iter().map(|remembered| remembered.message);
        (self.coordinator, self.journal, memory.collect(), self.persisted)
    }

    fn joins_memory(&mut self, message: &Message) {
        if let Some(memory) = &mut self.memory {
            memory.push(Remembered { message: message.clone(), entry: None });
        }
    }

    /// The message that joined the memory last stands in this entry.
    pub fn stands_in(&mut self, entry: Option<JsString>) {
        if let Some(last) = self.memory.as_mut().and_then(|memory| memory.last_mut()) {
            last.entry = entry;
        }
    }

    /// Tells how gate and reservations changed.
    fn tell_changes(&mut self) {
        let gate = self.coordinator.is_waiting();
        if gate != std::mem::replace(&mut self.told_gate, gate) {
            self.emit(TraceKind::ResumeGate { open: gate });
        }
        let now = self.coordinator.reservations();
        let before = std::mem::replace(&mut self.told_reservations, now.clone());
        let gone = before.iter().filter(|(id, _)| !now.iter().any(|(own, _)| own == id)).cloned();
        for (delivery_id, rules) in gone.collect::<Vec<_>>() {
            self.emit(TraceKind::Release { rules, delivery_id });
        }
        for (delivery_id, rules) in now.into_iter().filter(|(id, _)| !before.iter().any(|(own, _)| own == id)) {
            self.emit(TraceKind::Reserve { rules, delivery_id });
        }
    }

    /// Emits an event at the present place, behind those held back.
    pub fn emit(&mut self, kind: TraceKind) {
        let at = At { turn: Some(self.turns), ..self.at.clone() };
        self.held.push(TraceEvent { at, kind });
    }

    /// Emits an event at the beginning of the message that was just played.
    pub fn emit_at_message(&mut self, origin: &Origin, kind: TraceKind) {
        self.move_to(origin);
        self.held.push(TraceEvent { at: At { turn: Some(self.target_turn), ..self.at.clone() }, kind });
    }

    /// Emits an event that belongs to no message.
    pub fn emit_outside(&mut self, kind: TraceKind) {
        let at = At { input: self.at.input.clone(), ..At::default() };
        self.held.push(TraceEvent { at, kind });
    }

    /// Emits an event about a recorded message that was played before.
    pub fn emit_about(&mut self, origin: &Origin, kind: TraceKind) {
        let at = At {
            input: self.at.input.clone(),
            line: origin.line,
            entry: origin.entry.clone(),
            message: origin.message,
            ..At::default()
        };
        self.held.push(TraceEvent { at, kind });
    }

    /// Moves to the place of an event.
    pub fn move_to(&mut self, origin: &Origin) {
        self.at.line = origin.line;
        self.at.entry = origin.entry.clone();
        self.at.block = origin.block;
        self.at.delta = origin.delta;
    }

    /// Goes on with a new process: nothing is planned, and its turns count from 0.
    pub fn replace_process(&mut self, mut coordinator: Coordinator) {
        let actions = self.coordinator.finish();
        self.carry_out(actions);
        coordinator.delay_structural_results();
        self.coordinator = coordinator;
        self.timeline = Timeline::new();
        self.started_ms = self.journal.clock().now_ms();
        self.turns = 0;
    }

    /// Begins an assistant message.
    pub fn begin_message(&mut self, origin: &Origin) {
        self.at.message = Some(self.messages);
        self.target = self.messages;
        self.target_turn = self.turns;
        self.messages += 1;
        self.in_late_half = false;
        self.call_ends.clear();
        self.move_to(origin);
        self.observed = Observed::default();
    }

    /// Begins the empty second half of an interrupted message: it is no message of its own.
    pub fn begin_late_half(&mut self) {
        self.in_late_half = true;
    }

    /// Counts recorded matches that the input does not allow to reproduce, and such that are a race in the agent
    /// itself (engine.md E6.6).
    pub fn count_unsettled(&mut self, not_reproducible: usize, races: usize) {
        self.summary.not_reproducible += not_reproducible;
        self.summary.races += races;
    }

    /// Feeds one delta and carries out what follows.
    pub fn delta(&mut self, delta: &Delta<'_>) -> Effects {
        (self.at.line, self.at.block, self.at.delta) = (delta.line, delta.number.map(|_| delta.index), delta.number);
        if self.at.entry.as_ref() != delta.entry {
            self.at.entry = delta.entry.cloned();
        }
        self.summary.deltas += 1;
        self.summary.bytes += utf8_len(delta.units);
        if self.journal.keeps_events() {
            self.journal.event(&delta.event());
        }
        let actions = self.coordinator.delta(delta.source, delta.index, delta.units);
        if actions.is_empty() && !self.full { Effects::default() } else { self.carry_out(actions) }
    }

    /// Feeds one event and carries out what follows. Tool results go through [`Run::feed_result`].
    pub fn feed(&mut self, event: &AgentEvent) -> Effects {
        match event {
            AgentEvent::TextDelta { delta, .. }
            | AgentEvent::ThinkingDelta { delta, .. }
            | AgentEvent::ToolCallDelta { delta, .. } => {
                self.summary.deltas += 1;
                self.summary.bytes += delta.utf8_len();
            }
            AgentEvent::ToolCallEnd { index, .. } => {
                self.call_ends.insert(*index, self.at.clone());
            }
            AgentEvent::TurnEnd => self.turns += 1,
            AgentEvent::Message(message) if message.role() == "user" => {
                self.diverged = false;
                self.prompts += usize::from(!message.text().starts_with(INTERRUPT_PREFIX));
            }
            AgentEvent::MessageEnd(message) => {
                self.count_end(message);
                for gate in self.unregistered.clone() {
                    self.emit(TraceKind::Gate(gate));
                }
            }
            _ => {}
        }
        match event {
            AgentEvent::Message(message) => self.joins_memory(message),
            AgentEvent::MessageEnd(message) => {
                self.joins_memory(message);
                self.last_answer = self.memory.is_some().then(|| message.clone());
            }
            _ => {}
        }
        self.journal.event(event);
        if *event == AgentEvent::TurnStart {
            for message in std::mem::take(&mut self.delivered) {
                self.journal.event(&AgentEvent::Message(message));
            }
        }
        let actions = self.coordinator.handle(event);
        self.carry_out(actions)
    }

    /// Feeds the result of a tool and writes it, with the reminder that goes in front of it.
    pub fn feed_result(&mut self, result: &Message, origin: Option<&Origin>) {
        let actions = self.coordinator.handle(&AgentEvent::ToolResult(result.clone()));
        let effects = self.carry_out(actions);
        let mut result = result.clone();
        if let Some(fold) = &effects.fold {
            put_in_front(&mut result, &fold.content);
        }
        self.joins_memory(&result);
        self.journal.event(&AgentEvent::ToolResult(result.clone()));
        let entry = self.journal.message(&result, origin);
        self.stands_in(entry);
    }

    /// Counts how a message ended. One that rules interrupted is no failure.
    fn count_end(&mut self, message: &Message) {
        let by_rules = self.coordinator.ttsr_abort_pending();
        self.summary.messages += usize::from(!self.in_late_half);
        match message.ending() {
            Ending::Rules(_) => self.summary.interrupted_messages += 1,
            Ending::Aborted if by_rules => self.summary.interrupted_messages += 1,
            Ending::Aborted => self.summary.aborted_messages += 1,
            Ending::Failed => self.summary.failed_messages += 1,
            Ending::Complete => {}
        }
    }

    /// Carries out what follows from structural checks whose results come now (engine.md E7.5a).
    pub fn structural_results(&mut self) -> Effects {
        let actions = self.coordinator.structural_results();
        self.carry_out(actions)
    }

    /// Lets the agent take its queued follow-ups, as it does before it would stop.
    pub fn take_queued(&mut self) -> Effects {
        let actions = self.coordinator.take_queued();
        self.carry_out(actions)
    }

    /// When the next planned task is due, in milliseconds since the epoch.
    pub fn next_task_at(&mut self) -> Option<u64> {
        Some(self.started_ms + self.timeline.next_due()?)
    }

    /// Moves the clock to the next planned task and carries it out.
    pub fn next_task(&mut self) -> Effects {
        self.synchronize();
        let Some(due) = self.timeline.next_due() else { return Effects::default() };
        let Some(task) = self.timeline.pop_due(due) else { return Effects::default() };
        let now = self.journal.clock().now_ms();
        self.journal.clock().advance((self.started_ms + due).saturating_sub(now));
        match task {
            Planned::Task(task) => {
                let actions = self.coordinator.due(&task);
                self.carry_out(actions)
            }
            Planned::Verdict { ask, verdict, from } => self.answered(ask, &verdict, from),
        }
    }

    /// Lets `ms` of virtual time pass while the agent is busy, with what is due in it.
    pub fn pass(&mut self, ms: u64) {
        self.journal.advance(ms);
        let now = self.journal.clock().now_ms();
        while self.next_task_at().is_some_and(|at| at <= now) {
            self.next_task();
        }
    }

    /// Tells the coordinator whether the agent resumed.
    pub fn continued(&mut self, resumed: bool) -> Effects {
        let actions = self.coordinator.continued(resumed);
        self.carry_out(actions)
    }

    /// Brings the timeline to the time of the clock, which the agent moves too.
    fn synchronize(&mut self) {
        let now = self.journal.clock().now_ms();
        self.timeline.move_to(now.saturating_sub(self.started_ms));
    }

    /// Carries out actions in order.
    pub(crate) fn carry_out(&mut self, actions: Vec<Action>) -> Effects {
        self.synchronize();
        let mut effects = Effects::default();
        for action in actions {
            match action {
                Action::Trigger(trigger) => self.trigger(trigger),
                Action::Abort(abort) => {
                    self.emit(TraceKind::Abort { reason: abort.reason.clone().unwrap_or_default() });
                    effects.abort.get_or_insert(abort);
                }
                Action::Announce { rules, .. } => {
                    self.journal.triggered(&self.coordinator, &rules);
                    if self.full {
                        let all = self.coordinator.manager().rules();
                        let whole: Vec<Value> =
                            rules.iter().filter_map(|rule| all.get(*rule)).map(rule_value).collect();
                        for surface in Surface::ALL {
                            let payload = payload(surface, Value::Array(whole.clone()));
                            self.emit(TraceKind::Emit { surface: surface.as_str(), payload });
                        }
                    }
                }
                Action::QueueFollowUp(_) => {}
                Action::ContinueRefused { error, .. } => self.continue_failed(match error {
                    ContinueError::Busy => "the agent is running".to_owned(),
                    ContinueError::NothingToAnswer => "there is no message to answer".to_owned(),
                }),
                Action::Schedule { delay_ms, task } => self.timeline.schedule(delay_ms, Planned::Task(task)),
                Action::Discard { keep, dropped } => {
                    if let Some(memory) = &mut self.memory {
                        memory.truncate(self.remembered_before + keep);
                    }
                    // The message that was interrupted, unless a timer of the early generation finds something else
                    // at the end of the memory.
                    let other = dropped.first().is_none_or(|role| *role != "assistant");
                    let message = (!other).then_some(self.target);
                    self.emit(TraceKind::Discard { message, dropped: other.then_some(dropped) });
                }
                Action::Keep { .. } => self.emit(TraceKind::Keep { message: self.target }),
                Action::Inject(injection) => {
                    self.joins_memory(&injected_message(&injection));
                    self.inject(&injection);
                }
                Action::Deliver(injection) => {
                    if !is_warning(&injection) {
                        self.observed.delivered.push(injection.rules.clone());
                    }
                    self.inject(&injection);
                    self.joins_memory(&injected_message(&injection));
                    self.delivered.push(injected_message(&injection));
                    effects.delivered.push(injection);
                }
                Action::PersistMessage(injection) => {
                    let entry = self.journal.injection_message(&injection);
                    self.stands_in(entry);
                }
                Action::PersistInjection { rules } => {
                    let entry = self.journal.injection(&rules);
                    self.observed.persisted.push(rules.clone());
                    self.persisted.extend(rules.iter().cloned());
                    self.closed_by.extend(rules.iter().map(|rule| (rule.clone(), entry.clone())));
                    self.emit(TraceKind::Persist { rules, entry });
                }
                Action::Fold(fold) => {
                    self.observed.folded.push(fold.clone());
                    self.emit(TraceKind::Fold {
                        tool_call: fold.tool_call.clone(),
                        rules: fold.rules.clone(),
                        content: fold.content.clone(),
                    });
                    effects.fold = Some(fold);
                }
                Action::Continue { source } => {
                    self.emit(TraceKind::Continue { source: source.as_str() });
                    if self.full {
                        let held = self.memory.iter().flatten();
                        let entries = held.map(|one| (one.message.role(), one.entry.clone())).collect();
                        self.emit(TraceKind::Context { entries });
                    }
                    effects.resume = Some(source);
                }
                Action::Drop { rules, why } => self.emit(TraceKind::Drop { rules, why: why.as_str() }),
                Action::Undecided(undecided) => {
                    let matched = Matched::from(&undecided.by);
                    self.observed.undecided.push(undecided.rule.clone());
                    self.emit(TraceKind::Undecided { rule: undecided.rule, matched, why: undecided.why });
                }
                Action::Ask(ask) => self.asked(&ask),
                Action::Warn(warning) => effects.own_run |= warning.delivery == WarningDelivery::OwnRun,
                Action::Gate(gate) if self.explained.as_ref().is_some_and(|only| *only != gate.rule) => {}
                Action::Gate(gate) => {
                    let closed_by = self.closed_by.get(&gate.rule).filter(|_| gate.gate == Gate::Repeat);
                    let why = match closed_by {
                        Some(entry) => format!("{} (entry {entry})", gate.why),
                        None => gate.why.clone(),
                    };
                    self.emit(TraceKind::Gate(GateEvent::new(&gate, why)));
                }
            }
        }
        if self.full {
            self.tell_changes();
        }
        effects
    }

    /// The agent could not continue.
    pub fn continue_failed(&mut self, why: String) {
        if self.full {
            self.emit(TraceKind::ContinueFailed { why });
        }
    }

    fn inject(&mut self, injection: &Injection) {
        if is_warning(injection) {
            self.observed.warned.push(injection.clone());
        } else {
            self.observed.injected.push(injection.clone());
        }
        self.emit(TraceKind::Inject {
            role: injection.role(),
            custom_type: injection.custom.then_some(INJECTION_TYPE),
            rules: injection.rules.clone(),
            delivery_id: injection.delivery_id,
            content: injection.content.clone(),
        });
    }

    fn trigger(&mut self, trigger: crate::lifecycle::Trigger) {
        if trigger.decision != Decision::Warn {
            self.observed.batches.push(Batch {
                rules: trigger.names.clone(),
                decision: trigger.decision,
                delta: (self.at.block, self.at.delta),
                tool_call: trigger.tool_call.clone(),
            });
        }
        let here = trigger.ended_call.and_then(|index| self.call_ends.get(&index)).cloned();
        // It is a batch of its own, behind the message's end (engine.md E7.5a), found where its call ended.
        let here = here.map(|at| std::mem::replace(&mut self.at, At { message: None, ..at }));
        let event = self.held.len();
        let mut by = Vec::with_capacity(trigger.by.len());
        for hit in trigger.by {
            if let EngineBy::Condition { pattern, .. } = &hit.by {
                let (pattern, buffer, seen) = (*pattern, hit.buffer.clone(), hit.seen);
                self.hits.push(OpenHit { event, by: by.len(), pattern, buffer, seen });
            }
            let any_of = self.choices.get(&hit.rule).copied();
            by.push(shown(hit, any_of));
        }
        self.emit(TraceKind::Trigger(Trigger {
            rules: trigger.names,
            source: trigger.source,
            tool: trigger.tool,
            tool_call: trigger.tool_call,
            paths: trigger.paths,
            decision: trigger.decision,
            by,
            after_divergence: self.diverged,
            foreign_tool: None,
        }));
        if let Some(at) = here {
            self.at = at;
        }
    }

    /// Lets the events held back go.
    pub fn flush(&mut self) {
        self.hits.clear();
        for event in std::mem::take(&mut self.held) {
            self.summary.count(&event.kind);
            self.sink.event(event);
        }
    }

    /// Ends the run: what is still pending is dropped, and the totals follow.
    pub fn finish(mut self) -> (Summary, Journal) {
        self.leave_open_asks();
        let actions = self.coordinator.finish();
        self.carry_out(actions);
        self.flush();
        let summary = std::mem::take(&mut self.summary);
        self.emit_outside(TraceKind::Summary(summary.clone()));
        self.flush();
        (summary, self.journal)
    }
}

fn shown(hit: Hit, any_of: Option<usize>) -> By {
    By {
        matched: Matched::from(&hit.by),
        rule: hit.rule,
        excerpt: hit.excerpt,
        marked: hit.marked,
        chunk_dependent: false,
        premature: false,
        any_of,
    }
}
