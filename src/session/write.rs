//! New files, whole or not at all (session.md S6.8).

use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::interrupt::Held;

/// Bytes that are gathered before they are written.
const BUFFER_BYTES: usize = 64 << 10;

/// A call that changes what is on disk while a new file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteCall {
    /// The temporary file is made.
    Open,
    /// Bytes go into it.
    Write,
    /// It is flushed to disk.
    Flush,
    /// It gets its name.
    Rename,
}

/// Is asked before each call that changes what is on disk; an error takes the place of the call's own.
pub type WriteGate<'a> = &'a mut dyn FnMut(WriteCall) -> io::Result<()>;

/// Writes a new file: a temporary file in the same directory, flushed to disk, then renamed. An existing file is never
/// replaced, and what fails leaves nothing behind. Only its owner may read it: it holds what a session holds, and a
/// session is nobody else's.
///
/// # Errors
/// When the file exists already ([`io::ErrorKind::AlreadyExists`]) or cannot be written.
pub fn write_new(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    gate: WriteGate<'_>,
) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{} exists already", path.display())));
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Dropped behind the temporary file, whatever happens.
    let held = Held::back();
    gate(WriteCall::Open)?;
    // The name does not end in `.jsonl`: what a dying process leaves is taken for no session.
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ttsr-").suffix(".tmp");
    let mut file = builder.tempfile_in(directory)?;
    let mut out =
        BufWriter::with_capacity(BUFFER_BYTES, Gated { inner: file.as_file_mut(), gate: &mut *gate, held: &held });
    write(&mut out)?;
    out.flush()?;
    drop(out);
    gate(WriteCall::Flush)?;
    file.as_file().sync_all()?;
    gate(WriteCall::Rename)?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}

struct Gated<'a, W> {
    inner: W,
    gate: WriteGate<'a>,
    held: &'a Held,
}

impl<W: Write> Write for Gated<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.check()?;
        (self.gate)(WriteCall::Write)?;
        self.inner.write(&bytes[..bytes.len().min(BUFFER_BYTES)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
