//! [`CompiledRule`]: a rule that the engine accepted, and the reasons why it refuses others (engine.md E3.1).

use std::fmt;
use std::sync::Arc;

use super::scope::Scope;
use crate::diagnostic::{Diagnostic, code};
use crate::glob::GlobGate;
use crate::message::Source;
use crate::pattern::{CompileOptions, Pattern, PatternError, PatternErrorKind};
use crate::rule::read::{self, Rule, condition_member};
use crate::settings::{InterruptMode, Semantics, Settings};
use crate::text::JsString;
use crate::text::json::{Object, Value};

/// A registered rule.
#[derive(Clone, Debug)]
pub struct CompiledRule {
    /// The name.
    pub name: JsString,
    /// The path as stored.
    pub path: JsString,
    /// The body.
    pub content: JsString,
    /// What a judge is asked about finished outputs; with it the conditions are gates of the question, and take no part
    /// in matching streams (generation-v4.md W3, W4.1).
    pub question: Option<JsString>,
    /// The rule's own interrupt mode.
    pub interrupt_mode: Option<InterruptMode>,
    /// The conditions that compile; one match suffices.
    pub conditions: Vec<(JsString, Pattern)>,
    /// The conditions that the agent compiles and this program cannot evaluate: whether they match is not known.
    pub undecidable: Vec<JsString>,
    /// The AST conditions that are not blank.
    pub ast: Vec<JsString>,
    /// The path gate.
    pub globs: GlobGate,
    /// The streams.
    pub scope: Scope,
    /// What `ttsr_triggered` says of the rule besides name, path and content (session.md S8.3).
    pub announced: Arc<Object>,
}

/// Why the engine refuses a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The engine is switched off.
    Disabled,
    /// The name is registered already.
    DuplicateName,
    /// There is no condition that could match.
    NoCondition {
        /// How many conditions do not compile.
        invalid: usize,
    },
    /// No stream can reach the rule.
    Unreachable,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => formatter.write_str("`ttsr.enabled` is off"),
            Self::DuplicateName => formatter.write_str("the name is registered already"),
            Self::NoCondition { invalid: 0 } => formatter.write_str("no condition"),
            Self::NoCondition { invalid: 1 } => formatter.write_str("its condition does not compile"),
            Self::NoCondition { .. } => formatter.write_str("none of its conditions compiles"),
            Self::Unreachable => formatter.write_str("its scope excludes all streams"),
        }
    }
}

