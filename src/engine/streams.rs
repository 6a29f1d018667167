//! [`Keyed`]: what is kept for each buffer key, quick to find again.

use std::collections::HashMap;

use crate::text::JsString;

/// Values by buffer key. The one that was asked for last is found without looking for it: a stream mostly goes on where
/// it was.
#[derive(Debug)]
pub(super) struct Keyed<V> {
    values: Vec<(JsString, V)>,
    by_key: HashMap<JsString, usize>,
    last: usize,
}

impl<V> Default for Keyed<V> {
    fn default() -> Self {
        Self { values: Vec::new(), by_key: HashMap::new(), last: 0 }
    }
}

impl<V: Default> Keyed<V> {
    /// The value of a key.
    pub(super) fn get(&self, key: &JsString) -> Option<&V> {
        let at = self.find(key)?;
        self.values.get(at).map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    pub(super) fn get_mut(&mut self, key: &JsString) -> Option<&mut V> {
        self.last = self.find(key)?;
        self.values.get_mut(self.last).map(|(_, value)| value)
    }

    /// The value of a key, an empty one if there is none.
    pub(super) fn entry(&mut self, key: &JsString) -> &mut V {
        let at = self.find(key).unwrap_or_else(|| {
            self.by_key.insert(key.clone(), self.values.len());
            self.values.push((key.clone(), V::default()));
            self.values.len() - 1
        });
        self.last = at;
        &mut self.values[at].1
    }

    /// Removes everything.
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.by_key.clear();
    }

    fn find(&self, key: &JsString) -> Option<usize> {
        if self.values.get(self.last).is_some_and(|(last, _)| last == key) {
            return Some(self.last);
        }
        self.by_key.get(key).copied()
    }
}
