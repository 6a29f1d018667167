//! Which rules, settings and generation: the options that all commands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::generation::Lifecycle;

/// Which rules, under which settings.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Rules and settings")]
pub struct RuleArgs {
    /// A rule file or a directory of rule files; of equal names the first counts. Without it the rules are
    /// discovered as the agent does
    #[arg(long, value_name = "PATH")]
    pub rules: Vec<PathBuf>,
    /// Where discovery starts
    #[arg(long, value_name = "DIR", conflicts_with = "rules")]
    pub project: Option<PathBuf>,
    /// Only the rule of this name
    #[arg(long, value_name = "NAME")]
    pub only_rule: Vec<String>,
    /// Whether a rule that is named may be missing, as in rules that a run is compared with
    #[arg(skip)]
    pub may_lack_rules: bool,
    /// A YAML or JSON file that holds a `ttsr:` group
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    /// One setting, such as ttsr.repeatMode=after-gap; wins over the file
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Agent name for rules with `agents:`
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub agent: String,
    /// Rule files that count as bundled with the agent: they come last, and `ttsr.builtinRules: false` drops them
    #[arg(long, value_name = "DIR")]
    pub bundled: Option<PathBuf>,
    /// Which generation of the runtime to reproduce
    ///
    /// With `auto` each input has its own, by the marks that it carries, and the newest where it carries none; every
    /// report says which mark decided. Of standard input the first MiB is looked at. `replay` takes several
    /// generations, separated by commas, and says where they differ
    #[arg(long, value_name = "GENERATION", default_value = "auto", value_delimiter = ',')]
    pub lifecycle: Vec<LifecycleArg>,
}

/// A generation of the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LifecycleArg {
    /// By the marks in the input, else the newest
    Auto,
    /// The early documents
    V1,
    /// The later document
    V2,
    /// Release 18.2
    V3,
    /// Release 18.3
    V4,
}

impl LifecycleArg {
    /// The generation that it names; none for `auto`.
    pub fn lifecycle(self) -> Option<Lifecycle> {
        Some(match self {
            Self::Auto => return None,
            Self::V1 => Lifecycle::V1,
            Self::V2 => Lifecycle::V2,
            Self::V3 => Lifecycle::V3,
            Self::V4 => Lifecycle::V4,
        })
    }
}
