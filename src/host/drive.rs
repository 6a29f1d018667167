//! [`Host`]: the one loop of agent, coordinator, clock and store that carries out every run.

use crate::agent::{Abort, Agent, CallScope, Due, Occurrence};
use crate::lifecycle::{self, OTHER_TOOL_CALL_REASON};
use crate::message::AgentEvent;
use crate::runtime::FOLLOW_UP_DELAY_MS;
use crate::stream::Origin;

use super::reminder::injected_message;
use super::run::{Effects, Run};
use super::whole::whole_texts;

/// What the loop did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Something happened.
    Goes,
    /// A recorded message, with all that belongs to it, is over.
    TurnOver,
    /// A recorded process ended.
    ProcessEnd,
    /// The handoff that is generated was cancelled.
    HandoffCancelled,
    /// The script asks for a handoff, and the agent is idle.
    Handoff,
    /// Nothing is left.
    Over,
}

/// Plays an agent under the rules.
pub struct Host<'r, 'a, A> {
    /// The rules' side: decisions, virtual time, what is written.
    pub run: &'r mut Run<'a>,
    /// Who plays.
    pub agent: &'r mut A,
    /// All events of the message in which something matched.
    whole: Vec<(Origin, AgentEvent)>,
    /// Whether the run that begins was told to continue, so that no newer prompt is behind it.
    resuming: bool,
    /// Whether the last thing that happened was a planned task.
    in_tasks: bool,
}

impl<'r, 'a, A: Agent> Host<'r, 'a, A> {
    /// A host before its first step.
    pub fn new(run: &'r mut Run<'a>, agent: &'r mut A) -> Self {
        Self { run, agent, whole: Vec::new(), resuming: false, in_tasks: false }
    }

    /// Lets the next thing happen, the agent's or a planned one, whichever is due first.
    pub fn step(&mut self) -> Progress {
        if self.agent.is_over() {
            self.run.lose_verdicts();
        }
        let now = self.run.journal.clock().now_ms();
        let agent_first = match (self.agent.due(), self.run.next_task_at()) {
            // What is due with the task that was just carried out comes before the agent's answer.
            (_, Some(task)) if self.in_tasks && task <= now => false,
            (Due::At(at), Some(task)) => at.max(now) <= task,
            (Due::At(_) | Due::Idle, None) => true,
            (Due::Idle | Due::Done, Some(_)) => false,
            (Due::Done, None) => return Progress::Over,
        };
        self.in_tasks = !agent_first;
        if !agent_first {
            let effects = self.run.next_task();
            self.follow(effects);
            return Progress::Goes;
        }
        if let Some(delta) = self.agent.next_delta() {
            let effects = self.run.delta(&delta);
            self.streamed(effects);
            return Progress::Goes;
        }
        let Some(step) = self.agent.next_step(self.run.journal.clock()) else { return Progress::Over };
        match step.occurrence {
            Occurrence::Event(event) => self.event(&event, &step.origin),
            Occurrence::LateStart { timestamp } => {
                self.run.begin_late_half();
                self.run.feed(&AgentEvent::MessageStart { timestamp });
            }
            Occurrence::Warned { rules, content } => {
                self.run.move_to(&step.origin);
                let effects = self.run.warned(&rules, &content);
                self.follow(effects);
            }
            Occurrence::WouldStop => {
                self.run.wait_for_judge();
                let effects = self.run.take_warnings();
                self.follow(effects);
                let rules = self.run.coordinator.queued_rules();
                if self.agent.takes_follow_ups(&rules) {
                    let effects = self.run.take_queued();
                    self.follow(effects);
                }
            }
            // The coordinator delivered it when it was handed over.
            Occurrence::Delivered(_) => {}
            Occurrence::UserInterrupt => {
                self.run.journal.user_abort();
                self.run.coordinator.user_abort();
            }
            Occurrence::HandoffCancelled => {
                self.run.coordinator.user_abort();
                return Progress::HandoffCancelled;
            }
            Occurrence::Handoff => return Progress::Handoff,
            Occurrence::Entry(entry) => {
                self.run.note_entry(&entry);
                self.run.journal.entry(&entry);
            }
            Occurrence::ProcessEnd => return Progress::ProcessEnd,
            Occurrence::TurnOver => return Progress::TurnOver,
        }
        Progress::Goes
    }

