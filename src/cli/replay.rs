//! `ttsr replay`: inputs, one after another, through one plan, into one form of report.

use std::io::Read;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use super::args::{LifecycleArg, ReplayArgs, SchemaOf};
use super::as_write;
use super::branches;
use super::chosen;
use super::compare::{self, Given};
use super::config::has_question;
use super::console::{Console, Surroundings, softened};
use super::gates::Gates;
use super::generation::{Asked, Generation};
use super::inputs::{self, Input};
use super::merge;
use super::mode::Mode;
use super::opened::{Content, Opened, open_input, open_pipe};
use super::parallel;
use super::plans::{Plans, resumed, resumed_session, verdicts};
use super::progress::Progress;
use super::reporter::Reporter;
use super::texts::texts;
use super::upgrade::Upgrade;
use super::{CliError, ExitStatus, outputs};
use crate::agent::{EndOfScript, Script, ScriptSource};
use crate::diagnostic::code;
use crate::generation::Lifecycle;
use crate::output::json::{self, v1};
use crate::output::{escape, foreign};
use crate::replay::trace::{TraceEvent, TraceKind};
use crate::replay::{Plan, Report, Resumed, TextInput, TraceSink};
use crate::text::JsString;

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
    if let Some(form) = args.schema {
        console.print(&schema(form));
        return Ok(());
    }
    one_reader(args)?;
    let gates = Gates::read(&args.corpus)?;
    let mode = Mode::of(args)?;
    let chosen;
    let mut is_empty = false;
    let args = if args.corpus.chooses() {
        chosen = chosen::resolved(args, stdin, console)?;
        is_empty = chosen.inputs.is_empty();
        &chosen
    } else {
        args
    };
    if args.corpus.merge {
        return merge::run(args, mode, &gates, stdin, console);
    }
    if args.author.all_branches && args.inputs.iter().any(|input| input.as_os_str() == "-") {
        return Err(CliError::usage("standard input can be read once: name a file to play all its branches"));
    }
    let texts = texts(args, stdin, console)?;
    if !args.author.as_write.is_empty() {
        let passes = Asked::each(&args.rules.lifecycle, || has_question(&args.rules, surroundings))?;
        return as_write::run(args, &passes, surroundings, console);
    }
    if is_empty {
        // A shard may be empty: its report is one of nothing.
        let mut reporter = Reporter::new(args, mode, false)?;
        reporter.finish(console);
        return gates.check(&reporter.corpus, console);
    }
    if texts.is_empty() && args.inputs.is_empty() && args.script.is_none() {
        return Err(CliError::usage("nothing to replay").with_help(
            "name a session, an event stream or a directory of them, or give --text TEXT, or --script FILE with --prompt TEXT",
        ));
    }
    script_options(args)?;
    let script = args.script.as_deref().map(|path| read_script(path, stdin, console)).transpose()?;
    if let Some(script) = script.as_ref().filter(|_| !args.inputs.is_empty()) {
        answers_retries(script)?;
    }
    outputs::check(args, script.as_ref())?;
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
    if args.author.compares() {
        let given = Given { texts: &texts, script: script.as_ref(), passes: &passes, verdicts: &answers };
        return compare::run(args, &given, surroundings, console);
    }
    let mut reporter = Reporter::new(args, mode, passes.len() > 1)?;
    if reporter.is_over_all() {
        console.take_files_together();
    }
    for asked in passes {
        let plans = Plans::new(args, hands_off, answers.clone(), surroundings).told_as(mode).answering(script.as_ref());
        let mut pass = Pass { args, asked, plans, reporter: &mut reporter };
        let ran = pass.run(&texts, script.as_ref(), stdin, console);
        if ran.is_err() {
            // What was shown so far is ended as its form wants it.
            reporter.finish(console);
            return ran;
        }
    }
    reporter.finish(console);
    if reporter.corpus.inputs == 0 && !reporter.corpus.refused.is_empty() {
        console.raise(ExitStatus::Failed);
    }
    gates.check(&reporter.corpus, console)?;
    if asks_for(LifecycleArg::V3) && asks_for(LifecycleArg::V4) {
        let older = Lifecycle::V3;
        for line in Upgrade::read(&args.rules, older, surroundings).lines(older) {
            console.note(&line);
        }
    }
    Ok(())
}

