//! The verdict samples of rule files (cli.md section 3, `--examples`): each through the engine as `replay --text` would
//! have it, and once more as it streams.
//!
//! The stream is cut behind every character, so that all beginnings of the text are decided in one pass. That is exact:
//! for prose the buffer then is the beginning itself, and a verdict on a buffer does not depend on how it came about.
//! For a call it is what the agent would see of arguments that arrive bit by bit; separate runs over each beginning
//! would not show that, since what a buffer holds before the call offers a digest depends on the deltas before.

use std::collections::HashSet;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::engine::Hit;
use crate::generation::Semantics;
use crate::lifecycle::{Action, Coordinator};
use crate::message::{AgentEvent, Source};
use crate::pattern::Ending;
use crate::rule::lint::{
    example_did_not_fire, example_fired, example_not_run, missing_examples, premature_example, undecided_example,
    untested_condition,
};
use crate::rule::{CompiledRule, Expected, Listed, RuleFile, RuleSet, Sample, Samples, condition_member};
use crate::settings::{InterruptMode, Settings};
use crate::stream::{ChunkMode, Chunker, Origin};
use crate::text::JsString;
use crate::tool::ArgumentMode;

use super::plan::Plan;
use super::text_turn::{TextInput, text_turn};
use crate::host::trace::Matched;

/// Backtracking steps that all beginnings of one sample may take together.
const BACKTRACKING_STEPS: u64 = 100_000_000;

/// Code units of the streamed text that a report shows before the place where a rule fired.
const SHOWN_UNITS: usize = 40;

/// What came of all samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Examples {
    /// One result per sample, in the order of the rules and then as written.
    pub results: Vec<Example>,
    /// What they say about the rules.
    pub diagnostics: Vec<Diagnostic>,
}

/// What came of one sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The rule.
    pub rule: JsString,
    /// Its file, for people.
    pub file: String,
    /// Line of the sample in it.
    pub line: usize,
    /// The sample.
    pub sample: Sample,
    /// What the rule did.
    pub verdict: Verdict,
    /// Whether it fired on a beginning of the text and not on all of it.
    pub premature: bool,
    /// Where it first fires while the text streams.
    pub at: Option<Moment>,
    /// The conditions that match.
    pub conditions: Vec<Matched>,
    /// Why it did not fire or could not be run, in a phrase.
    pub why: Option<String>,
}

/// What a rule does on a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It fires, on all of the text or on a beginning.
    Fired,
    /// It never fires.
    Silent,
    /// It cannot be told.
    Undecided,
    /// The rule is not registered.
    NotRun,
}

impl Verdict {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fired => "fired",
            Self::Silent => "silent",
            Self::Undecided => "undecided",
            Self::NotRun => "not-run",
        }
    }
}

/// A moment in a streaming sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Code units that have streamed: of the text, for a call of its arguments as JSON.
    pub units: usize,
    /// The last of them.
    pub after: JsString,
    /// Whether the call has ended.
    pub at_end: bool,
}

impl Example {
    /// Whether the rule does what the sample says.
    pub fn passed(&self) -> bool {
        match self.sample.expected {
            Expected::Fires => self.verdict == Verdict::Fired && !self.premature,
            Expected::Silent => self.verdict == Verdict::Silent,
        }
    }
}

impl Examples {
    /// Number of results that `holds` is true of.
    pub fn count(&self, holds: impl Fn(&Example) -> bool) -> usize {
        self.results.iter().filter(|one| holds(one)).count()
    }
}

/// Runs the samples of all rules of the set, each rule alone. With `required` each registered rule must have a sample
/// under `fires`, and a condition that no such sample makes match counts as a warning.
#[cfg(feature = "internals")]
pub fn run_examples(set: &RuleSet, settings: &Settings, semantics: &Semantics, required: bool) -> Examples {
    let mut examples = Examples::default();
    for listed in &set.inventory {
        run_examples_of(listed, set.compiled_of(listed), settings, semantics, required, &mut examples);
    }
    examples
}

/// As [`run_examples`], the samples of one rule and its registered form.
pub fn run_examples_of(
    listed: &Listed,
    compiled: Option<&CompiledRule>,
    settings: &Settings,
    semantics: &Semantics,
    required: bool,
    examples: &mut Examples,
) {
    let samples = listed.rule.samples();
    match compiled {
        Some(compiled) => Runner { listed, compiled, settings, semantics }.all(&samples, required, examples),
        None => not_run(listed, &samples, examples),
    }
}

