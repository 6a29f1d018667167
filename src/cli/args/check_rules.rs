//! The arguments of `ttsr check-rules`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{RuleArgs, any_path};

/// Shown behind the help.
pub(super) const EXAMPLES: &str = "\
Examples:
  ttsr check-rules --list
      every rule the agent would find here, and what becomes of it
  ttsr check-rules .omp/rules --list --format json
      the same as data, for the files of one directory
  ttsr check-rules .omp/rules --fix
      what is wrong with the files, and a diff of what can be mended without a decision of yours
  ttsr check-rules .omp/rules --format sarif > rules.sarif
      findings for a code-scanning service; github and junit are for workflows and test reports
  ttsr check-rules --explain comma-in-glob
      what a code means, with a rule that gives it and one that does not
  ttsr check-rules .omp/rules --examples
      do the samples under `examples:` in each file fire, or stay silent, as they should?
  ttsr check-rules .omp/rules --examples-required --fail-on warning
      the same for CI: a rule without a sample, or a condition that none fires, fails too";

/// `ttsr check-rules`
#[derive(Debug, Args)]
pub struct CheckRulesArgs {
    /// Rule files or directories, `-` for one file on standard input; none: discovery
    #[arg(value_name = "PATH", value_parser = any_path())]
    pub paths: Vec<PathBuf>,
    /// Rules and settings.
    #[command(flatten)]
    pub rules: RuleArgs,
    /// What the file on standard input is called: its rule is named as if it were that file
    #[arg(long, value_name = "NAME", requires = "paths", help_heading = "Rules and settings")]
    pub stdin_filename: Option<String>,
    /// Home directory for discovery
    #[arg(long, value_name = "DIR", help_heading = "Rules and settings")]
    pub home: Option<PathBuf>,
    /// List what became of each rule
    #[arg(long, help_heading = "Output")]
    pub list: bool,
    /// Say what a code means, with a rule that gives it and one that does not; `all` lists the codes
    #[arg(long, value_name = "CODE", help_heading = "Output")]
    pub explain: Option<String>,
    /// Treat a code (TTSR033 or comma-in-glob), or all, as an error
    #[arg(long, value_name = "CODE", help_heading = "Severity")]
    pub deny: Vec<String>,
    /// Treat a code, or all, as a warning
    #[arg(long, value_name = "CODE", help_heading = "Severity")]
    pub warn: Vec<String>,
    /// Leave a code, or all, out; a code that is named wins over all
    #[arg(long, value_name = "CODE", help_heading = "Severity")]
    pub allow: Vec<String>,
    /// Show the repairs that cannot change what a valid rule matches, as a diff
    #[arg(long, help_heading = "Repair")]
    pub fix: bool,
    /// Apply the repairs of --fix, and report what is left
    ///
    /// Without a PATH only files of the project are changed. A file appears whole or not at all.
    #[arg(long, requires = "fix", help_heading = "Repair")]
    pub write: bool,
    /// Run the samples that rule files hold under `examples:`: texts that must fire, and texts that must not
    ///
    /// Each runs as `replay --text` would run it, and once more as it streams, so that a rule is seen that fires on
    /// the beginning of a text and not on all of it
    #[arg(long, help_heading = "Samples")]
    pub examples: bool,
    /// As --examples, and every registered rule must have a sample that it fires on
    #[arg(long, help_heading = "Samples")]
    pub examples_required: bool,
    /// Form of the report
    #[arg(long, value_enum, value_name = "FORM", default_value_t, help_heading = "Output")]
    pub format: CheckFormat,
    /// Print the JSON Schema of the JSON form and stop
    #[arg(long, help_heading = "Output")]
    pub schema: bool,
    /// Print the JSON Schema of the frontmatter of rule files, for editors, and stop
    #[arg(long, conflicts_with = "schema", help_heading = "Output")]
    pub frontmatter_schema: bool,
}

/// Forms of the lint report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// Text
    #[default]
    Human,
    /// One document
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// Workflow annotations
    Github,
    /// JUnit XML
    Junit,
}
