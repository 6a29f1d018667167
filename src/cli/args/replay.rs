//! The arguments of `ttsr replay`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{AuthorArgs, CorpusArgs, RuleArgs, any_path};

/// Shown behind the help.
pub(super) const EXAMPLES: &str = "\
Examples:
  ttsr replay session.jsonl --rules .omp/rules
      which rules fire in a recorded session, where, and what is injected
  ttsr replay --text 'let x = y as any;' --path src/a.ts --rules no-any.md
      does my rule fire on this write call?
  ttsr replay runs/ --rules rules --verify --format jsonl
      does the engine decide as the recordings say?
  ttsr replay --text 'git push' --tool bash --rules no-push.md --explain
      and if not, why: which gate, what was searched, where it came closest
  ttsr replay runs/ --rules rules --baseline rules-before
      what does my edit of the rules change?
  ttsr replay runs/ --rules rules --since 2026-11-01 --max-rate no-any=20 --fail-on-undecided
      is a rule too noisy, and was everything decided, in the sessions since then? (status 1 if not)
  ttsr replay --as-write src --rules rules
      what would my rules say of the code that is here?
  ttsr replay session.jsonl --rules rules --expect expected.jsonl
      does a run still decide as it did? (--update writes the file)
  ttsr replay --script replies.json --prompt 'Fix it' --rules rules --write-session out.jsonl
      play a scripted agent and keep the session it would have written";

/// `ttsr replay`
#[derive(Clone, Debug, Args)]
pub struct ReplayArgs {
    /// Recorded sessions, event streams, directories of them, or - for standard input
    #[arg(value_name = "INPUT", value_parser = any_path())]
    pub inputs: Vec<PathBuf>,
    /// Which inputs, and limits.
    #[command(flatten)]
    pub corpus: CorpusArgs,
    /// Rules and settings.
    #[command(flatten)]
    pub rules: RuleArgs,
    /// What rule authors ask.
    #[command(flatten)]
    pub author: AuthorArgs,

    /// Scripted replies, a JSON array or JSON Lines: with --prompt a run of their own, beside an input its retries
    ///
    /// Beside a recorded input the first reply answers the first retry of an interrupted message, and so on; where there
    /// are no more, the next recorded message does. A reply with tool calls is followed by the next one.
    ///
    /// {"handoff": {"pipeline": "g1", "focus": "…", "document": "…"}} among them hands the session off when the agent is
    /// idle there, between prompts; without `document` the next reply is the answer. --write-session FILE.jsonl then
    /// holds the session that follows, and FILE.1.jsonl the one that was handed off.
    #[arg(long, value_name = "FILE", help_heading = "What to run")]
    pub script: Option<PathBuf>,
    /// A user prompt of a scripted run
    #[arg(long, value_name = "TEXT", help_heading = "What to run")]
    pub prompt: Vec<String>,
    /// One message, or one finished tool call, made of this text
    #[arg(long, value_name = "TEXT", help_heading = "What to run", conflicts_with_all = ["text_file", "inputs", "script"])]
    pub text: Option<String>,
    /// As --text, from a file or - for standard input
    #[arg(long, value_name = "FILE", help_heading = "What to run", conflicts_with_all = ["inputs", "script"])]
    pub text_file: Option<PathBuf>,
    /// What the text is
    #[arg(long, value_enum, value_name = "SOURCE", help_heading = "What to run")]
    pub source: Option<SourceArg>,
    /// The tool whose call the text is
    #[arg(long, value_name = "NAME", help_heading = "What to run")]
    pub tool: Option<String>,
    /// The file the call writes
    #[arg(long, value_name = "P", help_heading = "What to run")]
    pub path: Option<String>,
    /// Continue this session: its injected rules count, and what --write-session writes begins with its lines
    #[arg(long, value_name = "SESSION", help_heading = "What to run")]
    pub resume: Option<PathBuf>,
    /// In transcripts of other agents, play the messages of sub-agents too
    #[arg(long, help_heading = "What to run")]
    pub subagents: bool,
    /// Which branch of a session: the id of its last entry
    #[arg(long, value_name = "ID", help_heading = "What to run")]
    pub leaf: Option<String>,

