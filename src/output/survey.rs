//! The report over several sessions, for people.

use std::fmt::Write as _;

use comfy_table::Cell;

use super::{Style, count, escape};
use crate::audit::{AuditReport, Seen, Survey};
use crate::diagnostic::Severity;
use crate::text::JsString;
use crate::text::json::Value;

/// How many refused files are listed; the rest is counted.
const REFUSED: usize = 40;

/// A session as the report lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    file: String,
    begun: String,
    entries: usize,
    injections: usize,
    rules: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
}

impl SessionRow {
    /// The line of a report.
    pub fn of(report: &AuditReport) -> Self {
        let of = |severity| report.findings.iter().filter(|finding| finding.severity == severity).count();
        Self {
            file: report.file.clone(),
            begun: report.header.get("timestamp").and_then(Value::as_string).map(shown).unwrap_or_default(),
            entries: report.entries,
            injections: report.injections.len(),
            rules: report.injected_rules.len(),
            errors: of(Severity::Error),
            warnings: of(Severity::Warning),
            notes: of(Severity::Note),
        }
    }
}

/// A row of the injections of several sessions, escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectionRow {
    cells: [String; 7],
    is_live: bool,
}

fn shown(text: &JsString) -> String {
    escape(&text.to_string_lossy())
}

/// The injections of a session, a row each.
pub fn injection_rows(report: &AuditReport) -> Vec<InjectionRow> {
    let member = |key: &str| report.header.get(key).and_then(Value::as_string).map(shown).unwrap_or_default();
    let row = |injection: &crate::audit::Injection| {
        let rules = injection.rules.iter().map(|rule| match rule {
            Value::String(name) => shown(name),
            other => escape(&other.to_json()),
        });
        let entry = injection.entry.as_ref().map(shown).unwrap_or_default();
        InjectionRow {
            cells: [
                injection.timestamp.as_ref().map(shown).unwrap_or_default(),
                rules.collect::<Vec<_>>().join(", "),
                injection.main_evidence().kind.as_str().to_owned(),
                format!("{}:{}", escape(&report.file), injection.line),
                entry,
                member("id"),
                member("cwd"),
            ],
            is_live: injection.on_branch,
        }
    };
    report.injections.iter().map(row).collect()
}

/// A table of such rows.
pub fn injections(rows: &[InjectionRow], style: Style) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = style.table(&["Time", "Rules", "Evidence", "File", "Entry", "Session", "Project"]);
    // A row is a line, however wide, so that it can be searched for.
    table.set_content_arrangement(comfy_table::ContentArrangement::Disabled);
    for row in rows {
        let mut cells: Vec<Cell> = row.cells.iter().map(Cell::new).collect();
        if let Some(evidence) = cells.get_mut(2).filter(|_| !row.is_live) {
            *evidence = Style::notable_cell(format!("{} (abandoned branch)", row.cells[2]));
        }
        table.add_row(cells);
    }
    format!("{}\n", table.trim_fmt())
}

/// What stands below the injections of several sessions.
pub fn injection_totals(survey: &Survey, style: Style) -> String {
    let mut out = head(survey, style);
    let found: usize = survey.codes().map(|totals| totals.count).sum();
    if found > 0 {
        let _ = writeln!(out, "{}, which the report without these options shows", count(found, "finding"));
    }
    out
}

fn head(survey: &Survey, style: Style) -> String {
    let mut out = String::new();
    let refused = if survey.refused_count == 0 { String::new() } else { format!(", {} refused", survey.refused_count) };
    let line = format!(
        "{}: {}{refused}; {}, {}",
        count(survey.files, "file"),
        count(survey.sessions, "session"),
        count(survey.entries, "entry"),
        count(survey.injections, "injection"),
    );
    let _ = writeln!(out, "{}", style.heading(&line));
    let generations = survey.generations.iter().map(|(lifecycle, number)| format!("{lifecycle} {number}"));
    let generations: Vec<String> = generations.collect();
    if !generations.is_empty() {
        let _ = writeln!(out, "read by lifecycle: {}", generations.join(", "));
    }
    out
}

/// The report: what is damaged, what was injected, what is disabled, what was refused.
pub fn render(survey: &Survey, sessions: &[SessionRow], unlisted: usize, style: Style) -> String {
    let mut out = head(survey, style);
    if let Some((agreeing, recorded)) = survey.agreement {
        let line = format!("replay: {agreeing} of {recorded} recorded decisions are decided again");
        let _ = writeln!(out, "{}", if agreeing == recorded { style.good(&line) } else { style.notable(&line) });
    }
    rules(&mut out, survey, style);
    disabled(&mut out, survey, style);
    projects(&mut out, survey, style);
    session_rows(&mut out, sessions, unlisted, style);
    refused(&mut out, survey, style);
    findings(&mut out, survey, style);
    out
}

/// The report of one project: its sessions in order, and the life of each rule over them.
pub fn project(survey: &Survey, sessions: &[SessionRow], unlisted: usize, style: Style) -> String {
    let mut out = String::new();
    for project in &survey.projects {
        let cwd = if project.cwd.is_empty() { "(no project)".to_owned() } else { shown(&project.cwd) };
        let sessions = count(project.sessions, "session");
        let line = format!("{cwd}: {sessions}, {}", count(project.injections, "injection"));
        let _ = writeln!(out, "{}", style.heading(&line));
    }
    session_rows(&mut out, sessions, unlisted, style);
    rules(&mut out, survey, style);
    out.push('\n');
    out
}

