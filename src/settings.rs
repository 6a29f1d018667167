//! The `ttsr` settings group (engine.md E10).

use crate::generation::Semantics;
use crate::json_object;
use crate::text::JsString;
use crate::text::json::{Object, Value};

/// The `ttsr` settings in force (engine.md E10).
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// `enabled`
    pub enabled: bool,
    /// `contextMode`
    pub context_mode: ContextMode,
    /// `interruptMode`
    pub interrupt_mode: InterruptMode,
    /// `repeatMode`
    pub repeat_mode: RepeatMode,
    /// `repeatGap`, in completed turns
    pub repeat_gap: f64,
    /// `builtinRules`: false only for the literal `false`
    pub builtin_rules: bool,
    /// `disabledRules`, trimmed
    pub disabled_rules: Vec<JsString>,
    /// `judge`
    pub judge: JudgeMode,
}

/// Whether judged rules are asked about (generation-v4.md W7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeMode {
    /// Only where the agent has a model made for judging.
    Auto,
    /// Always; in the end by the session's own model.
    On,
    /// Never.
    Off,
}

impl JudgeMode {
    /// The mode of this exact name.
    pub fn parse(name: &JsString) -> Option<Self> {
        Some(match name.to_utf8()?.as_str() {
            "auto" => Self::Auto,
            "on" => Self::On,
            "off" => Self::Off,
            _ => return None,
        })
    }

    /// The name in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

/// What happens to the partial output at a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextMode {
    /// It leaves the agent's memory.
    Discard,
    /// It stays; every value but `discard` acts so.
    Keep,
}

impl ContextMode {
    /// The mode of this exact name.
    pub fn parse(name: &JsString) -> Option<Self> {
        Some(match name.to_utf8()?.as_str() {
            "discard" => Self::Discard,
            "keep" => Self::Keep,
            _ => return None,
        })
    }
}

/// Which matches interrupt the stream (engine.md E7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterruptMode {
    /// None; every unknown value of the global setting acts so.
    Never,
    /// Those in text and thinking.
    ProseOnly,
    /// Those in tool calls.
    ToolOnly,
    /// All.
    Always,
}

impl InterruptMode {
    /// The mode of this exact name.
    pub fn parse(name: &JsString) -> Option<Self> {
        Some(match name.to_utf8()?.as_str() {
            "never" => Self::Never,
            "prose-only" => Self::ProseOnly,
            "tool-only" => Self::ToolOnly,
            "always" => Self::Always,
            _ => return None,
        })
    }

    /// The name in settings and frontmatter.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::ProseOnly => "prose-only",
            Self::ToolOnly => "tool-only",
            Self::Always => "always",
        }
    }
}

/// When a rule may trigger again (engine.md E8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatMode {
    /// Never in the same session.
    Once,
    /// After `repeatGap` completed turns; every value but `once` acts so.
    AfterGap,
}

impl RepeatMode {
    /// The mode of this exact name.
    pub fn parse(name: &JsString) -> Option<Self> {
        Some(match name.to_utf8()?.as_str() {
            "once" => Self::Once,
            "after-gap" => Self::AfterGap,
            _ => return None,
        })
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            context_mode: ContextMode::Discard,
            interrupt_mode: InterruptMode::Always,
            repeat_mode: RepeatMode::Once,
            repeat_gap: 10.0,
            builtin_rules: true,
            disabled_rules: Vec::new(),
            judge: JudgeMode::Auto,
        }
    }
}

/// The keys of the `ttsr` group.
pub const SETTING_KEYS: [&str; 8] =
    ["enabled", "contextMode", "interruptMode", "repeatMode", "repeatGap", "builtinRules", "disabledRules", "judge"];

impl Settings {
    /// The settings as the group would hold them; `judge`, which most generations do not know, only where it is set.
    pub fn to_object(&self) -> Object {
        let names = self.disabled_rules.iter().cloned().map(Value::String).collect::<Vec<_>>();
        let mut object = json_object! {
            "enabled": self.enabled,
            "contextMode": if self.context_mode == ContextMode::Discard { "discard" } else { "keep" },
            "interruptMode": self.interrupt_mode.as_str(),
            "repeatMode": if self.repeat_mode == RepeatMode::Once { "once" } else { "after-gap" },
            "repeatGap": self.repeat_gap,
            "builtinRules": self.builtin_rules,
            "disabledRules": names,
        };
        if self.judge != JudgeMode::Auto {
            object.insert("judge", self.judge.as_str());
        }
        object
    }

    /// Applies one value as the agent of a generation reads it (engine.md E10, generation-v4.md W12). The result says
    /// what the agent ignores or reads otherwise than written, in a sentence; `Err` means that the key is unknown.
    ///
    /// # Errors
    /// When `key` is none of [`SETTING_KEYS`].
    pub fn apply(&mut self, key: &str, value: &Value, semantics: &Semantics) -> Result<Option<String>, UnknownKey> {
        if !SETTING_KEYS.contains(&key) {
            return Err(UnknownKey(key.to_owned()));
        }
        Ok(if semantics.typed_settings { self.apply_typed(key, value) } else { self.apply_loosely(key, value) })
    }

