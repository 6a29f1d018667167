//! `check-rules -`: a rule file on standard input, as editors and commit hooks hand over what is not saved yet.

use std::io::Read;

use super::CliError;
use super::args::CheckRulesArgs;
use crate::rule::{PIPED, Piped};

/// The arguments with what standard input holds, where a path asks for it.
///
/// # Errors
/// When it cannot be read, when it is to be changed, or when it is given a name and not asked for.
pub(super) fn with_input(mut args: CheckRulesArgs, input: &mut dyn Read) -> Result<CheckRulesArgs, CliError> {
    if args.explain.is_some() {
        return Ok(args);
    }
    if !args.paths.iter().any(|path| path.as_os_str() == PIPED) {
        return match &args.stdin_filename {
            Some(_) => Err(CliError::usage("--stdin-filename: no path is `-`")
                .with_help("write `ttsr check-rules - --stdin-filename NAME < FILE`")),
            None => Ok(args),
        };
    }
    if args.add_ignores || args.fix && !args.diff {
        let option = if args.fix { "--fix" } else { "--add-ignores" };
        let error =
            CliError::usage(format!("{option}: what comes from standard input is in no file that could be written"));
        return Err(error.with_help("add --diff to see the repairs, or name the file"));
    }
    let mut bytes = Vec::new();
    input
        .read_to_end(&mut bytes)
        .map_err(|error| CliError::failed(format!("standard input cannot be read: {error}")))?;
    let name = args.stdin_filename.clone().unwrap_or_else(|| PIPED.to_owned());
    args.rules.piped = Some(Piped { name, bytes });
    Ok(args)
}
