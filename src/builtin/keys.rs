//! The keys of a rule file: who reads them since which generation, what each takes, what it means, and what becomes of a
//! rule whose value is ignored (engine.md E1.9, E11, generation-v4.md W2).

use crate::generation::Lifecycle;

/// A key of a rule file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleKey {
    /// The key as people write it, and as the agent has it after it has taken hyphens out.
    pub name: &'static str,
    /// What its value may be.
    pub takes: Takes,
    /// The first generation that reads it.
    pub since: Lifecycle,
    /// Who reads it.
    pub reader: Reader,
    /// What the rule does without a usable value.
    pub without: &'static str,
    /// What it is for, in a sentence.
    pub meaning: &'static str,
}

/// Who reads a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The agent, in any rule file.
    Agent,
    /// The agent, in instructions files of GitHub alone (engine.md E1.5).
    Instructions,
    /// This program alone.
    Linter,
}

/// What the value of a key may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A text, or a list of texts.
    Texts,
    /// A text.
    Text,
    /// True or false.
    Flag,
    /// One of the interrupt modes.
    Mode,
    /// Texts that must fire, and texts that must not.
    Samples,
}

/// The key that holds samples, which only this program reads.
pub const SAMPLES_KEY: &str = "examples";

/// The name of the key for conditions that every generation reads.
pub const OLDEST_TRIGGER: &str = "ttsr_trigger";

/// Every key that somebody reads.
pub const KEYS: [RuleKey; 14] = [
    RuleKey {
        name: "condition",
        takes: Takes::Texts,
        since: Lifecycle::V2,
        reader: Reader::Agent,
        without: "it gives the rule no condition",
        meaning: "Regular expressions (ECMAScript without flags; `(?i)`, `(?m)`, `(?s)` at the very start). One that matches what the scope lets in triggers the rule.",
    },
    RuleKey {
        name: OLDEST_TRIGGER,
        takes: Takes::Texts,
        since: Lifecycle::V1,
        reader: Reader::Agent,
        without: "it gives the rule no condition",
        meaning: "The old name of `condition`, which counts where that has no value. The early generation reads one text.",
    },
    RuleKey {
        name: "ttsrTrigger",
        takes: Takes::Texts,
        since: Lifecycle::V2,
        reader: Reader::Agent,
        without: "it gives the rule no condition",
        meaning: "Another old name of `condition`, which counts where neither that nor `ttsr_trigger` has a value.",
    },
    RuleKey {
        name: "astCondition",
        takes: Takes::Texts,
        since: Lifecycle::V2,
        reader: Reader::Agent,
        without: "it gives the rule no condition",
        meaning: "Patterns of code, such as `console.log($A)`. One that matches what an `edit` or `write` call introduces triggers the rule.",
    },
    RuleKey {
        name: "question",
        takes: Takes::Text,
        since: Lifecycle::V4,
        reader: Reader::Agent,
        without: "no judge is asked",
        meaning: "A question about a finished output that a judge model answers; a yes gives a warning. Conditions then only choose the outputs that are asked about.",
    },
    RuleKey {
        name: "scope",
        takes: Takes::Texts,
        since: Lifecycle::V2,
        reader: Reader::Agent,
        without: "the rule is for prose and all tools",
        meaning: "What the rule looks at: `text`, `thinking`, `tool`, `tool:NAME`, `tool:NAME(GLOB)`, `tool(GLOB)`, with commas between them. Without it `text` and `tool`.",
    },
    RuleKey {
        name: "globs",
        takes: Takes::Texts,
        since: Lifecycle::V2,
        reader: Reader::Agent,
        without: "the rule is for every file, and for prose",
        meaning: "Files that the rule is for; one glob that matches suffices. Prose has no path, so with globs the rule is for calls alone. A text is one glob: commas do not divide it.",
    },
    RuleKey {
        name: "agents",
        takes: Takes::Texts,
        since: Lifecycle::V3,
        reader: Reader::Agent,
        without: "the rule is for every agent",
        meaning: "The agents that the rule is for, by name or glob: `main` for the one that the user talks to.",
    },
    RuleKey {
        name: "interruptMode",
        takes: Takes::Mode,
        since: Lifecycle::V2,
        reader: Reader::Agent,
        without: "the setting `ttsr.interruptMode` applies",
        meaning: "Which matches cut the output short; the others are told afterwards. Without it the setting `ttsr.interruptMode` applies.",
    },
    RuleKey {
        name: "alwaysApply",
        takes: Takes::Flag,
        since: Lifecycle::V1,
        reader: Reader::Agent,
        without: "the rule is in no prompt",
        meaning: "Whether the rule is part of every prompt. It has no effect on a rule with a condition or a question.",
    },
    RuleKey {
        name: "description",
        takes: Takes::Text,
        since: Lifecycle::V1,
        reader: Reader::Agent,
        without: "the rule has no description",
        meaning: "What the rule is about. A rule without a condition is offered to the model by it.",
    },
    RuleKey {
        name: "enabled",
        takes: Takes::Flag,
        since: Lifecycle::V3,
        reader: Reader::Agent,
        without: "the rule is on",
        meaning: "`false` switches the rule off, as if the file were not there.",
    },
    RuleKey {
        name: "applyTo",
        takes: Takes::Texts,
        since: Lifecycle::V2,
        reader: Reader::Instructions,
        without: "it names no files",
        meaning: "In `.github/instructions/` alone: the files that the instructions are for, with commas between them.",
    },
    RuleKey {
        name: SAMPLES_KEY,
        takes: Takes::Samples,
        since: Lifecycle::V1,
        reader: Reader::Linter,
        without: "nothing is tried",
        meaning: "Texts that must fire the rule (`fires`), and texts that must not (`silent`). Only ttsr reads them, with `check-rules --examples`.",
    },
];

