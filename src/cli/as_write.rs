//! `--as-write`: the files below some paths, as finished `write` calls to them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};
use rayon::prelude::*;

use super::CliError;
use super::args::{ReplayArgs, ReplayFormat};
use super::console::{Console, Surroundings};
use super::generation::Asked;
use super::plans::Plans;
use super::replay::BATCH;
use crate::judge::Verdicts;
use crate::limits;
use crate::output::files::{self, FileTotals};
use crate::output::json;
use crate::output::json::v1::files::{Document, Line};
use crate::replay::files::{FileFindings, FileRules};
use crate::text::JsString;

/// How much of a file is looked at to find out whether it is binary, as git does.
const SNIFFED_BYTES: usize = 8000;

/// What became of one file.
enum Seen {
    Findings(FileFindings),
    Binary,
    TooLarge,
    Unreadable(CliError),
}

/// Looks at the files and tells what the rules say of them.
///
/// # Errors
/// When nothing can be run at all; files that cannot be read are shown and counted.
pub(super) fn run(
    args: &ReplayArgs,
    asked: &[Asked],
    surroundings: &Surroundings,
    console: &mut Console<'_>,
) -> Result<(), CliError> {
    let [asked] = *asked else {
        return Err(CliError::usage("--as-write takes one generation").with_help("one of auto, v1, v2, v3, v4"));
    };
    refuse_others(args)?;
    let generation = asked.unmarked();
    let mut plans = Plans::new(args, false, Verdicts::default(), surroundings);
    let plan = plans.of(generation.lifecycle, console)?;
    let mut totals = FileTotals {
        judged: plan.rules.iter().filter(|rule| rule.is_judged()).count(),
        lifecycle: (generation.lifecycle.as_str(), generation.from.clone()),
        per_rule: plan.rules.iter().filter(|rule| !rule.is_judged()).map(|rule| (rule.name.clone(), 0)).collect(),
        ..FileTotals::default()
    };
    let jobs = args.jobs.unwrap_or(1).max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    let pool = pool.map_err(|error| CliError::failed(format!("--jobs {jobs}: {error}")))?;
    let mut kept = Vec::new();
    // Caches stay warm from file to file.
    let mut workers: Vec<FileRules> = (0..jobs).map(|_| FileRules::new(plan)).collect();
    for root in &args.author.as_write {
        if root.symlink_metadata().is_err() {
            console.fail(
                &CliError::failed(format!("--as-write {}: there is no such file or directory", root.display()))
                    .with_help("check the path"),
            );
            continue;
        }
        let mut walk = walk(root);
        loop {
            let batch: Vec<_> = walk.by_ref().take(jobs * BATCH * 8).collect();
            if batch.is_empty() || console.is_closed() {
                break;
            }
            for (name, seen) in look(&batch, root, &mut workers, &pool, surroundings) {
                tell(&name, seen, args.format, &mut kept, &mut totals, console);
            }
        }
    }
    match args.format {
        ReplayFormat::Human => console.print(&files::render_totals(&totals, console.style())),
        ReplayFormat::Jsonl => console.print_json(&json::line(&Line::summary(&totals))),
        ReplayFormat::Json => console.print_json(&json::line(&Document::new(&kept, &totals))),
        ReplayFormat::Csv => console.print(&format!("{}{}", files::CSV_HEAD, files::csv(&totals))),
    }
    Ok(())
}

/// Options that say nothing about files.
fn refuse_others(args: &ReplayArgs) -> Result<(), CliError> {
    let given = [
        (args.verify, "--verify"),
        (args.explain.is_some(), "--explain"),
        (args.write_session.is_some(), "--write-session"),
        (args.emit_events.is_some(), "--emit-events"),
        (args.chunk.is_some(), "--chunk"),
        (args.verdicts.is_some(), "--verdicts"),
        (args.print_asks, "--print-asks"),
    ];
    match given.into_iter().find(|(given, _)| *given) {
        Some((_, option)) => Err(CliError::usage(format!("--as-write and {option} do not go together"))),
        None => Ok(()),
    }
}

