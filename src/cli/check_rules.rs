//! `ttsr check-rules`: what the agent makes of rule files.

use super::args::{CheckFormat, CheckRulesArgs, RuleArgs};
use super::config::Config;
use super::console::{Console, Surroundings};
use super::{CliError, repair};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::output::check::{self, Counts};
use crate::output::diagnostic::render;
use crate::output::repair::diff;
use crate::output::{Style, count, examples, explain, github, junit, sarif};
use crate::replay::{Examples, run_examples};
use crate::rule::lint;
use crate::rule::repair::Repair;

/// Runs the command.
///
/// # Errors
/// When no rules can be read at all.
pub(super) fn run(
    args: &CheckRulesArgs,
    console: &mut Console<'_>,
    surroundings: &Surroundings,
) -> Result<(), CliError> {
    if let Some(name) = &args.explain {
        return explain(name, console);
    }
    let mut rules = args.rules.clone();
    rules.rules.extend(args.paths.iter().cloned());
    let home = args.home.clone().or_else(|| surroundings.home.clone());
    let surroundings = Surroundings { home, ..surroundings.clone() };
    let severities = Severities::read(args)?;
    let mut checked = Checked::read(args, &rules, &severities, console, &surroundings)?;
    if args.write {
        let within = (!checked.config.given).then(|| surroundings.cwd.join(rules.project.clone().unwrap_or_default()));
        repair::write(&checked.repairs, within.as_deref(), console);
        // What is reported is what is left.
        checked = Checked::read(args, &rules, &severities, console, &surroundings)?;
    }
    report(args, &checked, console)
}

/// Rule files and what was found in them.
struct Checked {
    config: Config,
    diagnostics: Vec<Diagnostic>,
    repairs: Vec<Repair>,
    /// What came of the samples, when they were run.
    examples: Option<Examples>,
}

impl Checked {
    fn read(
        args: &CheckRulesArgs,
        rules: &RuleArgs,
        severities: &Severities,
        console: &mut Console<'_>,
        surroundings: &Surroundings,
    ) -> Result<Self, CliError> {
        let (config, mut diagnostics) = Config::read(rules, console, surroundings)?;
        diagnostics.extend(lint::run(&config.rules, &config.semantics));
        let examples = (args.examples || args.examples_required)
            .then(|| run_examples(&config.rules, &config.settings, &config.semantics, args.examples_required));
        diagnostics.extend(examples.iter().flat_map(|examples| examples.diagnostics.iter().cloned()));
        let mut diagnostics: Vec<Diagnostic> =
            diagnostics.into_iter().filter_map(|found| severities.apply(found)).collect();
        sort(&mut diagnostics);
        let repairs = crate::rule::repair::plan(&config.rules, &mut diagnostics);
        Ok(Self { config, diagnostics, repairs, examples })
    }
}

/// Shows the findings in the chosen form and counts them for the status.
fn report(args: &CheckRulesArgs, checked: &Checked, console: &mut Console<'_>) -> Result<(), CliError> {
    let Checked { config, diagnostics, repairs, examples } = checked;
    let counts = Counts::of(diagnostics, config.files, config.rules.inventory.len());
    let text = match args.format {
        CheckFormat::Human => human(args, checked, counts, console.style()),
        CheckFormat::Sarif => format!("{}\n", sarif::document(diagnostics).to_json()),
        CheckFormat::Github => diagnostics.iter().map(github::command).collect(),
        CheckFormat::Junit => {
            let files: Vec<String> = config.rules.inventory.iter().map(|listed| listed.rule.shown_file()).collect();
            junit::document(&files, diagnostics, console.fail_on()).map_err(CliError::failed)?
        }
        CheckFormat::Json => {
            let lifecycle = config.semantics.lifecycle.as_str();
            format!("{}\n", check::document(&config.rules, diagnostics, examples.as_ref(), lifecycle, counts))
        }
    };
    console.print(&text);
    diagnostics.iter().for_each(|diagnostic| console.count(diagnostic));
    if !repairs.is_empty() && !args.fix && args.format == CheckFormat::Human {
        let mended = repairs.iter().map(|repair| repair.mended.len()).sum();
        console.note(&format!("--fix shows how to mend {}", count(mended, "finding")));
    }
    Ok(())
}

/// The findings, which are what was asked for and so are data, the repairs, the table, the totals.
fn human(args: &CheckRulesArgs, checked: &Checked, counts: Counts, style: Style) -> String {
    let mut text: String = checked.diagnostics.iter().map(|diagnostic| render(diagnostic, style)).collect();
    if !text.is_empty() {
        text.push('\n');
    }
    if args.fix {
        for repair in &checked.repairs {
            text.push_str(&format!("{}\n", diff(repair, style)));
        }
    }
    if let Some(examples) = &checked.examples {
        text.push_str(&examples::failures(examples, style));
    }
    text.push_str(&if args.list {
        check::list(&checked.config.rules, counts, style)
    } else {
        check::totals(&checked.config.rules, counts)
    });
    text.extend(checked.examples.as_ref().map(examples::totals));
    text
}

/// Says what a code means.
fn explain(name: &str, console: &mut Console<'_>) -> Result<(), CliError> {
    let code = find(name)?;
    let text = explain::explain(code, console.style());
    console.print(&text);
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
    diagnostics.sort_by_cached_key(|diagnostic| {
        let place = diagnostic.place.as_ref();
        (place.map(|place| (place.file.clone(), place.start.offset)), diagnostic.code.number())
    });
}
