//! Judged rules in a run: who answers, and when (generation-v4.md W8, W15).

use crate::judge::{Ask, Verdict, Verdicts};
use crate::runtime::OPEN_ASK_WAIT_MS;
use crate::text::JsString;
use crate::text::json::{Object, Value};

use super::{Effects, Planned, Run};
use crate::host::trace::{Matched, TraceKind};

/// Who answers for the judge.
#[derive(Debug, Default)]
pub struct Judge {
    /// Rows of a file, which come first.
    pub file: Verdicts,
    /// Rows of the script.
    pub script: Verdicts,
    /// Whether a recording may show the answer later.
    pub waits_for_recording: bool,
    /// Requests that a recording shows as answered (W10.1).
    answered: usize,
    /// Asks that had a verdict, known or not.
    settled: usize,
    /// Asks without an answer.
    pub(crate) asks: Vec<Ask>,
}

impl Run<'_> {
    /// An output is put to the judge: a row answers, or the recording may, or nobody.
    pub(crate) fn asked(&mut self, ask: &Ask) {
        self.emit(TraceKind::Ask {
            output: ask.output.subject.clone(),
            rules: ask.names.clone(),
            questions: ask.questions.clone(),
            content: ask.output.content.clone(),
            message: self.target,
        });
        self.judge.asks.push(ask.clone());
        for (rows, from) in [(&mut self.judge.file, "file"), (&mut self.judge.script, "script")] {
            let answer = rows.answer(ask);
            if answer.verdict.undecided() < ask.rules.len() {
                let planned = Planned::Verdict { ask: ask.id, verdict: answer.verdict, from };
                self.timeline.schedule(answer.delay_ms, planned);
                return;
            }
        }
        if !self.judge.waits_for_recording {
            self.timeline.schedule(0, Planned::Verdict { ask: ask.id, verdict: Verdict::unknown(ask), from: "none" });
        }
    }

    /// The judge answers.
    pub(crate) fn answered(&mut self, id: u64, verdict: &Verdict, from: &'static str) -> Effects {
        let Some(at) = self.judge.asks.iter().position(|ask| ask.id == id) else { return Effects::default() };
        let ask = self.judge.asks.remove(at);
        self.judge.settled += 1;
        for (at, rule) in ask.names.iter().enumerate() {
            let probability = match verdict {
                Verdict::Answered(answers) => answers.get(at).copied().flatten(),
                Verdict::Failed { .. } => None,
            };
            self.emit(TraceKind::Verdict { rule: rule.clone(), probability, from });
            if probability.is_none() && !matches!(verdict, Verdict::Failed { .. }) {
                self.undecided_question(&ask, at);
            }
        }
        let actions = self.coordinator.verdict(id, verdict);
        self.carry_out(actions)
    }

    fn undecided_question(&mut self, ask: &Ask, at: usize) {
        self.emit(TraceKind::Undecided {
            rule: ask.names[at].clone(),
            matched: Matched::Question(ask.questions[at].clone()),
            why: format!("no judge has answered about the {}; --verdicts gives answers", ask.output.subject),
        });
    }

    /// The warnings that wait are taken, behind tool results or at the end of a run.
    pub fn take_warnings(&mut self) -> Effects {
        let actions = self.coordinator.take_warnings();
        self.carry_out(actions)
    }

    /// The process ends: a judge that has not answered by now is not heard (generation-v4.md W8.4, W15.4).
    pub(crate) fn lose_verdicts(&mut self) {
        let now = self.timeline.now();
        self.timeline.retain(|due, planned| due <= now || !matches!(planned, Planned::Verdict { .. }));
    }

    /// A run that is about to end waits for the judge, a while at most.
    pub(crate) fn wait_for_judge(&mut self) {
        let until = self.journal.clock().now_ms() + OPEN_ASK_WAIT_MS;
        while !self.coordinator.open_asks().is_empty() && self.next_verdict_at().is_some_and(|at| at <= until) {
            self.next_task();
        }
    }

    /// When the next planned verdict is due, if nothing else comes before.
    fn next_verdict_at(&mut self) -> Option<u64> {
        self.next_task_at()
    }

    /// The recording shows a warning: a yes about these rules for the output that it names, in the nearest message
    /// before that could ask (W15.3). Gives how many of the rules nobody could have been asked about.
    pub(crate) fn warned(&mut self, rules: &[JsString], content: &JsString) -> Effects {
        let mut yes: Vec<(u64, Vec<Option<f64>>)> = Vec::new();
        for rule in rules {
            let named = |ask: &&Ask| ask.names.contains(rule);
            let subject = |ask: &&Ask| names_output(content, &ask.output.subject);
            let asks = || self.judge.asks.iter().rev().filter(named);
            let Some(ask) = asks().find(subject).or_else(|| asks().next()) else { continue };
            let place = ask.names.iter().position(|name| name == rule).unwrap_or_default();
            let count = ask.names.len();
            match yes.iter_mut().find(|(id, _)| *id == ask.id) {
                Some((_, answers)) => answers[place] = Some(1.0),
                None => {
                    let mut answers = vec![Some(0.0); count];
                    answers[place] = Some(1.0);
                    yes.push((ask.id, answers));
                }
            }
        }
        for (id, answers) in yes {
            self.answered(id, &Verdict::Answered(answers), "recording");
        }
        let mut effects = self.take_warnings();
        effects.own_run = false;
        effects
    }

    /// Notes an entry that a recording holds: requests to a judge that were answered are accounted for (W10.1).
    pub(crate) fn note_entry(&mut self, entry: &Object) {
        let is = |key: &str, value: &str| entry.get(key).and_then(Value::as_string).is_some_and(|own| *own == value);
        if is("type", "model_usage") && is("purpose", "ttsr") && is("stopReason", "stop") {
            self.judge.answered += 1;
        }
    }

    /// The input is over: asks without an answer are a no as far as the recording accounts for them, else undecided.
    pub(crate) fn leave_open_asks(&mut self) {
        let accounted = self.judge.answered.saturating_sub(self.judge.settled);
        for (at, ask) in std::mem::take(&mut self.judge.asks).into_iter().enumerate() {
            for (place, rule) in ask.names.iter().enumerate() {
                if at < accounted {
                    self.emit(TraceKind::Verdict { rule: rule.clone(), probability: Some(0.0), from: "recording" });
                } else {
                    self.emit(TraceKind::Verdict { rule: rule.clone(), probability: None, from: "none" });
                    self.undecided_question(&ask, place);
                }
            }
        }
    }
}

/// Whether a warning's wording names the output.
fn names_output(content: &JsString, subject: &JsString) -> bool {
    let text = content.to_string_lossy();
    let wording = text.lines().nth(1).unwrap_or_default();
    wording.contains(&subject.to_string_lossy())
}
