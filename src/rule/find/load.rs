//! Reading rule files from disk: the paths that a user names, and the one way in which any rule file is read.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::diagnostic::Diagnostic;
use crate::files::read_regular;
use crate::generation::Semantics;
use crate::limits;
use crate::rule::lint::{self, skipped_file, unreadable_rule_file};
use crate::rule::read::{Provider, Rule, RuleFile, base_name, given_path, rule_name};

/// How the paths of bundled rules begin (engine.md E1.1).
pub const BUNDLED_PREFIX: &str = "builtin-defaults:";

/// Rules that were read, and what went wrong.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The rules in discovery order; nothing is dropped yet.
    pub rules: Vec<Rule>,
    /// Findings about files.
    pub diagnostics: Vec<Diagnostic>,
    /// Paths that the user named and that could not be used: exit status 3.
    #[cfg(feature = "internals")]
    pub failures: Vec<LoadFailure>,
    /// How many rule files were read.
    #[cfg(feature = "internals")]
    pub files: usize,
}

/// A path that the user named and that could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct LoadFailure {
    /// The path as the user named it.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
}

/// Takes what a search for rules finds, one thing after the other, so that a rule need not outlive its turn. What is
/// found in a file comes before its rule.
pub trait Sink {
    /// Takes a rule, in discovery order; nothing is dropped yet.
    fn rule(&mut self, rule: Rule);

    /// Takes a finding about a file.
    fn finding(&mut self, finding: Diagnostic);
}

impl Sink for Loaded {
    fn rule(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    fn finding(&mut self, finding: Diagnostic) {
        self.diagnostics.push(finding);
    }
}

/// What a search for rules comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    /// Paths that the user named and that could not be used: exit status 3.
    pub failures: Vec<LoadFailure>,
    /// How many rule files were read.
    pub files: usize,
}

/// Reads the rule files that the user named, in the order given. A directory stands for every `*.md` and `*.mdc`
/// below it, sorted. The rules count as lying in `<cwd>/.omp/rules/` (cli.md section 1).
#[cfg(feature = "internals")]
pub fn load_paths<P: AsRef<Path>>(paths: &[P], cwd: &str, semantics: &Semantics) -> Loaded {
    Loaded::collect(|sink| search_paths(paths, cwd, semantics, sink))
}

/// A rule file that was handed over in place of one on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handed {
    /// Where it would lie.
    pub path: PathBuf,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// As [`load_paths`], each rule to `sink` as it is read.
pub fn search_paths<P: AsRef<Path>>(paths: &[P], cwd: &str, semantics: &Semantics, sink: &mut dyn Sink) -> Searched {
    search_with(paths, cwd, semantics, None, sink)
}

/// As [`search_paths`]; `handed` stands for the path `-`.
pub fn search_with<P: AsRef<Path>>(
    paths: &[P],
    cwd: &str,
    semantics: &Semantics,
    handed: Option<&Handed>,
    sink: &mut dyn Sink,
) -> Searched {
    let mut reader = Reader::new(semantics, &[], &as_named, sink);
    let mut failures = Vec::new();
    let mut fail = |path: &Path, message: String| {
        failures.push(LoadFailure { path: path.to_string_lossy().into_owned(), message });
    };
    let given = Provider::Given;
    // A file that is named, and lies in a folder that is named too, is one file.
    let mut seen = HashSet::new();
    let mut is_new = |file: &Path| {
        let name = file.file_name().map(ToOwned::to_owned);
        paths.len() == 1 || fs::canonicalize(file).map_or(true, |real| seen.insert((real, name)))
    };
    for path in paths {
        let path = path.as_ref();
        if let Some(Handed { path, bytes }) = handed.filter(|_| path.as_os_str() == "-") {
            reader.take(path, bytes.clone(), given, |name| given_path(cwd, name), |_| None);
            continue;
        }
        match fs::metadata(path) {
            Err(error) => fail(path, describe(&error)),
            Ok(metadata) if metadata.is_dir() => {
                let files = rule_files_below(path, reader.sink);
                if files.is_empty() {
                    fail(path, "there is no rule file (`*.md`, `*.mdc`) below this directory".to_owned());
                }
                for file in files.into_iter().filter(|file| is_new(file)) {
                    reader.found(&file, given, |name| given_path(cwd, name), |_| None);
                }
            }
            Ok(metadata) if is_idle_pipe(path, &metadata) => {
                fail(path, "it is a pipe that nobody may write to".to_owned())
            }
            Ok(_) if !is_new(path) => {}
            Ok(_) => {
                if let Err(error) = reader.read(path, given, |name| given_path(cwd, name), |_| None) {
                    fail(path, describe(&error));
                }
            }
        }
    }
    Searched { failures, files: reader.files }
}

