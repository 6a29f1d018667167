//! The whole program run inside the test process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use ttsr::cli::{Surroundings, run};

use super::forms;

/// What a run of the program gave.
#[derive(Debug)]
pub struct Outcome {
    /// Exit status.
    pub status: u8,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Runs `ttsr` with these arguments in a surrounding without terminal, home and variables; by `v3` unless they name a
/// generation, so that no test depends on what `auto` makes of its input.
pub fn ttsr<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Outcome {
    const COMMANDS: [&str; 4] = ["replay", "check-rules", "inspect-session", "handoff"];
    let mut arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let is_command = arguments.first().is_some_and(|first| COMMANDS.iter().any(|command| first == command));
    if is_command && !arguments.iter().any(|argument| argument == "--lifecycle") {
        arguments.extend(["--lifecycle", "v3"].map(OsString::from));
    }
    ttsr_with(arguments, b"", &surroundings())
}

/// As [`ttsr`], with the generation that the input shows.
pub fn ttsr_auto<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Outcome {
    ttsr_with(arguments, b"", &surroundings())
}

/// A surrounding without terminal, home and variables.
pub fn surroundings() -> Surroundings {
    Surroundings {
        cwd: PathBuf::from(env!("CARGO_MANIFEST_DIR")),
        home: None,
        vars: BTreeMap::new(),
        stdout_width: None,
        stderr_width: None,
    }
}

/// Runs `ttsr` with standard input and surroundings.
pub fn ttsr_with<A: Into<OsString>>(
    arguments: impl IntoIterator<Item = A>,
    mut input: &[u8],
    surroundings: &Surroundings,
) -> Outcome {
    let arguments = std::iter::once(OsString::from("ttsr")).chain(arguments.into_iter().map(Into::into));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = run(arguments, &mut input, &mut out, &mut err, surroundings);
    let out = String::from_utf8(out).expect("the output is UTF-8");
    forms::check(&out);
    Outcome { status: status.code(), out, err: String::from_utf8(err).expect("the messages are UTF-8") }
}
