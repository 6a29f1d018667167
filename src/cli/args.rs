//! The command line as typed (cli.md). Nothing here touches a file; `config` turns it into settings and rules.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

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

const EXIT_STATUS: &str = "\
Exit status:
  0  done (a replay that triggers rules is 0)
  1  findings at or above --fail-on, or a difference found by --verify
  2  wrong usage
  3  something asked for could not be done: an input missing, empty or unreadable, no rules at a path, …";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run recorded sessions, event streams or scripts through the rules: what fires, where, and what follows
    #[command(after_long_help = REPLAY_EXAMPLES)]
    Replay(Box<ReplayArgs>),
    /// Lint rule files, or list what the agent makes of them
    #[command(after_long_help = CHECK_EXAMPLES)]
    CheckRules(CheckRulesArgs),
    /// Audit session files: tree, turns, persisted injections and their evidence
    #[command(after_long_help = INSPECT_EXAMPLES)]
    InspectSession(InspectSessionArgs),
    /// Generate a handoff document from a session and write the new session file
    #[command(after_long_help = HANDOFF_EXAMPLES)]
    Handoff(HandoffArgs),
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  ttsr replay session.jsonl --rules .omp/rules
      which rules fire in a recorded session, where, and what is injected
  ttsr replay --text 'let x = y as any;' --path src/a.ts --rules no-any.md
      does my rule fire on this write call?
  ttsr replay runs/ --rules rules --verify --format jsonl
      does the engine decide as the recordings say?
  ttsr replay --script replies.json --prompt 'Fix it' --rules rules --write-session out.jsonl
      play a scripted agent and keep the session it would have written";

const CHECK_EXAMPLES: &str = "\
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

const INSPECT_EXAMPLES: &str = "\
Examples:
  ttsr inspect-session session.jsonl
  ttsr inspect-session session.jsonl --injections --format json";

const HANDOFF_EXAMPLES: &str = "\
Examples:
  ttsr handoff session.jsonl --document handoff.md --output next.jsonl
      a new session that begins with that document
  ttsr handoff session.jsonl --script replies.json --rules rules --trace full --format jsonl
      the scripted agent writes the document under these rules: each decision, each state of the handoff";

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

/// `ttsr replay`
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Recorded sessions, event streams, directories of them, or - for standard input
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Rules and settings.
    #[command(flatten)]
    pub rules: RuleArgs,

    /// Scripted replies: a JSON array or JSON Lines
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
    /// Which branch of a session: the id of its last entry
    #[arg(long, value_name = "ID", help_heading = "What to run")]
    pub leaf: Option<String>,

    /// How whole messages become deltas: chars:N, words, lines, block or all; without it chars:4 for recorded ones,
    /// and one delta for --text
    #[arg(long, value_name = "MODE", help_heading = "How to run")]
    pub chunk: Option<String>,
    /// What a match does
    #[arg(long, value_enum, value_name = "ACTION", default_value_t, help_heading = "How to run")]
    pub on_trigger: OnTrigger,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OnTrigger {
    /// Abort, inject, retry, as the agent does
    #[default]
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

/// `ttsr check-rules`
#[derive(Debug, Args)]
pub struct CheckRulesArgs {
    /// Rule files or directories; none: discovery
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
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

/// `ttsr inspect-session`
#[derive(Debug, Args)]
pub struct InspectSessionArgs {
    /// Session files, directories, or - for standard input
    #[arg(value_name = "FILE")]
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

/// `ttsr handoff`
#[derive(Debug, Args)]
pub struct HandoffArgs {
    /// The session to hand off
    #[arg(value_name = "SESSION")]
    pub session: Option<PathBuf>,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PipelineArg {
    /// The user's document
    #[default]
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
