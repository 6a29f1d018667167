//! [`Manager`]: registered rules, their buffers, the three checks (engine.md E5.3 to E5.8).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::ast::{self, AstSet, Outcome, Snapshot, Support};
use crate::generation::Semantics;
use crate::message::Source;
use crate::pattern::{Buffer, Pattern, PatternMask, PatternSet, Scanner, Verdict};
use crate::rule::CompiledRule;
use crate::settings::Settings;
use crate::text::JsString;
use crate::text::json::Value;

use super::excerpt::excerpt;
use super::explain::Explain;
use super::judged::Gates;
use super::streams::Keyed;
use super::{By, Check, Context, Hit, Ledger, Match, Record, Subject, Undecided, Warm};

/// Registered rules, the buffers of the streams, and the repeat ledger.
///
/// Conditions of all rules are joined into one set and each code unit is read once per buffer; the gates of a rule
/// are asked only where one of its conditions matches.
#[derive(Debug)]
pub struct Manager {
    pub(super) settings: Settings,
    pub(super) semantics: Semantics,
    pub(super) rules: Arc<[CompiledRule]>,
    /// Per pattern of the set: the rule that it belongs to.
    pub(super) owners: Vec<usize>,
    /// The patterns of rules that the repeat policy lets through; none when that may have changed.
    counting: Option<PatternMask>,
    pub(super) scanner: Scanner,
    pub(super) streams: Keyed<Stream>,
    pub(super) ast: AstSet,
    pub(super) gates: Gates,
    ast_streams: Keyed<AstStream>,
    has_ast: bool,
    prose_allowed: [bool; 2],
    pub(super) ledger: Ledger,
    pub(super) explain: Option<Explain>,
    /// Who gets scanner and structural patterns back.
    warm: Warm,
}

impl Drop for Manager {
    fn drop(&mut self) {
        let scanner = std::mem::replace(&mut self.scanner, Scanner::retired());
        let ast = std::mem::replace(&mut self.ast, AstSet::new(Vec::new()));
        self.warm.give_back(scanner, ast);
    }
}

/// One buffer key.
#[derive(Debug, Default)]
pub(super) struct Stream {
    pub(super) buffer: Buffer,
    /// Whether the last thing done was to replace the text, so that a snapshot's `unchanged` speaks of it.
    replaced: bool,
    /// Matches that stand whatever follows, for excerpts.
    spans: HashMap<usize, Range<usize>>,
    /// Patterns reported as undecided.
    undecided: HashSet<usize>,
}

/// The AST memory of one buffer key.
#[derive(Debug, Default)]
struct AstStream {
    snapshot: Snapshot,
    /// Leading units in which the last evaluated snapshot and the present text buffer agree, when known.
    unchanged: Option<usize>,
    /// Whether the text buffer was replaced since the last AST check.
    fresh: bool,
    /// Rules reported as undecided.
    undecided: HashSet<usize>,
}

impl Manager {
    /// Takes rules in registration order.
    pub fn new(rules: Vec<CompiledRule>, settings: Settings, semantics: Semantics) -> Self {
        Self::with(rules.into(), settings, semantics, &Warm::default())
    }

