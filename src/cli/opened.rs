//! An input that was opened: what it is, and which generation it is read by.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::Path;

use super::CliError;
use super::generation::{Asked, Generation};
use super::inputs::{self, Input};
use crate::diagnostic::code;
use crate::history::marks::{self, STANDARD_INPUT_BYTES};
use crate::session::{ReadError, ReadMode, Session};
use crate::stream::{InputKind, detect};

/// An input, ready to be played. `R` is where an event stream comes from.
pub(super) struct Opened<R> {
    /// The name in reports.
    pub name: String,
    /// What it is.
    pub content: Content<R>,
    /// What it is read by.
    pub generation: Generation,
}

/// What an input holds.
pub(super) enum Content<R> {
    /// A session, and the branch of it that is meant.
    Session(Box<Session>, Option<usize>),
    /// An event stream.
    Events(BufReader<Chain<Cursor<Vec<u8>>, R>>),
}

/// Opens a file.
///
/// # Errors
/// When it cannot be read, is neither session nor stream, or has no entry `leaf`.
pub(super) fn open_file(path: &Path, asked: Asked, leaf: Option<&str>) -> Result<Opened<File>, CliError> {
    let name = path.to_string_lossy().into_owned();
    let file = inputs::open(path)?.into_inner();
    let is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
    if !is_regular {
        // A pipe can be read once, as standard input.
        return open_pipe(file, &name, asked, leaf);
    }
    let mut reader = chained(Vec::new(), file);
    let content = match kind_of(reader.fill_buf(), path)? {
        InputKind::Session => return of_session(open_session(path, &name)?, asked, leaf),
        _ => Content::Events(reader),
    };
    let unreadable = |error: io::Error| CliError::unreadable(path, &error);
    // Opened anew, so that the stream itself is read from its beginning.
    let generation = asked.generation(|| marks::of_stream(inputs::open(path)?).map_err(unreadable))?;
    Ok(Opened { name, content, generation })
}

/// Opens one branch of a session: the one that ends at the entry with this index.
///
/// # Errors
/// When the file cannot be read, or is refused.
pub(super) fn open_branch(path: &Path, leaf: usize, name: &str, asked: Asked) -> Result<Opened<File>, CliError> {
    let session = open_session(path, &path.to_string_lossy())?;
    let generation = generation_of(&session, Some(leaf), asked)?;
    Ok(Opened { name: name.to_owned(), content: Content::Session(Box::new(session), Some(leaf)), generation })
}

/// Opens an input that is no standard input.
///
/// # Errors
/// As [`open_file`].
pub(super) fn open_input(input: &Input, asked: Asked, leaf: Option<&str>) -> Result<Opened<File>, CliError> {
    match input {
        Input::File(path) => open_file(path, asked, leaf),
        Input::Branch(path, leaf, name) => open_branch(path, *leaf, name, asked),
        Input::Stdin => Err(CliError::usage("standard input can be read once").with_help("name a file")),
    }
}

/// Opens what can be read once only, such as standard input. Under `auto` its beginning is held back for the marks.
///
/// # Errors
/// As [`open_file`].
pub(super) fn open_pipe<R: Read>(
    mut input: R,
    name: &str,
    asked: Asked,
    leaf: Option<&str>,
) -> Result<Opened<R>, CliError> {
    let path = Path::new(name);
    let mut head = Vec::new();
    if matches!(asked, Asked::Auto { .. }) {
        let read = input.by_ref().take(STANDARD_INPUT_BYTES).read_to_end(&mut head);
        read.map_err(|error| CliError::unreadable(path, &error))?;
    }
    let mut reader = chained(head, input);
    let kind = match reader.get_ref().get_ref().0.get_ref().as_slice() {
        [] => kind_of(reader.fill_buf(), path)?,
        head => kind_of(Ok(head), path)?,
    };
    if kind == InputKind::Session {
        let session = Session::read(reader, name, ReadMode::Tolerant).map_err(|error| refused(name, path, error))?;
        return of_session(session, asked, leaf);
    }
    let head = reader.get_ref().get_ref().0.get_ref().as_slice();
    let unreadable = |error: io::Error| CliError::unreadable(path, &error);
    let generation = asked.generation(|| marks::of_stream(head).map_err(unreadable))?;
    Ok(Opened { name: name.to_owned(), content: Content::Events(reader), generation })
}

fn chained<R: Read>(head: Vec<u8>, rest: R) -> BufReader<Chain<Cursor<Vec<u8>>, R>> {
    BufReader::with_capacity(1 << 16, Cursor::new(head).chain(rest))
}

fn of_session<R>(session: Session, asked: Asked, leaf: Option<&str>) -> Result<Opened<R>, CliError> {
    let name = session.file().to_owned();
    let leaf = leaf_of(&session, leaf)?;
    let generation = generation_of(&session, leaf, asked)?;
    Ok(Opened { name, content: Content::Session(Box::new(session), leaf), generation })
}

/// The entry that `--leaf` names; the session's own leaf without it.
///
/// # Errors
/// When there is no such entry.
pub(super) fn leaf_of(session: &Session, asked: Option<&str>) -> Result<Option<usize>, CliError> {
    let Some(id) = asked else { return Ok(session.leaf()) };
    let found = session.find(&id.into()).ok_or_else(|| {
        let name = session.file();
        CliError::refused(name, code::UNREADABLE_INPUT, format!("no entry has the id `{id}`"))
            .with_help(format!("`ttsr inspect-session {name} --tree` shows the ids"))
    })?;
    Ok(Some(found))
}

/// The generation of the branch that ends at `leaf`.
///
/// # Errors
/// When the session cannot be read again.
pub(super) fn generation_of(session: &Session, leaf: Option<usize>, asked: Asked) -> Result<Generation, CliError> {
    asked.generation(|| {
        marks::of_session(session, leaf)
            .map_err(|error| CliError::refused(session.file(), code::UNREADABLE_INPUT, error.to_string()))
    })
}

/// Finds out what an input is from its beginning.
fn kind_of(head: io::Result<&[u8]>, path: &Path) -> Result<InputKind, CliError> {
    let head = head.map_err(|error| CliError::unreadable(path, &error))?;
    if head.is_empty() {
        return Err(CliError::refused(path.display().to_string(), code::EMPTY_INPUT, "the input is empty")
            .with_help("a recording begins with a `session` header or a `ready` line"));
    }
    match detect(head) {
        InputKind::Unknown => {
            let why = "is neither a session file nor an event stream";
            Err(CliError::refused(path.display().to_string(), code::UNKNOWN_INPUT, why)
                .with_help("both are JSON Lines: a session begins with {\"type\":\"session\",…}, a stream has events such as {\"type\":\"turn_start\"}"))
        }
        kind => Ok(kind),
    }
}

/// Opens a session file.
///
/// # Errors
/// When it cannot be read, or is refused.
pub(super) fn open_session(path: &Path, name: &str) -> Result<Session, CliError> {
    inputs::open(path)?;
    Session::open(path, name, ReadMode::Tolerant).map_err(|error| refused(name, path, error))
}

/// Why a session was not read.
pub(super) fn refused(name: &str, path: &Path, error: ReadError) -> CliError {
    match error {
        ReadError::Io(error) => CliError::unreadable(path, &error),
        ReadError::Refused(refusal) => CliError::refused(name, code::REFUSED_SESSION, refusal.message)
            .with_help("a session file begins with a line {\"type\":\"session\",\"id\":…}"),
    }
}
