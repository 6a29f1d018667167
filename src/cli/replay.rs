//! `ttsr replay`: inputs, one after another, through one plan, into one form of report.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rayon::prelude::*;

use super::args::{ArgumentsArg, LifecycleArg, OnTrigger, ReplayArgs, SourceArg, TraceArg};
use super::config::{Config, has_question};
use super::console::{Console, Surroundings};
use super::generation::{Asked, Generation};
use super::inputs::{self, Input};
use super::opened::{Content, Opened, leaf_of, open_file, open_pipe, open_session};
use super::reporter::Reporter;
use super::upgrade::Upgrade;
use super::{CliError, ExitStatus};
use crate::agent::{EndOfScript, Script, ScriptSource};
use crate::diagnostic::{Diagnostic, Severity, code};
use crate::judge::Verdicts;
use crate::lifecycle::{Template, Templates};
use crate::message::Source;
use crate::output::escape;
use crate::replay::trace::{TraceEvent, TraceKind};
use crate::replay::{Plan, Report, Resumed, TextInput, TraceSink};
use crate::session::{EntryKind, Session, SessionError, write_new};
use crate::settings::Lifecycle;
use crate::stream::{InputKind, detect};
use crate::text::json::Value;
use crate::text::{JsString, Place};
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
    one_reader(args)?;
    let texts = texts(args, stdin)?;
    if texts.is_empty() && args.inputs.is_empty() && args.script.is_none() {
        return Err(CliError::usage("nothing to replay").with_help(
            "name a session, an event stream or a directory of them, or give --text TEXT, or --script FILE with --prompt TEXT",
        ));
    }
    output_options(args)?;
    let script = args.script.as_deref().map(|path| read_script(path, stdin, console)).transpose()?;
    let hands_off = script.as_ref().is_some_and(Script::hands_off);
    let jobs = args.jobs.unwrap_or(1);
    if jobs == 0 {
        return Err(CliError::usage("--jobs takes a number from 1"));
    }
    if jobs > 1 && args.inputs.iter().any(|input| input.as_os_str() == "-") {
        return Err(CliError::usage("standard input cannot be shared among jobs").with_help("leave --jobs out"));
    }
    let passes = Asked::each(&args.rules.lifecycle, || has_question(&args.rules, surroundings))?;
    if passes.len() > 1 && args.inputs.iter().any(|input| input.as_os_str() == "-") {
        return Err(CliError::usage("standard input can be read once: name a file to compare generations"));
    }
    let asks_for = |generation| args.rules.lifecycle.contains(&generation);
    let answers = args.verdicts.as_deref().map(|path| verdicts(path, stdin)).transpose()?.unwrap_or_default();
    let mut reporter = Reporter::new(args.format, passes.len() > 1).asks_only(args.print_asks);
    for asked in passes {
        let plans = Plans {
            args,
            hands_off,
            surroundings,
            made: BTreeMap::new(),
            newer: OnceCell::new(),
            verdicts: answers.clone(),
        };
        let mut pass = Pass { args, asked, plans, reporter: &mut reporter };
        pass.run(&texts, script.as_ref(), stdin, console)?;
    }
    reporter.finish(console);
    if asks_for(LifecycleArg::V3) && asks_for(LifecycleArg::V4) {
        let older = Lifecycle::V3;
        for line in Upgrade::read(&args.rules, older, surroundings).lines(older) {
            console.note(&line);
        }
    }
    Ok(())
}

/// The plans by generation, each made when the first input needs it.
struct Plans<'a> {
    args: &'a ReplayArgs,
    /// Whether a session is kept though none is to be written: a script hands it off.
    hands_off: bool,
    surroundings: &'a Surroundings,
    made: BTreeMap<Lifecycle, Plan>,
    /// What v4 would read otherwise than v3, once it was asked.
    newer: OnceCell<Option<String>>,
    /// Answers about judged rules.
    verdicts: Verdicts,
}

impl Plans<'_> {
    /// The plan for a generation.
    fn of(&mut self, lifecycle: Lifecycle, console: &mut Console<'_>) -> Result<&Plan, CliError> {
        if !self.made.contains_key(&lifecycle) {
            let config = Config::load(&self.args.rules, lifecycle, console, self.surroundings)?;
            let mut plan = plan(self.args, &config, console)?;
            plan.keep_session |= self.hands_off;
            let names: Vec<JsString> = plan.listed.iter().map(|rule| rule.name.clone()).collect();
            for what in self.verdicts.without_effect(&names) {
                console.note(&format!("--verdicts: {}", escape(&what)));
            }
            if self.args.print_asks && !plan.semantics.judged_rules {
                console.note(&format!("lifecycle {} asks no judge", lifecycle.as_str()));
            }
            self.made.insert(lifecycle, Plan { verdicts: self.verdicts.clone(), ..plan });
        }
        Ok(&self.made[&lifecycle])
    }

    /// Says where the input does not tell its generation and another would decide otherwise.
    fn note(&self, input: &str, generation: &Generation, console: &mut Console<'_>) {
        let otherwise = || Upgrade::read(&self.args.rules, Lifecycle::V3, self.surroundings).otherwise();
        if let (true, Some(what)) = (generation.may_be_newer, self.newer.get_or_init(otherwise)) {
            let message = format!("18.2 or 18.3 may have recorded this, and {what} is read otherwise by v4");
            let note = Diagnostic::new(code::GENERATION_AMBIGUOUS, message).at(Place::line(input, 1, 0));
            console.report(&note.with_help("name the generation with --lifecycle v3 or v4"));
        }
    }
}

