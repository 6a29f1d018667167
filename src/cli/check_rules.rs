//! `ttsr check-rules`: what the agent makes of rule files.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::args::{CheckFormat, CheckRulesArgs, FailOn};
use super::check_report::report;
use super::checked::{Checked, Job, find, needs_samples};
use super::config_file::{ConfigFile, Given};
use super::console::{Console, Surroundings};
use super::known::{self, Known};
use super::repair::Places;
use super::root::Root;
use super::severities::Severities;
use super::{CliError, repair};
use crate::diagnostic::Diagnostic;
use crate::output::json::v1::baseline::Entry;
use crate::output::{count, escape, escape_lines, explain};
use crate::rule::Handed;
use crate::rule::repair::Repair;
use crate::text::Place;

/// Longest rule file that is read from standard input (bytes).
const MAX_INPUT: u64 = 64 << 20;

/// Runs the command. `given`: which options were typed that have a default; `fail_on`: the value of one of them.
///
/// # Errors
/// When options do not go together, or no rules can be read at all.
pub(super) fn run(
    mut args: CheckRulesArgs,
    (given, fail_on): (Given, FailOn),
    input: &mut dyn Read,
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
    if args.show_config {
        console.print(&escape_lines(&config.in_force(&args, configured.unwrap_or(fail_on))));
        return Ok(());
    }
    verify(&args)?;
    let mut rules = args.rules.clone();
    rules.rules.extend(args.paths.iter().cloned());
    let home = args.home.clone().or_else(|| surroundings.home.clone());
    let surroundings = Surroundings { home, ..surroundings.clone() };
    let root = Root::of(&surroundings.cwd, config.folder());
    // Read first, so that a wrong one stops the run before anything is written.
    let known = args.findings_baseline.as_deref().map(Known::read).transpose()?;
    let handed = args.paths.iter().any(|path| is_input(path)).then(|| handed(&args, input)).transpose()?;
    let job = Job { args, rules, severities, root, handed, to_accept: HashSet::new() };
    carry_out(job, known.as_ref(), console, &surroundings)
}

/// Whether the options go together.
fn verify(args: &CheckRulesArgs) -> Result<(), CliError> {
    if args.update_baseline && args.findings_baseline.is_none() {
        let error = CliError::usage("--update-baseline needs the file that --findings-baseline names");
        return Err(error.with_help("--write-baseline FILE begins one"));
    }
    args.write_baseline.as_deref().map_or(Ok(()), known::refuse)?;
    let reads_input = args.paths.iter().any(|path| is_input(path));
    if args.stdin_filename.is_some() && !reads_input {
        return Err(CliError::usage("--stdin-filename names what standard input holds, which is not read")
            .with_help("give - as the only PATH"));
    }
    if reads_input && args.paths.len() + args.rules.rules.len() > 1 {
        return Err(CliError::usage("standard input stands alone").with_help("give - as the only PATH"));
    }
    if reads_input && writes_text(args) && args.format != CheckFormat::Human {
        return Err(CliError::usage("standard output takes the mended rule, and no report beside it")
            .with_help("leave --format out: the report goes to standard error; or take --diff"));
    }
    Ok(())
}

fn is_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn writes_text(args: &CheckRulesArgs) -> bool {
    (args.fix && !args.diff) || args.add_ignores
}

/// What standard input holds.
fn handed(args: &CheckRulesArgs, input: &mut dyn Read) -> Result<Handed, CliError> {
    let mut bytes = Vec::new();
    input
        .take(MAX_INPUT + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| CliError::failed(format!("standard input cannot be read: {error}")))?;
    if bytes.len() as u64 > MAX_INPUT {
        return Err(CliError::failed(format!("standard input is longer than {} MiB", MAX_INPUT >> 20)));
    }
    Ok(Handed { path: args.stdin_filename.clone().unwrap_or_else(|| PathBuf::from("-")), bytes })
}

