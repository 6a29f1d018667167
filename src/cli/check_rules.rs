//! `ttsr check-rules`: what the agent makes of rule files.

use std::collections::HashSet;

use super::args::{CheckFormat, CheckRulesArgs, FailOn};
use super::checked::{Checked, find, needs_samples};
use super::config_file::{ConfigFile, Given};
use super::console::{Console, Surroundings};
use super::generation::Generation;
use super::known::{self, Known};
use super::repair::Places;
use super::root::Root;
use super::severities::Severities;
use super::{CliError, ExitStatus, repair};
use crate::diagnostic::Diagnostic;
use crate::output::check::{self, Counts, beside};
use crate::output::diagnostic::render;
use crate::output::json;
use crate::output::json::v1::{baseline::Entry, check::Check};
use crate::output::repair::diff;
use crate::output::{count, escape_lines, examples, explain, generation, github, junit, sarif};
use crate::text::Place;

/// Runs the command.
///
/// # Errors
/// When no rules can be read at all.
pub(super) fn run(
    mut args: CheckRulesArgs,
    given: Given,
    fail_on: FailOn,
    console: &mut Console<'_>,
    surroundings: &Surroundings,
) -> Result<(), CliError> {
    if let Some(name) = &args.explain {
        return explain(name, console);
    }
    let start = surroundings.cwd.join(args.rules.project.clone().unwrap_or_default());
    let config = ConfigFile::read(&args, &start, surroundings)?;
    let configured = config.apply(&mut args, given)?;
    configured.into_iter().for_each(|fail_on| console.set_fail_on(fail_on));
    let severities = Severities::read(&args, &config, surroundings)?;
    let args = &args;
    if args.show_config {
        console.print(&escape_lines(&config.in_force(args, configured.unwrap_or(fail_on))));
        return Ok(());
    }
    let mut rules = args.rules.clone();
    rules.rules.extend(args.paths.iter().cloned());
    let home = args.home.clone().or_else(|| surroundings.home.clone());
    let surroundings = Surroundings { home, ..surroundings.clone() };
    let root = Root::of(&surroundings.cwd, config.folder());
    // Read first, so that a wrong one stops the run before anything is written.
    let known = args.findings_baseline.as_deref().map(Known::read).transpose()?;
    if args.update_baseline && known.is_none() {
        let error = CliError::usage("--update-baseline needs the file that --findings-baseline names");
        return Err(error.with_help("--write-baseline FILE begins one"));
    }
    let none = HashSet::new();
    let mut checked = Checked::read(args, &rules, &severities, &root, &none, console, &surroundings)?;
    let project = surroundings.cwd.join(rules.project.clone().unwrap_or_default());
    let places = match checked.given {
        true => Places { within: rules.rules.clone(), whole: "the paths that were named" },
        false => Places { within: vec![project], whole: "the project" },
    };
    if args.fix && !args.diff {
        repair::write(&checked.repairs, &places, "mended", console);
        // What is reported is what is left.
        drop(checked);
        checked = Checked::read(args, &rules, &severities, &root, &none, console, &surroundings)?;
    }
    if args.add_ignores {
        let to_accept = to_accept(known.as_ref(), checked, &root, console);
        checked = Checked::read(args, &rules, &severities, &root, &to_accept, console, &surroundings)?;
        repair::write(&checked.ignores, &places, "suppressed", console);
        let left = to_accept.len() - checked.ignores.iter().map(|change| change.mended).sum::<usize>();
        if left > 0 {
            console.note(&format!("{} cannot be suppressed in a file", count(left, "finding")));
        }
        drop(checked);
        checked = Checked::read(args, &rules, &severities, &root, &none, console, &surroundings)?;
    }
    if let Some(known) = &known {
        compare(args, known, &severities, &mut checked, &root, console)?;
    }
    if let Some(path) = &args.write_baseline {
        checked.known += known::write(path, &mut checked.findings, &root)?;
        console.note(&format!("wrote {} to {}", count(checked.known, "finding"), path.display()));
    }
    if checked.files == 0 && !checked.given {
        let message = "no rule file was found where the agent looks";
        let help = "run it in the folder of the project, or name files or directories as PATH";
        if args.examples_required {
            return Err(CliError::failed(message).with_help(help));
        }
        console.note(&format!("{message}; {help}"));
    }
    report(args, &checked, console)
}

/// The fingerprints of the findings that make the run fail.
fn to_accept(known: Option<&Known>, checked: Checked, root: &Root, console: &Console<'_>) -> HashSet<String> {
    let Checked { mut findings, looked_at, mut fingerprints, .. } = checked;
    if let Some(known) = known {
        known.apply(&mut findings, &looked_at, |_| false, root, &mut fingerprints);
    }
    let counts = |finding: &Diagnostic| finding.accepted.is_none() && finding.severity >= console.fail_on();
    findings.into_iter().filter(counts).filter_map(|finding| finding.fingerprint).collect()
}

