//! `check-rules --fix`: which files may be repaired, and the writing of them.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::CliError;
use super::console::Console;
use crate::output::count;
use crate::rule::repair::Repair;

/// What may be changed.
pub(super) struct Places {
    /// Files, and folders whose files may be changed.
    pub within: Vec<PathBuf>,
    /// What they are together.
    pub whole: &'static str,
}

/// Writes the repairs, by which findings are `done`. What cannot be written raises the status and leaves the other
/// files to be done.
pub(super) fn write(repairs: &[Repair], places: &Places, done: &str, console: &mut Console<'_>) {
    let Places { within, whole } = places;
    let (mut mended, mut files) = (0, 0);
    let mut seen = HashSet::new();
    for repair in repairs {
        let name = &repair.file;
        // The same file may be found under several names.
        if fs::canonicalize(&repair.path).is_ok_and(|path| !seen.insert(path)) {
            continue;
        }
        if !is_within(&repair.path, within) {
            let error = CliError::failed(format!("{name}: not written, since it is outside of {whole}"));
            console.fail(&error.with_help("name the file as PATH to have it changed"));
            continue;
        }
        match repair.write() {
            Ok(()) => {
                mended += repair.mended;
                files += 1;
            }
            Err(error) => {
                let error = CliError::failed(format!("{name}: not written: {error}"));
                console.fail(&error.with_help("the file is as it was; check its permissions and try again"));
            }
        }
    }
    console.note(&format!("{done} {} in {}", count(mended, "finding"), count(files, "file")));
}

/// Whether the file is one of these or in one of them, symbolic links resolved.
fn is_within(file: &Path, places: &[PathBuf]) -> bool {
    let Ok(file) = fs::canonicalize(file) else { return false };
    places.iter().any(|place| fs::canonicalize(place).is_ok_and(|place| file.starts_with(place)))
}
