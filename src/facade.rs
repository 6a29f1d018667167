//! What a program can do with this crate besides running the command line: load rules, replay a recording, listen to
//! triggers, audit a session. Everything is plain data; texts are UTF-8, with U+FFFD for a lone surrogate.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::audit::{AuditOptions, audit};
use crate::diagnostic::{Diagnostic, Severity};
use crate::generation::Lifecycle;
use crate::history::marks;
use crate::host::trace::{self, TraceEvent, TraceKind};
use crate::lifecycle::Decision;
use crate::message::Source;
use crate::replay::{Plan, TextInput};
use crate::rule::{CompiledRule, Loaded, RuleSet, lint, search_paths};
use crate::session::{ReadError, ReadMode, Session, SessionError};
use crate::settings::Settings;
use crate::stream::{InputKind, detect};
use crate::text::JsString;

/// Working directory of a run whose input names none (cli.md section 1, `--cwd`).
const DEFAULT_CWD: &str = "/project";

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A path of rules holds nothing that can be read.
    #[error("{0}")]
    Rules(String),
    /// The file is neither a session nor an event stream, or a session that the agent would not open.
    #[error("{}: {why}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

/// Something that is wrong with a rule file or a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The stable code, such as `TTSR033`.
    pub code: String,
    /// Its name, such as `comma-in-glob`.
    pub name: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The file, and 1-based line and column in it (columns in Unicode scalar values).
    pub place: Option<(String, usize, usize)>,
}

impl From<&Diagnostic> for Finding {
    fn from(found: &Diagnostic) -> Self {
        Self {
            code: found.code.to_string(),
            name: found.code.name(),
            severity: found.severity,
            message: found.message.clone(),
            help: found.help.clone(),
            place: found.place.as_ref().map(|place| (place.file.clone(), place.start.line, place.start.column)),
        }
    }
}

/// A match, and what the agent makes of it (engine.md E7).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trigger {
    /// The rules that matched, in order.
    pub rules: Vec<String>,
    /// Whether the stream is interrupted, or the reminder comes later.
    pub decision: Decision,
    /// What was streaming.
    pub source: Source,
    /// The tool, where a call was streaming.
    pub tool: Option<String>,
    /// At most 80 code points around the match, one for each rule.
    pub excerpts: Vec<String>,
    /// 1-based line of the recording.
    pub line: Option<usize>,
    /// Assistant messages before this one.
    pub message: Option<usize>,
    /// Deltas of the block before the one that made the match.
    pub delta: Option<usize>,
}

impl Trigger {
    fn of(at: &trace::At, found: &trace::Trigger) -> Self {
        Self {
            rules: found.rules.iter().map(JsString::to_string_lossy).collect(),
            decision: found.decision,
            source: found.source,
            tool: found.tool.as_ref().map(JsString::to_string_lossy),
            excerpts: found.by.iter().map(|by| by.excerpt.to_string_lossy()).collect(),
            line: at.line,
            message: at.message,
            delta: at.delta,
        }
    }
}

/// What a replay came to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replay {
    /// The generation of the agent that was reproduced.
    pub lifecycle: Lifecycle,
    /// Every trigger, in order.
    pub triggers: Vec<Trigger>,
    /// Decisions that could not be reached within the step budget: neither a match nor none.
    pub undecided: usize,
    /// What is wrong with the recording.
    pub findings: Vec<Finding>,
}

/// A set of rules, ready to be replayed.
///
/// ```
/// let rules = ttsr::Rules::load(&["testdata/demo/rules"])?;
/// assert_eq!(rules.names(), ["no-flake", "no-unwrap"]);
/// assert!(rules.findings().is_empty());
/// # Ok::<(), ttsr::Error>(())
/// ```
#[derive(Debug)]
pub struct Rules {
    /// The rule files, read anew for each generation that is asked for.
    paths: Vec<PathBuf>,
    names: Vec<String>,
    findings: Vec<Finding>,
    has_question: bool,
}

