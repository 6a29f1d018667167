//! `ttsr inspect-session`: what session files hold, and what does not add up in them.

mod forms;
mod opened;
mod order;
mod shared;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::rc::Rc;

use super::args::{InspectFormat, InspectSessionArgs};
use super::config::has_question;
use super::console::{Console, Surroundings};
use super::generation::Asked;
use super::inputs::{self, Input};
use super::upgrade::{Upgrade, ambiguous};
use super::{CliError, ExitStatus};
use crate::audit::{AuditOptions, Refused, audit, compare};
use crate::diagnostic::{Diagnostic, Severity, code};
use crate::generation::Lifecycle;
use crate::output::inspect::Replayed;
use crate::replay::Plan;
use crate::replay::trace::{TraceEvent, TraceKind};
use crate::session::{ReadMode, Session};
use crate::text::Place;

use forms::{Form, Inspection};
use opened::{Opened, Turned};
use order::Order;
use shared::Shared;

/// Runs the command.
///
/// # Errors
/// When nothing can be inspected at all; failures of single files are shown and counted.
pub(super) fn run(
    args: &InspectSessionArgs,
    stdin: &mut dyn Read,
    console: &mut Console<'_>,
    surroundings: &Surroundings,
) -> Result<(), CliError> {
    if args.files.is_empty() {
        return Err(CliError::usage("nothing to inspect").with_help("name a session file or a directory of them"));
    }
    if args.table.is_some() && args.format != InspectFormat::Csv {
        return Err(CliError::usage("--table goes with --format csv"));
    }
    let asked = Asked::single(&args.rules.lifecycle, || has_question(&args.rules, surroundings))?;
    let inputs = inputs::expand(&args.files);
    let order = Order::of(inputs, args.by_project);
    // A folder is many files whatever it holds today, so that the form does not depend on it.
    let is_many = order.len() != 1 || args.files.iter().any(|path| path.is_dir());
    let mut run = Run {
        args,
        surroundings,
        asked,
        shared: BTreeMap::new(),
        newer: OnceCell::new(),
        form: Form::new(args, is_many, console),
        has_entry: false,
        order,
    };
    if run.order.len() > 1 {
        console.await_report();
    }
    for number in 0..run.order.len() {
        if console.is_closed() || console.is_interrupted(number, run.order.len()) {
            break;
        }
        match run.open(number, stdin) {
            Ok(opened) => {
                run.prepare(opened.generation.lifecycle, console)?;
                if let Err(error) = run.one(number, opened, console) {
                    console.fail(&error);
                }
            }
            Err(Turned { refused: Some(refused), error }) => run.refuse(refused, &error, console)?,
            Err(Turned { refused: None, error }) => console.fail(&error),
        }
    }
    let asked_about = args.state_at.as_ref().or(args.follow.as_ref());
    if let Some(id) = asked_about.filter(|_| !run.has_entry) {
        let error = CliError::failed(format!("no session that was read has an entry `{id}`"));
        console.fail(&error.with_help("--tree and --timeline show the ids"));
    }
    // What is asked of rules and settings is asked of the newest generation where no session has one.
    if run.shared.is_empty() {
        run.prepare(asked.unmarked().lifecycle, console)?;
    }
    let disabled = run.shared.last_key_value().map(|(_, shared)| shared.disabled.clone()).unwrap_or_default();
    run.form.finish(disabled, console)
}

/// What is read for the files, and the form in which it is told.
struct Run<'a> {
    args: &'a InspectSessionArgs,
    surroundings: &'a Surroundings,
    asked: Asked,
    order: Order,
    shared: BTreeMap<Lifecycle, Shared>,
    /// What v4 would read otherwise than v3, once it was asked.
    newer: OnceCell<Option<String>>,
    form: Form,
    /// Whether a file has the entry that is asked about.
    has_entry: bool,
}

