//! Which session came from which, and the order in which the sessions of a project came about (session.md S6.6).

use crate::text::JsString;
use crate::text::json::{Value, parse};

use super::survey::milliseconds;

/// What the header of a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The file as it was named.
    pub file: String,
    /// The session's id.
    pub id: Option<JsString>,
    /// Its working directory.
    pub cwd: Option<JsString>,
    /// When it began, in milliseconds since the epoch.
    pub time: Option<i64>,
    /// What it came from: an id or a path.
    pub parent: Option<String>,
}

impl Head {
    /// Takes the header from a line; false when the line is none.
    pub fn read(&mut self, line: &[u8]) -> bool {
        let text = String::from_utf8_lossy(line);
        let Ok(record) = parse(text.trim_start_matches('\u{feff}').trim()) else { return false };
        let text = |key: &str| record.get(key).and_then(Value::as_string);
        if text("type").is_none_or(|kind| *kind != "session") {
            return false;
        }
        self.id = text("id").cloned();
        self.cwd = text("cwd").cloned();
        self.time = text("timestamp").and_then(milliseconds);
        self.parent = text("parentSession").map(JsString::to_string_lossy);
        true
    }

    /// Whether a `parentSession` names this session: by its id, or by its file wherever it lies now.
    pub fn is_named(&self, parent: &str) -> bool {
        let base = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        self.id.as_ref().is_some_and(|id| *id == parent) || is_path(parent) && base(parent) == base(&self.file)
    }
}

/// Whether a `parentSession` is a path, not an id.
pub fn is_path(parent: &str) -> bool {
    parent.contains(['/', '\\']) || parent.ends_with(".jsonl")
}

/// The order in which the sessions came about: project by project, in each by time, none before the one that it came
/// from.
pub fn order(heads: &[Head]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..heads.len()).collect();
    let key = |at: &usize| heads.get(*at).map(|head| (head.cwd.clone(), head.time, head.file.clone()));
    order.sort_by_key(key);
    // By id and by base name, so that looking parents up does not take the square of their number.
    let mut places: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    for (at, head) in heads.iter().enumerate() {
        let base = head.file.rsplit(['/', '\\']).next().unwrap_or_default();
        places.insert(base.to_owned(), at);
        places.extend(head.id.as_ref().map(|id| (id.to_string_lossy(), at)));
    }
    let parent_of = |at: usize| {
        let parent = heads.get(at)?.parent.as_deref()?;
        let name = if is_path(parent) { parent.rsplit(['/', '\\']).next()? } else { parent };
        places.get(name).copied().filter(|found| *found != at)
    };
    let (mut sorted, mut done) = (Vec::with_capacity(heads.len()), vec![false; heads.len()]);
    for at in order {
        // The ancestors that are still to come; a circle ends where it would repeat.
        let (mut chain, mut next) = (Vec::new(), Some(at));
        while let Some(one) = next.filter(|one| done.get(*one) == Some(&false) && !chain.contains(one)) {
            chain.push(one);
            let same =
                |parent: &usize| heads.get(*parent).map(|head| &head.cwd) == heads.get(one).map(|head| &head.cwd);
            next = parent_of(one).filter(same);
        }
        for one in chain.into_iter().rev() {
            if let Some(done) = done.get_mut(one) {
                *done = true;
            }
            sorted.push(one);
        }
    }
    sorted
}
