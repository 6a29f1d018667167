//! What rules say of files: `ttsr.files/1`, lines, a table, CSV.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Style, count, escape, generation};
use crate::limits;
use crate::replay::files::{FileFindings, FileHit};
use crate::text::JsString;

/// The schema name in each form.
pub const SCHEMA: &str = "ttsr.files/1";

/// What was looked at, and what was left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileTotals {
    /// Files that the rules saw.
    pub files: usize,
    /// Files that look binary.
    pub binary: usize,
    /// Files that are too large.
    pub too_large: usize,
    /// Files and folders that could not be read.
    pub unreadable: usize,
    /// Patterns that could not be decided, over all files.
    pub undecided: usize,
    /// Registered rules that ask a judge, which nobody does here.
    pub judged: usize,
    /// The generation, and the mark that decided for it.
    pub lifecycle: (&'static str, Option<String>),
    /// Files by rule: every rule that could fire is listed.
    pub per_rule: BTreeMap<JsString, usize>,
}

impl FileTotals {
    /// Adds a file.
    pub fn add(&mut self, findings: &FileFindings) {
        self.files += 1;
        self.undecided += findings.undecided.len();
        for hit in &findings.hits {
            *self.per_rule.entry(hit.rule.clone()).or_default() += 1;
        }
    }
}

/// The findings of one file for people: one line each.
pub fn render(file: &str, findings: &FileFindings, style: Style) -> String {
    let mut out = String::new();
    let shown = |hit: &FileHit| {
        let line = hit.line.map(|line| format!(":{line}")).unwrap_or_default();
        let rule = style.notable(&escape(&hit.rule.to_string_lossy()));
        let excerpt = escape(&hit.excerpt.to_string_lossy());
        format!("{}{line}  {rule}  {excerpt}", style.heading(&escape(file)))
    };
    for hit in &findings.hits {
        let _ = writeln!(out, "{}", shown(hit));
    }
    for (rule, pattern, why) in &findings.undecided {
        let (rule, pattern) = (escape(&rule.to_string_lossy()), escape(&pattern.quotable()));
        let line = format!("undecided: {}: rule {rule}: {} ({pattern})", escape(file), escape(why));
        let _ = writeln!(out, "{}", style.notable(&line));
    }
    out
}

/// The totals for people.
pub fn render_totals(totals: &FileTotals, style: Style) -> String {
    let mut out = String::new();
    let mut table = style.table(&["Rule", "Files"]);
    for (rule, files) in &totals.per_rule {
        let cell = if *files == 0 { "·".to_owned() } else { files.to_string() };
        table.add_row([escape(&rule.to_string_lossy()), cell]);
    }
    if table.row_count() > 0 {
        let _ = writeln!(out, "\n{}\n{}", style.heading("Files per rule"), table.trim_fmt());
    }
    let too_large = format!("over {}", limits::bytes(limits::AS_WRITE_FILE.get()));
    let left_out = [(totals.binary, "binary"), (totals.too_large, &too_large), (totals.unreadable, "unreadable")];
    let left_out: Vec<String> =
        left_out.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}")).collect();
    let left_out = if left_out.is_empty() { String::new() } else { format!("; left out: {}", left_out.join(", ")) };
    let judged = match totals.judged {
        0 => String::new(),
        number => format!("; {} a judge, which is not done here", asks(number)),
    };
    let hits: usize = totals.per_rule.values().sum();
    let lifecycle = generation(totals.lifecycle.0, totals.lifecycle.1.as_deref());
    let _ = writeln!(
        out,
        "{} in {} as write calls, {lifecycle}{left_out}{judged}",
        count(hits, "finding"),
        count(totals.files, "file"),
    );
    out
}

fn asks(number: usize) -> String {
    if number == 1 { "1 rule asks".to_owned() } else { format!("{number} rules ask") }
}

/// Heads of the columns of [`csv`].
pub const CSV_HEAD: &str = "rule,files\n";

/// The totals as CSV.
pub fn csv(totals: &FileTotals) -> String {
    let rows = totals
        .per_rule
        .iter()
        .map(|(rule, files)| format!("{},{files}\n", super::replay_human::csv_field(&rule.to_string_lossy())));
    rows.collect()
}