impl CompiledRule {
    /// Offers a rule to the engine: compiles it or says why not. The caller refuses duplicate names. What is
    /// skipped on the way goes to `diagnostics`.
    ///
    /// # Errors
    /// When the engine refuses the rule.
    pub fn compile(
        rule: &Rule,
        settings: &Settings,
        semantics: &Semantics,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Self, Refusal> {
        if !settings.enabled && semantics.enabled_gates {
            return Err(Refusal::Disabled);
        }
        let is_blank = |text: &&JsString| !text.is_blank();
        let ast: Vec<JsString> = match &rule.fields.ast_condition {
            Some(patterns) if semantics.ast => patterns.iter().filter(is_blank).cloned().collect(),
            _ => Vec::new(),
        };
        let sources = rule.fields.condition.as_deref().unwrap_or_default();
        let question = rule.fields.question.clone().filter(|_| semantics.judged_rules).and_then(read::question);
        let options =
            CompileOptions { leading_flags: semantics.leading_flags, sticky_look_aheads: semantics.sticky_look_aheads };
        let mut conditions = Vec::with_capacity(sources.len());
        let mut undecidable = Vec::new();
        let mut errors = Vec::new();
        for source in sources {
            match Pattern::compile(source, options) {
                Ok(pattern) => conditions.push((source.clone(), pattern)),
                Err(error) if error.kind == PatternErrorKind::TooLarge => {
                    undecidable.push(source.clone());
                    let what = format!("is beyond what this program evaluates: {}", error.message);
                    diagnostics.push(
                        about(rule, code::CONDITION_BEYOND_LIMITS, "condition", source, &what)
                            .with_help("split the pattern into several conditions; one match suffices"),
                    );
                }
                Err(error) => errors.push((source, error)),
            }
        }
        let dead = conditions.is_empty() && undecidable.is_empty() && ast.is_empty() && question.is_none();
        diagnostics.extend(errors.iter().map(|(source, error)| invalid_condition(rule, source, error)));
        if dead {
            if errors.len() > 1 {
                diagnostics.push(no_valid_condition(rule, errors.len()));
            }
            return Err(Refusal::NoCondition { invalid: errors.len() });
        }
        let scope = scope(rule, semantics, diagnostics)?;
        let globs = if semantics.scoped { rule.fields.globs.as_deref().unwrap_or_default() } else { &[] };
        Ok(Self {
            name: rule.name.clone(),
            path: rule.path.clone(),
            content: rule.content.clone(),
            question,
            interrupt_mode: rule.fields.interrupt_mode.filter(|_| semantics.interrupt_modes),
            conditions,
            undecidable,
            ast,
            globs: GlobGate::new(globs),
            scope,
            announced: Arc::new(announced(rule, semantics)),
        })
    }

    /// Whether a judge is asked about the rule, and streams are not matched against it.
    pub fn is_judged(&self) -> bool {
        self.question.is_some()
    }

    /// Whether the rule has anything that a finished output must match before its question is asked
    /// (generation-v4.md W6.1).
    pub fn has_gate(&self) -> bool {
        !self.conditions.is_empty() || !self.undecidable.is_empty() || !self.ast.is_empty()
    }

    /// Whether text of this source is for the rule (engine.md E3.3): its scope, not its globs.
    pub fn allows(&self, source: Source, tool: Option<&JsString>, paths: &[JsString]) -> bool {
        self.scope.allows(source, tool, paths)
    }

    /// Whether the rule's globs let these paths pass.
    pub fn globs_allow(&self, paths: &[JsString]) -> bool {
        self.globs.allows(paths)
    }
}

/// What the agent's rule object holds besides name, path and content, in its order. The early generation has one
/// trigger of its own name.
fn announced(rule: &Rule, semantics: &Semantics) -> Object {
    let fields = &rule.fields;
    let list = |items: &[JsString]| Value::Array(items.iter().cloned().map(Value::String).collect());
    let mut object = Object::new();
    if !semantics.legacy_trigger_only {
        object.insert("alwaysApply", fields.always_apply);
    }
    if let Some(description) = &fields.description {
        object.insert("description", description.clone());
    }
    if semantics.legacy_trigger_only {
        let trigger = fields.condition.iter().flatten().next();
        object.insert("ttsrTrigger", trigger.cloned().map_or(Value::Null, Value::String));
        return object;
    }
    let lists = [
        ("globs", &fields.globs),
        ("condition", &fields.condition),
        ("astCondition", &fields.ast_condition),
        ("scope", &fields.scope),
        ("agents", &fields.agents),
    ];
    for (key, items) in lists {
        if let Some(items) = items {
            object.insert(key, list(items));
        }
    }
    if let Some(mode) = fields.interrupt_mode {
        object.insert("interruptMode", mode.as_str());
    }
    object
}

fn scope(rule: &Rule, semantics: &Semantics, diagnostics: &mut Vec<Diagnostic>) -> Result<Scope, Refusal> {
    let tokens = rule.fields.scope.as_deref().filter(|_| semantics.scoped).unwrap_or_default();
    let scope = Scope::new(tokens);
    for &at in &scope.invalid {
        diagnostics.push(
            about(rule, code::INVALID_SCOPE_TOKEN, "scope", &tokens[at], "is no scope, so it is skipped")
                .with_help(scope_help(&tokens[at])),
        );
    }
    if scope.is_reachable() {
        return Ok(scope);
    }
    let message = "no token of the scope is valid, so no stream can reach the rule";
    let place = rule.file.as_ref().and_then(|file| {
        let node = file.frontmatter.as_ref()?.get("scope")?;
        Some(file.finding(code::UNREACHABLE_SCOPE, message, node.span.clone()))
    });
    let finding = place.unwrap_or_else(|| Diagnostic::new(code::UNREACHABLE_SCOPE, message));
    let help = if rule.fields.condition.is_some() {
        "write `scope: text`, or leave `scope` out for prose and all tools"
    } else {
        "write `scope: tool:edit, tool:write`, or leave `scope` out"
    };
    diagnostics.push(finding.with_help(help));
    Err(Refusal::Unreachable)
}

/// How to write a token that is no scope.
fn scope_help(token: &JsString) -> String {
    let text = token.to_string_lossy();
    let words: Vec<JsString> = text.split_whitespace().map(JsString::from).collect();
    if words.len() > 1 && words.iter().all(|word| Scope::new(std::slice::from_ref(word)).is_reachable()) {
        return format!("write `scope: {}`", text.split_whitespace().collect::<Vec<_>>().join(", "));
    }
    let without_blanks: JsString = text.split_whitespace().collect::<String>().into();
    if without_blanks != *token && Scope::new(std::slice::from_ref(&without_blanks)).is_reachable() {
        return format!("write `{without_blanks}`");
    }
    "write `text`, `thinking`, `tool`, `tool:NAME`, `tool:NAME(GLOB)` or `tool(GLOB)`, with commas between them"
        .to_owned()
}

/// A finding about a token of a key.
fn about(rule: &Rule, code: code::Code, key: &str, token: &JsString, what: &str) -> Diagnostic {
    let message = format!("`{}` {what}", token.quotable());
    let located = rule.file.as_ref().and_then(|file| {
        let node = file.frontmatter.as_ref()?.get(key)?;
        Some(file.finding(code, message.clone(), file.locate(node, token, 0..token.len())))
    });
    located.unwrap_or_else(|| Diagnostic::new(code, message))
}

/// The finding that none of several conditions is left.
fn no_valid_condition(rule: &Rule, count: usize) -> Diagnostic {
    let message = format!("none of the {count} conditions compiles, so the rule is not registered");
    let located = rule.file.as_ref().and_then(|file| {
        let member = condition_member(file.frontmatter.as_ref()?)?;
        Some(file.finding(code::NO_VALID_CONDITION, message.clone(), member.key_span.clone()))
    });
    located.unwrap_or_else(|| Diagnostic::new(code::NO_VALID_CONDITION, message)).with_help("mend at least one of them")
}

/// The letters of the group of flags alone at which a pattern fails to compile: `(?x)`, or an `(?i)` that is not at the
/// start.
fn flag_group(source: &JsString, error: &PatternError) -> Option<String> {
    let text = source.units().get(error.span.start..)?.strip_prefix(&[u16::from(b'('), u16::from(b'?')])?;
    let end = text.iter().position(|&unit| unit == u16::from(b')'))?;
    let flags = String::from_utf16(&text[..end]).ok()?;
    let is_flag = |one: char| one.is_ascii_alphabetic() || one == '-';
    (!flags.is_empty() && flags.chars().all(is_flag)).then_some(flags)
}

/// How to write a pattern with such a group, where there is a way.
fn flag_help(source: &JsString, flags: &str, at: usize) -> Option<String> {
    let end = at + flags.len() + "(?)".len();
    let (before, after) = (source.units().get(..at)?, source.units().get(end..)?);
    let (before, after) = (JsString::from_units(before), JsString::from_units(after));
    let whole = format!("(?{flags}){before}{after}");
    let part = format!("{before}(?{flags}:{after})");
    let compiles = |pattern: &&String| Pattern::compile(&pattern.as_str().into(), CompileOptions::default()).is_ok();
    let ways: Vec<String> = [whole, part].iter().filter(compiles).map(|pattern| format!("`{pattern}`")).collect();
    (!ways.is_empty()).then(|| format!("write {}", ways.join(" for all of it, or ")))
}

fn invalid_condition(rule: &Rule, source: &JsString, error: &PatternError) -> Diagnostic {
    let message = format!("the condition `{source}` does not compile: {}", error.message);
    let flags = flag_group(source, error);
    let code = if flags.is_some() { code::UNTRANSLATED_INLINE_FLAG } else { code::INVALID_CONDITION };
    let help = flags.and_then(|flags| flag_help(source, &flags, error.span.start)).or_else(|| error.help.clone());
    let located = rule.file.as_ref().and_then(|file| {
        let member = condition_member(file.frontmatter.as_ref()?)?;
        let range = file.locate(&member.value, source, error.span.clone());
        Some(file.finding(code, message.clone(), range))
    });
    let finding = located.unwrap_or_else(|| Diagnostic::new(code, message));
    match help {
        Some(help) => finding.with_help(help),
        None => finding,
    }
}
