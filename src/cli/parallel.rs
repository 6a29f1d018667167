//! [`in_order`]: many inputs at the same time, told of in their order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// So many inputs a job may be ahead of the one that is told of next, so that memory does not grow with their number.
const AHEAD: usize = 4;

/// The side that tells: it runs on the thread of the caller.
pub(super) trait Desk<K, P, R, E> {
    /// Makes what the work on some inputs needs, the first time that one needs it.
    fn provide(&mut self, key: K) -> Result<P, E>;

    /// Takes what came of the next input; gives whether there is any use in more.
    fn take(&mut self, result: R) -> bool;
}

enum Word<K, R> {
    Needs(K),
    Done(usize, R),
}

/// What the jobs share.
struct Shared<K, P> {
    next: AtomicUsize,
    stopped: AtomicBool,
    /// Number of inputs that were told of, and what was provided.
    state: Mutex<(usize, BTreeMap<K, P>)>,
    changed: Condvar,
}

impl<K, P> Shared<K, P> {
    fn lock(&self) -> MutexGuard<'_, (usize, BTreeMap<K, P>)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change; nothing when the work is to end.
    fn wait<'a>(
        &self,
        state: MutexGuard<'a, (usize, BTreeMap<K, P>)>,
    ) -> Option<MutexGuard<'a, (usize, BTreeMap<K, P>)>> {
        if self.stopped.load(Ordering::SeqCst) {
            return None;
        }
        let state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        (!self.stopped.load(Ordering::SeqCst)).then_some(state)
    }

    fn stop(&self) {
        // Under the lock, so that nobody begins to wait behind it.
        let _state = self.lock();
        self.stopped.store(true, Ordering::SeqCst);
        self.changed.notify_all();
    }
}

/// Ends the work when the thread that tells is done, even by a panic.
struct Stop<'a, K, P>(&'a Shared<K, P>);

impl<K, P> Drop for Stop<'_, K, P> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Works on `items` in `jobs` threads, none of which waits for another as long as the order allows it. `work` may ask
/// for what the desk provides; when it is given nothing, the work ends.
///
/// # Errors
/// When something cannot be provided; nothing is told from then on.
pub(super) fn in_order<T: Sync, K: Ord + Copy + Send, P: Clone + Send, R: Send, E>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T, &dyn Fn(K) -> Option<P>) -> Option<R> + Sync,
    desk: &mut impl Desk<K, P, R, E>,
) -> Result<(), E> {
    let shared: Shared<K, P> = Shared {
        next: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
        state: Mutex::new((0, BTreeMap::new())),
        changed: Condvar::new(),
    };
    let (sender, words) = channel();
    std::thread::scope(|scope| {
        let _stop = Stop(&shared);
        for _ in 0..jobs {
            let (shared, work, sender) = (&shared, &work, sender.clone());
            scope.spawn(move || job(items, jobs * AHEAD, shared, work, &sender));
        }
        drop(sender);
        let mut done: BTreeMap<usize, R> = BTreeMap::new();
        let mut told = 0;
        for word in words {
            match word {
                Word::Needs(key) => {
                    // It is made without the lock: the jobs go on.
                    let is_new = !shared.lock().1.contains_key(&key);
                    if is_new {
                        let provided = desk.provide(key)?;
                        shared.lock().1.insert(key, provided);
                    }
                }
                Word::Done(at, result) => {
                    done.insert(at, result);
                    while let Some(result) = done.remove(&told) {
                        told += 1;
                        if !desk.take(result) {
                            return Ok(());
                        }
                    }
                    shared.lock().0 = told;
                }
            }
            shared.changed.notify_all();
        }
        Ok(())
    })
}

/// One thread: an input after the other.
fn job<T, K: Ord + Copy, P: Clone, R>(
    items: &[T],
    ahead: usize,
    shared: &Shared<K, P>,
    work: &impl Fn(&T, &dyn Fn(K) -> Option<P>) -> Option<R>,
    words: &Sender<Word<K, R>>,
) {
    let provided = |key: K| {
        let mut state = shared.lock();
        if !state.1.contains_key(&key) {
            words.send(Word::Needs(key)).ok()?;
        }
        loop {
            if let Some(provided) = state.1.get(&key) {
                return Some(provided.clone());
            }
            state = shared.wait(state)?;
        }
    };
    loop {
        let at = shared.next.fetch_add(1, Ordering::SeqCst);
        let Some(item) = items.get(at) else { return };
        let mut state = shared.lock();
        while at >= state.0 + ahead {
            let Some(changed) = shared.wait(state) else { return };
            state = changed;
        }
        drop(state);
        if shared.stopped.load(Ordering::SeqCst) {
            return;
        }
        let Some(result) = work(item, &provided) else { return };
        if words.send(Word::Done(at, result)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Told {
        provided: Vec<usize>,
        taken: Vec<usize>,
        enough: Option<usize>,
    }

    impl Desk<usize, usize, usize, String> for Told {
        fn provide(&mut self, key: usize) -> Result<usize, String> {
            self.provided.push(key);
            if key == 9 { Err("nine".to_owned()) } else { Ok(key * 100) }
        }

        fn take(&mut self, result: usize) -> bool {
            self.taken.push(result);
            self.enough != Some(self.taken.len())
        }
    }

    fn work(item: &usize, provided: &dyn Fn(usize) -> Option<usize>) -> Option<usize> {
        // Early items take longest.
        std::thread::sleep(std::time::Duration::from_micros(if item.is_multiple_of(7) { 900 } else { 10 }));
        Some(provided(item % 10)? + item)
    }

    #[test]
    fn what_is_done_at_the_same_time_is_told_in_order() {
        for jobs in [1, 2, 5] {
            let items: Vec<usize> = (0..200).filter(|item| item % 10 != 9).collect();
            let mut told = Told::default();
            assert_eq!(in_order(&items, jobs, work, &mut told), Ok(()));
            assert_eq!(told.taken, items.iter().map(|item| item % 10 * 100 + item).collect::<Vec<_>>());
            told.provided.sort_unstable();
            assert_eq!(told.provided, [0, 1, 2, 3, 4, 5, 6, 7, 8], "each once");
        }
    }

    #[test]
    fn an_error_and_an_end_stop_all_jobs() {
        let items: Vec<usize> = (0..1000).collect();
        let mut told = Told::default();
        assert_eq!(in_order(&items, 3, work, &mut told), Err("nine".to_owned()));
        assert!(told.taken.len() < 10);
        let mut told = Told { enough: Some(5), ..Told::default() };
        assert_eq!(in_order(&[0, 1, 2, 3, 4, 5, 6, 7, 8], 3, work, &mut told), Ok(()));
        assert_eq!(told.taken.len(), 5);
    }
}