/// Reads rules that count as bundled with the agent (engine.md E1.1, cli.md `--bundled`): a file, or every `*.md` and
/// `*.mdc` below a directory. `hidden` names rules that are left out, as `rule:NAME`. The early generation has no
/// bundled rules (E11 G30).
pub fn search_bundled(path: &Path, hidden: &[String], semantics: &Semantics, sink: &mut dyn Sink) -> Searched {
    if !semantics.rule_switches {
        return Searched::default();
    }
    let mut reader = Reader::new(semantics, hidden, &as_named, sink);
    let fail = |message: String| Searched {
        failures: vec![LoadFailure { path: path.to_string_lossy().into_owned(), message }],
        files: 0,
    };
    let files = match fs::metadata(path) {
        Err(error) => return fail(describe(&error)),
        Ok(metadata) if metadata.is_dir() => rule_files_below(path, reader.sink),
        Ok(_) => vec![path.to_owned()],
    };
    if files.is_empty() {
        return fail("there is no rule file (`*.md`, `*.mdc`) below this directory".to_owned());
    }
    for file in files {
        let stored = |name: &str| format!("{BUNDLED_PREFIX}{}.md", rule_name(name));
        reader.found(&file, Provider::BuiltinDefaults, stored, |_| None);
    }
    Searched { failures: Vec::new(), files: reader.files }
}

/// Whether reading the path could wait for ever: a pipe with a name, not one that the shell has opened.
fn is_idle_pipe(path: &Path, metadata: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        metadata.file_type().is_fifo() && !path.starts_with("/dev") && !path.starts_with("/proc")
    }
    #[cfg(not(unix))]
    {
        let _ = (path, metadata);
        false
    }
}

/// A file as the user named it.
fn as_named(path: &Path) -> String {
    let name = path.to_string_lossy();
    // `.` as a directory puts it in front of every file.
    name.strip_prefix("./").unwrap_or(&name).to_owned()
}

/// What an error of the operating system says, without its number.
pub(super) fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

impl Loaded {
    /// All that a search finds.
    #[cfg(feature = "internals")]
    pub(super) fn collect(search: impl FnOnce(&mut dyn Sink) -> Searched) -> Self {
        let mut loaded = Self::default();
        let Searched { failures, files } = search(&mut loaded);
        Self { failures, files, ..loaded }
    }
}

