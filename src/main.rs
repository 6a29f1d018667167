//! The `ttsr` binary.

fn main() {}
