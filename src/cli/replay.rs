//! `ttsr replay`: inputs, one after another, through one plan, into one form of report.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use rayon::prelude::*;

use super::args::{ArgumentsArg, OnTrigger, ReplayArgs, RuleArgs, SourceArg, TraceArg};
use super::config::Config;
use super::console::{Console, Surroundings};
use super::inputs::{self, Input};
use super::reporter::Reporter;
use super::{CliError, ExitStatus};
use crate::agent::{EndOfScript, Script, ScriptSource};
use crate::diagnostic::{Diagnostic, Severity, code};
use crate::lifecycle::{Template, Templates};
use crate::message::Source;
use crate::replay::trace::TraceEvent;
use crate::replay::{Plan, Report, Resumed, TextInput, TraceSink};
use crate::session::{EntryKind, ReadError, ReadMode, Session, SessionError, write_new};
use crate::stream::{InputKind, detect};
use crate::text::JsString;
use crate::text::json::Value;
use crate::tool::ArgumentMode;

/// Runs the command.
///
/// # Errors
/// When nothing can be run at all; failures of single inputs are shown and counted.
pub(super) fn run(
    args: &ReplayArgs,
    stdin: &mut dyn Read,
    console: &mut Console<'_>,
    surroundings: &Surroundings,
) -> Result<(), CliError> {
    unfinished(args)?;
    let texts = texts(args, stdin)?;
    if texts.is_empty() && args.inputs.is_empty() && args.script.is_none() {
        return Err(CliError::usage("nothing to replay").with_help(
            "name a session, an event stream or a directory of them, or give --text TEXT, or --script FILE with --prompt TEXT",
        ));
    }
    output_options(args)?;
    let script = args.script.as_deref().map(|path| read_script(path, args, stdin, console)).transpose()?;
    let jobs = args.jobs.unwrap_or(1);
    if jobs == 0 {
        return Err(CliError::usage("--jobs takes a number from 1"));
    }
    if jobs > 1 && args.inputs.iter().any(|input| input.as_os_str() == "-") {
        return Err(CliError::usage("standard input cannot be shared among jobs").with_help("leave --jobs out"));
    }
    if args.rules.lifecycle.len() > 1 && args.inputs.iter().any(|input| input.as_os_str() == "-") {
        return Err(CliError::usage("standard input can be read once: name a file to compare generations"));
    }
    let mut reporter = Reporter::new(args.format);
    for lifecycle in &args.rules.lifecycle {
        let rules = RuleArgs { lifecycle: vec![*lifecycle], ..args.rules.clone() };
        let config = Config::load(&rules, console, surroundings)?;
        generation(args, &config, &texts, script.as_ref(), stdin, &mut reporter, console)?;
    }
    reporter.finish(console);
    Ok(())
}

/// Runs everything that is asked for in one generation.
fn generation(
    args: &ReplayArgs,
    config: &Config,
    texts: &[(String, TextInput)],
    script: Option<&Script>,
    stdin: &mut dyn Read,
    reporter: &mut Reporter,
    console: &mut Console<'_>,
) -> Result<(), CliError> {
    let (plan, mut resumed) = plan(args, config, console)?;
    for (name, text) in texts {
        let resumed = resumed.take();
        let report = reporter.stream(console, |sink| Ok(plan.text(text, name, "text", resumed, sink)));
        settle(report, args, console);
    }
    if let Some(script) = script {
        let prompts: Vec<JsString> = args.prompt.iter().map(|prompt| prompt.as_str().into()).collect();
        let source = ScriptSource::new(script.clone(), EndOfScript::Stop);
        let resumed = resumed.take();
        let report = reporter.stream(console, |sink| Ok(plan.script(source, &prompts, resumed, &script.file, sink)));
        settle(report, args, console);
    }
    let expanded = inputs::expand(&args.inputs);
    let jobs = args.jobs.unwrap_or(1).max(1);
    for batch in expanded.chunks(if jobs > 1 { jobs * BATCH } else { 1 }) {
        if console.is_closed() {
            break;
        }
        if jobs > 1 {
            several(batch, jobs, args, &plan, reporter, console)?;
            continue;
        }
        for input in batch {
            let resumed = resumed.take();
            let played = input
                .clone()
                .and_then(|input| reporter.stream(console, |sink| play(&input, args, &plan, resumed, stdin, sink)));
            settle(played, args, console);
        }
    }
    Ok(())
}