/// The samples of a rule that is not registered.
fn not_run(listed: &Listed, samples: &Samples, examples: &mut Examples) {
    if samples.samples.is_empty() {
        return;
    }
    let why = listed.reason.as_ref().map_or_else(|| "it is not registered".to_owned(), ToString::to_string);
    let name = &listed.rule.name;
    let message = format!("the samples of the rule `{name}` cannot be run, since it is not registered: {why}");
    let help = "run them with the settings, the --agent and the --lifecycle that the rule is for";
    let place = samples.key.clone().unwrap_or_default();
    examples.diagnostics.push(finding(listed, example_not_run::CODE, message, place).with_help(help));
    examples.results.extend(samples.samples.iter().map(|sample| Example {
        verdict: Verdict::NotRun,
        why: Some(why.clone()),
        ..Example::new(listed, sample)
    }));
}

fn finding(listed: &Listed, code: Code, message: String, span: std::ops::Range<usize>) -> Diagnostic {
    match listed.rule.file.as_deref() {
        Some(file) => file.finding(code, message, span),
        None => Diagnostic::new(code, message),
    }
}

impl Example {
    fn new(listed: &Listed, sample: &Sample) -> Self {
        let file = listed.rule.file.as_deref();
        Self {
            rule: listed.rule.name.clone(),
            file: listed.rule.shown_file(),
            line: file.map_or(0, |file| file.place(sample.span.clone()).start.line),
            sample: sample.clone(),
            verdict: Verdict::Silent,
            premature: false,
            at: None,
            conditions: Vec::new(),
            why: None,
        }
    }
}

/// One registered rule.
struct Runner<'a> {
    listed: &'a Listed,
    compiled: &'a CompiledRule,
    settings: &'a Settings,
    semantics: &'a Semantics,
}

