//! [`Run`]: the coordinator, virtual time and the trace of one input.

use std::collections::HashMap;

use crate::engine::{By as EngineBy, Gate, Hit};
use crate::json_object;
use crate::lifecycle::timer::Timeline;
use crate::lifecycle::{Abort, Action, ContinueSource, Coordinator, Decision, Fold, INJECTION_TYPE, Injection, Task};
use crate::message::{AgentEvent, Message, text_block};
use crate::pattern::ChunkDependence;
use crate::stream::Origin;
use crate::text::JsString;
use crate::text::json::Value;
use crate::tool::ReadOptions;

use super::journal::Journal;
use super::observed::{Announced, Observed};
use super::sink::TraceSink;
use super::trace::{At, By, GateEvent, Matched, Summary, TraceEvent, TraceKind, Trigger};

/// What became of the actions that an event led to.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// The stream is to be aborted.
    pub abort: Option<Abort>,
    /// A reminder goes in front of the tool result that was just handled.
    pub fold: Option<Fold>,
    /// The agent is to resume.
    pub resume: Option<ContinueSource>,
    /// Follow-ups reached the agent.
    pub delivered: Vec<Injection>,
}

/// A match whose dependence on the cut is known only when the whole block is.
#[derive(Debug)]
struct OpenHit {
    /// Index of the trigger among the held events.
    event: usize,
    /// Index in the trigger's `by`.
    by: usize,
    pattern: usize,
    buffer: JsString,
    seen: usize,
}

/// One input on its way through the engine.
pub(super) struct Run<'a> {
    /// The decisions.
    pub coordinator: Coordinator,
    /// What is written.
    pub journal: Journal,
    /// Whether an earlier decision left the recording, until the next prompt.
    pub diverged: bool,
    /// What happened since [`Run::begin_message`].
    pub observed: Observed,
    /// Rules of all persisted entries, in order.
    pub persisted: Vec<JsString>,
    /// Per rule, the entry whose record the repeat policy looks at.
    pub(super) closed_by: HashMap<JsString, JsString>,
    /// Where runs are explained: the rules that have several conditions, with their number.
    pub(super) choices: HashMap<JsString, usize>,
    /// Rules that are not registered, told at each message.
    pub(super) unregistered: Vec<GateEvent>,
    /// The only rule whose gates are told, if any.
    pub explained: Option<JsString>,
    /// How tool calls are read.
    pub reading: ReadOptions,
    timeline: Timeline<Task>,
    /// Time of the timeline's start, in milliseconds since the epoch.
    started_ms: u64,
    sink: &'a mut dyn TraceSink,
    at: At,
    summary: Summary,
    held: Vec<TraceEvent>,
    hits: Vec<OpenHit>,
    turns: usize,
    messages: usize,
    target: usize,
    target_turn: usize,
    /// Whether the agent runs nothing.
    idle: bool,
    in_turn: bool,
    /// Follow-ups that join the next turn.
    delivered: Vec<Message>,
}

impl<'a> Run<'a> {
    /// A run over `input` whose events go to `sink`.
    pub(super) fn new(
        coordinator: Coordinator,
        reading: ReadOptions,
        mut journal: Journal,
        input: &str,
        sink: &'a mut dyn TraceSink,
    ) -> Self {
        let started_ms = journal.clock().now_ms();
        Self {
            coordinator,
            journal,
            diverged: false,
            observed: Observed::default(),
            persisted: Vec::new(),
            closed_by: HashMap::new(),
            choices: HashMap::new(),
            unregistered: Vec::new(),
            explained: None,
            reading,
            started_ms,
            timeline: Timeline::new(),
            sink,
            at: At { input: input.to_owned(), ..At::default() },
            summary: Summary::default(),
            held: Vec::new(),
            hits: Vec::new(),
            turns: 0,
            messages: 0,
            target: 0,
            target_turn: 0,
            idle: true,
            in_turn: false,
            delivered: Vec::new(),
        }
    }

    /// Emits an event at the present place, behind those held back.
    pub(super) fn emit(&mut self, kind: TraceKind) {
        let at = At { turn: Some(self.turns), ..self.at.clone() };
        self.held.push(TraceEvent { at, kind });
    }

    /// Emits an event at the beginning of the message that was just played.
    pub(super) fn emit_at_message(&mut self, origin: &Origin, kind: TraceKind) {
        self.move_to(origin);
        self.held.push(TraceEvent { at: At { turn: Some(self.target_turn), ..self.at.clone() }, kind });
    }

    /// Emits an event that belongs to no message.
    pub(super) fn emit_outside(&mut self, kind: TraceKind) {
        let at = At { input: self.at.input.clone(), ..At::default() };
        self.held.push(TraceEvent { at, kind });
    }

