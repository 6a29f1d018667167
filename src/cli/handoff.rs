//! `ttsr handoff`: one session, its document, and the files that follow (cli.md section 5).

use std::fs::Metadata;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::SigId;
use signal_hook::consts::SIGINT;

use super::args::{HandoffArgs, HandoffFormat, TraceArg};
use super::config::{Config, has_question};
use super::console::{Console, Surroundings, softened};
use super::generation::{Asked, Generation};
use super::inputs;
use super::opened::generation_of;
use super::outputs::refuse_dash;
use super::{CliError, ExitStatus};
use crate::agent::Script;
use crate::clock::{Clock, parse_iso_time};
use crate::generation::Pipeline;
use crate::handoff::{self, Answer, Options, Process, Report, Rules, Status, Step, Watch, request_text};
use crate::interrupt;
use crate::output::handoff as output;
use crate::output::transcript;
use crate::replay::Plan;
use crate::replay::trace::{TraceEvent, TraceKind};
use crate::session::{ReadError, ReadMode, Session, Store, file_name};
use crate::settings::Settings;
use crate::text::JsString;

/// Runs the command.
///
/// # Errors
/// When it cannot begin: wrong usage, an input that cannot be read. How the handoff ends is in its report.
pub(super) fn run(
    args: &HandoffArgs,
    stdin: &mut dyn Read,
    console: &mut Console<'_>,
    surroundings: &Surroundings,
) -> Result<(), CliError> {
    let pipeline = args.pipeline.pipeline();
    if args.print_prompt {
        let focus = args.focus.as_deref().map(JsString::from);
        let request = request_text(pipeline, focus.as_ref());
        console.print(&format!("{}\n", request.to_string_lossy()));
        return Ok(());
    }
    if args.sessions.is_empty() {
        return Err(CliError::usage("no session to hand off").with_help("name a session file, or - for standard input"));
    }
    for path in &args.sessions {
        check_usage(args, path, pipeline)?;
    }
    let asked = Asked::single(&args.rules.lifecycle, || has_question(&args.rules, surroundings))?;
    let mut clock = clock(args)?;
    free(args.output.as_deref())?;
    free(args.write_source.as_deref())?;
    let interrupt = Interrupt::install()?;
    for path in &args.sessions {
        let mut one = One { args, pipeline, asked, clock: &mut clock, interrupt: &interrupt, surroundings };
        match one.run(path, stdin, console) {
            // One that cannot be handed off does not keep the others.
            Err(error) if args.sessions.len() > 1 && error.status == ExitStatus::Failed => console.fail(&error),
            result => result?,
        }
        if console.is_closed() || interrupt.came() {
            break;
        }
    }
    Ok(())
}

/// One of the sessions that are handed off.
struct One<'a> {
    args: &'a HandoffArgs,
    pipeline: Pipeline,
    asked: Asked,
    clock: &'a mut Clock,
    interrupt: &'a Interrupt,
    surroundings: &'a Surroundings,
}

impl One<'_> {
    fn run(&mut self, path: &Path, stdin: &mut dyn Read, console: &mut Console<'_>) -> Result<(), CliError> {
        let Self { args, pipeline, asked, interrupt, surroundings, .. } = *self;
        let focus = args.focus.as_deref().map(JsString::from);
        let source = Source::read(path, stdin, surroundings)?;
        for diagnostic in source.session.diagnostics() {
            console.report(&softened(diagnostic));
        }
        if args.print_transcript {
            let unreadable = |error| CliError::failed(format!("{}: {error}", path.display()));
            let context = source.session.context(source.session.leaf()).map_err(unreadable)?;
            let request = request_text(pipeline, focus.as_ref()).to_string_lossy();
            let request = crate::output::escape_lines(&request);
            console.print(&format!("{}\n---\n\n{request}\n", transcript::render(&context)));
            return Ok(());
        }
        let answer = answer(args, stdin, console)?;
        let generation = generation_of(&source.session, source.session.leaf(), asked)?;
        let rules = rules(args, &source.session, &generation, console, surroundings)?;
        let Source { session, absolute, metadata } = source;
        let options = Options {
            pipeline,
            faithful: args.faithful,
            focus,
            lineage: match (args.lineage, args.no_lineage) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
            source_path: absolute.as_ref().map(|path| path.to_string_lossy().into_owned().into()),
        };
        let unreadable = |error| CliError::failed(format!("{}: {error}", path.display()));
        let mut process = Process::new(session, rules).map_err(unreadable)?;
        let mut host = Host {
            interrupt,
            source: absolute.clone().zip(metadata),
            traces_all: args.trace == TraceArg::Full,
            trace: Vec::new(),
        };
        host.interrupt.inputs_are_read();
        let mut report = handoff::run(&mut process, &options, answer, self.clock, &mut host).map_err(unreadable)?;
        if args.format == HandoffFormat::Jsonl {
            for (seq, event) in host.trace.iter().enumerate() {
                console.print_json(&format!(
                    "{}\n",
                    crate::output::json::v1::trace::Line::new(event, Some(seq)).to_json()
                ));
            }
        }
        let mut written = None;
        if report.status == Status::Done {
            let target = target(args, absolute.as_deref(), &report, self.clock, surroundings);
            match write(process, args, &target, interrupt) {
                Ok(()) => written = Some(target),
                Err((reason, error)) => {
                    report.undo(reason, &error.message);
                    tell(&report, None, &generation, args, console);
                    console.fail(&error);
                    return Ok(());
                }
            }
        }
        tell(&report, written.as_deref(), &generation, args, console);
        if report.status != Status::Done {
            console.fail(&failure(&report));
        }
        Ok(())
    }
}

