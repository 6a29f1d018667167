//! `--baseline`, `--baseline-set`: the same inputs under other rules or settings, and what is decided otherwise.

use std::fs::File;

use rayon::prelude::*;

use super::args::{ReplayArgs, ReplayFormat, RuleArgs};
use super::branches;
use super::console::{Console, Surroundings, softened};
use super::generation::Asked;
use super::inputs::Input;
use super::opened::{Opened, open_input};
use super::plans::{Plans, resumed_session};
use super::replay::{BATCH, play};
use super::{CliError, ExitStatus};
use crate::agent::{EndOfScript, Script, ScriptSource};
use crate::diagnostic::code;
use crate::generation::Lifecycle;
use crate::judge::Verdicts;
use crate::output::change::{self, ChangeTotals};
use crate::output::json;
use crate::output::json::v1::change::{Document, Line};
use crate::replay::change::{Changes, Decided, collect};
use crate::replay::trace::TraceEvent;
use crate::replay::{Plan, Report, TextInput, TraceSink};
use crate::text::JsString;

/// What the options name besides inputs.
pub(super) struct Given<'a> {
    /// Texts by name.
    pub texts: &'a [(String, TextInput)],
    /// The script.
    pub script: Option<&'a Script>,
    /// The generations.
    pub passes: &'a [Asked],
    /// Answers about judged rules.
    pub verdicts: &'a Verdicts,
}

/// Runs all inputs twice and tells what differs.
///
/// # Errors
/// When nothing can be run at all; failures of single inputs are shown and counted.
pub(super) fn run(
    args: &ReplayArgs,
    given: &Given<'_>,
    surroundings: &Surroundings,
    console: &mut Console<'_>,
) -> Result<(), CliError> {
    let [asked] = *given.passes else {
        return Err(CliError::usage("--baseline takes one generation")
            .with_help("--lifecycle v3,v4 alone compares generations"));
    };
    if args.inputs.iter().any(|input| input.as_os_str() == "-") {
        return Err(CliError::usage("standard input can be read once: name a file to compare rules"));
    }
    let former = former(args);
    let hands_off = given.script.is_some_and(Script::hands_off);
    let mut sides = Sides {
        before: Plans::new(&former, hands_off, given.verdicts.clone(), surroundings).answering(given.script),
        after: Plans::new(args, hands_off, given.verdicts.clone(), surroundings).answering(given.script),
    };
    let mut told = Told { format: args.format, kept: Vec::new(), totals: ChangeTotals::default() };
    let unmarked = asked.unmarked();
    for (name, text) in given.texts {
        let (before, after) = sides.of(unmarked.lifecycle, console)?;
        let before = decided(|sink| before.text(text, name, "text", None, sink));
        let after = decided(|sink| after.text(text, name, "text", None, sink));
        told.tell(name, before, after, console);
    }
    if let Some(script) = given.script.filter(|_| args.inputs.is_empty()) {
        let prompts: Vec<JsString> = args.prompt.iter().map(|prompt| prompt.as_str().into()).collect();
        let source = || ScriptSource::new(script.clone(), EndOfScript::Stop);
        let resumed = || if script.hands_off() { resumed_session(args) } else { Ok(None) };
        let resumed = (resumed()?, resumed()?);
        let (before, after) = sides.of(unmarked.lifecycle, console)?;
        let before = decided(|sink| before.script(source(), &prompts, resumed.0, &script.file, sink));
        let after = decided(|sink| after.script(source(), &prompts, resumed.1, &script.file, sink));
        told.tell(&script.file, before, after, console);
    }
    let jobs = args.jobs.unwrap_or(1).max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    let pool = pool.map_err(|error| CliError::failed(format!("--jobs {jobs}: {error}")))?;
    let leaf = args.leaf.as_deref();
    for batch in branches::inputs(args).chunks(jobs * BATCH) {
        if console.is_closed() {
            break;
        }
        let open = |input: &Result<Input, CliError>| match input {
            Ok(input) => open_input(input, asked, leaf),
            Err(error) => Err(error.clone()),
        };
        let opened: Vec<_> = pool.install(|| batch.par_iter().map(open).collect());
        // The plans that are needed, before they are shared.
        for opened in opened.iter().flatten() {
            sides.of(opened.generation.lifecycle, console)?;
            sides.after.note(&opened.name, &opened.generation, console);
        }
        let (before, after) = (sides.before.made(), sides.after.made());
        let both = |(input, opened): (&Result<Input, CliError>, Result<_, CliError>)| {
            let opened: Opened<File> = opened?;
            let again = open(input)?;
            let (name, lifecycle) = (opened.name.clone(), opened.generation.lifecycle);
            let before = decided(|sink| play(again, &before[&lifecycle], None, sink).report);
            let after = decided(|sink| play(opened, &after[&lifecycle], None, sink).report);
            Ok::<_, CliError>((name, before, after))
        };
        let played: Vec<_> = pool.install(|| batch.par_iter().zip(opened.into_par_iter()).map(both).collect());
        for played in played {
            match played {
                Ok((name, before, after)) => told.tell(&name, before, after, console),
                Err(error) => told.refused(&error, args, console),
            }
        }
    }
    told.finish(console);
    Ok(())
}