/// One run over everything that is asked for: in one generation, or each input in its own.
struct Pass<'a> {
    args: &'a ReplayArgs,
    asked: Asked,
    plans: Plans<'a>,
    reporter: &'a mut Reporter,
}

impl Pass<'_> {
    fn run(
        &mut self,
        texts: &[(String, TextInput)],
        script: Option<&Script>,
        stdin: &mut dyn Read,
        console: &mut Console<'_>,
    ) -> Result<(), CliError> {
        let args = self.args;
        if !texts.is_empty() || script.is_some() {
            let generation = self.asked.unmarked();
            let plan = self.plans.of(generation.lifecycle, console)?;
            for (name, text) in texts {
                let resumed = resumed(args)?;
                let played = self.reporter.stream(console, |sink| {
                    let play = |sink: &mut dyn TraceSink| plan.text(text, name, "text", resumed, sink);
                    Ok(Played::watch(plan, &generation, sink, play))
                });
                settle(played, args, console);
            }
            if let Some(script) = script {
                let prompts: Vec<JsString> = args.prompt.iter().map(|prompt| prompt.as_str().into()).collect();
                let source = ScriptSource::new(script.clone(), EndOfScript::Stop);
                let resumed = if script.hands_off() { resumed_session(args)? } else { resumed(args)? };
                let played = self.reporter.stream(console, |sink| {
                    let play = |sink: &mut dyn TraceSink| plan.script(source, &prompts, resumed, &script.file, sink);
                    Ok(Played::watch(plan, &generation, sink, play))
                });
                settle(played, args, console);
            }
        }
        let expanded = inputs::expand(&args.inputs);
        let jobs = args.jobs.unwrap_or(1).max(1);
        for batch in expanded.chunks(if jobs > 1 { jobs * BATCH } else { 1 }) {
            if console.is_closed() {
                break;
            }
            if jobs > 1 {
                self.several(batch, jobs, console)?;
                continue;
            }
            for input in batch {
                self.one(input, stdin, console)?;
            }
        }
        Ok(())
    }

    /// Plays one input.
    fn one(
        &mut self,
        input: &Result<Input, CliError>,
        stdin: &mut dyn Read,
        console: &mut Console<'_>,
    ) -> Result<(), CliError> {
        let leaf = self.args.leaf.as_deref();
        match input {
            Ok(Input::File(path)) => self.opened(open_file(path, self.asked, leaf), console),
            Ok(Input::Stdin) => self.opened(open_pipe(stdin, "-", self.asked, leaf), console),
            Err(error) => {
                console.fail(error);
                Ok(())
            }
        }
    }

    fn opened<R: Read>(
        &mut self,
        opened: Result<Opened<R>, CliError>,
        console: &mut Console<'_>,
    ) -> Result<(), CliError> {
        let played = match opened {
            Ok(opened) => {
                let resumed = resumed(self.args)?;
                self.plans.of(opened.generation.lifecycle, console)?;
                self.plans.note(&opened.name, &opened.generation, console);
                let plan = self.plans.of(opened.generation.lifecycle, console)?;
                self.reporter.stream(console, |sink| Ok(play(opened, plan, resumed, sink)))
            }
            Err(error) => Err(error),
        };
        settle(played, self.args, console);
        Ok(())
    }

    /// Plays inputs at the same time and tells of them in their order.
    fn several(
        &mut self,
        batch: &[Result<Input, CliError>],
        jobs: usize,
        console: &mut Console<'_>,
    ) -> Result<(), CliError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
        let pool = pool.map_err(|error| CliError::failed(format!("--jobs {jobs}: {error}")))?;
        let (asked, leaf) = (self.asked, self.args.leaf.as_deref());
        let open = |input: &Result<Input, CliError>| match input {
            Ok(Input::File(path)) => open_file(path, asked, leaf),
            Ok(Input::Stdin) => Err(CliError::usage("standard input cannot be shared among jobs")),
            Err(error) => Err(error.clone()),
        };
        let opened: Vec<Result<Opened<File>, CliError>> = pool.install(|| batch.par_iter().map(open).collect());
        // The plans that are needed, before they are shared.
        for opened in opened.iter().flatten() {
            self.plans.of(opened.generation.lifecycle, console)?;
            self.plans.note(&opened.name, &opened.generation, console);
        }
        let plans = &self.plans.made;
        let played: Vec<(Vec<TraceEvent>, Result<Played, CliError>)> = pool.install(|| {
            let play = |opened: Result<Opened<File>, CliError>| {
                let mut events = Vec::new();
                let played = opened.map(|opened| {
                    let plan = &plans[&opened.generation.lifecycle];
                    play(opened, plan, None, &mut events)
                });
                (events, played)
            };
            opened.into_par_iter().map(play).collect()
        });
        for (events, played) in played {
            if played.is_ok() {
                self.reporter.show(console, events);
            }
            settle(played, self.args, console);
        }
        Ok(())
    }
}