/// Prints the JSON Schema of the report.
pub(super) fn print_schema(console: &mut Console<'_>) {
    console.print(output::SCHEMA);
}

/// Shows warnings and the report.
fn tell(
    report: &Report,
    written: Option<&Path>,
    generation: &Generation,
    args: &HandoffArgs,
    console: &mut Console<'_>,
) {
    let generation = (generation.lifecycle.as_str(), generation.from.as_deref());
    for warning in &report.warnings {
        console.report(&softened(warning));
    }
    match args.format {
        HandoffFormat::Json => {
            console.print_json(&format!("{}\n", output::document(report, generation, written).to_json()));
        }
        HandoffFormat::Human if report.status == Status::Done => {
            let text = output::human(report, generation, written, args.write_source.as_deref(), console.style());
            console.print(&text);
        }
        HandoffFormat::Jsonl => {
            if let Some(path) = written {
                console.note(&format!("wrote {}", path.display()));
            }
        }
        HandoffFormat::Human => {}
    }
}

/// The end of a handoff that was not done, as an error with what to do about it.
fn failure(report: &Report) -> CliError {
    let message = report.message.to_string_lossy();
    let help = match report.reason.unwrap_or_default() {
        "too-few-messages" => "a handoff needs two messages on the branch of the session's leaf",
        "already-compacted" => "nothing lies before what would be kept; --pipeline g1 to g4 open a new session instead",
        "no-document" => "give --script FILE, whose last reply is the document, or --document FILE",
        "no-text" => "the reply has no text, so nothing is written",
        "blank-document" => "nothing is written; --faithful writes it, as this generation's agent does",
        "user" => "it was cancelled before the switch, and nothing is written",
        "abort-error" => "the reply ended in an error that counts as a cancellation, and nothing is written",
        "aborted-reply" | "provider-error" => {
            "nothing is written; --faithful writes what this generation's agent would take instead, if anything"
        }
        _ => "nothing is written, and the session is as it was",
    };
    CliError::failed(crate::output::escape_lines(&message)).with_help(help)
}

fn check_usage(args: &HandoffArgs, session: &Path, pipeline: Pipeline) -> Result<(), CliError> {
    if args.sessions.len() > 1 {
        let single = [
            (args.output.is_some(), "--output"),
            (args.write_source.is_some(), "--write-source"),
            (args.document.is_some(), "--document"),
        ];
        if let Some((_, option)) = single.into_iter().find(|(is_given, _)| *is_given) {
            return Err(CliError::usage(format!("{option} goes with one session"))
                .with_help("with several each new session is written beside its source, or into --output-dir"));
        }
        let asks_twice = args.sessions.iter().filter(|path| path.as_os_str() == "-").count() > 1;
        if asks_twice || session.as_os_str() == "-" && args.script.as_deref() == Some(Path::new("-")) {
            return Err(CliError::usage("standard input can be one input only"));
        }
    }
    let from_stdin = [Some(session), args.script.as_deref(), args.document.as_deref()];
    if from_stdin.into_iter().flatten().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(CliError::usage("standard input can be one input only"));
    }
    if (args.lineage || args.no_lineage) && !pipeline.opens_session() {
        return Err(CliError::usage("--lineage and --no-lineage go with pipelines that open a new session")
            .with_help("g5 goes on in the same session: leave the option out"));
    }
    for (path, option) in [(&args.output, "--output"), (&args.write_source, "--write-source")] {
        path.as_deref().map_or(Ok(()), |path| refuse_dash(path, option))?;
    }
    if args.output.is_some() && args.output == args.write_source {
        return Err(CliError::usage("--output and --write-source name the same file"));
    }
    Ok(())
}

