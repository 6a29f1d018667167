//! `--all-branches`: every branch of a session as an input of its own.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::CliError;
use super::args::ReplayArgs;
use super::inputs::{self, Input};
use super::opened::open_session;
use crate::diagnostic::code;
use crate::session::{Session, Tree};
use crate::stream::{InputKind, detect};

/// How much of a file is looked at to find out what it is.
const HEAD_BYTES: u64 = 1 << 16;

/// The inputs that the options name, in order; of sessions their branches, where those are asked for.
pub(super) fn inputs(args: &ReplayArgs) -> Vec<Result<Input, CliError>> {
    let expanded = inputs::expand(&args.inputs);
    if !args.author.all_branches {
        return expanded;
    }
    expanded
        .into_iter()
        .flat_map(|input| match input {
            Ok(Input::File(path)) if is_session(&path) => match branches(&path) {
                Ok(branches) => branches,
                Err(error) => vec![Err(error)],
            },
            other => vec![other],
        })
        .collect()
}

/// Whether a file holds a session. What cannot be read is told when it is played.
fn is_session(path: &Path) -> bool {
    let mut head = Vec::new();
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|found| found.is_file()));
    let read = file.and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head).ok());
    read.is_some() && detect(&head) == InputKind::Session
}

/// The branches of a session, by their last entries in file order. A session without entries is one branch.
fn branches(path: &Path) -> Result<Vec<Result<Input, CliError>>, CliError> {
    let name = path.to_string_lossy().into_owned();
    let session = open_session(path, &name)?;
    let tree = Tree::new(&session)
        .map_err(|error| CliError::refused(name.as_str(), code::UNREADABLE_INPUT, error.to_string()))?;
    let leaves = leaves(&session, &tree);
    if leaves.len() < 2 {
        return Ok(vec![Ok(Input::File(path.to_owned()))]);
    }
    let branch = |leaf: usize| {
        let id = session.entry(leaf).and_then(|entry| entry.id()).map(|id| id.to_string_lossy());
        let what = match id {
            Some(id) => format!("branch {id}"),
            None => format!("branch of line {}", session.entry(leaf).map_or(0, |entry| entry.line())),
        };
        let own = if session.leaf() == Some(leaf) { ", the leaf" } else { "" };
        Ok(Input::Branch(path.to_owned(), leaf, format!("{name} ({what}{own})")))
    };
    Ok(leaves.into_iter().map(branch).collect())
}

/// The entries on which no other hangs.
fn leaves(session: &Session, tree: &Tree) -> Vec<usize> {
    let mut leaves = Vec::new();
    let mut open: Vec<usize> = tree.roots().collect();
    let mut seen = vec![false; session.len()];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        let before = open.len();
        open.extend(tree.children(at));
        if open.len() == before {
            leaves.push(at);
        }
    }
    leaves.sort_unstable();
    leaves
}