    /// Takes a value of the right type; anything else leaves the default in force (W12).
    fn apply_typed(&mut self, key: &str, value: &Value) -> Option<String> {
        let default = Self::default();
        let text = value.as_string();
        let expected = match key {
            "enabled" => {
                self.enabled = value.as_bool().unwrap_or(default.enabled);
                (value.as_bool().is_none()).then_some("true or false")
            }
            "builtinRules" => {
                self.builtin_rules = value.as_bool().unwrap_or(default.builtin_rules);
                (value.as_bool().is_none()).then_some("true or false")
            }
            "contextMode" => {
                let mode = text.and_then(ContextMode::parse);
                self.context_mode = mode.unwrap_or(default.context_mode);
                mode.is_none().then_some("`discard` or `keep`")
            }
            "interruptMode" => {
                let mode = text.and_then(InterruptMode::parse);
                self.interrupt_mode = mode.unwrap_or(default.interrupt_mode);
                mode.is_none().then_some("`never`, `prose-only`, `tool-only` or `always`")
            }
            "repeatMode" => {
                let mode = text.and_then(RepeatMode::parse);
                self.repeat_mode = mode.unwrap_or(default.repeat_mode);
                mode.is_none().then_some("`once` or `after-gap`")
            }
            "judge" => {
                let mode = text.and_then(JudgeMode::parse);
                self.judge = mode.unwrap_or(default.judge);
                mode.is_none().then_some("`auto`, `on` or `off`")
            }
            "repeatGap" => {
                let number = value.as_f64().filter(|number| number.is_finite());
                self.repeat_gap = number.unwrap_or(default.repeat_gap);
                number.is_none().then_some("a finite number")
            }
            _ => {
                let items = value.as_array();
                self.disabled_rules = names(items.unwrap_or_default().iter().filter_map(Value::as_string));
                let strings = items.is_some_and(|items| items.iter().all(|item| item.as_string().is_some()));
                (!strings).then_some("a list of names")
            }
        };
        expected.map(|expected| match text {
            Some(text) => format!("`ttsr.{key}` should be {expected}, not `{text}`; the default applies"),
            None => format!("`ttsr.{key}` should be {expected}, not {}; the default applies", value.kind()),
        })
    }

    /// Reads a value of any type as ECMAScript's operators do (engine.md E10).
    fn apply_loosely(&mut self, key: &str, value: &Value) -> Option<String> {
        let text = value.as_string();
        let odd = |expected: &str| Some(format!("`ttsr.{key}` should be {expected}, not {}", value.kind()));
        match key {
            "enabled" => {
                self.enabled = truthy(value);
                if value.as_bool().is_none() { odd("true or false") } else { None }
            }
            "builtinRules" => {
                self.builtin_rules = value.as_bool() != Some(false);
                if value.as_bool().is_none() { odd("true or false") } else { None }
            }
            "contextMode" => {
                let discard = text.is_some_and(|name| *name == "discard");
                self.context_mode = if discard { ContextMode::Discard } else { ContextMode::Keep };
                let known = discard || text.is_some_and(|name| *name == "keep");
                (!known).then(|| "`ttsr.contextMode` is neither `discard` nor `keep`; it acts as `keep`".to_owned())
            }
            "interruptMode" => {
                let mode = text.and_then(InterruptMode::parse);
                self.interrupt_mode = mode.unwrap_or(InterruptMode::Never);
                let message =
                    "`ttsr.interruptMode` is none of `never`, `prose-only`, `tool-only`, `always`; it acts as `never`";
                mode.is_none().then(|| message.to_owned())
            }
            "repeatMode" => {
                let once = text.is_some_and(|name| *name == "once");
                self.repeat_mode = if once { RepeatMode::Once } else { RepeatMode::AfterGap };
                let known = once || text.is_some_and(|name| *name == "after-gap");
                (!known)
                    .then(|| "`ttsr.repeatMode` is neither `once` nor `after-gap`; it acts as `after-gap`".to_owned())
            }
            "repeatGap" => {
                self.repeat_gap = number(value);
                if value.as_f64().is_none() { odd("a number") } else { None }
            }
            "disabledRules" => {
                let names: Vec<JsString> = match value {
                    Value::Array(items) => items.iter().filter_map(Value::as_string).cloned().collect(),
                    // A string is iterated character by character.
                    Value::String(text) => {
                        text.to_string_lossy().chars().map(|one| JsString::from(one.to_string())).collect()
                    }
                    _ => Vec::new(),
                };
                self.disabled_rules = self::names(&names);
                let strings = value.as_array().is_some_and(|items| items.iter().all(|item| item.as_string().is_some()));
                if strings { None } else { odd("a list of names") }
            }
            // `judge`: nothing reads it yet.
            _ => None,
        }
    }
}

/// A key that the `ttsr` group does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown setting `ttsr.{0}`")]
pub struct UnknownKey(pub String);

/// The names, trimmed, without blank ones.
fn names<'a>(written: impl IntoIterator<Item = &'a JsString>) -> Vec<JsString> {
    written.into_iter().map(JsString::trim).filter(|name| !name.is_empty()).collect()
}

fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(_) => value.as_f64().is_some_and(|number| number != 0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// The number that ECMAScript's comparison operators would make of the value.
fn number(value: &Value) -> f64 {
    match value {
        Value::Null => 0.0,
        Value::Bool(value) => f64::from(u8::from(*value)),
        Value::Number(_) => value.as_f64().unwrap_or(f64::NAN),
        Value::String(text) if text.is_blank() => 0.0,
        Value::String(text) => text.trim().to_utf8().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN),
        Value::Array(_) | Value::Object(_) => f64::NAN,
    }
}