/// The machine's time and random ids, or what `--now` and `--seed` say.
fn clock(args: &HandoffArgs) -> Result<Clock, CliError> {
    let mut system = Clock::system();
    let now = match &args.now {
        None => system.now_ms(),
        Some(text) => parse_iso_time(text).and_then(|ms| u64::try_from(ms).ok()).ok_or_else(|| {
            CliError::usage(format!("--now: `{text}` is no time")).with_help("write it as 2026-01-31T12:00:00.000Z")
        })?,
    };
    Ok(Clock::fixed(now, args.seed.unwrap_or_else(|| system.bits())))
}

/// An existing file is never replaced; said before anything is done.
fn free(path: Option<&Path>) -> Result<(), CliError> {
    match path {
        Some(path) if path.symlink_metadata().is_ok() => Err(exists(path)),
        _ => Ok(()),
    }
}

fn exists(path: &Path) -> CliError {
    CliError::failed(format!("{}: exists already", path.display()))
        .with_help("an existing file is never replaced: choose another name or move it away")
}

/// The old session and the file that it was read from.
struct Source {
    session: Session,
    /// Its absolute path; none for standard input.
    absolute: Option<PathBuf>,
    /// The file as it was before it was read.
    metadata: Option<Metadata>,
}

impl Source {
    fn read(path: &Path, stdin: &mut dyn Read, surroundings: &Surroundings) -> Result<Self, CliError> {
        let name = path.to_string_lossy();
        let refused = |error| match error {
            ReadError::Io(error) => CliError::unreadable(path, &error),
            ReadError::Refused(refusal) => CliError::failed(format!("{name}: {}", refusal.message))
                .with_help("a session file begins with a line {\"type\":\"session\",\"id\":…}"),
        };
        if path.as_os_str() == "-" {
            let session = Session::read(stdin, &name, ReadMode::Tolerant).map_err(refused)?;
            return Ok(Self { session, absolute: None, metadata: None });
        }
        let file = inputs::open(path)?;
        let metadata = file.get_ref().metadata().map_err(|error| CliError::unreadable(path, &error))?;
        let session = Session::open(path, &name, ReadMode::Tolerant).map_err(refused)?;
        let joined = surroundings.cwd.join(path);
        let absolute = std::path::absolute(&joined).unwrap_or(joined);
        Ok(Self { session, absolute: Some(absolute), metadata: Some(metadata) })
    }
}

fn answer(args: &HandoffArgs, stdin: &mut dyn Read, console: &mut Console<'_>) -> Result<Answer, CliError> {
    if let Some(path) = &args.document {
        return Ok(Answer::Document(JsString::from_wtf8(&inputs::read_bytes(path, stdin)?)));
    }
    let Some(path) = &args.script else { return Ok(Answer::Recorded) };
    let bytes = inputs::read_bytes(path, stdin)?;
    let name = path.to_string_lossy();
    match Script::read(&bytes, &name) {
        Ok((script, findings)) => {
            for finding in &findings {
                console.report(&softened(finding));
            }
            if script.hands_off() {
                return Err(CliError::failed(format!("{name}: asks for a handoff within this one")).with_help(
                    "`handoff` stands in scripts of `ttsr replay --script`, between the replies to prompts",
                ));
            }
            Ok(Answer::Script(script))
        }
        Err(findings) => {
            for finding in &findings {
                console.report(finding);
            }
            Err(CliError::failed(format!("{name}: is no script that can be played"))
                .with_help("a script is a JSON array of replies, or one reply a line: [[{\"text\": \"## Goal\"}]]"))
        }
    }
}

/// The rules in force while the document is generated: those named, or with `--project` those found there.
fn rules(
    args: &HandoffArgs,
    session: &Session,
    generation: &Generation,
    console: &mut Console<'_>,
    surroundings: &Surroundings,
) -> Result<Rules, CliError> {
    let named = &args.rules;
    let plan = if named.rules.is_empty() && named.project.is_none() && named.bundled.is_none() {
        Plan::new(Vec::new(), Settings::default(), generation.lifecycle.semantics())
    } else {
        Config::load(named, generation.lifecycle, console, surroundings)?.plan()
    };
    let cwd = session.cwd().cloned().unwrap_or(plan.cwd.clone());
    let mut head = plan.trace_head(&cwd, "session");
    if let Some(TraceKind::Run { lifecycle_from, .. }) = head.first_mut() {
        lifecycle_from.clone_from(&generation.from);
    }
    let compiled = plan.placed_rules(&cwd);
    Ok(Rules { compiled, settings: plan.settings, semantics: plan.semantics, home: plan.home, head })
}

