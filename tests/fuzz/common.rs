//! What the programs share: the targets of the tests, and what those lean on.

#[path = "../fuzz_targets/mod.rs"]
pub mod fuzz_targets;
#[path = "globs.rs"]
pub mod globs;
#[path = "support.rs"]
pub mod support;

/// Calls the target of this name.
pub fn run(name: &str, bytes: &[u8]) {
    let target = fuzz_targets::TARGETS.iter().find(|target| target.name == name);
    (target.expect("a target").run)(bytes);
}
