//! [`Explain`]: per rule, the last gate that it reached in a message.

use crate::ast::Outcome;
use crate::message::Source;
use crate::rule::CompiledRule;
use crate::settings::{RepeatMode, Settings};
use crate::text::JsString;

use super::{Context, Explanation, Gate, Ledger};

/// Collects, per rule, the last gate that it reached. A rule that fired, or that could not be decided, has none.
#[derive(Debug)]
pub(super) struct Explain {
    reached: Vec<Reached>,
}

#[derive(Clone, Debug)]
enum Reached {
    Nothing,
    Gate(Gate, String),
    Fired,
}

impl Explain {
    pub(super) fn new(rules: usize) -> Self {
        Self { reached: vec![Reached::Nothing; rules] }
    }

    /// A check of conditions in this context; `matches` tells whether one of a rule's conditions matches.
    pub(super) fn see(&mut self, context: &Context, rules: &[CompiledRule], matches: impl Fn(usize) -> bool) {
        for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| !rule.is_judged()) {
            if !rule.allows(context.source, context.tool.as_ref(), &context.paths) {
                self.reach(index, Gate::Scope, || format!("its scope excludes {}", streamed(context)));
            } else if !rule.globs_allow(&context.paths) {
                self.reach(index, Gate::Globs, || paths_phrase(&context.paths, context.source));
            } else if matches(index) {
                self.reach(index, Gate::Repeat, String::new);
            } else if !rule.conditions.is_empty() {
                self.reach(index, Gate::Condition, || match rule.conditions.len() {
                    1 => "its condition does not match".to_owned(),
                    count => format!("none of its {count} conditions matches; one would be enough"),
                });
            } else if context.source != Source::Tool {
                self.reach(index, Gate::Language, || "structural patterns look at tool calls only".to_owned());
            }
        }
    }

    /// No language for structural patterns.
    pub(super) fn no_language(&mut self, rule: usize, paths: &[JsString]) {
        self.reach(rule, Gate::Language, || match paths.first() {
            Some(path) => format!("no language for `{path}`"),
            None => "the call names no file".to_owned(),
        });
    }

    /// What a rule's structural patterns say; `blocked` when the repeat policy holds the rule back.
    pub(super) fn ast(&mut self, rule: usize, outcome: &Outcome, blocked: bool) {
        match outcome {
            Outcome::Match(_) if blocked => self.reach(rule, Gate::Repeat, String::new),
            Outcome::NoMatch => self.reach(rule, Gate::Ast, || "no structural pattern matches".to_owned()),
            Outcome::Match(_) => self.fired(rule),
            Outcome::NoGrammar | Outcome::Undecided(_) if !blocked => self.fired(rule),
            Outcome::NoGrammar | Outcome::Undecided(_) => {}
        }
    }

    /// The rule fired or is reported as undecided.
    pub(super) fn fired(&mut self, rule: usize) {
        self.reached[rule] = Reached::Fired;
    }

    /// The explanations so far; starts anew.
    pub(super) fn take(&mut self, rules: &[CompiledRule], settings: &Settings, ledger: &Ledger) -> Vec<Explanation> {
        let reached = std::mem::replace(&mut self.reached, vec![Reached::Nothing; rules.len()]);
        let explained = reached.into_iter().zip(rules).filter_map(|(reached, rule)| {
            let (gate, why) = match reached {
                // Streams are not matched against judged rules.
                _ if rule.is_judged() => return None,
                Reached::Fired => return None,
                Reached::Nothing => (Gate::Scope, "nothing was streamed".to_owned()),
                Reached::Gate(gate, why) => (gate, why),
            };
            let record = ledger.record(&rule.name).filter(|_| gate == Gate::Repeat);
            let why = match record {
                None => why,
                Some(record) => {
                    let when = if record.restored { "in an earlier session" } else { "in this run" };
                    match settings.repeat_mode {
                        RepeatMode::Once => format!("it matches, and was injected {when}, at turn {}", record.turn),
                        RepeatMode::AfterGap => format!(
                            "it matches, and was injected {when}, at turn {}; now is turn {}, the gap is {}",
                            record.turn,
                            ledger.turns(),
                            settings.repeat_gap
                        ),
                    }
                }
            };
            Some(Explanation { rule: rule.name.clone(), gate, why, record })
        });
        explained.collect()
    }

    fn reach(&mut self, rule: usize, gate: Gate, why: impl FnOnce() -> String) {
        let further = match &self.reached[rule] {
            Reached::Nothing => true,
            Reached::Gate(before, _) => gate > *before,
            Reached::Fired => false,
        };
        if further {
            self.reached[rule] = Reached::Gate(gate, why());
        }
    }
}

/// What was streamed, for people.
fn streamed(context: &Context) -> String {
    let path = context.paths.first().map(|path| format!(" with `{path}`")).unwrap_or_default();
    match (context.source, &context.tool) {
        (Source::Text, _) => "prose".to_owned(),
        (Source::Thinking, _) => "thinking".to_owned(),
        (Source::Tool, Some(tool)) => format!("a call of `{tool}`{path}"),
        (Source::Tool, None) => format!("a call{path}"),
    }
}

fn paths_phrase(paths: &[JsString], source: Source) -> String {
    match (paths.first(), source) {
        (Some(path), _) => format!("its globs exclude `{path}`"),
        (None, Source::Tool) => "the call names no file, and the rule has globs".to_owned(),
        (None, _) => "prose has no file, and the rule has globs".to_owned(),
    }
}
