//! The order of the files, and which session came from which (session.md S6.6).

use std::io::{BufRead as _, Read as _};
use std::path::{Path, PathBuf};

use super::super::CliError;
use super::super::inputs::{self, Input};
use super::name_of;
use crate::audit::Named;
use crate::audit::lineage::{self, Head};
use crate::diagnostic::{Diagnostic, code};
use crate::session::Session;
use crate::text::Place;
use crate::text::json::Value;

/// Bytes of a file in which its header is looked for.
const HEAD: u64 = 1 << 16;

/// How many files beside a session are asked whether they are the one that it came from.
const BESIDE: usize = 1000;

/// The inputs in the order in which they are done.
pub(super) struct Order {
    inputs: Vec<Result<Input, CliError>>,
    /// What their headers say; read where several are ordered by them.
    heads: Vec<Head>,
}

impl Order {
    /// As they were named, or those of one project together.
    pub(super) fn of(inputs: Vec<Result<Input, CliError>>, by_project: bool) -> Self {
        if inputs.len() < 2 {
            return Self { inputs, heads: Vec::new() };
        }
        let heads: Vec<Head> = inputs.iter().map(head).collect();
        if !by_project {
            return Self { inputs, heads };
        }
        let mut inputs: Vec<Option<_>> = inputs.into_iter().map(Some).collect();
        let mut by_place: Vec<Option<Head>> = heads.iter().cloned().map(Some).collect();
        let order = lineage::order(&heads);
        let mut take = |at: &usize| Some((inputs.get_mut(*at)?.take()?, by_place.get_mut(*at)?.take()?));
        let (inputs, heads) = order.iter().filter_map(&mut take).unzip();
        Self { inputs, heads }
    }

    pub(super) fn len(&self) -> usize {
        self.inputs.len()
    }

    /// An input by its place in the order.
    pub(super) fn input(&self, number: usize) -> Result<&Input, &CliError> {
        match self.inputs.get(number) {
            Some(Ok(input)) => Ok(input),
            Some(Err(error)) => Err(error),
            // Nobody asks for one that is not there.
            None => Ok(&Input::Stdin),
        }
    }

    /// That the session from which this one came is nowhere to be found.
    pub(super) fn lost_parent(&self, number: usize, session: &Session) -> Option<Diagnostic> {
        let parent = session.header().get("parentSession").and_then(Value::as_string)?.to_string_lossy();
        let name = session.file();
        if self.heads.iter().any(|head| head.is_named(&parent)) {
            return None;
        }
        let (message, help) = match self.inputs.get(number) {
            Some(Ok(Input::File(path))) => missing(path, &parent)?,
            _ if lineage::is_path(&parent) && Path::new(&parent).is_file() => return None,
            // Of what comes through a pipe nobody knows what lay beside it.
            _ => return None,
        };
        let finding = Diagnostic::new(code::UNKNOWN_PARENT_SESSION, message).at(Place::line(name, 0, 0));
        Some(finding.with_help(help))
    }
}

/// The blobs that the session names and that are not where the agent keeps them: `blobs` in the folder that holds
/// `sessions` (session.md S6.3, S6.9). Where there is no such folder nothing can be said.
pub(super) fn lost_blobs(path: &Path, session: &Session, named: &Named) -> Vec<Diagnostic> {
    let folder = path.ancestors().skip(1).take(3).map(|folder| folder.join("blobs")).find(|folder| folder.is_dir());
    let found = named.blobs.iter().filter_map(|(digest, at)| {
        let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        let message = match &folder {
            _ if !is_digest => format!("the blob `{digest}` is not named by a digest, so no file can be it"),
            Some(folder) if !folder.join(digest).exists() => {
                format!("the blob `{digest}` is not in the folder of blobs")
            }
            _ => return None,
        };
        let entry = session.entry(*at)?;
        let place = Place::line(session.file(), entry.line(), entry.offset() as usize);
        let finding = Diagnostic::new(code::MISSING_BLOB, message).at(place);
        Some(match entry.id() {
            Some(id) => finding.with_entry(id.to_string_lossy()),
            None => finding,
        })
    });
    found.collect()
}

/// What is wrong with the parent of the session in that file.
fn missing(path: &Path, parent: &str) -> Option<(String, &'static str)> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if lineage::is_path(parent) {
        let name = parent.rsplit(['/', '\\']).next().unwrap_or(parent);
        let found = [Path::new(parent).to_path_buf(), folder.join(parent), folder.join(name)];
        match found.iter().find(|path| path.exists()) {
            Some(path) => match std::fs::File::open(path) {
                Ok(_) => return None,
                Err(error) => {
                    let message = format!("the session that this one came from, `{parent}`, cannot be read: {error}");
                    return Some((message, "check the file's permissions"));
                }
            },
            None => {
                let message = format!("the session that this one came from, `{parent}`, is not there");
                return Some((message, "name the folder that holds both, or leave it: only the ancestry is unknown"));
            }
        }
    }
    let mut others: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    others.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    others.sort_unstable();
    // A file is named for its session, as a rule; only where none is does its header tell.
    let named_for = |path: &PathBuf| path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with(parent));
    let says = |path: PathBuf| head(&Ok(Input::File(path))).is_named(parent);
    let beside = others.iter().any(named_for) || others.into_iter().take(BESIDE).any(says);
    let message = format!("no file beside this one is the session `{parent}` that it came from");
    (!beside).then_some((message, "name the folder that holds both, or leave it: only the ancestry is unknown"))
}

/// What the beginning of a file says.
fn head(input: &Result<Input, CliError>) -> Head {
    let mut head = Head { file: name_of(input), ..Head::default() };
    let Ok(Input::File(path)) = input else { return head };
    if !path.is_file() {
        return head;
    }
    let Ok(file) = inputs::open(path) else { return head };
    for line in file.take(HEAD).split(b'\n').map_while(Result::ok).take(16) {
        if head.read(&line) {
            break;
        }
    }
    head
}
