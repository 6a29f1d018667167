//! [`CliError`]: foreseen failures of circumstances, each with a remedy and a status.

use super::ExitStatus;

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
}

impl CliError {
    /// Wrong usage: status 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, status: ExitStatus::Usage }
    }

    /// Something asked for could not be done: status 3.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, status: ExitStatus::Failed }
    }

    /// Says what to do.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// A file that could not be read.
    pub fn unreadable(path: &std::path::Path, error: &std::io::Error) -> Self {
        let (what, help) = match error.kind() {
            std::io::ErrorKind::NotFound => ("there is no such file", "check the path"),
            std::io::ErrorKind::PermissionDenied => ("no permission to read it", "check the file's permissions"),
            _ => return Self::failed(format!("{}: cannot be read: {error}", path.display())),
        };
        let name = if path.as_os_str().is_empty() { "''".to_owned() } else { path.display().to_string() };
        Self::failed(format!("{name}: {what}")).with_help(help)
    }
}
