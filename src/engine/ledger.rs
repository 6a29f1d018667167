//! [`Ledger`]: turn counter and last injection per rule name (engine.md E8).

use std::collections::HashMap;

use crate::settings::{RepeatMode, Settings};
use crate::text::JsString;

/// The record of a rule that was injected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// Turn ends counted when the record was made.
    pub turn: u64,
    /// Whether the record comes from an earlier session, not from this run.
    pub restored: bool,
    /// Tells marks apart that were made at the same turn.
    mark: u64,
}

/// Turn counter and last injection per rule name.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    turns: u64,
    marks: u64,
    order: Vec<JsString>,
    records: HashMap<JsString, Record>,
}

impl Ledger {
    /// Counts one turn end.
    pub fn turn_end(&mut self) {
        self.turns += 1;
    }

    /// Turn ends counted.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// Records names as injected now. Names are trimmed, blank ones dropped.
    pub fn mark(&mut self, names: impl IntoIterator<Item = JsString>) {
        for name in names.into_iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
            self.marks += 1;
            self.put(name, Record { turn: self.turns, restored: false, mark: self.marks });
        }
    }

    /// Records names that an earlier session injected, at turn 0; they are not trimmed.
    pub fn restore(&mut self, names: impl IntoIterator<Item = JsString>) {
        for name in names {
            self.marks += 1;
            self.put(name, Record { turn: 0, restored: true, mark: self.marks });
        }
    }

    /// Forgets all records; the turn counter stays.
    pub fn forget(&mut self) {
        self.order.clear();
        self.records.clear();
    }

    /// Takes back the mark that left `after`, so that the record is again what it was `before` (engine.md E11 G33). A
    /// mark made since then stays.
    pub fn undo(&mut self, name: &JsString, before: Option<Record>, after: Option<Record>) {
        if self.record(name) != after {
            return;
        }
        match before {
            Some(record) => self.put(name.clone(), record),
            None => {
                self.records.remove(name);
                self.order.retain(|one| one != name);
            }
        }
    }

    /// The record of `name`.
    pub fn record(&self, name: &JsString) -> Option<Record> {
        self.records.get(name).copied()
    }

    /// Names with a record, in the order of their first one.
    #[cfg(feature = "internals")]
    pub fn injected(&self) -> &[JsString] {
        &self.order
    }

    /// Whether the repeat policy lets the rule trigger now.
    pub fn allows(&self, name: &JsString, settings: &Settings) -> bool {
        let Some(record) = self.record(name) else { return true };
        match settings.repeat_mode {
            RepeatMode::Once => false,
            RepeatMode::AfterGap => self.turns.saturating_sub(record.turn) as f64 >= settings.repeat_gap,
        }
    }

    fn put(&mut self, name: JsString, record: Record) {
        if self.records.insert(name.clone(), record).is_none() {
            self.order.push(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(repeat_gap: f64) -> Settings {
        Settings { repeat_mode: RepeatMode::AfterGap, repeat_gap, ..Settings::default() }
    }

    #[test]
    fn a_gap_of_two_waits_for_two_turn_ends() {
        let (name, settings) = (JsString::from("r"), gap(2.0));
        let mut ledger = Ledger::default();
        ledger.mark([name.clone()]);
        let mut answers = Vec::new();
        for _ in 0..4 {
            answers.push(ledger.allows(&name, &settings));
            ledger.turn_end();
        }
        assert_eq!(answers, [false, false, true, true]);
    }

    #[test]
    fn restored_names_are_kept_as_written_and_marked_ones_trimmed() {
        let mut ledger = Ledger::default();
        ledger.restore([JsString::from(" r ")]);
        ledger.mark([JsString::from(" r "), JsString::from(" ")]);
        assert_eq!(ledger.injected(), [JsString::from(" r "), JsString::from("r")]);
        assert!(!ledger.allows(&JsString::from("r"), &Settings::default()));
        assert!(ledger.allows(&JsString::from("r"), &gap(0.0)));
    }

    #[test]
    fn an_undone_mark_leaves_what_stood_before() {
        let name = JsString::from("r");
        let mut ledger = Ledger::default();
        ledger.mark([name.clone()]);
        ledger.undo(&name, None, ledger.record(&name));
        assert!(ledger.injected().is_empty() && ledger.record(&name).is_none());
        ledger.mark([name.clone()]);
        let before = ledger.record(&name);
        ledger.turn_end();
        ledger.mark([name.clone()]);
        ledger.undo(&name, before, ledger.record(&name));
        assert_eq!(ledger.record(&name), before);
    }

    #[test]
    fn a_mark_made_since_is_not_undone() {
        let name = JsString::from("r");
        let mut ledger = Ledger::default();
        ledger.mark([name.clone()]);
        let fold = ledger.record(&name);
        ledger.mark([name.clone()]);
        ledger.undo(&name, None, fold);
        assert!(ledger.record(&name).is_some());
    }
}
