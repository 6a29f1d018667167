//! What is due, what is delivered, and what the user does in between (engine.md E7.4, E7.6, E11 G34).

use crate::settings::ContextMode;
use crate::text::JsString;

use super::Coordinator;
use crate::lifecycle::action::{Action, ContinueError, ContinueSource, DropReason, Injection, Task, TaskKind};
use crate::lifecycle::reminder::ReminderKind;

impl Coordinator {
    /// Carries out a task whose time has come.
    pub fn due(&mut self, task: &Task) -> Vec<Action> {
        let mut actions = Vec::new();
        match self.tasks.remove(&task.id) {
            Some(TaskKind::Retry { token, generation, target }) => self.retry(token, generation, target, &mut actions),
            Some(TaskKind::FollowUp { delivery, generation }) => self.follow_up(delivery, generation, &mut actions),
            Some(TaskKind::AskAgain) => self.ask_again(),
            // Cancelled meanwhile.
            None => {}
        }
        actions
    }

    /// Takes the outcome of [`Action::Continue`]: whether the agent has resumed.
    pub fn continued(&mut self, resumed: bool) -> Vec<Action> {
        let mut actions = Vec::new();
        let continuing = self.continuing.take();
        if resumed {
            self.memory.streaming = true;
            // Behind an assistant message there is nothing to answer but what is queued.
            if self.memory.ends_with("assistant") {
                self.deliver(&mut actions);
            }
        } else if let Some((_, delivery)) = continuing {
            self.give_up(delivery);
        }
        actions
    }

    /// The running loop takes the queued follow-ups by itself.
    pub fn take_queued(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        self.deliver(&mut actions);
        actions
    }

    /// The queue is cleared; its rules are free again.
    pub fn drop_queued(&mut self) -> Vec<Action> {
        let rules: Vec<JsString> = self.memory.queue.drain(..).flat_map(|injection| injection.rules).collect();
        self.pending.release_all();
        if rules.is_empty() { Vec::new() } else { vec![Action::Drop { rules, why: DropReason::Superseded }] }
    }

    /// A queued delivery of these rules came at a place that the run did not reach: it is not to come again.
    pub fn delivered_elsewhere(&mut self, rules: &[JsString]) {
        let Some(at) = self.memory.queue.iter().position(|injection| injection.rules == rules) else { return };
        if let Some(delivery) = self.memory.queue.remove(at).and_then(|injection| injection.delivery_id) {
            self.pending.release(delivery);
        }
    }

    /// Another prompt supersedes the present one.
    pub fn new_generation(&mut self) {
        self.generation += 1;
    }

    /// The user aborts: another generation; what was planned is cancelled, what is pending stays (engine.md E7.4).
    /// The early generation's timers run all the same.
    pub fn user_abort(&mut self) {
        self.generation += 1;
        self.judging.user_aborted = true;
        if !self.manager.semantics().user_abort_cancels {
            return;
        }
        self.waiting = false;
        for (id, kind) in std::mem::take(&mut self.tasks) {
            match kind {
                TaskKind::FollowUp { delivery, .. } => self.pending.release(delivery),
                TaskKind::Retry { .. } => {}
                // The pause of a judge is nobody's plan.
                TaskKind::AskAgain => {
                    self.tasks.insert(id, kind);
                }
            }
        }
    }

    /// The agent's messages were made anew from a session: what comes from now on counts from there.
    pub fn forget_messages(&mut self) {
        self.memory.messages.clear();
    }

    /// The last message leaves the agent's memory.
    #[cfg(feature = "internals")]
    pub fn drop_last_message(&mut self) {
        self.memory.messages.pop();
    }

    /// The input is over: rules that still wait behind a cancelled retry are dropped.
    pub fn finish(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        let retries = self.tasks.values().any(|kind| matches!(kind, TaskKind::Retry { .. }));
        if self.abort_pending && !retries {
            self.drop_waiting(true, DropReason::UserInterrupt, &mut actions);
        }
        actions
    }

