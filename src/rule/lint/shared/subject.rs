//! [`Subject`]: a rule as a lint sees it, and where its parts are written.

use std::collections::HashSet;
use std::ops::Range;

use crate::builtin::keys::{self, KEYS, Reader, RuleKey};
use crate::builtin::tools::{self, Shows};
use crate::diagnostic::{Code, Diagnostic};
use crate::generation::Semantics;
use crate::glob::PathGlob;
use crate::pattern::{CompileOptions, Pattern, Texts};
use crate::rule::read::{Frontmatter, Member, Node, Provider, Rule, RuleFile, condition_member};
use crate::rule::register::{Bucket, CompiledRule, Listed, ScopeToken, ToolScope};
use crate::text::JsString;

/// One rule as a lint sees it.
pub(in super::super) struct Subject<'a> {
    /// What became of it.
    pub listed: &'a Listed,
    /// The registered form, when it is registered.
    pub compiled: Option<&'a CompiledRule>,
    /// The file that it was read from.
    pub file: &'a RuleFile,
    /// The generation by which it was registered.
    pub semantics: &'a Semantics,
}

impl<'a> Subject<'a> {
    /// Whether the generation knows judged rules.
    pub(in super::super) fn judges(&self) -> bool {
        self.semantics.judged_rules
    }

    /// Whether somebody reads the key, in some generation; the name is as it is after normalisation.
    pub(in super::super) fn is_read(&self, key: &str) -> bool {
        keys::key(key).is_some_and(|key| key.reader != Reader::Instructions || self.is_instructions())
    }

