//! `--expect`: the trace of a run against the one that a file holds.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::args::AuthorArgs;
use super::console::Console;
use super::{CliError, ExitStatus};
use crate::interrupt::Held;
use crate::output::json::v1::trace::Line;
use crate::output::{count, escape, trace_diff};
use crate::replay::trace::TraceEvent;
use crate::text::json::Value;

/// The trace that a file holds, and the one that the run gives.
pub(super) struct Expected {
    path: PathBuf,
    /// Whether the file is written where it differs.
    update: bool,
    stored: Option<String>,
    found: String,
}

impl Expected {
    /// Reads the file that `--expect` names.
    ///
    /// # Errors
    /// When it cannot be read, or is missing and is not to be written.
    pub(super) fn open(args: &AuthorArgs) -> Result<Option<Self>, CliError> {
        let Some(path) = args.expect.clone() else { return Ok(None) };
        let stored = match fs::read(&path) {
            Ok(bytes) => Some(lines_without_counter(&String::from_utf8_lossy(&bytes))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && args.update => None,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let error = CliError::failed(format!("{}: there is no stored trace", path.display()));
                return Err(error.with_help("--update writes it"));
            }
            Err(error) => return Err(CliError::unreadable(&path, &error)),
        };
        Ok(Some(Self { path, update: args.update, stored, found: String::new() }))
    }

    /// Takes an event of the run.
    pub(super) fn event(&mut self, event: &TraceEvent) {
        self.found.push_str(&Line::new(event, None).to_json());
        self.found.push('\n');
    }

    /// Shows where the traces differ, or writes the new one. `in_report`: whether the diff stands in place of a report.
    pub(super) fn finish(self, in_report: bool, console: &mut Console<'_>) {
        let name = escape(&self.path.to_string_lossy());
        let events = count(self.found.lines().count(), "line");
        let is_same = self.stored.as_ref() == Some(&self.found);
        if self.update {
            if is_same {
                console.note(&format!("{name}: unchanged, {events}"));
            } else if console.status() == ExitStatus::Failed {
                // The trace of what could not be run is nothing to expect.
                console.note(&format!("{name}: not written, since not everything could be run"));
            } else if let Err(error) = replace(&self.path, &self.found) {
                let error = CliError::failed(format!("{name}: cannot be written: {}", error.kind()));
                console.fail(&error.with_help("name a file in a folder that exists and can be written to"));
            } else {
                console.note(&format!("wrote {name}, {events}"));
            }
            return;
        }
        let text = if is_same {
            format!("{name}: as expected, {events}\n")
        } else {
            let style = if in_report { console.style() } else { console.error_style() };
            trace_diff::render(self.stored.as_deref().unwrap_or_default(), &self.found, &name, style)
        };
        if in_report {
            console.print(&text);
        } else if is_same {
            console.note(text.trim_end());
        } else {
            console.say(&text);
        }
        if !is_same {
            console.raise(ExitStatus::Findings);
        }
    }
}

/// Writes a file whole or not at all; one that exists is replaced and keeps its permissions.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    // A link stays one: what it leads to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _held = Held::back();
    let mut file = tempfile::Builder::new().prefix(".ttsr-").suffix(".tmp").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Ok(before) = fs::metadata(&path) {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}

/// Trace lines without the counter of the whole output, which moves with each line that comes before.
fn lines_without_counter(text: &str) -> String {
    let lines = text.lines().map(|line| match crate::text::json::parse(line) {
        Ok(Value::Object(mut object)) if object.get("seq").is_some() => {
            object.remove("seq");
            format!("{}\n", Value::Object(object).to_json())
        }
        _ => format!("{line}\n"),
    });
    lines.collect()
}
