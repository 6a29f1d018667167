//! [`Coordinator`]: agent events in, decisions out (engine.md E5.1, E5.3, E7).

mod decision;
mod judging;
mod retry;

use std::collections::BTreeMap;

use crate::engine::{Check, Context, Manager};
use crate::message::{AgentEvent, Message, Source};
use crate::settings::Settings;
use crate::text::JsString;
use crate::tool::ReadOptions;

use super::{ContinueSource, DropReason};
use crate::lifecycle::action::{Action, Fold, Task, TaskKind};
use crate::lifecycle::call::{BatchContext, Call};
use crate::lifecycle::listener::Listeners;
use crate::lifecycle::memory::AgentMemory;
use crate::lifecycle::pending::{Announced, Buckets, Pending};
use crate::lifecycle::reminder::{ReminderKind, Templates, join_blocks};
use judging::Judging;

/// How a coordinator runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Reminder templates, working directory and home for shown paths.
    pub templates: Templates,
    /// How tool calls are read.
    pub reading: ReadOptions,
    /// Whether [`Action::Gate`]s are given at each message end.
    pub explain: bool,
    /// Whether matches are only noted: the rule is marked at once, nothing is aborted, injected or persisted.
    pub observe: bool,
    /// Whether the result of a structural check at a call's end comes late, as in the running agent: with the next
    /// delta, or behind the message's end by [`Coordinator::structural_results`] (engine.md E7.5a). Otherwise it is
    /// there at once.
    pub late_structural: bool,
    /// Whether the agent's role `judge` resolves to a model made for judging: without one, `ttsr.judge: auto` asks
    /// nobody (generation-v4.md W7.1).
    pub native_judge: bool,
}

impl Options {
    /// Built-in templates, eager arguments, a native judge, for a run in `cwd` with that `home`.
    pub fn new(cwd: impl Into<JsString>, home: impl Into<JsString>) -> Self {
        let cwd = cwd.into();
        let reading = ReadOptions { cwd: cwd.clone(), ..ReadOptions::default() };
        Self {
            templates: Templates::new(cwd, home),
            reading,
            explain: false,
            observe: false,
            late_structural: false,
            native_judge: true,
        }
    }
}

/// The state machine between matches and injections. See the [module](super) for how a host drives it.
#[derive(Debug)]
pub struct Coordinator {
    pub(crate) manager: Manager,
    pub(crate) options: Options,
    pub(crate) memory: AgentMemory,
    pub(crate) pending: Pending,
    pub(crate) buckets: Buckets,
    pub(crate) abort_pending: bool,
    pub(crate) waiting: bool,
    /// Time stamp of the assistant message that streams, or the last one that did.
    pub(crate) timestamp: Option<f64>,
    pub(crate) retry_token: u64,
    pub(crate) generation: u64,
    pub(crate) next_delivery: u64,
    pub(crate) continuing: Option<(ContinueSource, Option<u64>)>,
    pub(crate) tasks: BTreeMap<u64, TaskKind>,
    pub(crate) next_task: u64,
    pub(crate) listeners: Listeners,
    pub(crate) announced: Announced,
    pub(crate) judging: Judging,
    calls: BTreeMap<usize, Call>,
    /// Structural checks whose results have not come.
    structural: Vec<(Check, BatchContext)>,
}

impl Coordinator {
    /// A coordinator before its first event.
    pub fn new(mut manager: Manager, options: Options) -> Self {
        if options.explain {
            manager.explain();
        }
        Self {
            manager,
            options,
            memory: AgentMemory::default(),
            pending: Pending::default(),
            buckets: Buckets::default(),
            abort_pending: false,
            waiting: false,
            timestamp: None,
            retry_token: 0,
            generation: 0,
            next_delivery: 1,
            continuing: None,
            tasks: BTreeMap::new(),
            next_task: 0,
            listeners: Listeners::default(),
            announced: Announced::default(),
            judging: Judging::default(),
            calls: BTreeMap::new(),
            structural: Vec::new(),
        }
    }

    /// A coordinator without rules, which stands in while another is lent.
    pub fn idle() -> Self {
        let semantics = crate::generation::Lifecycle::V3.semantics();
        Self::new(Manager::new(Vec::new(), Settings::default(), semantics), Options::new("", ""))
    }