    /// Takes rules in registration order, and what earlier managers of the same rules have left.
    pub fn with(rules: Arc<[CompiledRule]>, settings: Settings, semantics: Semantics, warm: &Warm) -> Self {
        let mut owners = Vec::new();
        let mut patterns: Vec<Pattern> = Vec::new();
        for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| !rule.is_judged()) {
            for (_, pattern) in &rule.conditions {
                owners.push(index);
                patterns.push(pattern.clone());
            }
        }
        let lists: Vec<Vec<JsString>> = rules.iter().map(|rule| rule.ast.clone()).collect();
        let streams = || rules.iter().filter(|rule| !rule.is_judged());
        let allowed = |source| streams().any(|rule| rule.allows(source, None, &[]));
        let (scanner, ast) = warm.take(patterns, lists);
        Self {
            prose_allowed: [allowed(Source::Text), allowed(Source::Thinking)],
            has_ast: semantics.ast && streams().any(|rule| !rule.ast.is_empty()),
            gates: Gates::new(&rules),
            scanner,
            ast,
            owners,
            counting: None,
            rules,
            settings,
            semantics,
            streams: Keyed::default(),
            ast_streams: Keyed::default(),
            ledger: Ledger::default(),
            explain: None,
            warm: warm.clone(),
        }
    }

    /// The rules in registration order.
    pub fn rules(&self) -> &[CompiledRule] {
        &self.rules
    }

    /// The joined conditions; a [`By::Condition`] names one by index.
    pub fn patterns(&self) -> &Arc<PatternSet> {
        self.scanner.set()
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The settings in force, to be changed while a run goes on; rules stay registered.
    #[cfg(feature = "internals")]
    pub fn settings_mut(&mut self) -> &mut Settings {
        self.counting = None;
        &mut self.settings
    }

    /// The generation that is reproduced.
    pub fn semantics(&self) -> &Semantics {
        &self.semantics
    }

    /// Turn counter and injection records.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The present text of a buffer.
    pub fn buffer(&self, key: &JsString) -> Option<&[u16]> {
        self.streams.get(key).map(|stream| stream.buffer.text())
    }

    /// Steps that the conditions which need backtracking have taken so far; see [`Scanner::backtracking_steps`].
    pub fn backtracking_steps(&self) -> u64 {
        self.scanner.backtracking_steps()
    }

    /// Whether any rule that is matched against streams has structural patterns that count.
    pub fn has_ast_rules(&self) -> bool {
        self.has_ast
    }

    /// Records names as injected now.
    pub fn mark(&mut self, names: impl IntoIterator<Item = JsString>) {
        self.ledger.mark(names);
        self.counting = None;
    }

    /// Restores names that an earlier session injected.
    pub fn restore(&mut self, names: impl IntoIterator<Item = JsString>) {
        self.ledger.restore(names);
        self.counting = None;
    }

    /// Forgets what was injected, so that every rule may trigger.
    pub fn rearm(&mut self) {
        self.ledger.forget();
        self.counting = None;
    }

    /// Takes a mark back unless another one was made since (engine.md E11 G33).
    pub fn undo_mark(&mut self, name: &JsString, before: Option<Record>, after: Option<Record>) {
        self.ledger.undo(name, before, after);
        self.counting = None;
    }

    /// Counts a turn end.
    pub fn turn_end(&mut self) {
        self.ledger.turn_end();
        self.counting = None;
    }

    /// Drops all buffers and AST snapshots (engine.md E5.3).
    pub fn reset_buffers(&mut self) {
        self.streams.clear();
        self.ast_streams.clear();
    }

    /// Starts to collect, per rule, the gate that holds it back.
    pub fn explain(&mut self) {
        self.explain = Some(Explain::new(self.rules.len()));
    }

    /// Whether explanations are collected.
    pub fn is_explained(&self) -> bool {
        self.explain.is_some()
    }

    /// Says what the text of a context is that is checked, and of a finished call which arguments it has as JSON. Only
    /// explanations make use of it.
    pub fn tell_subject(&mut self, context: &Context, subject: Subject, arguments: Option<&Value>) {
        if let Some(explain) = &mut self.explain {
            explain.subject(context, subject, arguments.map(|value| JsString::from(value.stringify())));
        }
    }

    /// The call of this context shows files now, so that what was checked of it before is void. Only explanations make
    /// use of it.
    pub fn tell_files(&mut self, call: &Context) {
        if let Some(explain) = &mut self.explain {
            explain.supersede(call);
        }
    }

    /// There is text that this generation does not look at. Only explanations make use of it.
    pub fn tell_unwatched(&mut self, context: &Context) {
        if let Some(explain) = &mut self.explain {
            explain.see(context);
        }
    }

    /// Appends a delta to the context's buffer and matches the whole buffer (engine.md E5.4).
    pub fn check_delta(&mut self, context: &Context, delta: &[u16]) -> Check {
        let buffered = match context.source {
            Source::Text => self.prose_allowed[0],
            Source::Thinking => self.prose_allowed[1],
            Source::Tool => true,
        };
        if !self.is_enabled() {
            return Check::default();
        }
        if !buffered {
            // No rule's scope lets such text in; explanations say what would match in it.
            if let Some(explain) = &mut self.explain {
                explain.see(context);
                if !self.semantics.single_buffer {
                    let key = self.key(context);
                    self.scanner.append(&mut self.streams.entry(&key).buffer, delta);
                }
            }
            return Check::default();
        }
        let key = self.key(context);
        if let Some(ast) = self.ast_streams.get_mut(&key) {
            ast.unchanged = None;
        }
        let stream = self.streams.entry(&key);
        self.scanner.append(&mut stream.buffer, delta);
        stream.replaced = false;
        self.check(context, &key)
    }

    /// Replaces the context's buffer and matches it. The first `unchanged` units are known to equal those of the
    /// last snapshot of the same buffer; 0 is always right.
    pub fn check_snapshot(&mut self, context: &Context, text: &[u16], unchanged: usize) -> Check {
        if !self.is_enabled() {
            return Check::default();
        }
        let key = self.key(context);
        let stream = self.streams.entry(&key);
        let unchanged = if stream.replaced { unchanged } else { 0 };
        self.scanner.replace(&mut stream.buffer, text, unchanged);
        stream.replaced = true;
        stream.spans.retain(|_, span| span.end <= unchanged);
        if self.has_ast && context.source == Source::Tool {
            let ast = self.ast_streams.entry(&key);
            ast.unchanged = ast.unchanged.map(|known| known.min(unchanged));
            ast.fresh = true;
        }
        self.check(context, &key)
    }

    /// Runs structural patterns on a snapshot of a tool call (engine.md E5.4, E5.7, E5.8).
    pub fn check_ast(&mut self, context: &Context, text: &[u16]) -> Check {
        let mut check = Check::default();
        if !self.is_enabled() || !self.has_ast || context.source != Source::Tool {
            return check;
        }
        let key = self.key(context);
        let alias = ast::language_of(&context.paths);
        let reachable: Vec<usize> = (0..self.rules.len())
            .filter(|&rule| !self.rules[rule].is_judged() && !self.rules[rule].ast.is_empty())
            .filter(|&rule| self.passes(rule, context))
            .collect();
        let Some(alias) = alias.filter(|alias| ast::support(alias) != Support::Refused) else {
            if let Some(explain) = &mut self.explain {
                reachable.iter().for_each(|&rule| explain.no_language(rule, &context.paths));
            }
            return check;
        };
        let (candidates, blocked): (Vec<usize>, Vec<usize>) =
            reachable.into_iter().partition(|&rule| self.may_trigger(rule));
        if let Some(explain) = self.explain.as_mut().filter(|_| !blocked.is_empty()) {
            let outcomes = self.ast.run(&mut Snapshot::new(), &alias, text, 0, &blocked);
            blocked.iter().zip(&outcomes).for_each(|(&rule, outcome)| explain.ast(rule, context, outcome, true));
        }
        if candidates.is_empty() {
            return check;
        }
        let stream = self.ast_streams.entry(&key);
        let fresh = std::mem::take(&mut stream.fresh);
        let unchanged = stream.unchanged.filter(|_| fresh).unwrap_or(0);
        stream.unchanged = fresh.then_some(usize::MAX);
        if stream.snapshot.holds(text) {
            return check;
        }
        let outcomes = self.ast.run(&mut stream.snapshot, &alias, text, unchanged, &candidates);
        for (&rule, outcome) in candidates.iter().zip(&outcomes) {
            if let Some(explain) = &mut self.explain {
                explain.ast(rule, context, outcome, false);
            }
            let name = &self.rules[rule].name;
            let why = match outcome {
                Outcome::NoMatch => continue,
                Outcome::Match(hit) => {
                    let excerpt = excerpt(text, &hit.range);
                    check.matches.push(Match {
                        rule,
                        hit: Hit {
                            rule: name.clone(),
                            by: By::Ast(self.rules[rule].ast.get(hit.pattern).cloned().unwrap_or_default()),
                            excerpt: excerpt.text,
                            marked: Some(excerpt.marked),
                            buffer: key.clone().into_owned(),
                            seen: text.len(),
                            span: Some(hit.range.clone()),
                        },
                    });
                    continue;
                }
                Outcome::NoGrammar => format!("this build has no grammar for `{alias}`"),
                Outcome::Undecided(why) => why.clone(),
            };
            if stream.undecided.insert(rule) {
                let by = By::Ast(self.rules[rule].ast.first().cloned().unwrap_or_default());
                check.undecided.push(Undecided { rule: name.clone(), by, why });
            }
        }
        check
    }

    /// Matches the buffer of `key` as it stands.
    fn check(&mut self, context: &Context, key: &JsString) -> Check {
        let mut check = Check::default();
        self.count_patterns();
        let Some(stream) = self.streams.get_mut(key) else { return check };
        // Explanations want to know of rules too that matched and were held back.
        let mask = if self.explain.is_some() { None } else { self.counting.as_ref() };
        let mut verdicts = self.scanner.verdicts_among(&mut stream.buffer, mask);
        verdicts.retain(|(_, verdict)| *verdict != Verdict::No);
        if let Some(explain) = &mut self.explain {
            explain.see(context);
        }
        let mut rest = verdicts.as_slice();
        while let Some(&(first, _)) = rest.first() {
            let rule = self.owners[first];
            let length = rest.iter().take_while(|(pattern, _)| self.owners[*pattern] == rule).count();
            let (own, others) = rest.split_at(length);
            rest = others;
            if !self.passes(rule, context) {
                continue;
            }
            if !self.may_trigger(rule) {
                if let Some(explain) = self.explain.as_mut().filter(|_| own.iter().any(|(_, v)| v.is_match())) {
                    explain.held(rule, context);
                }
                continue;
            }
            let hit = own.iter().find(|(_, verdict)| verdict.is_match());
            let Some(&(pattern, verdict)) = hit else {
                check.undecided.extend(own.iter().filter_map(|&(pattern, _)| self.undecided(key, rule, pattern)));
                continue;
            };
            if let Some(explain) = &mut self.explain {
                explain.fired(rule);
            }
            check.matches.push(self.hit(key, rule, pattern, verdict));
        }
        check
    }

    /// Finds out which patterns belong to rules that may trigger, so that the others cost nothing.
    fn count_patterns(&mut self) {
        if self.counting.is_some() {
            return;
        }
        let mut counting = PatternMask::new();
        for (pattern, &rule) in self.owners.iter().enumerate() {
            if self.may_trigger(rule) {
                counting.insert(pattern);
            }
        }
        self.counting = Some(counting);
    }

    fn hit(&mut self, key: &JsString, rule: usize, pattern: usize, verdict: Verdict) -> Match {
        let set = self.scanner.set();
        let stream = self.streams.entry(key);
        let span = stream.spans.get(&pattern).cloned().or_else(|| set.find(pattern, stream.buffer.text()));
        if verdict == Verdict::Confirmed
            && let Some(span) = &span
        {
            stream.spans.insert(pattern, span.clone());
        }
        let text = stream.buffer.text();
        let end = text.len();
        let excerpt = excerpt(text, span.as_ref().unwrap_or(&(end..end)));
        let hit = Hit {
            rule: self.rules[rule].name.clone(),
            by: By::Condition {
                source: set.pattern(pattern).map(|pattern| pattern.source().clone()).unwrap_or_default(),
                pattern,
            },
            excerpt: excerpt.text,
            marked: span.is_some().then_some(excerpt.marked),
            buffer: key.clone(),
            seen: end,
            span,
        };
        Match { rule, hit }
    }

    fn undecided(&mut self, key: &JsString, rule: usize, pattern: usize) -> Option<Undecided> {
        let stream = self.streams.get_mut(key)?;
        if !stream.undecided.insert(pattern) {
            return None;
        }
        let source = self.scanner.set().pattern(pattern)?.source().clone();
        if let Some(explain) = &mut self.explain {
            explain.fired(rule);
        }
        Some(Undecided {
            rule: self.rules[rule].name.clone(),
            by: By::Condition { source, pattern },
            why: "the condition ran out of its step budget on this text".to_owned(),
        })
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.settings.enabled || !self.semantics.enabled_gates
    }

    /// The buffer of a context: one for everything in the early generation.
    pub(super) fn key<'c>(&self, context: &'c Context) -> Cow<'c, JsString> {
        static SINGLE: JsString = JsString::new();
        if self.semantics.single_buffer { Cow::Borrowed(&SINGLE) } else { context.buffer_key() }
    }

    /// Whether the repeat policy lets a rule trigger now.
    pub fn may_trigger(&self, rule: usize) -> bool {
        self.ledger.allows(&self.rules[rule].name, &self.settings)
    }

    /// The gates of scope and globs (engine.md E3.3).
    pub(super) fn passes(&self, rule: usize, context: &Context) -> bool {
        self.rules[rule].allows(context.source, context.tool.as_ref(), &context.paths)
            && self.rules[rule].globs_allow(&context.paths)
    }
}
