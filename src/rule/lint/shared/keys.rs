//! The keys of a rule file as the agent knows them: what each takes, and what becomes of a rule whose value is ignored.

use crate::rule::samples::SAMPLES_KEY;

/// A key of a rule file.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct RuleKey {
    /// The key as people write it.
    pub name: &'static str,
    /// What its value may be.
    pub takes: Takes,
    /// What the rule does without a usable value.
    pub without: &'static str,
}

/// What the value of a key may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Takes {
    /// A text, or a list of texts.
    Texts,
    /// A text.
    Text,
    /// True or false.
    Flag,
    /// What a lint of its own looks at.
    Own,
}

/// The keys that the agent reads, and the one that only this program reads.
pub(in super::super) const KEYS: [RuleKey; 14] = [
    RuleKey { name: "condition", takes: Takes::Texts, without: "it gives the rule no condition" },
    RuleKey { name: "astCondition", takes: Takes::Texts, without: "it gives the rule no condition" },
    RuleKey { name: "ast-condition", takes: Takes::Own, without: "" },
    RuleKey { name: "scope", takes: Takes::Texts, without: "the rule is for prose and all tools" },
    RuleKey { name: "globs", takes: Takes::Texts, without: "the rule is for every file, and for prose" },
    RuleKey { name: "question", takes: Takes::Own, without: "" },
    RuleKey { name: "alwaysApply", takes: Takes::Flag, without: "the agent ignores it" },
    RuleKey { name: "description", takes: Takes::Text, without: "the rule has no description" },
    RuleKey { name: "agents", takes: Takes::Texts, without: "the rule is for every agent" },
    RuleKey { name: "interruptMode", takes: Takes::Own, without: "" },
    RuleKey { name: "enabled", takes: Takes::Flag, without: "the agent ignores it" },
    RuleKey { name: "ttsrTrigger", takes: Takes::Own, without: "" },
    RuleKey { name: "applyTo", takes: Takes::Own, without: "" },
    RuleKey { name: SAMPLES_KEY, takes: Takes::Own, without: "" },
];

/// Whether somebody reads the key, as it is after normalisation.
pub(in super::super) fn is_read(key: &str) -> bool {
    key == "ttsr_trigger" || KEYS.iter().any(|known| known.name == key)
}
