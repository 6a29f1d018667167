//! The `ttsr` settings group and the generation of the runtime that is reproduced (engine.md E10, E11).

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

/// A generation of the runtime (engine.md E11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lifecycle {
    /// The early documents 000 and 001.
    V1,
    /// The document 002.
    V2,
    /// Release 18.2.
    V3,
    /// Release 18.3.
    V4,
}

impl Lifecycle {
    /// What an input without marks is taken for (session.md S9.4f (e)).
    pub const NEWEST: Self = Self::V4;

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
            Self::V3 => "v3",
            Self::V4 => "v4",
        }
    }

    /// What differs in this generation.
    pub fn semantics(self) -> Semantics {
        Semantics::of(self)
    }
}

/// The differences between generations, one field each, read in one place each. Rows G… are engine.md E11, sections W…
/// are generation-v4.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semantics {
    /// The generation.
    pub lifecycle: Lifecycle,
    /// E1.2: the rules of a directory come in byte order. The early generation took them as the file system gave
    /// them, so that the order of rules which match together is not known.
    pub sorted_rules: bool,
    /// G1: only a `ttsr_trigger` string makes a rule.
    pub legacy_trigger_only: bool,
    /// G3, G4: scope, globs and glob-like conditions count.
    pub scoped: bool,
    /// G5: a leading `(?i)` group gives flags.
    pub leading_flags: bool,
    /// G6: `enabled: false` gates registration and matching.
    pub enabled_gates: bool,
    /// G8: thinking is monitored.
    pub thinking: bool,
    /// G8: the tool-call end event is looked at.
    pub tool_call_end: bool,
    /// G9: one buffer for everything.
    pub single_buffer: bool,
    /// G10: digests and entries of edit and write calls are matched.
    pub digests: bool,
    /// G12: a digest tool without entries is matched as raw text (else as the empty text).
    pub raw_without_entries: bool,
    /// G13: message start and provider start clear the buffers.
    pub message_start_resets: bool,
    /// G14: AST conditions exist.
    pub ast: bool,
    /// G14: AST conditions run at each delta, not only at the end of the call.
    pub ast_on_delta: bool,
    /// G15: interrupt modes exist.
    pub interrupt_modes: bool,
    /// G17: matches are marked at once, before the abort.
    pub mark_at_match: bool,
    /// G18: pending rules are deduplicated by name.
    pub dedupe_pending: bool,
    /// G18: deferred deliveries reserve their names and carry a `deliveryId`.
    pub reservations: bool,
    /// G19: the reminder is a user message in memory only; nothing is persisted (G24, G35).
    pub persists: bool,
    /// G25: the names that a session holds are restored on resume.
    pub restores: bool,
    /// G29: a prompt waits at a resume gate.
    pub resume_gate: bool,
    /// G34: a user's abort cancels what is planned.
    pub user_abort_cancels: bool,
    /// G21: the path attribute is shown relative to cwd or home.
    pub relative_paths: bool,
    /// G22: rendered blocks are tidied.
    pub tidy: bool,
    /// G23: discard removes the last message only.
    pub discard_last_only: bool,
    /// G26: retries are guarded by token, generation and target.
    pub retry_guards: bool,
    /// G27: the abort carries the rule names.
    pub abort_reason: bool,
    /// Release 5.7 left the interrupted call in the aborted message, with a placeholder result.
    pub keeps_cut_calls: bool,
    /// G30, G2: `disabledRules` and `builtinRules` count.
    pub rule_switches: bool,
    /// G32: `agents` scoping.
    pub agents: bool,
    /// G2: the rule key `enabled` counts.
    pub rule_enabled_key: bool,
    /// G33: a fold whose message ends aborted leaves the rule marked.
    pub lost_fold_stays_marked: bool,
    /// G33: a fold that an interrupt of the same message clears leaves the rule marked; recorded runs of the middle
    /// generation show it, the document speaks of aborts and errors only.
    pub interrupted_fold_stays_marked: bool,
    /// S9.4f: an answer carries `completedAt`.
    pub stamps_completion: bool,
    /// W11.2: the end of a run says that the agent `yielded`.
    pub tells_yield: bool,
    /// W13: a `write` without content reaches the tool, so that a fold on it is delivered.
    pub writes_empty: bool,
    /// W2 to W10: a rule with a `question` is judged. Its conditions gate the question, and do not match streams.
    pub judged_rules: bool,
    /// W4.2: a condition of nothing but look-aheads that begin with `[\s\S]*` is tried at the buffer's start only.
    pub sticky_look_aheads: bool,
    /// W11.1: what was announced for a call is not announced again before the turn ends.
    pub announces_once: bool,
    /// W12: a setting of the wrong type counts as absent.
    pub typed_settings: bool,
}

impl Semantics {
    /// The generation as its recorded releases act. The document of the middle generation lets a rule fire again whose
    /// fold was lost to an abort; release 17.2.15, which made the recordings, leaves it marked (engine.md G33).
    #[must_use]
    pub fn as_recorded(mut self) -> Self {
        self.lost_fold_stays_marked |= self.interrupted_fold_stays_marked;
        self
    }

    fn of(lifecycle: Lifecycle) -> Self {
        let (v1, v3) = (lifecycle == Lifecycle::V1, lifecycle >= Lifecycle::V3);
        let v4 = lifecycle >= Lifecycle::V4;
        Self {
            lifecycle,
            sorted_rules: !v1,
            legacy_trigger_only: v1,
            scoped: !v1,
            leading_flags: !v1,
            enabled_gates: !v1,
            thinking: !v1,
            tool_call_end: v3,
            single_buffer: v1,
            digests: !v1,
            raw_without_entries: v3,
            message_start_resets: v3,
            ast: !v1,
            ast_on_delta: lifecycle == Lifecycle::V2,
            interrupt_modes: !v1,
            mark_at_match: v1,
            dedupe_pending: !v1,
            reservations: v3,
            persists: !v1,
            restores: !v1,
            resume_gate: !v1,
            user_abort_cancels: !v1,
            relative_paths: !v1,
            tidy: !v1,
            discard_last_only: v1,
            retry_guards: !v1,
            abort_reason: !v1,
            keeps_cut_calls: v1,
            rule_switches: !v1,
            agents: v3,
            rule_enabled_key: v3,
            lost_fold_stays_marked: v3,
            interrupted_fold_stays_marked: !v1,
            stamps_completion: v3,
            tells_yield: v4,
            writes_empty: v4,
            judged_rules: v4,
            sticky_look_aheads: v4,
            announces_once: v4,
            typed_settings: v4,
        }
    }
}
