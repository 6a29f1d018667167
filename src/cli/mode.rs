//! [`Mode`]: whether inputs are told of one by one, or in a report over all of them (cli.md section 2).

use super::CliError;
use super::args::{CountArg, OnTrigger, ReplayArgs, ReplayFormat, TraceArg};
use crate::replay::trace::Counting;

/// How a replay tells of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A run that stands for itself.
    Alone,
    /// Several runs, each told of as if it were alone.
    Each,
    /// One report over all.
    Report(Counting),
}

impl Mode {
    /// What the options ask for. A comparison, an explanation or a full trace is about single runs.
    ///
    /// # Errors
    /// When options contradict each other.
    pub(super) fn of(args: &ReplayArgs) -> Result<Self, CliError> {
        let corpus = &args.corpus;
        let is_many =
            args.inputs.len() > 1 || args.inputs.iter().any(|input| input.is_dir()) || corpus.files_from.is_some();
        let aborts = args.on_trigger == Some(OnTrigger::Abort);
        let counting = match (corpus.count, aborts) {
            (Some(CountArg::Every), true) => {
                return Err(CliError::usage(
                    "--count every observes: --on-trigger abort would hide what follows a match",
                )
                .with_help("leave one of them out"));
            }
            (Some(CountArg::Agent), _) | (None, true) => Counting::Agent,
            (Some(CountArg::Every) | None, false) => Counting::Every,
        };
        let about_single_runs = corpus.each
            || args.verify
            || args.explain.is_some()
            || args.print_asks
            || args.author.expect.is_some()
            || args.script.is_some()
            || args.trace == TraceArg::Full
            || args.rules.lifecycle.len() > 1;
        if corpus.count.is_some() && about_single_runs {
            return Err(CliError::usage("--count is about a report over all inputs")
                .with_help("leave out what tells of single runs: --script, --trace full, several lifecycles"));
        }
        let mode = match is_many {
            _ if corpus.merge || corpus.count.is_some() => Self::Report(counting),
            true if !about_single_runs => Self::Report(counting),
            true => Self::Each,
            false => Self::Alone,
        };
        let is_csv_report = matches!(mode, Self::Report(_)) && args.format == ReplayFormat::Csv;
        if corpus.table.is_some() && !is_csv_report {
            return Err(CliError::usage("--table chooses among the tables of a report as CSV")
                .with_help("add --format csv, and --count every for a single input"));
        }
        Ok(mode)
    }

    /// Whether a match is only noted.
    pub(super) fn observes(self, args: &ReplayArgs) -> bool {
        match args.on_trigger {
            Some(action) => action == OnTrigger::Observe,
            None => matches!(self, Self::Report(_)),
        }
    }

    /// What a report counts.
    pub(super) fn counting(self) -> Option<Counting> {
        match self {
            Self::Report(counting) => Some(counting),
            Self::Alone | Self::Each => None,
        }
    }
}