    /// The keys that the generation reads in such a file.
    pub(in super::super) fn keys_read(&self) -> impl Iterator<Item = &'static RuleKey> {
        let (lifecycle, instructions) = (self.semantics.lifecycle, self.is_instructions());
        KEYS.iter().filter(move |key| key.since <= lifecycle && (key.reader != Reader::Instructions || instructions))
    }

    /// Whether the file is one of instructions for GitHub. One that was named by its path is most likely.
    fn is_instructions(&self) -> bool {
        self.listed.rule.provider == Provider::Github || self.file.name.ends_with(".instructions.md")
    }

    /// The frontmatter.
    pub(in super::super) fn frontmatter(&self) -> Option<&'a Frontmatter> {
        self.file.frontmatter.as_ref()
    }

    /// The value that counts for a key.
    pub(in super::super) fn node(&self, key: &str) -> Option<&'a Node> {
        self.frontmatter()?.get(key)
    }

    /// The member that the conditions come from.
    pub(in super::super) fn condition(&self) -> Option<&'a Member> {
        condition_member(self.frontmatter()?)
    }

    /// Where a condition is written: the part `units` of it, or all of it.
    pub(in super::super) fn condition_range(&self, condition: &JsString, units: Option<Range<usize>>) -> Range<usize> {
        let units = units.unwrap_or(0..condition.len());
        self.condition().map_or(0..0, |member| self.file.locate(&member.value, condition, units))
    }

    /// A finding about the bytes `part` of a condition; `text` is the condition.
    pub(in super::super) fn about(
        &self,
        code: Code,
        message: String,
        condition: &JsString,
        text: &str,
        part: Range<usize>,
    ) -> Diagnostic {
        let units = |end: usize| text[..end].encode_utf16().count();
        let range = self.condition_range(condition, Some(units(part.start)..units(part.end)));
        self.finding(code, message, range)
    }

    /// Whether the rule has conditions of any kind or a question, usable or not registered for another reason.
    pub(in super::super) fn has_trigger(&self) -> bool {
        let fields = &self.listed.rule.fields;
        fields.condition.is_some() || fields.ast_condition.is_some() || fields.question.is_some()
    }

    /// Where an item of another key is written.
    pub(in super::super) fn item_range(&self, key: &str, item: &JsString) -> Range<usize> {
        self.node(key).map_or(0..0, |node| self.file.locate(node, item, 0..item.len()))
    }

    /// Whether the agent does nothing at all with the rule, for want of a condition.
    pub(in super::super) fn is_dead(&self) -> bool {
        self.listed.bucket == Bucket::None && !self.has_trigger()
    }

    /// The line that holds a member and nothing else, comments included.
    pub(in super::super) fn only_line_of(&self, member: &Member) -> Option<Range<usize>> {
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
    pub(in super::super) fn written_globs(&self) -> Vec<(PathGlob, Range<usize>)> {
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

    /// A finding about a byte range of the file.
    pub(in super::super) fn finding(&self, code: Code, message: impl Into<String>, range: Range<usize>) -> Diagnostic {
        self.file.finding(code, message, range)
    }

    /// Whether a judge is asked about the rule: its conditions look at finished outputs.
    pub(in super::super) fn is_judged(&self) -> bool {
        self.compiled.is_some_and(CompiledRule::is_judged)
    }

    /// The texts that conditions can see: nothing but the arguments of calls as JSON, or any.
    pub(in super::super) fn texts(&self) -> Texts {
        let Some(rule) = self.compiled else { return Texts::Any };
        if rule.scope.text || rule.scope.thinking || rule.scope.any_tool {
            return Texts::Any;
        }
        let shows_arguments = |scope: &ToolScope| {
            let name = scope.name.as_ref().map(JsString::to_string_lossy);
            name.is_some_and(|name| tools::shows(&name) == Some(Shows::Arguments))
        };
        if rule.scope.tools.iter().all(shows_arguments) { Texts::Arguments } else { Texts::Any }
    }

    /// Whether conditions see nothing but the arguments of calls as JSON.
    pub(in super::super) fn sees_arguments_alone(&self) -> bool {
        self.texts() == Texts::Arguments
    }

    /// Whether any stream gets through scope and globs: prose has no paths, and calls of some tools have none.
    pub(in super::super) fn is_reached(&self) -> bool {
        let Some(rule) = self.compiled else { return false };
        let open = rule.globs.is_open();
        let names_files = |name: &JsString| tools::tool(&name.to_string_lossy()).is_none_or(|tool| tool.names_files);
        let reaches = |tool: &ToolScope| tool.name.as_ref().is_none_or(names_files) || (open && tool.path.is_none());
        rule.scope.any_tool
            || ((rule.scope.text || rule.scope.thinking) && open)
            || rule.scope.tools.iter().any(reaches)
    }

    /// A condition as the generation compiles it.
    pub(in super::super) fn compile(&self, condition: &str) -> Option<Pattern> {
        Pattern::compile(&condition.into(), CompileOptions::of(self.semantics)).ok()
    }

    /// Whether a condition that is to be advised compiles and can match what the rule sees.
    pub(in super::super) fn is_live(&self, condition: &str) -> bool {
        self.compile(condition).is_some_and(|pattern| pattern.can_match(self.texts()) != Some(false))
    }

    /// The conditions that are compiled.
    pub(in super::super) fn conditions(&self) -> &'a [(JsString, Pattern)] {
        self.compiled.map_or(&[], |rule| &rule.conditions)
    }
}

/// A finding about a token of a key, in the file of the rule if there is one.
pub(in super::super) fn in_key(rule: &Rule, code: Code, key: &str, token: &JsString, message: String) -> Diagnostic {
    let located = rule.file.as_ref().and_then(|file| {
        let node = file.frontmatter.as_ref()?.get(key)?;
        Some(file.finding(code, message.clone(), file.locate(node, token, 0..token.len())))
    });
    located.unwrap_or_else(|| Diagnostic::new(code, message))
}

/// A finding about the part `units` of a condition, in the file of the rule if there is one.
pub(in super::super) fn in_condition(
    rule: &Rule,
    code: Code,
    source: &JsString,
    units: Range<usize>,
    message: String,
) -> Diagnostic {
    let located = rule.file.as_ref().and_then(|file| {
        let member = condition_member(file.frontmatter.as_ref()?)?;
        Some(file.finding(code, message.clone(), file.locate(&member.value, source, units)))
    });
    located.unwrap_or_else(|| Diagnostic::new(code, message))
}
