//! The command line as typed (cli.md), one file a command. Nothing here touches a file; `config` turns it into settings
//! and rules.

mod author;
mod check_rules;
mod corpus;
mod handoff;
mod inspect_session;
mod replay;
mod rules;

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

pub use author::AuthorArgs;
pub use check_rules::{CheckFormat, CheckRulesArgs};
pub use corpus::{CorpusArgs, CountArg, ReportTable};
pub use handoff::{HandoffArgs, HandoffFormat, PipelineArg};
pub use inspect_session::{InspectFormat, InspectSessionArgs, InspectTable};
pub use replay::{ArgumentsArg, OnTrigger, ReplayArgs, ReplayFormat, SchemaOf, SourceArg, TraceArg};
pub use rules::{LifecycleArg, RuleArgs};

use crate::limits::Setting;

/// Replay, lint and audit the stream rules of coding agents.
#[derive(Debug, Parser)]
#[command(name = "ttsr", version, propagate_version = true, max_term_width = 100, after_long_help = EXIT_STATUS)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options of every command.
    #[command(flatten)]
    pub common: Common,
}

/// Of every command, and the topic `exit-status`.
pub(super) const EXIT_STATUS: &str = "\
Exit status:
  0  done (a replay that triggers rules is 0)
  1  findings at or above --fail-on, a difference found by --verify, --expect or --baseline, or a
     gate that does not hold
  2  wrong usage
  3  something asked for could not be done: an input missing, empty or unreadable, no rules at a path, …
  128 and the number of the signal that ended the run (130 for an interrupt from the keyboard)

Topics: ttsr help limits, ttsr help exit-status, ttsr help codes";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run recorded sessions, event streams or scripts through the rules: what fires, where, and what follows
    #[command(after_long_help = replay::EXAMPLES)]
    Replay(Box<ReplayArgs>),
    /// Lint rule files, or list what the agent makes of them
    #[command(after_long_help = check_rules::EXAMPLES)]
    CheckRules(Box<CheckRulesArgs>),
    /// Audit session files: tree, turns, persisted injections and their evidence
    #[command(after_long_help = inspect_session::EXAMPLES)]
    InspectSession(InspectSessionArgs),
    /// Write the session that continues another from a handoff document
    ///
    /// No model is asked. The document comes from a script of replies, from a file, or from the end of the session itself,
    /// where an agent was asked for one. With a model of your own: --print-transcript prints what to paste into it, and
    /// --document takes its answer
    #[command(after_long_help = handoff::EXAMPLES)]
    Handoff(HandoffArgs),
}

/// Options of every command.
#[derive(Debug, Args)]
pub struct Common {
    /// Colours in human output
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN", help_heading = "Output")]
    pub color: ColorChoice,
    /// No progress and no notes on standard error
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,
    /// Also show notes
    #[arg(long, short, global = true, help_heading = "Output")]
    pub verbose: bool,
    /// Lowest severity of a finding that makes the exit status 1
    #[arg(long, global = true, value_enum, default_value_t, value_name = "SEVERITY", help_heading = "Exit status")]
    pub fail_on: FailOn,
    /// Another value for a limit on hostile input, with K, M or G behind it if need be (`ttsr help limits`); repeatable
    #[arg(long, global = true, value_name = "NAME=VALUE", value_parser = Setting::parse, help_heading = "Limits")]
    pub limit: Vec<Setting>,
    /// Exit with 0 where the status would be 1
    #[arg(long, global = true, help_heading = "Exit status")]
    pub exit_zero: bool,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The severity from which findings fail the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Errors.
    #[default]
    Error,
    /// Warnings and errors.
    Warning,
    /// Everything.
    Note,
}

/// Reads a path, the empty one too: it names no file, and the others beside it are done all the same.
fn any_path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}