fn findings(out: &mut String, survey: &Survey, style: Style) {
    let mut table = style.table(&["Code", "Name", "Severity", "Count", "Files", "First"]);
    for totals in survey.codes() {
        let severity = totals.severity.as_str();
        let line = if totals.first.1 == 0 { String::new() } else { format!(":{}", totals.first.1) };
        table.add_row([
            Cell::new(totals.code),
            Cell::new(totals.code.name()),
            match totals.severity {
                Severity::Error => Style::bad_cell(severity),
                Severity::Warning => Style::notable_cell(severity),
                Severity::Note => Cell::new(severity),
            },
            Cell::new(totals.count),
            Cell::new(totals.files),
            Cell::new(format!("{}{line}", escape(&totals.first.0))),
        ]);
    }
    if table.row_count() == 0 {
        let _ = writeln!(out, "\n{}", style.good("No findings."));
        return;
    }
    let _ = writeln!(out, "\n{}\n{}", style.heading("Findings"), table.trim_fmt());
}

fn seen(seen: Option<&Seen>) -> String {
    let Some(seen) = seen else { return String::new() };
    let time = seen.timestamp.as_ref().map(shown).unwrap_or_default();
    // A day is enough to see an order by; the other forms hold the rest.
    time.split('T').next().unwrap_or_default().to_owned()
}

fn rules(out: &mut String, survey: &Survey, style: Style) {
    let heads = ["Rule", "Injections", "Sessions", "Evidence", "First seen", "Last seen", "Sessions since", "Wordings"];
    let mut table = style.table(&heads);
    for (name, life) in survey.rules() {
        let since = survey.sessions_since(life);
        let wordings = life.wordings();
        let changed: Vec<String> = wordings.iter().skip(1).map(|wording| seen(Some(&wording.first))).collect();
        let changed = match changed.as_slice() {
            [] => wordings.len().to_string(),
            days => format!("{}, changed {}", wordings.len(), days.join(", ")),
        };
        table.add_row([
            Cell::new(shown(name)),
            Cell::new(life.injections),
            Cell::new(life.sessions),
            Cell::new(life.kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ")),
            Cell::new(seen(life.first.as_ref())),
            Cell::new(seen(life.last.as_ref())),
            Cell::new(since),
            if wordings.len() > 1 { Style::notable_cell(changed) } else { Cell::new(changed) },
        ]);
    }
    if table.row_count() > 0 {
        let _ = writeln!(out, "\n{}\n{}", style.heading("Injections by rule"), table.trim_fmt());
    }
}

fn disabled(out: &mut String, survey: &Survey, style: Style) {
    let mut table = style.table(&["Rule", "Disabled by", "Where", "Injections"]);
    for disabled in &survey.disabled {
        let life = survey.rules().find(|(name, _)| **name == disabled.rule);
        let injections = life.map_or(0, |(_, life)| life.injections);
        let name = if disabled.rule == "*" { "every rule".to_owned() } else { shown(&disabled.rule) };
        table.add_row([name, escape(&disabled.by), escape(&disabled.place), injections.to_string()]);
    }
    if table.row_count() > 0 {
        let _ = writeln!(out, "\n{}\n{}", style.heading("Disabled rules"), table.trim_fmt());
    }
}

fn projects(out: &mut String, survey: &Survey, style: Style) {
    let mut table = style.table(&["Project", "Sessions", "Injections", "First begun", "Last begun"]);
    for project in &survey.projects {
        let time = |began: &Option<(i64, JsString)>| began.as_ref().map(|began| shown(&began.1)).unwrap_or_default();
        let cwd = if project.cwd.is_empty() { "(none)".to_owned() } else { shown(&project.cwd) };
        let (sessions, injections) = (project.sessions.to_string(), project.injections.to_string());
        table.add_row([cwd, sessions, injections, time(&project.first), time(&project.last)]);
    }
    if table.row_count() > 0 {
        let _ = writeln!(out, "\n{}\n{}", style.heading("Projects"), table.trim_fmt());
    }
}

fn session_rows(out: &mut String, sessions: &[SessionRow], unlisted: usize, style: Style) {
    let heads = ["File", "Begun", "Entries", "Injections", "In force", "Errors", "Warnings", "Notes"];
    let mut table = style.table(&heads);
    for row in sessions {
        let numbers = [row.entries, row.injections, row.rules, row.errors, row.warnings, row.notes];
        let named = [escape(&row.file), row.begun.clone()];
        table.add_row(named.into_iter().chain(numbers.map(|number| number.to_string())));
    }
    if table.row_count() > 0 {
        let _ = writeln!(out, "\n{}\n{}", style.heading("Sessions"), table.trim_fmt());
    }
    if unlisted > 0 {
        let _ = writeln!(out, "… and {} (--format csv --table sessions lists them)", count(unlisted, "more session"));
    }
}

fn refused(out: &mut String, survey: &Survey, style: Style) {
    let mut table = style.table(&["File", "Code", "Why"]);
    for refused in survey.refused.iter().take(REFUSED) {
        for finding in refused.findings.iter().take(1) {
            let code = format!("{} {}", finding.code, finding.code.name());
            let help = finding.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
            table.add_row([
                Cell::new(escape(&refused.file)),
                Style::bad_cell(code),
                Cell::new(escape(&format!("{}{help}", finding.message))),
            ]);
        }
    }
    if table.row_count() > 0 {
        let _ = writeln!(out, "\n{}\n{}", style.heading("Refused files"), table.trim_fmt());
    }
    if let Some(more) = survey.refused_count.checked_sub(REFUSED).filter(|more| *more > 0) {
        let _ = writeln!(out, "… and {more} more (--format csv --table findings lists them)");
    }
}
