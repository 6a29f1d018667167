//! Inputs as named on the command line, expanded to files in a stable order.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::CliError;
use crate::diagnostic::code;
use crate::foreign::Detected;

/// One input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// One branch of a session: the index of its last entry, and what the run is called.
    Branch(PathBuf, usize, String),
}

impl Input {
    /// The name in reports: as the user gave it, `-` for standard input.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::File(path) => path.to_string_lossy().into_owned(),
            Self::Branch(_, _, name) => name.clone(),
        }
    }
}

/// Expands `paths`: `-` is standard input, a directory every `*.jsonl` below it in sorted order. What cannot be
/// taken is a failure in its place; the others are still done.
pub(super) fn expand(paths: &[PathBuf]) -> Vec<Result<Input, CliError>> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.as_os_str() == "-" {
            inputs.push(Ok(Input::Stdin));
        } else if path.is_dir() {
            let found = files_below(path, is_recording);
            if found.is_empty() {
                let name = path.display().to_string();
                inputs.push(Err(CliError::refused(name, code::NO_INPUT, "no *.jsonl file below it")
                    .with_help("name a session file or an event stream, or a directory that holds some")));
            }
            inputs.extend(found.into_iter().map(|entry| entry.map(Input::File)));
        } else {
            inputs.push(Ok(Input::File(path.clone())));
        }
    }
    inputs
}

/// Whether a file below a directory is taken: by its name where it ends as recordings do, a document by its content.
fn is_recording(file: &Path) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.ends_with(".jsonl") || name.ends_with(".jsonl.zst") {
        return true;
    }
    let read = || std::fs::read(file).ok();
    name.ends_with(".json")
        && read()
            .and_then(|bytes| crate::foreign::detect(&bytes))
            .is_some_and(|found| matches!(found, Detected::Known(_)))
}

/// The files below a directory in sorted order; nothing is ignored, links are followed, loops are failures.
pub(super) fn files_below(directory: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<Result<PathBuf, CliError>> {
    let walk = WalkBuilder::new(directory)
        .standard_filters(false)
        .follow_links(true)
        .sort_by_file_path(|a, b| a.as_os_str().cmp(b.as_os_str()))
        .build();
    walk.filter_map(|entry| match entry {
        Ok(entry) => {
            let kind = entry.file_type()?;
            if kind.is_dir() || !wanted(entry.path()) {
                None
            } else if kind.is_file() {
                Some(Ok(entry.into_path()))
            } else {
                let name = entry.path().display().to_string();
                let error = CliError::refused(name, code::UNREADABLE_INPUT, "is no regular file");
                Some(Err(error.with_help("name it itself to read it, or move it away")))
            }
        }
        Err(error) => Some(Err(unwalkable(directory, &error))),
    })
    .collect()
}

/// What keeps a walk from a file or folder, named by its path.
fn unwalkable(path: &Path, error: &ignore::Error) -> CliError {
    match error {
        ignore::Error::WithPath { path, err } => unwalkable(path, err),
        ignore::Error::WithDepth { err, .. } => unwalkable(path, err),
        ignore::Error::Io(error) => CliError::unreadable(path, error),
        other => CliError::failed(format!("{}: {other}", path.display())),
    }
}

/// Opens a file for reading line by line.
///
/// # Errors
/// When it cannot be opened, is no regular file or pipe, or is empty.
pub(super) fn open(path: &Path) -> Result<BufReader<File>, CliError> {
    let file = File::open(path).map_err(|error| CliError::unreadable(path, &error))?;
    let information = file.metadata().map_err(|error| CliError::unreadable(path, &error))?;
    if information.is_dir() {
        return Err(CliError::refused(path.display().to_string(), code::UNREADABLE_INPUT, "is a directory"));
    }
    if information.is_file() && information.len() == 0 {
        return Err(CliError::refused(path.display().to_string(), code::EMPTY_INPUT, "the file is empty")
            .with_help("a recording begins with a `session` header or a `ready` line"));
    }
    Ok(BufReader::with_capacity(1 << 16, file))
}

/// Reads a whole file, `-` for standard input, without a byte order mark.
///
/// # Errors
/// When it cannot be read.
pub(super) fn read_bytes(path: &Path, stdin: &mut dyn Read) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        stdin.read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.map_err(|error| CliError::unreadable(path, &error))?;
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes.drain(..3);
    }
    Ok(bytes)
}

/// Reads a whole file as text; malformed UTF-8 becomes U+FFFD.
///
/// # Errors
/// When it cannot be read.
pub(super) fn read_text(path: &Path, stdin: &mut dyn Read) -> Result<String, CliError> {
    Ok(String::from_utf8_lossy(&read_bytes(path, stdin)?).into_owned())
}
