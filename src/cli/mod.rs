//! The command line: arguments as typed, turned into one run of one command.

mod accepted;
pub mod args;
mod as_write;
mod branches;
mod check_report;
mod check_rules;
mod checked;
mod chosen;
mod compare;
mod config;
mod config_file;
mod console;
mod error;
mod exit;
mod expect;
mod fingerprint;
mod gates;
mod generation;
mod handoff;
mod inputs;
mod inspect_session;
mod known;
mod merge;
mod mode;
mod opened;
mod outputs;
mod parallel;
mod plans;
mod progress;
mod repair;
mod replay;
mod reporter;
mod root;
mod severities;
mod texts;
mod topics;
mod upgrade;

use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};

use clap::parser::ValueSource::CommandLine;
use clap::{CommandFactory as _, FromArgMatches as _};

use args::{Cli, Command};
use config_file::Given;
pub use console::{Console, Surroundings};
pub use error::CliError;
pub use exit::ExitStatus;

/// Runs the program with these arguments (the first is the program's name).
///
/// Data goes to `out`, everything else to `err`; `input` is read when an argument asks for `-`. A limit that an argument
/// sets holds for the process from then on.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    input: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
    surroundings: &Surroundings,
) -> ExitStatus {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(text) = topics::asked_for(&arguments) {
        return printed(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
    }
    let parsed = Cli::command().try_get_matches_from(arguments).and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut Cli::command()))?;
        Ok((cli, matches))
    });
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return usage(&error, out, err, surroundings),
    };
    cli.common.limit.iter().for_each(|setting| setting.apply());
    let mut console = Console::new(out, err, &cli.common, surroundings);
    let result: Result<(), CliError> = match cli.command {
        Command::CheckRules(args) if args.schema => {
            console.print(&crate::output::json::schema::<crate::output::json::v1::check::Check<'_>>());
            Ok(())
        }
        Command::CheckRules(args) if args.frontmatter_schema => {
            console.print(&crate::output::frontmatter_schema());
            Ok(())
        }
        Command::Replay(args) => replay::run(&args, input, &mut console, surroundings),
        Command::CheckRules(args) => {
            let is_given = |option: &str| {
                matches.subcommand().and_then(|(_, options)| options.value_source(option)) == Some(CommandLine)
            };
            let given = Given { lifecycle: is_given("lifecycle"), fail_on: is_given("fail_on") };
            check_rules::run(*args, (given, cli.common.fail_on), input, &mut console, surroundings)
        }
        Command::InspectSession(args) if args.schema => {
            console.print(&crate::output::json::schema::<crate::output::json::v1::sessions::Document>());
            Ok(())
        }
        Command::InspectSession(args) => inspect_session::run(&args, input, &mut console, surroundings),
        Command::Handoff(args) if args.schema => {
            handoff::print_schema(&mut console);
            Ok(())
        }
        Command::Handoff(args) => handoff::run(&args, input, &mut console, surroundings),
    };
    if let Err(error) = result {
        console.fail(&error);
    }
    console.finish()
}

/// Lets signals that end the program wait while a temporary file is on disk. For the binary, before [`run`].
///
/// # Errors
/// When the system takes no handler.
pub fn catch_signals() -> std::io::Result<()> {
    crate::interrupt::install()
}

/// The definition of the command line, for man pages and completions.
pub fn definition() -> clap::Command {
    Cli::command()
}

/// Prints help, the version or what is wrong with the arguments.
fn usage(error: &clap::Error, out: &mut dyn Write, err: &mut dyn Write, surroundings: &Surroundings) -> ExitStatus {
    let on_stderr = error.use_stderr();
    let color = if on_stderr { surroundings.stderr_width } else { surroundings.stdout_width };
    let color = color.is_some() && !surroundings.vars.contains_key("NO_COLOR");
    let rendered = error.render();
    let text = if color { rendered.ansi().to_string() } else { rendered.to_string() };
    let print = |target: &mut dyn Write| target.write_all(text.as_bytes()).and_then(|()| target.flush());
    if on_stderr {
        // Nothing else can be done about it.
        let _ = print(err);
        return ExitStatus::Usage;
    }
    printed(print(out))
}

/// The status of a run that only prints: a reader that has seen enough is no failure.
fn printed(result: std::io::Result<()>) -> ExitStatus {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => ExitStatus::Failed,
        _ => ExitStatus::Done,
    }
}
