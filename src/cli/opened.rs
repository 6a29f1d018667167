//! An input that was opened: what it is, and which generation it is read by.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read, Seek};
use std::path::Path;

use super::CliError;
use super::generation::{Asked, Generation};
use super::inputs::{self, Input};
use crate::diagnostic::code;
use crate::foreign::{self, Detected, Format};
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
    /// The transcript of another agent.
    Foreign(Format, Box<dyn foreign::Input>),
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
    if let Some(found) = foreign_file(path)? {
        return of_foreign(found, name, path, asked);
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
    let piped = foreign_pipe(head, input).map_err(|error| CliError::unreadable(path, &error))?;
    let mut reader = match piped {
        Piped::Foreign(found) => return of_foreign(found, name.to_owned(), path, asked),
        Piped::Other(reader) => reader,
    };
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

/// What detection found, and the input from its beginning.
type Found = (Detected, Box<dyn foreign::Input>);

/// How much of an input is looked at for the format of another agent (bytes). A document is read whole.
const FOREIGN_HEAD: u64 = 1 << 16;

/// The beginning of a Zstandard frame.
const ZSTD: &[u8] = &[0x28, 0xB5, 0x2F, 0xFD];

/// Whether a file is the transcript of another agent; what is compressed is held as it unfolds.
fn foreign_file(path: &Path) -> Result<Option<Found>, CliError> {
    let unreadable = |error: io::Error| CliError::unreadable(path, &error);
    let mut file = File::open(path).map_err(unreadable)?;
    let mut head = Vec::new();
    file.by_ref().take(FOREIGN_HEAD).read_to_end(&mut head).map_err(unreadable)?;
    if head.starts_with(ZSTD) {
        file.rewind().map_err(unreadable)?;
        let (name, why) = (path.display().to_string(), "is compressed and cannot be unpacked");
        let refused = || {
            CliError::refused(name, code::UNREADABLE_INPUT, why).with_help("`zstd -d FILE` unpacks it, or says why not")
        };
        let mut bytes = Vec::new();
        let unpacked = ruzstd::decoding::StreamingDecoder::new(file)
            .map_err(|_| ())
            .and_then(|mut decoder| decoder.read_to_end(&mut bytes).map_err(|_| ()));
        return match unpacked {
            Ok(_) => {
                Ok(foreign::detect(&bytes)
                    .map(|found| (found, Box::new(Cursor::new(bytes)) as Box<dyn foreign::Input>)))
            }
            Err(()) => Err(refused()),
        };
    }
    let mut found = foreign::detect(&head);
    if found.is_none() && may_be_longer(&head) {
        file.read_to_end(&mut head).map_err(unreadable)?;
        found = foreign::detect(&head);
    }
    file.rewind().map_err(unreadable)?;
    Ok(found.map(|found| (found, Box::new(file) as Box<dyn foreign::Input>)))
}

/// Whether what stands behind the beginning may tell more: a document, or a first line that is cut.
fn may_be_longer(head: &[u8]) -> bool {
    let begins = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    head.len() as u64 >= FOREIGN_HEAD
        && begins.starts_with(b"[") | begins.starts_with(b"{")
        && detect(head) == InputKind::Unknown
}

/// Something that can be read once.
enum Piped<R> {
    Foreign(Found),
    Other(BufReader<Chain<Cursor<Vec<u8>>, R>>),
}

/// Whether something that can be read once is the transcript of another agent, which is held.
fn foreign_pipe<R: Read>(mut head: Vec<u8>, mut rest: R) -> io::Result<Piped<R>> {
    if head.is_empty() {
        // Too little to hold up a stream that is told of as it comes.
        let mut first = [0; 1 << 12];
        let read = rest.read(&mut first)?;
        head.extend_from_slice(first.get(..read).unwrap_or_default());
    }
    let mut found = foreign::detect(&head);
    if found.is_none() && may_be_longer(&head) {
        rest.read_to_end(&mut head)?;
        found = foreign::detect(&head);
    }
    Ok(match found {
        Some(found) => {
            rest.read_to_end(&mut head)?;
            Piped::Foreign((found, Box::new(Cursor::new(head))))
        }
        None => Piped::Other(chained(head, rest)),
    })
}

fn of_foreign<R>(found: Found, name: String, path: &Path, asked: Asked) -> Result<Opened<R>, CliError> {
    match found {
        (Detected::Known(format), input) => {
            Ok(Opened { name, content: Content::Foreign(format, input), generation: asked.unmarked() })
        }
        (Detected::NotRead(what, help), _) => {
            let why = format!("is {what}, which is not read");
            Err(CliError::refused(path.display().to_string(), code::UNKNOWN_INPUT, why).with_help(help))
        }
    }
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
