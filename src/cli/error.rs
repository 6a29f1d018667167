//! [`CliError`]: foreseen failures of circumstances, each with a remedy and a status.

use super::ExitStatus;
use crate::diagnostic::{Code, code};

/// A failure that ends the work on one input, or the whole run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CliError {
    /// What went wrong, with the file it is about.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The status it leads to.
    pub status: ExitStatus,
    /// The input that it is about and the kind of failure, where an input could not be read.
    pub refused: Option<Box<Refused>>,
}

/// An input that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Its name in reports.
    pub input: String,
    /// The kind of failure.
    pub code: Code,
    /// The failure, without the name.
    pub why: String,
}

impl CliError {
    /// Wrong usage: status 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, status: ExitStatus::Usage, refused: None }
    }

    /// Something asked for could not be done: status 3.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, status: ExitStatus::Failed, refused: None }
    }

    /// Says what to do.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// An input that could not be read: status 3, and a finding of that kind where findings are listed.
    pub fn refused(input: impl Into<String>, code: Code, why: impl Into<String>) -> Self {
        let refused = Refused { input: input.into(), code, why: why.into() };
        let failed = Self::failed(format!("{}: {}", refused.input, refused.why));
        Self { refused: Some(Box::new(refused)), ..failed }
    }

    /// A file that could not be read.
    pub fn unreadable(path: &std::path::Path, error: &std::io::Error) -> Self {
        let name = if path.as_os_str().is_empty() { "''".to_owned() } else { path.display().to_string() };
        let refused = |why: &str| Self::refused(name.as_str(), code::UNREADABLE_INPUT, why);
        match error.kind() {
            std::io::ErrorKind::NotFound => refused("there is no such file").with_help("check the path"),
            std::io::ErrorKind::PermissionDenied => {
                refused("no permission to read it").with_help("check the file's permissions")
            }
            _ => refused(&format!("cannot be read: {error}")),
        }
    }
}