/// What became of one input.
struct Played {
    /// Its name in reports.
    input: String,
    report: Report,
    /// The rules that the input names and nobody gave, once each.
    unknown: Vec<JsString>,
    /// Whether they may be bundled with the agent: its bundled rules are on.
    bundled_are_on: bool,
}

impl Played {
    /// Plays, and tells in the trace which mark decided for the generation.
    fn watch(
        plan: &Plan,
        generation: &Generation,
        sink: &mut dyn TraceSink,
        play: impl FnOnce(&mut dyn TraceSink) -> Report,
    ) -> Self {
        let (mut input, mut unknown) = (String::new(), Vec::new());
        let report = play(&mut |mut event: TraceEvent| {
            match &mut event.kind {
                TraceKind::Run { lifecycle_from, .. } => {
                    lifecycle_from.clone_from(&generation.from);
                    input.clone_from(&event.at.input);
                }
                TraceKind::Recorded { rules, .. } => unknown_rules(rules, plan, &mut unknown),
                _ => {}
            }
            sink.event(event);
        });
        Self { input, report, unknown, bundled_are_on: plan.semantics.rule_switches && plan.settings.builtin_rules }
    }
}

/// Adds the names of recorded rules that no rule file has.
fn unknown_rules(recorded: &[JsString], plan: &Plan, unknown: &mut Vec<JsString>) {
    for name in recorded {
        if !unknown.contains(name) && !plan.listed.iter().any(|rule| rule.name == *name) {
            unknown.push(name.clone());
        }
    }
}

/// Inputs per job that are played before the next are begun, so that memory does not grow with their number.
const BATCH: usize = 4;

/// Ends the work on one input.
fn settle(played: Result<Played, CliError>, args: &ReplayArgs, console: &mut Console<'_>) {
    match played {
        Ok(played) => {
            bundled_note(&played, args, console);
            finish(played.report, args, console);
        }
        Err(error) => console.fail(&error),
    }
}

/// Says once per input how to give rules that the recorded agent had in it (cli.md, `--bundled`).
fn bundled_note(played: &Played, args: &ReplayArgs, console: &mut Console<'_>) {
    const SHOWN_NAMES: usize = 5;
    if played.unknown.is_empty() || !played.bundled_are_on || args.rules.bundled.is_some() {
        return;
    }
    let mut names: Vec<String> =
        played.unknown.iter().take(SHOWN_NAMES).map(|name| format!("`{}`", escape(&name.to_string_lossy()))).collect();
    if played.unknown.len() > SHOWN_NAMES {
        names.push(format!("{} more", played.unknown.len() - SHOWN_NAMES));
    }
    console.note(&format!(
        "{}: the recording names rules that are not given ({}); --bundled DIR reads rules that are bundled with the agent",
        escape(&played.input),
        names.join(", "),
    ));
}

