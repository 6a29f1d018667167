//! [`AstSet`]: the AST conditions of all rules, run over one snapshot at a time.

use std::collections::HashMap;
use std::sync::Arc;

use memchr::memmem::Finder;

use super::document::Document;
use super::grammar::Grammar;
use super::language::{Resolved, resolve};
use super::outcome::{Hit, Outcome};
use super::pattern::{Compiled, Ready};
use super::prefix::Prefixes;
use super::reuse::{Earlier, Place};
use super::search::{Search, Wanted};
use super::snapshot::{CurrentTree, Known, Snapshot};
use crate::text::JsString;

/// The AST patterns of all rules, compiled once for each language that comes up.
#[derive(Debug)]
pub struct AstSet {
    /// The patterns of each rule, trimmed; blank ones are empty.
    rules: Vec<Vec<String>>,
    languages: HashMap<Grammar, Patterns>,
}

/// What was compiled for one language.
#[derive(Default)]
struct Patterns {
    compiled: Vec<Compiled>,
    by_source: HashMap<String, usize>,
    finders: Vec<Finder<'static>>,
    finder_of: HashMap<String, usize>,
    /// Finders of each pattern's literals.
    literals: Vec<Vec<usize>>,
    /// How the patterns that were looked for last begin, with their numbers.
    prefixes: (Vec<usize>, Prefixes),
    /// Pattern numbers of each rule, none for blank patterns; none for rules that were not candidates yet.
    rules: Vec<Option<Vec<Option<usize>>>>,
}

impl std::fmt::Debug for Patterns {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Patterns").field("sources", &self.by_source).finish_non_exhaustive()
    }
}

impl Patterns {
    /// The numbers of a rule's patterns, compiled at the first call.
    fn of_rule(&mut self, rule: usize, sources: &[String], grammar: Grammar) -> &[Option<usize>] {
        if self.rules.len() <= rule {
            self.rules.resize_with(rule + 1, || None);
        }
        if self.rules[rule].is_none() {
            let numbers = sources.iter().map(|source| (!source.is_empty()).then(|| self.number(source, grammar)));
            self.rules[rule] = Some(numbers.collect());
        }
        self.rules[rule].as_deref().unwrap_or_default()
    }

    fn number(&mut self, source: &str, grammar: Grammar) -> usize {
        if let Some(&number) = self.by_source.get(source) {
            return number;
        }
        let number = self.compiled.len();
        let compiled = Compiled::new(source, grammar);
        let literals = if let Compiled::Pattern(ready) = &compiled { ready.literals.as_slice() } else { &[] };
        let literals = literals.iter().map(|literal| self.finder(literal)).collect();
        self.literals.push(literals);
        self.compiled.push(compiled);
        self.by_source.insert(source.to_owned(), number);
        number
    }

    fn finder(&mut self, literal: &str) -> usize {
        if let Some(&finder) = self.finder_of.get(literal) {
            return finder;
        }
        self.finders.push(Finder::new(literal).into_owned());
        self.finder_of.insert(literal.to_owned(), self.finders.len() - 1);
        self.finders.len() - 1
    }

    /// Sees to it that the prefixes are those of these patterns. A text that grows asks for the same ones again and
    /// again.
    fn prepare(&mut self, mut numbers: Vec<usize>) {
        numbers.sort_unstable();
        numbers.dedup();
        if self.prefixes.0 != numbers {
            let begin = |&number: &usize| {
                let ready = self.ready(number)?;
                Some((number, &ready.pattern.node, ready.repeats))
            };
            let prefixes = Prefixes::new(numbers.iter().filter_map(begin));
            self.prefixes = (numbers, prefixes);
        }
    }

    fn ready(&self, number: usize) -> Option<&Ready> {
        if let Compiled::Pattern(ready) = &self.compiled[number] { Some(ready) } else { None }
    }
}

impl AstSet {
    /// One list of patterns a rule; a rule is addressed by its index. Blank patterns never match. Nothing is compiled
    /// before a run needs it.
    pub fn new(rules: Vec<Vec<JsString>>) -> Self {
        let trimmed =
            |patterns: Vec<JsString>| patterns.iter().map(|pattern| pattern.trim().to_string_lossy()).collect();
        Self { rules: rules.into_iter().map(trimmed).collect(), languages: HashMap::new() }
    }