    fn retry(&mut self, token: u64, generation: u64, target: Option<f64>, actions: &mut Vec<Action>) {
        let target = self.memory.target(target);
        if self.manager.semantics().retry_guards {
            if token != self.retry_token {
                self.waiting = false;
                return;
            }
            if !self.abort_pending || generation != self.generation || target.is_none() {
                self.abort_pending = false;
                self.waiting = false;
                self.drop_waiting(true, DropReason::Superseded, actions);
                return;
            }
        }
        self.abort_pending = false;
        self.drop_waiting(false, DropReason::Superseded, actions);
        self.settle_context(target, actions);
        let rules = self.pending.take();
        if !rules.is_empty() {
            self.inject(&rules, actions);
        }
        self.resume(ContinueSource::Retry, None, actions);
    }

    /// Cuts the interrupted message off, or leaves it, as `contextMode` says now.
    fn settle_context(&mut self, target: Option<usize>, actions: &mut Vec<Action>) {
        let messages = &mut self.memory.messages;
        let last_only = self.manager.semantics().discard_last_only;
        if self.manager.settings().context_mode == ContextMode::Keep {
            let message = if last_only { messages.len().checked_sub(1) } else { target };
            actions.push(Action::Keep { message });
            return;
        }
        let cut = if last_only { messages.len().checked_sub(1) } else { target };
        if let Some(keep) = cut {
            let dropped = messages.drain(keep..).map(|message| message.role).collect();
            actions.push(Action::Discard { keep, dropped });
        }
    }

    /// The reminder of an interrupt: into memory and, where the generation does so, into the session.
    fn inject(&mut self, rules: &[usize], actions: &mut Vec<Action>) {
        let persists = self.manager.semantics().persists;
        let injection = Injection {
            custom: persists,
            rules: self.names(rules),
            delivery_id: None,
            content: self.render(ReminderKind::Interrupt, rules),
        };
        self.memory.push(injection.role(), None);
        actions.push(Action::Inject(injection.clone()));
        if persists {
            self.persist(injection, actions);
        }
    }

    /// Writes the message, marks its rules, writes the list of names.
    pub(crate) fn persist(&mut self, injection: Injection, actions: &mut Vec<Action>) {
        let mut names: Vec<JsString> = Vec::with_capacity(injection.rules.len());
        for name in injection.rules.iter().map(JsString::trim).filter(|name| !name.is_empty()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        actions.push(Action::PersistMessage(injection));
        if !names.is_empty() {
            self.manager.mark(names.iter().cloned());
            actions.push(Action::PersistInjection { rules: names });
        }
    }

    fn follow_up(&mut self, delivery: u64, generation: u64, actions: &mut Vec<Action>) {
        if generation != self.generation {
            // Whatever the run does then: the message will not come.
            self.waiting = false;
            self.pending.release(delivery);
        } else if self.memory.streaming || self.memory.queue.is_empty() {
            self.give_up(Some(delivery));
        } else {
            self.resume(ContinueSource::Deferred, Some(delivery), actions);
        }
    }

    /// Asks the agent to resume, unless it is certain that it refuses.
    fn resume(&mut self, source: ContinueSource, delivery: Option<u64>, actions: &mut Vec<Action>) {
        let memory = &self.memory;
        let nothing_to_answer =
            memory.messages.is_empty() || (memory.ends_with("assistant") && memory.queue.is_empty());
        let error = if memory.streaming {
            Some(ContinueError::Busy)
        } else {
            nothing_to_answer.then_some(ContinueError::NothingToAnswer)
        };
        if let Some(error) = error {
            actions.push(Action::ContinueRefused { source, error });
            self.give_up(delivery);
        } else {
            self.continuing = Some((source, delivery));
            actions.push(Action::Continue { source });
        }
    }

    /// Resuming was skipped or failed: the gate closes, and the delivery's rules are free again unless a running
    /// agent may have taken the message (engine.md E7.6).
    fn give_up(&mut self, delivery: Option<u64>) {
        self.waiting = false;
        if let Some(delivery) = delivery.filter(|_| !self.memory.streaming) {
            self.pending.release(delivery);
        }
    }

    fn deliver(&mut self, actions: &mut Vec<Action>) {
        while let Some(injection) = self.memory.queue.pop_front() {
            self.memory.push(injection.role(), None);
            if let Some(delivery) = injection.delivery_id {
                self.pending.release(delivery);
            }
            actions.push(Action::Deliver(injection.clone()));
            self.persist(injection, actions);
        }
    }
}
