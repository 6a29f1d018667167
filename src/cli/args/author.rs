//! The options of `ttsr replay` for those who write rules.

use std::path::PathBuf;

use clap::Args;

/// What would my rules say, and what does a change of them change?
#[derive(Clone, Debug, Default, Args)]
pub struct AuthorArgs {
    /// Every file below this path as a finished write call to it
    ///
    /// Ignore files count, as git reads them; binary files and files over 5 MiB are left out and counted. Of an
    /// absolute path the calls name what is below it, else the paths as they are given. Each rule is told once a file,
    /// at the first match, whatever the repeat policy says; no judge is asked.
    #[arg(long, value_name = "PATH", help_heading = "What to run", conflicts_with_all = ["inputs", "text", "text_file", "script", "prompt", "resume", "leaf"])]
    pub as_write: Vec<PathBuf>,
    /// Every branch of each session, each in a run of its own that names its last entry
    #[arg(long, help_heading = "What to run", conflicts_with_all = ["leaf", "resume", "write_session", "emit_events"])]
    pub all_branches: bool,
    /// Compare the trace with the one in this file, in place of a report: a diff, and status 1, where they differ
    ///
    /// The file holds trace lines without their counter `seq`. With another form than `human` the report comes as
    /// always, and the diff goes to standard error.
    #[arg(long, value_name = "FILE", help_heading = "Comparison", conflicts_with_all = ["print_asks", "as_write"])]
    pub expect: Option<PathBuf>,
    /// Write the trace to the file of --expect, the one file that a replay ever replaces
    #[arg(long, requires = "expect", help_heading = "Comparison")]
    pub update: bool,
    /// Other rules, as --rules names them: run both over the same inputs and tell only what --rules decides otherwise
    ///
    /// Gained, lost or moved decisions with excerpts, and status 1; where all is the same, status 0.
    #[arg(long, value_name = "PATH", help_heading = "Comparison", conflicts_with_all = ["verify", "expect", "explain", "print_asks", "as_write", "write_session", "emit_events"])]
    pub baseline: Vec<PathBuf>,
    /// A setting of the run that is compared with, as --set takes it; without --baseline its rules are the same
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Comparison", conflicts_with_all = ["verify", "expect", "explain", "print_asks", "as_write", "write_session", "emit_events"])]
    pub baseline_set: Vec<String>,
}

impl AuthorArgs {
    /// Whether two sets of rules or settings are compared.
    pub fn compares(&self) -> bool {
        !self.baseline.is_empty() || !self.baseline_set.is_empty()
    }
}
