//! [`Timeline`]: virtual time. Nothing sleeps; what is due comes out in order of due time, then of scheduling.

use std::collections::BTreeMap;

/// An ordered queue of tasks in virtual time, in milliseconds from its start.
///
/// A host advances it like this, so that tasks which a due task schedules come in turn:
/// ```
/// # use ttsr::lifecycle::timer::Timeline;
/// let mut timeline = Timeline::new();
/// timeline.schedule(50, "retry");
/// timeline.schedule(1, "continue");
/// let until = timeline.now() + 60;
/// let mut seen = Vec::new();
/// while let Some(task) = timeline.pop_due(until) {
///     seen.push((timeline.now(), task));
/// }
/// timeline.move_to(until);
/// assert_eq!(seen, [(1, "continue"), (50, "retry")]);
/// ```
#[derive(Clone, Debug)]
pub struct Timeline<T> {
    now: u64,
    next: u64,
    tasks: BTreeMap<(u64, u64), T>,
}

impl<T> Default for Timeline<T> {
    fn default() -> Self {
        Self { now: 0, next: 0, tasks: BTreeMap::new() }
    }
}

impl<T> Timeline<T> {
    /// An empty timeline at time 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// The present.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Plans a task `delay` milliseconds from now.
    pub fn schedule(&mut self, delay: u64, task: T) {
        self.tasks.insert((self.now.saturating_add(delay), self.next), task);
        self.next += 1;
    }

    /// When the next task is due.
    pub fn next_due(&self) -> Option<u64> {
        self.tasks.keys().next().map(|&(due, _)| due)
    }

    /// Takes the next task that is due at or before `until` and moves the present to its time.
    pub fn pop_due(&mut self, until: u64) -> Option<T> {
        let entry = self.tasks.first_entry().filter(|entry| entry.key().0 <= until)?;
        let ((due, _), task) = entry.remove_entry();
        self.now = self.now.max(due);
        Some(task)
    }

    /// Keeps the tasks that `keep` wants, by due time and task.
    pub fn retain(&mut self, mut keep: impl FnMut(u64, &T) -> bool) {
        self.tasks.retain(|&(due, _), task| keep(due, task));
    }

    /// Moves the present forward; never back.
    pub fn move_to(&mut self, time: u64) {
        self.now = self.now.max(time);
    }

    /// Advances by `ms` and gives the tasks due by then, for hosts whose tasks schedule nothing.
    #[cfg(feature = "internals")]
    pub fn advance(&mut self, ms: u64) -> Vec<T> {
        let until = self.now.saturating_add(ms);
        let due = std::iter::from_fn(|| self.pop_due(until)).collect();
        self.move_to(until);
        due
    }

    /// Whether nothing is planned.
    #[cfg(feature = "internals")]
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_keep_the_order_of_scheduling() {
        let mut timeline = Timeline::new();
        for name in ["a", "b", "c"] {
            timeline.schedule(5, name);
        }
        timeline.schedule(4, "first");
        assert!(timeline.advance(3).is_empty());
        assert_eq!(timeline.next_due(), Some(4));
        assert_eq!(timeline.advance(2), ["first", "a", "b", "c"]);
        assert_eq!((timeline.now(), timeline.is_empty()), (5, true));
    }
}
