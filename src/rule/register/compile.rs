//! [`CompiledRule`]: a rule that the engine accepted, and the reasons why it refuses others (engine.md E3.1).

use std::fmt;
use std::sync::Arc;

use super::flaw::Flaw;
use super::scope::Scope;
use crate::generation::Semantics;
use crate::glob::GlobGate;
use crate::message::Source;
use crate::pattern::{CompileOptions, Pattern, PatternErrorKind};
use crate::rule::read::{self, Rule};
use crate::settings::{InterruptMode, Settings};
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
    #[cfg(feature = "internals")]
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
            #[cfg(feature = "internals")]
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
    /// skipped on the way goes to `flaws`.
    ///
    /// # Errors
    /// When the engine refuses the rule.
    pub fn compile(
        rule: &Rule,
        settings: &Settings,
        semantics: &Semantics,
        flaws: &mut Vec<Flaw>,
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
        let options = CompileOptions::of(semantics);
        let mut conditions = Vec::with_capacity(sources.len());
        let mut undecidable = Vec::new();
        let mut errors = Vec::new();
        for source in sources {
            match Pattern::compile(source, options) {
                Ok(pattern) => conditions.push((source.clone(), pattern)),
                Err(error) if error.kind == PatternErrorKind::TooLarge => {
                    undecidable.push(source.clone());
                    flaws.push(Flaw::ConditionBeyondLimits { source: source.clone(), error });
                }
                Err(error) => errors.push(Flaw::InvalidCondition {
                    source: source.clone(),
                    error,
                    leading_flags: semantics.leading_flags,
                }),
            }
        }
        let dead = conditions.is_empty() && undecidable.is_empty() && ast.is_empty() && question.is_none();
        let invalid = errors.len();
        flaws.extend(errors);
        if dead {
            if invalid > 1 {
                flaws.push(Flaw::NoValidCondition { count: invalid });
            }
            return Err(Refusal::NoCondition { invalid });
        }
        let scope = scope(rule, semantics, flaws)?;
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

    /// Whether both are clones of one rule, but for their paths.
    pub fn is_like(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.announced, &other.announced)
            && self.name == other.name
            && (self.interrupt_mode, self.conditions.len()) == (other.interrupt_mode, other.conditions.len())
            && self.content == other.content
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

fn scope(rule: &Rule, semantics: &Semantics, flaws: &mut Vec<Flaw>) -> Result<Scope, Refusal> {
    let tokens = rule.fields.scope.as_deref().filter(|_| semantics.scoped).unwrap_or_default();
    let scope = Scope::new(tokens);
    flaws.extend(scope.invalid.iter().map(|&at| Flaw::InvalidScopeToken { token: tokens[at].clone() }));
    if scope.is_reachable() {
        return Ok(scope);
    }
    flaws.push(Flaw::UnreachableScope);
    Err(Refusal::Unreachable)
}