    /// How whole messages become deltas: chars:N, words, lines, block or all; without it chars:4 for recorded ones,
    /// and one delta for --text
    #[arg(long, value_name = "MODE", help_heading = "How to run")]
    pub chunk: Option<String>,
    /// What a match does; without it abort, and observe in a report over several inputs
    #[arg(long, value_enum, value_name = "ACTION", help_heading = "How to run")]
    pub on_trigger: Option<OnTrigger>,
    /// How streamed tool arguments are re-read
    #[arg(long, value_enum, value_name = "HOW", default_value_t, help_heading = "How to run")]
    pub arguments: ArgumentsArg,
    /// Answers about judged rules: rows such as {"rule": "no-blame", "answer": "yes"}, as a JSON array or one a line
    #[arg(long, value_name = "FILE|-", help_heading = "How to run")]
    pub verdicts: Option<PathBuf>,
    /// Working directory of the run, where the input names none
    #[arg(long, value_name = "DIR", help_heading = "How to run")]
    pub cwd: Option<String>,
    /// Home directory of the run
    #[arg(long, value_name = "DIR", help_heading = "How to run")]
    pub home: Option<String>,
    /// Text of interrupt reminders, with {{name}}, {{path}} and {{content}}
    #[arg(long, value_name = "FILE", help_heading = "How to run")]
    pub interrupt_template: Option<PathBuf>,
    /// Text of tool reminders, with {{name}}, {{path}} and {{content}}
    #[arg(long, value_name = "FILE", help_heading = "How to run")]
    pub reminder_template: Option<PathBuf>,
    /// Seed of the ids that are written
    #[arg(long, value_name = "N", help_heading = "How to run")]
    pub seed: Option<u64>,
    /// Time at which the run begins
    #[arg(long, value_name = "TIME", help_heading = "How to run")]
    pub now: Option<String>,
    /// Inputs done at a time; the output order stays
    #[arg(long, value_name = "N", help_heading = "How to run")]
    pub jobs: Option<usize>,

    /// Compare with what the input itself records
    #[arg(long, help_heading = "Comparison")]
    pub verify: bool,

    /// What a trace tells: the decisions, or also what receivers get, what the model is given, gates and reservations
    #[arg(long, value_enum, value_name = "WHAT", default_value_t, help_heading = "Output")]
    pub trace: TraceArg,
    /// Say at each message why a rule did not fire
    #[arg(long, value_name = "RULE", num_args = 0..=1, require_equals = true, default_missing_value = "", help_heading = "Output")]
    pub explain: Option<String>,
    /// Print what a judge would be asked, one JSON line an output, in place of the report
    #[arg(long, help_heading = "Output")]
    pub print_asks: bool,
    /// Write the session that results
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub write_session: Option<PathBuf>,
    /// Write the run as an event stream
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub emit_events: Option<PathBuf>,
    /// Form of the report
    #[arg(long, value_enum, value_name = "FORM", default_value_t, help_heading = "Output")]
    pub format: ReplayFormat,
    /// Print the JSON Schema of a JSON form; without a name that of a replay of single inputs
    #[arg(long, value_enum, value_name = "OF", num_args = 0..=1, require_equals = true, default_missing_value = "replay", help_heading = "Output")]
    pub schema: Option<SchemaOf>,
}

/// JSON forms of `ttsr replay`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// Single inputs: their traces
    Replay,
    /// One line of a trace
    Trace,
    /// The report over several inputs
    Report,
    /// What changes, with --baseline
    Change,
    /// What rules say of files, with --as-write
    Files,
}

/// What a trace tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TraceArg {
    /// Decisions, injections, persisted entries
    #[default]
    Decisions,
    /// Also what receivers get, what the model is given, gates and reservations
    Full,
}

/// What `--text` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SourceArg {
    /// Prose
    Text,
    /// Thinking
    Thinking,
    /// A finished tool call
    Tool,
}

/// What a match does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnTrigger {
    /// Abort, inject, retry, as the agent does
    Abort,
    /// Note the decision and let the recorded stream go on
    Observe,
}

/// How streamed tool arguments are re-read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ArgumentsArg {
    /// As lazily as providers do
    #[default]
    Throttled,
    /// At each delta
    Eager,
}

/// Forms of the replay report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReplayFormat {
    /// Tables
    #[default]
    Human,
    /// One document
    Json,
    /// One trace line per event
    Jsonl,
    /// The totals
    Csv,
}

impl ReplayFormat {
    /// Whether something is written before the end of all inputs. `in_report`: whether one report tells of all.
    pub fn is_told_as_it_comes(self, in_report: bool) -> bool {
        self == Self::Jsonl || !in_report
    }
}