impl Run<'_> {
    fn open(&self, number: usize, stdin: &mut dyn Read) -> Result<Opened, Turned> {
        let mode = if self.args.faithful { ReadMode::Faithful } else { ReadMode::Tolerant };
        match self.order.input(number) {
            Ok(input) => opened::open(input, mode, self.args.leaf.as_deref(), self.asked, stdin),
            // Such a failure names its file first.
            Err(error) => {
                let file = error.message.split_once(": ").map_or("", |(file, _)| file).to_owned();
                Err(Turned::failure(file, error.clone()))
            }
        }
    }

    /// Reads what the files of that generation share, unless it was read. What is wrong with rules and settings ends
    /// the run.
    fn prepare(&mut self, lifecycle: Lifecycle, console: &mut Console<'_>) -> Result<(), CliError> {
        if !self.shared.contains_key(&lifecycle) {
            let shared = Shared::read(self.args, lifecycle, console, self.surroundings)?;
            self.shared.insert(lifecycle, shared);
        }
        Ok(())
    }

    fn refuse(&mut self, refused: Refused, error: &CliError, console: &mut Console<'_>) -> Result<(), CliError> {
        for finding in &refused.findings {
            console.count(finding);
        }
        if self.order.len() > 1 {
            console.fail_listed(error);
        } else {
            console.fail(error);
        }
        self.form.refused(refused, console)
    }

    fn one(&mut self, number: usize, opened: Opened, console: &mut Console<'_>) -> Result<(), CliError> {
        let (args, Opened { session, leaf, generation }) = (self.args, opened);
        let Some(shared) = self.shared.get(&generation.lifecycle) else { return Ok(()) };
        let find = |id: &Option<String>| id.as_deref().and_then(|id| session.find(&id.into()));
        let (state_at, follow) = (find(&args.state_at), find(&args.follow));
        self.has_entry |= state_at.is_some() || follow.is_some();
        let options = AuditOptions {
            rules: shared.rules.as_deref(),
            leaf,
            timeline: args.timeline,
            state_at,
            follow,
            all_branches: args.all_branches,
            context: args.context,
            ..AuditOptions::new(&shared.settings, &shared.semantics)
        };
        let mut report = match audit(&session, &options) {
            Ok(report) => report,
            Err(error) => {
                let failed = CliError::failed(format!("{}: {error}", session.file()));
                let (message, failed) = if session.mode() == ReadMode::Faithful {
                    console.raise(ExitStatus::Failed);
                    let message = format!("the agent opens this file and fails on it: {error}");
                    (message, failed.with_help("read it without --faithful"))
                } else {
                    (error.to_string(), failed)
                };
                let code = if args.faithful { code::READERS_DIFFER } else { code::UNREADABLE_INPUT };
                let finding = Diagnostic::new(code, message).with_severity(Severity::Error);
                let file = session.file().to_owned();
                let refused = Refused { findings: vec![finding.at(Place::line(&file, 0, 0))], file };
                return self.refuse(refused, &failed, console);
            }
        };
        // Without rules or a replay nothing is decided that the newer generation could decide otherwise.
        if generation.may_be_newer && (shared.rules.is_some() || shared.plan.is_some()) {
            let otherwise = || Upgrade::read(&args.rules, Lifecycle::V3, self.surroundings).otherwise();
            let what = self.newer.get_or_init(otherwise).as_deref();
            report.findings.extend(what.map(|what| ambiguous(session.file(), what)));
        }
        if args.compare {
            let unreadable = |error| CliError::failed(format!("{}: {error}", session.file()));
            report.comparison = compare(&session).map_err(unreadable)?;
        }
        if follow.is_some() && report.follow.is_none() {
            let id = args.follow.as_deref().unwrap_or_default();
            let error = CliError::failed(format!("{}: the entry `{id}` has to do with no injection", session.file()));
            return Err(error.with_help("--injections lists them, --timeline what led to them"));
        }
        report.findings.extend(self.order.lost_parent(number, &session));
        if let Ok(Input::File(path)) = self.order.input(number) {
            report.findings.extend(order::lost_blobs(path, &session, &report.named));
        }
        report.lifecycle_from = generation.from;
        let session = Rc::new(session);
        let replayed = shared.plan.as_ref().map(|plan| replay(plan, &session, leaf));
        if let Some(replayed) = &replayed {
            // What the replay decides otherwise is a finding like any other, in every form.
            report.findings.extend(replayed.differences.iter().cloned());
        }
        for finding in &mut report.findings {
            // What is about the whole file names it too, so that every form can say where.
            finding.place.get_or_insert_with(|| Place::line(session.file(), 0, 0));
        }
        for finding in &report.findings {
            console.count(finding);
        }
        self.form.session(&Inspection { session: &session, report: &report, replayed: replayed.as_ref() }, console)
    }
}

/// Replays the branch and compares (cli.md section 4, `--replay`).
fn replay(plan: &Plan, session: &Rc<Session>, leaf: Option<usize>) -> Replayed {
    let mut events: Vec<TraceEvent> = Vec::new();
    let leaf = leaf.or_else(|| session.leaf());
    let report = plan.session(session.clone(), leaf, session.file(), &mut events);
    let recorded = events.iter().filter_map(|event| match &event.kind {
        TraceKind::Recorded { rules, agrees } => Some((event.at.entry.clone(), rules.clone(), *agrees)),
        _ => None,
    });
    let differences = report.diagnostics.into_iter().filter(|found| found.code == code::DECISION_DIFFERS);
    Replayed {
        recorded: recorded.collect(),
        differences: differences.collect(),
        not_reproducible: report.summary.not_reproducible,
        races: report.summary.races,
    }
}

/// The input's name, where it has one.
fn name_of(input: &Result<Input, CliError>) -> String {
    input.as_ref().map(Input::name).unwrap_or_default()
}
