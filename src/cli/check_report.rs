//! The report of `ttsr check-rules`, in each of its forms.

use super::args::CheckFormat;
use super::checked::{Checked, Job, needs_samples};
use super::console::Console;
use super::generation::Generation;
use super::root::Root;
use super::{CliError, ExitStatus};
use crate::diagnostic::Diagnostic;
use crate::output::check::{self, Counts, beside};
use crate::output::diagnostic::render;
use crate::output::json::v1::check::Check;
use crate::output::repair::diff;
use crate::output::{count, examples, generation, github, gitlab, json, junit, sarif};

/// Shows the findings in the chosen form and counts them for the status; `aside`: the form for people goes to standard
/// error, since standard output holds something else.
///
/// # Errors
/// When a form cannot be written.
pub(super) fn report(job: &Job, checked: &Checked, aside: bool, console: &mut Console<'_>) -> Result<(), CliError> {
    let Checked { rows, findings, .. } = checked;
    let counts = Counts { known: checked.known, ..Counts::of(findings, checked.files, rows) };
    match job.args.format {
        CheckFormat::Human if aside => {
            let text = human(job, checked, counts, console);
            console.say(&text);
        }
        CheckFormat::Human => {
            let text = human(job, checked, counts, console);
            console.print(&text);
        }
        CheckFormat::Json => {
            let Generation { lifecycle, from, .. } = &checked.generation;
            let generation = (*lifecycle, from.as_deref());
            let form = Check::new(rows, findings, checked.examples.as_ref(), generation, counts);
            json::write(&form, &mut |text| console.print_json(text));
            console.print("\n");
        }
        _ => for_services(job, checked, counts, console)?,
    }
    findings.iter().for_each(|finding| console.count(finding));
    if job.args.diff && !checked.repairs.is_empty() {
        console.raise(ExitStatus::Findings);
    }
    if job.args.format == CheckFormat::Human {
        mendable(job, checked, console);
    }
    Ok(())
}

/// The forms that services read, with files named from the root of the repository on.
fn for_services(job: &Job, checked: &Checked, counts: Counts, console: &mut Console<'_>) -> Result<(), CliError> {
    let findings = from_root(&checked.findings, &job.root);
    let open: Vec<&Diagnostic> = open(&findings).collect();
    match job.args.format {
        CheckFormat::Sarif => {
            let run = sarif::Run {
                category: Some("ttsr/check-rules/"),
                help_uri: job.args.help_uri.as_deref(),
                suppressed: counts.accepted,
                known: counts.known,
            };
            console.print_json(&format!("{}\n", sarif::document(&findings, &run).to_json()));
        }
        CheckFormat::Github => {
            console.print(&github::commands(&open));
            beside(counts).into_iter().for_each(|beside| console.print(&format!("{beside}\n")));
        }
        CheckFormat::Gitlab => {
            console.print_json(&gitlab::document(&open));
            beside(counts).into_iter().for_each(|beside| console.note(&beside));
        }
        _ => {
            let name = |file: &str| job.root.relative(file);
            let files: Vec<String> = checked.rows.kept.iter().map(|row| name(&row.file)).collect();
            let samples: Vec<junit::Ran<'_>> = checked
                .examples
                .iter()
                .flat_map(|examples| &examples.results)
                .map(|result| junit::Ran { file: name(&result.file), result })
                .collect();
            let (of_samples, of_files) = open.into_iter().partition(|finding| needs_samples(finding.code));
            let report = junit::Findings { of_files, of_samples, beside: beside(counts), fail_on: console.fail_on() };
            console.print(&junit::document(&files, &samples, &report).map_err(CliError::failed)?);
        }
    }
    Ok(())
}

/// The findings with their files named from the root on.
fn from_root(findings: &[Diagnostic], root: &Root) -> Vec<Diagnostic> {
    let mut findings = findings.to_vec();
    for place in findings.iter_mut().filter_map(|finding| finding.place.as_mut()) {
        place.file = root.relative(&place.file);
    }
    findings
}

/// The findings that count.
fn open(findings: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    findings.iter().filter(|finding| finding.accepted.is_none())
}

/// The findings, which are what was asked for and so are data, the repairs, the table, the totals.
fn human(job: &Job, checked: &Checked, counts: Counts, console: &Console<'_>) -> String {
    let (args, style) = (&job.args, console.style());
    let mut out = String::new();
    for finding in open(&checked.findings) {
        out.push_str(&render(finding, style));
        match &finding.fix {
            Some(fix) if fix.is_safe => out.push_str("  --fix does this\n"),
            Some(_) => out.push_str("  --fix --unsafe-fixes does this, and changes what the rule matches\n"),
            None => {}
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    for repair in checked.repairs.iter().filter(|_| args.diff) {
        out.push_str(&diff(repair, style));
        out.push('\n');
    }
    if let Some(examples) = &checked.examples {
        out.push_str(&examples::failures(examples, style));
    }
    let rows = &checked.rows;
    out.push_str(&if args.list { check::list(rows, counts, style) } else { check::totals(rows, counts) });
    let Generation { lifecycle, from, .. } = &checked.generation;
    out.push_str(&format!("{}\n", generation(lifecycle.as_str(), from.as_deref())));
    if let Some(examples) = &checked.examples {
        out.push_str(&examples::totals(examples));
    }
    out
}

/// Says what the options about repairs would do, or have left.
fn mendable(job: &Job, checked: &Checked, console: &mut Console<'_>) {
    let Checked { mended, risky, .. } = *checked;
    let flags = if job.args.unsafe_fixes { "--fix --unsafe-fixes" } else { "--fix" };
    let finding = |number| count(number, "finding");
    let note = match (mended, risky) {
        (0, 0) => return,
        (0, _) => format!("--fix --unsafe-fixes mends {} and changes what rules match", finding(risky)),
        (_, 0) => format!("{flags} mends {}", finding(mended)),
        (_, _) => {
            format!("{flags} mends {}; --unsafe-fixes {risky} more, and changes what rules match", finding(mended))
        }
    };
    console.note(&note);
}
