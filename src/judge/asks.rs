//! [`Ask`]: what a judge is asked about one output (generation-v4.md W6).

use crate::engine::{Manager, Undecided};
use crate::json_object;
use crate::message::Message;
use crate::text::JsString;
use crate::text::json::Object;
use crate::tool::ReadOptions;

use super::{Output, Verdict, outputs};

/// From which probability of a yes on a rule is flagged (W6.4).
pub const THRESHOLD: f64 = 0.7;

/// One request to a judge: an output, and the rules that it is put to.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Tells asks of one run apart; the coordinator gives it.
    pub id: u64,
    /// The output.
    pub output: Output,
    /// Indices of the rules among [`Manager::rules`], in registration order.
    pub rules: Vec<usize>,
    /// Their names.
    pub names: Vec<JsString>,
    /// Their questions.
    pub questions: Vec<JsString>,
    /// How many steps the agent takes for the gates of this output ([`Asked::steps`](crate::engine::Asked::steps)); an
    /// ask with fewer leaves first.
    pub steps: usize,
    /// Whether the output was parsed for structural patterns. The agent's threads decide when such an ask leaves: behind
    /// the others of its message, perhaps after a later message has ended.
    pub parsed: bool,
}

/// The asks about a finished message in the order in which they leave, and the gates that could not be decided. Outputs
/// that no rule is left for cause none.
pub fn asks(message: &Message, manager: &mut Manager, reading: &ReadOptions) -> (Vec<Ask>, Vec<Undecided>) {
    let (mut asks, mut undecided) = (Vec::new(), Vec::new());
    if !manager.has_judged_rules() {
        return (asks, undecided);
    }
    for output in outputs(message, reading) {
        let asked = manager.ask(&output.context, output.content.units());
        undecided.extend(asked.undecided);
        if asked.rules.is_empty() {
            continue;
        }
        let of = |rule: &usize| &manager.rules()[*rule];
        asks.push(Ask {
            id: 0,
            names: asked.rules.iter().map(|rule| of(rule).name.clone()).collect(),
            questions: asked.rules.iter().map(|rule| of(rule).question.clone().unwrap_or_default()).collect(),
            rules: asked.rules,
            output,
            steps: asked.steps,
            parsed: asked.parsed,
        });
    }
    asks.sort_by_key(|ask| (ask.parsed, if ask.parsed { 0 } else { ask.steps }));
    (asks, undecided)
}

impl Ask {
    /// The request as a native judge gets it (W6.2), but for the cut of long contents (W6.3).
    #[cfg(feature = "internals")]
    pub fn request(&self) -> Object {
        let mut questions = Object::new();
        for (at, question) in self.questions.iter().enumerate() {
            questions.insert(format!("q{at}"), json_object! { "type": "noul", "instructions": question.clone() });
        }
        json_object! {
            "state": json_object! {
                "output": self.output.subject.clone(),
                "content": self.output.content.clone(),
            },
            "questions": questions,
        }
    }

    /// The rules that a verdict flags, with the probability of the yes, in the order of the ask (W6.4).
    pub fn flagged(&self, verdict: &Verdict) -> Vec<(usize, f64)> {
        let Verdict::Answered(probabilities) = verdict else { return Vec::new() };
        let answered = self.rules.iter().zip(probabilities);
        let yes = |probability: &f64| *probability >= THRESHOLD;
        answered.filter_map(|(&rule, probability)| Some((rule, (*probability).filter(yes)?))).collect()
    }
}
