//! The inventory as a report shows it (cli.md section 3): one row a rule, without its file, body and patterns.

use super::read::Provider;
use super::register::{Bucket, CompiledRule, Listed, RuleSet, Unregistered};
use crate::settings::InterruptMode;
use crate::text::JsString;

/// What a report says of one rule. The lists of a registered rule are those that the engine uses.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleRow {
    /// The name.
    pub name: JsString,
    /// The file, for people.
    pub file: String,
    /// The path in the JSON form: the file, but for a bundled rule the path that the agent shows.
    pub path: String,
    /// Where the rule comes from.
    pub provider: Provider,
    /// The bucket it ended in.
    pub bucket: Bucket,
    /// Whether it is registered.
    pub registered: bool,
    /// Why it is not registered.
    pub reason: Option<Unregistered>,
    /// `description`
    pub description: Option<JsString>,
    /// The conditions: of a registered rule those that the agent compiles.
    pub conditions: Vec<JsString>,
    /// The AST conditions: of a registered rule those that are not blank.
    pub ast_conditions: Vec<JsString>,
    /// What a judge is asked; none in generations without judged rules.
    pub question: Option<JsString>,
    /// The scope tokens: of a registered rule those that are valid.
    pub scope: Vec<JsString>,
    /// The globs: of a registered rule those that are not blank, trimmed.
    pub globs: Vec<JsString>,
    /// `agents`, in lower case.
    pub agents: Vec<JsString>,
    /// The rule's own interrupt mode.
    pub interrupt_mode: Option<InterruptMode>,
    /// `alwaysApply`
    pub always_apply: bool,
}

impl RuleSet {
    /// The registered form of a listed rule.
    #[cfg(feature = "internals")]
    pub fn compiled_of(&self, listed: &Listed) -> Option<&CompiledRule> {
        self.compiled.get(listed.registered?)
    }

    /// The rows of all rules, in discovery order.
    #[cfg(feature = "internals")]
    pub fn rows(&self) -> impl Iterator<Item = RuleRow> {
        self.inventory.iter().map(|listed| RuleRow::new(listed, self.compiled_of(listed)))
    }
}

impl RuleRow {
    /// The row of a rule and its registered form.
    pub fn new(listed: &Listed, compiled: Option<&CompiledRule>) -> Self {
        let Listed { rule, bucket, registered, reason, .. } = listed;
        let fields = &rule.fields;
        Self {
            name: rule.name.clone(),
            file: rule.shown_file(),
            path: match rule.provider {
                // What it is called wherever it is read from.
                Provider::BuiltinDefaults => rule.path.to_string_lossy(),
                _ => rule.shown_file(),
            },
            provider: rule.provider,
            bucket: *bucket,
            registered: registered.is_some(),
            reason: reason.clone(),
            description: fields.description.clone(),
            conditions: match compiled {
                Some(rule) => {
                    rule.conditions.iter().map(|(source, _)| source).chain(&rule.undecidable).cloned().collect()
                }
                None => given(fields.condition.as_ref()),
            },
            ast_conditions: compiled.map_or_else(|| given(fields.ast_condition.as_ref()), |rule| rule.ast.clone()),
            question: fields.question.clone(),
            scope: match (compiled, fields.scope.as_ref()) {
                (Some(rule), Some(tokens)) => {
                    // In order, as the tokens are.
                    let valid = |(at, token): (usize, &JsString)| {
                        rule.scope.invalid.binary_search(&at).is_err().then(|| token.clone())
                    };
                    tokens.iter().enumerate().filter_map(valid).collect()
                }
                (_, tokens) => given(tokens),
            },
            globs: match compiled {
                Some(rule) => rule.globs.globs().iter().map(|glob| glob.source().clone()).collect(),
                None => given(fields.globs.as_ref()),
            },
            agents: given(fields.agents.as_ref()),
            interrupt_mode: fields.interrupt_mode,
            always_apply: fields.always_apply,
        }
    }
}

fn given(list: Option<&Vec<JsString>>) -> Vec<JsString> {
    list.cloned().unwrap_or_default()
}