impl Runner<'_> {
    fn all(&self, samples: &Samples, required: bool, examples: &mut Examples) {
        let mut fired: Vec<Matched> = Vec::new();
        for sample in &samples.samples {
            let result = self.one(sample);
            examples.diagnostics.extend(self.about(&result));
            if sample.expected == Expected::Fires && !result.premature {
                fired.extend(result.conditions.iter().cloned());
            }
            examples.results.push(result);
        }
        if required && samples.samples.iter().all(|sample| sample.expected != Expected::Fires) {
            examples.diagnostics.push(self.missing(samples));
        } else if !samples.samples.is_empty() {
            for condition in self.conditions().filter(|condition| !fired.contains(condition)) {
                let severity = if required { Severity::Warning } else { untested_condition::CODE.severity() };
                examples.diagnostics.push(self.untested(&condition).with_severity(severity));
            }
        }
    }

    fn one(&self, sample: &Sample) -> Example {
        let input = TextInput {
            source: sample.source,
            tool: sample.tool.clone().unwrap_or_default(),
            path: sample.path.clone(),
            text: sample.text.clone(),
        };
        let whole = self.whole(&input);
        if let Some(question) = self.compiled.question.as_ref() {
            return self.judged(sample, whole, question);
        }
        let stream = self.stream(&input);
        let mut result = Example { at: stream.moment(), why: whole.why.clone(), ..Example::new(self.listed, sample) };
        result.verdict = match (whole.verdict(), stream.verdict()) {
            (Verdict::Fired, _) => Verdict::Fired,
            // Whether it is premature cannot be told; that it does not fire is wrong in any case.
            (Verdict::Undecided, _) if sample.expected == Expected::Fires => Verdict::Undecided,
            (Verdict::Undecided, Verdict::Silent) => Verdict::Undecided,
            (Verdict::Undecided, other) => other,
            // All of the text does not fire, so what a beginning does is another question.
            (_, Verdict::Undecided) if sample.expected == Expected::Fires => Verdict::Silent,
            (_, other) => other,
        };
        result.premature = result.verdict == Verdict::Fired && whole.verdict() == Verdict::Silent;
        match result.verdict {
            Verdict::Fired if whole.verdict() == Verdict::Fired => result.conditions = self.matching(&input),
            Verdict::Fired => result.conditions = stream.hits.iter().map(|hit| Matched::from(&hit.by)).collect(),
            Verdict::Undecided => result.why = whole.undecided.or(stream.undecided),
            Verdict::Silent | Verdict::NotRun => {}
        }
        if result.verdict == Verdict::Fired {
            result.why = None;
        }
        result
    }

    /// What a judged rule does: nobody is asked, so the sample itself says what a judge answers (generation-v4.md W6).
    fn judged(&self, sample: &Sample, whole: Seen, question: &JsString) -> Example {
        let is_asked = !whole.coordinator.open_asks().is_empty();
        let mut result = Example::new(self.listed, sample);
        (result.verdict, result.why) = match (is_asked, sample.answer) {
            (false, _) if whole.undecided.is_some() => (Verdict::Undecided, whole.undecided),
            (false, _) => (Verdict::Silent, whole.why.or_else(|| Some("no judge is asked about it".to_owned()))),
            (true, Some(true)) => (Verdict::Fired, None),
            (true, Some(false)) => (Verdict::Silent, Some("a judge is asked, and its `verdict` is no".to_owned())),
            (true, None) => {
                let why = "a judge is asked, and the sample does not say `verdict: yes` or `verdict: no`";
                (Verdict::Undecided, Some(why.to_owned()))
            }
        };
        if result.verdict == Verdict::Fired {
            result.conditions = vec![Matched::Question(question.clone())];
        }
        result
    }

    /// A plan that looks at a call after each character: where providers cut it and when the agent reads it again is
    /// not known.
    fn plan(&self, rules: Vec<CompiledRule>) -> Plan {
        let plan = Plan::new(rules, self.settings.clone(), self.semantics.clone());
        Plan { arguments: ArgumentMode::Eager, ..plan }
    }

    /// All of the text at once: what `replay --text` decides, and why the rule does not fire.
    fn whole(&self, input: &TextInput) -> Seen {
        let mut plan = self.plan(vec![self.compiled.clone()]);
        plan.explain = Some(None);
        let turn = text_turn(input);
        let mut seen = Seen::new(plan.coordinator(&plan.cwd));
        seen.begin();
        turn.events.iter().for_each(|(_, event)| seen.feed(&event));
        if let Some((_, message)) = turn.end {
            seen.feed(&AgentEvent::MessageEnd(message));
        }
        if seen.hits.is_empty() && !self.compiled.undecidable.is_empty() {
            let why = "a condition is valid and too large to evaluate: it is never tested";
            seen.undecided.get_or_insert_with(|| why.to_owned());
        }
        if input.source == Source::Thinking && !self.semantics.thinking {
            seen.why = Some("this lifecycle does not watch thinking".to_owned());
        } else if input.source != Source::Tool && !self.compiled.allows(input.source, None, &[]) {
            seen.why = Some(format!("its scope excludes {}", input.source.as_str()));
        }
        seen
    }

    /// The text character by character, up to the first decision that is not "no match".
    fn stream(&self, input: &TextInput) -> Seen {
        let plan = self.plan(vec![self.compiled.clone()]);
        let mut seen = Seen::new(plan.coordinator(&plan.cwd));
        seen.begin();
        let message = text_turn(input).end.map(|(_, message)| message);
        // A provider never cuts a pair of surrogates, so neither does this.
        let chunker = Chunker::new(ChunkMode::Chars(1));
        for (event, _) in message.iter().flat_map(|message| chunker.events(message, &Origin::default())) {
            seen.feed(&event);
            if !seen.hits.is_empty() || seen.undecided.is_some() {
                break;
            }
            if seen.coordinator.manager().backtracking_steps() > BACKTRACKING_STEPS {
                seen.undecided = Some("the beginnings of the text take too many backtracking steps".to_owned());
                break;
            }
        }
        seen
    }

    /// Every condition of the rule that matches the text: each as a rule of its own, none of which interrupts.
    fn matching(&self, input: &TextInput) -> Vec<Matched> {
        let bare = CompiledRule {
            conditions: Vec::new(),
            undecidable: Vec::new(),
            ast: Vec::new(),
            interrupt_mode: None,
            ..self.compiled.clone()
        };
        let conditions = self.compiled.conditions.iter().map(|condition| {
            let rule = CompiledRule { conditions: vec![condition.clone()], ..bare.clone() };
            (Matched::Condition(condition.0.clone()), rule)
        });
        let patterns = self.compiled.ast.iter().map(|pattern| {
            let rule = CompiledRule { ast: vec![pattern.clone()], ..bare.clone() };
            (Matched::Ast(pattern.clone()), rule)
        });
        let (conditions, mut rules): (Vec<Matched>, Vec<CompiledRule>) = conditions.chain(patterns).unzip();
        let name = |at: usize| JsString::from(at.to_string());
        rules.iter_mut().enumerate().for_each(|(at, rule)| rule.name = name(at));
        let mut plan = self.plan(rules);
        plan.settings.interrupt_mode = InterruptMode::Never;
        plan.observe = true;
        let mut seen = Seen::new(plan.coordinator(&plan.cwd));
        seen.begin();
        text_turn(input).events.iter().for_each(|(_, event)| seen.feed(&event));
        let fired: HashSet<&JsString> = seen.hits.iter().map(|hit| &hit.rule).collect();
        let all = conditions.into_iter().enumerate();
        all.filter(|(at, _)| fired.contains(&name(*at))).map(|(_, condition)| condition).collect()
    }

    /// The conditions that the agent tries.
    fn conditions(&self) -> impl Iterator<Item = Matched> {
        let rule = self.compiled;
        let question = rule.question.clone().map(Matched::Question);
        // Beside a question the conditions only choose what is asked about.
        let is_judged = question.is_some();
        let conditions = rule.conditions.iter().map(|(source, _)| source).chain(&rule.undecidable);
        let conditions = conditions.cloned().map(Matched::Condition).chain(rule.ast.iter().cloned().map(Matched::Ast));
        conditions.filter(move |_| !is_judged).chain(question)
    }

    /// What a result says about the rule, when it is not as expected.
    fn about(&self, result: &Example) -> Option<Diagnostic> {
        if result.passed() {
            return None;
        }
        let name = &result.rule;
        let why = result.why.as_deref().unwrap_or("nothing matches");
        let place = result.at.as_ref().map(|at| format!(", {}", at.phrase(result.sample.source))).unwrap_or_default();
        let by: Vec<String> = result.conditions.iter().map(|one| format!("`{}`", one.text().quotable())).collect();
        let by = format!("{} {}", by.join(", "), if by.len() == 1 { "matches" } else { "match" });
        let (code, message, help) = match (result.verdict, result.sample.expected) {
            (Verdict::Undecided, _) => (
                undecided_example::CODE,
                format!("whether the rule `{name}` fires on this sample cannot be told: {why}"),
                if self.compiled.is_judged() {
                    "say with `verdict` what a judge answers"
                } else {
                    "make the sample shorter or the condition simpler, or name a path of a language that this build parses"
                },
            ),
            (Verdict::Fired, Expected::Silent) if !result.premature => (
                example_fired::CODE,
                format!("the rule `{name}` fires on this sample{place}: {by}"),
                "narrow the condition or the scope, or list the sample under `fires`",
            ),
            (Verdict::Fired, expected) => {
                let what = match expected {
                    Expected::Fires => "fires on a beginning of this sample only",
                    Expected::Silent => "is silent on all of this sample, but fires while it streams",
                };
                (
                    premature_example::CODE,
                    format!("the rule `{name}` {what}{place}: {by} there"),
                    self.premature_help(&result.conditions),
                )
            }
            (Verdict::Silent | Verdict::NotRun, _) => (
                example_did_not_fire::CODE,
                format!("the rule `{name}` does not fire on this sample: {why}"),
                "widen the condition or the scope, or list the sample under `silent`",
            ),
        };
        Some(finding(self.listed, code, message, result.sample.span.clone()).with_help(help))
    }

    /// What to do about a match that a longer text undoes.
    fn premature_help(&self, matched: &[Matched]) -> &'static str {
        let is_unsettled = |source: &JsString| {
            let mut own = self.compiled.conditions.iter().filter(|(own, _)| own == source);
            own.any(|(_, pattern)| pattern.ending() != Ending::Settled)
        };
        match matched.first() {
            Some(Matched::Ast(_)) => "this lifecycle parses unfinished code: let the pattern name what must follow",
            Some(Matched::Condition(source)) if !is_unsettled(source) => {
                "before the text of a call begins, its arguments are matched as they stand: narrow the condition"
            }
            _ => "demand the character that ends the match instead of `$`, `\\b` or a negative look-ahead at the end",
        }
    }

    fn missing(&self, samples: &Samples) -> Diagnostic {
        let name = &self.listed.rule.name;
        let message = format!("the rule `{name}` has no sample that it must fire on");
        let file = self.listed.rule.file.as_deref();
        let frontmatter = || file?.frontmatter.as_ref();
        let question = || Some(frontmatter()?.member("question")?.key_span.clone());
        let condition = || condition_member(frontmatter()?).map(|member| member.key_span.clone()).or_else(question);
        let place = samples.key.clone().or_else(condition).unwrap_or_default();
        let help = "add `examples:` with a list `fires:` of texts, and one `silent:` of texts that look alike";
        finding(self.listed, missing_examples::CODE, message, place).with_help(help)
    }

    fn untested(&self, condition: &Matched) -> Diagnostic {
        let globs = &self.listed.rule.fields.glob_conditions;
        let (what, written) = match condition {
            Matched::Ast(pattern) => (format!("the structural pattern `{}`", pattern.quotable()), pattern),
            Matched::Condition(source) if *source == ".*" && !globs.is_empty() => {
                (format!("the file glob `{}`", globs[0].quotable()), &globs[0])
            }
            Matched::Condition(source) => (format!("the condition `{}`", source.quotable()), source),
            Matched::Question(question) => (format!("the question `{}`", question.quotable()), question),
        };
        let (message, help) = match condition {
            Matched::Question(_) => (
                format!("no sample under `fires` gets a yes to {what}"),
                "add a sample that a judge is asked about, with `verdict: yes`",
            ),
            _ => (
                format!("no sample under `fires` makes {what} match"),
                "add a sample that only this one matches, or remove it",
            ),
        };
        let located = self.listed.rule.file.as_deref().and_then(|file| locate(file, written, condition));
        finding(self.listed, untested_condition::CODE, message, located.unwrap_or_default()).with_help(help)
    }
}

