//! From what was looked at to one reason for each rule.

use crate::ast;
use crate::engine::ledger::Record;
use crate::engine::{Explanation, Gate, Manager, Subject};
use crate::message::Source;
use crate::pattern::Verdict;
use crate::rule::CompiledRule;
use crate::settings::RepeatMode;
use crate::text::JsString;
use crate::text::json::{self, Value};

use super::words::{out_of_globs, out_of_scope};
use super::{Closest, Explain, Searched, Seen, Structural};

/// Steps of the backtracker for a text that is no text of the run.
const STEPS: u64 = 2_000_000;

/// How deep argument values are looked into.
const DEPTH: usize = 4;

/// How near a rule came in one text.
struct Near {
    gate: Gate,
    /// Among texts of one gate: how much of a match is there, or whether a file is known.
    closeness: usize,
    seen: usize,
}

impl Manager {
    /// Why each rule did not fire since the last call; empty unless explanations are collected.
    pub fn take_explanations(&mut self) -> Vec<Explanation> {
        let fresh = Explain::new(self.rules.len());
        let Some(explain) = self.explain.as_mut().map(|explain| std::mem::replace(explain, fresh)) else {
            return Vec::new();
        };
        let matching: Vec<Vec<usize>> = explain.seen.iter().map(|seen| self.matching(seen)).collect();
        // Streams are not matched against judged rules.
        (0..self.rules.len())
            .filter(|&rule| !self.rules[rule].is_judged() && !explain.rules[rule].fired)
            .map(|rule| self.explanation(&explain, &matching, rule))
            .collect()
    }

    /// The rules of which a condition matches a text as it stands.
    fn matching(&mut self, seen: &Seen) -> Vec<usize> {
        let key = self.key(&seen.context);
        let Some(stream) = self.streams.get_mut(&key) else { return Vec::new() };
        let verdicts = self.scanner.verdicts(&mut stream.buffer);
        let matches = verdicts.into_iter().filter(|(_, verdict)| verdict.is_match());
        let mut rules: Vec<usize> = matches.map(|(pattern, _)| self.owners[pattern]).collect();
        rules.dedup();
        rules
    }

    fn explanation(&self, explain: &Explain, matching: &[Vec<usize>], index: usize) -> Explanation {
        let rule = &self.rules[index];
        let plain = |gate, why: String| Explanation {
            rule: rule.name.clone(),
            gate,
            why,
            record: None,
            searched: None,
            globs: Vec::new(),
            closest: None,
            would_match: None,
        };
        if !self.is_enabled() {
            return plain(Gate::Disabled, "`ttsr.enabled` is off".to_owned());
        }
        let met = &explain.rules[index];
        if let Some(at) = met.held {
            let record = self.ledger.record(&rule.name);
            let searched = Some(self.searched(&explain.seen[at]));
            return Explanation { record, searched, ..plain(Gate::Repeat, self.held_back(record)) };
        }
        let near = (0..explain.seen.len()).filter(|&at| !explain.seen[at].is_superseded);
        let near = near.map(|at| self.near(rule, &explain.seen[at], at));
        let Some(near) = near.max_by_key(|near| (near.gate, near.closeness, near.seen)) else {
            return plain(Gate::Scope, "nothing was streamed".to_owned());
        };
        let seen = &explain.seen[near.seen];
        let searched = Some(self.searched(seen));
        let matches_here = matching[near.seen].contains(&index);
        let would = |why: String| match matches_here {
            true => format!("{why}; its condition would match there"),
            false => why,
        };
        match near.gate {
            Gate::Scope if !self.watches(seen.context.source) => {
                plain(Gate::Scope, "this lifecycle does not watch thinking".to_owned())
            }
            Gate::Scope => {
                let globs = rule.scope.tools.iter().filter_map(|tool| tool.path.as_ref());
                let globs = globs.map(|glob| glob.source().clone()).collect();
                Explanation { searched, globs, ..plain(near.gate, would(out_of_scope(&rule.scope, &seen.context))) }
            }
            Gate::Globs => {
                let globs = rule.globs.globs().iter().map(|glob| glob.source().clone()).collect();
                Explanation { searched, globs, ..plain(near.gate, would(out_of_globs(rule, &seen.context))) }
            }
            _ => {
                let structural = structural(rule, &met.structural, seen);
                if rule.conditions.is_empty() && rule.undecidable.is_empty() {
                    let (gate, why) = structural.unwrap_or_else(|| (Gate::Ast, "no structural pattern matches".into()));
                    return Explanation { searched, ..plain(gate, why) };
                }
                let (why, closest, would_match) = self.unmatched(rule, seen);
                let mut why = why;
                if let Some((_, more)) = structural {
                    why = format!("{why}; {more}");
                }
                if let Some(other) = self.elsewhere(explain, matching, index, near.seen) {
                    why = format!("{why}; {other}");
                }
                Explanation { searched, closest, would_match, ..plain(Gate::Condition, why) }
            }
        }
    }

