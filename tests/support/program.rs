//! The whole program run inside the test process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use ttsr::cli::{Surroundings, run};

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

/// Runs `ttsr` with these arguments in a surrounding without terminal, home and variables.
pub fn ttsr<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Outcome {
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
    Outcome {
        status: status.code(),
        out: String::from_utf8(out).expect("the output is UTF-8"),
        err: String::from_utf8(err).expect("the messages are UTF-8"),
    }
}