    /// Moves to the place of an event.
    pub(super) fn move_to(&mut self, origin: &Origin) {
        self.at.line = origin.line;
        self.at.entry = origin.entry.clone();
        self.at.block = origin.block;
        self.at.delta = origin.delta;
    }

    /// Goes on with a new process: nothing is planned, and its turns count from 0.
    pub(super) fn replace_process(&mut self, coordinator: Coordinator) {
        let actions = self.coordinator.finish();
        self.carry_out(actions);
        self.coordinator = coordinator;
        self.timeline = Timeline::new();
        self.started_ms = self.journal.clock().now_ms();
        self.turns = 0;
    }

    /// Begins an assistant message.
    pub(super) fn begin_message(&mut self, origin: &Origin) {
        self.at.message = Some(self.messages);
        self.target = self.messages;
        self.target_turn = self.turns;
        self.messages += 1;
        self.move_to(origin);
        self.observed = Observed::default();
    }

    /// Counts a recorded match that the input does not allow to reproduce.
    pub(super) fn count_not_reproducible(&mut self) {
        self.summary.not_reproducible += 1;
    }

    /// Feeds one event and carries out what follows. Tool results go through [`Run::feed_result`].
    pub(super) fn feed(&mut self, event: &AgentEvent) -> Effects {
        match event {
            AgentEvent::TextDelta { delta, .. }
            | AgentEvent::ThinkingDelta { delta, .. }
            | AgentEvent::ToolCallDelta { delta, .. } => {
                self.summary.deltas += 1;
                self.summary.bytes += delta.utf8_len();
            }
            AgentEvent::AgentStart => self.idle = false,
            AgentEvent::TurnStart => self.in_turn = true,
            AgentEvent::TurnEnd => {
                self.turns += 1;
                self.in_turn = false;
            }
            AgentEvent::AgentEnd => self.idle = true,
            AgentEvent::MessageEnd(message) => {
                self.count_end(message);
                for gate in self.unregistered.clone() {
                    self.emit(TraceKind::Gate(gate));
                }
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
    pub(super) fn feed_result(&mut self, result: &Message, origin: Option<&Origin>) {
        let actions = self.coordinator.handle(&AgentEvent::ToolResult(result.clone()));
        let effects = self.carry_out(actions);
        let mut result = result.clone();
        if let Some(fold) = &effects.fold {
            put_in_front(&mut result, &fold.content);
        }
        self.journal.event(&AgentEvent::ToolResult(result.clone()));
        self.journal.message(&result, origin);
    }

    /// Begins a run of the agent, unless one is under way.
    pub(super) fn wake(&mut self) {
        if self.idle {
            self.feed(&AgentEvent::AgentStart);
        }
    }

    /// Begins a turn, unless one is open.
    pub(super) fn open_turn(&mut self) {
        self.wake();
        if !self.in_turn {
            self.feed(&AgentEvent::TurnStart);
        }
    }

    /// Counts how a message ended. One that rules interrupted is no failure.
    fn count_end(&mut self, message: &Message) {
        self.summary.messages += 1;
        match message.stop_reason().and_then(|reason| reason.to_utf8()).as_deref() {
            Some("aborted") if self.coordinator.ttsr_abort_pending() => self.summary.interrupted_messages += 1,
            Some("aborted") => self.summary.aborted_messages += 1,
            Some("error") => self.summary.failed_messages += 1,
            _ => {}
        }
    }

    /// Lets the agent take its queued follow-ups, as it does before it would stop.
    pub(super) fn take_queued(&mut self) -> Effects {
        let actions = self.coordinator.take_queued();
        self.carry_out(actions)
    }

    /// Lets virtual time pass until nothing is planned any more; the agent always resumes when it is told to.
    pub(super) fn pass_time(&mut self) -> Effects {
        let mut all = Effects::default();
        while self.next_task_at().is_some() {
            let mut effects = self.next_task();
            if effects.resume.is_some() {
                effects.merge(self.continued(true));
            }
            all.merge(effects);
        }
        all
    }

    /// When the next planned task is due, in milliseconds since the epoch.
    pub(super) fn next_task_at(&mut self) -> Option<u64> {
        Some(self.started_ms + self.timeline.next_due()?)
    }

    /// Moves the clock to the next planned task and carries it out.
    pub(super) fn next_task(&mut self) -> Effects {
        self.synchronize();
        let Some(due) = self.timeline.next_due() else { return Effects::default() };
        let Some(task) = self.timeline.pop_due(due) else { return Effects::default() };
        let now = self.journal.clock().now_ms();
        self.journal.clock().advance((self.started_ms + due).saturating_sub(now));
        let actions = self.coordinator.due(&task);
        self.carry_out(actions)
    }

    /// Tells the coordinator whether the agent resumed.
    pub(super) fn continued(&mut self, resumed: bool) -> Effects {
        let actions = self.coordinator.continued(resumed);
        self.carry_out(actions)
    }

    /// Brings the timeline to the time of the clock, which the agent moves too.
    fn synchronize(&mut self) {
        let now = self.journal.clock().now_ms();
        self.timeline.move_to(now.saturating_sub(self.started_ms));
    }

    /// Carries out actions in order.
    fn carry_out(&mut self, actions: Vec<Action>) -> Effects {
        self.synchronize();
        let mut effects = Effects::default();
        for action in actions {
            match action {
                Action::Trigger(trigger) => self.trigger(trigger),
                Action::Abort(abort) => {
                    self.emit(TraceKind::Abort { reason: abort.reason.clone().unwrap_or_default() });
                    effects.abort.get_or_insert(abort);
                }
                Action::Announce { rules, .. } => self.journal.triggered(&self.coordinator, &rules),
                Action::QueueFollowUp(_) | Action::ContinueRefused { .. } => {}
                Action::Schedule { delay_ms, task } => self.timeline.schedule(delay_ms, task),
                Action::Discard { .. } => self.emit(TraceKind::Discard { message: self.target }),
                Action::Keep { .. } => self.emit(TraceKind::Keep { message: self.target }),
                Action::Inject(injection) => self.inject(&injection),
                Action::Deliver(injection) => {
                    self.inject(&injection);
                    self.delivered.push(injected_message(&injection));
                    effects.delivered.push(injection);
                }
                Action::PersistMessage(injection) => self.journal.injection_message(&injection),
                Action::PersistInjection { rules } => {
                    let entry = self.journal.injection(&rules);
                    self.observed.persisted.push(rules.clone());
                    self.persisted.extend(rules.iter().cloned());
                    self.closed_by.extend(rules.iter().map(|rule| (rule.clone(), entry.clone())));
                    self.emit(TraceKind::Persist { rules, entry });
                }
                Action::Fold(fold) => {
                    self.observed.folded.push((fold.tool_call.clone(), fold.rules.clone()));
                    self.emit(TraceKind::Fold {
                        tool_call: fold.tool_call.clone(),
                        rules: fold.rules.clone(),
                        content: fold.content.clone(),
                    });
                    effects.fold = Some(fold);
                }
                Action::Continue { source } => {
                    self.emit(TraceKind::Continue { source: source.as_str() });
                    effects.resume = Some(source);
                }
                Action::Drop { rules, why } => self.emit(TraceKind::Drop { rules, why: why.as_str() }),
                Action::Undecided(undecided) => {
                    let matched = matched(&undecided.by);
                    self.emit(TraceKind::Undecided { rule: undecided.rule, matched, why: undecided.why });
                }
                Action::Ask(_) | Action::Warn(_) => {}
                Action::Gate(gate) if self.explained.as_ref().is_some_and(|only| *only != gate.rule) => {}
                Action::Gate(gate) => {
                    let closed_by = self.closed_by.get(&gate.rule).filter(|_| gate.gate == Gate::Repeat);
                    let why = match closed_by {
                        Some(entry) => format!("{} (entry {entry})", gate.why),
                        None => gate.why,
                    };
                    self.emit(TraceKind::Gate(GateEvent { rule: gate.rule, gate: gate.gate.as_str(), why }));
                }
            }
        }
        effects
    }

    fn inject(&mut self, injection: &Injection) {
        self.observed.injected.push(injection.rules.clone());
        self.emit(TraceKind::Inject {
            role: injection.role(),
            custom_type: injection.custom.then_some(INJECTION_TYPE),
            rules: injection.rules.clone(),
            delivery_id: injection.delivery_id,
            content: injection.content.clone(),
        });
    }

    fn trigger(&mut self, trigger: crate::lifecycle::Trigger) {
        self.observed.batches.push(trigger.names.clone());
        match trigger.decision {
            Decision::Defer => self.observed.deferred.extend(trigger.names.iter().cloned()),
            decision => self.observed.announced.push(Announced { rules: trigger.names.clone(), decision }),
        }
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
        }));
    }

