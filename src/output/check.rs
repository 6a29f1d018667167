//! Rule files as the agent sees them: a table, and totals (cli.md section 3).

use std::fmt::Write as _;

use comfy_table::Cell;

use super::{Style, count, escape};
use crate::diagnostic::{Diagnostic, Severity};
use crate::rule::{Bucket, CompiledRule, Listed, RuleRow};
use crate::settings::InterruptMode;
use crate::text::JsString;

/// How many rules without effect are named; the rest is counted.
const NAMED: usize = 20;

/// The rules of a report: counted, and kept as far as it shows them.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The rows that are kept, in discovery order.
    pub kept: Vec<RuleRow>,
    shows_all: bool,
    rules: usize,
    registered: usize,
    idle: usize,
}

impl Rows {
    /// None yet. Where not all rules are shown, only those are kept that [`totals`] names.
    pub fn new(shows_all: bool) -> Self {
        Self { shows_all, ..Self::default() }
    }

    /// Takes the next rule.
    pub fn add(&mut self, listed: &Listed, compiled: Option<&CompiledRule>) {
        let is_named = listed.bucket == Bucket::None && self.idle < NAMED;
        if self.shows_all || is_named {
            self.kept.push(RuleRow::new(listed, compiled));
        }
        self.rules += 1;
        self.registered += usize::from(listed.registered.is_some());
        self.idle += usize::from(listed.bucket == Bucket::None);
    }
}

/// What was read and found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rule files read.
    pub files: usize,
    /// Rules in them.
    pub rules: usize,
    /// Rules that the engine works with.
    pub registered: usize,
    /// Findings of severity error.
    pub errors: usize,
    /// Findings of severity warning.
    pub warnings: usize,
    /// Findings of severity note.
    pub notes: usize,
    /// Findings that their files accept, which are not among those.
    pub accepted: usize,
    /// Findings that are known and not among those.
    pub known: usize,
}

impl Counts {
    /// Counts rules and findings.
    pub fn of(diagnostics: &[Diagnostic], files: usize, rows: &Rows) -> Self {
        let open = || diagnostics.iter().filter(|diagnostic| diagnostic.accepted.is_none());
        let of = |severity| open().filter(|diagnostic| diagnostic.severity == severity).count();
        Self {
            files,
            rules: rows.rules,
            registered: rows.registered,
            errors: of(Severity::Error),
            warnings: of(Severity::Warning),
            notes: of(Severity::Note),
            accepted: diagnostics.len() - open().count(),
            known: 0,
        }
    }
}

/// The rules as a table: what became of each, and what the engine works with.
pub fn list(rows: &Rows, counts: Counts, style: Style) -> String {
    let mut out = String::new();
    // Columns for what few rules have are there where one has it.
    let has_mode = rows.kept.iter().any(|row| row.interrupt_mode.is_some());
    let has_agents = rows.kept.iter().any(|row| !row.agents.is_empty());
    let heads = [
        Some("Rule"),
        Some("Bucket"),
        Some("Conditions"),
        Some("Scope"),
        Some("Globs"),
        has_mode.then_some("Interrupts"),
        has_agents.then_some("Agents"),
        Some("Provider"),
    ];
    let mut table = style.table(&heads.into_iter().flatten().collect::<Vec<_>>());
    for row in &rows.kept {
        let conditions = row.conditions.iter().map(short);
        let patterns = row.ast_conditions.iter().map(|text| format!("ast: {}", short(text)));
        let question = row.question.as_ref().map(|text| format!("asked: {}", short(text)));
        let reason = row.reason.as_ref().map(|reason| format!("({})", escape(&reason.to_string())));
        let bucket = match reason {
            Some(_) => Style::notable_cell(row.bucket.as_str()),
            None => Cell::new(row.bucket.as_str()),
        };
        let scope = match row.scope.as_slice() {
            [] if row.registered => "(default)".to_owned(),
            scope => lines(scope.iter().map(short)),
        };
        let mode = row.interrupt_mode.map_or("", InterruptMode::as_str);
        let cells = [
            Some(Cell::new(escape(&row.name.to_string_lossy()))),
            Some(bucket),
            Some(Cell::new(lines(question.into_iter().chain(conditions).chain(patterns).chain(reason)))),
            Some(Cell::new(scope)),
            Some(Cell::new(lines(row.globs.iter().map(short)))),
            has_mode.then(|| Cell::new(mode)),
            has_agents.then(|| Cell::new(lines(row.agents.iter().map(short)))),
            Some(Cell::new(row.provider.id())),
        ];
        table.add_row(cells.into_iter().flatten());
    }
    if table.row_count() > 0 {
        let _ = writeln!(out, "{}\n", table.trim_fmt());
    }
    out.push_str(&sums(counts));
    out
}

/// A text for a cell, escaped, cut to a bearable length.
fn short(text: &JsString) -> String {
    const LONGEST: usize = 200;
    let text = text.to_string_lossy();
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}… ({} characters)", escape(&text[..at]), text.chars().count()),
        None => escape(&text),
    }
}

/// The texts of a cell, one a line; a long list is cut.
fn lines(texts: impl Iterator<Item = String>) -> String {
    const MOST: usize = 40;
    let mut texts: Vec<String> = texts.collect();
    if texts.len() > MOST {
        let more = texts.len() - MOST;
        texts.truncate(MOST);
        texts.push(format!("… {more} more"));
    }
    texts.join("\n")
}

/// The last lines of a report: which rules the agent does nothing with, and counts.
pub fn totals(rows: &Rows, counts: Counts) -> String {
    let mut out = String::new();
    for row in rows.kept.iter().filter(|row| row.bucket == Bucket::None).take(NAMED) {
        let reason = row.reason.as_ref().map_or_else(|| "no condition".to_owned(), ToString::to_string);
        let _ = writeln!(out, "no effect: {} ({})", escape(&row.name.to_string_lossy()), escape(&reason));
    }
    if rows.idle > NAMED {
        let _ = writeln!(out, "no effect: {} more (--list shows all)", rows.idle - NAMED);
    }
    out.push_str(&sums(counts));
    out
}

/// The findings that do not count, in words; none when there are none.
pub fn beside(counts: Counts) -> Option<String> {
    let counts = [(counts.accepted, "suppressed"), (counts.known, "known")];
    let some: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    (!some.is_empty()).then(|| some.join(", "))
}

fn sums(counts: Counts) -> String {
    let beside = beside(counts).map(|beside| format!("; {beside}")).unwrap_or_default();
    format!(
        "{} in {}: {} registered; {}, {}, {}{beside}\n",
        count(counts.rules, "rule"),
        count(counts.files, "file"),
        counts.registered,
        count(counts.errors, "error"),
        count(counts.warnings, "warning"),
        count(counts.notes, "note"),
    )
}