    /// Whether the generation looks at such text at all.
    fn watches(&self, source: Source) -> bool {
        source != Source::Thinking || self.semantics.thinking
    }

    fn searched(&self, seen: &Seen) -> Searched {
        Searched::new(&seen.context, seen.subject, self.text(seen))
    }

    fn text(&self, seen: &Seen) -> Option<&[u16]> {
        self.buffer(&self.key(&seen.context))
    }

    /// Which gate a rule reaches in a text.
    fn near(&self, rule: &CompiledRule, seen: &Seen, at: usize) -> Near {
        let context = &seen.context;
        let has_path = usize::from(!context.paths.is_empty());
        if !self.watches(context.source) || !rule.allows(context.source, context.tool.as_ref(), &context.paths) {
            let names_tool = context
                .tool
                .as_ref()
                .map(|tool| tool.trim().to_ascii_lowercase())
                .is_some_and(|name| rule.scope.tools.iter().any(|tool| tool.name.as_ref() == Some(&name)));
            return Near { gate: Gate::Scope, closeness: 2 * usize::from(names_tool) + has_path, seen: at };
        }
        if !rule.globs_allow(&context.paths) {
            return Near { gate: Gate::Globs, closeness: has_path, seen: at };
        }
        if rule.conditions.is_empty() && rule.undecidable.is_empty() {
            let is_code = context.source == Source::Tool && seen.subject != Subject::Arguments;
            return Near { gate: Gate::Language, closeness: usize::from(is_code), seen: at };
        }
        let text = self.text(seen).unwrap_or_default();
        let units = rule.conditions.iter().filter_map(|(_, pattern)| pattern.nearest(text)).map(|near| near.units);
        // What decides among equals is that there is text at all.
        let closeness = 2 * units.max().unwrap_or_default() as usize + usize::from(!text.is_empty());
        Near { gate: Gate::Condition, closeness, seen: at }
    }

    /// Why no condition matches a text, where one came closest, and which argument it would match.
    fn unmatched(&self, rule: &CompiledRule, seen: &Seen) -> (String, Option<Closest>, Option<JsString>) {
        let text = self.text(seen).unwrap_or_default();
        let searched = self.searched(seen);
        if rule.conditions.is_empty() {
            let why = "its condition is valid and too large to evaluate: it is never tested";
            return (why.to_owned(), None, None);
        }
        let what = searched.words();
        let mut why = match rule.conditions.len() {
            1 => format!("its condition does not match {what}"),
            count => format!("none of its {count} conditions matches {what}; one would be enough"),
        };
        if searched.units == Some(0) {
            why = format!("{why}, which is empty");
        }
        let would_match = would_match(rule, seen, text);
        if let Some(path) = &would_match {
            why = match path.is_empty() {
                true => format!("{why}; it would match the JSON arguments, but the agent matches what the call writes"),
                false => format!("{why}; it would match the value of `{path}`, but the agent matches the JSON text"),
            };
        }
        let nearest: Vec<_> = rule.conditions.iter().map(|(source, pattern)| (source, pattern.nearest(text))).collect();
        let is_known = nearest.iter().any(|(_, near)| near.is_some());
        let known = nearest.into_iter().filter_map(|(source, near)| Some((source, near?)));
        let best = known.max_by_key(|(_, near)| near.units);
        let closest = best.and_then(|(source, near)| Closest::new(source, text, &near));
        match (&closest, is_known, text.is_empty()) {
            (_, _, true) => {}
            (Some(closest), ..) => why = format!("{why}; {}", closest.words()),
            (None, true, _) => why = format!("{why}; nothing in it begins a match"),
            (None, false, _) => {
                why = format!("{why}; where it came closest is not available for a condition of this kind");
            }
        }
        if seen.is_open {
            why = format!("{why}; the call was cut short");
        }
        (why, closest, would_match)
    }

