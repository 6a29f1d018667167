//! Writing a file whole or not at all (session.md S6.8).

use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a new file with what `content` gives: a temporary file in the same directory, flushed to disk, then
/// renamed. An existing file is never replaced.
///
/// # Errors
/// When the file exists already ([`io::ErrorKind::AlreadyExists`]) or cannot be written.
pub fn write_new(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{} exists already", path.display())));
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ttsr-").suffix(".tmp");
    #[cfg(unix)]
    {
        // What any program would give its file; the umask takes its part off.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(directory)?;
    let mut out = BufWriter::with_capacity(1 << 20, file.as_file_mut());
    content(&mut out)?;
    out.flush()?;
    drop(out);
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}