/// The JSON Schema of a form.
fn schema(form: SchemaOf) -> String {
    match form {
        SchemaOf::Replay => json::schema::<v1::trace::Replay<'_>>(),
        SchemaOf::Trace => json::schema::<v1::trace::Line<'_>>(),
        SchemaOf::Report => json::schema::<v1::report::Report<'_>>(),
        SchemaOf::Change => json::schema::<v1::change::Document<'_>>(),
        SchemaOf::Files => json::schema::<v1::files::Document<'_>>(),
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
        // Beside inputs a script answers their retries.
        let script = script.filter(|_| args.inputs.is_empty());
        if !texts.is_empty() || script.is_some() {
            let generation = self.asked.unmarked();
            let plan = self.plans.of(generation.lifecycle, console)?;
            for (name, text) in texts {
                let resumed = resumed(args)?;
                let played = self.reporter.stream(console, |sink| {
                    let play = |sink: &mut dyn TraceSink| plan.text(text, name, "text", resumed, sink);
                    Ok(Played::watch(plan, &generation, sink, play))
                });
                settle(played, self.args, self.reporter, console);
            }
            if let Some(script) = script {
                let prompts: Vec<JsString> = args.prompt.iter().map(|prompt| prompt.as_str().into()).collect();
                let source = ScriptSource::new(script.clone(), EndOfScript::Stop);
                let resumed = if script.hands_off() { resumed_session(args)? } else { resumed(args)? };
                let played = self.reporter.stream(console, |sink| {
                    let play = |sink: &mut dyn TraceSink| plan.script(source, &prompts, resumed, &script.file, sink);
                    Ok(Played::watch(plan, &generation, sink, play))
                });
                settle(played, self.args, self.reporter, console);
            }
        }
        let expanded = branches::inputs(args);
        let jobs = args.jobs.unwrap_or(1).max(1);
        let in_report = self.plans.mode().counting().is_some();
        let shows = console.shows_progress(args.format.is_told_as_it_comes(in_report));
        let mut progress = Progress::new(&expanded, shows);
        if expanded.len() > 1 {
            console.await_report();
        }
        if jobs > 1 {
            return self.several(&expanded, jobs, &mut progress, console);
        }
        for (done, input) in expanded.iter().enumerate() {
            if console.is_closed() || console.is_interrupted(done, expanded.len()) {
                break;
            }
            progress.begin(input);
            self.one(input, stdin, console)?;
            progress.end(input);
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
            Ok(Input::Stdin) => self.opened(open_pipe(stdin, "-", self.asked, leaf), console),
            Ok(input) => self.opened(open_input(input, self.asked, leaf), console),
            Err(error) => {
                settle(Err(error.clone()), self.args, self.reporter, console);
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
                not_of_others(&opened, self.args)?;
                let resumed = resumed(self.args)?;
                self.plans.of(opened.generation.lifecycle, console)?;
                self.plans.note(&opened.name, &opened.generation, console);
                let plan = self.plans.of(opened.generation.lifecycle, console)?;
                self.reporter.stream(console, |sink| Ok(play(opened, plan, resumed, sink)))
            }
            Err(error) => Err(error),
        };
        settle(played, self.args, self.reporter, console);
        Ok(())
    }

    /// Plays inputs at the same time and tells of them in their order.
    fn several(
        &mut self,
        inputs: &[Result<Input, CliError>],
        jobs: usize,
        progress: &mut Progress,
        console: &mut Console<'_>,
    ) -> Result<(), CliError> {
        let (asked, args, leaf) = (self.asked, self.args, self.args.leaf.as_deref());
        let work = |input: &Result<Input, CliError>, plan: &dyn Fn(Lifecycle) -> Option<Arc<Plan>>| {
            let opened = match input {
                Ok(input) => open_input(input, asked, leaf),
                Err(error) => Err(error.clone()),
            };
            let opened = opened.and_then(|opened| not_of_others(&opened, args).map(|()| opened));
            Some(match opened {
                Ok(opened) => {
                    let plan = plan(opened.generation.lifecycle)?;
                    let (name, generation) = (opened.name.clone(), opened.generation.clone());
                    let mut events = Vec::new();
                    let played = play(opened, &plan, None, &mut events);
                    Ok((name, generation, events, played))
                }
                Err(error) => Err(error),
            })
        };
        let telling = &mut Telling { pass: self, inputs: inputs.iter(), all: inputs.len(), progress, console };
        parallel::in_order(inputs, jobs, work, telling)
    }
}

/// What cannot be asked of a transcript of another agent.
fn not_of_others<R>(opened: &Opened<R>, args: &ReplayArgs) -> Result<(), CliError> {
    let Content::Foreign(format, _) = &opened.content else { return Ok(()) };
    let refused = |option: &str, why: &str| {
        let what = format!("{option}: {} is {}: {why}", escape(&opened.name), format.words());
        Err(CliError::usage(what).with_help(format!("leave {option} out, or name recordings of this agent only")))
    };
    if args.verify {
        return refused("--verify", "no decision is recorded there to compare with");
    }
    if args.write_session.is_some() {
        return refused("--write-session", "a session of this agent cannot be made of it");
    }
    if args.resume.is_some() {
        return refused("--resume", "a session of this agent does not go on with it");
    }
    Ok(())
}

/// What a job made of an input: its name and generation, the trace, the rest.
type Done = Result<(String, Generation, Vec<TraceEvent>, Played), CliError>;

