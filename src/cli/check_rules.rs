//! `ttsr check-rules`: what the agent makes of rule files.

use super::CliError;
use super::args::{CheckFormat, CheckRulesArgs};
use super::config::Config;
use super::console::{Console, Surroundings};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::output::check::{self, Counts};
use crate::output::diagnostic::render;
use crate::output::sarif;
use crate::rule::lint;

/// Runs the command.
///
/// # Errors
/// When no rules can be read at all, or an option is not finished.
pub(super) fn run(
    args: &CheckRulesArgs,
    console: &mut Console<'_>,
    surroundings: &Surroundings,
) -> Result<(), CliError> {
    if let Some(name) = &args.explain {
        return explain(name, console);
    }
    unfinished(args)?;
    let mut rules = args.rules.clone();
    rules.rules.extend(args.paths.iter().cloned());
    let home = args.home.clone().or_else(|| surroundings.home.clone());
    let surroundings = Surroundings { home, ..surroundings.clone() };
    let severities = Severities::read(args)?;
    let (config, mut diagnostics) = Config::read(&rules, console, &surroundings)?;
    diagnostics.extend(lint::run(&config.rules, &config.semantics));
    let mut diagnostics: Vec<Diagnostic> =
        diagnostics.into_iter().filter_map(|found| severities.apply(found)).collect();
    sort(&mut diagnostics);
    let counts = Counts::of(&diagnostics, config.files, config.rules.inventory.len());
    match args.format {
        CheckFormat::Human => {
            // The findings are what was asked for: they are data.
            for diagnostic in &diagnostics {
                console.count(diagnostic);
                let text = render(diagnostic, console.style());
                console.print(&text);
            }
            if !diagnostics.is_empty() {
                console.print("\n");
            }
            let text = if args.list {
                check::list(&config.rules, counts, console.style())
            } else {
                check::totals(&config.rules, counts)
            };
            console.print(&text);
        }
        CheckFormat::Sarif => {
            console.print(&format!("{}\n", sarif::document(&diagnostics).to_json()));
            diagnostics.iter().for_each(|diagnostic| console.count(diagnostic));
        }
        CheckFormat::Json | CheckFormat::Github | CheckFormat::Junit => {
            let lifecycle = config.semantics.lifecycle.as_str();
            let document = check::document(&config.rules, &diagnostics, lifecycle, counts);
            console.print(&format!("{}\n", document.to_json()));
            diagnostics.iter().for_each(|diagnostic| console.count(diagnostic));
        }
    }
    Ok(())
}

/// Options that this version does not complete.
fn unfinished(args: &CheckRulesArgs) -> Result<(), CliError> {
    let given = [
        (args.fix, "--fix"),
        (args.examples, "--examples"),
        (args.examples_required, "--examples-required"),
        (matches!(args.format, CheckFormat::Github), "--format github"),
        (matches!(args.format, CheckFormat::Junit), "--format junit"),
    ];
    if let Some((_, option)) = given.into_iter().find(|(is_given, _)| *is_given) {
        return Err(CliError::missing(option));
    }
    Ok(())
}

/// Says what a code means.
fn explain(name: &str, console: &mut Console<'_>) -> Result<(), CliError> {
    let code = find(name)?;
    let title = console.style().heading(&format!("{code} {}", code.name()));
    console.print(&format!("{title} ({})\n\n{}\n", code.severity(), code.explanation()));
    Ok(())
}

fn find(name: &str) -> Result<Code, CliError> {
    Code::find(name).ok_or_else(|| {
        CliError::usage(format!("there is no code `{name}`"))
            .with_help("codes are written as TTSR003 or invalid-condition; the README lists them all")
    })
}

/// What `--deny`, `--warn` and `--allow` say.
struct Severities {
    rules: Vec<(Option<Code>, Option<Severity>)>,
}

impl Severities {
    fn read(args: &CheckRulesArgs) -> Result<Self, CliError> {
        let lists = [(&args.allow, None), (&args.warn, Some(Severity::Warning)), (&args.deny, Some(Severity::Error))];
        let mut rules = Vec::new();
        for (names, severity) in lists {
            for name in names {
                let code = if name == "all" { None } else { Some(find(name)?) };
                rules.push((code, severity));
            }
        }
        // A single code wins over `all`.
        rules.sort_by_key(|(code, _)| code.is_some());
        Ok(Self { rules })
    }

    /// The finding as it counts here; none when it is left out.
    fn apply(&self, diagnostic: Diagnostic) -> Option<Diagnostic> {
        let applies = |(code, _): &&(Option<Code>, Option<Severity>)| code.is_none_or(|code| code == diagnostic.code);
        match self.rules.iter().rfind(applies) {
            None => Some(diagnostic),
            Some((_, severity)) => severity.map(|severity| diagnostic.with_severity(severity)),
        }
    }
}

/// By file, place and code, so that the output does not depend on the order in which findings are made.
fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|diagnostic| {
        let place = diagnostic.place.as_ref();
        (place.map(|place| (place.file.clone(), place.start.offset)), diagnostic.code.number())
    });
}