/// Inputs per job that are played before the next are begun, so that memory does not grow with their number.
const BATCH: usize = 4;

/// Plays inputs at the same time and tells of them in their order.
fn several(
    batch: &[Result<Input, CliError>],
    jobs: usize,
    args: &ReplayArgs,
    plan: &Plan,
    reporter: &mut Reporter,
    console: &mut Console<'_>,
) -> Result<(), CliError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    let pool = pool.map_err(|error| CliError::failed(format!("--jobs {jobs}: {error}")))?;
    let played: Vec<(Vec<TraceEvent>, Result<Report, CliError>)> = pool.install(|| {
        batch
            .par_iter()
            .map(|input| {
                let mut events = Vec::new();
                let play = |input: Input| play(&input, args, plan, None, &mut std::io::empty(), &mut events);
                let report = input.clone().and_then(play);
                (events, report)
            })
            .collect()
    });
    for (events, report) in played {
        if report.is_ok() {
            reporter.show(console, events);
        }
        settle(report, args, console);
    }
    Ok(())
}

/// Ends the work on one input.
fn settle(played: Result<Report, CliError>, args: &ReplayArgs, console: &mut Console<'_>) {
    match played {
        Ok(report) => finish(report, args, console),
        Err(error) => console.fail(&error),
    }
}

