//! Limits that keep a hostile input from taking all memory or time, in one table; `ttsr help limits` prints it.
//!
//! Those that only cost memory or time can be set for the process; those that keep the stack whole cannot. A line, a
//! message and the number of entries of a session have no limit of their own but memory.

use std::sync::atomic::{AtomicU64, Ordering};

/// A named limit.
#[derive(Debug)]
pub struct Limit {
    /// As `--limit` takes it.
    pub name: &'static str,
    /// What is counted.
    pub unit: &'static str,
    /// The limit when nobody sets another.
    pub usual: u64,
    /// Whether it can be set.
    pub is_free: bool,
    /// What happens beyond it.
    pub beyond: &'static str,
    /// The limit that holds; 0 for the usual one.
    set: AtomicU64,
}

impl Limit {
    const fn free(name: &'static str, usual: u64, unit: &'static str, beyond: &'static str) -> Self {
        Self { name, unit, usual, is_free: true, beyond, set: AtomicU64::new(0) }
    }

    const fn fixed(name: &'static str, usual: usize, unit: &'static str, beyond: &'static str) -> Self {
        Self { name, unit, usual: usual as u64, is_free: false, beyond, set: AtomicU64::new(0) }
    }

    /// The limit that holds.
    pub fn get(&self) -> u64 {
        match self.set.load(Ordering::Relaxed) {
            0 => self.usual,
            set => set,
        }
    }

    /// The same for a length in memory.
    pub fn size(&self) -> usize {
        usize::try_from(self.get()).unwrap_or(usize::MAX)
    }

    /// Whether a length is beyond it.
    pub fn is_beyond(&self, len: usize) -> bool {
        len > self.size()
    }
}

/// The limit as it is written: in the largest unit that leaves no rest.
pub fn written(value: u64) -> String {
    match value.trailing_zeros() / 10 {
        3.. if value != 0 => format!("{}G", value >> 30),
        2 => format!("{}M", value >> 20),
        1 => format!("{}K", value >> 10),
        _ => value.to_string(),
    }
}

/// A size as messages name it.
pub fn bytes(value: u64) -> String {
    let text = written(value);
    match text.strip_suffix(['K', 'M', 'G']) {
        Some(number) => format!("{number} {}iB", &text[number.len()..]),
        None => format!("{text} bytes"),
    }
}

/// Levels of arrays and objects in JSON.
pub const JSON_NESTING: usize = 256;
/// Levels of YAML.
pub const YAML_NESTING: usize = 200;
/// Code units of a pattern's source.
pub const PATTERN_SOURCE: usize = 1 << 18;
/// States of one pattern in the automaton.
pub const PATTERN_STATES: usize = 100_000;
/// Look-arounds within each other in the automaton.
pub const PATTERN_LOOKS: usize = 40;
/// Brackets within each other in a glob.
pub const GLOB_NESTING: usize = 64;
/// Elements of all alternatives of a glob's braces.
pub const GLOB_ELEMENTS: usize = 100_000;
/// Bytes of an AST pattern.
pub const AST_PATTERN: usize = 1 << 16;
/// Levels of an AST pattern's tree.
pub const AST_PATTERN_NESTING: usize = 256;

/// A rule file.
pub static RULE_FILE: Limit = Limit::free("rule-file", 64 << 20, "bytes", "the rule is not loaded");
/// The metadata of a rule file.
pub static FRONTMATTER: Limit = Limit::free("frontmatter", 4 << 20, "bytes", "the frontmatter is not read");
/// Nodes that aliases of one YAML text copy.
pub static YAML_COPIES: Limit = Limit::free("yaml-copies", 100_000, "nodes", "the text is refused");
/// A settings file of the agent.
pub static SETTINGS_FILE: Limit = Limit::free("settings-file", 4 << 20, "bytes", "the file is not read");
/// A configuration file of this program.
pub static CONFIG_FILE: Limit = Limit::free("config-file", 1 << 20, "bytes", "the file is not read");
/// A list of known findings.
pub static BASELINE_FILE: Limit = Limit::free("baseline-file", 64 << 20, "bytes", "the file is not read");
/// A `.gitignore`.
pub static IGNORE_LIST: Limit = Limit::free("ignore-list", 4 << 20, "bytes", "the list is skipped with a note");
/// A file that `replay --as-write` looks at.
pub static AS_WRITE_FILE: Limit = Limit::free("as-write-file", 5 << 20, "bytes", "the file is left out and counted");
/// A text with AST conditions.
pub static AST_SOURCE: Limit = Limit::free("ast-source", 512 << 10, "bytes", "the condition is undecided");
/// Steps of one backtracking decision: some nanoseconds each, and so together longer than the agent goes on before it
/// gives up, which is about half a second (matching.md M3).
pub static PATTERN_STEPS: Limit = Limit::free("pattern-steps", 200_000_000, "steps", "the condition is undecided");
/// A frame of an event stream: the producer's own limit is 64 MiB.
pub static STREAM_FRAME: Limit = Limit::free("stream-frame", 256 << 20, "code units", "the frame is left out");
/// Frames of an event stream that are open at once.
pub static OPEN_FRAMES: Limit = Limit::free("open-frames", 64, "frames", "the frame is left out");
/// Findings of one check in one session.
pub static CHECK_FINDINGS: Limit = Limit::free("check-findings", 1000, "findings", "the others are counted");

