//! Files that nobody named: rules that discovery finds, settings, ignore lists. They are read only where they are what
//! they should be, so that a device, a pipe or a file of gigabytes in somebody's project can hold nothing up.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The name of the lists that a search for rules obeys.
const IGNORE_LIST: &str = ".gitignore";

/// Reads a regular file of at most `limit` bytes; links are followed.
///
/// # Errors
/// When the file is missing, is no regular file, is larger, or cannot be read.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Looked at before it is opened: to open a pipe can wait for ever.
    regular(&fs::metadata(path)?, limit)?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    regular(&metadata, limit)?;
    // The size is a hint only: what is read counts.
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large(limit)) } else { Ok(bytes) }
}

fn regular(metadata: &fs::Metadata, limit: u64) -> io::Result<()> {
    if metadata.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    if metadata.len() > limit { Err(too_large(limit)) } else { Ok(()) }
}

fn too_large(limit: u64) -> io::Error {
    io::Error::other(format!("it is larger than {}", crate::limits::bytes(limit)))
}

/// The ignore lists at `directory`, above and below it that cannot be read as lists, each with the reason. Whoever
/// walks the directory leaves ignore lists aside then, as the walk would open them.
pub fn unreadable_ignore_lists(directory: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut look = |folder: &Path| {
        let list = folder.join(IGNORE_LIST);
        let problem = match fs::metadata(&list) {
            Ok(metadata) => regular(&metadata, crate::limits::IGNORE_LIST.get()).err(),
            Err(_) => None,
        };
        found.extend(problem.map(|problem| (list, problem.to_string())));
    };
    directory.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()).for_each(&mut look);
    let below = ignore::WalkBuilder::new(directory).standard_filters(false).follow_links(true).build();
    let folders = below.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()));
    folders.for_each(|entry| look(entry.path()));
    found
}
