//! A scripted run: prompts, replies, retries and follow-ups in virtual time.

use crate::agent::{Abort, CallScope, Due, Occurrence, ScriptedAgent};
use crate::lifecycle::{self, OTHER_TOOL_CALL_REASON};
use crate::message::AgentEvent;
use crate::stream::Origin;

use super::play::settle;
use super::run::{Effects, Run, injected_message};

/// Plays everything that `agent` has.
pub(super) fn play_script(run: &mut Run<'_>, agent: &mut ScriptedAgent) {
    let mut player = Player { run, agent, whole: Vec::new(), resuming: false };
    while player.step() {}
    player.run.flush();
}

struct Player<'r, 'a> {
    run: &'r mut Run<'a>,
    agent: &'r mut ScriptedAgent,
    /// All events of the reply in which something matched.
    whole: Vec<(Origin, AgentEvent)>,
    /// Whether the run that begins was told to continue, so that no newer prompt is behind it.
    resuming: bool,
}

impl Player<'_, '_> {
    /// Lets the next thing happen, the agent's or a planned one, whichever is due first; false when nothing is left.
    fn step(&mut self) -> bool {
        let now = self.run.journal.clock().now_ms();
        let agent_first = match (self.agent.due(), self.run.next_task_at()) {
            (Due::At(at), Some(task)) => at.max(now) <= task,
            (Due::At(_) | Due::Idle, None) => true,
            (Due::Idle | Due::Done, Some(_)) => false,
            (Due::Done, None) => return false,
        };
        if !agent_first {
            let effects = self.run.next_task();
            self.follow(effects);
            return true;
        }
        let Some(step) = self.agent.next_step(self.run.journal.clock()) else { return false };
        match step.occurrence {
            Occurrence::Event(event) => self.event(&event, &step.origin),
            Occurrence::WouldStop => {
                let effects = self.run.take_queued();
                self.follow(effects);
            }
            // The coordinator delivered it when it was handed over.
            Occurrence::Delivered(_) => {}
            Occurrence::UserInterrupt | Occurrence::HandoffCancelled => self.run.coordinator.user_abort(),
        }
        true
    }

    fn event(&mut self, event: &AgentEvent, origin: &Origin) {
        match event {
            AgentEvent::AgentStart => {
                let resuming = std::mem::take(&mut self.resuming);
                if !resuming && self.run.coordinator.ttsr_abort_pending() {
                    self.run.coordinator.new_generation();
                }
            }
            AgentEvent::MessageStart { .. } => {
                self.run.flush();
                self.run.begin_message(origin);
            }
            _ => self.run.move_to(origin),
        }
        if let AgentEvent::ToolResult(message) = event {
            return self.run.feed_result(message, None);
        }
        let effects = self.run.feed(event);
        if self.run.has_open_hits() && self.whole.is_empty() {
            self.whole = self.agent.whole_reply();
        }
        match event {
            AgentEvent::Message(message) => self.run.journal.message(message, None),
            AgentEvent::MessageEnd(message) => {
                self.run.journal.message(message, None);
                settle(self.run, &std::mem::take(&mut self.whole));
            }
            _ => {}
        }
        self.follow(effects);
    }

    /// Makes the agent do what was decided.
    fn follow(&mut self, effects: Effects) {
        if let Some(abort) = effects.abort {
            self.agent.abort(order(abort));
        }
        for injection in &effects.delivered {
            self.agent.follow_up(injected_message(injection));
        }
        if effects.resume.is_some() {
            let resumed = self.agent.continue_run();
            self.resuming = resumed;
            let further = self.run.continued(resumed);
            self.follow(further);
        }
    }
}

/// The order to abort as the agent takes it.
fn order(abort: lifecycle::Abort) -> Abort {
    let scope = abort.tool_call.map(|call| CallScope { call, others: OTHER_TOOL_CALL_REASON.into() });
    Abort { reason: abort.reason, scope }
}