/// Takes the findings out that the baseline knows, and says what of it is not true any more.
fn compare(
    args: &CheckRulesArgs,
    known: &Known,
    severities: &Severities,
    checked: &mut Checked,
    root: &Root,
    console: &mut Console<'_>,
) -> Result<(), CliError> {
    let Checked { findings, looked_at, fingerprints, .. } = checked;
    let (compared, stale) =
        known.apply(findings, looked_at, |entry| is_looked_for(entry, args, severities, root), root, fingerprints);
    checked.known = compared.known;
    if args.update_baseline {
        let gone = known.len() - compared.left.len();
        if gone > 0 {
            known.replace(&compared.left)?;
        }
        console.note(&format!("took {} out of the baseline", count(gone, "finding")));
        return Ok(());
    }
    findings.extend(stale.into_iter().filter_map(|finding| severities.apply(finding)));
    Ok(())
}

/// Whether a finding as the entry has it would be found and counted if it were there.
fn is_looked_for(entry: &Entry, args: &CheckRulesArgs, severities: &Severities, root: &Root) -> bool {
    let Ok(code) = find(&entry.code) else { return true };
    let is_run = args.examples || args.examples_required || !needs_samples(code);
    let file = root.folder().join(&entry.file).to_string_lossy().into_owned();
    is_run && severities.apply(Diagnostic::new(code, "").at(Place::line(file, 1, 0))).is_some()
}

/// Shows the findings in the chosen form and counts them for the status.
fn report(args: &CheckRulesArgs, checked: &Checked, console: &mut Console<'_>) -> Result<(), CliError> {
    let Checked { rows, findings, .. } = checked;
    let counts = Counts { known: checked.known, ..Counts::of(findings, checked.files, rows) };
    match args.format {
        CheckFormat::Human => human(args, checked, counts, console),
        CheckFormat::Sarif => console.print_json(&format!("{}\n", sarif::document(findings).to_json())),
        CheckFormat::Github => {
            open(findings).for_each(|finding| console.print(&github::command(finding)));
            beside(counts).into_iter().for_each(|beside| console.print(&format!("{beside}\n")));
        }
        CheckFormat::Junit => {
            let files: Vec<String> = rows.kept.iter().map(|row| row.file.clone()).collect();
            let text = junit::document(&files, findings, console.fail_on()).map_err(CliError::failed)?;
            console.print(&text);
        }
        CheckFormat::Json => {
            let Generation { lifecycle, from, .. } = &checked.generation;
            let generation = (*lifecycle, from.as_deref());
            let form = Check::new(rows, findings, checked.examples.as_ref(), generation, counts);
            json::write(&form, &mut |text| console.print_json(text));
            console.print("\n");
        }
    }
    findings.iter().for_each(|finding| console.count(finding));
    if args.diff && !checked.repairs.is_empty() {
        console.raise(ExitStatus::Findings);
    }
    if args.format == CheckFormat::Human {
        mendable(args, checked, console);
    }
    Ok(())
}

/// The findings that count.
fn open(findings: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    findings.iter().filter(|finding| finding.accepted.is_none())
}

/// The findings, which are what was asked for and so are data, the repairs, the table, the totals.
fn human(args: &CheckRulesArgs, checked: &Checked, counts: Counts, console: &mut Console<'_>) {
    let style = console.style();
    for finding in open(&checked.findings) {
        let mut text = render(finding, style);
        match &finding.fix {
            Some(fix) if fix.is_safe => text.push_str("  --fix does this\n"),
            Some(_) => text.push_str("  --fix --unsafe-fixes does this, and changes what the rule matches\n"),
            None => {}
        }
        console.print(&text);
    }
    if open(&checked.findings).next().is_some() {
        console.print("\n");
    }
    let shown = checked.repairs.iter().filter(|_| args.diff);
    shown.for_each(|repair| console.print(&format!("{}\n", diff(repair, style))));
    if let Some(examples) = &checked.examples {
        console.print(&examples::failures(examples, style));
    }
    let rows = &checked.rows;
    console.print(&if args.list { check::list(rows, counts, style) } else { check::totals(rows, counts) });
    let Generation { lifecycle, from, .. } = &checked.generation;
    console.print(&format!("{}\n", generation(lifecycle.as_str(), from.as_deref())));
    checked.examples.iter().for_each(|examples| console.print(&examples::totals(examples)));
}

/// Says what the options about repairs would do, or have left.
fn mendable(args: &CheckRulesArgs, checked: &Checked, console: &mut Console<'_>) {
    let Checked { mended, risky, .. } = *checked;
    let flags = if args.unsafe_fixes { "--fix --unsafe-fixes" } else { "--fix" };
    let unsafe_ones = format!("--fix --unsafe-fixes mends {}", count(risky, "finding"));
    let note = match (mended, risky) {
        (0, 0) => return,
        (0, _) => format!("{unsafe_ones} and changes what rules match"),
        (_, 0) => format!("{flags} mends {}", count(mended, "finding")),
        (_, _) => format!(
            "{flags} mends {}; --unsafe-fixes {risky} more, and changes what rules match",
            count(mended, "finding")
        ),
    };
    console.note(&note);
}

/// Says what a code means.
fn explain(name: &str, console: &mut Console<'_>) -> Result<(), CliError> {
    let text = match name {
        "all" => explain::all(console.style()),
        name => explain::explain(find(name)?, console.style()),
    };
    console.print(&text);
    Ok(())
}
