//! Lints: what a rule file says and what the agent makes of it, where the two differ (engine.md E12, E13).
//!
//! What stops a rule from being read or registered is found by the reader and the registration; a lint looks at
//! rules that may well be registered and yet do not do what was meant.

mod any_condition;
mod ast_condition;
mod catch_all;
mod chunk_dependence;
mod comma_glob;
mod condition_text;
mod cost;
mod examples;
mod fence;
mod glob_condition;
mod glob_syntax;
mod keys;
mod legacy_key;
mod look_ahead;
mod normalisation;
mod path_globs;
mod prose_globs;
mod question;
mod start_anchor;
mod tool_names;
mod trigger;
mod values;

use std::collections::HashSet;
use std::ops::Range;

use super::{
    Bucket, CompiledRule, Frontmatter, Listed, Member, Node, Reading, RuleFile, RuleSet, ScopeToken, ToolScope,
    condition_member,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::generation::Semantics;
use crate::glob::PathGlob;
use crate::text::JsString;

/// Every lint, in the order in which they run on a rule.
const LINTS: &[fn(&Subject<'_>, &mut Vec<Diagnostic>)] = &[
    fence::check,
    keys::check,
    values::check,
    question::check,
    legacy_key::check,
    trigger::check,
    glob_condition::check,
    condition_text::check,
    catch_all::check,
    any_condition::check,
    start_anchor::check,
    look_ahead::check,
    normalisation::check,
    chunk_dependence::check,
    cost::check,
    tool_names::check,
    prose_globs::check,
    comma_glob::check,
    glob_syntax::check,
    path_globs::check,
    ast_condition::check,
    examples::check,
];

/// Those that hold in the early generation too: they are about what the agent never reads.
const EARLY_LINTS: &[fn(&Subject<'_>, &mut Vec<Diagnostic>)] = &[examples::check];

/// Runs all lints over all rules of a set.
pub fn run(set: &RuleSet, semantics: &Semantics) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    set.inventory.iter().for_each(|listed| run_on(listed, set.compiled_of(listed), semantics, &mut findings));
    findings
}

/// Runs all lints on a rule that comes from a file and is neither shadowed nor unreadable. `semantics` is the
/// generation by which it was registered; the lints about what only later generations read are silent in the early
/// one.
pub fn run_on(listed: &Listed, compiled: Option<&CompiledRule>, semantics: &Semantics, findings: &mut Vec<Diagnostic>) {
    let Some(file) = listed.rule.file.as_deref().filter(|_| !listed.is_shadowed) else { return };
    if file.frontmatter.as_ref().is_some_and(|matter| matches!(matter.reading, Reading::Beyond(_))) {
        return;
    }
    let subject = Subject { listed, compiled, file, judges: semantics.judged_rules };
    let lints = if semantics.legacy_trigger_only { EARLY_LINTS } else { LINTS };
    lints.iter().for_each(|lint| lint(&subject, findings));
}

/// One rule as a lint sees it.
struct Subject<'a> {
    listed: &'a Listed,
    /// The registered form, when it is registered.
    compiled: Option<&'a CompiledRule>,
    file: &'a RuleFile,
    /// Whether the generation knows judged rules.
    judges: bool,
}

impl<'a> Subject<'a> {
    fn frontmatter(&self) -> Option<&'a Frontmatter> {
        self.file.frontmatter.as_ref()
    }

    /// The value that counts for a key.
    fn node(&self, key: &str) -> Option<&'a Node> {
        self.frontmatter()?.get(key)
    }

    /// The member that the conditions come from.
    fn condition(&self) -> Option<&'a Member> {
        condition_member(self.frontmatter()?)
    }

    /// Where a condition is written: the part `units` of it, or all of it.
    fn condition_range(&self, condition: &JsString, units: Option<Range<usize>>) -> Range<usize> {
        let units = units.unwrap_or(0..condition.len());
        self.condition().map_or(0..0, |member| self.file.locate(&member.value, condition, units))
    }

    /// Whether the rule has conditions of any kind or a question, usable or not registered for another reason.
    fn has_trigger(&self) -> bool {
        let fields = &self.listed.rule.fields;
        fields.condition.is_some() || fields.ast_condition.is_some() || fields.question.is_some()
    }

    /// Where an item of another key is written.
    fn item_range(&self, key: &str, item: &JsString) -> Range<usize> {
        self.node(key).map_or(0..0, |node| self.file.locate(node, item, 0..item.len()))
    }

    /// Whether the agent does nothing at all with the rule, for want of a condition.
    fn is_dead(&self) -> bool {
        self.listed.bucket == Bucket::None && !self.has_trigger()
    }

    /// The line that holds a member and nothing else, comments included.
    fn only_line_of(&self, member: &Member) -> Option<Range<usize>> {
        let text = self.file.text();
        let (start, value) = (member.key_span.start, member.value.span.end);
        let end = text[value..].find('\n').map_or(text.len(), |at| value + at + 1);
        let begins_line = start == 0 || text[..start].ends_with(['\n', '\r']);
        // A comment on the line is somebody's.
        let is_alone =
            begins_line && text[value..end].trim().is_empty() && !text[start..value].contains(['\n', '\r', '#']);
        is_alone.then_some(start..end)
    }

    /// The globs as written, with their places: those of `globs`, and those of scopes that no condition was turned into.
    fn written_globs(&self) -> Vec<(PathGlob, Range<usize>)> {
        let Some(rule) = self.compiled else { return Vec::new() };
        let fields = &self.listed.rule.fields;
        let made: HashSet<&JsString> = fields.glob_conditions.iter().collect();
        let of_tokens = fields.scope.iter().flatten().filter_map(|token| match ScopeToken::parse(token) {
            Some(ScopeToken::Tool(ToolScope { path: Some(path), .. })) if !made.contains(path.source()) => {
                Some((path, self.item_range("scope", token)))
            }
            _ => None,
        });
        let of_key = rule.globs.globs().iter().map(|glob| (glob.clone(), self.item_range("globs", glob.source())));
        of_key.chain(of_tokens).collect()
    }

    fn finding(&self, code: Code, message: impl Into<String>, range: Range<usize>) -> Diagnostic {
        self.file.finding(code, message, range)
    }

    /// Whether a judge is asked about the rule: its conditions look at finished outputs.
    fn is_judged(&self) -> bool {
        self.compiled.is_some_and(CompiledRule::is_judged)
    }

    /// The conditions that are compiled.
    fn conditions(&self) -> &'a [(JsString, crate::pattern::Pattern)] {
        self.compiled.map_or(&[], |rule| &rule.conditions)
    }
}

/// A YAML value in single quotes.
fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A condition without a leading group of flags that counts for all of it, and the flags.
fn split_flags(condition: &str) -> (&str, &str) {
    let inner = condition.strip_prefix("(?").and_then(|rest| rest.split_once(')'));
    match inner {
        Some((flags, rest)) if !flags.is_empty() && flags.chars().all(|flag| "ims".contains(flag)) => (flags, rest),
        _ => ("", condition),
    }
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two short words.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for (i, &a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &b) in other.iter().enumerate() {
            let mut best = (rows[i][j] + usize::from(a != b)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a == other[j - 1] && one[i - 1] == b {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

/// The word of the list that is nearest to `word`, if it is near enough for a slip.
fn nearest<'w>(word: &str, known: &[&'w str]) -> Option<&'w str> {
    const LONGEST: usize = 40;
    if word.len() > LONGEST {
        return None;
    }
    let near = |known: &&&str| distance(word, known);
    let best = known.iter().min_by_key(near)?;
    (near(&best) <= 1 + best.len() / 5).then_some(*best)
}