/// The arguments of the run that is compared with.
fn former(args: &ReplayArgs) -> ReplayArgs {
    let mut rules: RuleArgs = args.rules.clone();
    if !args.author.baseline.is_empty() {
        rules.rules.clone_from(&args.author.baseline);
        // A rule that was not there before is what the comparison is to show.
        rules.may_lack_rules = true;
    }
    rules.set.extend(args.author.baseline_set.iter().cloned());
    ReplayArgs { rules, ..args.clone() }
}

/// The plans of both runs.
struct Sides<'a> {
    before: Plans<'a>,
    after: Plans<'a>,
}

impl Sides<'_> {
    fn of(&mut self, lifecycle: Lifecycle, console: &mut Console<'_>) -> Result<(&Plan, &Plan), CliError> {
        Ok((self.before.of(lifecycle, console)?, self.after.of(lifecycle, console)?))
    }
}

/// The decisions of a run, and its report.
type Ran = (Vec<Decided>, Report);

fn decided(play: impl FnOnce(&mut dyn TraceSink) -> Report) -> Ran {
    let mut decided = Vec::new();
    let report = play(&mut |event: TraceEvent| collect(&event, &mut decided));
    (decided, report)
}

/// What is told of the inputs.
struct Told {
    format: ReplayFormat,
    /// For the one document.
    kept: Vec<Changes>,
    totals: ChangeTotals,
}

impl Told {
    fn tell(&mut self, name: &str, before: Ran, after: Ran, console: &mut Console<'_>) {
        // What is wrong with the input is so in both runs.
        for diagnostic in after.1.diagnostics.iter().filter(|one| one.code != code::DECISION_DIFFERS) {
            console.report(&softened(diagnostic));
        }
        let changes = Changes::between(name, before.0, after.0);
        self.totals.add(&changes);
        match self.format {
            ReplayFormat::Human => console.print(&change::render(&changes, console.style())),
            ReplayFormat::Jsonl => {
                for one in &changes.changes {
                    console.print_json(&json::line(&Line::change(name, one)));
                }
            }
            ReplayFormat::Json if !changes.changes.is_empty() => self.kept.push(changes),
            ReplayFormat::Json | ReplayFormat::Csv => {}
        }
    }

    /// An input could not be read.
    fn refused(&mut self, error: &CliError, args: &ReplayArgs, console: &mut Console<'_>) {
        self.totals.refused += 1;
        if let Some(refused) = error.refused.as_ref().filter(|_| self.format == ReplayFormat::Jsonl) {
            let code = refused.code.to_string();
            console.print_json(&json::line(&Line::refused(&refused.input, &code, &refused.why)));
        }
        console.refuse(error, args.corpus.allow_unreadable);
    }

    fn finish(self, console: &mut Console<'_>) {
        let totals = &self.totals;
        match self.format {
            ReplayFormat::Human => console.print(&change::render_totals(totals, console.style())),
            ReplayFormat::Jsonl => console.print_json(&json::line(&Line::summary(totals))),
            ReplayFormat::Json => console.print_json(&json::line(&Document::new(&self.kept, totals))),
            ReplayFormat::Csv => console.print(&format!("{}{}", change::CSV_HEAD, change::csv(totals))),
        }
        if totals.has_changes() {
            console.raise(ExitStatus::Findings);
        }
    }
}
