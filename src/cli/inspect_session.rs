//! `ttsr inspect-session`: what session files hold, and what does not add up in them.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::rc::Rc;

use super::CliError;
use super::args::{InspectFormat, InspectSessionArgs};
use super::config::{Config, has_question};
use super::console::{Console, Surroundings};
use super::generation::{Asked, Generation};
use super::inputs::{self, Input};
use super::opened::{generation_of, refused};
use super::upgrade::{Upgrade, ambiguous};
use crate::audit::{AuditOptions, AuditReport, KnownRule, audit};
use crate::diagnostic::{Diagnostic, code};
use crate::generation::{Lifecycle, Semantics};
use crate::output::inspect::{self, Parts, Replayed};
use crate::output::sarif;
use crate::replay::Plan;
use crate::replay::trace::{TraceEvent, TraceKind};
use crate::session::{ReadMode, Session};
use crate::settings::Settings;
use crate::text::json::Value;

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
    let asked = Asked::single(&args.rules.lifecycle, || has_question(&args.rules, surroundings))?;
    let mut inspection = Inspection {
        args,
        surroundings,
        asked,
        shared: BTreeMap::new(),
        rows: Vec::new(),
        findings: Vec::new(),
        newer: OnceCell::new(),
    };
    for input in inputs::expand(&args.files) {
        if console.is_closed() {
            break;
        }
        match input.and_then(|input| inspection.open(&input, stdin)) {
            Ok(opened) => {
                inspection.prepare(&opened, console)?;
                if let Err(error) = inspection.one(opened, console) {
                    console.fail(&error);
                }
            }
            Err(error) => console.fail(&error),
        }
    }
    inspection.finish(console);
    Ok(())
}

/// What the files of a generation share.
struct Shared {
    settings: Settings,
    semantics: Semantics,
    /// The rules that names are resolved with: those that the user named, by path or by project.
    rules: Option<Vec<KnownRule>>,
    plan: Option<Plan>,
}

impl Shared {
    fn read(
        args: &InspectSessionArgs,
        lifecycle: Lifecycle,
        console: &mut Console<'_>,
        surroundings: &Surroundings,
    ) -> Result<Self, CliError> {
        let named = &args.rules;
        let resolves = !named.rules.is_empty() || named.project.is_some() || named.bundled.is_some();
        if !args.replay && !resolves {
            let settings = Config::settings_only(named, lifecycle, console, surroundings)?;
            return Ok(Self { settings, semantics: lifecycle.semantics(), rules: None, plan: None });
        }
        let config = Config::load(named, lifecycle, console, surroundings)?;
        let known = config
            .rules
            .inventory
            .iter()
            .map(|listed| KnownRule { name: listed.rule.name.clone(), content: listed.rule.content.clone() });
        Ok(Self {
            rules: resolves.then(|| known.collect()),
            plan: args.replay.then(|| Plan { verify: true, ..config.plan() }),
            settings: config.settings,
            semantics: config.semantics,
        })
    }
}

/// What is read for the files, and what is told at the end.
struct Inspection<'a> {
    args: &'a InspectSessionArgs,
    surroundings: &'a Surroundings,
    asked: Asked,
    shared: BTreeMap<Lifecycle, Shared>,
    rows: Vec<inspect::Row>,
    findings: Vec<Diagnostic>,
    /// What v4 would read otherwise than v3, once it was asked.
    newer: OnceCell<Option<String>>,
}

