//! The bytes of a session: in memory when they are few or come from a pipe, else fetched from the file when
//! an entry is looked at.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

/// Where the text of a session lies.
#[derive(Debug)]
pub(super) enum Source {
    /// The whole text.
    Memory(Vec<u8>),
    /// An open file of that many bytes.
    File(Mutex<File>, u64),
}

impl Source {
    /// Number of bytes.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File(_, len) => *len,
        }
    }

    /// The bytes from `offset` on.
    pub(super) fn read(&self, offset: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        match self {
            Self::Memory(bytes) => {
                let start = usize::try_from(offset).map_err(io::Error::other)?;
                let slice = bytes.get(start..start.saturating_add(len));
                slice.map(Cow::Borrowed).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
            }
            Self::File(file, _) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(offset))?;
                let mut bytes = vec![0; len];
                file.read_exact(&mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// Copies the bytes from `start` to `end` to `out`, in pieces.
    pub(super) fn copy(&self, start: u64, end: u64, out: &mut dyn Write) -> io::Result<()> {
        const PIECE: u64 = 1 << 20;
        let mut at = start;
        while at < end {
            let len = (end - at).min(PIECE);
            out.write_all(&self.read(at, len as usize)?)?;
            at += len;
        }
        Ok(())
    }

    /// The last byte, if there is one.
    pub(super) fn last_byte(&self) -> io::Result<Option<u8>> {
        let len = self.len();
        if len == 0 { Ok(None) } else { Ok(self.read(len - 1, 1)?.first().copied()) }
    }
}
