//! The options of `ttsr replay` for many inputs: which of them, and what must hold of them together.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Which inputs, and which limits.
#[derive(Clone, Debug, Default, Args)]
pub struct CorpusArgs {
    /// Paths of inputs, one a line, or separated by NUL as `find -print0` writes them; - for standard input
    #[arg(long, value_name = "FILE|-", help_heading = "Choice of inputs", conflicts_with_all = ["text", "text_file", "script", "as_write"])]
    pub files_from: Option<PathBuf>,
    /// Of the files below a directory only those whose path in it matches: `2026/**`, `*-nightly.jsonl`
    #[arg(long, value_name = "GLOB", help_heading = "Choice of inputs", conflicts_with = "as_write")]
    pub include: Vec<String>,
    /// Of the files below a directory none whose path in it matches; it wins over --include
    #[arg(long, value_name = "GLOB", help_heading = "Choice of inputs", conflicts_with = "as_write")]
    pub exclude: Vec<String>,
    /// Only inputs that began then or later, by the time in their header: 2026-01-31 or 2026-01-31T12:00:00.000Z
    #[arg(long, value_name = "TIME", help_heading = "Choice of inputs", conflicts_with = "as_write")]
    pub since: Option<String>,
    /// Only inputs that began before then; a date is its first moment, in UTC
    #[arg(long, value_name = "TIME", help_heading = "Choice of inputs", conflicts_with = "as_write")]
    pub until: Option<String>,
    /// Of all inputs in their order every N-th, from the K-th on: 1/4, 2/4, 3/4 and 4/4 make the whole
    #[arg(long, value_name = "K/N", help_heading = "Choice of inputs", conflicts_with = "as_write")]
    pub shard: Option<String>,

    /// Count inputs that cannot be read as warnings: they are in the report, and the gates decide about the status
    ///
    /// Without it the status is 3, whatever the gates say. Where nothing at all can be read it is 3 all the same.
    #[arg(long, help_heading = "Choice of inputs", conflicts_with = "as_write")]
    pub allow_unreadable: bool,

    /// Tell of each of several inputs by itself, as of a single one, in place of a report over all
    #[arg(long, help_heading = "Many inputs", conflicts_with_all = ["count", "merge", "table"])]
    pub each: bool,
    /// What the report over several inputs counts; without it: every, or agent where --on-trigger abort is given
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Many inputs", conflicts_with_all = ["as_write", "verify", "expect", "explain", "print_asks", "baseline", "baseline_set"])]
    pub count: Option<CountArg>,
    /// The inputs are traces that `--format jsonl` wrote, of several processes: make one report of them
    #[arg(long, help_heading = "Many inputs", conflicts_with_all = ["count", "rules", "text", "text_file", "script", "as_write", "resume", "all_branches", "leaf", "verify", "expect", "explain", "print_asks", "baseline", "baseline_set", "on_trigger", "chunk", "since", "until", "write_session", "emit_events", "lifecycle", "only_rule"])]
    pub merge: bool,
    /// Which table of the report --format csv writes; without it the one of rules
    #[arg(long, value_enum, value_name = "TABLE", help_heading = "Many inputs", conflicts_with = "as_write")]
    pub table: Option<ReportTable>,

    /// Status 1 when a rule triggers more than N times in 1,000 assistant messages of all inputs
    #[arg(long, value_name = "RULE=N", help_heading = "Gates", conflicts_with_all = ["baseline", "baseline_set", "print_asks", "as_write"])]
    pub max_rate: Vec<String>,
    /// Status 1 when less than this percentage of the registered rules triggers in any input
    #[arg(long, value_name = "PERCENT", help_heading = "Gates", conflicts_with_all = ["baseline", "baseline_set", "print_asks", "as_write"])]
    pub require_coverage: Option<String>,
    /// Status 1 when more than this percentage of the triggers is premature: the rule does not match the whole block
    #[arg(long, value_name = "PERCENT", help_heading = "Gates", conflicts_with_all = ["baseline", "baseline_set", "print_asks", "as_write"])]
    pub max_premature: Option<String>,
    /// Status 1 when a decision could not be reached
    #[arg(long, help_heading = "Gates", conflicts_with_all = ["baseline", "baseline_set", "print_asks", "as_write"])]
    pub fail_on_undecided: bool,
}

/// What a report over many inputs counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CountArg {
    /// What matches in every message, however often the repeat policy lets it trigger
    Every,
    /// What the agent would have done
    Agent,
}

/// Tables of a report over many inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportTable {
    /// The counts of each rule
    #[default]
    Rules,
    /// Places at which each rule matches
    Samples,
    /// Inputs that could not be read
    Refused,
}

impl CorpusArgs {
    /// Whether inputs are chosen by more than their names.
    pub fn chooses(&self) -> bool {
        self.files_from.is_some()
            || !self.include.is_empty()
            || !self.exclude.is_empty()
            || self.since.is_some()
            || self.until.is_some()
            || self.shard.is_some()
    }
}