    /// Whether something matched since the last [`Run::settle`].
    pub(super) fn has_open_hits(&self) -> bool {
        !self.hits.is_empty()
    }

    /// The buffers in which something matched since the last [`Run::settle`], with their present text.
    pub(super) fn open_buffers(&self) -> Vec<(JsString, Vec<u16>)> {
        let mut buffers: Vec<(JsString, Vec<u16>)> = Vec::new();
        for hit in &self.hits {
            if buffers.iter().all(|(key, _)| *key != hit.buffer) {
                let text = self.coordinator.manager().buffer(&hit.buffer).unwrap_or_default();
                buffers.push((hit.buffer.clone(), text.to_vec()));
            }
        }
        buffers
    }

    /// Settles how matches depend on the cut, given the whole text of their buffers.
    ///
    /// The answer is the same for every check point at which a condition matched, so it is found once per buffer.
    pub(super) fn settle(&mut self, whole: &HashMap<JsString, Vec<u16>>) {
        let patterns = self.coordinator.manager().patterns().clone();
        let mut known: HashMap<(usize, JsString), ChunkDependence> = HashMap::new();
        for hit in std::mem::take(&mut self.hits) {
            let Some(text) = whole.get(&hit.buffer).filter(|text| text.len() >= hit.seen) else { continue };
            let dependence = known
                .entry((hit.pattern, hit.buffer.clone()))
                .or_insert_with(|| patterns.chunk_dependence(hit.pattern, text, hit.seen));
            let ChunkDependence { premature, chunk_dependent, undecided } = *dependence;
            let Some(TraceEvent { kind: TraceKind::Trigger(trigger), .. }) = self.held.get_mut(hit.event) else {
                continue;
            };
            let by = &mut trigger.by[hit.by];
            (by.premature, by.chunk_dependent) = (premature, chunk_dependent);
            let (rule, matched) = (by.rule.clone(), by.matched.clone());
            if (chunk_dependent || undecided) && !self.observed.chunk_dependent.contains(&rule) {
                self.observed.chunk_dependent.push(rule.clone());
            }
            if undecided {
                let why = "whether another cut of the text decides otherwise: the step budget ended".to_owned();
                self.emit(TraceKind::Undecided { rule, matched, why });
            }
        }
    }