/// A key that rules of other tools have and the agent ignores, where the rule then does more than its author thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignKey {
    /// The key, in lower case without hyphens and underscores.
    pub name: &'static str,
    /// The key that does here what it does there.
    pub instead: &'static str,
}

/// What other tools call the keys that narrow a rule.
pub const FOREIGN: [ForeignKey; 24] = [
    foreign("paths", "globs"),
    foreign("path", "globs"),
    foreign("files", "globs"),
    foreign("file", "globs"),
    foreign("filepattern", "globs"),
    foreign("filepatterns", "globs"),
    foreign("filematch", "globs"),
    foreign("filematchpattern", "globs"),
    foreign("include", "globs"),
    foreign("includes", "globs"),
    foreign("exclude", "globs"),
    foreign("excludes", "globs"),
    foreign("ignore", "globs"),
    foreign("applyto", "globs"),
    foreign("extensions", "globs"),
    foreign("filetypes", "globs"),
    foreign("tool", "scope"),
    foreign("tools", "scope"),
    foreign("toolname", "scope"),
    foreign("allowedtools", "scope"),
    foreign("matcher", "scope"),
    foreign("event", "scope"),
    foreign("events", "scope"),
    foreign("subagents", "agents"),
];

const fn foreign(name: &'static str, instead: &'static str) -> ForeignKey {
    ForeignKey { name, instead }
}

impl RuleKey {
    /// Whether a value of it can make the rule trigger.
    pub fn triggers(&self) -> bool {
        matches!(self.name, "condition" | OLDEST_TRIGGER | "ttsrTrigger" | "astCondition" | "question")
    }

    /// Whether it only leaves something out of what the rule is for.
    pub fn narrows(&self) -> bool {
        matches!(self.name, "scope" | "globs" | "agents")
    }
}

/// The key of this name after normalisation, whoever reads it.
pub fn key(name: &str) -> Option<&'static RuleKey> {
    KEYS.iter().find(|key| key.name == name)
}

/// What a key of another tool is called here.
pub fn instead_of(written: &str) -> Option<&'static RuleKey> {
    let plain = plain(written);
    FOREIGN.iter().find(|foreign| foreign.name == plain).and_then(|foreign| key(foreign.instead))
}

/// A key in lower case without hyphens and underscores.
pub fn plain(written: &str) -> String {
    written.to_ascii_lowercase().replace(['-', '_'], "")
}