/// Tells of inputs that are played at the same time.
struct Telling<'p, 'a, 'c, 'o> {
    pass: &'p mut Pass<'a>,
    /// Those that were not told of yet.
    inputs: std::slice::Iter<'p, Result<Input, CliError>>,
    /// How many inputs there are.
    all: usize,
    progress: &'p mut Progress,
    console: &'c mut Console<'o>,
}

impl parallel::Desk<Lifecycle, Arc<Plan>, Done, CliError> for Telling<'_, '_, '_, '_> {
    fn provide(&mut self, lifecycle: Lifecycle) -> Result<Arc<Plan>, CliError> {
        self.pass.plans.of(lifecycle, self.console)?;
        let made = self.pass.plans.made().get(&lifecycle);
        made.cloned().ok_or_else(|| CliError::failed(format!("no plan for {}", lifecycle.as_str())))
    }

    fn take(&mut self, done: Done) -> bool {
        let Pass { args, plans, reporter, .. } = &mut *self.pass;
        let played = done.map(|(name, generation, events, played)| {
            plans.note(&name, &generation, self.console);
            reporter.show(self.console, events);
            played
        });
        settle(played, args, reporter, self.console);
        if let Some(input) = self.inputs.next() {
            self.progress.end(input);
        }
        if let Some(input) = self.inputs.as_slice().first() {
            self.progress.begin(input);
        }
        let done = self.all - self.inputs.len();
        !self.console.is_closed() && !self.console.is_interrupted(done, self.all)
    }
}

/// Ends the work on one input.
fn settle(played: Result<Played, CliError>, args: &ReplayArgs, reporter: &mut Reporter, console: &mut Console<'_>) {
    match played {
        Ok(played) => {
            if !reporter.is_over_all() {
                bundled_note(&played, args, console);
            }
            finish(played.report, &played.input, args, console);
        }
        Err(error) => {
            if let Some(refused) = &error.refused {
                reporter.refused(console, refused);
            }
            console.refuse(&error, args.corpus.allow_unreadable);
        }
    }
}

/// What became of one input.
pub(super) struct Played {
    /// Its name in reports.
    input: String,
    pub(super) report: Report,
    /// The rules that the input names and nobody gave, once each.
    unknown: Vec<JsString>,
    /// Whether they may be bundled with the agent: its bundled rules are on.
    bundled_are_on: bool,
}

impl Played {
    /// Plays, and tells in the trace which mark decided for the generation.
    pub(super) fn watch(
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
pub(super) const BATCH: usize = 4;

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
    let named = [
        (&args.text_file, "--text-file"),
        (&args.script, "--script"),
        (&args.verdicts, "--verdicts"),
        (&args.corpus.files_from, "--files-from"),
    ];
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

/// A script needs prompts to answer, and brings the replies itself.
fn script_options(args: &ReplayArgs) -> Result<(), CliError> {
    match (&args.script, &args.prompt[..], &args.inputs[..]) {
        (Some(_), [_, ..], [_, ..]) => Err(CliError::usage("--prompt and an input are two runs")
            .with_help("a script beside an input answers its retries, and needs no prompt")),
        (Some(_), [], []) => Err(CliError::usage("--script needs a prompt to answer").with_help("add --prompt TEXT")),
        (None, [_, ..], _) => Err(CliError::usage("--prompt goes with --script").with_help("add --script FILE")),
        _ => Ok(()),
    }
}

/// A script beside an input answers retries and does nothing else.
fn answers_retries(script: &Script) -> Result<(), CliError> {
    match script.replies.iter().find_map(|reply| Some((reply.needs_a_run()?, reply.line))) {
        Some((key, line)) => {
            let file = escape(&script.file);
            let message = format!("{file}:{line}: `{key}` has no meaning beside an input");
            Err(CliError::usage(message)
                .with_help("there a reply answers a retry: its parts, `finish`, `error`, `toolResults`"))
        }
        None => Ok(()),
    }
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

/// Replays one input; its events go to `sink`.
pub(super) fn play<R: Read>(
    opened: Opened<R>,
    plan: &Plan,
    resumed: Option<Resumed>,
    sink: &mut dyn TraceSink,
) -> Played {
    let Opened { name, content, generation } = opened;
    Played::watch(plan, &generation, sink, |sink| match content {
        Content::Session(session, leaf) => plan.session(Rc::new(*session), leaf, &name, sink),
        Content::Foreign(format, input) => plan.foreign_input(format, input, &name, sink),
        Content::Events(reader) => plan.events(reader, &name, resumed, sink),
    })
}

/// Shows what was wrong with an input, and with `--verify` how the run differs from it, and writes what was asked for.
fn finish(report: Report, input: &str, args: &ReplayArgs, console: &mut Console<'_>) {
    if let Some(facts) = &report.foreign {
        for note in foreign::notes(facts) {
            console.note(&format!("{}: {note}", escape(input)));
        }
    }
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
    outputs::write(report, args, console);
}