    /// Lets the events held back go.
    pub(super) fn flush(&mut self) {
        self.hits.clear();
        for event in std::mem::take(&mut self.held) {
            self.summary.count(&event.kind);
            self.sink.event(event);
        }
    }

    /// Ends the run: what is still pending is dropped, and the totals follow.
    pub(super) fn finish(mut self) -> (Summary, Journal) {
        let actions = self.coordinator.finish();
        self.carry_out(actions);
        self.flush();
        let summary = std::mem::take(&mut self.summary);
        self.emit_outside(TraceKind::Summary(summary.clone()));
        self.flush();
        (summary, self.journal)
    }
}

impl Effects {
    fn merge(&mut self, other: Self) {
        if self.abort.is_none() {
            self.abort = other.abort;
        }
        if other.fold.is_some() {
            self.fold = other.fold;
        }
        if other.resume.is_some() {
            self.resume = other.resume;
        }
        self.delivered.extend(other.delivered);
    }
}

/// A reminder as the hidden message that joins the conversation.
pub(super) fn injected_message(injection: &Injection) -> Message {
    let rules: Vec<Value> = injection.rules.iter().cloned().map(Value::String).collect();
    let mut details = json_object! {"rules": rules};
    if let Some(id) = injection.delivery_id {
        details.insert("deliveryId", id);
    }
    Message::new(json_object! {
        "role": injection.role(),
        "customType": INJECTION_TYPE,
        "content": injection.content.clone(),
        "display": false,
        "details": details,
        "attribution": "agent",
    })
}

/// Puts one text block in front of a result's content (engine.md E7.2 step 4).
fn put_in_front(result: &mut Message, content: &JsString) {
    let block = text_block(content.clone());
    match result.raw.get_mut("content") {
        Some(Value::Array(blocks)) => blocks.insert(0, block),
        Some(Value::String(text)) => {
            let text = text_block(std::mem::take(text));
            result.raw.insert("content", vec![block, text]);
        }
        _ => result.raw.insert("content", vec![block]),
    }
}

fn matched(by: &EngineBy) -> Matched {
    match by {
        EngineBy::Condition { source, .. } => Matched::Condition(source.clone()),
        EngineBy::Ast(pattern) => Matched::Ast(pattern.clone()),
        EngineBy::Judged { question, .. } => Matched::Question(question.clone()),
    }
}

fn shown(hit: Hit, any_of: Option<usize>) -> By {
    By {
        matched: matched(&hit.by),
        rule: hit.rule,
        excerpt: hit.excerpt,
        chunk_dependent: false,
        premature: false,
        any_of,
    }
}