fn carry_out(
    mut job: Job,
    known: Option<&Known>,
    console: &mut Console<'_>,
    surroundings: &Surroundings,
) -> Result<(), CliError> {
    let mut checked = Checked::read(&job, console, surroundings)?;
    let places = match checked.given {
        true => Places { within: job.rules.rules.clone(), whole: "the paths that were named" },
        false => {
            let project = surroundings.cwd.join(job.rules.project.clone().unwrap_or_default());
            Places { within: vec![project], whole: "the project" }
        }
    };
    if job.args.fix && !job.args.diff {
        change(&mut job, &checked.repairs, &places, "mended", console);
        // What is reported is what is left.
        drop(checked);
        checked = Checked::read(&job, console, surroundings)?;
    }
    if job.args.add_ignores {
        job.to_accept = to_accept(known, checked, &job.root, console);
        checked = Checked::read(&job, console, surroundings)?;
        change(&mut job, &checked.ignores, &places, "suppressed", console);
        let left = job.to_accept.len() - checked.ignores.iter().map(|change| change.mended).sum::<usize>();
        if left > 0 {
            console.note(&format!("{} cannot be suppressed in a file", count(left, "finding")));
        }
        drop(checked);
        job.to_accept.clear();
        checked = Checked::read(&job, console, surroundings)?;
    }
    if let Some(known) = known {
        compare(&job, known, &mut checked, console)?;
    }
    if let Some(path) = &job.args.write_baseline {
        checked.known += known::write(path, &mut checked.findings, &job.root)?;
        console.note(&format!("wrote {} to {}", count(checked.known, "finding"), escape(&path.to_string_lossy())));
    }
    if checked.files == 0 && !checked.given {
        let message = "no rule file was found where the agent looks";
        let help = "run it in the folder of the project, or name files or directories as PATH";
        if job.args.examples_required {
            return Err(CliError::failed(message).with_help(help));
        }
        console.note(&format!("{message}; {help}"));
    }
    let text = job.handed.as_ref().filter(|_| writes_text(&job.args)).map(|handed| handed.bytes.as_slice());
    if let Some(text) = text {
        console.print_bytes(text);
    }
    report(&job, &checked, text.is_some(), console)
}

/// Writes changes of rule files, or takes over that of standard input.
fn change(job: &mut Job, changes: &[Repair], places: &Places, done: &str, console: &mut Console<'_>) {
    match &mut job.handed {
        None => repair::write(changes, places, done, console),
        Some(handed) => {
            let done_by = |change: &Repair| change.mended;
            for change in changes {
                handed.bytes = change.after.clone().into_bytes();
            }
            console.note(&format!("{done} {}", count(changes.iter().map(done_by).sum(), "finding")));
        }
    }
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
fn compare(job: &Job, known: &Known, checked: &mut Checked, console: &mut Console<'_>) -> Result<(), CliError> {
    let Checked { findings, looked_at, fingerprints, .. } = checked;
    let (compared, stale) =
        known.apply(findings, looked_at, |entry| is_looked_for(entry, job), &job.root, fingerprints);
    checked.known = compared.known;
    if job.args.update_baseline {
        let gone = known.count() - compared.left.count();
        if gone > 0 {
            known.replace(&compared.left)?;
        }
        console.note(&format!("took {} out of the baseline", count(gone, "finding")));
        return Ok(());
    }
    findings.extend(stale.into_iter().filter_map(|finding| job.severities.apply(finding)));
    Ok(())
}

/// Whether a finding as the entry has it would be found and counted if it were there.
fn is_looked_for(entry: &Entry, job: &Job) -> bool {
    let Ok(code) = find(&entry.code) else { return true };
    let is_run = job.args.examples || job.args.examples_required || !needs_samples(code);
    let file = job.root.folder().join(&entry.file).to_string_lossy().into_owned();
    is_run && job.severities.apply(Diagnostic::new(code, "").at(Place::line(file, 1, 0))).is_some()
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
