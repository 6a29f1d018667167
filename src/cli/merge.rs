//! `--merge`: the traces of several processes, made into one report (cli.md section 2).

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use super::args::ReplayArgs;
use super::console::Console;
use super::gates::Gates;
use super::inputs::{self, Input};
use super::mode::Mode;
use super::reporter::Reporter;
use super::{CliError, ExitStatus};
use crate::corpus::read;
use crate::diagnostic::{Diagnostic, code};
use crate::replay::trace::{TraceEvent, TraceKind};
use crate::text::{Place, json};

/// Reads the traces and makes the report.
///
/// # Errors
/// When the options do not go together; what cannot be read of the traces is shown and counted.
pub(super) fn run(
    args: &ReplayArgs,
    mode: Mode,
    gates: &Gates,
    stdin: &mut dyn Read,
    console: &mut Console<'_>,
) -> Result<(), CliError> {
    if args.inputs.is_empty() {
        return Err(CliError::usage("--merge needs traces")
            .with_help("name files that `ttsr replay … --format jsonl` wrote, or - for standard input"));
    }
    let mut merge = Merge { reporter: Reporter::new(args, mode, false)?, seen: HashMap::new() };
    for input in inputs::expand(&args.inputs) {
        let name = input.as_ref().map(Input::name).unwrap_or_default();
        let read = match input {
            Ok(Input::File(path)) => match File::open(&path) {
                Ok(file) => merge.trace(&name, BufReader::new(file), console),
                Err(error) => Err(CliError::unreadable(&path, &error)),
            },
            Ok(_) => merge.trace(&name, BufReader::new(&mut *stdin), console),
            Err(error) => Err(error),
        };
        if let Err(error) = read {
            console.fail(&error);
        }
    }
    let Merge { mut reporter, .. } = merge;
    reporter.finish(console);
    let corpus = &reporter.corpus;
    // The processes that wrote the traces have said what they could not read; the status is that of one process.
    if !corpus.refused.is_empty() && (!args.corpus.allow_unreadable || corpus.inputs == 0) {
        console.raise(ExitStatus::Failed);
    }
    gates.check(corpus, console)
}

/// What was read so far.
struct Merge {
    reporter: Reporter,
    /// The inputs that the traces tell of, each with the trace that told of it first.
    seen: HashMap<String, String>,
}

impl Merge {
    /// Reads one trace. An empty one is that of a process which had no input.
    fn trace(&mut self, name: &str, mut trace: impl BufRead, console: &mut Console<'_>) -> Result<(), CliError> {
        let mut line = Vec::new();
        let mut number = 0;
        // An input that a trace breaks off in is not counted: nobody knows what would have followed.
        let mut open: Vec<TraceEvent> = Vec::new();
        loop {
            line.clear();
            let read = trace.read_until(b'\n', &mut line);
            if read.map_err(|error| CliError::unreadable(name.as_ref(), &error))? == 0 {
                break;
            }
            number += 1;
            match event(&line) {
                Ok(None) => {}
                Ok(Some(event)) => self.take(event, &mut open, (name, number), console),
                Err(why) => {
                    let finding = Diagnostic::new(code::MALFORMED_TRACE, format!("this is no line of a trace: {why}"));
                    console.report(&finding.at(Place::line(name, number, 0)));
                    console.raise(ExitStatus::Failed);
                }
            }
        }
        if let Some(first) = open.first() {
            let message = format!("the trace of {} breaks off, so it is not counted", first.at.input);
            console.report(&Diagnostic::new(code::MALFORMED_TRACE, message).at(Place::line(name, number, 0)));
            console.raise(ExitStatus::Failed);
        }
        Ok(())
    }

    fn take(
        &mut self,
        event: TraceEvent,
        open: &mut Vec<TraceEvent>,
        (trace, line): (&str, usize),
        console: &mut Console<'_>,
    ) {
        match &event.kind {
            TraceKind::Run { .. } | TraceKind::Refused { .. } => {
                let input = event.at.input.clone();
                if let Some(before) = self.seen.insert(input.clone(), trace.to_owned()) {
                    let message = format!("{input} is told of twice, first in {before}: both count");
                    console.report(&Diagnostic::new(code::REPEATED_INPUT, message).at(Place::line(trace, line, 0)));
                }
            }
            _ => {}
        }
        let is_last = matches!(event.kind, TraceKind::Summary(_) | TraceKind::Refused { .. });
        open.push(event);
        if is_last {
            self.reporter.show(console, std::mem::take(open));
        }
    }
}

/// The event of a line; none where a report does not count it.
fn event(line: &[u8]) -> Result<Option<TraceEvent>, String> {
    let text = std::str::from_utf8(line).map_err(|error| error.to_string())?.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let value = json::parse(text).map_err(|error| error.to_string())?;
    read::event(&value).map_err(|error| error.to_string())
}