/// Reads rule files into a sink.
pub(super) struct Reader<'a> {
    semantics: &'a Semantics,
    /// Rules that are left out, as `rule:NAME`.
    hidden: &'a [String],
    /// What reports call a file.
    name_of: &'a dyn Fn(&Path) -> String,
    /// Where everything goes.
    pub(super) sink: &'a mut dyn Sink,
    /// How many files were read.
    pub(super) files: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        semantics: &'a Semantics,
        hidden: &'a [String],
        name_of: &'a dyn Fn(&Path) -> String,
        sink: &'a mut dyn Sink,
    ) -> Self {
        Self { semantics, hidden, name_of, sink, files: 0 }
    }

    /// Reads a file that was found; a bad one is a finding. For `stored` and `adjust` see [`Reader::read`].
    pub(super) fn found(
        &mut self,
        path: &Path,
        provider: Provider,
        stored: impl FnOnce(&str) -> String,
        adjust: impl FnOnce(&mut Rule) -> Option<Diagnostic>,
    ) {
        if let Err(error) = self.read(path, provider, stored, adjust) {
            let why = describe(&error);
            let message = format!("the rule file cannot be read: {why}");
            self.sink.finding(unreadable_rule_file::finding((self.name_of)(path), message));
        }
    }

    /// Reads one rule file; `stored` makes the path that the agent stores from the base name, `adjust` is what the
    /// provider makes of the rule, and what it has to say about it.
    fn read(
        &mut self,
        path: &Path,
        provider: Provider,
        stored: impl FnOnce(&str) -> String,
        adjust: impl FnOnce(&mut Rule) -> Option<Diagnostic>,
    ) -> io::Result<()> {
        let bytes = read_named(path)?;
        self.take(path, bytes, provider, stored, adjust);
        Ok(())
    }

    /// Takes what a rule file holds.
    fn take(
        &mut self,
        path: &Path,
        bytes: Vec<u8>,
        provider: Provider,
        stored: impl FnOnce(&str) -> String,
        adjust: impl FnOnce(&mut Rule) -> Option<Diagnostic>,
    ) {
        let shown = (self.name_of)(path);
        let base = path.file_name().map_or_else(|| base_name(&shown).into(), |name| name.to_string_lossy());
        let mut file = RuleFile::read(shown.as_str(), bytes, self.semantics);
        file.path = path.to_owned();
        lint::of_file(&file).into_iter().for_each(|finding| self.sink.finding(finding));
        self.files += 1;
        let mut rule = Rule::from_file(&base, stored(&base).into(), file, self.semantics);
        rule.provider = provider;
        adjust(&mut rule).into_iter().for_each(|finding| self.sink.finding(finding));
        if self.hidden.is_empty() || !self.hidden.contains(&format!("rule:{}", rule.name)) {
            self.sink.rule(rule);
        }
    }
}

/// Reads a rule file that may have been named: a pipe that the shell has opened is one too.
fn read_named(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() {
        return read_regular(path, limits::RULE_FILE.get());
    }
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    file.take(limits::RULE_FILE.get().saturating_add(1)).read_to_end(&mut bytes)?;
    if limits::RULE_FILE.is_beyond(bytes.len()) {
        return Err(io::Error::other(format!("it is larger than {}", limits::bytes(limits::RULE_FILE.get()))));
    }
    Ok(bytes)
}

/// Every rule file below a directory, sorted by path; nothing is left out silently.
fn rule_files_below(directory: &Path, sink: &mut dyn Sink) -> Vec<PathBuf> {
    let note = |path: &Path, message: &str, help: &str| {
        skipped_file::finding(path.to_string_lossy().into_owned(), message, help)
    };
    let mut files = Vec::new();
    let walk = WalkBuilder::new(directory)
        .standard_filters(false)
        .follow_links(true)
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    for entry in walk {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                walk_finding(directory, &error, &|path| path.to_string_lossy().into_owned())
                    .into_iter()
                    .for_each(|finding| sink.finding(finding));
                continue;
            }
        };
        let path = entry.path();
        let name = entry.file_name().to_string_lossy();
        let kind = entry.file_type();
        if !has_extension(&name, &["md", "mdc"]) {
            let lower = name.to_ascii_lowercase();
            if has_extension(&lower, &["md", "mdc"]) {
                sink.finding(note(
                    path,
                    "not read: the extension of a rule file is in lower case",
                    "rename it to `.md`",
                ));
            }
        } else if kind.is_some_and(|kind| kind.is_dir()) {
            sink.finding(note(path, "not read as a rule: it is a directory", "rename it, or put a file in its place"));
        } else if !kind.is_some_and(|kind| kind.is_file()) {
            sink.finding(note(path, "not read: it is no regular file", "put a file in its place"));
        } else {
            files.push(entry.into_path());
        }
    }
    files
}

/// What an error on the way through a directory says; nothing when it is about a file that is no rule file.
pub(super) fn walk_finding(
    directory: &Path,
    error: &ignore::Error,
    name_of: &dyn Fn(&Path) -> String,
) -> Option<Diagnostic> {
    let path = path_of(error).unwrap_or(directory);
    let is_other = path.extension().is_some_and(|extension| extension != "md" && extension != "mdc");
    if is_other && path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return None;
    }
    let why = error.io_error().map_or_else(|| error.to_string(), describe);
    Some(unreadable_rule_file::finding(name_of(path), format!("not read: {why}")))
}

/// The path that an error is about.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}

/// Whether a file name ends in a dot and one of the extensions, in this case.
pub(super) fn has_extension(name: &str, extensions: &[&str]) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
}
