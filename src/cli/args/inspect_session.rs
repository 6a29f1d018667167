//! The arguments of `ttsr inspect-session`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{RuleArgs, any_path};

/// Shown behind the help.
pub(super) const EXAMPLES: &str = "\
Examples:
  ttsr inspect-session session.jsonl
  ttsr inspect-session sessions/ --injections
      what was injected where: a row per injection of every session below that folder
  ttsr inspect-session sessions/ --project .
      the report of all of them: damage, injections by rule, rules that are disabled and by whom
  ttsr inspect-session session.jsonl --compare
      what the agent refuses, loses or reads otherwise
  ttsr inspect-session session.jsonl --state-at 302b0dc5
      the rules in force, pending and forgotten at that entry
  ttsr inspect-session session.jsonl --follow 3d521466 --rules .omp/rules
      one injection from its match to what came of it
  ttsr inspect-session sessions/ --format csv --table findings";

/// `ttsr inspect-session`
#[derive(Debug, Args)]
pub struct InspectSessionArgs {
    /// Session files, directories, or - for standard input
    #[arg(value_name = "FILE", value_parser = any_path())]
    pub files: Vec<PathBuf>,
    /// Rules and settings.
    #[command(flatten)]
    pub rules: RuleArgs,
    /// Which branch: the id of its last entry
    #[arg(long, value_name = "ID", conflicts_with = "all_branches")]
    pub leaf: Option<String>,
    /// Every branch
    #[arg(long)]
    pub all_branches: bool,
    /// Draw the tree
    #[arg(long)]
    pub tree: bool,
    /// Only the persisted injections
    #[arg(long)]
    pub injections: bool,
    /// The rebuilt context of the leaf
    #[arg(long)]
    pub context: bool,
    /// What the agent itself would see
    #[arg(long)]
    pub faithful: bool,
    /// Replay the branch and compare
    #[arg(long)]
    pub replay: bool,
    /// What happened, in order: turns, prompts, triggers, injections, ends of processes, compactions, changed settings
    #[arg(long)]
    pub timeline: bool,
    /// Which rules were in force, pending and forgotten at that entry, and which entry decided it
    #[arg(long, value_name = "ENTRY")]
    pub state_at: Option<String>,
    /// One injection from its match to its reminder, the answer behind it, and what came later; with rules given also
    /// their text then and now
    #[arg(long, value_name = "ENTRY")]
    pub follow: Option<String>,
    /// What the agent reads of the file beside what is there
    #[arg(long, conflicts_with = "faithful")]
    pub compare: bool,
    /// Of several files each one, behind the report of all
    #[arg(long)]
    pub each: bool,
    /// The sessions of one project together, in the order in which they came about
    #[arg(long)]
    pub by_project: bool,
    /// Form of the report
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    pub format: InspectFormat,
    /// Which table --format csv prints
    #[arg(long, value_enum, value_name = "TABLE")]
    pub table: Option<InspectTable>,
    /// Print the JSON Schema of the JSON forms, of one file and of several, and stop
    #[arg(long)]
    pub schema: bool,
}

/// Forms of the audit report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum InspectFormat {
    /// Text
    #[default]
    Human,
    /// One document
    Json,
    /// One document a file, one a line
    Jsonl,
    /// One table
    Csv,
    /// SARIF 2.1.0
    Sarif,
}

/// Tables of the CSV form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum InspectTable {
    /// A row per rule of each persisted injection
    #[default]
    Injections,
    /// A row per rule, over all files
    Rules,
    /// A row per file
    Sessions,
    /// A row per finding
    Findings,
    /// A row per rule that a switch turns off, and who did it
    Disabled,
}
