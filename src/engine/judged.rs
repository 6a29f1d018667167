//! Which judged rules a finished output is put to (generation-v4.md W6.1).

use std::sync::Arc;

use crate::ast::{self, Outcome, Snapshot, Support};
use crate::message::Source;
use crate::pattern::{Buffer, Pattern, PatternSet, Scanner, Verdict};
use crate::rule::CompiledRule;
use crate::text::JsString;

use super::{By, Context, Manager, Undecided};

/// The gates of all judged rules. They look at finished outputs, never at a stream.
#[derive(Debug)]
pub(super) struct Gates {
    scanner: Scanner,
    /// Per pattern of the scanner's set: the rule that it belongs to.
    owners: Vec<usize>,
    has_rules: bool,
}

impl Gates {
    pub(super) fn new(rules: &[CompiledRule]) -> Self {
        let mut owners = Vec::new();
        let mut patterns: Vec<Pattern> = Vec::new();
        for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.is_judged()) {
            for (_, pattern) in &rule.conditions {
                owners.push(index);
                patterns.push(pattern.clone());
            }
        }
        let has_rules = rules.iter().any(CompiledRule::is_judged);
        Self { scanner: Scanner::new(Arc::new(PatternSet::new(patterns))), owners, has_rules }
    }
}

/// Which rules a judge is asked about, for one output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Indices of the rules among [`Manager::rules`], in registration order.
    pub rules: Vec<usize>,
    /// Gates that could not be decided: whether the rule is asked about is not known.
    pub undecided: Vec<Undecided>,
    /// How long the agent is busy with the gates, in steps that it takes one after the other: two for each rule that the
    /// repeat policy, the scope and the globs let through without a gate, one for each with a gate (as recorded).
    pub steps: usize,
    /// Whether structural patterns were run.
    pub parsed: bool,
}

/// What a rule's gate says.
enum Gate {
    Passes,
    Blocks,
    Undecided(By, String),
}

impl Manager {
    /// Whether any rule is judged.
    pub fn has_judged_rules(&self) -> bool {
        self.gates.has_rules
    }

    /// The judged rules whose repeat policy, scope, globs and gate let this finished output through.
    pub fn ask(&mut self, context: &Context, content: &[u16]) -> Asked {
        let mut asked = Asked::default();
        if !self.is_enabled() || !self.gates.has_rules {
            return asked;
        }
        let candidates: Vec<usize> = (0..self.rules().len())
            .filter(|&rule| self.rules()[rule].is_judged() && self.may_trigger(rule) && self.passes(rule, context))
            .collect();
        let gated = |rule: &usize| self.rules()[*rule].has_gate();
        asked.steps = candidates.iter().map(|rule| if gated(rule) { 1 } else { 2 }).sum();
        if !candidates.iter().any(gated) {
            asked.rules = candidates;
            return asked;
        }
        let mut buffer = Buffer::new();
        self.gates.scanner.append(&mut buffer, content);
        let verdicts = self.gates.scanner.verdicts(&mut buffer);
        let mut gates: Vec<Gate> = candidates.iter().map(|&rule| self.text_gate(rule, &verdicts)).collect();
        let parsed: Vec<usize> = (0..candidates.len())
            .filter(|&at| !matches!(gates[at], Gate::Passes) && !self.rules()[candidates[at]].ast.is_empty())
            .collect();
        let rules: Vec<usize> = parsed.iter().map(|&at| candidates[at]).collect();
        for (at, outcome) in parsed.into_iter().zip(self.ast_gates(context, content, &rules)) {
            asked.parsed = true;
            let by = || By::Ast(self.rules()[candidates[at]].ast.first().cloned().unwrap_or_default());
            match outcome {
                Outcome::Match(_) => gates[at] = Gate::Passes,
                Outcome::NoMatch => {}
                Outcome::NoGrammar => {
                    gates[at] = Gate::Undecided(by(), "this build has no grammar for the file".to_owned());
                }
                Outcome::Undecided(why) => gates[at] = Gate::Undecided(by(), why),
            }
        }
        for (rule, gate) in candidates.into_iter().zip(gates) {
            match gate {
                Gate::Passes => asked.rules.push(rule),
                Gate::Blocks => {}
                Gate::Undecided(by, why) => {
                    asked.undecided.push(Undecided { rule: self.rules()[rule].name.clone(), by, why });
                }
            }
        }
        asked
    }

    /// What the regular expressions of a rule say.
    fn text_gate(&self, rule: usize, verdicts: &[(usize, Verdict)]) -> Gate {
        let compiled = &self.rules()[rule];
        let mut own = verdicts.iter().filter(|(pattern, _)| self.gates.owners[*pattern] == rule);
        if !compiled.has_gate() || own.clone().any(|(_, verdict)| verdict.is_match()) {
            return Gate::Passes;
        }
        let by = |source: JsString, pattern| By::Condition { source, pattern: self.patterns().len() + pattern };
        if let Some(&(pattern, _)) = own.next() {
            let source = self.gates.scanner.set().pattern(pattern).map(|pattern| pattern.source().clone());
            let why = "the condition ran out of its step budget on this text";
            return Gate::Undecided(by(source.unwrap_or_default(), pattern), why.to_owned());
        }
        match compiled.undecidable.first() {
            Some(source) => {
                let why = "the condition is beyond what this program evaluates";
                Gate::Undecided(by(source.clone(), self.gates.owners.len()), why.to_owned())
            }
            None => Gate::Blocks,
        }
    }

    /// What the structural patterns of the rules say; nothing where no language is known or none is wanted.
    fn ast_gates(&mut self, context: &Context, content: &[u16], rules: &[usize]) -> Vec<Outcome> {
        let language = ast::language_of(&context.paths).filter(|alias| ast::support(alias) != Support::Refused);
        match language {
            Some(alias) if context.source == Source::Tool && !rules.is_empty() => {
                self.ast.run(&mut Snapshot::new(), &alias, content, 0, rules)
            }
            _ => Vec::new(),
        }
    }
}
