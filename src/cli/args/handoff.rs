//! The arguments of `ttsr handoff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{RuleArgs, TraceArg};
use crate::generation::Pipeline;

/// Shown behind the help.
pub(super) const EXAMPLES: &str = "\
Examples:
  ttsr handoff session.jsonl --document handoff.md --output next.jsonl
      a new session that begins with that document
  ttsr handoff session.jsonl --script replies.json --rules rules --trace full --format jsonl
      the scripted agent writes the document under these rules: each decision, each state of the handoff
  ttsr handoff session.jsonl --print-transcript
      no model is asked: paste this into one, save its answer, and give it back with --document";

/// `ttsr handoff`
#[derive(Debug, Args)]
pub struct HandoffArgs {
    /// The session to hand off; with several each is handed off by itself
    #[arg(value_name = "SESSION")]
    pub sessions: Vec<PathBuf>,
    /// Rules and settings.
    #[command(flatten)]
    pub rules: RuleArgs,
    /// Scripted replies that answer the handoff prompt
    #[arg(long, value_name = "FILE", conflicts_with = "document")]
    pub script: Option<PathBuf>,
    /// The document as given, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub document: Option<PathBuf>,
    /// What the document should focus on
    #[arg(long, value_name = "TEXT")]
    pub focus: Option<String>,
    /// The new session file
    #[arg(long, value_name = "FILE", conflicts_with = "output_dir")]
    pub output: Option<PathBuf>,
    /// Folder of the new session file
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,
    /// Generation of the handoff pipeline
    #[arg(long, value_enum, value_name = "PIPELINE", default_value_t)]
    pub pipeline: PipelineArg,
    /// Write parentSession
    #[arg(long, conflicts_with = "no_lineage")]
    pub lineage: bool,
    /// Do not write parentSession
    #[arg(long)]
    pub no_lineage: bool,
    /// Write what the generation would, even from a failed or empty reply
    #[arg(long)]
    pub faithful: bool,
    /// A copy of the old session with what the pipeline adds to it
    #[arg(long, value_name = "FILE")]
    pub write_source: Option<PathBuf>,
    /// Print the request and stop
    #[arg(long)]
    pub print_prompt: bool,
    /// Print the session's transcript with the request behind it, to be pasted into a model, and stop
    #[arg(long, conflicts_with = "print_prompt")]
    pub print_transcript: bool,
    /// Seed of the ids that are written
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The time that is written
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,
    /// What the trace of --format jsonl tells: the decisions, or also the states of the handoff, what receivers get,
    /// what the model is given, gates and reservations
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub trace: TraceArg,
    /// Form of the report
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    pub format: HandoffFormat,
    /// Print the JSON Schema of the JSON form and stop
    #[arg(long)]
    pub schema: bool,
}

/// Generations of the handoff pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PipelineArg {
    /// The user's document
    G1,
    /// 13.19
    G2,
    /// 14.9
    G3,
    /// 17.2
    G4,
    /// 18.2
    G5,
}

impl PipelineArg {
    /// The generation that it names.
    pub fn pipeline(self) -> Pipeline {
        match self {
            Self::G1 => Pipeline::G1,
            Self::G2 => Pipeline::G2,
            Self::G3 => Pipeline::G3,
            Self::G4 => Pipeline::G4,
            Self::G5 => Pipeline::G5,
        }
    }
}

impl Default for PipelineArg {
    fn default() -> Self {
        let is_default = |arg: &&Self| arg.pipeline() == Pipeline::default();
        *Self::value_variants().iter().find(is_default).unwrap_or(&Self::G1)
    }
}

/// Forms of the handoff report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum HandoffFormat {
    /// Text
    #[default]
    Human,
    /// One document
    Json,
    /// The trace of the run instead of a report, one line per event
    Jsonl,
}
