//! What inputs are played by: a plan for each generation, the verdicts, and the session that is resumed.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::CliError;
use super::args::{ArgumentsArg, OnTrigger, ReplayArgs, TraceArg};
use super::config::Config;
use super::console::{Console, Surroundings, softened};
use super::generation::Generation;
use super::inputs;
use super::mode::Mode;
use super::opened::{leaf_of, open_session};
use super::upgrade::{Upgrade, ambiguous};
use crate::agent::Script;

use crate::generation::Lifecycle;
use crate::judge::Verdicts;
use crate::lifecycle::{Template, Templates};
use crate::output::escape;
use crate::replay::{Plan, Resumed};
use crate::session::{EntryKind, Session, SessionError};
use crate::stream::{InputKind, detect};
use crate::text::JsString;
use crate::text::json::Value;
use crate::tool::ArgumentMode;

/// The plans by generation, each made when the first input needs it.
pub(super) struct Plans<'a> {
    args: &'a ReplayArgs,
    mode: Mode,
    /// Whether a session is kept though none is to be written: a script hands it off.
    hands_off: bool,
    surroundings: &'a Surroundings,
    made: BTreeMap<Lifecycle, Arc<Plan>>,
    /// What v4 would read otherwise than v3, once it was asked.
    newer: OnceCell<Option<String>>,
    /// Answers about judged rules.
    verdicts: Verdicts,
    /// A script that answers retries of the inputs.
    retries: Option<Script>,
}

impl<'a> Plans<'a> {
    /// No plan yet. `hands_off`: whether a session is kept though none is to be written, since a script hands it off.
    pub(super) fn new(
        args: &'a ReplayArgs,
        hands_off: bool,
        verdicts: Verdicts,
        surroundings: &'a Surroundings,
    ) -> Self {
        let (made, newer) = (BTreeMap::new(), OnceCell::new());
        Self { args, mode: Mode::Alone, hands_off, surroundings, made, newer, verdicts, retries: None }
    }

    /// How the runs are told of.
    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// The runs are told of in this way.
    pub(super) fn told_as(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// A script answers the retries of the inputs.
    pub(super) fn answering(mut self, script: Option<&Script>) -> Self {
        self.retries = script.filter(|_| !self.args.inputs.is_empty()).cloned();
        self
    }

    /// The plan for a generation.
    pub(super) fn of(&mut self, lifecycle: Lifecycle, console: &mut Console<'_>) -> Result<&Plan, CliError> {
        if !self.made.contains_key(&lifecycle) {
            let config = Config::load(&self.args.rules, lifecycle, console, self.surroundings)?;
            let mut plan = plan(self.args, self.mode, &config, console)?;
            plan.keep_session |= self.hands_off;
            plan.retries.clone_from(&self.retries);
            let names: Vec<JsString> = plan.listed.iter().map(|rule| rule.name.clone()).collect();
            if let Some(path) = self.args.verdicts.as_ref().filter(|_| self.verdicts.is_empty()) {
                console.note(&format!("--verdicts: {} holds no verdict", escape(&path.display().to_string())));
            }
            for what in self.verdicts.without_effect(&names) {
                console.note(&format!("--verdicts: {}", escape(&what)));
            }
            if self.args.print_asks && !plan.semantics.judged_rules {
                console.note(&format!("lifecycle {} asks no judge", lifecycle.as_str()));
            }
            self.made.insert(lifecycle, Arc::new(Plan { verdicts: self.verdicts.clone(), ..plan }));
        }
        Ok(&self.made[&lifecycle])
    }

    /// The plans that were made.
    pub(super) fn made(&self) -> &BTreeMap<Lifecycle, Arc<Plan>> {
        &self.made
    }

    /// Says where the input does not tell its generation and another would decide otherwise.
    pub(super) fn note(&self, input: &str, generation: &Generation, console: &mut Console<'_>) {
        let otherwise = || Upgrade::read(&self.args.rules, Lifecycle::V3, self.surroundings).otherwise();
        if generation.may_be_newer
            && let Some(what) = self.newer.get_or_init(otherwise)
        {
            console.report(&ambiguous(input, what));
        }
    }
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
pub(super) fn verdicts(path: &Path, stdin: &mut dyn Read) -> Result<Verdicts, CliError> {
    let text = inputs::read_text(path, stdin)?;
    Verdicts::parse(&text).map_err(|error| {
        CliError::failed(format!("{}: {error}", path.display())).with_help(
            "a row is such as {\"rule\": \"no-blame\", \"answer\": \"yes\"} or {\"question\": \"…\", \"noul\": 0.2}",
        )
    })
}

/// The plan that the options ask for.
fn plan(args: &ReplayArgs, mode: Mode, config: &Config, console: &mut Console<'_>) -> Result<Plan, CliError> {
    let mut plan = config.plan();
    if let Some(mode) = &args.chunk {
        plan.chunk = mode.parse().map_err(|error| {
            CliError::usage(format!("--chunk: {error}")).with_help("one of chars:N, words, lines, block, all")
        })?;
        plan.chunk_texts = true;
    }
    plan.observe = mode.observes(args);
    plan.observes_foreign = args.on_trigger.is_none_or(|action| action == OnTrigger::Observe);
    plan.subagents = args.subagents;
    plan.counting = mode.counting();
    plan.is_one_of_many = mode != Mode::Alone;
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
pub(super) fn resumed(args: &ReplayArgs) -> Result<Option<Resumed>, CliError> {
    if args.write_session.is_some() { resumed_session(args) } else { Ok(None) }
}

/// The same where no session is to be written.
pub(super) fn resumed_session(args: &ReplayArgs) -> Result<Option<Resumed>, CliError> {
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
