//! The inventory as JSON (cli.md section 3).

use super::{CompiledRule, Listed, RuleSet};
use crate::json_object;
use crate::settings::InterruptMode;
use crate::text::JsString;
use crate::text::json::{Object, Value};

impl RuleSet {
    /// The registered form of a listed rule.
    pub fn compiled_of(&self, listed: &Listed) -> Option<&CompiledRule> {
        self.compiled.get(listed.registered?)
    }

    /// The objects of the member `rules` of `ttsr.check/1`, in discovery order.
    pub fn to_json(&self) -> Vec<Value> {
        self.inventory.iter().map(|listed| Value::Object(listed.to_json(self.compiled_of(listed)))).collect()
    }
}

impl Listed {
    /// One object of `rules`. The lists of a registered rule are those that the engine uses.
    pub fn to_json(&self, compiled: Option<&CompiledRule>) -> Object {
        let fields = &self.rule.fields;
        let optional = |text: Option<&JsString>| text.map_or(Value::Null, |text| Value::from(text.clone()));
        let mode = fields.interrupt_mode.map(InterruptMode::as_str);
        json_object! {
            "name": self.rule.name.clone(),
            "path": self.rule.shown_file(),
            "provider": self.rule.provider.id(),
            "bucket": self.bucket.as_str(),
            "registered": self.registered.is_some(),
            "reason": self.reason.as_deref().map_or(Value::Null, Value::from),
            "description": optional(fields.description.as_ref()),
            "condition": list(self.conditions(compiled)),
            "ast_condition": list(self.ast_conditions(compiled)),
            "scope": list(self.scope(compiled)),
            "globs": list(self.globs(compiled)),
            "agents": list(given(fields.agents.as_ref())),
            "interrupt_mode": mode.map_or(Value::Null, Value::from),
            "always_apply": fields.always_apply,
        }
    }

    /// The conditions: of a registered rule those that the agent compiles.
    pub fn conditions<'a>(&'a self, compiled: Option<&'a CompiledRule>) -> Vec<&'a JsString> {
        match compiled {
            Some(rule) => rule.conditions.iter().map(|(source, _)| source).chain(&rule.undecidable).collect(),
            None => given(self.rule.fields.condition.as_ref()),
        }
    }

    /// The AST conditions: of a registered rule those that are not blank.
    pub fn ast_conditions<'a>(&'a self, compiled: Option<&'a CompiledRule>) -> Vec<&'a JsString> {
        match compiled {
            Some(rule) => rule.ast.iter().collect(),
            None => given(self.rule.fields.ast_condition.as_ref()),
        }
    }

    /// The scope tokens: of a registered rule those that are valid.
    pub fn scope<'a>(&'a self, compiled: Option<&'a CompiledRule>) -> Vec<&'a JsString> {
        let tokens = given(self.rule.fields.scope.as_ref());
        match compiled {
            Some(rule) => {
                let valid = |(at, token)| (!rule.scope.invalid.contains(&at)).then_some(token);
                tokens.into_iter().enumerate().filter_map(valid).collect()
            }
            None => tokens,
        }
    }

    /// The globs: of a registered rule those that are not blank, trimmed.
    pub fn globs<'a>(&'a self, compiled: Option<&'a CompiledRule>) -> Vec<&'a JsString> {
        match compiled {
            Some(rule) => rule.globs.globs().iter().map(crate::glob::PathGlob::source).collect(),
            None => given(self.rule.fields.globs.as_ref()),
        }
    }
}

fn given(list: Option<&Vec<JsString>>) -> Vec<&JsString> {
    list.into_iter().flatten().collect()
}

fn list(items: Vec<&JsString>) -> Value {
    Value::Array(items.into_iter().cloned().map(Value::from).collect())
}
