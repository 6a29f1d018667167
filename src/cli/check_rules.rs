//! `ttsr check-rules`: what the agent makes of rule files.

use super::args::{CheckFormat, CheckRulesArgs};
use super::config::Config;
use super::console::{Console, Surroundings};
use super::{CliError, ExitStatus};
use crate::diagnostic::Diagnostic;
use crate::output::check::{self, Counts};

/// Runs the command.
///
/// # Errors
/// When no rules can be read at all, or an option is not finished.
pub(super) fn run(
    args: &CheckRulesArgs,
    console: &mut Console<'_>,
    surroundings: &Surroundings,
) -> Result<(), CliError> {
    unfinished(args)?;
    let mut rules = args.rules.clone();
    rules.rules.extend(args.paths.iter().cloned());
    let home = args.home.clone().or_else(|| surroundings.home.clone());
    let surroundings = Surroundings { home, ..surroundings.clone() };
    let (config, diagnostics) = Config::read(&rules, console, &surroundings)?;
    let counts = Counts::of(&diagnostics, config.files, config.rules.inventory.len());
    match args.format {
        CheckFormat::Human => {
            for diagnostic in &diagnostics {
                console.report(diagnostic);
            }
            let text = check::list(&config.rules, counts, console.style());
            console.print(&text);
        }
        _ => {
            let lifecycle = config.semantics.lifecycle.as_str();
            let document = check::document(&config.rules, &diagnostics, lifecycle, counts);
            console.print(&format!("{}\n", document.to_json()));
            if diagnostics.iter().any(|diagnostic| fails(diagnostic, console)) {
                console.raise(ExitStatus::Findings);
            }
        }
    }
    Ok(())
}

fn fails(diagnostic: &Diagnostic, console: &Console<'_>) -> bool {
    diagnostic.severity >= console.failing_severity()
}

/// Options that this version does not complete.
fn unfinished(args: &CheckRulesArgs) -> Result<(), CliError> {
    let given = [
        (args.explain.is_some(), "--explain"),
        (!args.deny.is_empty(), "--deny"),
        (!args.warn.is_empty(), "--warn"),
        (!args.allow.is_empty(), "--allow"),
        (args.fix, "--fix"),
        (args.examples, "--examples"),
        (args.examples_required, "--examples-required"),
        (matches!(args.format, CheckFormat::Sarif), "--format sarif"),
        (matches!(args.format, CheckFormat::Github), "--format github"),
        (matches!(args.format, CheckFormat::Junit), "--format junit"),
    ];
    if let Some((_, option)) = given.into_iter().find(|(is_given, _)| *is_given) {
        return Err(CliError::missing(option));
    }
    if !args.list {
        return Err(CliError::usage("the lints of check-rules are not finished in this version")
            .with_help("`ttsr check-rules --list` shows what the agent makes of each rule file"));
    }
    Ok(())
}