impl Rules {
    /// Reads rule files, or directories of them, as `--rules` does; of equal names the first counts.
    ///
    /// # Errors
    /// When a path cannot be read or holds no rule.
    pub fn load<P: AsRef<Path>>(paths: &[P]) -> Result<Self, Error> {
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.as_ref().to_owned()).collect();
        let (set, findings) = read(&paths, Lifecycle::NEWEST)?;
        Ok(Self {
            has_question: set.compiled.iter().any(CompiledRule::is_judged),
            names: set.compiled.iter().map(|rule| rule.name.to_string_lossy()).collect(),
            findings,
            paths,
        })
    }

    /// The rules that the newest generation registers, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What is wrong with the rule files, by the newest generation.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Replays a recorded session or event stream, by the generation that its marks tell (session.md S9.4f).
    ///
    /// ```
    /// let rules = ttsr::Rules::load(&["testdata/demo/rules"])?;
    /// let replay = rules.replay("testdata/demo/session.jsonl")?;
    /// assert_eq!(replay.triggers[0].rules, ["no-unwrap"]);
    /// assert_eq!(replay.undecided, 0);
    /// # Ok::<(), ttsr::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the file cannot be read, or is no recording. Damaged lines are findings, as the agent reads past them.
    pub fn replay(&self, path: impl AsRef<Path>) -> Result<Replay, Error> {
        self.replay_with(path, |_| {})
    }

    /// As [`Rules::replay`], and tells of each trigger as it happens.
    ///
    /// ```
    /// let rules = ttsr::Rules::load(&["testdata/demo/rules"])?;
    /// let mut heard = Vec::new();
    /// rules.replay_with("testdata/demo/session.jsonl", |trigger| heard.extend(trigger.rules.clone()))?;
    /// assert!(heard.contains(&"no-unwrap".to_owned()));
    /// # Ok::<(), ttsr::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Rules::replay`].
    pub fn replay_with(&self, path: impl AsRef<Path>, listen: impl FnMut(&Trigger)) -> Result<Replay, Error> {
        let path = path.as_ref();
        let name = path.to_string_lossy();
        let unreadable = |error| Error::Io { path: path.to_owned(), error };
        let open = || File::open(path).map(BufReader::new).map_err(unreadable);
        let mut input = open()?;
        match detect(input.fill_buf().map_err(unreadable)?) {
            InputKind::Session => {
                let session = session(path)?;
                let leaf = session.leaf();
                let lifecycle = marks::of_session(&session, leaf).map_err(|error| broken(path, &error))?;
                let plan = self.plan(lifecycle.lifecycle(self.has_question))?;
                Ok(watch(&plan, listen, |sink| plan.session(Rc::new(session), leaf, &name, sink)))
            }
            InputKind::Events => {
                let lifecycle = marks::of_stream(open()?).map_err(unreadable)?;
                let plan = self.plan(lifecycle.lifecycle(self.has_question))?;
                Ok(watch(&plan, listen, |sink| plan.events(input, &name, None, sink)))
            }
            InputKind::Unknown => {
                Err(Error::Refused { path: path.to_owned(), why: "is neither a session nor an event stream".into() })
            }
        }
    }

    /// Replays one text as a message of prose, in the newest generation.
    ///
    /// ```
    /// let rules = ttsr::Rules::load(&["testdata/demo/rules"])?;
    /// assert!(rules.replay_text("nothing to see")?.triggers.is_empty());
    /// # Ok::<(), ttsr::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the rule files cannot be read again.
    pub fn replay_text(&self, text: &str) -> Result<Replay, Error> {
        let plan = self.plan(Lifecycle::NEWEST)?;
        let input = TextInput { text: text.into(), source: Source::Text, tool: JsString::new(), path: None };
        Ok(watch(&plan, |_| {}, |sink| plan.text(&input, "text", "text", None, sink)))
    }

    fn plan(&self, lifecycle: Lifecycle) -> Result<Plan, Error> {
        let (set, _) = read(&self.paths, lifecycle)?;
        let mut plan = Plan::new(set.compiled, Settings::default(), lifecycle.semantics());
        plan.rules_in_project = true;
        Ok(plan)
    }
}