    /// A text that the rule matches, where its scope or globs leave the text out.
    fn elsewhere(&self, explain: &Explain, matching: &[Vec<usize>], rule: usize, near: usize) -> Option<String> {
        let others = explain.seen.iter().enumerate().filter(|(at, seen)| *at != near && !seen.is_superseded);
        let mut matched = others.filter(|(at, _)| matching[*at].contains(&rule)).map(|(_, seen)| seen);
        let seen = matched.find(|seen| !self.passes(rule, &seen.context))?;
        let compiled = &self.rules[rule];
        let context = &seen.context;
        let why = if compiled.allows(context.source, context.tool.as_ref(), &context.paths) {
            out_of_globs(compiled, context)
        } else {
            out_of_scope(&compiled.scope, context)
        };
        Some(format!("it matches {}, but {why}", self.searched(seen).words()))
    }

    fn held_back(&self, record: Option<Record>) -> String {
        let Some(record) = record else { return "it matches, and the repeat policy holds it back".to_owned() };
        let when = if record.restored { "in an earlier session" } else { "in this run" };
        match self.settings.repeat_mode {
            RepeatMode::Once => format!("it matches, and was injected {when}, at turn {}", record.turn),
            RepeatMode::AfterGap => format!(
                "it matches, and was injected {when}, at turn {}; now is turn {}, the gap is {}",
                record.turn,
                self.ledger.turns(),
                self.settings.repeat_gap
            ),
        }
    }
}

/// Why the structural patterns of a rule say nothing; none where it has none.
fn structural(rule: &CompiledRule, met: &Structural, seen: &Seen) -> Option<(Gate, String)> {
    if rule.ast.is_empty() {
        return None;
    }
    Some(match met {
        Structural::NoMatch => (Gate::Ast, "no structural pattern matches".to_owned()),
        Structural::NoLanguage(Some(path)) => (Gate::Language, format!("no language for `{path}`")),
        Structural::NoLanguage(None) => (Gate::Language, "the call names no file".to_owned()),
        Structural::NotTried if seen.context.source != Source::Tool => {
            (Gate::Language, "structural patterns look at tool calls only".to_owned())
        }
        Structural::NotTried if seen.subject == Subject::Arguments => {
            let what = "nothing of this call can be read as an edit, and structural patterns look at edits only";
            (Gate::Language, what.to_owned())
        }
        Structural::NotTried if ast::language_of(&seen.context.paths).is_none() => {
            let why = match seen.context.paths.first() {
                Some(path) => format!("no language for `{path}`"),
                None => "the call names no file".to_owned(),
            };
            (Gate::Language, why)
        }
        Structural::NotTried => (Gate::Ast, "the message ended before its structural patterns were tried".to_owned()),
    })
}

/// The argument that a condition matches by itself, or the empty name for the JSON text of all of them.
fn would_match(rule: &CompiledRule, seen: &Seen, text: &[u16]) -> Option<JsString> {
    let matches = |text: &[u16]| {
        rule.conditions
            .iter()
            .any(|(_, pattern)| matches!(pattern.test(text, STEPS), Verdict::Confirmed | Verdict::Tentative))
    };
    if seen.subject == Subject::Arguments {
        let value = json::parse(&JsString::from_units(text).to_utf8()?).ok()?;
        return value_that(&value, &JsString::new(), DEPTH, &matches);
    }
    let arguments = seen.arguments.as_ref()?;
    matches(arguments.units()).then(JsString::new)
}

/// The path of the first string that holds.
fn value_that(value: &Value, path: &JsString, depth: usize, holds: &impl Fn(&[u16]) -> bool) -> Option<JsString> {
    if let Some(text) = value.as_string() {
        return (!path.is_empty() && holds(text.units())).then(|| path.clone());
    }
    let depth = depth.checked_sub(1)?;
    if let Some(object) = value.as_object() {
        return object.iter().find_map(|(key, value)| {
            let mut path = path.clone();
            if !path.is_empty() {
                path.push_str(".");
            }
            path.push_units(key.units());
            value_that(value, &path, depth, holds)
        });
    }
    let items = value.as_array()?.iter().enumerate();
    items.into_iter().find_map(|(at, value)| {
        let mut path = path.clone();
        path.push_str(&format!("[{at}]"));
        value_that(value, &path, depth, holds)
    })
}