/// Standard input is read once, so only one thing can come from it.
fn one_reader(args: &ReplayArgs) -> Result<(), CliError> {
    let named = [(&args.text_file, "--text-file"), (&args.script, "--script"), (&args.verdicts, "--verdicts")];
    let options = named.into_iter().filter_map(|(path, option)| Some((path.as_deref()?, option)));
    let inputs = args.inputs.iter().map(|path| (path.as_path(), "an input"));
    let readers: Vec<&str> =
        options.chain(inputs).filter(|(path, _)| path.as_os_str() == "-").map(|(_, what)| what).collect();
    match readers[..] {
        [first, second, ..] => Err(CliError::usage(format!("standard input cannot be both {first} and {second}"))
            .with_help("name a file for one of them")),
        _ => Ok(()),
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
fn read_script(path: &Path, stdin: &mut dyn Read, console: &mut Console<'_>) -> Result<Script, CliError> {
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

/// The verdicts of a file (generation-v4.md W15.2).
fn verdicts(path: &Path, stdin: &mut dyn Read) -> Result<Verdicts, CliError> {
    let text = inputs::read_text(path, stdin)?;
    Verdicts::parse(&text).map_err(|error| {
        CliError::failed(format!("{}: {error}", path.display())).with_help(
            "a row is such as {\"rule\": \"no-blame\", \"answer\": \"yes\"} or {\"question\": \"…\", \"noul\": 0.2}",
        )
    })
}

/// The plan that the options ask for.
fn plan(args: &ReplayArgs, config: &Config, console: &mut Console<'_>) -> Result<Plan, CliError> {
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
    if let Some(path) = &args.resume {
        let session = open_session(path, &path.to_string_lossy())?;
        for diagnostic in session.diagnostics() {
            console.report_once(&softened(diagnostic));
        }
        let leaf = resumed_leaf(&session, args)?;
        plan.restored =
            session.injected_rules(leaf).map_err(|error| CliError::failed(format!("{}: {error}", path.display())))?;
        plan.restored_by =
            recorded_in(&session, leaf).map_err(|error| CliError::failed(format!("{}: {error}", path.display())))?;
        // cli.md: the session's own comes before `--cwd`.
        if let Some(cwd) = session.cwd() {
            plan.cwd = cwd.clone();
        }
        if !plan.semantics.persists {
            console.note("lifecycle v1 restores nothing from a session: every rule is armed");
        }
    }
    Ok(plan)
}

/// The session that `--resume` names, to be gone on with.
fn resumed(args: &ReplayArgs) -> Result<Option<Resumed>, CliError> {
    if args.write_session.is_some() { resumed_session(args) } else { Ok(None) }
}

/// The same where no session is to be written.
fn resumed_session(args: &ReplayArgs) -> Result<Option<Resumed>, CliError> {
    let Some(path) = args.resume.as_deref() else { return Ok(None) };
    let session = open_session(path, &path.to_string_lossy())?;
    let leaf = resumed_leaf(&session, args)?;
    Ok(Some(Resumed { session, leaf }))
}

/// Where the resumed session goes on: at `--leaf`, unless that chooses the branch of a session that is played.
fn resumed_leaf(session: &Session, args: &ReplayArgs) -> Result<Option<usize>, CliError> {
    let asked = args.leaf.as_deref().filter(|_| args.inputs.iter().all(|input| is_stream(Path::new(input))));
    leaf_of(session, asked)
}

/// Whether a file holds an event stream, which has no branches to choose from. Standard input may be a session.
fn is_stream(path: &Path) -> bool {
    let mut head = Vec::new();
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|found| found.is_file()));
    let read = file.and_then(|file| file.take(1 << 16).read_to_end(&mut head).ok());
    read.is_some() && detect(&head) == InputKind::Events
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

/// Replays one input; its events go to `sink`.
fn play<R: Read>(opened: Opened<R>, plan: &Plan, resumed: Option<Resumed>, sink: &mut dyn TraceSink) -> Played {
    let Opened { name, content, generation } = opened;
    Played::watch(plan, &generation, sink, |sink| match content {
        Content::Session(session, leaf) => plan.session(Rc::new(*session), leaf, &name, sink),
        Content::Events(reader) => plan.events(reader, &name, resumed, sink),
    })
}

/// Shows what was wrong with an input, and with `--verify` how the run differs from it; writes the session.
fn finish(report: Report, args: &ReplayArgs, console: &mut Console<'_>) {
    for diagnostic in &report.diagnostics {
        // What is asked before anybody has answered: the run goes no further.
        if args.print_asks && diagnostic.code == code::SCRIPT_LEFT_OVER {
            continue;
        }
        if diagnostic.code == code::DECISION_DIFFERS {
            if args.verify {
                console.report(diagnostic);
                console.raise(ExitStatus::Findings);
            }
        } else {
            console.report(&softened(diagnostic));
        }
    }
    if let Some(path) = &args.write_session {
        for (number, store) in report.handed_off.iter().enumerate() {
            let path = numbered(path, number + 1);
            written(&path, store.write_new(&path), console);
        }
    }
    if let (Some(path), Some(store)) = (&args.write_session, report.store) {
        written(path, store.write_new(path), console);
    }
    if let (Some(path), Some(events)) = (&args.emit_events, report.events) {
        written(path, write_new(path, |out| out.write_all(&events), &mut |_| Ok(())), console);
    }
}

/// `out.jsonl` as `out.1.jsonl`: the file of a session that was handed off, beside what followed it.
fn numbered(path: &Path, number: usize) -> PathBuf {
    match path.extension() {
        Some(extension) => path.with_extension(format!("{number}.{}", extension.to_string_lossy())),
        None => path.with_extension(number.to_string()),
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
