//! Random stories, told three times: as a script, as the event stream that the script's run emits, and as the session
//! that it writes. All three give the same decisions, entries and rules in force, in three generations.
//!
//! `TTSR_SEED` and `TTSR_STORIES` set the first seed and the number of stories; `TTSR_KEEP` names a folder in which the
//! files of failing stories stay.

mod compare;
mod tell;

use std::path::{Path, PathBuf};

use tell::{Random, Story};

/// The generations that a script can be told in.
const LIFECYCLES: [&str; 3] = ["v1", "v2", "v3"];

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn stories() {
    let seed = number("TTSR_SEED", 1);
    let count = number("TTSR_STORIES", if cfg!(debug_assertions) { 50 } else { 1000 });
    println!("stories: seed {seed}, {count} stories");
    let keep = std::env::var_os("TTSR_KEEP").map(PathBuf::from);
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(4) as u64;
    let told: Vec<(compare::Seen, Vec<String>)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let keep = keep.as_deref();
                scope.spawn(move || {
                    let (mut seen, mut failures) = (compare::Seen::default(), Vec::new());
                    for at in (worker..count).step_by(workers as usize) {
                        tell(seed + at, keep, &mut seen, &mut failures);
                    }
                    (seen, failures)
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().expect("a worker")).collect()
    });
    let (mut seen, mut failures) = (compare::Seen::default(), Vec::new());
    for (own, failed) in told {
        seen.add(&own);
        failures.extend(failed);
    }
    println!("stories: {seen:?}");
    for failure in failures.iter().take(20) {
        println!("  {failure}");
    }
    assert!(failures.is_empty(), "{} of {} stories failed", failures.len(), count * 3);
    // Stories in which nothing happens would prove nothing.
    if count >= 50 {
        seen.assert_varied();
    }
}

fn tell(seed: u64, keep: Option<&Path>, seen: &mut compare::Seen, failures: &mut Vec<String>) {
    let story = Story::random(&mut Random::new(seed));
    for lifecycle in LIFECYCLES {
        let folder = tempfile::tempdir().expect("a folder");
        let told = compare::tell(&story, lifecycle, folder.path(), seen);
        if let Err(why) = told {
            failures.push(format!("seed {seed}, {lifecycle}: {why}"));
            if let Some(keep) = keep {
                let target = keep.join(format!("{seed}-{lifecycle}"));
                let _ = std::fs::remove_dir_all(&target);
                copy(folder.path(), &target);
            }
        }
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
        }
    }
}