fn read(paths: &[PathBuf], lifecycle: Lifecycle) -> Result<(RuleSet, Vec<Finding>), Error> {
    let semantics = lifecycle.semantics();
    let mut loaded = Loaded::default();
    let searched = search_paths(paths, DEFAULT_CWD, &semantics, &mut loaded);
    if let Some(failure) = searched.failures.first() {
        return Err(Error::Rules(failure.to_string()));
    }
    let set = RuleSet::register(loaded.rules, &Settings::default(), &semantics, Some(&"main".into()));
    let findings = loaded.diagnostics.iter().chain(&lint::of_registration(&set)).map(Finding::from).collect();
    Ok((set, findings))
}

fn watch(
    plan: &Plan,
    mut listen: impl FnMut(&Trigger),
    play: impl FnOnce(&mut dyn crate::replay::TraceSink) -> crate::replay::Report,
) -> Replay {
    let mut triggers = Vec::new();
    let report = play(&mut |event: TraceEvent| {
        if let TraceKind::Trigger(found) = &event.kind {
            let trigger = Trigger::of(&event.at, found);
            listen(&trigger);
            triggers.push(trigger);
        }
    });
    Replay {
        lifecycle: plan.semantics.lifecycle,
        triggers,
        undecided: report.summary.all.undecided,
        findings: report.diagnostics.iter().map(Finding::from).collect(),
    }
}

fn session(path: &Path) -> Result<Session, Error> {
    Session::open(path, &path.to_string_lossy(), ReadMode::Tolerant).map_err(|error| match error {
        ReadError::Io(error) => Error::Io { path: path.to_owned(), error },
        ReadError::Refused(refusal) => Error::Refused { path: path.to_owned(), why: refusal.message },
    })
}

fn broken(path: &Path, error: &SessionError) -> Error {
    Error::Refused { path: path.to_owned(), why: error.to_string() }
}

/// A `ttsr_injection` that a session records.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Injection {
    /// The rules that it names.
    pub rules: Vec<String>,
    /// 1-based line of the session file.
    pub line: usize,
    /// Whether it is on the branch of the session's leaf.
    pub on_branch: bool,
    /// Whether the session also shows what led to it, or what came of it: an aborted message, a reminder, a warning.
    pub is_evident: bool,
}

/// What a session file holds of rules (session.md S10).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// The generation of the agent that wrote it, by its marks.
    pub lifecycle: Lifecycle,
    /// Rules that a resume restores as injected.
    pub injected_rules: Vec<String>,
    /// Every recorded injection, in file order.
    pub injections: Vec<Injection>,
    /// What is wrong with the file.
    pub findings: Vec<Finding>,
}

impl Audit {
    /// Audits a session file.
    ///
    /// ```
    /// let audit = ttsr::Audit::open("testdata/demo/session.jsonl")?;
    /// assert_eq!(audit.injections.len(), audit.injections.iter().filter(|one| one.is_evident).count());
    /// # Ok::<(), ttsr::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the file cannot be read, or is no session.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let session = session(path)?;
        let marks = marks::of_session(&session, session.leaf()).map_err(|error| broken(path, &error))?;
        let lifecycle = marks.lifecycle(false);
        let (settings, semantics) = (Settings::default(), lifecycle.semantics());
        let report =
            audit(&session, &AuditOptions::new(&settings, &semantics)).map_err(|error| broken(path, &error))?;
        let injections = report.injections.iter().map(|injection| Injection {
            rules: injection.evidence.iter().map(|(name, _)| name.to_string_lossy()).collect(),
            line: injection.line,
            on_branch: injection.on_branch,
            is_evident: injection.main_evidence().entry.is_some(),
        });
        Ok(Self {
            lifecycle,
            injected_rules: report.injected_rules.iter().map(JsString::to_string_lossy).collect(),
            injections: injections.collect(),
            findings: report.findings.iter().map(Finding::from).collect(),
        })
    }
}