impl Inspection<'_> {
    fn open(&self, input: &Input, stdin: &mut dyn Read) -> Result<Inspected, CliError> {
        let session = open(input, self.args, stdin)?;
        let leaf = match &self.args.leaf {
            None => None,
            Some(id) => Some(session.find(&id.as_str().into()).ok_or_else(|| {
                CliError::failed(format!("{}: no entry has the id `{id}`", session.file()))
                    .with_help("--tree shows the ids")
            })?),
        };
        let generation = generation_of(&session, leaf.or_else(|| session.leaf()), self.asked)?;
        Ok(Inspected { session, leaf, generation })
    }

    /// Reads what the files of that generation share, unless it was read. What is wrong with rules and settings ends
    /// the run.
    fn prepare(&mut self, opened: &Inspected, console: &mut Console<'_>) -> Result<(), CliError> {
        let lifecycle = opened.generation.lifecycle;
        if !self.shared.contains_key(&lifecycle) {
            let shared = Shared::read(self.args, lifecycle, console, self.surroundings)?;
            self.shared.insert(lifecycle, shared);
        }
        Ok(())
    }

    fn one(&mut self, opened: Inspected, console: &mut Console<'_>) -> Result<(), CliError> {
        let (args, Inspected { session, leaf, generation }) = (self.args, opened);
        let Some(shared) = self.shared.get(&generation.lifecycle) else { return Ok(()) };
        let options = AuditOptions {
            rules: shared.rules.as_deref(),
            leaf,
            all_branches: args.all_branches,
            context: args.context,
            ..AuditOptions::new(&shared.settings, &shared.semantics)
        };
        let unreadable = |error: crate::session::SessionError| {
            CliError::failed(format!("{}: {error}", session.file())).with_help("read it without --faithful")
        };
        let mut report = audit(&session, &options).map_err(unreadable)?;
        // Without rules or a replay nothing is decided that the newer generation could decide otherwise.
        if generation.may_be_newer && (shared.rules.is_some() || shared.plan.is_some()) {
            let otherwise = || Upgrade::read(&args.rules, Lifecycle::V3, self.surroundings).otherwise();
            let what = self.newer.get_or_init(otherwise).as_deref();
            report.findings.extend(what.map(|what| ambiguous(session.file(), what)));
        }
        report.lifecycle_from = generation.from;
        let session = Rc::new(session);
        let replayed = shared.plan.as_ref().map(|plan| replay(plan, &session, leaf));
        if let Some(replayed) = &replayed {
            // What the replay decides otherwise is a finding like any other, in every form.
            report.findings.extend(replayed.differences.iter().cloned());
        }
        for finding in &report.findings {
            console.count(finding);
        }
        self.show(&session, report, replayed.as_ref(), console)
    }

    fn show(
        &mut self,
        session: &Session,
        report: AuditReport,
        replayed: Option<&Replayed>,
        console: &mut Console<'_>,
    ) -> Result<(), CliError> {
        let args = self.args;
        match args.format {
            InspectFormat::Human => {
                let parts = Parts { tree: args.tree, injections: args.injections, context: args.context };
                let separator = if self.rows.is_empty() { "" } else { "\n" };
                let text = inspect::render(session, &report, replayed, parts, console.style())
                    .map_err(|error| CliError::failed(format!("{}: {error}", session.file())))?;
                console.print(&format!("{separator}{text}"));
                self.rows.push(inspect::Row::of(&report));
            }
            InspectFormat::Json => {
                let mut bytes = Vec::new();
                match replayed {
                    None => {
                        // Writing to memory does not fail.
                        let _ = report.write_json(session, &mut bytes);
                    }
                    Some(replayed) => {
                        let mut document = report.to_json(session);
                        if let Value::Object(object) = &mut document {
                            object.insert("replay", inspect::replay_json(replayed));
                        }
                        bytes.extend_from_slice(document.to_json().as_bytes());
                        bytes.push(b'\n');
                    }
                }
                console.print_json(&String::from_utf8_lossy(&bytes));
            }
            InspectFormat::Sarif => {
                self.findings.extend(report.findings);
            }
        }
        Ok(())
    }

    fn finish(self, console: &mut Console<'_>) {
        match self.args.format {
            InspectFormat::Human if self.rows.len() > 1 => {
                let text = inspect::summary(&self.rows, console.style());
                console.print(&text);
            }
            InspectFormat::Sarif => {
                console.print_json(&format!("{}\n", sarif::document(&self.findings, &sarif::Run::default()).to_json()))
            }
            InspectFormat::Human | InspectFormat::Json => {}
        }
    }
}

/// A session that was opened.
struct Inspected {
    session: Session,
    /// The leaf that was asked for.
    leaf: Option<usize>,
    generation: Generation,
}

fn open(input: &Input, args: &InspectSessionArgs, stdin: &mut dyn Read) -> Result<Session, CliError> {
    let mode = if args.faithful { ReadMode::Faithful } else { ReadMode::Tolerant };
    let name = input.name();
    match input {
        Input::Stdin => Session::read(stdin, &name, mode).map_err(|error| refused(&name, Path::new("-"), error)),
        Input::File(path) | Input::Branch(path, ..) => {
            inputs::open(path)?;
            Session::open(path, &name, mode).map_err(|error| refused(&name, path, error))
        }
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
