//! What the backtracker has tried in vain. A way that comes to the same place with the same living registers as one
//! before goes on like it, and is cut; so patterns whose ways multiply are decided all the same.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use crate::pattern::hash::WordHasher;

/// Words of a key: the instruction, the place, the living registers.
const WORDS: usize = 14;

/// The most keys that are kept at a time.
const MOST: usize = 1 << 19;

/// A state of the backtracker, as far as it matters for what follows.
pub(crate) type Key = [u32; WORDS];

/// Collects the words of a key; nothing when they do not fit.
pub(crate) struct KeyMaker {
    key: Key,
    length: usize,
}

impl KeyMaker {
    pub(crate) fn new(pc: usize, at: usize, tentative: bool) -> Self {
        let mut key = [0; WORDS];
        key[0] = (pc as u32) << 1 | u32::from(tentative);
        key[1] = at as u32;
        Self { key, length: 2 }
    }

    pub(crate) fn push(&mut self, word: u32) -> Option<()> {
        *self.key.get_mut(self.length)? = word;
        self.length += 1;
        Some(())
    }

    pub(crate) fn key(self) -> Key {
        self.key
    }
}

/// The keys seen.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    seen: HashSet<Key, BuildHasherDefault<WordHasher>>,
    /// Keys seen in look-arounds that are open.
    inside: Vec<Key>,
}

impl Memo {
    /// Adds a key; false when it is there already.
    pub(crate) fn add(&mut self, key: Key, in_look: bool) -> bool {
        if self.seen.len() >= MOST {
            // To forget costs time, not truth.
            self.seen.clear();
        }
        let is_new = self.seen.insert(key);
        if is_new && in_look {
            self.inside.push(key);
        }
        is_new
    }

    /// A mark for [`Self::close`].
    pub(crate) fn open(&self) -> usize {
        self.inside.len()
    }

    /// Ends a look-around. What was seen in it is forgotten unless all of it was in vain, whatever text follows.
    pub(crate) fn close(&mut self, mark: usize, in_vain: bool, is_outermost: bool) {
        if !in_vain {
            for key in self.inside.drain(mark.min(self.inside.len())..) {
                self.seen.remove(&key);
            }
        } else if is_outermost {
            self.inside.clear();
        }
    }
}