/// The files below a path in sorted order, as git sees them; what cannot be walked is a failure in its place.
fn walk(root: &Path) -> impl Iterator<Item = Result<PathBuf, CliError>> + use<> {
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| !is_git_folder(entry))
        .sort_by_file_path(|a, b| a.as_os_str().cmp(b.as_os_str()))
        .build();
    let root = root.to_owned();
    walk.filter_map(move |entry| match entry {
        // A link is named itself or left alone, so that no file is looked at twice.
        Ok(entry) if entry.depth() == 0 && entry.path().is_file() => Some(Ok(entry.into_path())),
        Ok(entry) => entry.file_type()?.is_file().then(|| Ok(entry.into_path())),
        Err(error) => Some(Err(CliError::failed(format!("{}: {error}", root.display())))),
    })
}

fn is_git_folder(entry: &DirEntry) -> bool {
    entry.depth() > 0 && entry.file_name() == ".git"
}

/// Looks at some files, each worker at a part of them, and tells of them in their order.
fn look(
    batch: &[Result<PathBuf, CliError>],
    root: &Path,
    workers: &mut [FileRules],
    pool: &rayon::ThreadPool,
    surroundings: &Surroundings,
) -> Vec<(String, Seen)> {
    let one = |rules: &mut FileRules, file: &Result<PathBuf, CliError>| match file {
        Ok(path) => {
            let called = called(path, root, &surroundings.cwd);
            (path.to_string_lossy().into_owned(), seen(path, &called, rules))
        }
        Err(error) => (root.to_string_lossy().into_owned(), Seen::Unreadable(error.clone())),
    };
    let parts = batch.par_chunks(batch.len().div_ceil(workers.len()).max(1));
    let looked: Vec<Vec<_>> = pool.install(|| {
        let part = |(rules, part): (&mut FileRules, &[_])| part.iter().map(|file| one(rules, file)).collect();
        workers.par_iter_mut().zip(parts).map(part).collect()
    });
    looked.into_iter().flatten().collect()
}

/// The path that the call names: as it is given, or what is below an absolute PATH.
fn called(path: &Path, root: &Path, cwd: &Path) -> JsString {
    let shown = if path.is_relative() {
        path.strip_prefix(".").unwrap_or(path)
    } else if let Ok(below) = path.strip_prefix(cwd) {
        below
    } else if root.is_dir() {
        path.strip_prefix(root).unwrap_or(path)
    } else {
        Path::new(path.file_name().unwrap_or_default())
    };
    JsString::from(shown.to_string_lossy().into_owned())
}

fn seen(path: &Path, called: &JsString, rules: &mut FileRules) -> Seen {
    let read = File::open(path).and_then(|file| {
        let mut bytes = Vec::new();
        file.take(limits::AS_WRITE_FILE.get().saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    match read {
        Err(error) => Seen::Unreadable(CliError::unreadable(path, &error)),
        Ok(bytes) if bytes.iter().take(SNIFFED_BYTES).any(|&byte| byte == 0) => Seen::Binary,
        Ok(bytes) if limits::AS_WRITE_FILE.is_beyond(bytes.len()) => Seen::TooLarge,
        Ok(bytes) => {
            let text = JsString::from(String::from_utf8_lossy(&bytes).into_owned());
            Seen::Findings(rules.look_at(called, &text))
        }
    }
}

fn tell(
    name: &str,
    seen: Seen,
    format: ReplayFormat,
    kept: &mut Vec<(String, FileFindings)>,
    totals: &mut FileTotals,
    console: &mut Console<'_>,
) {
    let findings = match seen {
        Seen::Findings(findings) => findings,
        Seen::Binary => {
            totals.binary += 1;
            return;
        }
        Seen::TooLarge => {
            totals.too_large += 1;
            return;
        }
        Seen::Unreadable(error) => {
            totals.unreadable += 1;
            return console.fail(&error);
        }
    };
    totals.add(&findings);
    match format {
        ReplayFormat::Human => console.print(&files::render(name, &findings, console.style())),
        ReplayFormat::Jsonl => {
            for line in Line::findings(name, &findings) {
                console.print_json(&json::line(&line));
            }
        }
        ReplayFormat::Json if findings == FileFindings::default() => {}
        ReplayFormat::Json => kept.push((name.to_owned(), findings)),
        ReplayFormat::Csv => {}
    }
}