/// Where a condition is written.
fn locate(file: &RuleFile, written: &JsString, condition: &Matched) -> Option<std::ops::Range<usize>> {
    let frontmatter = file.frontmatter.as_ref()?;
    let node = match condition {
        Matched::Ast(_) => frontmatter.get("astCondition")?,
        Matched::Question(_) => frontmatter.get("question")?,
        Matched::Condition(_) => &condition_member(frontmatter)?.value,
    };
    Some(file.locate(node, written, 0..written.len()))
}

/// What a coordinator has decided so far.
struct Seen {
    coordinator: Coordinator,
    hits: Vec<Hit>,
    undecided: Option<String>,
    /// The gate that held the rule back.
    why: Option<String>,
    units: usize,
    /// The end of what has streamed.
    tail: Vec<u16>,
    at_end: bool,
}

impl Seen {
    fn new(coordinator: Coordinator) -> Self {
        let tail = Vec::new();
        Self { coordinator, hits: Vec::new(), undecided: None, why: None, units: 0, tail, at_end: false }
    }

    fn begin(&mut self) {
        let start = AgentEvent::MessageStart { timestamp: None };
        [AgentEvent::AgentStart, AgentEvent::TurnStart, start].iter().for_each(|event| self.feed(event));
    }

    fn feed(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::TextDelta { delta, .. }
            | AgentEvent::ThinkingDelta { delta, .. }
            | AgentEvent::ToolCallDelta { delta, .. } => {
                self.units += delta.len();
                self.tail.extend_from_slice(delta.units());
                if self.tail.len() > 4 * SHOWN_UNITS {
                    self.tail.drain(..self.tail.len() - 2 * SHOWN_UNITS);
                }
            }
            AgentEvent::ToolCallEnd { .. } => self.at_end = true,
            _ => {}
        }
        for action in self.coordinator.handle(event) {
            match action {
                Action::Trigger(trigger) => self.hits.extend(trigger.by),
                Action::Undecided(undecided) => {
                    self.undecided.get_or_insert(undecided.why);
                }
                Action::Gate(gate) => self.why = Some(gate.why),
                _ => {}
            }
        }
    }

    fn verdict(&self) -> Verdict {
        if !self.hits.is_empty() {
            Verdict::Fired
        } else if self.undecided.is_some() {
            Verdict::Undecided
        } else {
            Verdict::Silent
        }
    }

    /// Where it fired, when it did and nothing was fed since.
    fn moment(&self) -> Option<Moment> {
        let mut start = self.tail.len().saturating_sub(SHOWN_UNITS);
        if self.tail.get(start).is_some_and(|unit| (0xDC00..0xE000).contains(unit)) {
            start += 1;
        }
        let after = JsString::from_units(&self.tail[start..]);
        (!self.hits.is_empty()).then_some(Moment { units: self.units, after, at_end: self.at_end })
    }
}

impl Moment {
    /// Where, in a phrase.
    pub fn phrase(&self, source: Source) -> String {
        if self.at_end {
            return "at the end of the call".to_owned();
        }
        let cut = if self.units > self.after.len() { "…" } else { "" };
        let of = if source == Source::Tool { " of its arguments" } else { "" };
        format!("after `{cut}{}`{of}", self.after)
    }
}