static FIXED: [Limit; 9] = [
    Limit::fixed("json-nesting", JSON_NESTING, "levels", "the value is refused"),
    Limit::fixed("yaml-nesting", YAML_NESTING, "levels", "the frontmatter is refused"),
    Limit::fixed("pattern-source", PATTERN_SOURCE, "code units", "the condition is refused"),
    Limit::fixed("pattern-states", PATTERN_STATES, "states", "the condition is left to the backtracker"),
    Limit::fixed("pattern-looks", PATTERN_LOOKS, "levels", "the condition is left to the backtracker"),
    Limit::fixed("glob-nesting", GLOB_NESTING, "levels", "the bracket is a literal"),
    Limit::fixed("glob-elements", GLOB_ELEMENTS, "elements", "every way through its stars is tried"),
    Limit::fixed("ast-pattern", AST_PATTERN, "bytes", "the condition is undecided"),
    Limit::fixed("ast-pattern-nesting", AST_PATTERN_NESTING, "levels", "the condition is undecided"),
];

/// Every limit: those that can be set, then the others.
pub fn all() -> impl Iterator<Item = &'static Limit> {
    static FREE: [&Limit; 13] = [
        &RULE_FILE,
        &FRONTMATTER,
        &YAML_COPIES,
        &SETTINGS_FILE,
        &CONFIG_FILE,
        &BASELINE_FILE,
        &IGNORE_LIST,
        &AS_WRITE_FILE,
        &AST_SOURCE,
        &PATTERN_STEPS,
        &STREAM_FRAME,
        &OPEN_FRAMES,
        &CHECK_FINDINGS,
    ];
    FREE.iter().copied().chain(&FIXED)
}

/// A limit and the value for it, as `NAME=VALUE` writes it; `K`, `M` and `G` behind the number are powers of 1024.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    limit: &'static Limit,
    value: u64,
}

impl Setting {
    /// Reads `NAME=VALUE`.
    ///
    /// # Errors
    /// Why it is none, in a sentence without a full stop.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("a limit is written NAME=VALUE")?;
        let limit = all().find(|limit| limit.name == name).ok_or("no such limit; `ttsr help limits` lists them")?;
        if !limit.is_free {
            return Err(format!("{name} keeps the program from running out of stack and cannot be set"));
        }
        let (digits, shift) = match value.char_indices().next_back() {
            Some((at, 'K' | 'k')) => (&value[..at], 10),
            Some((at, 'M' | 'm')) => (&value[..at], 20),
            Some((at, 'G' | 'g')) => (&value[..at], 30),
            _ => (value, 0),
        };
        let number: Option<u64> =
            digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
        let value = number.and_then(|number| number.checked_mul(1 << shift)).filter(|value| *value > 0);
        Ok(Self {
            limit,
            value: value.ok_or("the value is a whole number above 0, with K, M or G behind it if need be")?,
        })
    }

    /// Lets it hold for this process from now on.
    pub fn apply(self) {
        self.limit.set.store(self.value, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_names_a_free_limit_and_a_number() {
        let good = Setting::parse("rule-file=2M").expect("a setting");
        assert_eq!((good.limit.name, good.value), ("rule-file", 2 << 20));
        for bad in ["rule-file", "rule-file=", "rule-file=0", "rule-file=-1", "rule-file=K", "rule-file=1T", "x=1"] {
            assert!(Setting::parse(bad).is_err(), "{bad}");
        }
        for bad in ["json-nesting=1000", "rule-file=99999999999G", "rule-file=+1", "=1", "rule-file=1é"] {
            assert!(Setting::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_are_named_in_the_largest_unit_without_a_rest() {
        let sizes = [0, 20, 1 << 10, 5 << 20, 64 << 30, (1 << 20) + 1].map(bytes);
        assert_eq!(sizes, ["0 bytes", "20 bytes", "1 KiB", "5 MiB", "64 GiB", "1048577 bytes"]);
    }

    #[test]
    fn names_are_unique_and_values_are_written_shortly() {
        let mut names: Vec<&str> = all().map(|limit| limit.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        for limit in all().filter(|limit| limit.is_free) {
            let again = Setting::parse(&format!("{}={}", limit.name, written(limit.usual))).expect("a setting");
            assert_eq!(again.value, limit.usual, "{}", limit.name);
        }
    }
}