/// Options that this version does not complete.
fn unfinished(args: &ReplayArgs) -> Result<(), CliError> {
    let given = [
        (!args.as_write.is_empty(), "--as-write"),
        (args.files_from.is_some(), "--files-from"),
        (args.since.is_some(), "--since"),
        (args.until.is_some(), "--until"),
        (args.shard.is_some(), "--shard"),
        (args.all_branches, "--all-branches"),
        (args.script.is_some() && !args.inputs.is_empty(), "--script together with an INPUT"),
        (args.expect.is_some(), "--expect"),
        (args.baseline.is_some(), "--baseline"),
        (!args.baseline_set.is_empty(), "--baseline-set"),
        (!args.max_rate.is_empty(), "--max-rate"),
        (args.require_coverage.is_some(), "--require-coverage"),
        (args.max_premature.is_some(), "--max-premature"),
        (args.fail_on_undecided, "--fail-on-undecided"),
        (args.profile, "--profile"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(CliError::missing(option)),
        None => Ok(()),
    }
}

/// Options about what is written, against each other and against the number of inputs.
fn output_options(args: &ReplayArgs) -> Result<(), CliError> {
    if args.script.is_some() && args.prompt.is_empty() && args.inputs.is_empty() {
        return Err(CliError::usage("--script needs a prompt to answer").with_help("add --prompt TEXT"));
    }
    if args.script.is_none() && !args.prompt.is_empty() {
        return Err(CliError::usage("--prompt goes with --script").with_help("add --script FILE"));
    }
    if args.write_session.is_some() && args.write_session == args.emit_events {
        return Err(CliError::usage("--write-session and --emit-events name the same file"));
    }
    let outputs = [(&args.write_session, "--write-session"), (&args.emit_events, "--emit-events")];
    for (path, option) in outputs.into_iter().filter_map(|(path, option)| Some((path.as_ref()?, option))) {
        let runs = args.inputs.len() + usize::from(args.script.is_some() || args.text.is_some());
        if runs != 1 || args.inputs.iter().any(|input| input.is_dir()) || args.rules.lifecycle.len() > 1 {
            return Err(CliError::usage(format!("{option} takes a single run"))
                .with_help("name one input, or one script, and one lifecycle"));
        }
        if path.symlink_metadata().is_ok() {
            return Err(CliError::failed(format!("{}: exists already", path.display()))
                .with_help("an existing file is never replaced: choose another name or move it away"));
        }
    }
    Ok(())
}

/// Reads a script; what is wrong with it is shown with its place.
fn read_script(
    path: &Path,
    args: &ReplayArgs,
    stdin: &mut dyn Read,
    console: &mut Console<'_>,
) -> Result<Script, CliError> {
    if path.as_os_str() == "-" && args.inputs.iter().any(|input| input.as_os_str() == "-") {
        return Err(CliError::usage("standard input cannot be both the script and an input"));
    }
    let bytes = inputs::read_bytes(path, stdin)?;
    let name = path.to_string_lossy();
    match Script::read(&bytes, &name) {
        Ok((script, findings)) => {
            for finding in &findings {
                console.report(&softened(finding));
            }
            Ok(script)
        }
        Err(findings) => {
            for finding in &findings {
                console.report(finding);
            }
            Err(CliError::failed(format!("{name}: is no script that can be played"))
                .with_help("a script is a JSON array of replies, or one reply a line: [[{\"text\": \"Hello\"}]]"))
        }
    }
}

/// The text given by `--text` or `--text-file`.
fn texts(args: &ReplayArgs, stdin: &mut dyn Read) -> Result<Vec<(String, TextInput)>, CliError> {
    let (name, text) = match (&args.text, &args.text_file) {
        (Some(text), _) => ("--text".to_owned(), text.clone()),
        (None, Some(path)) => (path.to_string_lossy().into_owned(), inputs::read_text(path, stdin)?),
        (None, None) => {
            let stray =
                [(args.source.is_some(), "--source"), (args.tool.is_some(), "--tool"), (args.path.is_some(), "--path")];
            return match stray.into_iter().find(|(given, _)| *given) {
                Some((_, option)) => Err(CliError::usage(format!("{option} goes with --text or --text-file"))
                    .with_help("give the text to check, such as --text 'let x = 1'")),
                None => Ok(Vec::new()),
            };
        }
    };
    let is_call = args.path.is_some() || args.tool.is_some();
    let source = match args.source {
        Some(SourceArg::Tool) => Source::Tool,
        None if is_call => Source::Tool,
        Some(SourceArg::Thinking) => Source::Thinking,
        Some(SourceArg::Text) | None => Source::Text,
    };
    if source != Source::Tool && is_call {
        return Err(CliError::usage("--tool and --path need --source tool"));
    }
    let input = TextInput {
        source,
        tool: args.tool.as_deref().unwrap_or("write").into(),
        path: args.path.as_deref().map(JsString::from),
        text: text.into(),
    };
    Ok(vec![(name, input)])
}

/// The reminder texts that the options name, the built-in ones otherwise.
fn templates(args: &ReplayArgs, plan: &Plan) -> Result<Option<Templates>, CliError> {
    let read = |path: &Path| {
        let text = inputs::read_text(path, &mut std::io::empty())?;
        Ok::<_, CliError>(Template::parse(&text))
    };
    let mut templates = Templates::new(plan.cwd.clone(), plan.home.clone());
    if let Some(path) = &args.interrupt_template {
        templates.interrupt = read(path)?;
    }
    if let Some(path) = &args.reminder_template {
        templates.tool_reminder = read(path)?;
    }
    Ok(Some(templates))
}

/// The plan that the options ask for, and the session that `--resume` names.
fn plan(args: &ReplayArgs, config: &Config, console: &mut Console<'_>) -> Result<(Plan, Option<Resumed>), CliError> {
    let mut plan = config.plan();
    if let Some(mode) = &args.chunk {
        plan.chunk = mode.parse().map_err(|error| {
            CliError::usage(format!("--chunk: {error}")).with_help("one of chars:N, words, lines, block, all")
        })?;
        plan.chunk_texts = true;
    }
    plan.observe = args.on_trigger == OnTrigger::Observe;
    plan.full_trace = args.trace == TraceArg::Full;
    plan.verify = args.verify;
    plan.keep_session = args.write_session.is_some();
    plan.keep_events = args.emit_events.is_some();
    plan.templates = templates(args, &plan)?;
    plan.arguments = match args.arguments {
        ArgumentsArg::Eager => ArgumentMode::Eager,
        ArgumentsArg::Throttled => ArgumentMode::Throttled,
    };
    if let Some(rule) = &args.explain {
        plan.explain = Some((!rule.is_empty()).then(|| rule.as_str().into()));
    }
    if let Some(cwd) = &args.cwd {
        plan.cwd = cwd.as_str().into();
    }
    if let Some(home) = &args.home {
        plan.home = home.as_str().into();
    }
    if let Some(seed) = args.seed {
        plan.seed = seed;
    }
    if let Some(now) = &args.now {
        let ms = crate::clock::parse_iso_time(now).and_then(|ms| u64::try_from(ms).ok());
        plan.now_ms = ms.ok_or_else(|| {
            CliError::usage(format!("--now: `{now}` is no time")).with_help("write it as 2026-01-31T12:00:00.000Z")
        })?;
    }
    let mut resumed = None;
    if let Some(path) = &args.resume {
        let session = open_session(path, &path.to_string_lossy())?;
        for diagnostic in session.diagnostics() {
            console.report(&softened(diagnostic));
        }
        // With a session as INPUT, --leaf chooses the branch of that.
        let leaf = if args.inputs.is_empty() { leaf_of(&session, args.leaf.as_deref())? } else { session.leaf() };
        plan.restored = session
            .injected_rules(leaf)
            .map_err(|error| CliError::failed(format!("{}: {error}", path.display())))?;
        plan.restored_by =
            recorded_in(&session, leaf).map_err(|error| CliError::failed(format!("{}: {error}", path.display())))?;
        if let (None, Some(cwd)) = (&args.cwd, session.cwd()) {
            plan.cwd = cwd.clone();
        }
        if !plan.semantics.persists {
            console.note("lifecycle v1 restores nothing from a session: every rule is armed");
        }
        resumed = Some(Resumed { session, leaf });
    }
    Ok((plan, resumed))
}

/// Per rule, the last entry of the branch that records its injection.
fn recorded_in(session: &Session, leaf: Option<usize>) -> Result<Vec<(JsString, JsString)>, SessionError> {
    let mut recorded = Vec::new();
    for entry in session.branch(leaf).into_iter().filter_map(|at| session.entry(at)) {
        if entry.kind() == Some(EntryKind::TtsrInjection) {
            let value = entry.value()?;
            let rules = value.get("injectedRules").and_then(Value::as_array).unwrap_or_default();
            let id = entry.id().unwrap_or_default();
            recorded.extend(rules.iter().filter_map(|rule| Some((rule.as_string()?.clone(), id.clone()))));
        }
    }
    Ok(recorded)
}

fn open_session(path: &Path, name: &str) -> Result<Session, CliError> {
    inputs::open(path)?;
    Session::open(path, name, ReadMode::Tolerant).map_err(|error| refused(name, path, error))
}

pub(super) fn refused(name: &str, path: &Path, error: ReadError) -> CliError {
    match error {
        ReadError::Io(error) => CliError::unreadable(path, &error),
        ReadError::Refused(refusal) => CliError::failed(format!("{name}: {}", refusal.message))
            .with_help("a session file begins with a line {\"type\":\"session\",\"id\":…}"),
    }
}

/// Replays one input; its events go to `sink`.
fn play(
    input: &Input,
    args: &ReplayArgs,
    plan: &Plan,
    resumed: Option<Resumed>,
    stdin: &mut dyn Read,
    sink: &mut dyn TraceSink,
) -> Result<Report, CliError> {
    let name = input.name();
    match input {
        Input::File(path) => {
            let mut reader = inputs::open(path)?;
            match kind_of(&mut reader, path)? {
                InputKind::Session => play_session(open_session(path, &name)?, &name, args, plan, sink),
                _ => Ok(plan.events(reader, &name, resumed, sink)),
            }
        }
        Input::Stdin => {
            let mut reader = BufReader::with_capacity(1 << 16, stdin);
            match kind_of(&mut reader, Path::new("-"))? {
                InputKind::Session => {
                    let session = Session::read(reader, &name, ReadMode::Tolerant)
                        .map_err(|error| refused(&name, Path::new("-"), error))?;
                    play_session(session, &name, args, plan, sink)
                }
                _ => Ok(plan.events(reader, &name, resumed, sink)),
            }
        }
    }
}

/// Finds out what an input is without taking anything from it.
fn kind_of(reader: &mut impl BufRead, path: &Path) -> Result<InputKind, CliError> {
    let head = reader.fill_buf().map_err(|error| CliError::unreadable(path, &error))?;
    if head.is_empty() {
        return Err(CliError::failed(format!("{}: the input is empty", path.display()))
            .with_help("a recording begins with a `session` header or a `ready` line"));
    }
    match detect(head) {
        InputKind::Unknown => {
            Err(CliError::failed(format!("{}: is neither a session file nor an event stream", path.display()))
                .with_help("both are JSON Lines: a session begins with {\"type\":\"session\",…}, a stream has events such as {\"type\":\"turn_start\"}"))
        }
        kind => Ok(kind),
    }
}

/// The entry that `--leaf` names; the session's own leaf without it.
fn leaf_of(session: &Session, asked: Option<&str>) -> Result<Option<usize>, CliError> {
    let Some(id) = asked else { return Ok(session.leaf()) };
    let found = session.find(&id.into()).ok_or_else(|| {
        let name = session.file();
        CliError::failed(format!("{name}: no entry has the id `{id}`"))
            .with_help(format!("`ttsr inspect-session {name} --tree` shows the ids"))
    })?;
    Ok(Some(found))
}

fn play_session(
    session: Session,
    name: &str,
    args: &ReplayArgs,
    plan: &Plan,
    sink: &mut dyn TraceSink,
) -> Result<Report, CliError> {
    let leaf = leaf_of(&session, args.leaf.as_deref())?;
    Ok(plan.session(Rc::new(session), leaf, name, sink))
}

/// Shows what was wrong with an input, and with `--verify` how the run differs from it; writes the session.
fn finish(report: Report, args: &ReplayArgs, console: &mut Console<'_>) {
    for diagnostic in &report.diagnostics {
        if diagnostic.code == code::DECISION_DIFFERS {
            if args.verify {
                console.report(diagnostic);
                console.raise(ExitStatus::Findings);
            }
        } else {
            console.report(&softened(diagnostic));
        }
    }
    if let (Some(path), Some(store)) = (&args.write_session, report.store) {
        written(path, store.write_new(path), console);
    }
    if let (Some(path), Some(events)) = (&args.emit_events, report.events) {
        written(path, write_new(path, |out| out.write_all(&events), &mut |_| Ok(())), console);
    }
}

/// Says that a file was written, or why not.
fn written(path: &Path, result: std::io::Result<()>, console: &mut Console<'_>) {
    match result {
        Ok(()) => console.note(&format!("wrote {}", path.display())),
        Err(error) => {
            // The error names a temporary file, which nobody knows.
            let why = error.kind();
            console.fail(
                &CliError::failed(format!("{}: cannot be written: {why}", path.display()))
                    .with_help("choose a name that is free, in a folder that can be written to"),
            );
        }
    }
}

/// A finding about an input as a replay counts it: the run goes on as the agent's would, so nothing is worse than a
/// warning (cli.md, "Exit status").
pub(super) fn softened(diagnostic: &Diagnostic) -> Diagnostic {
    diagnostic.clone().with_severity(diagnostic.severity.min(Severity::Warning))
}
