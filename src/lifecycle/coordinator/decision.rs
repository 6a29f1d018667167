//! From matches to interrupt, fold or deferral (engine.md E7.1 to E7.4).

use crate::engine::{Check, Match};
use crate::message::{Source, interrupt_reason};
use crate::runtime::{FOLLOW_UP_DELAY_MS, RETRY_DELAY_MS};
use crate::settings::InterruptMode;
use crate::text::JsString;

use super::{BatchContext, Coordinator};
use crate::lifecycle::action::{Abort, Action, Decision, Injection, TaskKind, Trigger};
use crate::lifecycle::pending::Folded;
use crate::lifecycle::reminder::ReminderKind;

impl Coordinator {
    /// Decides on one batch of matches. Tells whether it interrupts.
    pub(crate) fn decide(&mut self, check: Check, batch: BatchContext, actions: &mut Vec<Action>) -> bool {
        actions.extend(check.undecided.into_iter().map(Action::Undecided));
        let matches = check.matches;
        if matches.is_empty() {
            return false;
        }
        let decision = self.decision(&matches, &batch);
        let rules: Vec<usize> = matches.iter().map(|one| one.rule).collect();
        let names = self.names(&rules);
        let trigger = Action::Trigger(Trigger {
            rules: rules.clone(),
            names: names.clone(),
            source: batch.source,
            tool: batch.tool,
            tool_call: batch.tool_call.clone(),
            paths: batch.paths,
            decision,
            ended_call: batch.ended_call,
            by: matches.into_iter().map(|one| one.hit).collect(),
        });
        if self.options.observe {
            self.manager.mark(names);
            actions.push(trigger);
            return decision == Decision::Interrupt;
        }
        match decision {
            Decision::Interrupt => {
                actions.push(trigger);
                self.interrupt(rules, names, batch.tool_call, batch.key.as_ref(), actions);
            }
            Decision::Fold => {
                actions.push(trigger);
                let call = batch.tool_call.unwrap_or_default();
                self.fold(&rules, &call);
                self.announce_match(rules, names, batch.key.as_ref(), actions);
            }
            // A rule that waits already matches at every further delta; only what joins the queue is news.
            Decision::Defer | Decision::Warn => {
                let mut added = false;
                for rule in rules {
                    added |= self.pending.add(rule);
                }
                if added {
                    actions.push(trigger);
                }
            }
        }
        decision == Decision::Interrupt
    }

    /// One rule that may interrupt makes the whole batch interrupt.
    fn decision(&self, matches: &[Match], batch: &BatchContext) -> Decision {
        let global = self.manager.settings().interrupt_mode;
        let interrupts = |one: &Match| {
            let mode = self.manager.rules()[one.rule].interrupt_mode.unwrap_or(global);
            match mode {
                InterruptMode::Always => true,
                InterruptMode::ProseOnly => batch.source != Source::Tool,
                InterruptMode::ToolOnly => batch.source == Source::Tool,
                InterruptMode::Never => false,
            }
        };
        if !self.manager.semantics().interrupt_modes || matches.iter().any(interrupts) {
            Decision::Interrupt
        } else if batch.tool_call.is_some() {
            Decision::Fold
        } else {
            Decision::Defer
        }
    }

    fn interrupt(
        &mut self,
        rules: Vec<usize>,
        names: Vec<JsString>,
        tool_call: Option<JsString>,
        key: Option<&JsString>,
        actions: &mut Vec<Action>,
    ) {
        let semantics = self.manager.semantics().clone();
        if semantics.mark_at_match {
            self.manager.mark(names.clone());
        }
        for &rule in &rules {
            if semantics.dedupe_pending {
                self.pending.add(rule);
            } else {
                self.pending.push(rule);
            }
        }
        self.abort_pending = true;
        self.waiting |= semantics.resume_gate;
        let abort = if semantics.abort_reason {
            Abort { reason: Some(interrupt_reason(&names)), tool_call }
        } else {
            Abort { reason: None, tool_call: None }
        };
        actions.push(Action::Abort(abort));
        self.announce_match(rules, names, key, actions);
        self.retry_token += 1;
        let retry = TaskKind::Retry { token: self.retry_token, generation: self.generation, target: self.timestamp };
        self.schedule(RETRY_DELAY_MS, retry, actions);
    }

    /// Puts the rules into the call's bucket, but for those that a call holds already, and marks them at once.
    fn fold(&mut self, rules: &[usize], call: &JsString) {
        for &rule in rules {
            if !self.buckets.holds(rule) {
                let name = self.manager.rules()[rule].name.clone();
                let before = self.manager.ledger().record(&name);
                self.manager.mark([name.clone()]);
                let after = self.manager.ledger().record(&name);
                self.buckets.add(call, Folded { rule, before, after });
            }
        }
    }

    /// Announces a match. Where the generation remembers what it announced for a call, a check that brings nothing new is
    /// silent; any other lists all its rules.
    fn announce_match(
        &mut self,
        rules: Vec<usize>,
        names: Vec<JsString>,
        key: Option<&JsString>,
        actions: &mut Vec<Action>,
    ) {
        let silent = self.manager.semantics().announces_once && key.is_some_and(|key| !self.announced.add(key, &rules));
        if !silent {
            self.announce(rules, names, actions);
        }
    }

    pub(crate) fn announce(&mut self, rules: Vec<usize>, names: Vec<JsString>, actions: &mut Vec<Action>) {
        self.listeners.emit(rules.iter().map(|&rule| &self.manager.rules()[rule]));
        actions.push(Action::Announce { rules, names });
    }

    /// Queues what is pending as a hidden follow-up (engine.md E7.3).
    pub(crate) fn queue_follow_up(&mut self, actions: &mut Vec<Action>) {
        let rules = self.pending.take();
        if rules.is_empty() {
            return;
        }
        let delivery = self.next_delivery;
        self.next_delivery += 1;
        let reserves = self.manager.semantics().reservations;
        let injection = Injection {
            custom: true,
            rules: self.names(&rules),
            delivery_id: reserves.then_some(delivery),
            content: self.render(ReminderKind::Interrupt, &rules),
        };
        if reserves {
            self.pending.reserve(delivery, rules);
        }
        self.waiting = true;
        self.memory.queue.push_back(injection.clone());
        actions.push(Action::QueueFollowUp(injection));
        let follow_up = TaskKind::FollowUp { delivery, generation: self.generation };
        self.schedule(FOLLOW_UP_DELAY_MS, follow_up, actions);
    }
}
