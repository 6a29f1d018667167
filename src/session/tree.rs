//! Parent links: branches, cycles, the tree as a whole (session.md S3).

use crate::clock::parse_iso_time;
use crate::text::JsString;
use crate::text::json::Value;

use super::Session;
use super::error::SessionError;
use super::index::Index;

/// The entries from `from` up to its root, nearest first. Stops at the first entry met twice.
fn ancestry(index: &Index, from: usize) -> Vec<u32> {
    let mut seen = vec![0_u64; index.rows.len() / 64 + 1];
    let mut path = Vec::new();
    let mut next = Some(from);
    while let Some(at) = next {
        if at >= index.rows.len() || seen[at / 64] >> (at % 64) & 1 == 1 {
            break;
        }
        seen[at / 64] |= 1 << (at % 64);
        path.push(at as u32);
        next = index.parent(at);
    }
    path
}

/// The first entry of each cycle, in file order.
pub(super) fn cycles(index: &Index) -> Vec<usize> {
    let count = index.rows.len();
    // Where every parent stands before its child there is no cycle.
    if (0..count).all(|at| index.parent(at).is_none_or(|parent| parent < at)) {
        return Vec::new();
    }
    let mut visited_by = vec![0_u32; count];
    let mut found = Vec::new();
    for start in 0..count {
        let walk = start as u32 + 1;
        let mut at = start;
        while visited_by[at] == 0 {
            visited_by[at] = walk;
            match index.parent(at) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        if visited_by[at] == walk && index.parent(at).is_some() {
            let (first, mut next) = (at, index.parent(at));
            let mut smallest = first;
            while let Some(at) = next.filter(|at| *at != first) {
                smallest = smallest.min(at);
                next = index.parent(at);
            }
            found.push(smallest);
        }
    }
    found.sort_unstable();
    found
}

/// The whole tree of a session (session.md S3.6).
#[derive(Debug)]
pub struct Tree {
    roots: Vec<u32>,
    /// Children of entry `at`: `children[starts[at]..starts[at + 1]]`.
    starts: Vec<u32>,
    children: Vec<u32>,
}

impl Tree {
    /// Builds the tree: roots in file order, children by time stamp.
    ///
    /// An entry whose id a later entry has again stands in no tree, as in the agent's.
    ///
    /// # Errors
    /// When the time stamps of siblings cannot be read from the file.
    pub fn new(session: &Session) -> Result<Self, SessionError> {
        let index = &session.index;
        let count = index.rows.len();
        let counts_once = |at: &usize| session.stands_for_itself(*at);
        let parent = |at: usize| index.parent(at).filter(|parent| *parent != at);
        let mut starts = vec![0_u32; count + 1];
        let (mut roots, mut members) = (Vec::new(), 0_u32);
        for at in (0..count).filter(counts_once) {
            match parent(at) {
                Some(parent) => {
                    starts[parent + 1] += 1;
                    members += 1;
                }
                None => roots.push(at as u32),
            }
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut filled = starts.clone();
        let mut children = vec![0_u32; members as usize];
        for at in (0..count).filter(counts_once) {
            if let Some(parent) = parent(at) {
                children[filled[parent] as usize] = at as u32;
                filled[parent] += 1;
            }
        }
        let mut tree = Self { roots, starts, children };
        for at in 0..count {
            let range = tree.range(at);
            if range.len() > 1 {
                let mut timed = Vec::with_capacity(range.len());
                for child in &tree.children[range.clone()] {
                    timed.push((session.timestamp_ms(*child as usize)?.unwrap_or(i64::MAX), *child));
                }
                timed.sort_by_key(|(time, _)| *time);
                for (slot, (_, child)) in tree.children[range].iter_mut().zip(timed) {
                    *slot = child;
                }
            }
        }
        Ok(tree)
    }

    fn range(&self, at: usize) -> std::ops::Range<usize> {
        self.starts[at] as usize..self.starts[at + 1] as usize
    }

    /// Entries without a parent in the file, in file order.
    pub fn roots(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.roots.iter().map(|at| *at as usize)
    }

    /// The children of an entry, by time stamp.
    pub fn children(&self, at: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let range = if at + 1 < self.starts.len() { self.range(at) } else { 0..0 };
        self.children[range].iter().map(|at| *at as usize)
    }
}

impl Session {
    /// Whether looking the entry's id up gives this entry; an entry without id stands for itself.
    pub(super) fn stands_for_itself(&self, at: usize) -> bool {
        self.index.last_of_same_id(at) == at
    }

    /// The entries from the root to `leaf`, by index (session.md S3.3). Where an id was used twice, the later entry
    /// stands on the path.
    pub fn branch(&self, leaf: Option<usize>) -> Vec<usize> {
        self.path(leaf).into_iter().map(|at| at as usize).collect()
    }

    /// [`Session::branch`] in half the memory.
    pub(crate) fn path(&self, leaf: Option<usize>) -> Vec<u32> {
        let Some(leaf) = leaf.filter(|at| *at < self.index.rows.len()) else { return Vec::new() };
        let mut path = ancestry(&self.index, leaf);
        path.reverse();
        path
    }

    /// The time stamp of an entry in milliseconds since the epoch.
    ///
    /// # Errors
    /// When the entry cannot be read from the file.
    pub fn timestamp_ms(&self, at: usize) -> Result<Option<i64>, SessionError> {
        let value = self.value(at)?;
        let text = value.get("timestamp").and_then(Value::as_string).and_then(JsString::to_utf8);
        Ok(text.and_then(|text| parse_iso_time(&text)))
    }

    /// The labels in force by target id: the last in file order counts, an empty one removes (session.md S3.5).
    ///
    /// # Errors
    /// When a label cannot be read from the file.
    pub fn labels(&self) -> Result<std::collections::BTreeMap<JsString, JsString>, SessionError> {
        let mut labels = std::collections::BTreeMap::new();
        for entry in self.entries().filter(|entry| entry.kind() == Some(super::EntryKind::Label)) {
            let value = entry.value()?;
            let Some(target) = value.get("targetId").and_then(Value::as_string) else { continue };
            match value.get("label").and_then(Value::as_string).filter(|label| !label.is_empty()) {
                Some(label) => labels.insert(target.clone(), label.clone()),
                None => labels.remove(target),
            };
        }
        Ok(labels)
    }
}