    /// Runs the `candidates` (rule indices) over `source` and gives one outcome a candidate, in order. The snapshot is
    /// parsed at most once, or twice when something matches. `unchanged` is the number of leading units known to equal
    /// the snapshot's last text; 0 is always right.
    pub fn run(
        &mut self,
        snapshot: &mut Snapshot,
        alias: &JsString,
        source: &[u16],
        unchanged: usize,
        candidates: &[usize],
    ) -> Vec<Outcome> {
        let all = |outcome: Outcome| vec![outcome; candidates.len()];
        let grammar = match resolve(alias) {
            Resolved::Grammar(grammar) => grammar,
            Resolved::Refused => {
                snapshot.forget(source);
                return all(Outcome::NoMatch);
            }
            Resolved::Lacking => {
                snapshot.forget(source);
                let has_pattern = |rule: &usize| {
                    self.rules.get(*rule).is_some_and(|patterns| patterns.iter().any(|pattern| !pattern.is_empty()))
                };
                let outcome = |rule| if has_pattern(rule) { Outcome::NoGrammar } else { Outcome::NoMatch };
                return candidates.iter().map(outcome).collect();
            }
        };
        snapshot.set(source, unchanged, grammar);
        let patterns = self.languages.entry(grammar).or_default();
        let mut run = Run { snapshot, patterns, grammar, asked: Vec::new() };
        for &rule in candidates {
            run.ask(rule, self.rules.get(rule).map(Vec::as_slice).unwrap_or_default());
        }
        run.search();
        run.asked.into_iter().map(|asked| asked.outcome).collect()
    }
}

/// One call of [`AstSet::run`].
struct Run<'a> {
    snapshot: &'a mut Snapshot,
    patterns: &'a mut Patterns,
    grammar: Grammar,
    asked: Vec<Asked>,
}

/// A candidate rule.
struct Asked {
    /// Its patterns that may match, with their place in the rule's list.
    open: Vec<(usize, usize)>,
    /// Its patterns that cannot match, as their literal does not occur.
    closed: Vec<usize>,
    outcome: Outcome,
}

impl Asked {
    /// The number of the pattern at this place.
    fn number_of(&self, place: usize) -> Option<usize> {
        self.open.iter().find(|(at, _)| *at == place).map(|(_, number)| *number)
    }
}

