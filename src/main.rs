//! The `ttsr` binary: surroundings in, status out.

use std::io::{BufWriter, IsTerminal as _, stderr, stdin, stdout};
use std::process::ExitCode;

use ttsr::cli::{Surroundings, catch_signals, run};

fn main() -> ExitCode {
    // Without handlers a signal ends the program as it always does.
    let _ = catch_signals();
    let width = |is_terminal: bool| is_terminal.then(terminal_width);
    let surroundings = Surroundings {
        cwd: std::env::current_dir().unwrap_or_else(|_| ".".into()),
        home: std::env::home_dir(),
        vars: std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
        stdout_width: width(stdout().is_terminal()),
        stderr_width: width(stderr().is_terminal()),
    };
    let mut out = BufWriter::new(stdout().lock());
    let status = run(std::env::args_os(), &mut stdin().lock(), &mut out, &mut stderr().lock(), &surroundings);
    ExitCode::from(status.code())
}

fn terminal_width() -> u16 {
    terminal_size::terminal_size().map_or(80, |(width, _)| width.0)
}
