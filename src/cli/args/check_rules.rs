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
  ttsr check-rules .omp/rules --diff
      what is wrong with the files, and a diff of what --fix would mend without a decision of yours
  ttsr check-rules .omp/rules --format sarif > rules.sarif
      findings for a code-scanning service; github, gitlab and junit are for workflows and test reports
  ttsr check-rules --write-baseline known.json
      begin with what is there; from then on --findings-baseline known.json fails on what is new
  ttsr check-rules --explain comma-in-glob
      what a code means, with a rule that gives it and one that does not
  ttsr check-rules .omp/rules --examples
      do the samples under `examples:` in each file fire, or stay silent, as they should?
  ttsr check-rules .omp/rules --examples-required --fail-on warning
      the same for CI: a rule without a sample, or a condition that none fires, fails too";

/// `ttsr check-rules`
#[derive(Clone, Debug, Args)]
pub struct CheckRulesArgs {
    /// Rule files or directories, or - for standard input; none: discovery
    #[arg(value_name = "PATH", value_parser = any_path())]
    pub paths: Vec<PathBuf>,
    /// Name of the rule file that standard input holds, with - as PATH
    ///
    /// With --fix or --add-ignores the changed rule is written to standard output, and the report to standard error.
    #[arg(long, value_name = "FILE", value_parser = any_path(), help_heading = "Rules and settings")]
    pub stdin_filename: Option<PathBuf>,
    /// Rules and settings.
    #[command(flatten)]
    pub rules: RuleArgs,
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
    /// Apply the repairs that cannot change what a valid rule matches, and report what is left
    ///
    /// Without a PATH only files of the project are changed. A file appears whole or not at all.
    #[arg(long, help_heading = "Repair")]
    pub fix: bool,
    /// Show what --fix would do and write nothing; the exit status is 1 where it would
    #[arg(long, help_heading = "Repair")]
    pub diff: bool,
    /// Let --fix and --diff also take repairs that change what a rule matches
    #[arg(long, help_heading = "Repair")]
    pub unsafe_fixes: bool,
    /// --fix writes by itself
    #[arg(long, hide = true)]
    pub write: bool,
    /// Show the findings that rule files accept with `ttsr-ignore` like all others
    #[arg(long, help_heading = "Known findings")]
    pub no_ignore: bool,
    /// Have the rule files accept what is found and makes the run fail: a line `# ttsr-ignore CODE` above each key
    #[arg(long, conflicts_with = "no_ignore", help_heading = "Known findings")]
    pub add_ignores: bool,
    /// Only what this file does not list counts: the findings that are known
    #[arg(long, value_name = "FILE", help_heading = "Known findings")]
    pub findings_baseline: Option<PathBuf>,
    /// Write what is found to a new file for --findings-baseline
    #[arg(long, value_name = "FILE", conflicts_with = "findings_baseline", help_heading = "Known findings")]
    pub write_baseline: Option<PathBuf>,
    /// Take out of the file of --findings-baseline what is not found any more; nothing is added
    #[arg(long, conflicts_with = "write_baseline", help_heading = "Known findings")]
    pub update_baseline: bool,
    /// Run the samples that rule files hold under `examples:`: texts that must fire, and texts that must not
    ///
    /// Each runs as `replay --text` would run it, and once more as it streams, so that a rule is seen that fires on
    /// the beginning of a text and not on all of it
    #[arg(long, help_heading = "Samples")]
    pub examples: bool,
    /// As --examples, and every registered rule must have a sample that it fires on
    #[arg(long, help_heading = "Samples")]
    pub examples_required: bool,
    /// Read this configuration in place of the `ttsr.toml` (or `.ttsr.toml`) that is found upward to the root of the
    /// repository
    #[arg(long, value_name = "FILE", conflicts_with = "no_config", help_heading = "Configuration")]
    pub config: Option<PathBuf>,
    /// Read no configuration
    #[arg(long, help_heading = "Configuration")]
    pub no_config: bool,
    /// Print what holds after the configuration and the options, as a configuration, and stop
    #[arg(long, help_heading = "Configuration")]
    pub show_config: bool,
    /// Address that explains a code, with {code} or {name} in its place; for forms that hold one
    #[arg(long, value_name = "URI", help_heading = "Output")]
    pub help_uri: Option<String>,
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
    /// Code quality report
    Gitlab,
    /// JUnit XML
    Junit,
}