    /// How tool calls are read.
    pub fn reading(&self) -> &ReadOptions {
        &self.options.reading
    }

    /// The rules, buffers and injection records.
    pub fn manager(&self) -> &Manager {
        &self.manager
    }

    /// The settings, to be changed while a run goes on. What a generation reads late (`contextMode`, at the retry) it
    /// then finds changed; rules stay registered.
    #[cfg(feature = "internals")]
    pub fn settings_mut(&mut self) -> &mut Settings {
        self.manager.settings_mut()
    }

    /// The agent's messages, queue and running state.
    #[cfg(feature = "internals")]
    pub fn memory(&self) -> &AgentMemory {
        &self.memory
    }

    /// Receivers of `ttsr_triggered`. The host calls [`Listeners::deliver`] when it likes; decisions never do.
    #[cfg(feature = "internals")]
    pub fn listeners(&mut self) -> &mut Listeners {
        &mut self.listeners
    }

    /// Whether an interrupt waits for its retry: an assistant message that ends `aborted` then is no failure.
    pub fn ttsr_abort_pending(&self) -> bool {
        self.abort_pending
    }

    /// Whether the resume gate is open: the prompt is not finished yet (engine.md E7.4).
    pub fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// Names of the rules that wait for a retry or a follow-up, in order.
    #[cfg(feature = "internals")]
    pub fn pending(&self) -> Vec<JsString> {
        self.names(self.pending.rules())
    }

    /// Whether a tool call holds the rule's reminder for its result.
    #[cfg(feature = "internals")]
    pub fn awaits_result(&self, rule: &JsString) -> bool {
        let index = self.manager.rules().iter().position(|one| one.name == *rule);
        index.is_some_and(|index| self.buckets.holds(index))
    }

    /// Restores the injected names that resuming a session gives; the early generation restores nothing.
    pub fn restore(&mut self, names: impl IntoIterator<Item = JsString>) {
        if self.manager.semantics().restores {
            self.manager.restore(names);
        }
    }

    /// Marks rules as injected now, as a recording shows it where the engine could not see why (session.md S9.4c).
    pub fn mark_recorded(&mut self, names: impl IntoIterator<Item = JsString>) {
        self.manager.mark(names);
    }

    /// Takes back that a rule was injected, where a recording shows that it was not.
    pub fn unmark(&mut self, name: &JsString) {
        let after = self.manager.ledger().record(name);
        self.manager.undo_mark(name, None, after);
    }

    /// Forgets what was injected: the repeat policy counts from here on.
    pub fn rearm(&mut self) {
        self.manager.rearm();
    }

    /// Takes the next event.
    pub fn handle(&mut self, event: &AgentEvent) -> Vec<Action> {
        match event {
            AgentEvent::AgentStart => Vec::new(),
            AgentEvent::TurnStart => {
                self.memory.streaming = true;
                self.judging.user_aborted = false;
                self.manager.reset_buffers();
                Vec::new()
            }
            AgentEvent::Message(message) => {
                self.memory.push(message.role(), message.timestamp());
                Vec::new()
            }
            AgentEvent::MessageStart { timestamp } => {
                self.timestamp = *timestamp;
                self.restart();
                Vec::new()
            }
            AgentEvent::StreamRestart => {
                self.restart();
                Vec::new()
            }
            AgentEvent::TextDelta { index, delta } => self.delta(Source::Text, *index, delta.units()),
            AgentEvent::ThinkingDelta { index, delta } => self.delta(Source::Thinking, *index, delta.units()),
            AgentEvent::ToolCallArguments { index, arguments } => {
                if let Some(call) = self.calls.get_mut(index) {
                    call.show(arguments, &self.options.reading);
                }
                Vec::new()
            }
            AgentEvent::ToolCallEntries { index, entries } => {
                if let Some(call) = self.calls.get_mut(index) {
                    call.reader.give(entries);
                }
                // Where a call is not checked at its end, this is the only time.
                if self.manager.semantics().tool_call_end { Vec::new() } else { self.tool(*index, &[], false) }
            }
            AgentEvent::ToolCallStart { index, id, name } => {
                if let Some(name) = name {
                    let id = id.clone().unwrap_or_default();
                    self.calls.insert(*index, Call::new(*index, id, name.clone(), &self.options.reading));
                }
                Vec::new()
            }
            AgentEvent::ToolCallDelta { index, delta } => self.delta(Source::Tool, *index, delta.units()),
            AgentEvent::ToolCallEnd { index, id, name, arguments } => {
                let reading = &self.options.reading;
                let fresh = || Call::new(*index, id.clone(), name.clone(), reading);
                let call = self.calls.entry(*index).or_insert_with(fresh);
                call.finish(id, arguments.as_ref());
                if self.manager.semantics().tool_call_end { self.tool(*index, &[], true) } else { Vec::new() }
            }
            AgentEvent::MessageEnd(message) => self.message_end(message),
            AgentEvent::ToolResult(message) => self.tool_result(message),
            AgentEvent::TurnEnd => {
                self.manager.turn_end();
                self.announced.clear();
                Vec::new()
            }
            AgentEvent::AgentEnd => {
                self.memory.streaming = false;
                Vec::new()
            }
        }
    }

