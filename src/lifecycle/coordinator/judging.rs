//! From a finished message to questions, and from a judge's verdict to a warning (generation-v4.md W5 to W9).

use crate::engine::{By, Hit};
use crate::judge::{Ask, Verdict, asks};
use crate::message::Message;
use crate::settings::JudgeMode;
use crate::text::JsString;

use crate::runtime::JUDGE_PAUSE_MS;

use super::Coordinator;
use crate::lifecycle::action::{Action, Decision, Injection, TaskKind, Trigger, Warning, WarningDelivery};
use crate::lifecycle::reminder::ReminderKind;

/// HTTP statuses by which a judge refuses the caller (W7.3).
const REFUSALS: [u16; 3] = [401, 402, 403];

/// What the coordinator remembers of judges.
#[derive(Debug, Default)]
pub(crate) struct Judging {
    /// Asks without a verdict, in the order in which they left.
    open: Vec<Ask>,
    next_ask: u64,
    /// The judge has refused the caller not long ago.
    paused: bool,
    /// The user has aborted, and no run has begun since.
    pub(crate) user_aborted: bool,
    plan_mode: bool,
}

impl Coordinator {
    /// The asks that no verdict was handed in for, in the order in which they left. A run that is about to end waits for
    /// them, [`crate::runtime::OPEN_ASK_WAIT_MS`] at most.
    pub fn open_asks(&self) -> &[Ask] {
        &self.judging.open
    }

    /// Takes the verdict on an ask: flagged rules that the repeat policy still lets through are marked, announced, and
    /// become a warning (W6.4, W8). An unknown ask, such as one of a session that was left, changes nothing.
    pub fn verdict(&mut self, ask: u64, verdict: &Verdict) -> Vec<Action> {
        let mut actions = Vec::new();
        let Some(at) = self.judging.open.iter().position(|open| open.id == ask) else { return actions };
        let ask = self.judging.open.remove(at);
        if let Verdict::Failed { status: Some(status) } = verdict
            && REFUSALS.contains(status)
            && !self.judging.paused
        {
            self.judging.paused = true;
            self.schedule(JUDGE_PAUSE_MS, TaskKind::AskAgain, &mut actions);
        }
        let claimed: Vec<(usize, f64)> =
            ask.flagged(verdict).into_iter().filter(|&(rule, _)| self.manager.may_trigger(rule)).collect();
        if !claimed.is_empty() {
            self.warn(&ask, &claimed, &mut actions);
        }
        actions
    }

    /// The warnings that wait join the agent's memory and the session, in the order of their verdicts: the step before
    /// the next answer takes them, behind what the user has said meanwhile and before queued follow-ups (W8.5).
    pub fn take_warnings(&mut self) -> Vec<Action> {
        let mut actions = Vec::new();
        while let Some(warning) = self.memory.warnings.pop_front() {
            self.deliver_warning(warning, &mut actions);
        }
        actions
    }

    /// Another session was opened: verdicts on what was asked before come to nothing (W8.1).
    #[cfg(feature = "internals")]
    pub fn new_session(&mut self) {
        self.judging.open.clear();
    }

    /// Whether the agent only plans: then no warning makes it run (W8.4).
    #[cfg(feature = "internals")]
    pub fn set_plan_mode(&mut self, on: bool) {
        self.judging.plan_mode = on;
    }

    /// The judge that has refused the caller is asked again.
    pub(crate) fn ask_again(&mut self) {
        self.judging.paused = false;
    }

    /// Asks about the outputs of a finished message.
    pub(crate) fn ask(&mut self, message: &Message, actions: &mut Vec<Action>) {
        if !self.manager.semantics().judged_rules || !self.has_judge() {
            return;
        }
        let (asks, undecided) = asks(message, &mut self.manager, &self.options.reading);
        actions.extend(undecided.into_iter().map(Action::Undecided));
        for ask in asks {
            let ask = Ask { id: self.judging.next_ask, ..ask };
            self.judging.next_ask += 1;
            self.judging.open.push(ask.clone());
            actions.push(Action::Ask(ask));
        }
    }

    /// Whether anybody is asked (W7.1).
    fn has_judge(&self) -> bool {
        let wanted = match self.manager.settings().judge {
            JudgeMode::Auto => self.options.native_judge,
            JudgeMode::On => true,
            JudgeMode::Off => false,
        };
        wanted && !self.judging.paused
    }

    fn warn(&mut self, ask: &Ask, claimed: &[(usize, f64)], actions: &mut Vec<Action>) {
        let rules: Vec<usize> = claimed.iter().map(|&(rule, _)| rule).collect();
        let names = self.names(&rules);
        self.manager.mark(names.iter().cloned());
        actions.push(Action::Trigger(self.yes(ask, claimed, names.clone())));
        if self.options.observe {
            return;
        }
        self.announce(rules.clone(), names.clone(), actions);
        let subject = &ask.output.subject;
        let injection = Injection {
            custom: true,
            rules: names,
            delivery_id: None,
            content: self.render(ReminderKind::Warning { output: subject }, &rules),
        };
        let delivery = if self.memory.streaming {
            WarningDelivery::NextStep
        } else if self.judging.user_aborted || self.judging.plan_mode {
            WarningDelivery::ContextOnly
        } else {
            WarningDelivery::OwnRun
        };
        let warning = Warning { ask: ask.id, output: subject.clone(), injection: injection.clone(), delivery };
        actions.push(Action::Warn(warning));
        if delivery == WarningDelivery::ContextOnly {
            self.deliver_warning(injection, actions);
        } else {
            self.memory.warnings.push_back(injection);
        }
    }

    /// The trigger that a yes is.
    fn yes(&self, ask: &Ask, claimed: &[(usize, f64)], names: Vec<JsString>) -> Trigger {
        let context = &ask.output.context;
        let content = ask.output.content.units();
        let hit = |&(rule, probability): &(usize, f64)| {
            let question = self.manager.rules()[rule].question.clone().unwrap_or_default();
            Hit::judged(self.manager.rules()[rule].name.clone(), By::Judged { question, probability }, context, content)
        };
        Trigger {
            rules: claimed.iter().map(|&(rule, _)| rule).collect(),
            names,
            source: context.source,
            tool: context.tool.clone(),
            tool_call: ask.output.tool_call.clone(),
            paths: context.paths.clone(),
            decision: Decision::Warn,
            ended_call: None,
            by: claimed.iter().map(hit).collect(),
        }
    }

    fn deliver_warning(&mut self, warning: Injection, actions: &mut Vec<Action>) {
        self.memory.push(warning.role(), None);
        actions.push(Action::Deliver(warning.clone()));
        self.persist(warning, actions);
    }
}
