//! The rules that were injected on a branch (session.md S4.3, S5.2).

use std::collections::HashSet;

use crate::text::JsString;
use crate::text::json::Value;

use super::error::SessionError;
use super::{EntryKind, ReadMode, Session};

impl Session {
    /// The names of the `ttsr_injection` entries on the branch of `leaf`, first occurrence first: what a resume there
    /// restores. Elements that are no strings are left out.
    ///
    /// # Errors
    /// When an entry cannot be read; in faithful mode also when the agent raises on one.
    pub fn injected_rules(&self, leaf: Option<usize>) -> Result<Vec<JsString>, SessionError> {
        let values = self.injected_values(leaf)?;
        Ok(values
            .into_iter()
            .filter_map(|value| if let Value::String(name) = value { Some(name) } else { None })
            .collect())
    }

    /// Like [`Session::injected_rules`], with elements of any kind.
    ///
    /// # Errors
    /// As [`Session::injected_rules`].
    pub fn injected_values(&self, leaf: Option<usize>) -> Result<Vec<Value>, SessionError> {
        self.injected_on(&self.path(leaf))
    }

    pub(super) fn injected_on(&self, path: &[u32]) -> Result<Vec<Value>, SessionError> {
        let mut set = OrderedSet::default();
        let path = path.iter().map(|at| *at as usize);
        for at in path.filter(|at| self.index.kind(*at) == Some(EntryKind::TtsrInjection)) {
            match self.value(at)?.get("injectedRules") {
                Some(Value::Array(items)) => items.iter().cloned().for_each(|item| set.add(item)),
                _ if self.mode == ReadMode::Tolerant => {}
                Some(Value::String(text)) => {
                    for character in char::decode_utf16(text.units().iter().copied()) {
                        let mut one = JsString::new();
                        match character {
                            Ok(character) => one.push_str(character.encode_utf8(&mut [0; 4])),
                            Err(lone) => one.push_units(&[lone.unpaired_surrogate()]),
                        }
                        set.add(Value::String(one));
                    }
                }
                _ => {
                    let line = self.index.rows[at].line as usize;
                    return Err(SessionError::Raises { line, message: "`injectedRules` cannot be iterated" });
                }
            }
        }
        Ok(set.items)
    }
}

/// A set in order of insertion, with the equality of an ECMAScript `Set`.
#[derive(Default)]
struct OrderedSet {
    items: Vec<Value>,
    strings: HashSet<JsString>,
    numbers: HashSet<u64>,
    /// `null`, `true` and `false`.
    words: HashSet<Option<bool>>,
}

impl OrderedSet {
    fn add(&mut self, item: Value) {
        let known = match &item {
            Value::String(text) => !self.strings.insert(text.clone()),
            // Adding zero makes one of the two zeros.
            Value::Number(_) => !self.numbers.insert((item.as_f64().unwrap_or(f64::NAN) + 0.0).to_bits()),
            Value::Null | Value::Bool(_) => !self.words.insert(item.as_bool()),
            // Each list and object is another one.
            Value::Array(_) | Value::Object(_) => false,
        };
        if !known {
            self.items.push(item);
        }
    }
}