    /// Takes the next delta.
    pub fn delta(&mut self, source: Source, index: usize, units: &[u16]) -> Vec<Action> {
        if source != Source::Tool {
            return self.prose(source, units);
        }
        if let Some(call) = self.calls.get_mut(&index) {
            call.reader.push(units);
        }
        self.tool(index, units, false)
    }

    /// A message, or its response, starts: content indices count anew, and the buffers go where the generation
    /// clears them (engine.md E5.3).
    fn restart(&mut self) {
        self.calls.clear();
        self.structural.clear();
        if self.manager.semantics().message_start_resets {
            self.manager.reset_buffers();
        }
    }

    fn prose(&mut self, source: Source, delta: &[u16]) -> Vec<Action> {
        if source == Source::Thinking && !self.manager.semantics().thinking {
            self.manager.tell_unwatched(&Context::prose(source));
            return Vec::new();
        }
        let check = self.manager.check_delta(&Context::prose(source), delta);
        let mut actions = self.structural_results();
        self.decide(check, BatchContext::prose(source), &mut actions);
        actions
    }

    /// Checks a tool call after a delta or at its end (engine.md E5.5).
    fn tool(&mut self, index: usize, delta: &[u16], at_end: bool) -> Vec<Action> {
        let mut actions = if at_end { Vec::new() } else { self.structural_results() };
        let Some(call) = self.calls.get_mut(&index) else {
            // The block is missing: all that is known is that a tool is called.
            let context = Context { source: Source::Tool, tool: None, paths: Vec::new(), stream_key: None };
            let check = self.manager.check_delta(&context, delta);
            self.decide(check, BatchContext::prose(Source::Tool), &mut actions);
            return actions;
        };
        let check = call.check_text(&mut self.manager, &self.options.reading, delta, at_end);
        let batch = batch_of(call, &check);
        let interrupted = self.decide(check, batch, &mut actions);
        let semantics = self.manager.semantics();
        let runs_ast = self.manager.has_ast_rules() && (semantics.ast_on_delta || at_end);
        if runs_ast
            && !interrupted
            && let Some(call) = self.calls.get_mut(&index)
        {
            let check = call.check_ast(&mut self.manager, &self.options.reading);
            if at_end && self.options.late_structural {
                self.structural.push((check, BatchContext { ended_call: Some(index), ..call.batch() }));
            } else {
                let batch = batch_of(call, &check);
                self.decide(check, batch, &mut actions);
            }
        }
        actions
    }

    /// From now on the result of a structural check at a call's end comes late (see [`Options::late_structural`]).
    pub fn delay_structural_results(&mut self) {
        self.options.late_structural = true;
    }

    /// The deliveries that hold rules, with the names (engine.md E7.6).
    pub fn reservations(&self) -> Vec<(u64, Vec<JsString>)> {
        self.pending.reserved().iter().map(|(id, rules)| (*id, self.names(rules))).collect()
    }

    /// Names of the rules whose follow-ups wait in the agent's queue, in order.
    pub fn queued_rules(&self) -> Vec<JsString> {
        self.memory.queue.iter().flat_map(|injection| injection.rules.iter().cloned()).collect()
    }

    /// Takes the results of structural checks that have come meanwhile (see [`Options::late_structural`]). The host
    /// asks behind a message's end, before the results of its calls.
    pub fn structural_results(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        for (check, batch) in std::mem::take(&mut self.structural) {
            self.decide(check, batch, &mut actions);
        }
        actions
    }

