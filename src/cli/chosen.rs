//! Which inputs a replay takes of those that are there: `--files-from`, `--include`, `--exclude`, `--since`, `--until`,
//! `--shard` (cli.md section 2).

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::CliError;
use super::args::{CorpusArgs, ReplayArgs};
use super::console::Console;
use super::inputs::{self, Input};
use crate::clock::parse_iso_time;
use crate::output::count;
use crate::text::json::{self, Value};

/// Lines at the beginning of an input among which its header is looked for: a title may stand before it.
const HEAD_LINES: usize = 3;

/// Bytes of such a line that are looked at.
const HEAD_BYTES: u64 = 1 << 20;

/// The arguments with the inputs that are chosen, each named by itself; what cannot be taken stays, to be told of when
/// its turn comes.
///
/// # Errors
/// When an option has a wrong value, or the list of files cannot be read.
pub(super) fn resolved(
    args: &ReplayArgs,
    stdin: &mut dyn Read,
    console: &mut Console<'_>,
) -> Result<ReplayArgs, CliError> {
    let choice = Choice::read(&args.corpus)?;
    let mut paths = args.inputs.clone();
    if let Some(list) = &args.corpus.files_from {
        paths.extend(listed(&inputs::read_bytes(list, stdin)?));
    }
    let mut found = Vec::new();
    for path in paths {
        for input in inputs::expand(std::slice::from_ref(&path)) {
            match input {
                Ok(Input::File(file)) if path.is_dir() => {
                    let below = file.strip_prefix(&path).unwrap_or(&file);
                    if choice.takes_path(below) {
                        found.push(file);
                    }
                }
                // It says again what is wrong with it when it is opened.
                _ => found.push(path.clone()),
            }
        }
    }
    let mut untimed = 0;
    if choice.since.is_some() || choice.until.is_some() {
        found.retain(|path| match began(path) {
            Began::At(time) => choice.takes_time(time),
            Began::Unknown => {
                untimed += 1;
                false
            }
            Began::Unreadable => true,
        });
    }
    if untimed > 0 {
        let inputs = count(untimed, "input");
        console.note(&format!("{inputs} without a time in the header left out: --since and --until cannot place them"));
    }
    let mut number = 0;
    found.retain(|_| {
        number += 1;
        choice.takes_number(number - 1)
    });
    if found.is_empty() {
        console.note("no input is left by the options that choose among them");
    }
    Ok(ReplayArgs { inputs: found, ..args.clone() })
}

/// The paths of a list: lines, or what stands between NULs when there is one.
fn listed(bytes: &[u8]) -> Vec<PathBuf> {
    let separator = if bytes.contains(&0) { 0 } else { b'\n' };
    let names = bytes.split(|byte| *byte == separator).map(|name| match separator {
        0 => name,
        _ => name.strip_suffix(b"\r").unwrap_or(name),
    });
    names.filter(|name| !name.is_empty()).map(path_of).collect()
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    std::ffi::OsStr::from_bytes(bytes).into()
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// When an input began.
enum Began {
    /// Milliseconds since the epoch.
    At(u64),
    /// It has no header, or one without a time.
    Unknown,
    /// Whoever opens it says why.
    Unreadable,
}

fn began(path: &Path) -> Began {
    let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0);
    let Some(mut input) = File::open(path).ok().filter(|_| is_file).map(BufReader::new) else {
        return Began::Unreadable;
    };
    for _ in 0..HEAD_LINES {
        let mut line = Vec::new();
        match input.by_ref().take(HEAD_BYTES).read_until(b'\n', &mut line) {
            Ok(0) => break,
            Err(_) => return Began::Unreadable,
            Ok(_) => {}
        }
        let Some(record) = std::str::from_utf8(&line).ok().and_then(|text| json::parse(text.trim()).ok()) else {
            continue;
        };
        let text = |key: &str| record.get(key).and_then(Value::as_string).map(|text| text.to_string_lossy());
        if text("type").as_deref() == Some("session") {
            let time = text("timestamp").and_then(|time| moment(&time));
            return time.map_or(Began::Unknown, Began::At);
        }
    }
    Began::Unknown
}

fn moment(text: &str) -> Option<u64> {
    let whole = if text.len() == "2026-01-31".len() { format!("{text}T00:00:00.000Z") } else { text.to_owned() };
    parse_iso_time(&whole).and_then(|ms| u64::try_from(ms).ok())
}

/// What the options choose.
struct Choice {
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
    since: Option<u64>,
    until: Option<u64>,
    /// The number of the shard, from 0, and how many there are.
    shard: Option<(usize, usize)>,
}

impl Choice {
    fn read(args: &CorpusArgs) -> Result<Self, CliError> {
        Ok(Self {
            include: globs("--include", &args.include)?,
            exclude: globs("--exclude", &args.exclude)?,
            since: time("--since", args.since.as_deref())?,
            until: time("--until", args.until.as_deref())?,
            shard: args.shard.as_deref().map(shard).transpose()?,
        })
    }

    fn takes_path(&self, below: &Path) -> bool {
        self.include.as_ref().is_none_or(|globs| globs.is_match(below))
            && !self.exclude.as_ref().is_some_and(|globs| globs.is_match(below))
    }

    fn takes_time(&self, began: u64) -> bool {
        self.since.is_none_or(|since| since <= began) && self.until.is_none_or(|until| began < until)
    }

    fn takes_number(&self, number: usize) -> bool {
        self.shard.is_none_or(|(own, all)| number % all == own)
    }
}

fn globs(option: &str, written: &[String]) -> Result<Option<GlobSet>, CliError> {
    if written.is_empty() {
        return Ok(None);
    }
    let wrong = |error: globset::Error| {
        CliError::usage(format!("{option}: {error}")).with_help("write it as 2026/** or *-nightly.jsonl")
    };
    let mut set = GlobSetBuilder::new();
    for glob in written {
        set.add(Glob::new(glob).map_err(wrong)?);
    }
    set.build().map(Some).map_err(wrong)
}

fn time(option: &str, written: Option<&str>) -> Result<Option<u64>, CliError> {
    let Some(written) = written else { return Ok(None) };
    match moment(written) {
        Some(moment) => Ok(Some(moment)),
        None => Err(CliError::usage(format!("{option}: `{written}` is no time"))
            .with_help("write it as 2026-01-31 or 2026-01-31T12:00:00.000Z")),
    }
}

fn shard(written: &str) -> Result<(usize, usize), CliError> {
    let parts = written.split_once('/').and_then(|(own, all)| Some((own.parse().ok()?, all.parse().ok()?)));
    match parts {
        Some((own, all)) if (1..=all).contains(&own) => Ok((own - 1, all)),
        _ => Err(CliError::usage(format!("--shard: `{written}` names no shard"))
            .with_help("write it as K/N with K from 1 to N, such as 1/4")),
    }
}
