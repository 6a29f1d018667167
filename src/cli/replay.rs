//! `ttsr replay`: inputs, one after another, through one plan, into one form of report.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use super::args::{ArgumentsArg, OnTrigger, ReplayArgs, ReplayFormat, RuleArgs, SourceArg};
use super::config::Config;
use super::console::{Console, Surroundings};
use super::inputs::{self, Input};
use super::{CliError, ExitStatus};
use crate::agent::{EndOfScript, Script, ScriptSource};
use crate::diagnostic::{Diagnostic, Severity, code};
use crate::lifecycle::{Template, Templates};
use crate::message::Source;
use crate::output::{generations, replay_human};
use crate::replay::trace::{TraceEvent, TraceKind};
use crate::replay::{Plan, Report, TextInput, TraceSink};
use crate::session::{ReadError, ReadMode, Session, write_new};
use crate::stream::{InputKind, detect};
use crate::text::JsString;
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
    let (plan, resumed) = plan(args, config, console)?;
    for (name, text) in texts {
        let report = reporter.collect(console, |sink| plan.text(text, name, "text", sink));
        finish(report, args, console);
    }
    if let Some(script) = script {
        let prompts: Vec<JsString> = args.prompt.iter().map(|prompt| prompt.as_str().into()).collect();
        let source = ScriptSource::new(script.clone(), EndOfScript::Stop);
        let report = reporter.collect(console, |sink| plan.script(source, &prompts, resumed, &script.file, sink));
        finish(report, args, console);
    }
    for input in inputs::expand(&args.inputs) {
        if console.is_closed() {
            break;
        }
        let done = input.and_then(|input| one(&input, args, &plan, stdin, reporter, console));
        if let Err(error) = done {
            console.fail(&error);
        }
    }
    Ok(())
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
        (args.jobs.is_some_and(|jobs| jobs != 1), "--jobs"),
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
fn plan(args: &ReplayArgs, config: &Config, console: &mut Console<'_>) -> Result<(Plan, Option<Session>), CliError> {
    let mut plan = config.plan();
    plan.chunk = args.chunk.parse().map_err(|error| {
        CliError::usage(format!("--chunk: {error}")).with_help("one of chars:N, words, lines, block, all")
    })?;
    plan.observe = args.on_trigger == OnTrigger::Observe;
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
        plan.restored = session
            .injected_rules(session.leaf())
            .map_err(|error| CliError::failed(format!("{}: {error}", path.display())))?;
        if let (None, Some(cwd)) = (&args.cwd, session.cwd()) {
            plan.cwd = cwd.clone();
        }
        if !plan.semantics.persists {
            console.note("lifecycle v1 restores nothing from a session: every rule is armed");
        }
        resumed = Some(session);
    }
    Ok((plan, resumed))
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

/// Replays one input.
fn one(
    input: &Input,
    args: &ReplayArgs,
    plan: &Plan,
    stdin: &mut dyn Read,
    reporter: &mut Reporter,
    console: &mut Console<'_>,
) -> Result<(), CliError> {
    let name = input.name();
    match input {
        Input::File(path) => {
            let mut reader = inputs::open(path)?;
            let kind = kind_of(&mut reader, path)?;
            if kind == InputKind::Session {
                let session = open_session(path, &name)?;
                return replay_session(session, &name, args, plan, reporter, console);
            }
            replay_events(reader, &name, args, plan, reporter, console);
        }
        Input::Stdin => {
            let mut reader = BufReader::with_capacity(1 << 16, stdin);
            let kind = kind_of(&mut reader, Path::new("-"))?;
            if kind == InputKind::Session {
                let session = Session::read(reader, &name, ReadMode::Tolerant)
                    .map_err(|error| refused(&name, Path::new("-"), error))?;
                return replay_session(session, &name, args, plan, reporter, console);
            }
            replay_events(reader, &name, args, plan, reporter, console);
        }
    }
    Ok(())
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

fn replay_session(
    session: Session,
    name: &str,
    args: &ReplayArgs,
    plan: &Plan,
    reporter: &mut Reporter,
    console: &mut Console<'_>,
) -> Result<(), CliError> {
    let leaf = match &args.leaf {
        None => session.leaf(),
        Some(id) => Some(session.find(&id.as_str().into()).ok_or_else(|| {
            CliError::failed(format!("{name}: no entry has the id `{id}`"))
                .with_help(format!("`ttsr inspect-session {name} --tree` shows the ids"))
        })?),
    };
    let session = Rc::new(session);
    let report = reporter.collect(console, |sink| plan.session(session, leaf, name, sink));
    finish(report, args, console);
    Ok(())
}

fn replay_events(
    reader: impl BufRead,
    name: &str,
    args: &ReplayArgs,
    plan: &Plan,
    reporter: &mut Reporter,
    console: &mut Console<'_>,
) {
    let report = reporter.collect(console, |sink| plan.events(reader, name, sink));
    finish(report, args, console);
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
        written(path, write_new(path, |out| out.write_all(&events)), console);
    }
}