impl Run<'_> {
    /// Finds out what can be said without a tree.
    fn ask(&mut self, rule: usize, sources: &[String]) {
        let mut asked = Asked { open: Vec::new(), closed: Vec::new(), outcome: Outcome::NoMatch };
        let numbers = self.patterns.of_rule(rule, sources, self.grammar).to_vec();
        for (at, number) in numbers.into_iter().enumerate() {
            let Some(number) = number else { continue };
            match &self.patterns.compiled[number] {
                Compiled::Broken(_) => {}
                Compiled::TooLarge(why) => asked.outcome = Outcome::Undecided(why.clone()),
                Compiled::AnyTree => {
                    let range = 0..self.snapshot.unit_range(0..usize::MAX).end;
                    asked.outcome = Outcome::Match(Hit { pattern: at, range });
                    asked.open.clear();
                    break;
                }
                Compiled::Pattern(_) => {
                    let Patterns { finders, literals, .. } = &*self.patterns;
                    let occurs = |&literal: &usize| self.snapshot.has_literal(literal, &finders[literal]);
                    if literals[number].iter().all(occurs) {
                        asked.open.push((at, number));
                    } else {
                        asked.closed.push(number);
                    }
                }
            }
        }
        self.asked.push(asked);
    }

    fn search(&mut self) {
        let mut rules: Vec<usize> = (0..self.asked.len()).filter(|&at| !self.asked[at].open.is_empty()).collect();
        if rules.is_empty() {
            return;
        }
        let current = match self.snapshot.tree() {
            Ok(current) => current,
            Err(why) => return self.give_up(&why.to_string()),
        };
        let mut known = Known::default();
        known.absent.extend(self.asked.iter().flat_map(|asked| &asked.closed));
        rules.retain(|&at| !self.still_matches(at, &current, &mut known));
        let first = self.search_tree(&rules, &current);
        let (found, others): (Vec<_>, Vec<_>) = first.into_iter().partition(|(_, wanted)| wanted.is_found());
        self.note(&others, &mut known);
        if current.earlier.is_none() || found.is_empty() {
            self.note(&found, &mut known);
            return self.snapshot.keep(current.tree, known);
        }
        // An edited tree is not promised to equal a fresh one where the source has errors.
        let fresh = match self.snapshot.fresh_tree() {
            Ok(fresh) => fresh,
            Err(why) => return self.give_up(&why.to_string()),
        };
        let found: Vec<usize> = found.into_iter().map(|(at, _)| at).collect();
        let second = self.search_tree(&found, &fresh);
        self.note(&second, &mut known);
        self.snapshot.keep(fresh.tree, known);
    }

    /// Whether a node that matched at the last snapshot stands in the present one.
    fn still_matches(&mut self, at: usize, current: &CurrentTree, known: &mut Known) -> bool {
        let stands = |node: &&Place| {
            let shares = |earlier: &Earlier| earlier.shares(&current.tree, node);
            node.bytes.end < current.changed_from || current.earlier.as_ref().is_some_and(shares)
        };
        let node_of = |number| current.known.present.get(number).filter(stands);
        let same =
            self.asked[at].open.iter().find_map(|(place, number)| Some((*place, *number, node_of(number)?.clone())));
        let Some((pattern, number, node)) = same else {
            return false;
        };
        let range = self.snapshot.unit_range(node.bytes.clone());
        self.asked[at].outcome = Outcome::Match(Hit { pattern, range });
        known.present.insert(number, node);
        true
    }

    /// Looks for the open patterns of these rules.
    fn search_tree(&mut self, rules: &[usize], current: &CurrentTree) -> Vec<(usize, Wanted)> {
        let document = Document::new(Arc::clone(self.snapshot.text()), current.tree.clone(), self.grammar);
        let open = rules.iter().flat_map(|&at| &self.asked[at].open);
        self.patterns.prepare(open.map(|(_, number)| *number).collect());
        let mut search = Search::new(&self.patterns.prefixes.1);
        let mut wanted = Vec::new();
        for &at in rules {
            let group = search.group();
            for &(place, number) in &self.asked[at].open {
                if let Some(ready) = self.patterns.ready(number) {
                    search.add(group, place, number, ready, current.known.absent.contains(&number));
                }
            }
            wanted.push(at);
        }
        let mut cost = 0;
        let found = search.run(document, current, &mut cost);
        self.snapshot.spend(cost);
        wanted.into_iter().zip(found).collect()
    }

    /// Takes over the results of these rules.
    fn note(&mut self, results: &[(usize, Wanted)], known: &mut Known) {
        for (at, wanted) in results {
            let asked = &mut self.asked[*at];
            if let Some((pattern, node)) = &wanted.found {
                known.present.extend(asked.number_of(*pattern).map(|number| (number, node.clone())));
                let range = self.snapshot.unit_range(node.bytes.clone());
                asked.outcome = Outcome::Match(Hit { pattern: *pattern, range });
            } else if let Some(why) = wanted.undecided {
                asked.outcome = Outcome::Undecided(why.to_owned());
            } else {
                known.absent.extend(asked.open.iter().map(|(_, number)| number));
            }
        }
    }

    fn give_up(&mut self, why: &str) {
        for asked in self.asked.iter_mut().filter(|asked| !asked.open.is_empty()) {
            asked.outcome = Outcome::Undecided(why.to_owned());
        }
    }
}

/// Why a pattern does not compile for a language that this build has a grammar for; `None` when it compiles, is blank,
/// or there is no grammar.
pub fn check_pattern(alias: &JsString, pattern: &JsString) -> Option<String> {
    let Resolved::Grammar(grammar) = resolve(alias) else {
        return None;
    };
    let source = pattern.trim().to_string_lossy();
    if source.is_empty() {
        return None;
    }
    match Compiled::new(&source, grammar) {
        Compiled::Broken(why) | Compiled::TooLarge(why) => Some(why),
        Compiled::Pattern(_) | Compiled::AnyTree => None,
    }
}