    /// The assistant message is complete (engine.md E7.3, E7.4).
    fn message_end(&mut self, message: &Message) -> Vec<Action> {
        self.calls.clear();
        self.memory.push(message.role(), message.timestamp().or(self.timestamp));
        let mut actions: Vec<Action> = self.manager.take_explanations().into_iter().map(Action::Gate).collect();
        if !self.manager.semantics().interrupt_modes {
            // Every match of the early generation interrupts: nothing is left for the message's end.
            return actions;
        }
        if !self.abort_pending {
            self.waiting = false;
        }
        let ending = message.ending();
        if ending.is_cut_short() {
            let why = if ending.is_aborted() { DropReason::Aborted } else { DropReason::Error };
            self.drop_waiting(!self.abort_pending, why, &mut actions);
        } else if !self.abort_pending {
            self.queue_follow_up(&mut actions);
        }
        self.ask(message, &mut actions);
        actions
    }

    /// A tool ran: the reminders of its call go in front of its content (engine.md E7.2 step 4). A call that was
    /// refused or stopped does not get there, and keeps its bucket (engine.md E7.5a).
    fn tool_result(&mut self, message: &Message) -> Vec<Action> {
        self.memory.push(message.role(), message.timestamp());
        if !message.call_outcome().delivers_reminders() {
            return Vec::new();
        }
        let tool_call = message.string("toolCallId").unwrap_or_default();
        let rules: Vec<usize> = self.buckets.take(&tool_call).into_iter().map(|folded| folded.rule).collect();
        if rules.is_empty() {
            return Vec::new();
        }
        let names = self.names(&rules);
        let content = self.render(ReminderKind::ToolResult, &rules);
        let mut actions = Vec::new();
        let persisted: Vec<JsString> = names.iter().map(JsString::trim).filter(|name| !name.is_empty()).collect();
        if !persisted.is_empty() {
            actions.push(Action::PersistInjection { rules: persisted });
        }
        actions.push(Action::Fold(Fold { tool_call, rules: names, content }));
        actions
    }

    /// Drops the reminders of all calls, and the pending queue if asked. Where the generation says so, the dropped
    /// folds get back the repeat record that they had (engine.md E11 G33).
    pub(crate) fn drop_waiting(&mut self, pending: bool, why: DropReason, actions: &mut Vec<Action>) {
        let mut dropped = if pending { self.pending.take() } else { Vec::new() };
        let semantics = self.manager.semantics();
        let stays_marked =
            semantics.lost_fold_stays_marked || (self.abort_pending && semantics.interrupted_fold_stays_marked);
        for folded in self.buckets.clear() {
            if !stays_marked {
                let name = self.manager.rules()[folded.rule].name.clone();
                self.manager.undo_mark(&name, folded.before, folded.after);
            }
            dropped.push(folded.rule);
        }
        if !dropped.is_empty() {
            actions.push(Action::Drop { rules: self.names(&dropped), why });
        }
    }

    pub(crate) fn names(&self, rules: &[usize]) -> Vec<JsString> {
        rules.iter().map(|&rule| self.manager.rules()[rule].name.clone()).collect()
    }

    /// The blocks of the rules, joined.
    pub(crate) fn render(&self, kind: ReminderKind<'_>, rules: &[usize]) -> JsString {
        let semantics = self.manager.semantics();
        join_blocks(rules.iter().map(|&rule| {
            let rule = &self.manager.rules()[rule];
            self.options.templates.render(kind, semantics, &rule.name, &rule.path, &rule.content)
        }))
    }

    /// Plans a task.
    pub(crate) fn schedule(&mut self, delay_ms: u64, kind: TaskKind, actions: &mut Vec<Action>) {
        let id = self.next_task;
        self.next_task += 1;
        self.tasks.insert(id, kind.clone());
        actions.push(Action::Schedule { delay_ms, task: Task { id, kind } });
    }
}

/// What the matches of a check belong to; where there is none, nobody asks.
fn batch_of(call: &Call, check: &Check) -> BatchContext {
    if check.matches.is_empty() { BatchContext::prose(Source::Tool) } else { call.batch() }
}