/// Says that a file was written, or why not.
fn written(path: &Path, result: std::io::Result<()>, console: &mut Console<'_>) {
    match result {
        Ok(()) => console.note(&format!("wrote {}", path.display())),
        Err(error) => console.fail(
            &CliError::failed(format!("{}: cannot be written: {error}", path.display()))
                .with_help("choose a name that is free, in a folder that can be written to"),
        ),
    }
}

/// A finding about an input as a replay counts it: the run goes on as the agent's would, so nothing is worse than a
/// warning (cli.md, "Exit status").
pub(super) fn softened(diagnostic: &Diagnostic) -> Diagnostic {
    diagnostic.clone().with_severity(diagnostic.severity.min(Severity::Warning))
}

/// Gathers events for the chosen form of the report.
struct Reporter {
    format: ReplayFormat,
    seq: usize,
    runs: Vec<Vec<TraceEvent>>,
    /// The triggers of each run, to show where generations differ.
    decisions: Vec<Vec<TraceEvent>>,
}

impl Reporter {
    fn new(format: ReplayFormat) -> Self {
        Self { format, seq: 0, runs: Vec::new(), decisions: Vec::new() }
    }

    /// Runs one input and shows its events: at once as lines, at its end as tables, at the end of all as a document.
    fn collect(&mut self, console: &mut Console<'_>, run: impl FnOnce(&mut dyn TraceSink) -> Report) -> Report {
        if self.format == ReplayFormat::Jsonl {
            return run(&mut |event: TraceEvent| {
                console.print(&format!("{}\n", event.to_value(self.seq).to_json()));
                self.seq += 1;
            });
        }
        let mut events: Vec<TraceEvent> = Vec::new();
        let report = run(&mut events);
        match self.format {
            ReplayFormat::Human => {
                let separator = if self.seq > 0 { "\n" } else { "" };
                let text = replay_human::render(&events, console.style());
                console.print(&format!("{separator}{text}"));
                self.seq += 1;
                events.retain(|event| matches!(event.kind, TraceKind::Run { .. } | TraceKind::Trigger(_)));
                self.decisions.push(events);
            }
            ReplayFormat::Csv => {
                events.retain(|event| matches!(event.kind, TraceKind::Summary(_)));
                self.runs.push(events);
            }
            ReplayFormat::Json | ReplayFormat::Jsonl => self.runs.push(events),
        }
        report
    }

    fn finish(self, console: &mut Console<'_>) {
        match self.format {
            ReplayFormat::Json => console.print(&format!("{}\n", replay_human::document(&self.runs).to_json())),
            ReplayFormat::Csv => {
                let rows: Vec<String> = self.runs.iter().map(|events| replay_human::csv(events)).collect();
                console.print(&format!("{}{}", replay_human::CSV_HEAD, rows.concat()));
            }
            ReplayFormat::Human => console.print(&generations::render(&self.decisions, console.style())),
            ReplayFormat::Jsonl => {}
        }
    }
}