    fn event(&mut self, event: &AgentEvent, origin: &Origin) {
        if let AgentEvent::MessageEnd(message) = event
            && self.run.coordinator.manager().semantics().stamps_completion
            && message.raw.get("completedAt").is_none()
        {
            // What is written carries the mark of its generation (session.md S9.4f).
            let mut message = message.clone();
            message.raw.insert("completedAt", self.run.journal.clock().now_ms());
            return self.played(&AgentEvent::MessageEnd(message), origin);
        }
        self.played(event, origin);
    }

    fn played(&mut self, event: &AgentEvent, origin: &Origin) {
        match event {
            AgentEvent::AgentStart => {
                let resuming = std::mem::take(&mut self.resuming);
                if !resuming && self.run.coordinator.ttsr_abort_pending() {
                    self.run.coordinator.new_generation();
                }
            }
            AgentEvent::MessageStart { .. } => {
                if !self.run.coordinator.queued_rules().is_empty() {
                    // No answer comes at once: the follow-up of an earlier message finds the agent busy and waits
                    // for the end of the run (engine.md E7.6).
                    self.run.pass(FOLLOW_UP_DELAY_MS);
                }
                self.run.flush();
                self.run.begin_message(origin);
            }
            AgentEvent::TurnStart => {
                // The step before the next answer takes what judges have said meanwhile.
                self.run.pass(0);
                self.run.take_warnings();
            }
            _ => self.run.move_to(origin),
        }
        if let AgentEvent::ToolResult(message) = event {
            return self.run.feed_result(message, Some(origin));
        }
        let effects = self.run.feed(event);
        self.streamed(effects);
        match event {
            AgentEvent::Message(message) => {
                let entry = self.run.journal.message(message, Some(origin));
                self.run.stands_in(entry);
            }
            AgentEvent::MessageEnd(message) => {
                let entry = self.run.journal.message(message, Some(origin));
                self.run.stands_in(entry);
                let whole = std::mem::take(&mut self.whole);
                self.settle(&whole);
                // The results of structural checks come while the calls are about to run (engine.md E7.5a).
                let effects = self.run.structural_results();
                let is_late = effects.abort.is_some();
                self.follow(effects);
                if is_late {
                    // Stopping the calls takes a moment, in which a follow-up of this message finds the agent busy.
                    self.run.pass(FOLLOW_UP_DELAY_MS);
                }
            }
            _ => {}
        }
    }

    /// Follows what came of a piece of the message.
    fn streamed(&mut self, effects: Effects) {
        if self.run.has_open_hits() && self.whole.is_empty() {
            self.whole = self.agent.whole_message();
        }
        self.follow(effects);
    }

    /// Settles how matches depend on the cut, the message being complete.
    fn settle(&mut self, events: &[(Origin, AgentEvent)]) {
        let buffers = self.run.open_buffers();
        if !buffers.is_empty() {
            let whole = whole_texts(buffers, events, &self.run.reading);
            self.run.settle(&whole);
        }
    }

    /// Makes the agent do what was decided.
    fn follow(&mut self, effects: Effects) {
        if let Some(abort) = effects.abort {
            let is_early = self.run.coordinator.manager().semantics().keeps_cut_calls;
            self.agent.abort(Abort { is_early, ..order(abort) });
        }
        for injection in &effects.delivered {
            self.agent.follow_up(injected_message(injection));
        }
        if effects.resume.is_some() || effects.own_run {
            let resumed = self.agent.continue_run();
            if let Some(why) = self.agent.take_failure_to_continue() {
                self.run.continue_failed(why.to_string());
            }
            self.resuming = resumed;
            let further = self.run.continued(resumed);
            self.follow(further);
        }
    }
}

/// The order to abort as the agent takes it.
fn order(abort: lifecycle::Abort) -> Abort {
    let scope = abort.tool_call.map(|call| CallScope { call, others: OTHER_TOOL_CALL_REASON.into() });
    Abort { reason: abort.reason, scope, is_early: false }
}
