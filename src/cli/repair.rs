//! `check-rules --fix`: which files may be repaired, and the writing of them.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::CliError;
use super::console::Console;
use crate::output::count;
use crate::rule::repair::Repair;

/// Writes the repairs; `within` is the only folder whose files may be changed, when there is one. What cannot be
/// written raises the status and leaves the other files to be done.
pub(super) fn write(repairs: &[Repair], within: Option<&Path>, console: &mut Console<'_>) {
    let (mut mended, mut files) = (0, 0);
    let mut seen = HashSet::new();
    for repair in repairs {
        let name = &repair.file;
        // The same file may be found under several names.
        if fs::canonicalize(&repair.path).is_ok_and(|path| !seen.insert(path)) {
            continue;
        }
        if !is_within(&repair.path, within) {
            let error = CliError::failed(format!("{name}: not written, since it is outside of the project"));
            console.fail(&error.with_help("name the file as PATH to have it repaired"));
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
    console.note(&format!("mended {} in {}", count(mended, "finding"), count(files, "file")));
}

/// Whether the file is in the folder, symbolic links resolved.
fn is_within(file: &Path, folder: Option<&Path>) -> bool {
    let Some(folder) = folder else { return true };
    match (fs::canonicalize(file), fs::canonicalize(folder)) {
        (Ok(file), Ok(folder)) => file.starts_with(folder),
        _ => false,
    }
}
