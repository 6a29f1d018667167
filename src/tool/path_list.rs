//! [`PathList`]: the paths of a call, kept between inspections.

use std::collections::{BTreeMap, HashSet};

use super::partial::{Node, PartialJson};
use super::paths;
use crate::text::JsString;
use crate::text::json::Value;

/// The paths that a call names, and the candidates made of them.
#[derive(Debug, Default)]
pub(super) struct PathList {
    named: Vec<JsString>,
    /// What `candidates` was made of.
    expanded: Option<Vec<JsString>>,
    candidates: Vec<JsString>,
    /// Path-like arguments that are complete, by member index.
    arguments: BTreeMap<usize, Vec<JsString>>,
    /// These and the one that grew last, in order.
    all_arguments: Vec<JsString>,
    is_growing: bool,
}

impl PathList {
    /// The named paths; none when there is none.
    pub(super) fn get(&self) -> Option<&[JsString]> {
        (!self.named.is_empty()).then_some(&self.named)
    }

    /// Replaces the named paths.
    pub(super) fn set<'a>(&mut self, paths: impl Iterator<Item = &'a JsString>) {
        let mut kept = 0;
        for path in paths {
            match self.named.get_mut(kept) {
                Some(known) if known == path => {}
                Some(known) => known.clone_from(path),
                None => self.named.push(path.clone()),
            }
            kept += 1;
        }
        self.named.truncate(kept);
    }

    /// The candidates that were made last; none when there is none.
    pub(super) fn candidates(&self) -> Option<&[JsString]> {
        (!self.candidates.is_empty()).then_some(&self.candidates)
    }

    /// Makes the candidates of the named paths, else of `arguments`, without repeats.
    pub(super) fn expand(&mut self, arguments: &[JsString], cwd: &JsString) {
        let wanted = if self.named.iter().all(JsString::is_blank) { arguments } else { &self.named };
        if self.expanded.as_deref() != Some(wanted) {
            self.expanded = Some(wanted.to_vec());
            let (mut seen_paths, mut seen) = (HashSet::new(), HashSet::new());
            let distinct = wanted.iter().filter(|path| seen_paths.insert(*path));
            let candidates = distinct.flat_map(|path| paths::candidates(path, cwd));
            self.candidates = candidates.filter(|path| seen.insert(path.clone())).collect();
        }
    }

    /// As [`PathList::expand`], with the path-like arguments of an object that still grows; `changed` are the members
    /// completed since the last call.
    pub(super) fn expand_growing(&mut self, reader: &PartialJson, changed: &[usize], cwd: &JsString) {
        let mut is_new = false;
        for &at in changed {
            if let Some((key, value)) = reader.top_member(at)
                && paths::is_path_key(key)
            {
                self.arguments.insert(at, paths::of_argument(key, value));
                is_new = true;
            }
        }
        let growing = reader.top_growing().filter(|(key, _)| paths::is_path_key(key));
        let was_growing = std::mem::replace(&mut self.is_growing, growing.is_some());
        if is_new || was_growing || growing.is_some() {
            let growing = growing.map(|(key, node)| paths::of_argument(key, &growing_value(node)));
            self.all_arguments =
                self.arguments.values().flatten().cloned().chain(growing.into_iter().flatten()).collect();
        }
        let arguments = std::mem::take(&mut self.all_arguments);
        self.expand(&arguments, cwd);
        self.all_arguments = arguments;
    }
}

fn growing_value(node: Node<'_>) -> Value {
    if let Some((complete, growing)) = node.items() {
        let last = growing.and_then(Node::to_text).map(Value::String);
        return Value::Array(complete.iter().cloned().chain(last).collect());
    }
    node.to_text().map_or(Value::Null, Value::String)
}
