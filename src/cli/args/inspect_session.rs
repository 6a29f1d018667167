//! The arguments of `ttsr inspect-session`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{RuleArgs, any_path};

/// Shown behind the help.
pub(super) const EXAMPLES: &str = "\
Examples:
  ttsr inspect-session session.jsonl
  ttsr inspect-session session.jsonl --injections --format json";

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
    /// Form of the report
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    pub format: InspectFormat,
}

/// Forms of the audit report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum InspectFormat {
    /// Text
    #[default]
    Human,
    /// One document
    Json,
    /// SARIF 2.1.0
    Sarif,
}
