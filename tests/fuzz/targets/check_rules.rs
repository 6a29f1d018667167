#![no_main]

#[path = "../common.rs"]
mod common;
use common::{globs, support};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| common::run("check_rules", bytes));
