//! The files that a replay writes: looked at before anything runs, so that no run ends with a file that has no place.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::CliError;
use super::args::ReplayArgs;
use super::console::Console;
use crate::agent::Script;
use crate::replay::Report;
use crate::session::write_new;

/// Checks the options about what is written, against each other, the number of runs and the files that exist.
///
/// # Errors
/// When the options name several runs, one file twice, or a file that cannot be made.
pub(super) fn check(args: &ReplayArgs, script: Option<&Script>) -> Result<(), CliError> {
    let runs = args.inputs.len() + usize::from((script.is_some() && args.inputs.is_empty()) || args.text.is_some());
    let is_single = runs == 1 && !args.inputs.iter().any(|input| input.is_dir()) && args.rules.lifecycle.len() == 1;
    let mut seen: Vec<((PathBuf, OsString), &str)> = Vec::new();
    for (path, option) in named(args, script) {
        if !is_single {
            return Err(CliError::usage(format!("{option} takes a single run"))
                .with_help("name one input, or one script, and one lifecycle"));
        }
        refuse_dash(&path, option)?;
        let place = place(&path).map_err(|why| {
            CliError::failed(format!("{}: cannot be written: {why}", path.display()))
                .with_help("name a file in a folder that exists")
        })?;
        if let Some((_, other)) = seen.iter().find(|(other, _)| *other == place) {
            return Err(CliError::usage(format!("{other} and {option} name the same file")));
        }
        if path.symlink_metadata().is_ok() {
            return Err(CliError::failed(format!("{}: exists already", path.display()))
                .with_help("an existing file is never replaced: choose another name or move it away"));
        }
        seen.push((place, option));
    }
    Ok(())
}

/// `-` names no file here.
///
/// # Errors
/// When the path is `-`.
pub(super) fn refuse_dash(path: &Path, option: &str) -> Result<(), CliError> {
    match path.as_os_str() == "-" {
        true => Err(CliError::usage(format!("{option} writes a file, not standard output"))
            .with_help("name a file; ./- if that is meant to be its name")),
        false => Ok(()),
    }
}

/// The files that are written, each with the option that names it.
fn named(args: &ReplayArgs, script: Option<&Script>) -> Vec<(PathBuf, &'static str)> {
    let session = args.write_session.iter().flat_map(|path| {
        let handoffs = script.map_or(0, |script| script.replies.iter().filter(|reply| reply.handoff.is_some()).count());
        (1..=handoffs).map(|number| numbered(path, number)).chain([path.clone()])
    });
    let events = args.emit_events.iter().cloned();
    session.map(|path| (path, "--write-session")).chain(events.map(|path| (path, "--emit-events"))).collect()
}

/// The folder of a file that does not exist yet, and its name in it.
fn place(path: &Path) -> Result<(PathBuf, OsString), String> {
    let name = path.file_name().ok_or("it is no name of a file")?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = parent.canonicalize().map_err(|error| error.kind().to_string())?;
    if folder.is_dir() { Ok((folder, name.to_owned())) } else { Err("its folder is a file".to_owned()) }
}

/// Writes what was asked for.
pub(super) fn write(report: Report, args: &ReplayArgs, console: &mut Console<'_>) {
    if let Some(path) = &args.write_session {
        for (number, store) in report.handed_off.iter().enumerate() {
            let path = numbered(path, number + 1);
            written(&path, store.write_new(&path), console);
        }
    }
    if let (Some(path), Some(store)) = (&args.write_session, report.store) {
        written(path, store.write_new(path), console);
    }
    if let (Some(path), Some(events)) = (&args.emit_events, report.events) {
        written(path, write_new(path, |out| out.write_all(&events), &mut |_| Ok(())), console);
    }
}

/// `out.jsonl` as `out.1.jsonl`: the file of a session that was handed off, beside what followed it.
fn numbered(path: &Path, number: usize) -> PathBuf {
    match path.extension() {
        Some(extension) => path.with_extension(format!("{number}.{}", extension.to_string_lossy())),
        None => path.with_extension(number.to_string()),
    }
}

/// Says that a file was written, or why not.
fn written(path: &Path, result: std::io::Result<()>, console: &mut Console<'_>) {
    match result {
        Ok(()) => console.note(&format!("wrote {}", path.display())),
        Err(error) => {
            // The error names a temporary file, which nobody knows.
            let why = error.kind();
            console.fail(
                &CliError::failed(format!("{}: cannot be written: {why}", path.display()))
                    .with_help("choose a name that is free, in a folder that can be written to"),
            );
        }
    }
}
