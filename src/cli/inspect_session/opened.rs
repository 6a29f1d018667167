//! A file that was opened as a session, or the reason why it was not.

use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use super::super::CliError;
use super::super::generation::{Asked, Generation};
use super::super::inputs::{self, Input};
use super::super::opened::{generation_of, leaf_of, refused};
use crate::audit::{Refused, lookalike};
use crate::diagnostic::{Code, Diagnostic, Severity, code};
use crate::foreign::{self, Detected};
use crate::session::{ReadError, ReadMode, RefusedStep, Session};
use crate::stream::{InputKind, detect};
use crate::text::Place;

/// Bytes of the beginning that tell what a file is.
const HEAD: usize = 1 << 16;

/// A session that was opened.
pub(super) struct Opened {
    pub(super) session: Session,
    /// The leaf that was asked for.
    pub(super) leaf: Option<usize>,
    pub(super) generation: Generation,
}

/// A file that was not, as a finding of every form and as a failure of the run.
#[derive(Debug)]
pub(super) struct Turned {
    /// What is wrong with the file; nothing where what was asked of it is.
    pub(super) refused: Option<Refused>,
    pub(super) error: CliError,
}

impl Turned {
    /// A file that could not be read.
    pub(super) fn failure(file: String, error: CliError) -> Self {
        let message = error.message.strip_prefix(&format!("{file}: ")).unwrap_or(&error.message).to_owned();
        Self::coded(code::UNREADABLE_INPUT, file, message, error)
    }

    fn coded(code: Code, file: String, message: String, error: CliError) -> Self {
        let mut finding = Diagnostic::new(code, message).at(Place::line(&file, 0, 0)).with_severity(Severity::Error);
        finding.help.clone_from(&error.help);
        Self { refused: Some(Refused { file, findings: vec![finding] }), error }
    }
}

/// Opens a session.
///
/// # Errors
/// When the input cannot be read, is no session, is refused, or has no entry `leaf`.
pub(super) fn open(
    input: &Input,
    mode: ReadMode,
    leaf: Option<&str>,
    asked: Asked,
    stdin: &mut dyn Read,
) -> Result<Opened, Turned> {
    let file = input.name();
    let failed = |error| Turned::failure(file.clone(), error);
    let session = read(input, &file, mode, stdin)?;
    let no_leaf = |error| Turned { refused: None, error };
    let chosen = leaf.map(|id| leaf_of(&session, Some(id))).transpose().map_err(no_leaf)?.flatten();
    let generation = generation_of(&session, chosen.or_else(|| session.leaf()), asked).map_err(failed)?;
    Ok(Opened { session, leaf: chosen, generation })
}

fn read(input: &Input, file: &str, mode: ReadMode, stdin: &mut dyn Read) -> Result<Session, Turned> {
    let path = match input {
        Input::Stdin => PathBuf::from("-"),
        Input::File(path) | Input::Branch(path, ..) => path.clone(),
    };
    if *input == Input::Stdin {
        return read_once(BufReader::with_capacity(HEAD, stdin), file, &path, mode);
    }
    let mut opened = inputs::open(&path).map_err(|error| {
        let is_empty = path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0);
        if is_empty { empty(file) } else { Turned::failure(file.to_owned(), error) }
    })?;
    if !opened.get_ref().metadata().is_ok_and(|metadata| metadata.is_file()) {
        // A pipe can be read once.
        return read_once(opened, file, &path, mode);
    }
    let head = opened.fill_buf().map_err(|error| unreadable(file, &path, &error))?;
    is_other(head).map_or(Ok(()), |(what, help)| Err(other(file, what, help)))?;
    Session::open(&path, file, mode).map_err(|error| turned(file, &path, error))
}

/// Reads what cannot be read twice.
fn read_once(mut reader: BufReader<impl Read>, file: &str, path: &Path, mode: ReadMode) -> Result<Session, Turned> {
    let head = reader.fill_buf().map_err(|error| unreadable(file, path, &error))?;
    if head.is_empty() {
        return Err(empty(file));
    }
    is_other(head).map_or(Ok(()), |(what, help)| Err(other(file, what, help)))?;
    Session::read(reader, file, mode).map_err(|error| turned(file, path, error))
}

fn empty(file: &str) -> Turned {
    let error = CliError::failed(format!("{file}: the file is empty"))
        .with_help("a session file begins with a line {\"type\":\"session\",\"id\":…}");
    let message = "the file is empty: the agent starts a new session in its place".to_owned();
    Turned::coded(code::EMPTY_SESSION, file.to_owned(), message, error)
}

fn unreadable(file: &str, path: &Path, error: &std::io::Error) -> Turned {
    Turned::failure(file.to_owned(), CliError::unreadable(path, error))
}

/// What the beginning of a file shows it to be, where that is no session, and what to do with it.
fn is_other(head: &[u8]) -> Option<(&'static str, &'static str)> {
    if detect(head) == InputKind::Events {
        return Some(("this is the event stream of a run, not a session file", "`ttsr replay` reads it"));
    }
    match foreign::detect(head) {
        Some(Detected::Known(format)) => return Some((format.not_own(), "`ttsr replay` reads it")),
        Some(Detected::NotRead(..)) | None => {}
    }
    let help = "only session files of this agent and its family are inspected";
    lookalike(head).map(|what| (what, help))
}

fn other(file: &str, what: &str, help: &str) -> Turned {
    let error = CliError::failed(format!("{file}: {what}")).with_help(help);
    Turned::coded(code::NOT_A_SESSION, file.to_owned(), what.to_owned(), error)
}

/// A refusal with all that was found on the way, the decisive finding first.
fn turned(file: &str, path: &Path, error: ReadError) -> Turned {
    let (findings, is_agents) = match &error {
        ReadError::Io(error) => return unreadable(file, path, error),
        ReadError::Refused(refusal) => {
            let mut findings = refusal.diagnostics.clone();
            let decisive = findings.iter().position(|finding| finding.message == refusal.message);
            let mut first = match decisive {
                Some(at) => findings.remove(at),
                None => Diagnostic::new(code::MISSING_HEADER, &*refusal.message),
            };
            if refusal.step != RefusedStep::Header {
                // Only the agent stumbles there.
                first.code = code::READERS_DIFFER;
            }
            first.severity = Severity::Error;
            findings.insert(0, first);
            (findings, refusal.step != RefusedStep::Header)
        }
    };
    let findings = findings.into_iter().map(|mut finding| {
        finding.place.get_or_insert_with(|| Place::line(file, 0, 0));
        finding
    });
    let findings = findings.collect();
    let mut error = refused(file, path, error);
    if is_agents {
        error = error.with_help("read it without --faithful");
    }
    Turned { refused: Some(Refused { file: file.to_owned(), findings }), error }
}