/// Where the new session goes: the file that is named, or one with the agent's own name in the folder that is named or
/// the source's.
fn target(
    args: &HandoffArgs,
    source: Option<&Path>,
    report: &Report,
    clock: &Clock,
    surroundings: &Surroundings,
) -> PathBuf {
    if let Some(path) = &args.output {
        return path.clone();
    }
    let (id, began) = match &report.session {
        Some(session) => (session.id.to_string_lossy(), session.timestamp.to_string_lossy()),
        None => (String::new(), clock.iso()),
    };
    // In place the session began long ago; its copy is told apart by the time at which it is made.
    let began = if report.pipeline.opens_session() { began } else { clock.iso() };
    let beside = source.and_then(Path::parent).unwrap_or(&surroundings.cwd);
    args.output_dir.as_deref().unwrap_or(beside).join(file_name(&began, &plain(&id)))
}

/// An id as part of a file name: without anything that leads elsewhere.
fn plain(id: &str) -> String {
    id.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' }).take(128).collect()
}

/// Writes the copy of the old session, then the session with the document: it comes last, so that it stands for all.
fn write(
    process: Process,
    args: &HandoffArgs,
    target: &Path,
    interrupt: &Interrupt,
) -> Result<(), (&'static str, CliError)> {
    let (old, new) = process.into_sessions();
    if interrupt.came() {
        return Err(("user", CliError::failed("Handoff cancelled").with_help("nothing is written")));
    }
    if let Some(path) = &args.write_source {
        write_one(&old, path)?;
    }
    write_one(new.as_ref().unwrap_or(&old), target)
}

fn write_one(store: &Store, path: &Path) -> Result<(), (&'static str, CliError)> {
    store.write_new(path).map_err(|error| {
        let error = match error.kind() {
            std::io::ErrorKind::AlreadyExists => exists(path),
            _ => CliError::failed(format!("Handoff failed: {}: cannot be written: {error}", path.display()))
                .with_help("name a folder that exists, can be written to and has room; nothing else is changed"),
        };
        ("not-written", error)
    })
}

/// What the handoff asks of the process around it.
struct Host<'a> {
    interrupt: &'a Interrupt,
    /// The source and what it was when it was read.
    source: Option<(PathBuf, Metadata)>,
    /// Whether everything is told.
    traces_all: bool,
    /// What was told.
    trace: Vec<TraceEvent>,
}

impl Watch for Host<'_> {
    fn cancelled(&mut self) -> bool {
        self.interrupt.came()
    }

    fn traces_all(&self) -> bool {
        self.traces_all
    }

    fn trace(&mut self, event: TraceEvent) {
        self.trace.push(event);
    }

    /// An agent may be at work in the old session: what it adds would be missing from the handoff.
    fn before(&mut self, step: Step, _: &Process) -> Result<(), (&'static str, String)> {
        if !matches!(step, Step::FlushOld | Step::CommitCompaction) {
            return Ok(());
        }
        let Some((path, before)) = &self.source else { return Ok(()) };
        if !before.is_file() {
            return Ok(());
        }
        let changed = match path.metadata() {
            Ok(now) => now.len() != before.len() || now.modified().ok() != before.modified().ok(),
            Err(_) => true,
        };
        if !changed {
            return Ok(());
        }
        let text =
            format!("{} changed while it was handed off: run it again when nothing writes to it", path.display());
        Err(("source-changed", text))
    }
}

/// SIGINT as a flag. While inputs are read nothing can be half-done, so there it ends the process at once.
struct Interrupt {
    came: Arc<AtomicBool>,
    at_once: Arc<AtomicBool>,
    registered: Vec<SigId>,
}

impl Interrupt {
    fn install() -> Result<Self, CliError> {
        interrupt::leave_keyboard();
        let mut this = Self { came: Arc::default(), at_once: Arc::new(AtomicBool::new(true)), registered: Vec::new() };
        let failed = |error: std::io::Error| CliError::failed(format!("interrupts cannot be caught: {error}"));
        let status = i32::from(ExitStatus::Failed.code());
        let shutdown = signal_hook::flag::register_conditional_shutdown(SIGINT, status, Arc::clone(&this.at_once));
        this.registered.push(shutdown.map_err(failed)?);
        this.registered.push(signal_hook::flag::register(SIGINT, Arc::clone(&this.came)).map_err(failed)?);
        Ok(this)
    }

    fn inputs_are_read(&self) {
        self.at_once.store(false, Ordering::SeqCst);
    }

    fn came(&self) -> bool {
        self.came.load(Ordering::SeqCst)
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}
