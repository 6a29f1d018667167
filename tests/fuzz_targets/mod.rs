//! What is fuzzed: functions that take any bytes and fail by a panic. The runner on stable (`tests/fuzz.rs`) and
//! `cargo fuzz` (`tests/fuzz`) call the same ones.

mod calls;
mod commands;
mod conditions;
mod globs;
mod recordings;
mod rules;

/// One function, and what inputs for it are made of.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// As `tests/fuzz/Cargo.toml` names it.
    pub name: &'static str,
    /// Fails by a panic.
    pub run: fn(&[u8]),
    /// Files and folders below `testdata` that hold good inputs, by their ends.
    pub seeds: &'static [(&'static str, &'static str)],
    /// What is put in front of each seed.
    pub prefix: &'static [u8],
    /// Words that mean something to what reads the input.
    pub words: &'static [&'static str],
}

const RULE_WORDS: &[&str] = &[
    "---\n", "condition: ", "astCondition: ", "scope: ", "globs: ", "interruptMode: ", "ttsrTrigger: ", "description: ",
    "tool:edit(", "*.ts", "text", "thinking", "never", "[", "]", "{", "}", ", ", "- ", "&a ", "*a", "<<: ", "!!str ", "|",
    ">-", "\"", "'", "\\b", "# ", "\r\n", "\u{FEFF}", "\u{2028}", "\0", "(?i)", "(a+)+$", "conditions: ", "$A", "$$$",
    "<!-- ttsr-ignore -->", "é", "😀",
];

const JSON_WORDS: &[&str] = &[
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "null", "true", "1e999", "-0", "0.1",
    "18446744073709551616", "\"type\":", "\"id\":", "\"parentId\":", "\"message\":", "\"content\":", "\"role\":", "\n",
    "\r\n", "\"assistant\"", "\"user\"", "\"toolCall\"", "\"text\"", "\"thinking\"", "\"ttsr_injection\"", "\"compaction\"",
    "\"injectedRules\":", "\"stopReason\":\"aborted\"", "\"timestamp\":", "\"session\"", "\"message_update\"",
    "\"ttsr_triggered\"", "\"rpc_chunk\"", "\"arguments\":", "\u{FEFF}", "\u{9b}", "\u{202e}",
];

const PATTERN_WORDS: &[&str] = &[
    "(", ")", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "\\k<n>", "\\1", "\\b", "\\w", "\\s", "\\d", "[^", "[", "]",
    "-", ".", "^", "$", "|", "*", "+", "?", "{2,3}", "{0,}", "??", "\\u{1F600}", "\\u00e9", "\\x41", "\\p{L}", "(?i)",
    "(?i:", "a", "ab", "é", "😀", "\n", "\r", "\u{2028}", "ſ", "K", "(a|b)*", "(a+)+", "(?:)*", "\0",
];

const CALL_WORDS: &[&str] = &[
    "{\"input\": \"", "\"path\":\"a.ts\"", "\"edits\":[{\"op\":\"update\",\"diff\":\"", "\\n", "\\\"", "+x", "+++ b/x", "-",
    " ", "@@", "[a.ts#A1B2]", "[b.ts]", "*** Begin Patch", "*** Add File: a.ts", "*** Update File: b.ts",
    "*** Delete File: c.ts", "*** Move to: d.ts", "*** End Patch", "<SM:EDIT path=\\\"a.ts\\\">", "</SM:EDIT>", "<SM:FIND>",
    "</SM:FIND>", "<SM:PUT>", "</SM:PUT>", "<SM:AFTER>", "PUT 1.=2:", "new_string", "old_string", "content", "\"", "{",
    "}", "[", "]", ",", ":", "\\u00e9", "\\ud83d", "/*", "//", "'", "1_", "null", "tru", "-",
];

const GLOB_WORDS: &[&str] = &[
    "*", "**", "**/", "/**", "?", "[", "]", "[^a]", "[!a-c]", "{", "}", ",", "{a,b}", "{1..3}", "{a..c}", "!", "\\", "@(",
    "+(", "!(", "?(", "*(", "|", ")", "/", ".", "..", "src", ".ts", "é", "😀", "\n", "a", "b",
];

const SCRIPT_WORDS: &[&str] = &[
    "[", "]", "{", "}", ",", ":", "\"parts\":", "{\"text\":\"foo\"}", "\"chunk\":", "\"thinking\":", "\"tool\":",
    "\"arguments\":", "\"finish\":", "\"delayMs\":", "\"error\":", "\"status\":", "\"handoff\":", "\"prompt\":", "0", "-1",
    "1e300", "null", "\"abortHandoffAfterMs\":", "\"result\":", "\"raw\":", "\\ud800",
];

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "rule", run: rules::run, seeds: &[("rules", ".md"), ("mistakes", ".md")], prefix: b"", words: RULE_WORDS },
    Target {
        name: "pattern",
        run: conditions::run,
        seeds: &[("patterns", ".txt"), ("fuzz/pattern", "")],
        prefix: b"\x03",
        words: PATTERN_WORDS,
    },
    Target {
        name: "session",
        run: recordings::session,
        seeds: &[("cases", ".jsonl"), ("recordings", "session.1.jsonl"), ("demo", "session.jsonl")],
        prefix: b"",
        words: JSON_WORDS,
    },
    Target {
        name: "events",
        run: recordings::events,
        seeds: &[("recordings", "events.1.jsonl")],
        prefix: b"",
        words: JSON_WORDS,
    },
    Target {
        name: "script",
        run: recordings::script,
        seeds: &[("demo", "replies.json"), ("demo", "handoff.json")],
        prefix: b"",
        words: SCRIPT_WORDS,
    },
    Target {
        name: "partial_json",
        run: calls::partial_json,
        seeds: &[("fuzz/partial_json", ""), ("sarif", ".json")],
        prefix: b"\x07",
        words: JSON_WORDS,
    },
    Target { name: "edit", run: calls::edit, seeds: &[("fuzz/edit", "")], prefix: b"", words: CALL_WORDS },
    Target { name: "glob", run: globs::run, seeds: &[("fuzz/glob", "")], prefix: b"", words: GLOB_WORDS },
    Target {
        name: "check_rules",
        run: commands::check_rules,
        seeds: &[("rules", ".md"), ("mistakes", ".md")],
        prefix: b"",
        words: RULE_WORDS,
    },
    Target {
        name: "replay",
        run: commands::replay,
        seeds: &[("cases", ".jsonl"), ("recordings", ".1.jsonl"), ("recordings-18.3", ".1.jsonl")],
        prefix: b"",
        words: JSON_WORDS,
    },
    Target {
        name: "replay_script",
        run: commands::replay_script,
        seeds: &[("demo", "replies.json"), ("demo", "handoff.json")],
        prefix: b"",
        words: SCRIPT_WORDS,
    },
    Target {
        name: "inspect_session",
        run: commands::inspect_session,
        seeds: &[("cases", ".jsonl"), ("recordings", "session.1.jsonl")],
        prefix: b"",
        words: JSON_WORDS,
    },
    Target {
        name: "handoff",
        run: commands::handoff,
        seeds: &[("recordings", "session.1.jsonl"), ("demo", "session.jsonl")],
        prefix: b"",
        words: JSON_WORDS,
    },
    Target {
        name: "settings",
        run: commands::settings,
        seeds: &[("recordings", "settings.json"), ("fuzz/settings", "")],
        prefix: b"",
        words: RULE_WORDS,
    },
];
